"""The columns that tables of turns get, and how they are filled."""

from __future__ import annotations

import json
from array import array
from functools import cached_property, lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import PydanticSerializationError, to_json

from agent_parsers import AgentFinish, ToolAgentAction
from agent_parsers.bulk.arrow import pa
from agent_parsers.core import as_data
from outputs.json_form import Misfit, write_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers import Repair, Turn
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
    if values.count(None) == len(values):
        return pa.nulls(len(values), _TEXT)
    try:
        return pa.array(values, _TEXT)
    except UnicodeEncodeError:
        return pa.array([value and _escaped(value) for value in values], _TEXT)


class Rows:
    """Rows of a table, which become the arrays of `TURN_FIELDS`.

    A row that could not be read has only its kind and its error, and an empty row nothing. In all
    others the lists are there, if only empty.

    Args:
        turns: The turns of most rows; those that are left are put in here.
    """

    def __init__(self, turns: TurnColumns) -> None:
        self._turns = turns
        self._size = len(turns.thoughts)
        # Of the few rows that have them, by row; an empty row has no error.
        self._unread: dict[int, tuple[Any, ...] | None] = {}
        self._repairs: dict[int, list[tuple[Any, ...]]] = {}

    def put_nothing(self, row: int) -> None:
        """Put a row without a text in its place."""
        self._unread[row] = None

    def put_error(self, row: int, error: OutputParserException) -> None:
        """Put a row whose text could not be read in its place."""
        place = (*(error.span or (None, None)), error.line, error.column)
        self._unread[row] = (error.reason, error.observation, *place)

    def put(self, row: int, turn: tuple[Any, str, str, Any], repairs: Sequence[Repair]) -> None:
        """Put a row in its place: the calls of a turn, its thought, content and answer."""
        if repairs:
            self._repairs[row] = [(repair.kind, *repair.span) for repair in repairs]
        self._turns.put(row, *turn)

    def put_turn(self, row: int, turn: Turn) -> None:
        """Put a row in its place."""
        calls: list[tuple[str, Any, str | None]] = []
        answer, result = None, turn.result
        if isinstance(result, AgentFinish):
            answer = _answer_text(result.output)
        else:
            for action in result if isinstance(result, list) else [result]:
                call_id = action.tool_call_id if isinstance(action, ToolAgentAction) else None
                calls.append((action.tool, action.tool_input, call_id))
        self.put(row, (calls, turn.thought, turn.content, answer), turn.repairs)

    def arrays(self) -> list[Any]:
        """Return the arrays of all rows."""
        turns = self._turns
        answers = _answers(turns.answers)
        if turns.contents is turns.answers:
            contents = answers
        elif any(turns.contents):
            contents = _texts(turns.contents)
        else:
            contents = self._of_read("")
        return [
            self._kinds(answers),
            _texts(turns.thoughts),
            contents,
            self._calls(),
            answers,
            self._errors(),
            self._all_repairs(),
        ]

    def _of_read(self, text: str) -> Any:
        """Return an array with the same *text* in each row that was read."""
        if not self._unread:
            return pa.repeat(pa.scalar(text, _TEXT), self._size)
        bits = _bits(self._size, self._unread, others=True)
        rows = pa.Array.from_buffers(pa.int8(), self._size, [bits, pa.py_buffer(bytes(self._size))])
        return pa.array([text], _TEXT).take(rows)

    @cached_property
    def _is_unread(self) -> Any:
        """An array that says which rows were not read; `None` if all were."""
        if not self._unread:
            return None
        bits = _bits(self._size, self._unread)
        return pa.Array.from_buffers(pa.bool_(), self._size, [None, bits])

    def _kinds(self, answers: Any) -> Any:
        if not answers.null_count:
            return self._of_read("answer")
        if answers.null_count < self._size:
            kinds = bytearray(each is not None for each in self._turns.answers)
        elif self._unread:
            kinds = bytearray(self._size)
        else:
            return self._of_read("action")
        empty = [row for row, error in self._unread.items() if error is None]
        for row in self._unread:
            kinds[row] = 2
        buffers = [_bits(self._size, empty, others=True), pa.py_buffer(kinds)]
        numbers = pa.Array.from_buffers(pa.int8(), self._size, buffers)
        return pa.array(["action", "answer", "error"], _TEXT).take(numbers)

    def _calls(self) -> Any:
        tools, inputs, ids, counts = self._turns.calls()
        calls = _call_structs(tools, inputs, ids)
        if not counts:
            return pa.ListArray.from_arrays(_one_each(self._size), calls)
        offsets = pa.repeat(pa.scalar(0, _AT), self._size + 1)
        if tools:
            # imported lazily: it takes longer than a table in which all rows have one call
            from pyarrow import compute

            counts.insert(0, 0)
            buffers = [None, pa.py_buffer(counts)]
            offsets = pa.Array.from_buffers(_AT, self._size + 1, buffers)
            offsets = compute.cumulative_sum(offsets)
        return pa.ListArray.from_arrays(offsets, calls, mask=self._is_unread)

    def _all_repairs(self) -> Any:
        rows = sorted(self._repairs)
        offsets = _offsets(self._size, rows, [len(self._repairs[row]) for row in rows])
        repairs = [each for row in rows for each in self._repairs[row]]
        items = _structs([*zip(*repairs, strict=True)] or [()] * 3, _REPAIR)
        array = pa.Array.from_buffers(_AT, self._size + 1, [None, offsets])
        return pa.ListArray.from_arrays(array, items, mask=self._is_unread)

    def _errors(self) -> Any:
        rows = sorted(row for row, error in self._unread.items() if error is not None)
        if not rows:
            return pa.nulls(self._size, pa.struct(_ERROR))
        columns = zip(*map(self._unread.__getitem__, rows), strict=True)
        fields = zip(_ERROR, columns, strict=True)
        others = _bits(self._size, rows, others=True)
        return pa.StructArray.from_arrays(
            [_sparse(field.type, self._size, rows, items) for field, items in fields],
            fields=_ERROR,
            mask=pa.Array.from_buffers(pa.bool_(), self._size, [None, others]),
        )


def _bits(size: int, rows: Iterable[int], *, others: bool = False) -> Any:
    """Return a buffer with a bit for each of so many rows, set for those *rows*, or for others."""
    bits = bytearray(b"\xff" if others else b"\0") * (size // 8 + 1)
    for row in rows:
        bits[row // 8] ^= 1 << row % 8
    return pa.py_buffer(bits)


def _offsets(size: int, rows: Iterable[int], counts: Iterable[int]) -> Any:
    """Return a buffer with the offsets of what so many rows have, of which few have any.

    Args:
        size: How many rows there are.
        rows: Those with any, in order.
        counts: How much each of these has.
    """
    offsets, total = array("i"), 0
    for row, count in zip(rows, counts, strict=True):
        offsets.extend(array("i", [total]) * (row + 1 - len(offsets)))
        total += count
    offsets.extend(array("i", [total]) * (size + 1 - len(offsets)))
    return pa.py_buffer(offsets)


def _sparse(kind: Any, size: int, rows: Sequence[int], items: Sequence[Any]) -> Any:
    """Return an array of a *kind* with *items* in some *rows*, which are in order."""
    there = [(row, item) for row, item in zip(rows, items, strict=True) if item is not None]
    rows = [row for row, _ in there]
    bits = _bits(size, rows)
    if kind == _AT:
        numbers = array("i", [0]) * size
        for row, item in there:
            numbers[row] = item
        return pa.Array.from_buffers(kind, size, [bits, pa.py_buffer(numbers)])
    texts = [item.encode("utf-8", "backslashreplace") for _, item in there]
    buffers = [bits, _offsets(size, rows, map(len, texts)), pa.py_buffer(b"".join(texts))]
    return pa.Array.from_buffers(kind, size, buffers)


@lru_cache(8)
def _one_each(size: int) -> Any:
    """Return the offsets of so many lists, each of which has one item."""
    return pa.array(range(size + 1), _AT)


def _call_structs(
    tools: Sequence[str | None], inputs: Sequence[Any], ids: Sequence[str | None]
) -> Any:
    return pa.StructArray.from_arrays(
        [_texts(tools), _texts(_json_texts(inputs)), _texts(ids)], fields=_CALL
    )


def _answers(answers: Sequence[Any]) -> Any:
    """Return an array of the texts of *answers*."""
    if answers.count(None) == len(answers) or {*map(type, answers)} <= {str, type(None)}:
        return _texts(answers)
    return _texts([each if each is None else _answer_text(each) for each in answers])


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
            return [*map(json_text, values)]
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
