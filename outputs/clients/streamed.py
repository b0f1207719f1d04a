"""The message of a provider's stream, in the form the provider would have sent it whole.

In the sum of the chunks from `from_any`, blocks still have the ``index`` by which they were added,
and the input of a call is still JSON text::

    [{"type": "text", "text": "Let me see.", "index": "lc_at_0"},
     {"type": "tool_use", "id": "1", "name": "f", "input": {}, "partial_json": "{}", "index": …}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outputs.clients.late_fields import HOW, has_place, number_of
from outputs.clients.plain_data import content_of, in_order
from outputs.messages.ai import AIMessage, AIMessageChunk

if TYPE_CHECKING:
    from outputs.messages.base import Content

Message = TypeVar("Message", bound="AIMessage")


def is_from_stream(content: Content) -> bool:
    """Return whether *content* is the sum of a stream's chunks, or one of them."""
    return isinstance(content, list) and any(map(has_place, content))


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


def served_indexes(content: Content) -> set[int]:
    """Return the indexes of server-side calls in *content*; their argument pieces share them."""
    return {
        number_of(block["index"])
        for block in (() if isinstance(content, str) else content)
        if isinstance(block, dict)
        and has_place(block)
        and str(block.get("type")).endswith("_tool_use")
    }


def _finished_content(content: list[str | dict[Any, Any]]) -> Content:
    blocks = [_finished_block(block) if isinstance(block, dict) else block for block in content]
    known = [block for block in blocks if isinstance(block, dict)]
    return content_of(known) if len(known) == len(blocks) else blocks


def _finished_block(block: dict[Any, Any]) -> dict[Any, Any]:
    done = {name: _without_index(part) for name, part in block.items() if name not in HOW}
    written = done.pop("partial_json", None)
    if written:
        done["input"] = _object(written, done.get("input"))
    return in_order(done)


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
