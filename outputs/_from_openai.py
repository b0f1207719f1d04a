"""Messages from what OpenAI's APIs return, and from the many APIs made after them.

Chat Completions, whole or streamed (then with ``delta`` in place of ``message``)::

    {"object": "chat.completion", "model": "gpt-5", "choices": [{"finish_reason": "stop",
     "message": {"role": "assistant", "content": "Hello", "tool_calls": [...]}}], "usage": {...}}

Responses::

    {"object": "response", "model": "gpt-5", "usage": {...}, "output": [
     {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
     {"type": "function_call", "call_id": "1", "name": "search", "arguments": "{}"}]}

Source: https://platform.openai.com/docs/api-reference
"""

from __future__ import annotations

from typing import Any

from outputs._ai import AIMessage
from outputs._ai_chunks import AIMessageChunk
from outputs._call_args import calls_from_wire, chunks_from_wire
from outputs._from_anthropic import calls_in, without_none
from outputs._messages import (
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)

_CLASSES: dict[str, type[BaseMessage]] = {
    "assistant": AIMessage,
    "developer": SystemMessage,
    "function": FunctionMessage,
    "system": SystemMessage,
    "tool": ToolMessage,
    "user": HumanMessage,
}
_INPUT_DETAILS = {"audio": "audio_tokens", "cache_read": "cached_tokens"}
_OUTPUT_DETAILS = {"audio": "audio_tokens", "reasoning": "reasoning_tokens"}


def message_from_role(fields: dict[str, Any], **more: Any) -> BaseMessage:
    """Read one message of a conversation, known by its ``role``; another role is a `ChatMessage`.

    What our message has no field for goes to ``additional_kwargs``. Anthropic's messages of a
    conversation look the same, with their tool calls in the content.

    Args:
        fields: The message.
        more: Fields of our message that are known already.
    """
    message_class = _CLASSES.get(fields["role"], ChatMessage)
    names = {"content", "role", "name", "id"}
    if message_class is ToolMessage:
        names.add("tool_call_id")
    ours = without_none({name: value for name, value in fields.items() if name in names})
    rest = {
        name: value
        for name, value in fields.items()
        if name not in names and value not in (None, [], {})
    }
    content = ours.pop("content", "")
    if message_class is not ChatMessage:
        del ours["role"]
    if message_class is AIMessage and (calls := calls_in(content)):
        ours["tool_calls"] = calls
    return message_class(content, additional_kwargs=rest, **ours, **more)


def message_from_completion(fields: dict[str, Any]) -> BaseMessage:
    """Read the first choice of a chat completion.

    Raises:
        ValueError: There is no choice.
    """
    if not fields["choices"]:
        raise ValueError("the completion has no choices")
    choice = fields["choices"][0]
    return message_from_role(
        {"role": "assistant", **choice["message"], "id": fields.get("id")},
        response_metadata=_metadata(fields, choice),
        usage_metadata=_usage(fields, "prompt_tokens", "completion_tokens"),
    )


def chunk_from_completion(fields: dict[str, Any]) -> AIMessageChunk:
    """Read a piece of a streamed chat completion; the last may have a usage and no choice."""
    choice: dict[str, Any] = next(iter(fields["choices"]), {})
    delta = without_none(choice.get("delta") or {})
    content, calls = delta.pop("content", ""), delta.pop("tool_calls", [])
    delta.pop("role", None)
    return AIMessageChunk(
        content,
        additional_kwargs=delta,
        response_metadata=_metadata(fields, choice) if choice.get("finish_reason") else {},
        tool_call_chunks=chunks_from_wire(calls),
        usage_metadata=_usage(fields, "prompt_tokens", "completion_tokens"),
        id=fields.get("id"),
    )


def message_from_response(fields: dict[str, Any]) -> AIMessage:
    """Read what the Responses API returned; what is neither text nor a call stays a block."""
    blocks: list[str | dict[Any, Any]] = []
    entries = []
    for item in fields["output"]:
        if item["type"] == "message":
            blocks += [_text_block(part) for part in item["content"]]
        elif item["type"] == "function_call":
            function = {"name": item["name"], "arguments": item["arguments"]}
            entries.append({"id": item["call_id"], "function": function})
        else:
            blocks.append(item)
    calls, invalid = calls_from_wire(entries)
    return AIMessage(
        blocks,
        tool_calls=calls,
        invalid_tool_calls=invalid,
        response_metadata=_metadata(fields, {}),
        usage_metadata=_usage(fields, "input_tokens", "output_tokens"),
        id=fields.get("id"),
    )


def _text_block(part: dict[str, Any]) -> dict[str, Any]:
    return {**part, "type": "text"} if part["type"] == "output_text" else part


def _usage(fields: dict[str, Any], read: str, written: str) -> dict[str, Any] | None:
    """Return the usage of a reply, where the counts of tokens are called *read* and *written*."""
    usage = fields.get("usage")
    if not usage:
        return None
    found: dict[str, Any] = {
        "input_tokens": usage[read],
        "output_tokens": usage[written],
        "total_tokens": usage.get("total_tokens") or usage[read] + usage[written],
    }
    for ours, theirs, names in (
        ("input_token_details", f"{read}_details", _INPUT_DETAILS),
        ("output_token_details", f"{written}_details", _OUTPUT_DETAILS),
    ):
        details = usage.get(theirs) or {}
        if counts := without_none({name: details.get(key) for name, key in names.items()}):
            found[ours] = counts
    return found


def _metadata(fields: dict[str, Any], choice: dict[str, Any]) -> dict[str, Any]:
    return without_none(
        {
            "model_name": fields.get("model"),
            "system_fingerprint": fields.get("system_fingerprint"),
            "status": fields.get("status"),
            "finish_reason": choice.get("finish_reason"),
            "logprobs": choice.get("logprobs"),
        }
    )
