"""The message of a provider's stream, in the form the provider would have sent it whole.

In the sum of the chunks from `from_any`, blocks still have the ``index`` by which they were added,
and the input of a call is still JSON text::

    [{"type": "text", "text": "Let me see.", "index": "lc_at_0"},
     {"type": "tool_use", "id": "1", "name": "f", "input": {}, "partial_json": "{}", "index": …}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outputs.clients.plain_data import PLACE, content_of, in_order
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.merging import merge_lists
from outputs.messages.tool import ToolCallChunk, tool_call_chunk

if TYPE_CHECKING:
    from outputs.messages.base import Content

Message = TypeVar("Message", bound="AIMessage")


def is_from_stream(content: Content) -> bool:
    """Return whether *content* is the sum of a stream's chunks, or one of them."""
    return isinstance(content, list) and any(map(_has_place, content))


def finished(message: Message) -> Message:
    """Return *message* in its whole form if it is the sum of a stream's chunks, else unchanged.

    Calls that the provider's server executes are removed from the message's tool calls.
    """
    content = message.content
    if isinstance(content, str) or not is_from_stream(content):
        return message
    update: dict[str, Any] = {"content": _finished_content(content)}
    if served := served_indexes(content):
        for kind in ("tool_calls", "invalid_tool_calls"):
            update[kind] = [call for call in getattr(message, kind) if call["name"]]
        if isinstance(message, AIMessageChunk):
            update["tool_call_chunks"] = [
                piece for piece in message.tool_call_chunks if piece["index"] not in served
            ]
    return message.model_copy(update=update)


class NewText:
    """Adds the fields of an item that a stream sent only at the item's end, not in pieces before.

    The block that ends an item has the complete item as ``whole``.
    """

    def __init__(self) -> None:
        self._emitted: dict[str, set[str]] = {}  # the fields of each block emitted so far

    def with_late_fields(self, message: Any) -> Any:
        """Return *message*, a chunk or a sum, with each ``whole`` replaced by its new fields."""
        content = message.content
        if not isinstance(message, AIMessageChunk) or not isinstance(content, list):
            return message
        blocks: list[str | dict[Any, Any]] = []
        pieces = message.tool_call_chunks
        for block in content:
            if not isinstance(block, dict) or not _has_place(block):
                blocks.append(block)
                continue
            emitted = self._emitted.setdefault(block["index"], set())
            fields = {name: part for name, part in block.items() if name != "whole"}
            emitted.update(name for name, part in fields.items() if part)
            whole = block.get("whole", {})
            late = {name: part for name, part in whole.items() if part and name not in emitted}
            emitted.update(late)
            fields.update(late)
            blocks.append(fields)
            pieces = merge_lists(_late_pieces(fields["type"], late, _number(block)), pieces) or []
        if blocks == content:
            return message
        calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}  # read again
        return AIMessageChunk(**{
            **dict(message), **calls, "content": blocks, "tool_call_chunks": pieces,
        })  # fmt: skip


def _late_pieces(kind: str, late: dict[str, Any], index: int) -> list[ToolCallChunk]:
    """Return the *late* fields of an item as pieces of a call, if the item is a call."""
    if not late or kind not in ("custom_tool_call", "function_call"):
        return []
    args = late.get("arguments")
    if kind == "custom_tool_call":
        from outputs.clients.openai import TEXT_START, json_inside

        args = (TEXT_START if "name" in late else "") + json_inside(late.get("input", ""))
    name, call_id = late.get("name"), late.get("call_id")
    return [tool_call_chunk(name=name, args=args, id=call_id, index=index)]


def _number(block: dict[Any, Any]) -> int:
    return int(block["index"].rpartition("_")[2])


def served_indexes(content: Content) -> set[int]:
    """Return the indexes of server-side calls in *content*; their argument pieces share them."""
    return {
        _number(block)
        for block in (() if isinstance(content, str) else content)
        if _has_place(block)
        and isinstance(block, dict)
        and str(block.get("type")).endswith("_tool_use")
    }


def _has_place(block: str | dict[Any, Any]) -> bool:
    return isinstance(block, dict) and str(block.get("index")).startswith(PLACE)


def _finished_content(content: list[str | dict[Any, Any]]) -> Content:
    blocks = [_finished_block(block) if isinstance(block, dict) else block for block in content]
    known = [block for block in blocks if isinstance(block, dict)]
    return content_of(known) if len(known) == len(blocks) else blocks


def _finished_block(block: dict[Any, Any]) -> dict[Any, Any]:
    done = {name: _without_index(part) for name, part in block.items() if name not in _HOW}
    written = done.pop("partial_json", None)
    if written:
        done["input"] = _object(written, done.get("input"))
    return in_order(done)


_HOW = ("index", "whole")
"""The keys that a block has only while it is streamed."""


def _without_index(part: Any) -> Any:
    """Return the texts of a reasoning item without the index by which they were added."""
    if not isinstance(part, list):
        return part
    return [
        {name: value for name, value in each.items() if name != "index"}
        if isinstance(each, dict) and str(each.get("type")).endswith("_text")
        else each
        for each in part
    ]


def _object(written: str, given: Any) -> Any:
    """Return the object *written* as JSON; if it is not an object, *given*, the initial input."""
    from outputs.growing_json.load import load_json

    try:
        value = load_json(written)
    except ValueError:
        return given
    return value if isinstance(value, dict) else given
