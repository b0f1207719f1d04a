"""What is read of a reply, as an object of JSON and as a row of a table.

The keys are those of the columns that `agent_runs.bulk` adds to tables, `TURN_FIELDS`; but inputs
are data here, not texts of JSON.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.table import Table

from agent_parsers import AgentFinish, OutputParserException, ToolAgentAction
from agent_parsers.core import as_data
from agent_runs.cli.shown_runs import dumps
from agent_runs.cli.table import Cut, as_text
from outputs.json_form import Misfit, write_value

if TYPE_CHECKING:
    from agent_parsers import ToolSet, Turn

KEYS: Final = ("kind", "thought", "content", "calls", "answer", "error", "repairs")


@dataclass(frozen=True, slots=True)
class HowToReadReplies:
    """The options for reading replies."""

    dialect: str = "auto"
    """The dialect of the replies; ``"auto"`` to recognise it."""
    tools: ToolSet | None = None
    """The tools; `None` to accept any."""
    lenient: bool = True
    """Whether to repair common mistakes."""
    column: str = "text"
    """The key or column of the replies in a table."""


def row_of(read: Turn[Any] | OutputParserException | None) -> dict[str, Any]:
    """Return the row for a turn or for its error; for `None`, the row is empty."""
    row: dict[str, Any] = dict.fromkeys(KEYS)
    if read is None:
        return row
    if isinstance(read, OutputParserException):
        start, end = read.span or (None, None)
        error = {"reason": read.reason, "observation": read.observation, "start": start, "end": end}
        return {**row, "kind": "error", "error": error | {"line": read.line, "column": read.column}}
    repairs = [{"kind": r.kind, "start": r.span[0], "end": r.span[1]} for r in read.repairs]
    row |= {"thought": read.thought, "content": read.content, "repairs": repairs}
    if isinstance(read.result, AgentFinish):
        return {**row, "kind": "answer", "calls": [], "answer": _as_json(read.result.output)}
    made = read.result if isinstance(read.result, list) else [read.result]
    calls = [
        {
            "tool": each.tool,
            "input": _as_json(each.tool_input),
            "id": each.tool_call_id if isinstance(each, ToolAgentAction) else None,
        }
        for each in made
    ]
    return {**row, "kind": "action", "calls": calls}


def row_text(row: dict[str, Any]) -> str:
    """Return a row as one line of JSON; values without a JSON form, such as dates, become text."""
    return dumps(row, allow_nan=True, default=str)


def _as_json(value: Any) -> Any:
    """Return an input or an answer as data of JSON, as `agent_runs.bulk` has it in tables."""
    try:
        return write_value(as_data(value))
    except Misfit:  # made by the schema of a tool
        return json.loads(json.dumps(value, default=str))


def table_of(rows: Sequence[dict[str, Any]]) -> Table:
    """Return a table with a line for each call, answer or error."""
    table = Table(box=box.SIMPLE_HEAD, expand=True, padding=(0, 1, 0, 0))
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("Kind", no_wrap=True)
    table.add_column("Thought", ratio=2, overflow="fold")
    table.add_column("Tool", overflow="fold")
    table.add_column("Input, answer or error", ratio=3, overflow="fold")
    for number, row in enumerate(rows, 1):
        for place, (tool, text) in enumerate(_results(row)):
            named = (str(number), row["kind"] or "", row["thought"] or "")
            first = ("", "", "") if place else named
            style = {"answer": "green", "error": "red"}.get(row["kind"], "")
            cells = [Cut(first[1], style), Cut(first[2]), Cut(tool, "cyan"), Cut(text, style)]
            table.add_row(first[0], *cells)
    return table


def _results(row: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """Yield the tool and the input of each call; or no tool, and the answer or the error."""
    if row["kind"] == "action":
        yield from ((call["tool"], as_text(call["input"])) for call in row["calls"])
    elif row["kind"] == "answer":
        yield "", as_text(row["answer"])
    else:
        yield "", row["error"]["reason"] if row["error"] else ""
