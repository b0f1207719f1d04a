"""Scores a parser: ``python -m tools.conformance --adapter vllm``; see the README."""

from __future__ import annotations

import argparse
import logging
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from tools.conformance.adapters import ADAPTERS
from tools.conformance.vectors import FOLDER, Got, dialects, load

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from tools.conformance.adapters import Adapter
    from tools.conformance.vectors import Vector

COLUMNS: Final = (
    # the level, the fields that count, and the head
    ("strict", "calls", "strict: calls"),
    ("strict", "all", "all"),
    ("lenient", "calls", "lenient: calls"),
    ("lenient", "all", "all"),
    ("broken", "calls", "broken: no call"),
)
WAYS: Final = ("whole", "streamed")


def problems(vector: Vector, read: Callable[[Vector], Got]) -> list[str]:
    """Return what is wrong with what a parser makes of *vector*; a raise counts as no calls.

    Raises:
        StandInError: The parser needs something that is not installed.
    """
    try:
        got, raised = read(vector), ""
    except Exception as error:  # noqa: BLE001 - parsers raise whatever they like
        got, raised = Got(), f"{type(error).__name__}: {error}"
    if "StandIn" in raised or not isinstance(got.content, str):
        raise StandInError(raised)
    if vector.want is None:
        return ["calls"] if got.calls else []
    return ["calls", "content", raised] if raised else got.differs_from(vector.want)


class StandInError(Exception):
    """A parser came upon a stand-in."""


def score(adapter: Adapter, names: Iterable[str], *, show: bool) -> list[str]:
    """Return a table in Markdown, a row for each dialect of which *adapter* misses a vector.

    A cell has how many of the texts are read right as a whole, in chunks, and how many there are.
    """
    columns = [column for column in COLUMNS if adapter.splits or column[1] == "calls"]
    rows = [
        f"| dialect | read by | {' | '.join(head for _, _, head in columns)} |",
        f"|---|---|{'--:|' * len(columns)}",
    ]
    totals: Counter[tuple[str, ...]] = Counter()
    met, undriven = [], []
    for name in names:
        if not (theirs := adapter.name(name)):
            continue
        counts: Counter[tuple[str, ...]] = Counter()
        try:
            for vector in filter(adapter.takes, load(name)):
                counts += tried(adapter, vector, show=show)
        except StandInError:
            undriven.append(name)
        else:
            totals += counts
            if all(
                counts[*column[:2], way] == counts[column[:2]] for column in columns for way in WAYS
            ):
                met.append(name)
            else:
                rows.append(_row(name, f"`{theirs}`", columns, counts))
    rows.append(_row("**all**", "", columns, totals))
    said = {"All vectors are met of": met, "Not driven, since something is not installed": undriven}
    return [*rows, *(f"\n{what}: {', '.join(names)}." for what, names in said.items() if names)]


def tried(adapter: Adapter, vector: Vector, *, show: bool) -> Counter[tuple[str, ...]]:
    """Return what to count for *vector*."""
    counts: Counter[tuple[str, ...]] = Counter([(vector.level, "calls"), (vector.level, "all")])
    for way in WAYS:
        wrong = problems(vector, getattr(adapter, way))
        counts[vector.level, "calls", way] += "calls" not in wrong
        counts[vector.level, "all", way] += not wrong
        if show and (wrong if adapter.splits else "calls" in wrong):
            print(f"{vector.id} {way}, {vector.level}: {', '.join(wrong)}: {vector.about}")
    return counts


def _row(
    name: str, theirs: str, columns: list[tuple[str, str, str]], counts: Counter[tuple[str, ...]]
) -> str:
    cells = [
        " · ".join(f"{counts[level, fields, way]}" for way in WAYS) + f" / {counts[level, fields]}"
        if counts[level, fields]
        else ""
        for level, fields, _ in columns
    ]
    return f"| {name} | {theirs} | {' | '.join(cells)} |"


def write_readme(adapter: str, about: str, rows: list[str]) -> None:
    """Write the table of *adapter* into the README."""
    path = FOLDER / "README.md"
    page = path.read_text(encoding="utf-8")
    opener, closer = f"<!-- {adapter} -->\n", f"<!-- end of {adapter} -->\n"
    before, _, rest = page.partition(opener)
    _, _, after = rest.partition(closer)
    table = "\n".join(rows)
    path.write_text(f"{before}{opener}{about}:\n\n{table}\n{closer}{after}", encoding="utf-8")


def main() -> int:
    """Score a parser and print the table; fail if it is ours and not all vectors pass."""
    parser = argparse.ArgumentParser(prog="python -m tools.conformance", description=__doc__)
    parser.add_argument("--adapter", choices=ADAPTERS, default="ours")
    parser.add_argument("--dialect", action="append", help="only this one; may be repeated")
    parser.add_argument("--show", action="store_true", help="list the vectors that are not met")
    parser.add_argument("--readme", action="store_true", help="write the table into the README")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)  # servers log each error that they catch
    try:
        adapter = ADAPTERS[asked.adapter]()
    except ModuleNotFoundError as error:
        print(f"cannot be run here: {error}")
        return 2
    rows = score(adapter, asked.dialect or dialects(), show=asked.show)
    print(adapter.about, *rows, sep="\n")
    if asked.readme:
        write_readme(asked.adapter, adapter.about, rows)
    return 0


if __name__ == "__main__":
    sys.exit(main())
