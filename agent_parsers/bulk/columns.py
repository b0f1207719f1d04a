"""The columns that tables of turns get, and how they are filled."""

from __future__ import annotations

import json
from itertools import accumulate
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import PydanticSerializationError, to_json

from agent_parsers import AgentFinish, ToolAgentAction
from agent_parsers.bulk.arrow import pa
from agent_parsers.core import as_data
from outputs.json_form import Misfit, write_value

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers import Turn
    from agent_parsers.core import TurnColumns
    from output_parsers import OutputParserException

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
    """Return *value* as JSON; it may hold lone surrogates, as `value` may."""
    if isinstance(value, str):
        return encode_basestring(value)
    try:  # in a tenth of the time that `json` takes
        text = to_json(value, inf_nan_mode="constants").decode()
    except PydanticSerializationError:  # lone surrogates, or what is no data
        return _odd_json(value)
    return text if "NaN" not in text and "Infinity" not in text else _odd_json(value)


def _odd_json(value: Any) -> str:
    try:
        return json.dumps(write_value(value), ensure_ascii=False)
    except Misfit:  # made by the schema of a tool
        return json.dumps(value, ensure_ascii=False, default=str)


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
        self._rows: list[tuple[str | None, str | None, str | None, str | None, int]] = []
        self._tools: list[str] = []
        self._inputs: list[str] = []
        self._ids: list[str | None] = []
        # Of the few rows that have them, by row.
        self._errors: dict[int, tuple[Any, ...]] = {}
        self._repairs: dict[int, list[tuple[Any, ...]]] = {}
        self._unread: list[int] = []

    def __len__(self) -> int:
        return len(self._rows)

    def add_nothing(self) -> None:
        """Add a row without a text."""
        self._unread.append(len(self._rows))
        self._rows.append((None, None, None, None, 0))

    def add_error(self, error: OutputParserException) -> None:
        """Add a row whose text could not be read."""
        row = len(self._rows)
        place = (*(error.span or (None, None)), error.line, error.column)
        self._errors[row] = (error.reason, error.observation, *place)
        self._unread.append(row)
        self._rows.append(("error", None, None, None, 0))

    def add_turn(self, turn: Turn) -> None:
        """Add a row."""
        if turn.repairs:
            repairs = [(repair.kind, *repair.span) for repair in turn.repairs]
            self._repairs[len(self._rows)] = repairs
        result = turn.result
        if isinstance(result, AgentFinish):
            answer = _answer_text(result.output)
            self._rows.append(("answer", turn.thought, turn.content, answer, 0))
            return
        actions = result if isinstance(result, list) else [result]
        for action in actions:
            self._tools.append(action.tool)
            self._inputs.append(json_text(action.tool_input))
            self._ids.append(action.tool_call_id if isinstance(action, ToolAgentAction) else None)
        self._rows.append(("action", turn.thought, turn.content, None, len(actions)))

    def arrays(self) -> list[Any]:
        """Return the arrays of all rows."""
        size = len(self._rows)
        kinds, thoughts, contents, answers, counts = [*zip(*self._rows, strict=True)] or [()] * 5
        calls = _calls(self._tools, self._inputs, self._ids)
        repairs = [item for row in sorted(self._repairs) for item in self._repairs[row]]
        repaired = [len(self._repairs.get(row, ())) for row in range(size)]
        return [
            _texts(kinds),
            _texts(thoughts),
            _texts(contents),
            self._lists(counts, calls),
            _texts(answers),
            self._errors_array(),
            self._lists(repaired, _structs([*zip(*repairs, strict=True)] or [()] * 3, _REPAIR)),
        ]

    def _lists(self, counts: Sequence[int], items: Any) -> Any:
        """Return lists of so many *items* each, and no lists for rows that were not read."""
        offsets: list[int | None] = [*accumulate(counts, initial=0)]
        for row in self._unread:
            offsets[row] = None
        return pa.ListArray.from_arrays(pa.array(offsets, _AT), items)

    def _errors_array(self) -> Any:
        size = len(self._rows)
        if not self._errors:
            return pa.nulls(size, pa.struct(_ERROR))
        numbers = {row: number for number, row in enumerate(self._errors)}
        at = pa.array(map(numbers.get, range(size)), _AT)
        return _structs([*zip(*self._errors.values(), strict=True)], _ERROR).take(at)


def plain_arrays(turns: TurnColumns) -> list[tuple[Sequence[int], list[Any]]]:
    """Return the arrays of *turns* without repairs in parts, with the places of their rows."""
    parts: list[tuple[Sequence[int], list[Any]]] = []
    for places, thoughts, contents, counts, tools, inputs, ids in turns.actions:
        if not places:
            continue
        calls = _calls(tools, _json_texts(inputs), ids)
        # Most tables have one call a row.
        ends = range(len(counts) + 1) if {*counts} == {1} else accumulate(counts, initial=0)
        lists = pa.ListArray.from_arrays(pa.array(ends, _AT), calls)
        no_answers = pa.nulls(len(places), _TEXT)
        parts.append((places, _plain_rows("action", thoughts, contents, lists, no_answers)))
    for places, thoughts, contents, answers in turns.answers:
        if not places:
            continue
        no_calls = _empty_lists(len(places), _calls((), (), ()))
        is_text = {*map(type, answers)} == {str}
        texts = _texts(answers if is_text else [*map(_answer_text, answers)])
        parts.append((places, _plain_rows("answer", thoughts, contents, no_calls, texts)))
    return parts


def _plain_rows(
    kind: str, thoughts: Sequence[str], contents: Sequence[str], calls: Any, answers: Any
) -> list[Any]:
    """Return the arrays of rows without repairs."""
    size = len(thoughts)
    return [
        pa.repeat(pa.scalar(kind, _TEXT), size),
        _texts(thoughts),
        _texts(contents) if any(contents) else pa.repeat(pa.scalar("", _TEXT), size),
        calls,
        answers,
        pa.nulls(size, pa.struct(_ERROR)),
        _empty_lists(size, _structs([()] * 3, _REPAIR)),
    ]


def in_order(parts: Sequence[tuple[Sequence[int], list[Any]]]) -> list[Any]:
    """Return the arrays of all rows, given parts of them with the places of their rows."""
    if len(parts) == 1:
        return parts[0][1]
    places = [place for part, _ in parts for place in part]
    at = [0] * len(places)
    for number, place in enumerate(places):
        at[place] = number
    order = pa.array(at, _AT)
    columns = zip(*(arrays for _, arrays in parts), strict=True)
    return [pa.concat_arrays(column).take(order) for column in columns]


def _calls(tools: Sequence[str], inputs: Sequence[str], ids: Sequence[str | None]) -> Any:
    """Return calls; without *ids*, none has one."""
    found = _texts(ids) if ids else pa.nulls(len(tools), _TEXT)
    return pa.StructArray.from_arrays([_texts(tools), _texts(inputs), found], fields=_CALL)


def _empty_lists(size: int, items: Any) -> Any:
    return pa.ListArray.from_arrays(pa.repeat(pa.scalar(0, _AT), size + 1), items)


_APART: Final = "\x1e"
_BETWEEN: Final = r',"\u001e",'
"""A value between others, and how that is written as JSON."""


def _json_texts(values: Sequence[Any]) -> list[str]:
    """Return `json_text` of each value."""
    kinds = {*map(type, values)}
    if kinds == {str}:
        return [*map(encode_basestring, values)]
    if kinds == {dict}:  # all at once take half the time
        apart: list[Any] = [_APART] * (2 * len(values) - 1)
        apart[::2] = values
        try:
            text = to_json(apart, inf_nan_mode="constants").decode()
        except PydanticSerializationError:
            text = ""
        texts = text[1:-1].split(_BETWEEN)
        if len(texts) == len(values) and "NaN" not in text and "Infinity" not in text:
            return texts
    return [*map(json_text, values)]


def _answer_text(answer: Any) -> str:
    return answer if isinstance(answer, str) else json_text(as_data(answer))


def _structs(columns: Sequence[Sequence[Any]], fields: Sequence[Any]) -> Any:
    """Return structs with these *fields*, given the values of each."""
    arrays = [
        _texts(column) if field.type == _TEXT else pa.array(column, field.type)
        for column, field in zip(columns, fields, strict=True)
    ]
    return pa.StructArray.from_arrays(arrays, fields=fields)
