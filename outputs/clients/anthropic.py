r"""Messages from Anthropic's Messages API, whole or streamed.

::

    {"type": "message", "role": "assistant", "model": "claude-5", "stop_reason": "tool_use",
     "content": [{"type": "text", "text": "Hello"},
                 {"type": "tool_use", "id": "1", "name": "search", "input": {"query": "rain"}}],
     "usage": {"input_tokens": 5, "output_tokens": 7}}

A stream starts each content block and then continues it by its index::

    {"type": "content_block_start", "index": 1, "content_block":
     {"type": "tool_use", "id": "1", "name": "search", "input": {}}}
    {"type": "content_block_delta", "index": 1, "delta":
     {"type": "input_json_delta", "partial_json": "{\"query\": \"ra"}}

Source: https://docs.anthropic.com/en/api/messages
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from outputs.clients import streamed as streamed
from outputs.clients.late_fields import noted, noted_calls
from outputs.clients.openai import calls_in_blocks, message_from_role
from outputs.clients.plain_data import content_of, in_order, place, without_none
from outputs.clients.unread_calls import calls_beside, unread_call
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.tool import tool_call_chunk

if TYPE_CHECKING:
    from outputs.messages.base import BaseMessage

_KNOWN = ("message_", "content_block_", "ping")
"""The prefixes of event types, including types that are not known yet."""

_DERIVED = frozenset(("citation", "input_json", "text", "thinking"))
"""Events that the client library derives from deltas, which it delivers as events as well."""


def read(kind: str, fields: dict[str, Any]) -> BaseMessage | None:
    """Return the message in *fields*, whose ``type`` is *kind*; `None` if it is another API's."""
    if kind == "message":
        if (role := fields.get("role") or "assistant") != "assistant":
            return message_from_role({"role": role, "content": fields["content"]})
        return message_from_anthropic(fields)
    if kind in _EVENTS:
        return _EVENTS[kind](fields)
    is_derived = kind == "signature" or (kind in _DERIVED and "snapshot" in fields)
    return AIMessageChunk([]) if is_derived or kind.startswith(_KNOWN) else None


def message_from_anthropic(fields: dict[str, Any]) -> AIMessage:
    """Convert a message. Content that consists of one text block becomes a string."""
    content = fields["content"]
    blocks = [_block(block) for block in content]
    return AIMessage(
        content_of(blocks),
        **calls_in_blocks(blocks),
        additional_kwargs=calls_beside(fields),
        response_metadata=_metadata(fields),
        usage_metadata=_usage(fields.get("usage")),
        id=fields.get("id"),
    )


def _block(block: dict[str, Any]) -> dict[str, Any]:
    """Return *block* as the server sent it, without what the client library added."""
    known = in_order(block).items()
    return {name: value for name, value in known if name != "parsed_output"}


def _metadata(fields: dict[str, Any]) -> dict[str, Any]:
    return without_none(
        {
            "model_name": fields.get("model"),
            "stop_reason": fields.get("stop_reason"),
            "stop_sequence": fields.get("stop_sequence"),
            "stop_details": fields.get("stop_details"),
        }
    )


def _usage(usage: dict[str, Any] | None) -> dict[str, Any] | None:
    """Convert usage; tokens written to or read from the cache count as input tokens."""
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


def _message_start(event: dict[str, Any]) -> AIMessageChunk:
    # The last event has the total of output tokens; counting them here would add them twice.
    message = event["message"]
    if (role := message.get("role") or "assistant") != "assistant":
        raise ValueError(f"expected a message with the role 'assistant', found the role {role!r}")
    usage = message.get("usage") and {**message["usage"], "output_tokens": 0}
    content = message.get("content")
    blocks = content if isinstance(content, list) else []
    # Calls belong in events of their own: one that does not come in these is left over.
    return AIMessageChunk(
        [_block(block) for block in blocks if unread_call([block]) or _has_text(block)],
        additional_kwargs=noted_calls(message),
        response_metadata=_metadata(message),
        usage_metadata=_usage(usage),
        id=message.get("id"),
    )


def _has_text(block: Any) -> bool:
    texts = (block.get("text"), block.get("thinking")) if isinstance(block, dict) else ()
    return any(isinstance(text, str) and text for text in texts)


def _message_delta(event: dict[str, Any]) -> AIMessageChunk:
    usage = event.get("usage") and {"output_tokens": event["usage"].get("output_tokens")}
    return AIMessageChunk(
        [],
        additional_kwargs=noted_calls({**event, **event["delta"]}),
        response_metadata=_metadata(event["delta"]),
        usage_metadata=_usage(usage),
    )


def _block_start(event: dict[str, Any]) -> AIMessageChunk:
    index, block = event["index"], _block(event["content_block"])
    calls = []
    if block["type"] == "tool_use":
        given = block.get("input")
        arguments = json.dumps(given, ensure_ascii=False) if given else ""
        arguments = given if isinstance(given, str) else arguments  # as some servers send it
        calls = [tool_call_chunk(name=block["name"], args=arguments, id=block["id"], index=index)]
    if block["type"] == "thinking" and not block.get("signature"):
        block.pop("signature", None)
    return AIMessageChunk([{**block, "index": place(index)}], tool_call_chunks=calls)


def _block_delta(event: dict[str, Any]) -> AIMessageChunk:
    index, delta = event["index"], event["delta"]
    kind = delta["type"]
    calls = []
    if kind == "text_delta":
        block = {"type": "text", "text": delta["text"]}
    elif kind == "input_json_delta":
        block = {"type": "tool_use", "partial_json": delta["partial_json"]}
        calls = [tool_call_chunk(args=delta["partial_json"], index=index)]
    elif kind == "thinking_delta":
        block = {"type": "thinking", "thinking": delta["thinking"]}
    elif kind == "signature_delta":
        block = {"type": "thinking", "signature": delta["signature"]}
    elif kind == "citations_delta":
        block = {"type": "text", "citations": [delta["citation"]]}
    else:
        said = {name: part for name, part in delta.items() if name != "type"}
        is_text = any(isinstance(part, str) and part.strip() for part in said.values())
        return noted(unread=[[index, kind]]) if is_text else AIMessageChunk([])
    return AIMessageChunk([{**block, "index": place(index)}], tool_call_chunks=calls)


def _block_stop(event: dict[str, Any]) -> AIMessageChunk:
    block = event.get("content_block")  # the client library adds it
    is_call = not isinstance(block, dict) or block.get("type") == "tool_use"
    return noted(closed=[event["index"]]) if is_call else AIMessageChunk([])


_EVENTS: dict[str, Callable[[dict[str, Any]], AIMessageChunk]] = {
    "message_start": _message_start,
    "message_delta": _message_delta,
    "content_block_start": _block_start,
    "content_block_delta": _block_delta,
    "content_block_stop": _block_stop,
}
"""The events that carry content, usage or metadata, or end a block."""
