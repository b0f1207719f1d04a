"""Counting what was read: runs, steps, tools, repairs, errors and notices."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

from rich import box
from rich.table import Table
from rich.text import Text

from agent_parsers.cli.showing.json_output import dumps
from agent_parsers.cli.showing.screen import Screen, echo_json
from agent_parsers.runs.facts import FACTS, facts_of
from output_parsers.printable import printable

if TYPE_CHECKING:
    from agent_parsers.cli.showing.runs import ShownRun


class Summary:
    """Counts runs, and writes the counts at the end.

    Args:
        screen: Where to write them.
        as_table: Whether to write a table, and not JSON.
    """

    def __init__(self, screen: Screen, *, as_table: bool) -> None:
        self._screen, self._as_table = screen, as_table
        self._counts: Counter[str] = Counter(
            dict.fromkeys(("runs", "steps", "answers", "errors", "repairs", "notices"), 0)
        )
        self._by_kind: dict[str, Counter[str]] = {kind: Counter() for kind in FACTS}

    def write(self, run: ShownRun) -> None:
        """Count one run."""
        transcript = run.transcript
        self._counts["runs"] += 1
        self._counts["steps"] += len(transcript.steps)
        self._counts["answers"] += transcript.finish is not None
        self._counts["errors"] += len(transcript.failed)
        self._counts["repairs"] += len(transcript.repairs)
        self._counts["notices"] += len(transcript.notices)
        for fact in facts_of(transcript):
            self._by_kind[fact.kind][fact.what] += 1

    def close(self) -> None:
        """Write the counts."""
        if not self._as_table:
            counts: dict[str, Any] = {**self._counts}
            counts |= {name: dict(found.most_common()) for name, found in self._by_kind.items()}
            echo_json(dumps(counts))
            return
        table = Table(box=box.SIMPLE_HEAD, show_header=False, padding=(0, 2, 0, 0))
        table.add_column(style="bold")
        table.add_column(justify="right")
        for name, count in self._counts.items():
            table.add_row(name.capitalize(), f"{count:,}")
        for name, found in self._by_kind.items():
            if found:
                table.add_row()
                table.add_row(Text(name.replace("_", " ").capitalize(), "bold cyan"))
            for what, count in found.most_common():
                table.add_row(Text(f"  {printable(what)}", "default"), f"{count:,}")
        self._screen.print(table)
