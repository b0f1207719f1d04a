"""Listing the dialects."""

import json
from collections.abc import Sequence
from contextlib import suppress
from typing import Any, Final

from rich import box
from rich.table import Table
from rich.text import Text

from agent_parsers import Dialect, get_dialect, list_dialects
from agent_parsers.cli.options import Format
from agent_parsers.cli.screen import Screen, echo_json

_GROUPS: Final = {
    (False, True): "One call a turn. The text of a whole run can be read too",
    (False, False): "One call a turn. A whole run is read from records or messages only",
    (True, True): "Several calls a turn. The text of a whole run can be read too",
    (True, False): "Several calls a turn. A whole run is read from records or messages only",
}
"""What dialects have in common: whether a turn may have several calls, and transcripts exist."""


def list_known(out: Screen, form: Format, words: Sequence[str]) -> None:
    """Write the dialects whose name, alias or summary has each of *words*.

    If none has, *words* may be the name of a model; its dialect is written then.
    """
    rows = [row for row in map(_row, map(get_dialect, list_dialects())) if _has_all(row, words)]
    if not rows:
        with suppress(ValueError):  # it is the name of no model with a dialect
            rows = [_row(get_dialect(" ".join(words)))]
    if form is Format.JSON:
        echo_json(json.dumps(rows, ensure_ascii=False, indent=2))
    elif form is Format.JSONL:
        for row in rows:
            echo_json(json.dumps(row, ensure_ascii=False))
    elif not rows:
        out.print(f"no dialect matches {' '.join(words)!r}", markup=False)
    else:
        _print_groups(out, rows)


def _row(dialect: Dialect) -> dict[str, Any]:
    return {
        "name": dialect.name,
        "aliases": dialect.aliases,
        "summary": dialect.summary,
        "stop": dialect.stop,
        "several": dialect.several,
        "transcripts": bool(dialect.lenient.transcript_start),
    }


def _has_all(row: dict[str, Any], words: Sequence[str]) -> bool:
    text = " ".join((row["name"], *row["aliases"], row["summary"])).casefold()
    return all(word.casefold() in text for word in words)


def _print_groups(out: Screen, rows: Sequence[dict[str, Any]]) -> None:
    width = max(len(row["name"]) for row in rows)
    for (several, transcripts), title in _GROUPS.items():
        group = [
            row for row in rows if (row["several"], row["transcripts"]) == (several, transcripts)
        ]
        if not group:
            continue
        out.print(Text(f"\n{title}", "bold"))
        table = Table(box=box.SIMPLE_HEAD, padding=(0, 2, 0, 0))
        table.add_column("Name", style="cyan", no_wrap=True, min_width=width)
        table.add_column("What it is", ratio=1)
        table.add_column("Also called")
        for row in group:
            table.add_row(row["name"], row["summary"], ", ".join(row["aliases"]))
        out.print(table)
