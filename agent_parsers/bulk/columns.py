"""The columns that tables of turns get, and how they are filled."""

from __future__ import annotations

import json
from functools import cached_property, lru_cache
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

    def put_turn(self, row: int, turn: Turn) -> None:
        """Put a row in its place."""
        if turn.repairs:
            self._repairs[row] = [(repair.kind, *repair.span) for repair in turn.repairs]
        calls: list[tuple[str, Any, str | None]] = []
        answer, result = None, turn.result
        if isinstance(result, AgentFinish):
            answer = _answer_text(result.output)
        else:
            for action in result if isinstance(result, list) else [result]:
                call_id = action.tool_call_id if isinstance(action, ToolAgentAction) else None
                calls.append((action.tool, action.tool_input, call_id))
        self._turns.put(row, calls, turn.thought, turn.content, answer)

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
        # imported lazily: it takes longer than a table without odd rows
        from pyarrow import compute

        return compute.if_else(self._is_unread, pa.scalar(None, _TEXT), text)

    @cached_property
    def _is_unread(self) -> Any:
        is_unread = [False] * self._size
        for row in self._unread:
            is_unread[row] = True
        return pa.array(is_unread)

    def _kinds(self, answers: Any) -> Any:
        if not answers.null_count:
            return self._of_read("answer")
        if answers.null_count == self._size and not self._unread:
            return self._of_read("action")
        kinds: list[str | None] = ["action"] * self._size
        if answers.null_count < self._size:
            kinds = ["action" if each is None else "answer" for each in self._turns.answers]
        for row, error in self._unread.items():
            kinds[row] = None if error is None else "error"
        return pa.array(kinds, _TEXT)

    def _calls(self) -> Any:
        tools, inputs, ids, counts = self._turns.calls()
        calls = _call_structs(tools, inputs, ids)
        if not counts:
            return pa.ListArray.from_arrays(_one_each(self._size), calls)
        return self._lists(counts, calls)

    def _all_repairs(self) -> Any:
        repairs = [each for row in sorted(self._repairs) for each in self._repairs[row]]
        counts = [0] * self._size
        for row, found in self._repairs.items():
            counts[row] = len(found)
        return self._lists(counts, _structs([*zip(*repairs, strict=True)] or [()] * 3, _REPAIR))

    def _lists(self, counts: Sequence[int], items: Any) -> Any:
        """Return lists of so many *items* each, and no lists for rows that were not read."""
        offsets = pa.repeat(pa.scalar(0, _AT), self._size + 1)
        if len(items):
            from pyarrow import compute  # lazily, as above

            offsets = compute.cumulative_sum(pa.array(counts, _AT))
            offsets = pa.concat_arrays([pa.array([0], _AT), offsets])
        mask = self._is_unread if self._unread else None
        return pa.ListArray.from_arrays(offsets, items, mask=mask)

    def _errors(self) -> Any:
        errors = {row: error for row, error in self._unread.items() if error is not None}
        if not errors:
            return pa.nulls(self._size, pa.struct(_ERROR))
        at: list[int | None] = [None] * self._size
        for number, row in enumerate(errors):
            at[row] = number
        return _structs([*zip(*errors.values(), strict=True)], _ERROR).take(pa.array(at, _AT))


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
    if {*map(type, answers)} <= {str, type(None)}:
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
