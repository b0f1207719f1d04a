"""Writing a reply in the form of Anthropic's Messages API.

::

    event: message_start
    data: {"type": "message_start", "message": {"id": "msg_1", "content": [], …}}

    event: content_block_start
    data: {"type": "content_block_start", "index": 0,
           "content_block": {"type": "text", "text": ""}}

    event: content_block_delta
    data: {"type": "content_block_delta", "index": 0,
           "delta": {"type": "text_delta", "text": "217 m"}}

and ``content_block_stop``; at the end ``message_delta`` and ``message_stop``.

Source: https://docs.anthropic.com/en/docs/build-with-claude/streaming; ``anthropic`` 2.14.0,
``lib/streaming/_messages.py``.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from agent_serving.serve.faces.blocks import BlockWriter
from agent_serving.serve.faces.opaque_thoughts import seal

if TYPE_CHECKING:
    from agent_serving.serve.exchange.events import (
        Asked,
        ReplyCall,
        ReplyEnd,
        ReplyFailure,
        ServerEvent,
    )
    from agent_serving.serve.faces.blocks import SaidKind
    from outputs import UsageMetadata

_TYPES: Final = {
    401: "authentication_error", 402: "billing_error", 403: "permission_error",
    404: "not_found_error", 413: "request_too_large", 429: "rate_limit_error",
    503: "overloaded_error", 504: "timeout_error", 529: "overloaded_error",
}  # fmt: skip
_REASONS: Final = {"length": "max_tokens", "content_filter": "refusal"}
"""The reasons that say more than what the message has."""
_SERVER: Final = 500
"""The first status that says that the server is at fault."""


def error_body(failed: ReplyFailure) -> dict[str, Any]:
    """Return the body of an error in place of a reply, or of its rest."""
    usual = "api_error" if failed.status >= _SERVER else "invalid_request_error"
    said = {"type": _TYPES.get(failed.status, usual), "message": failed.message}
    return {"type": "error", "error": said}


class MessagesWriter(BlockWriter):
    """Writes a message; see `ReplyWriter`."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        self._is_hidden: Final = asked.echoed.get("display") == "omitted"
        self._content: list[dict[str, Any]] = []
        self._text: list[str] = []  # of the open block
        self._message: Final[dict[str, Any]] = {
            "id": f"msg_{uuid4().hex}",
            "type": "message",
            "role": "assistant",
            "model": asked.model,
            "content": [],
            "stop_reason": None,
            "stop_sequence": None,
            "usage": _usage(None),
        }

    def begin(self) -> list[ServerEvent]:
        """Return the event of a message without content."""
        return [_event("message_start", message=self._message)]

    def _start(self, kind: SaidKind) -> list[ServerEvent]:
        block = {"type": "text", "text": ""}
        if kind == "thought":
            block = {"type": "thinking", "thinking": "", "signature": ""}
        self._text = []
        return [self._block_event("content_block_start", content_block=block)]

    def _add(self, kind: SaidKind, text: str) -> list[ServerEvent]:
        self._text.append(text)
        if kind == "content":
            return [self._delta("text_delta", text=text)]
        return [] if self._is_hidden else [self._delta("thinking_delta", thinking=text)]

    def _stop(self, kind: SaidKind) -> list[ServerEvent]:
        text = "".join(self._text)
        if kind == "content":
            return self._end_block({"type": "text", "text": text})
        shown, kept = ("", text) if self._is_hidden else (text, "")
        signature = seal(kept)
        signed = self._delta("signature_delta", signature=signature)
        block = {"type": "thinking", "thinking": shown, "signature": signature}
        return [signed, *self._end_block(block)]

    def _call(self, called: ReplyCall) -> list[ServerEvent]:
        block = {"type": "tool_use", "id": called.id, "name": called.name, "input": {}}
        started = self._block_event("content_block_start", content_block=block)
        delta = self._delta("input_json_delta", partial_json=called.arguments)
        whole = {**block, "input": json.loads(called.arguments)}
        return [started, delta, *self._end_block(whole)]

    def end(self, ended: ReplyEnd) -> list[ServerEvent]:
        """Return the events that end the message, with the stop reason and the number of tokens."""
        events = self._close()
        stop = ended.stop if self._reason(ended) == "stop_sequence" else None
        delta = {"stop_reason": self._reason(ended), "stop_sequence": stop}
        usage = _usage(ended.usage)
        self._message.update(content=self._content, usage=usage, **delta)
        return [*events, _event("message_delta", delta=delta, usage=usage), _event("message_stop")]

    def fail(self, failed: ReplyFailure) -> list[ServerEvent]:
        """Return the event that makes the client raise an error."""
        return [("error", json.dumps(error_body(failed)))]

    @property
    def whole(self) -> dict[str, Any]:
        """The whole message."""
        return self._message

    def _reason(self, ended: ReplyEnd) -> str:
        """Return why the message ended; one that was cut says so, whatever calls it has."""
        if ended.reason in _REASONS:
            return _REASONS[ended.reason]
        if any(block["type"] == "tool_use" for block in self._content):
            return "tool_use"
        return "end_turn" if ended.stop is None else "stop_sequence"

    def _end_block(self, block: dict[str, Any]) -> list[ServerEvent]:
        stopped = self._block_event("content_block_stop")
        self._content.append(block)
        return [stopped]

    def _delta(self, kind: str, **parts: str) -> ServerEvent:
        return self._block_event("content_block_delta", delta={"type": kind, **parts})

    def _block_event(self, kind: str, **fields: Any) -> ServerEvent:
        return _event(kind, index=len(self._content), **fields)


def _event(kind: str, **fields: Any) -> ServerEvent:
    return kind, json.dumps({"type": kind, **fields})


def _usage(usage: UsageMetadata | None) -> dict[str, int]:
    """Return the tokens; those of the cache do not count as input here."""
    if usage is None:
        return {"input_tokens": 0, "output_tokens": 0}
    details = usage.get("input_token_details") or {}
    read, created = details.get("cache_read"), details.get("cache_creation")
    tokens = usage["input_tokens"] - (read or 0) - (created or 0)
    counts = {"input_tokens": max(tokens, 0), "output_tokens": usage["output_tokens"]}
    cache = {"cache_read_input_tokens": read, "cache_creation_input_tokens": created}
    return counts | {name: count for name, count in cache.items() if count is not None}
