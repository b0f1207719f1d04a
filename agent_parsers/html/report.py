"""A report of many runs: what was counted at the head, and each run below."""

from __future__ import annotations

from collections import Counter, defaultdict
from typing import TYPE_CHECKING, Final

from agent_parsers.html.charts import Bar, chart_html
from agent_parsers.html.filter import SCRIPT, filter_html
from agent_parsers.html.results import badges_html, messages_html
from agent_parsers.html.runs import badges_of, run_html
from agent_parsers.runs.facts import facts_of
from outputs.html import html_text, page

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.runs.reading.transcript import Transcript

__all__ = ["report_html"]

_CHARTS: Final = {
    "tools": ("Tools", "tool"),
    "repairs_by_kind": ("Repairs", "repaired"),
    "errors_by_reason": ("Errors", "error"),
    "notices_by_kind": ("Notices", "notice"),
    "read_as": ("Read as", "dialect"),
}
"""Titles and colours of the charts, by the kind of their facts."""
_BRIEF: Final = 160
"""How many characters of a question are seen in the list of runs."""
_FEW: Final = 8
"""How many things that were not read are listed unfolded."""


def report_html(
    runs: Iterable[Transcript], *, title: str = "Runs", unread: Iterable[str] = ()
) -> str:
    """Return a page about *runs*: counts with links to their steps, a filter, and every step.

    The page is as that of `to_html`; it is read without its script, which only filters.

    Args:
        runs: The runs, of which each may come when it has been read.
        title: The title of the page.
        unread: What could not be read, each in a sentence; looked at after the last run.
    """
    report = _Report()
    for run in runs:
        report.add(run)
    return page(report.html(title, [*unread]), title=title, script=SCRIPT)


class _Report:
    """The runs so far as HTML, and what was counted in them."""

    def __init__(self) -> None:
        self._runs: list[str] = []
        self._totals = Counter[str]()
        self._counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._places: defaultdict[tuple[str, str], dict[str, str]] = defaultdict(dict)
        self._keys: dict[tuple[str, str], str] = {}

    def add(self, run: Transcript) -> None:
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
        self._runs.append(
            f'<details class="ap-run" id="{anchor}" data-keys="{joined.get(0, "")}">'
            f"<summary><b>run {number}</b><bdi>{html_text(question or run.id)}{more}</bdi>"
            f"{badges_html(badges_of(run))}</summary>{run_html(run, anchor, joined)}</details>"
        )

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
        charts = "".join(
            chart_html(name, part, self._bars(kind)) for kind, (name, part) in _CHARTS.items()
        )
        runs = "".join(self._runs)
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
            Bar(what or "unknown", count, [*self._places[kind, what].items()])
            for what, count in self._counts[kind].most_common()
        ]

    def _choices(self) -> dict[str, list[tuple[str, str]]]:
        """Return the keys and words of the filter, by title."""
        return {
            title: [
                (self._keys[kind, what], f"{what or 'unknown'} ({count:,})")
                for what, count in self._counts[kind].most_common()
            ]
            for kind, (title, _) in _CHARTS.items()
            if self._counts[kind]
        }
