"""The message that a provider's stream came to, as the provider would have sent it whole.

In the sum of what `from_any` made of its events, blocks have an ``index``, by which they were added
up, and the input of a call is still the text that came::

    [{"type": "text", "text": "Let me see.", "index": "lc_at_0"},
     {"type": "tool_use", "id": "1", "name": "f", "input": {}, "partial_json": "{}", "index": …}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeVar

from outputs._from_fields import PLACE, content_of, in_order

if TYPE_CHECKING:
    from outputs._ai import AIMessage
    from outputs._content import Content

Message = TypeVar("Message", bound="AIMessage")


def is_from_stream(content: Content) -> bool:
    """Tell whether *content* is a sum, or a part of one."""
    return isinstance(content, list) and any(map(_has_place, content))


def finished(message: Message) -> Message:
    """Return *message*, if it is the sum of a stream's chunks, as it is whole.

    Calls that the provider's server makes are none of the message's.
    """
    content = message.content
    if isinstance(content, str) or not is_from_stream(content):
        return message
    update: dict[str, Any] = {"content": _finished_content(content)}
    if served_indexes(content):
        for kind in ("tool_calls", "invalid_tool_calls"):
            update[kind] = [call for call in getattr(message, kind) if call["name"]]
    return message.model_copy(update=update)


def served_indexes(content: Content) -> set[int]:
    """Return the indexes of those calls in *content*, which pieces of their arguments have too."""
    return {
        int(block["index"].rpartition("_")[2])
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
    done = {name: _without_index(part) for name, part in block.items() if name != "index"}
    written = done.pop("partial_json", None)
    if written:
        done["input"] = _object(written, done.get("input"))
    return in_order(done)


def _without_index(part: Any) -> Any:
    """Return the texts of some reasoning without the index by which they were added up."""
    if not isinstance(part, list):
        return part
    return [
        {name: value for name, value in each.items() if name != "index"}
        if isinstance(each, dict) and str(each.get("type")).endswith("_text")
        else each
        for each in part
    ]


def _object(written: str, given: Any) -> Any:
    """Return the input that was *written*; what was *given* at the beginning, if it is none."""
    from outputs._json_load import load_json

    try:
        value = load_json(written)
    except ValueError:
        return given
    return value if isinstance(value, dict) else given
