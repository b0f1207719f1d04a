"""Messages of pydantic-ai: requests and responses made of parts.

::

    [{"kind": "request", "parts": [
       {"part_kind": "user-prompt", "content": "Which month has the most fog?"}]},
     {"kind": "response", "parts": [{"part_kind": "text", "content": "I look it up."},
       {"part_kind": "tool-call", "tool_name": "search", "args": {…}, "tool_call_id": "c1"}]},
     {"kind": "request", "parts": [
       {"part_kind": "tool-return", "content": "November", "tool_call_id": "c1"}]},
     {"kind": "response", "parts": [{"part_kind": "text", "content": "November."}]}]

Arguments are an object or JSON text. What is wrong with a call comes back as a ``retry-prompt``.
The call of an output tool, such as ``final_result``, is the answer.

Source: ``pydantic_ai/messages.py`` of pydantic-ai 0.1 to 2.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.readers.data.conversations import Form
from agent_parsers.runs.readers.data.messages import evidence_of, read_messages
from agent_parsers.runs.readers.data.parts import call_of, content_of, result_of, text_of
from agent_parsers.runs.reading.reader import DataReader, Reading, Values
from agent_parsers.runs.reading.said import Said, SaidCall, SaidResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_KINDS: Final = ("request", "response")
_OUTPUT: Final = "final_result"
"""How the names of output tools begin."""


def _said(message: Mapping[str, Any]) -> Said:
    return _response(message) if message["kind"] == "response" else _request(message)


def _request(message: Mapping[str, Any]) -> Said:
    asked: list[str] = []
    system: list[str] = []
    results: list[SaidResult] = []
    left_out: list[str] = []
    for part in message["parts"]:
        kind, content = part["part_kind"], part.get("content")
        if str(part.get("tool_name")).startswith(_OUTPUT):
            left_out.append(f"what an output tool returned: {text_of(content)}")
        elif kind == "tool-return" or (kind == "retry-prompt" and part.get("tool_name")):
            results.append(result_of(content, part.get("tool_call_id"), part.get("tool_name")))
        elif kind == "system-prompt":
            system.append(text_of(content))
        elif kind in ("user-prompt", "retry-prompt"):
            found = content_of(content) if kind == "user-prompt" else None
            asked += found.texts if found else [text_of(content)]
            left_out += found.left_out if found else ()
        else:
            left_out.append(f"a part of kind {kind!r}")
    role = "user" if asked else "tool" if results else "system"
    texts = asked or system
    return Said(
        role,  # type: ignore[arg-type]
        "\n".join(texts),
        results=results,
        left_out=left_out,
    )


def _response(message: Mapping[str, Any]) -> Said:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[SaidCall] = []
    results: list[SaidResult] = []
    left_out: list[str] = []
    for part in message["parts"]:
        kind, content = part["part_kind"], part.get("content")
        if kind == "tool-call" and str(part.get("tool_name")).startswith(_OUTPUT):
            texts.append(text_of(call_of(part).tool_input))
        elif kind in ("tool-call", "builtin-tool-call"):
            calls.append(call_of(part))
        elif kind == "builtin-tool-return":
            results.append(result_of(content, part.get("tool_call_id")))
        elif kind in ("text", "thinking"):
            (texts if kind == "text" else thoughts).append(text_of(content))
        else:
            left_out.append(f"a part of kind {kind!r}")
    return Said("assistant", "".join(texts), "\n".join(thoughts), calls, results, left_out=left_out)


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and value.get("kind") in _KINDS
        and isinstance(value.get("parts"), list)
        and all(isinstance(part, dict) and "part_kind" in part for part in value["parts"])
    )


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    for name in ("messages", "message_history", "all_messages"):
        if isinstance(messages := record.get(name), list):
            return messages
    return None


_FORM: Final = Form(_said, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, lambda message: f"'kind' {message['kind']!r} and 'part_kind'")


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="pydantic_ai",
    summary="messages of pydantic-ai",
    evidence=_evidence,
    read=_read,
)
