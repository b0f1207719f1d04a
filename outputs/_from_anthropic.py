"""Messages from what Anthropic's Messages API returns.

::

    {"type": "message", "role": "assistant", "model": "claude-5", "stop_reason": "tool_use",
     "content": [{"type": "text", "text": "Hello"},
                 {"type": "tool_use", "id": "1", "name": "search", "input": {"query": "rain"}}],
     "usage": {"input_tokens": 5, "output_tokens": 7}}

Source: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from outputs._ai import AIMessage
from outputs._tool_calls import ToolCall, tool_call

if TYPE_CHECKING:
    from outputs._content import Content


def message_from_anthropic(fields: dict[str, Any]) -> AIMessage:
    """Read a message. Content that is nothing but one text becomes text."""
    blocks = [without_none(block) for block in fields["content"]]
    is_text = len(blocks) == 1 and blocks[0].keys() == {"type", "text"}
    content: Content = blocks[0]["text"] if is_text else [*blocks]
    metadata = {
        "model_name": fields.get("model"),
        "stop_reason": fields.get("stop_reason"),
        "stop_sequence": fields.get("stop_sequence"),
    }
    return AIMessage(
        content,
        tool_calls=calls_in(blocks),
        response_metadata=without_none(metadata),
        usage_metadata=_usage(fields.get("usage")),
        id=fields.get("id"),
    )


def calls_in(content: Any) -> list[ToolCall]:
    """Return the tool calls among the blocks of *content*, which may also be text."""
    return [
        tool_call(name=block["name"], args=block["input"], id=block["id"])
        for block in content
        if isinstance(block, dict) and block.get("type") == "tool_use"
    ]


def without_none(fields: dict[str, Any]) -> dict[str, Any]:
    """Return *fields* without those that are `None`."""
    return {key: value for key, value in fields.items() if value is not None}


def _usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Read usage; tokens written to the cache or found in it are input tokens too."""
    if not usage:
        return None
    cache = {
        "cache_creation": usage.get("cache_creation_input_tokens") or 0,
        "cache_read": usage.get("cache_read_input_tokens") or 0,
    }
    tokens_in = (usage.get("input_tokens") or 0) + sum(cache.values())
    tokens_out = usage.get("output_tokens") or 0
    found: dict[str, Any] = {
        "input_tokens": tokens_in,
        "output_tokens": tokens_out,
        "total_tokens": tokens_in + tokens_out,
    }
    return {**found, "input_token_details": cache} if any(cache.values()) else found
