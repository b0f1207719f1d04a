"""The columns that tables of turns get, and how they are filled."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.bulk.arrow import pa
from outputs.json_form.misfit import Misfit
from outputs.json_form.values import write_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.turn import Turn
    from output_parsers import OutputParserException

__all__ = ["TURN_FIELDS", "Columns", "json_text"]

_TEXT: Final = pa.string()
_AT: Final = pa.int32()
_CALL: Final = [pa.field(name, _TEXT) for name in ("tool", "input", "id")]
_ERROR: Final = [
    *(pa.field(name, _TEXT) for name in ("reason", "observation")),
    *(pa.field(name, _AT) for name in ("start", "end", "line", "column")),
]
_REPAIR: Final = [pa.field("kind", _TEXT), pa.field("start", _AT), pa.field("end", _AT)]

TURN_FIELDS: Final = (
    pa.field("kind", _TEXT),
    pa.field("thought", _TEXT),
    pa.field("content", _TEXT),
    pa.field("calls", pa.list_(pa.struct(_CALL))),
    pa.field("answer", _TEXT),
    pa.field("error", pa.struct(_ERROR)),
    pa.field("repairs", pa.list_(pa.struct(_REPAIR))),
)
r"""The columns that `parse_table` adds. Spans count characters, lines and columns begin at 1.

- ``kind``: ``"action"``, ``"answer"`` or ``"error"``; null if the text is null.
- ``thought``, ``content``: As in `Turn`.
- ``calls``: The actions, each with ``tool``, ``input`` as JSON, and the ``id`` that the model gave
  the call. Data that JSON lacks, such as NaN, is written as `to_json` writes it.
- ``answer``: The final answer; one that is no text as JSON.
- ``error``: What `OutputParserException` has: ``reason``, ``observation``, ``start``, ``end``,
  ``line``, ``column``.
- ``repairs``: Each with ``kind``, ``start``, ``end``.

What a row does not have is null: a row with an error has only that, a null text has nothing. All
others have both lists, which may be empty. A lone surrogate, which Arrow cannot hold, is written as
an escape such as ``\ud800``.
"""


def json_text(value: Any) -> str:
    """Return *value* as JSON that can be encoded as UTF-8."""
    try:
        text = json.dumps(value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError):  # JSON has no such value
        text = _odd_json(value)
    return text if text.isascii() else _escaped(text)


def _odd_json(value: Any) -> str:
    try:
        return json.dumps(write_value(value))
    except Misfit:  # made by the schema of a tool, as a date is
        return json.dumps(value, default=str)


def _escaped(text: str) -> str:
    r"""Return *text* with ``\ud800`` for a lone surrogate, which UTF-8 cannot encode."""
    return text.encode("utf-8", "backslashreplace").decode()


def _texts(values: Sequence[str | None]) -> Any:
    """Return an array of texts."""
    try:
        return pa.array(values, _TEXT)
    except UnicodeEncodeError:
        return pa.array([value and _escaped(value) for value in values], _TEXT)


class Columns:
    """Collects rows, which become the arrays of `TURN_FIELDS`.

    A row that could not be read has only its kind and its error, and an empty row nothing. In all
    others the lists are there, if only empty.
    """

    def __init__(self) -> None:
        self.kinds: list[str | None] = []
        self.thoughts: list[str | None] = []
        self.contents: list[str | None] = []
        self.answers: list[str | None] = []
        self.calls = _Lists(3)
        self.repairs = _Lists(3)
        self.errors: list[tuple[Any, ...]] = []
        self.failed: list[int] = []
        """The rows with an error."""

    def add_nothing(self) -> None:
        """Add a row without a text."""
        self._add_unread(None)

    def _add_unread(self, kind: str | None) -> None:
        self.kinds.append(kind)
        self.thoughts.append(None)
        self.contents.append(None)
        self.answers.append(None)
        self.calls.add(None)
        self.repairs.add(None)

    def add_error(self, error: OutputParserException) -> None:
        """Add a row whose text could not be read."""
        self.failed.append(len(self.kinds))
        start, end = error.span or (None, None)
        where = (start, end, error.line, error.column)
        self.errors.append((error.reason, error.observation, *where))
        self._add_unread("error")

    def add_turn(self, turn: Turn) -> None:
        """Add a row."""
        result = turn.result
        self.thoughts.append(turn.thought)
        self.contents.append(turn.content)
        self.repairs.add((repair.kind, *repair.span) for repair in turn.repairs)
        if isinstance(result, AgentFinish):
            output = result.return_values["output"]
            self.kinds.append("answer")
            self.answers.append(output if isinstance(output, str) else json_text(output))
            self.calls.add(())
        else:
            actions = result if isinstance(result, list) else [result]
            self.kinds.append("action")
            self.answers.append(None)
            self.calls.add(map(_call_of, actions))

    def arrays(self) -> list[Any]:
        """Return the arrays of all rows."""
        return [
            _texts(self.kinds),
            _texts(self.thoughts),
            _texts(self.contents),
            self.calls.array(_CALL),
            _texts(self.answers),
            self._errors(),
            self.repairs.array(_REPAIR),
        ]

    def _errors(self) -> Any:
        size = len(self.kinds)
        if not self.failed:
            return pa.nulls(size, pa.struct(_ERROR))
        at: list[int | None] = [None] * size
        for number, row in enumerate(self.failed):
            at[row] = number
        return _structs(list(zip(*self.errors, strict=True)), _ERROR).take(pa.array(at, _AT))


def _call_of(action: AgentAction) -> tuple[str, str, str | None]:
    return action.tool, json_text(action.tool_input), getattr(action, "tool_call_id", None)


class _Lists:
    """Collects a column of lists of structs.

    Args:
        width: Number of fields of a struct.
    """

    def __init__(self, width: int) -> None:
        self._offsets: list[int | None] = []
        self._fields: list[list[Any]] = [[] for _ in range(width)]

    def add(self, items: Iterable[tuple[Any, ...]] | None) -> None:
        """Add a list; `None` for no list."""
        if items is None:
            self._offsets.append(None)
            return
        self._offsets.append(len(self._fields[0]))
        for item in items:
            for field, value in zip(self._fields, item, strict=True):
                field.append(value)

    def array(self, fields: Sequence[Any]) -> Any:
        """Return the lists, whose structs have these *fields*."""
        values = _structs(self._fields, fields)
        offsets = pa.array([*self._offsets, len(values)], _AT)
        return pa.ListArray.from_arrays(offsets, values)


def _structs(columns: Sequence[Sequence[Any]], fields: Sequence[Any]) -> Any:
    """Return structs with these *fields*, given the values of each."""
    arrays = [
        _texts(column) if field.type == _TEXT else pa.array(column, field.type)
        for column, field in zip(columns, fields, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=fields)
