r"""Messages from OpenAI's Responses API, whole or streamed.

::

    {"object": "response", "model": "gpt-5", "usage": {...}, "output": [
     {"type": "message", "id": "msg_1", "content": [{"type": "output_text", "text": "Hello"}]},
     {"type": "function_call", "call_id": "1", "name": "search", "arguments": "{}"}]}

All items stay in the content, in order: reasoning items and calls belong together, and the API
expects both back. Texts become blocks of type ``text`` with the ``id`` of their item.

A stream starts each item and then continues it by its index::

    {"type": "response.output_item.added", "output_index": 1, "item": {"type": "function_call", …}}
    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{\"query\": "}

Source: https://platform.openai.com/docs/api-reference/responses
"""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from outputs.clients import streamed as streamed
from outputs.clients.late_fields import COMMENTARY, noted, noted_calls
from outputs.clients.openai import message_from_role, metadata_of, usage_of
from outputs.clients.plain_data import content_of, in_order, place, provider_error, without_none
from outputs.clients.text_input import TEXT_END, TEXT_START, json_inside, text_arguments
from outputs.clients.unread_calls import answered_ids, calls_beside, unread_call
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.ended import ended_of
from outputs.messages.tool import ToolMessage, tool_call_chunk
from outputs.messages.wire_calls import calls_from_wire

if TYPE_CHECKING:
    from outputs.messages.base import BaseMessage

ITEMS = frozenset((
    "additional_tools", "apply_patch_call", "apply_patch_call_output", "code_interpreter_call",
    "compaction", "computer_call", "computer_call_output", "custom_tool_call",
    "custom_tool_call_output", "file_search_call", "function_call", "function_call_output",
    "image_generation_call", "local_shell_call", "local_shell_call_output",
    "mcp_approval_request", "mcp_approval_response", "mcp_call", "mcp_list_tools", "program",
    "program_output", "reasoning", "shell_call", "shell_call_output", "tool_search_call",
    "tool_search_output", "web_search_call",
))  # fmt: skip
"""The types that identify an item by themselves, which "message" does not."""
_UNENDED = ("cancelled", "in_progress", "queued")
"""The statuses of a response that is not complete."""
_SERVED = tuple(
    f"response.{kind}"
    for kind in ("audio", "code_interpreter", "file_search", "image", "mcp", "reasoning", "web_")
)
"""The prefixes of the types of events that are not about the calls of the program."""
_PARTS = ("output_", "input_", "refusal")
"""The prefixes of the types of parts in a message item."""


def read(kind: str, fields: dict[str, Any]) -> BaseMessage | None:
    """Return the message in *fields*, whose ``type`` is *kind*; `None` if it is another API's."""
    if fields.get("object") == "response":
        return message_from_response(fields)
    if kind.startswith("response."):
        return _EVENTS.get(kind, _unknown)(fields)
    if kind == "message":
        return _from_item(fields) if _is_item(fields) else None
    return _from_item(fields) if kind in ITEMS else None


def message_from_response(fields: dict[str, Any]) -> AIMessage:
    """Convert a response; items other than text are kept as blocks.

    A call whose result is an item too was made, and is not to be made again.

    Raises:
        ProviderError: The response failed.
        ValueError: The response is not complete, or has a message that is not of the model.
    """
    status = fields.get("status")
    if status == "failed" or fields.get("error"):
        raise provider_error(fields)
    if status in _UNENDED:
        raise _no_end(status)
    return _from_items(
        fields["output"],
        additional_kwargs=calls_beside(fields),
        response_metadata=metadata_of(fields, {}),
        usage_metadata=usage_of(fields, "input_tokens", "output_tokens"),
        id=fields.get("id"),
    )


def _no_end(status: Any) -> ValueError:
    """Return the error for a response that has this *status*."""
    if status == "cancelled":
        return ValueError("the response was cancelled (status 'cancelled'): request a new one")
    return ValueError(
        f"the response is not finished (status {status!r}): wait until it is complete"
    )


def is_output(items: list[Any]) -> bool:
    """Return whether *items* are output items of a response."""
    kinds = [item.get("type") if isinstance(item, dict) else None for item in items]
    return all(kind == "message" or kind in ITEMS for kind in kinds)


def _is_item(fields: dict[str, Any]) -> bool:
    """Return whether a message is an item of this API; Anthropic's messages have the same type."""
    content = fields.get("content")
    return (
        isinstance(content, str)
        or "status" in fields
        or any(str(part.get("type")).startswith(_PARTS) for part in content or ())
    )


def _from_item(item: dict[str, Any]) -> BaseMessage:
    """Convert one item, of the model's output or of its input."""
    kind, role = item["type"], item.get("role", "assistant")
    if kind in ("function_call_output", "custom_tool_call_output"):
        return ToolMessage(item["output"], tool_call_id=item["call_id"])
    if role != "assistant" or isinstance(item.get("content"), str):
        return message_from_role({"role": role, "content": item["content"]})
    return _from_items([item])


def _from_items(items: list[dict[str, Any]], **known: Any) -> AIMessage:
    """Convert items, any of which may say that it was cut, whatever the response says."""
    metadata = known.setdefault("response_metadata", {})
    if any(map(_is_cut, items)):
        metadata["status"] = "incomplete"
    blocks: list[dict[str, Any]] = []
    entries = []
    answered = answered_ids(items)
    for item in items:
        if _kind(item) == "message":
            _check_role(item)
            blocks += [_text_block(part, item) for part in item["content"]]
        else:
            blocks.append(_item(item))
            if (entry := wire_entry(item)) is not None and entry["id"] not in answered:
                entries.append(entry)
    calls, invalid = calls_from_wire(entries, have_ended=ended_of(metadata) != "length")
    return AIMessage(content_of(blocks), tool_calls=calls, invalid_tool_calls=invalid, **known)


def _check_role(item: dict[str, Any]) -> None:
    """Check that a message among other items is one of the model.

    Raises:
        ValueError: It has another role, so that the items are a conversation.
    """
    if (role := item.get("role") or "assistant") != "assistant":
        raise ValueError(
            "expected only items that the model wrote, found a message with the role "
            f"{role!r}: leave that message out"
        )


def _is_cut(item: dict[str, Any]) -> bool:
    kinds = ("message", "function_call", "custom_tool_call")
    return item["type"] in kinds and item.get("status") == "incomplete"


def wire_entry(item: dict[str, Any]) -> dict[str, Any] | None:
    """Return a call in the Chat Completions format; `None` if *item* is not a tool call."""
    if item.get("type") == "function_call":
        kind, arguments = "function", item["arguments"]
    elif item.get("type") == "custom_tool_call":
        kind, arguments = "custom", text_arguments(item["input"])
    else:
        return None
    function = {"name": item["name"], "arguments": arguments}
    return {"id": item["call_id"], "type": kind, "function": function}


def _text_block(part: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    kind = "text" if part["type"] == "output_text" else part["type"]
    known = {name: value for name, value in part.items() if value and name != "logprobs"}
    return in_order({kind: "", **known, "type": kind, **_item_fields(item)})


def _item_fields(item: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of *item* that its text blocks keep."""
    known = without_none({"id": item.get("id"), "phase": item.get("phase")})
    return {**known, **calls_beside(item)}


def _item(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as a block; items that are streamed in pieces lose their status."""
    growing = item["type"] in ("function_call", "custom_tool_call", "reasoning")
    known = in_order(item).items()
    return {name: value for name, value in known if not (growing and name == "status")}


# -- events --------------------------------------------------------------------------------------


def _kind(item: dict[str, Any]) -> str:
    """Return the type of an item, by which its pieces and its whole forms are told apart.

    Raises:
        TypeError: It is not a string.
    """
    kind = item["type"]
    if not isinstance(kind, str):
        raise TypeError(f"expected the 'type' of an item to be a string, found {kind!r}")
    return kind


def _block(event: dict[str, Any], kind: str, **parts: Any) -> AIMessageChunk:
    """Return a chunk that adds *parts* to an item of this *kind*."""
    index = place(event.get("output_index", 0))
    return AIMessageChunk([{"type": kind, **parts, "index": index}])


def _text(event: dict[str, Any], kind: str, **parts: Any) -> AIMessageChunk:
    """Return a chunk that adds *parts* to the text of an item."""
    index = place(event.get("output_index", 0), event.get("content_index", 0))
    known = without_none({"id": event.get("item_id")})
    return AIMessageChunk([{"type": kind, **parts, **known, "index": index}])


def _call(event: dict[str, Any], block: dict[str, Any], args: str, **more: Any) -> AIMessageChunk:
    """Return a chunk that adds *args* to a call, and the *block* to its item."""
    index = event.get("output_index", 0)
    return AIMessageChunk(
        [{**block, "index": place(index)}] if block else [],
        tool_call_chunks=[tool_call_chunk(args=args, index=index, **more)],
    )


def _added(event: dict[str, Any]) -> AIMessageChunk:
    item = _item(event["item"])
    kind = _kind(item)
    if kind == "message":
        _check_role(item)
    if kind == "reasoning":
        return _block(event, kind, **without_none({"id": item.get("id")}))
    if kind == "function_call":
        args = _as_text(item.get("arguments", ""))
    elif kind == "custom_tool_call":
        args = TEXT_START + json_inside(item.get("input", ""))
    elif item.get("phase") == COMMENTARY:
        return noted(commentary=[event.get("output_index", 0)])
    elif unread := unread_call([item]):
        return noted(begun=[[event.get("output_index", 0), unread]])
    else:
        return AIMessageChunk([])
    return _call(event, item, args, name=item["name"], id=item["call_id"])


def _done(event: dict[str, Any]) -> AIMessageChunk:
    item = _item(event["item"])
    kind = _kind(item)
    if kind == "message":
        _check_role(item)
        return AIMessageChunk([
            {**_emitted_late(part, item), "index": place(event.get("output_index", 0), number)}
            for number, part in enumerate(item["content"])
        ])  # fmt: skip
    if kind == "function_call":
        return _block(event, kind, whole=[_whole(event["item"])])
    if kind == "custom_tool_call":
        whole = in_order(event["item"])
        is_cut = whole.get("status") == "incomplete"
        return _call(event, {"type": kind, "whole": [whole]}, "" if is_cut else TEXT_END)
    if kind == "reasoning":
        # What was streamed before is not added again. Even an empty summary is kept.
        return _block(event, kind, summary=[], whole=[in_order(event["item"])])
    item.pop("type")
    return _block(event, kind, **item)


def _emitted_late(part: dict[str, Any], item: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of a text that are known only at its end, and the whole text.

    `LateFields` uses what the whole text has more than was streamed before.
    """
    block = _text_block(part, item)
    kind = block["type"]
    late: dict[str, Any] = {n: block[n] for n in ("annotations",) if n in block}
    said = {kind: block.get(kind), "text": block.get("text")}  # any kind of part may have a text
    whole = {"type": kind, "id": block.get("id"), **said, **_item_fields(item)}
    return {"type": kind, **late, "whole": [whole]}


def _last(number: int, item: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the blocks that have an item of a response that has ended, for `LateFields`."""
    if (kind := _kind(item)) != "message":
        return [{"type": kind, "last": [_whole(item)], "index": place(number)}]
    _check_role(item)
    return [
        {"type": block["type"], "last": [block], "index": place(number, part)}
        for part, block in enumerate(_text_block(each, item) for each in item["content"])
    ]


def _whole(item: dict[str, Any]) -> dict[str, Any]:
    """Return an item as a whole: a call with its arguments as text.

    Raises:
        KeyError: It is a call that lacks a part.
    """
    if item["type"] == "function_call" and wire_entry(item) is not None:
        name, call_id = item["name"], item["call_id"]
        item = {
            **item,
            "arguments": _as_text(item["arguments"]),
            "name": name if isinstance(name, str) else "",
            "call_id": call_id if call_id is None else str(call_id),
        }
    return in_order(item)


def _as_text(arguments: Any) -> str:
    """Return arguments, which some servers send as data, as JSON text."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _arguments(event: dict[str, Any]) -> AIMessageChunk:
    delta = event["delta"]
    return _call(event, {"type": "function_call", "arguments": delta}, delta)


def _custom_input(event: dict[str, Any]) -> AIMessageChunk:
    delta = event["delta"]
    return _call(event, {"type": "custom_tool_call", "input": delta}, json_inside(delta))


def _summary(event: dict[str, Any]) -> AIMessageChunk:
    index = event.get("summary_index", 0)
    part = {"type": "summary_text", "text": event["delta"], "index": index}
    return _block(event, "reasoning", summary=[part])


def _reasoning(event: dict[str, Any]) -> AIMessageChunk:
    index = event.get("content_index", 0)
    part = {"type": "reasoning_text", "text": event["delta"], "index": index}
    return _block(event, "reasoning", content=[part])


def _created(event: dict[str, Any]) -> AIMessageChunk:
    return AIMessageChunk([], id=event["response"].get("id"))


def _arguments_done(event: dict[str, Any]) -> AIMessageChunk:
    parts = {name: event[name] for name in ("name", "arguments") if name in event}
    return _block(event, "function_call", whole=[{"type": "function_call", **parts}])


def _text_done(event: dict[str, Any], kind: str) -> AIMessageChunk:
    text = event.get(kind)
    return _text(event, kind, whole=[{"type": kind, kind: text}]) if text else AIMessageChunk([])


def _unknown(event: dict[str, Any]) -> AIMessageChunk:
    """Return an empty chunk, which notes a piece of an item that is not read."""
    number, delta = event.get("output_index"), event.get("delta")
    kind = event["type"]
    if not isinstance(number, int) or not isinstance(delta, str) or kind.startswith(_SERVED):
        return AIMessageChunk([])
    return noted(unread=[[number, kind]])


def _ended(event: dict[str, Any]) -> AIMessageChunk:
    """Return what the last event adds.

    Raises:
        ValueError: The response was cancelled, so none of its calls counts.
    """
    response = event["response"]
    if "cancelled" in (response.get("status"), event["type"].removeprefix("response.")):
        raise _no_end("cancelled")
    items = response.get("output") or []
    return AIMessageChunk(
        [block for number, item in enumerate(items) for block in _last(number, item)],
        additional_kwargs=noted_calls(response),
        response_metadata=metadata_of(response, {}),
        usage_metadata=usage_of(response, "input_tokens", "output_tokens"),
        id=response.get("id"),
    )


def _failed(event: dict[str, Any]) -> AIMessageChunk:
    raise provider_error(event["response"])


_EVENTS: dict[str, Callable[[dict[str, Any]], AIMessageChunk]] = {
    "response.created": _created,
    "response.output_item.added": _added,
    "response.output_item.done": _done,
    "response.output_text.delta": lambda event: _text(event, "text", text=event["delta"]),
    "response.output_text.done": lambda event: _text_done(event, "text"),
    "response.refusal.done": lambda event: _text_done(event, "refusal"),
    "response.refusal.delta": lambda event: _text(event, "refusal", refusal=event["delta"]),
    "response.function_call_arguments.delta": _arguments,
    "response.function_call_arguments.done": _arguments_done,
    "response.custom_tool_call_input.delta": _custom_input,
    "response.reasoning_summary_text.delta": _summary,
    "response.reasoning_text.delta": _reasoning,
    "response.completed": _ended,
    "response.incomplete": _ended,
    "response.cancelled": _ended,
    "response.failed": _failed,
}
"""The events that carry content, usage or metadata."""
