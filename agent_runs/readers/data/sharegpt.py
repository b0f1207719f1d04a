r"""ShareGPT conversations, a common form of data for fine-tuning.

::

    {"conversations": [
      {"from": "human", "value": "Which month has the most fog?"},
      {"from": "function_call", "value": "{\"name\": \"search\", \"arguments\": {…}}"},
      {"from": "observation", "value": "November"},
      {"from": "gpt", "value": "November."}], "system": "…", "tools": "[…]"}

LLaMA-Factory has calls and results as messages of their own. Others have calls as text of ``gpt``,
such as Hermes' ``<tool_call>``, and results from ``tool``; a dialect reads them.

Source: the data formats of LLaMA-Factory; NousResearch/hermes-function-calling-v1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from agent_parsers import OutputParserException
from agent_runs.reading.messages import MessageFormat, evidence_of, read_messages
from agent_runs.reading.parts import call_of, result_of
from agent_runs.reading.reader import DataReader
from agent_runs.reading.said import Said
from agent_runs.reading.unread import take_unread

_ROLES: Final = {
    "system": "system", "human": "user", "user": "user", "gpt": "assistant", "chatgpt": "assistant",
    "bard": "assistant", "bing": "assistant", "assistant": "assistant", "model": "assistant",
    "observation": "tool", "tool": "tool", "function_response": "tool", "ipython": "tool",
    "function_call": "call", "function-call": "call", "tool_call": "call",
}  # fmt: skip


def _said(message: Mapping[str, Any]) -> Said:
    said = _read(message)
    take_unread(said, message, ("from", "value"))
    return said


def _read(message: Mapping[str, Any]) -> Said:
    role, value = _ROLES[message["from"]], message["value"]
    if role == "call":
        return _calls(value)
    if not isinstance(value, str):
        raise TypeError(f"'value' is {type(value).__name__}, not a string")
    if role == "tool":
        return Said("tool", results=(result_of(value),))
    return Said(role, value)  # type: ignore[arg-type]


def _calls(value: Any) -> Said:
    """Return the calls in the *value* of a message: JSON of one, or of a list."""
    try:
        calls = json.loads(value) if isinstance(value, str) else value
        calls = calls if isinstance(calls, list) else [calls]
        return Said("assistant", calls=[call_of(call) for call in calls])
    except (AttributeError, KeyError, TypeError, ValueError) as error:
        reason = f"expected a call as JSON, with a name and arguments: {error}"
        failed = OutputParserException(
            reason, observation="Write a call as JSON.", llm_output=str(value)
        )
        return Said("tool", error=failed)


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    messages = record.get("conversations", record.get("conversation"))
    if not isinstance(messages, list):
        return None
    system = record.get("system")
    head = [{"from": "system", "value": system}] if isinstance(system, str) and system else []
    return [*head, *messages]


def _is_message(value: Any) -> bool:
    return isinstance(value, dict) and value.get("from") in _ROLES and "value" in value


_FORM: Final = MessageFormat(_said, _is_message, _messages_of)


READER: Final = DataReader(
    name="sharegpt",
    summary="ShareGPT conversations: LLaMA-Factory's, or with calls in the model's text",
    evidence=partial(
        evidence_of, form=_FORM, sign=lambda message: f"'from' {message['from']!r} and 'value'"
    ),
    read=partial(read_messages, form=_FORM),
)
