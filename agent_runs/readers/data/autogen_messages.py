r"""Messages of a result of AutoGen's AgentChat.

::

    [{"source": "user", "content": "Which month has the most fog?", "type": "TextMessage"},
     {"source": "planner", "content": "I look it up.", "type": "ThoughtEvent"},
     {"source": "planner", "type": "ToolCallRequestEvent", "content": [
       {"id": "c1", "name": "search", "arguments": "{\"query\": \"fog\"}"}]},
     {"source": "planner", "type": "ToolCallExecutionEvent", "content": [
       {"content": "November", "name": "search", "call_id": "c1", "is_error": false}]},
     {"source": "planner", "content": "November.", "type": "TextMessage"}]

A ``ToolCallSummaryMessage`` repeats the last results, where the agent does not reflect on them: it
is no answer.

Source: ``autogen_agentchat/messages.py`` of autogen-agentchat 0.4 to 0.7.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from agent_runs.reading.messages import MessageFormat, evidence_of, read_messages
from agent_runs.reading.parts import call_of, content_of, result_of, text_of
from agent_runs.reading.reader import DataReader
from agent_runs.reading.said import Said

_TEXTS: Final = frozenset(("TextMessage", "MultiModalMessage", "StructuredMessage"))
_REPEATED: Final = frozenset(("ToolCallSummaryMessage", "ModelClientStreamingChunkEvent"))
"""What only repeats others."""


def _said(message: Mapping[str, Any]) -> Said | None:
    kind, content = message["type"], message["content"]
    if kind == "ToolCallRequestEvent":
        return Said("assistant", calls=[call_of(call) for call in content])
    if kind == "ToolCallExecutionEvent":
        results = [
            result_of(
                result["content"], result.get("call_id"), result.get("name"), result.get("is_error")
            )
            for result in content
        ]
        return Said("tool", results=results)
    if kind in _REPEATED:
        return None
    if kind == "ThoughtEvent":
        return Said("assistant", thought=text_of(content))
    is_text = kind in _TEXTS or kind.startswith("StructuredMessage")
    if not is_text:
        return Said("tool", left_out=(f"a message of type {kind!r}: {text_of(content)}",))
    found = content_of(content) if isinstance(content, list) else None
    return Said(
        "user" if message["source"] == "user" else "assistant",
        "\n".join(found.texts) if found else text_of(content),
        left_out=found.left_out if found else (),
    )


def _is_message(value: Any) -> bool:
    kind = value.get("type") if isinstance(value, dict) else None
    return (
        isinstance(kind, str)
        and "source" in value
        and "content" in value
        and kind.partition("[")[0].endswith(("Message", "Event"))
    )


_FORM: Final = MessageFormat(_said, _is_message)


READER: Final = DataReader(
    name="autogen_messages",
    summary="messages of AutoGen's AgentChat, as in a TaskResult",
    evidence=partial(
        evidence_of, form=_FORM, sign=lambda message: f"'source' and type {message['type']!r}"
    ),
    read=partial(read_messages, form=_FORM),
)
