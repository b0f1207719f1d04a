"""What a row of a table of turns must be: what `read` gives for its text."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentFinish, OutputParserException
from outputs.json_form.values import read_value

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers import DialectParser, MultiActionDialectParser

    AnyParser = DialectParser | MultiActionDialectParser

NOTHING = dict.fromkeys(("kind", "thought", "content", "calls", "answer", "error", "repairs"))


def row_of(parser: AnyParser, text: str | None) -> dict[str, Any]:
    """Return the columns of a *text*, with inputs as they are instead of as JSON."""
    if text is None:
        return NOTHING
    try:
        turn = parser.read(text)
    except OutputParserException as error:
        start, end = error.span or (None, None)
        place = {"start": start, "end": end, "line": error.line, "column": error.column}
        said = {"reason": utf8(error.reason), "observation": utf8(error.observation)}
        return {**NOTHING, "kind": "error", "error": said | place}
    row = {"thought": utf8(turn.thought), "content": utf8(turn.content), "error": None}
    row["repairs"] = [
        {"kind": each.kind, "start": each.span[0], "end": each.span[1]} for each in turn.repairs
    ]
    if isinstance(turn.result, AgentFinish):
        output = turn.result.return_values["output"]
        answer = utf8(output) if isinstance(output, str) else data(output)
        return {**row, "kind": "answer", "answer": answer, "calls": []}
    actions = turn.result if isinstance(turn.result, list) else [turn.result]
    calls = [
        {
            "tool": utf8(action.tool),
            "input": data(action.tool_input),
            "id": utf8(getattr(action, "tool_call_id", None)),
        }
        for action in actions
    ]
    return {**row, "kind": "action", "answer": None, "calls": calls}


def utf8(text: str | None) -> str | None:
    """Return what a column of Arrow has of a *text*."""
    return text and text.encode("utf-8", "backslashreplace").decode()


class Data(str):
    """Data in a form that can be compared, NaN included."""

    __slots__ = ()


def data(value: Any) -> Data:
    """Return data as it is after it was written as JSON."""
    return Data(repr(json.loads(json.dumps(value))))


def check_rows(parser: AnyParser, texts: Iterable[str | None], rows: list[dict[str, Any]]) -> None:
    """Fail if *rows* are not what the *parser* reads in *texts*."""
    for text, row in zip(texts, rows, strict=True):
        want = row_of(parser, text)
        found = {key: row[key] for key in want}
        for call in found["calls"] or ():
            call["input"] = repr(read_value(json.loads(call["input"])))
        if isinstance(want["answer"], Data):
            found["answer"] = repr(read_value(json.loads(found["answer"])))
        assert found == want, text
