"""Writing a reply in the form of OpenAI's Responses API.

::

    event: response.output_item.added
    data: {"type": "response.output_item.added", "output_index": 0, "sequence_number": 2, "item":
           {"id": "msg_1", "type": "message", "role": "assistant", "content": [], …}}

Each item begins with such an event, goes on with those of its parts, and ends with
``response.output_item.done``. The response begins with ``response.created`` and ends with
``response.completed``, or with ``response.incomplete`` if it was cut.

Source: https://platform.openai.com/docs/api-reference/responses-streaming; ``openai`` 3.57.0,
``lib/streaming/responses/_responses.py``.
"""

from __future__ import annotations

import json
import time
from typing import TYPE_CHECKING, Any, Final, NamedTuple
from uuid import uuid4

from agent_serving.serve.faces.blocks import BlockWriter
from agent_serving.serve.faces.chat_face import ChatFace
from agent_serving.serve.faces.opaque_thoughts import seal
from agent_serving.serve.faces.request_tools import own_name, text_given

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


class _Part(NamedTuple):
    """How the one part of an item is written."""

    prefix: str
    """The prefix of the ids of such items."""
    item: dict[str, Any]
    """The item, without its part."""
    field: str
    """The field of the item that has the part."""
    part: dict[str, Any]
    """The part, without its text."""
    place: str
    """The field of events that says which part it is."""
    added: str
    """The events around those of the text begin with this."""
    text: str
    """The events of the text begin with this."""
    beside: dict[str, Any]
    """What the events of the text have as well."""


_TEXT: Final = _Part(
    "msg", {"type": "message", "role": "assistant", "content": []}, "content",
    {"type": "output_text", "text": "", "annotations": [], "logprobs": []}, "content_index",
    "response.content_part", "response.output_text", {"logprobs": []},
)  # fmt: skip
_REASONING: Final = _Part(
    "rs", {"type": "reasoning", "summary": [], "content": []}, "content",
    {"type": "reasoning_text", "text": ""}, "content_index",
    "response.content_part", "response.reasoning_text", {},
)  # fmt: skip
_SUMMARY: Final = _Part(
    "rs", {"type": "reasoning", "summary": []}, "summary",
    {"type": "summary_text", "text": ""}, "summary_index",
    "response.reasoning_summary_part", "response.reasoning_summary_text", {},
)  # fmt: skip


class _Call(NamedTuple):
    """How a call is written."""

    prefix: str
    """The prefix of the ids of such items."""
    type: str
    """The type of the item."""
    field: str
    """The field of the item that has what the tool is called with."""
    text: str
    """The events of this field begin with this."""


_FUNCTION: Final = _Call("fc", "function_call", "arguments", "response.function_call_arguments")
_CUSTOM: Final = _Call("ctc", "custom_tool_call", "input", "response.custom_tool_call_input")

_CODES: Final = {400: "invalid_prompt", 429: "rate_limit_exceeded"}
_REASONS: Final = {"length": "max_output_tokens", "content_filter": "content_filter"}
"""Why a response is incomplete, by how it ended."""


class ResponsesWriter(BlockWriter):
    """Writes a response; see `ReplyWriter`."""

    def __init__(self, asked: Asked) -> None:
        super().__init__()
        echoed = dict(asked.echoed)
        included = echoed.pop("include", None) or ()
        self._seals: Final = "reasoning.encrypted_content" in included
        summary = (echoed.get("reasoning") or {}).get("summary")
        self._thought: Final = _REASONING if summary is None else _SUMMARY
        self._tools: Final = {tool["name"]: tool for tool in asked.tools}
        self._number = 0
        self._output: list[dict[str, Any]] = []
        self._item: dict[str, Any] = {}  # the open one
        self._status = "completed"  # of the open one, when it is closed
        self._text: list[str] = []
        self._response: Final[dict[str, Any]] = {
            "id": f"resp_{uuid4().hex}",
            "object": "response",
            "created_at": int(time.time()),
            "status": "in_progress",
            "error": None,
            "incomplete_details": None,
            "model": asked.model,
            "output": [],
            "usage": None,
            **echoed,
        }

    def begin(self) -> list[ServerEvent]:
        """Return the events of a response without items."""
        kinds = ("response.created", "response.in_progress")
        return [self._event(kind, response=self._response) for kind in kinds]

    def _start(self, kind: SaidKind) -> list[ServerEvent]:
        form = self._form(kind)
        self._item = {"id": _new_id(form.prefix), **form.item, "status": "in_progress"}
        self._text = []
        return [
            self._item_event("response.output_item.added", item=self._item),
            self._part_event(form, f"{form.added}.added", part=form.part),
        ]

    def _add(self, kind: SaidKind, text: str) -> list[ServerEvent]:
        form = self._form(kind)
        self._text.append(text)
        return [self._part_event(form, f"{form.text}.delta", delta=text, **form.beside)]

    def _stop(self, kind: SaidKind) -> list[ServerEvent]:
        form = self._form(kind)
        text = "".join(self._text)
        part = {**form.part, "text": text}
        item = {**self._item, form.field: [part], "status": self._status}
        if kind == "thought" and self._seals:
            item["encrypted_content"] = seal(text)
        return [
            self._part_event(form, f"{form.text}.done", text=text, **form.beside),
            self._part_event(form, f"{form.added}.done", part=part),
            *self._end_item(item),
        ]

    def _call(self, called: ReplyCall) -> list[ServerEvent]:
        form, given = _FUNCTION, called.arguments
        tool = self._tools.get(called.name, {"name": called.name})
        if tool.get("type") == "custom":
            form, given = _CUSTOM, text_given(called.arguments)
        self._item = {
            "id": _new_id(form.prefix),
            "type": form.type,
            "call_id": called.id,
            "name": own_name(tool),
            **({"namespace": tool["namespace"]} if "namespace" in tool else {}),
            form.field: "",
            "status": "in_progress",
        }
        added = self._item_event("response.output_item.added", item=self._item)
        about = {"item_id": self._item["id"]}
        deltas = [self._item_event(f"{form.text}.delta", **about, delta=given)] if given else []
        done = self._item_event(f"{form.text}.done", **about, **{form.field: given})
        item = {**self._item, form.field: given, "status": "completed"}
        return [added, *deltas, done, *self._end_item(item)]

    def end(self, ended: ReplyEnd) -> list[ServerEvent]:
        """Return the events that end the response; if it was cut, its status is incomplete."""
        reason = _REASONS.get(ended.reason)
        self._status = "completed" if reason is None else "incomplete"
        events = self._close()
        self._response.update(status=self._status, output=self._output, usage=_usage(ended.usage))
        if reason is None:
            self._response["completed_at"] = int(time.time())
        else:
            self._response["incomplete_details"] = {"reason": reason}
        return [*events, self._event(f"response.{self._status}", response=self._response)]

    def fail(self, failed: ReplyFailure) -> list[ServerEvent]:
        """Return the events of the error; the last one makes OpenAI's client raise an exception."""
        self._status = "incomplete"
        events = self._close()
        error = ChatFace().error(failed)["error"]
        code = failed.code or _CODES.get(failed.status, "server_error")
        failure = {"code": code, "message": failed.message}
        self._response.update(status="failed", output=self._output, error=failure)
        said = {name: error[name] for name in ("code", "message", "param")}
        return [
            *events,
            self._event("response.failed", response=self._response),
            self._event("error", **said, error=error),
        ]

    @property
    def whole(self) -> dict[str, Any]:
        """The response."""
        return self._response

    def _form(self, kind: SaidKind) -> _Part:
        return _TEXT if kind == "content" else self._thought

    def _end_item(self, item: dict[str, Any]) -> list[ServerEvent]:
        done = self._item_event("response.output_item.done", item=item)
        self._output.append(item)
        return [done]

    def _part_event(self, form: _Part, kind: str, **fields: Any) -> ServerEvent:
        return self._item_event(kind, item_id=self._item["id"], **{form.place: 0}, **fields)

    def _item_event(self, kind: str, **fields: Any) -> ServerEvent:
        return self._event(kind, output_index=len(self._output), **fields)

    def _event(self, kind: str, **fields: Any) -> ServerEvent:
        data = json.dumps({"type": kind, "sequence_number": self._number, **fields})
        self._number += 1
        return kind, data


def _new_id(prefix: str) -> str:
    return f"{prefix}_{uuid4().hex}"


def _usage(usage: UsageMetadata | None) -> dict[str, Any] | None:
    if usage is None:
        return None
    read = usage.get("input_token_details") or {}
    written = usage.get("output_token_details") or {}
    cached, kept = read.get("cache_read") or 0, read.get("cache_creation") or 0
    return {
        "input_tokens": usage["input_tokens"],
        "input_tokens_details": {"cached_tokens": cached, "cache_write_tokens": kept},
        "output_tokens": usage["output_tokens"],
        "output_tokens_details": {"reasoning_tokens": written.get("reasoning") or 0},
        "total_tokens": usage["total_tokens"],
    }
