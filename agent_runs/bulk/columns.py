"""The columns that tables of turns get, and how they are filled."""

from __future__ import annotations

import json
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from pydantic_core import PydanticSerializationError, to_json

from agent_parsers import AgentFinish, ToolAgentAction
from agent_parsers.core import PlainTurn, as_data
from agent_runs.bulk.arrow import pa
from outputs.json_form import Misfit, write_value

if TYPE_CHECKING:
    from collections.abc import Iterable, Sequence

    from agent_parsers import Turn
    from agent_parsers.core import PlainCall
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
- ``answer``: The final answer; as JSON if it is not a string.
- ``error``: What `OutputParserException` has: ``reason``, ``observation``, ``start``, ``end``,
  ``line``, ``column``.
- ``repairs``: Each with ``kind``, ``start``, ``end``.

What a row does not have is null: a row with an error has only that, a null text has nothing. All
others have both lists, which may be empty. A lone surrogate, which Arrow cannot hold, is written as
an escape such as ``\ud800``.
"""


def json_text(value: Any) -> str:
    """Return *value* as JSON text, in which lone surrogates are kept."""
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
    """Collects the rows of a table, and returns them as the arrays of `TURN_FIELDS`.

    A row that could not be read has only a kind and an error, and an empty row has no values. In
    all other rows the lists are present, though they may be empty.
    """

    def __init__(self) -> None:
        self._kinds: list[str | None] = []
        self._thoughts: list[str | None] = []
        self._contents: list[str | None] = []
        self._answers: list[Any] = []
        self._calls: list[PlainCall] = []  # of all rows, as are the repairs
        self._call_ends: list[int | None] = [0]  # how many calls there are up to each row
        self._repairs: list[tuple[Any, ...]] = []
        self._repair_ends: list[int | None] = [0]
        self._errors: list[dict[str, Any] | None] = []

    def put_nothing(self) -> None:
        """Add an empty row, for a record without a text."""
        self._put_unread(None, None)

    def put_error(self, error: OutputParserException) -> None:
        """Add a row for a text that could not be read."""
        start, end = error.span or (None, None)
        values = (error.reason, error.observation, start, end, error.line, error.column)
        names = (field.name for field in _ERROR)
        self._put_unread("error", dict(zip(names, map(_fit, values), strict=True)))

    def put(self, turn: PlainTurn) -> None:
        """Add a row for a turn that was read as a plain tuple."""
        calls, thought, content, answer, repairs = turn
        self._kinds.append("action" if calls else "answer")
        self._thoughts.append(thought)
        self._contents.append(content)
        self._answers.append(answer)
        self._calls += calls
        self._call_ends.append(len(self._calls))
        if repairs:
            self._repairs += ((repair.kind, *repair.span) for repair in repairs)
        self._repair_ends.append(len(self._repairs))
        self._errors.append(None)

    def put_turn(self, turn: Turn) -> None:
        """Add a row for a `Turn`."""
        calls: list[PlainCall] = []
        answer, result = None, turn.result
        if isinstance(result, AgentFinish):
            answer = _answer_text(result.output)
        else:
            for action in result if isinstance(result, list) else [result]:
                call_id = action.tool_call_id if isinstance(action, ToolAgentAction) else None
                calls.append((action.tool, action.tool_input, call_id))
        self.put(PlainTurn(calls, turn.thought, turn.content, answer, turn.repairs))

    def _put_unread(self, kind: str | None, error: dict[str, Any] | None) -> None:
        self._kinds.append(kind)
        for column in (self._thoughts, self._contents, self._answers):
            column.append(None)
        # A null start offset makes the list null; the next list starts at the same offset.
        self._call_ends[-1:] = (None, len(self._calls))
        self._repair_ends[-1:] = (None, len(self._repairs))
        self._errors.append(error)

    def arrays(self) -> list[Any]:
        """Return all rows as arrays, one for each of `TURN_FIELDS`."""
        tools, inputs, ids = zip(*self._calls, strict=True) if self._calls else ((), (), ())
        calls = [_texts(tools), _texts(_json_texts(inputs)), _texts(ids)]
        repairs = [*zip(*self._repairs, strict=True)] or [()] * 3
        return [
            _texts(self._kinds),
            _texts(self._thoughts),
            _texts(self._contents),
            _lists(self._call_ends, calls, _CALL),
            _answers(self._answers),
            pa.array(self._errors, pa.struct(_ERROR)),
            _lists(self._repair_ends, map(pa.array, repairs, (_TEXT, _AT, _AT)), _REPAIR),
        ]


def _fit(value: Any) -> Any:
    return _escaped(value) if isinstance(value, str) else value


def _lists(ends: list[int | None], columns: Iterable[Any], fields: list[Any]) -> Any:
    """Return an array of lists of structs with these *columns*, given where each list ends."""
    structs = pa.StructArray.from_arrays([*columns], fields=fields)
    return pa.ListArray.from_arrays(pa.array(ends, _AT), structs)


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
