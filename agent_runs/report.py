"""A report of many runs: what was counted at the head, a filter, and each run below."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.core import badges_html, badges_of, facts_of, messages_html, run_html
from agent_parsers.transcripts import transcript_of
from agent_runs.reading.parts import notices_to_show
from outputs.html import html_line, html_text, page

if TYPE_CHECKING:
    from agent_parsers.loop import AgentRun
    from agent_parsers.transcripts import Transcript

_MOST_BARS: Final = 8
"""How many bars are seen at once."""
_MOST_LINKS: Final = 100
"""How many links a bar has."""


class Bar(NamedTuple):
    """One bar of a chart."""

    what: str
    total: int
    places: Sequence[tuple[str, str]]
    """Name and words of each place on the page."""


def chart_html(title: str, part: str, bars: Sequence[Bar], most: int) -> str:
    """Return a chart of horizontal *bars*, the longest first, or ``""`` if there are none.

    *part* gives its colour; a bar with the total *most* fills its line.
    """
    if not bars:
        return ""
    rows = [_row(bar, most) for bar in bars]
    html = "".join(rows[:_MOST_BARS])
    if rest := rows[_MOST_BARS:]:
        html += (
            f'<details class="ap-more"><summary>{len(rest):,} more</summary>'
            f"{''.join(rest)}</details>"
        )
    return f'<section class="ap-{part}"><h2>{html_text(title)}</h2>{html}</section>'


def _row(bar: Bar, most: int) -> str:
    width = max(round(100 * bar.total / most, 1), 1)
    links = " ".join(
        f'<a href="#{name}">{html_text(words)}</a>' for name, words in bar.places[:_MOST_LINKS]
    )
    if len(bar.places) > _MOST_LINKS:
        links += f" and {len(bar.places) - _MOST_LINKS:,} more"
    return (
        f'<details class="ap-row"><summary><bdi class="ap-what">{html_text(bar.what)}</bdi>'
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="100" height="8"/><rect width="{width:g}" height="8"/></svg>'
        f'<span class="ap-count">{bar.total:,}</span></summary>'
        f'<p class="ap-links">{links}</p></details>'
    )


# -- the filter ------------------------------------------------------------------------------------


def filter_html(choices: Mapping[str, Sequence[tuple[str, str]]]) -> str:
    """Return the HTML form with which readers filter the report.

    The *choices* are, by the title of their group, keys in ``data-keys`` with words for them.
    """
    groups = "".join(
        f'<optgroup label="{html_line(title)}">'
        + "".join(f'<option value="{key}">{html_line(words)}</option>' for key, words in group)
        + "</optgroup>"
        for title, group in choices.items()
    )
    return (
        '<div class="ap-filter" role="search" hidden>'
        f'<label>Show <select><option value="">all steps</option>{groups}</select></label>'
        '<label>with the words <input type="search"></label>'
        '<button type="button">Clear</button><output aria-live="polite"></output></div>'
    )


SCRIPT: Final = """
(() => {
  const form = document.querySelector(".ap-filter");
  const [choice, words, clear, told] = ["select", "input", "button", "output"]
    .map((name) => form.querySelector(name));
  const keysOf = (element) => (element.dataset.keys || "").split(" ");
  const runs = [...document.querySelectorAll(".ap-run")].map((run) => ({
    run, keys: keysOf(run), wasOpen: run.open,
    steps: [...run.querySelectorAll(".ap-steps>li")].map((step) => ({ step, keys: keysOf(step) })),
  }));
  const textOf = (each) => each.text ??= each.step.textContent.toLowerCase();
  let wasActive = false;
  const apply = () => {
    const key = choice.value, sought = words.value.trim().toLowerCase();
    const active = Boolean(key || sought);
    let found = 0, all = 0, open = 0;
    for (const each of runs) {
      const { run, keys, steps } = each;
      const isWhole = !key || keys.includes(key);
      let seen = 0;
      for (const it of steps) {
        const fits = (isWhole || it.keys.includes(key)) && (!sought || textOf(it).includes(sought));
        if (it.step.hidden === fits) it.step.hidden = !fits;
        seen += fits;
      }
      all += steps.length;
      found += seen;
      run.hidden = active && !seen && !(isWhole && !sought);
      if (!wasActive && active) each.wasOpen = run.open;
      if (active) run.open = seen > 0 && (open += seen) <= 500;
      else if (wasActive) run.open = each.wasOpen;
    }
    wasActive = active;
    told.textContent = active ? `${found} of ${all} steps` : "";
  };
  const reset = () => { choice.value = words.value = ""; apply(); };
  let timer;
  choice.addEventListener("change", apply);
  words.addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(apply, 150); });
  clear.addEventListener("click", () => { reset(); choice.focus(); });
  document.addEventListener("click", (event) => {
    const link = event.target.closest('a[href^="#"]');
    const target = link && document.getElementById(link.hash.slice(1));
    if (target && target.closest("[hidden]")) reset();
  });
  form.hidden = false;
})();
"""
"""Filters the steps by key and by words. It makes no element and sets no HTML."""


# -- the report ------------------------------------------------------------------------------------

_CHARTS: Final = {
    "tools": ("Tools", "tool"),
    "failed_tools": ("Failed tools", "error"),
    "repairs_by_kind": ("Repairs", "repaired"),
    "errors_by_reason": ("Errors", "error"),
    "notices_by_kind": ("Notices", "notice"),
    "read_as": ("Read as", "dialect"),
}
"""Titles and colours of the charts, by the kind of their facts."""
_BRIEF: Final = 160
"""How many characters of a question are seen in the list of runs."""
_LEAST_FULL: Final = 2
"""The smallest total for a full bar: what happened once fills none."""
_FEW: Final = 8
"""How many things that were not read are listed unfolded."""


def report_html(
    runs: Iterable[Transcript | AgentRun], *, title: str = "Runs", unread: Iterable[str] = ()
) -> str:
    """Return an HTML page about *runs*: counts with links to steps, a filter, and every step.

    The page looks like that of `to_html`. Its script is needed only for the filter.

    Args:
        runs: The runs, of which each may come when it has been read.
        title: The title of the page.
        unread: What could not be read, each in a sentence; looked at after the last run.

    Raises:
        TypeError: *runs* is one run, or one of them is no run.
    """
    if hasattr(runs, "finish"):
        raise TypeError(f"expected runs, found one {type(runs).__name__}: pass [run]")
    report = _Report()
    for run in runs:
        report.add(transcript_of(run))
    return page(report.html(title, [*unread]), title=title, script=SCRIPT)


class _Report:
    """The runs so far as HTML, and what was counted in them."""

    def __init__(self) -> None:
        self._runs: list[tuple[str, str, str]] = []  # of each the head, its file, and the rest
        self._totals = Counter[str]()
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._places: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._keys: dict[tuple[str, str], str] = {}

    def add(self, run: Transcript) -> None:
        run = replace(run, notices=notices_to_show(run))
        number = len(self._runs) + 1
        anchor = f"r{number}"
        keys: defaultdict[int, list[str]] = defaultdict(list)
        for kind, what, step in facts_of(run):
            self._counts[kind][what] += 1
            name, words = anchor, f"run {number}"
            if step:
                name, words = f"{anchor}s{step}", f"{words}, step {step}"
            self._places[kind, what][name] = words
            keys[step].append(self._keys.setdefault((kind, what), f"k{len(self._keys)}"))
        self._totals += Counter(
            steps=len(run.steps),
            answers=run.finish is not None,
            repairs=len(run.repairs),
            errors=len(run.failed),
            notices=len(run.notices),
        )
        joined = {step: " ".join(dict.fromkeys(each)) for step, each in keys.items()}
        question = " ".join(run.question[:_BRIEF].split())
        more = "…" if len(run.question) > _BRIEF else ""
        file = run.source.file if run.source else ""
        head = (
            f'<details class="ap-run" id="{anchor}" data-keys="{joined.get(0, "")}">'
            f"<summary><b>run {number}</b><bdi>{html_text(question or run.id)}{more}</bdi>"
        )
        rest = f"{badges_html(badges_of(run))}</summary>{run_html(run, anchor, joined)}</details>"
        self._runs.append((head, file, rest))

    def html(self, title: str, unread: list[str]) -> str:
        """Return the whole report."""
        figures = {"runs": len(self._runs)}
        for name in ("steps", "answers", "repairs", "errors", "notices"):
            figures[name] = self._totals[name]
        if unread:
            figures["not read"] = len(unread)
        shown = "".join(
            f"<div><dt>{name if count != 1 else name.removesuffix('s')}</dt>"
            f"<dd>{count:,}</dd></div>"
            for name, count in figures.items()
        )
        totals = (total for each in self._counts.values() for total in each.values())
        most = max([_LEAST_FULL, *totals])
        charts = "".join(
            chart_html(name, part, self._bars(kind), most) for kind, (name, part) in _CHARTS.items()
        )
        paths = {file for _, file, _ in self._runs}
        names = {file: Path(file).name for file in paths}
        if len({*names.values()}) < len(paths):
            names = {file: file for file in paths}  # some differ in their folders alone
        runs = "".join(
            f'{head}<bdi class="ap-sub">{html_text(names[file])}</bdi>{rest}'
            if file and len(paths) > 1
            else head + rest
            for head, file, rest in self._runs
        )
        if len(self._runs) == 1:
            runs = runs.replace("<details", "<details open", 1)
        failed = messages_html(("error", reason) for reason in unread)
        if len(unread) > _FEW:
            failed = (
                f'<details class="ap-unread"><summary>What was not read</summary>{failed}</details>'
            )
        return (
            f'<h1><bdi>{html_text(title)}</bdi></h1><dl class="ap-figures">{shown}</dl>{failed}'
            f'<div class="ap-charts">{charts}</div>{filter_html(self._choices())}{runs}'
        )

    def _bars(self, kind: str) -> list[Bar]:
        return [
            Bar(_words(kind, what), count, [*self._places[kind, what].items()])
            for what, count in self._counts[kind].most_common()
        ]

    def _choices(self) -> dict[str, list[tuple[str, str]]]:
        """Return the keys and words of the filter, by title."""
        return {
            title: [
                (self._keys[kind, what], f"{_words(kind, what)} ({count:,})")
                for what, count in self._counts[kind].most_common()
            ]
            for kind, (title, _) in _CHARTS.items()
            if self._counts[kind]
        }


def _words(kind: str, what: str) -> str:
    """Return the words for *what* was counted; kinds of repairs and notices are names in code."""
    return what.replace("_", " ") if kind.endswith("_by_kind") else what or "unknown"
