"""What it costs, beside others: ``make bench``.

    python -m tools.benchmarks.bench [--minutes 8] [--page docs] [WORD …]

It prints tables in Markdown: what is measured, beside what, both times, the ratio of the best times
and the median of the ratios, and the aim, if there is one. All is CPU time, but where a row says
that it is by the clock. Rows take turns until the minutes are over, however noisy the machine is.
An aim is met, or not, if the ratio of the best and the interval of 95 % around the median are all
on the same side of it; else the row says that it cannot tell. Words limit it to the rows that have
one of them in their title or their section. ``make bench-page`` writes the page with its plot, and
the table in the README, from the same rows; the page has those that have an aim or stand beside
another library, and shows long sections in brief.
"""

from __future__ import annotations

import argparse
import re
import sys
import time
from collections import Counter
from importlib.metadata import PackageNotFoundError, version
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Final

from tools.benchmarks import _replies, _streams, _values
from tools.benchmarks._timing import UNSURE, in_words, measure, short

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence

    from tools.benchmarks._timing import Machine, Row

SECONDS_A_ROW: Final = 4
"""With words, it takes no longer than this for each of the rows."""
PLOT: Final = "cost-per-chunk.svg"
PACKAGES: Final = (
    "langchain-core", "langchain-classic", "llama-index-core", "crewai", "json-repair", "pydantic",
    "pydantic-core", "pyarrow",
)  # fmt: skip

LIBRARIES: Final = {"LangChain", "LlamaIndex", "CrewAI", "json_repair", "`from_json` of all again"}
"""What a row of the page stands beside, if it has no aim."""

SECTIONS: Final[Mapping[str, tuple[Callable[[], Iterator[Row]], str]]] = {
    "Messages": (_replies.messages, "Lenient, as parsers are by default."),
    "One reply": (
        _replies.replies,
        "For JSON input, LlamaIndex and this library return an object, LangChain and CrewAI text.",
    ),
    "Replies that are refused or repaired": (
        _replies.repaired,
        (
            "Lenient. The frameworks raise, or return the text as it is; `here` says where, and"
            " what was repaired."
        ),
    ),
    "Tools": (_replies.checked, "Names and inputs are checked against the functions."),
    "Calls of open models": (
        _replies.models,
        (
            "A call as the dialect writes it, beside the least that Python can do for a call of"
            " `hermes`. The time is the longer one of strict and lenient. The table has the three"
            " lowest, the middle and the three highest ratios; `make bench WORDS=models` prints all"
            " dialects."
        ),
    ),
    "JSON, XML and lists": (_values.values, ""),
    "Tables": (
        _values.tables,
        (
            f"A row of a table of {_values.ROWS:,}. The columns of the loop are a tool, its input,"
            " an answer and an error; the table has the thought and the repairs as well."
        ),
    ),
    "Streams": (_streams.chunks, f"Chunks have {_streams.CHUNK} characters."),
    "A chunk by what came before it": (
        _streams.by_length,
        (
            f"A chunk of {_streams.CHUNK} characters. A parser that only reads whole turns has to"
            " read the whole text again after each chunk, because nothing else says whether the"
            " turn is complete; LangChain's JSON parser streams."
        ),
    ),
    "Streams of JSON": (
        _streams.json_streams,
        (
            "A chunk of a whole stream, with a value after each. The least reader is"
            " `tools/benchmarks/json_floor.py`: plain Python, for valid JSON only."
        ),
    ),
    "Hostile texts": (
        _streams.hostile,
        (
            "The power by which the time grows with the text; 1 is linear. The text is up to 64 KB"
            f" long, or shorter if it takes {_streams.LONG_S * 1e3:.0f} ms. `make growth` tries"
            " more texts, and everything here that reads: [the table](growth.md)."
        ),
    ),
    "Fresh processes": (_values.processes, "With cached bytecode."),
}


def chosen(words: Sequence[str]) -> dict[str, list[Row]]:
    """Return the rows with one of these *words*, or all, by their sections."""
    sections = {}
    for section, (rows, _) in SECTIONS.items():
        if found := [
            row
            for row in rows()
            if not words or any(word.lower() in f"{section} {row.title}".lower() for word in words)
        ]:
            sections[section] = found
    return sections


# -- the tables ------------------------------------------------------------------------------------


def table(rows: Sequence[Row], is_brief: bool = False) -> Iterator[str]:
    """Yield the lines of a table in Markdown; in brief, with one ratio and a peer in the head."""
    peers = {row.beside for row in rows}
    head = ["", "here", "beside", "there", "best", "median", "aim", ""]
    aligned = ["---", "--:", "---", *["--:"] * 4, "---"]
    dropped = []
    if is_brief:
        head[5], dropped = "ratio", [4]
        if len(peers) == 1:
            head[3], dropped = peers.pop(), [2, 4]
    for cells in (head, aligned, *map(_cells, rows)):
        yield f"| {' | '.join(cell for at, cell in enumerate(cells) if at not in dropped)} |"


def _cells(row: Row) -> list[str]:
    if not row.rounds:
        missing = f"`{row.missing}` is not installed" if row.missing else "no time"
        return [row.title, "", row.beside, "", "", "", "", row.error or missing]
    best, median, *_ = row.figures()
    here, there = row.cells(*row.medians)
    aim = "" if row.aim is None else f"{'≥' if row.more_is_better else '≤'} {row.aim:g}"
    return [row.title, here, row.beside, there, short(best), short(median), aim, row.verdict()]


def extremes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table of the rows with the lowest, the middle and the highest ratios."""
    by_ratio = sorted(rows, key=lambda row: row.figures().median)
    yield from table([*by_ratio[:3], by_ratio[len(by_ratio) // 2], *by_ratio[-3:]], is_brief=True)


_MODE: Final = re.compile(r", (strict|lenient)\b")


def modes(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table in which the strict and the lenient row of a title are one."""
    yield "| | beside | there | strict | ratio | lenient | ratio | aim |"
    yield "|---|---|--:|--:|--:|--:|--:|--:|"
    found: dict[tuple[str, str], dict[str, list[str]]] = {}
    for row in filter(is_on_the_page, rows):
        mode = _MODE.search(row.title)
        of_title = found.setdefault((_MODE.sub("", row.title), row.beside), {})
        of_title[mode[1] if mode else ""] = _cells(row)
    for (title, beside), cells in found.items():
        there, aim = next((each[3], each[6]) for each in cells.values())
        shown = [title, beside, there]
        for mode_ in ("strict", "lenient"):
            _, here, *_, ratio, _, verdict = cells.get(mode_, cells.get("", [""] * 8))
            shown += [here, ", ".join(filter(None, (ratio, verdict)))]
        yield f"| {' | '.join([*shown, aim])} |"


def powers(rows: Sequence[Row]) -> Iterator[str]:
    """Yield a table with a line for each text, and a column for each library."""
    peers = [*dict.fromkeys(row.beside for row in rows)]
    yield f"| | here | {' | '.join(peers)} |"
    yield f"|---|{'--:|' * (len(peers) + 1)}"
    for title in dict.fromkeys(row.title for row in rows):
        pairs = [row.cells(*row.medians) for row in rows if row.title == title]
        yield f"| {' | '.join([title, pairs[0][0], *(theirs for _, theirs in pairs)])} |"


def is_on_the_page(row: Row) -> bool:
    """Tell whether a row has an aim, or says what another library takes."""
    return row.aim is not None or row.beside in LIBRARIES


IN_BRIEF: Final[Mapping[str, Callable[[Sequence[Row]], Iterator[str]]]] = {
    "One reply": modes,
    "Calls of open models": extremes,
    "Tables": modes,
    "Hostile texts": powers,
}
"""What writes the table of a section on the page, where it is not `table`."""


def summary(rows: Sequence[Row], machine: Machine) -> str:
    """Return what came of the aims, and how sure that is."""
    missing = sorted({row.missing for row in rows if row.missing})
    verdicts = Counter(row.verdict() for row in rows if row.rounds and row.aim is not None)
    said = f"Of {verdicts.total()} aims, {verdicts['met']} are met and {verdicts['no']} are not"
    said += f"; {verdicts[UNSURE]} cannot be told. {machine.said()}"
    if missing:
        said += f" Not installed: {', '.join(missing)}."
    return said


def page(sections: Mapping[str, Sequence[Row]], machine: Machine) -> Iterator[str]:
    """Yield the lines of the page."""
    rows = [*chain(*sections.values())]
    versions = ", ".join(f"`{name}` {_version(name)}" for name in PACKAGES)
    yield "# What it costs, compared with others\n"
    yield (
        f"Written by `make bench-page`, from one run on Python {sys.version.split()[0]} with"
        f" {versions}. Times are CPU times, unless a row says that it is by the clock. Rows, and"
        " the two sides of a row, took turns. Times and ratios are medians of all rounds. On other"
        " machines the times differ, but the ratios hardly change. This page has the rows that have"
        " an aim or stand beside another library; `make bench` prints all.\n"
    )
    yield (
        "An aim is met, or not, if the ratio of the best times and the interval of 95 % around the"
        f" median are on the same side of it. {summary(rows, machine)}\n"
    )
    for section, of_section in sections.items():
        yield f"## {section}\n"
        if said := SECTIONS[section][1]:
            yield f"{said}\n"
        if section in IN_BRIEF:
            yield from IN_BRIEF[section](of_section)
        else:
            yield from table([row for row in of_section if is_on_the_page(row)], is_brief=True)
        yield ""
        if any(row.before for row in of_section):
            yield f"![Cost of a chunk by the length of the text before it]({PLOT})\n"


def _version(package: str) -> str:
    try:
        return version(package)
    except PackageNotFoundError:
        return "(not installed)"


# -- what is written -------------------------------------------------------------------------------


def write_page(folder: Path, sections: Mapping[str, Sequence[Row]], machine: Machine) -> None:
    """Write the page, its plot, and the table of the README."""
    from tools.benchmarks._plot import draw

    rows = {row.title: row for row in chain(*sections.values()) if row.beside == "LangChain"}
    (folder / "benchmarks.md").write_text("\n".join(page(sections, machine)), "utf-8")
    draw([row for row in chain(*sections.values()) if row.before], folder / PLOT)
    readme = folder.parent / "README.md"
    near, far = (rows[f"ReAct after {size} KB"].medians for size in (1, 256))
    invoked = rows["`invoke(message)`"].medians
    here, there, bare = rows["import of a ReAct parser, beyond Python"].medians
    alone = next(row.medians[1] for row in sections["Fresh processes"]) - bare
    lines = {
        "the next 4 characters of a stream, after 1 KB and after 256 KB": [
            f"{in_words(a)}, {in_words(b)}" for a, b in zip(near, far, strict=True)
        ],
        "`invoke(message)`": [in_words(each) for each in invoked],
        f"importing it, beyond Python (pydantic alone: {in_words(alone)})": [
            in_words(each - bare) for each in (here, there)
        ],
    }
    new = "".join(f"| {work} | {' | '.join(cells)} |\n" for work, cells in lines.items())
    text = readme.read_text("utf-8")
    head = "| work | here | LangChain |\n|---|---|---|\n"
    readme.write_text(re.sub(rf"(?<={re.escape(head)})(?:\|.*\n)*", lambda _: new, text), "utf-8")


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tools.benchmarks.bench")
    options.add_argument("--minutes", type=float, default=8, help="how long rows take turns")
    options.add_argument("--page", type=Path, help="the folder of the page to write")
    options.add_argument("words", nargs="*", help="only rows with one of them")
    given = options.parse_args()
    start = time.perf_counter()
    sections = chosen(given.words)
    rows = [*chain(*sections.values())]
    missing = sorted({row.missing for row in rows if row.missing})
    if given.page and (missing or given.words):
        sys.exit(f"A page has all rows, which need: {', '.join(missing)}")
    there = [row for row in rows if not row.missing]
    if given.words:
        machine = measure(there, min(given.minutes * 60, SECONDS_A_ROW * len(there)))
    else:
        machine = measure(there, given.minutes * 60, start)
    failed = [row.title for row in there if not row.rounds]
    if given.page and not failed:
        write_page(given.page, sections, machine)
    for section, of_section in sections.items():
        print(f"\n## {section}\n", *table(of_section), sep="\n")
    print(f"\n{summary(rows, machine)}")
    if failed:
        sys.exit(f"Not measured: {', '.join(failed)}")


if __name__ == "__main__":
    main()
