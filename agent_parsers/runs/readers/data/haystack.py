"""Haystack's chat messages: contents of texts, calls and results, each under its own key.

::

    [{"role": "user", "content": [{"text": "Which month has the most fog?"}]},
     {"role": "assistant", "content": [{"text": "I look it up."},
       {"tool_call": {"tool_name": "search", "arguments": {"query": "fog"}, "id": "c1"}}]},
     {"role": "tool", "content": [{"tool_call_result": {"result": "November",
       "origin": {"tool_name": "search", "id": "c1", …}, "error": false}}]},
     {"role": "assistant", "content": [{"text": "November."}]}]

Version 2.9 and before call the keys ``_role`` and ``_content``.

Source: ``haystack/dataclasses/chat_message.py`` of haystack-ai 2 and 3.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.readers.data.conversations import Form
from agent_parsers.runs.readers.data.messages import ROLES, evidence_of, read_messages
from agent_parsers.runs.readers.data.parts import call_of, result_of, text_of
from agent_parsers.runs.reading.reader import DataReader, Reading, Values
from agent_parsers.runs.reading.said import Said, SaidCall, SaidResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_PARTS: Final = frozenset(("text", "tool_call", "tool_call_result", "reasoning", "image", "file"))


def _said(message: Mapping[str, Any]) -> Said:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[SaidCall] = []
    results: list[SaidResult] = []
    left_out: list[str] = []
    role = ROLES[_field(message, "role")]
    for part in _field(message, "content"):
        [(kind, value)] = part.items()
        if kind == "text":
            texts.append(text_of(value))
        elif kind == "tool_call":
            calls.append(call_of(value))
        elif kind == "tool_call_result":
            origin = value.get("origin") or {}
            result = result_of(value["result"], origin.get("id"), origin.get("tool_name"))
            results.append(result)
        elif kind == "reasoning":
            thoughts.append(text_of(value.get("reasoning_text")))
        else:
            left_out.append(f"a part with {kind!r}")
    return Said(
        role,  # type: ignore[arg-type]
        "\n".join(texts),
        "\n".join(thoughts),
        calls,
        results,
        left_out=left_out,
    )


def _field(message: Mapping[str, Any], name: str) -> Any:
    return message[name] if name in message else message[f"_{name}"]


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role", value.get("_role")) not in ROLES:
        return False
    content = value.get("content", value.get("_content"))
    return isinstance(content, list) and all(
        isinstance(part, dict) and len(part) == 1 and not _PARTS.isdisjoint(part)
        for part in content
    )


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    messages = record.get("messages")
    return messages if isinstance(messages, list) else None


def _sign(message: Mapping[str, Any]) -> str:
    kinds = [kind for part in _field(message, "content") for kind in part]
    return f"a part with only {kinds[0]!r}" if kinds else ""


_FORM: Final = Form(_said, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, _sign)


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="haystack",
    summary="chat messages of Haystack",
    evidence=_evidence,
    read=_read,
)
