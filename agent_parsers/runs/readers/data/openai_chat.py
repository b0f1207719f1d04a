r"""Messages of OpenAI's Chat Completions API, as most tools and data sets store them.

::

    {"messages": [
      {"role": "user", "content": "Which month has the most fog?"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "search", "arguments": "{\"query\": \"fog\"}"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "November"},
      {"role": "assistant", "content": "November."}]}

A file holds a list of messages, the body of a request with its messages, or the same with the
answer of a proxy beside it (``{"request": …, "response": …}``), one object or one a line, as for
fine-tuning.

Source: platform.openai.com/docs/api-reference/chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.readers.reader import DataReader, Reading, Values
from agent_parsers.runs.said import Said, SaidCall, SaidResult, runs_of_messages
from outputs.growing_json.arguments import read_arguments

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence

    from agent_parsers.runs.transcript import Transcript

_ROLES: Final = {
    "system": "system", "developer": "system", "user": "user", "assistant": "assistant",
    "tool": "tool", "function": "tool",
}  # fmt: skip


def _messages_of(value: Any) -> list[Any] | None:
    """Return the messages in an object; `None` if it has none."""
    if not isinstance(value, dict):
        return None
    messages = value.get("messages")
    if isinstance(messages, list):
        return messages
    asked = _messages_of(value.get("request"))
    if asked is None:
        return None
    choices = (value.get("response") or {}).get("choices") or []
    return asked + [choice["message"] for choice in choices[:1] if choice.get("message")]


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    messages = values
    where = "message"
    if values and (within := _messages_of(values[0])) is not None:
        messages, where = within, "message of 'messages'"
    for number, message in enumerate(messages, 1):
        if not isinstance(message, dict) or message.get("role") not in _ROLES:
            return ()
        calls = message.get("tool_calls")
        if isinstance(calls, list) and calls and "function" in calls[0]:
            return (f"'role', and 'tool_calls' with 'function', in {where} {number}",)
    return ()


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    loose: list[Any] = []
    for value in values:
        messages = _messages_of(value.data)
        if messages is not None:
            said = reading.converted(_said, messages, line=value.line)
            yield from runs_of_messages(said, reading.at(value.line))
        elif isinstance(value.data, dict) and "role" in value.data:
            loose.append(value.data)
        else:
            reading.refuse("expected a message, or an object with messages", line=value.line)
    if loose:
        yield from runs_of_messages(reading.converted(_said, loose), reading)


def _said(message: Mapping[str, Any]) -> Said:
    role = _ROLES[message["role"]]
    text = _text(message.get("content"))
    if role == "tool":
        result = SaidResult(text, message.get("tool_call_id") or "", message.get("name") or "")
        return Said("tool", results=(result,))
    return Said(
        role,  # type: ignore[arg-type]
        text,
        message.get("reasoning_content") or "",
        tuple(_calls(message.get("tool_calls") or ())),
    )


def _calls(calls: Iterable[Mapping[str, Any]]) -> Iterator[SaidCall]:
    for call in calls:
        function = call["function"]
        arguments = function["arguments"]
        if isinstance(arguments, str):
            arguments = read_arguments(arguments)
        yield SaidCall(function["name"], arguments, call.get("id") or "")


def _text(content: Any) -> str:
    if isinstance(content, list):
        return "\n".join(part.get("text") or "" for part in content)
    return content or ""


READER: Final = DataReader(
    name="openai_chat",
    summary="messages of OpenAI's Chat Completions API: lists, requests, fine-tuning files",
    evidence=_evidence,
    read=_read,
)
