"""The message of a provider's stream, in the form the provider would have sent it whole.

In the sum of the chunks from `from_any`, blocks still have the ``index`` by which they were added,
and the input of a call is still JSON text::

    [{"type": "text", "text": "Let me see.", "index": "lc_at_0"},
     {"type": "tool_use", "id": "1", "name": "f", "input": {}, "partial_json": "{}", "index": …}]
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, TypeVar

from outputs.clients.late_fields import HOW, LateFields, has_place, number_of
from outputs.clients.plain_data import content_of, in_order, without_none
from outputs.clients.text_input import text_arguments, text_in
from outputs.clients.unread_calls import answered_ids
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.ended import ended_of
from outputs.messages.utils import WHOLE_FORMS
from outputs.messages.wire_calls import STREAMED_CALLS, calls_from_wire

if TYPE_CHECKING:
    from outputs.messages.base import Content
    from outputs.messages.tool import ToolCallChunk

_PLACED: Final = ("function", "id", "index", "type")
"""The keys of a call that have a place of their own in it."""

Message = TypeVar("Message", bound="AIMessage")


def whole_form(message: AIMessageChunk) -> AIMessageChunk:
    """Return *message* as a complete one if it is the sum of a stream's chunks, else unchanged.

    Its calls are read again: a call that is broken at the end of the stream is invalid.
    """
    late = LateFields()
    message = late.with_late_fields(message)
    said = message.additional_kwargs.get(STREAMED_CALLS)
    if isinstance(said, list):
        return _with_entries(message, said)
    content = message.content
    if isinstance(content, str) or not is_from_stream(content):
        return message
    texts = {
        number_of(block["index"])
        for block in content
        if isinstance(block, dict) and has_place(block) and block["type"] == "custom_tool_call"
    }
    has_ended = ended_of(message.response_metadata) == "stop"
    entries = [
        _entry_of(piece, piece["index"] in texts, has_ended or piece["index"] in late.closed)
        for piece in message.tool_call_chunks
    ]
    calls, invalid = calls_from_wire(entries)
    return finished(message.model_copy(update={"tool_calls": calls, "invalid_tool_calls": invalid}))


WHOLE_FORMS.append(whole_form)


def _entry_of(piece: ToolCallChunk, is_text: bool, has_ended: bool) -> dict[str, Any]:
    """Return the call of a *piece* in the format of Chat Completions."""
    written = piece["args"]
    if is_text:
        if has_ended:
            written = text_arguments(text_in(written or "") or "")
    elif has_ended and not written:
        written = "{}"
    return {"id": piece["id"], "function": {"name": piece["name"], "arguments": written}}


def _with_entries(message: AIMessageChunk, said: list[Any]) -> AIMessageChunk:
    """Return *message* with its calls in the format of Chat Completions, as a whole one has them.

    The provider *said* something beside each.
    """
    beside = {n: it for n, it in message.additional_kwargs.items() if n != STREAMED_CALLS}
    pieces = message.tool_call_chunks
    said = [each for each in said if isinstance(each, dict)]
    in_turn = said if len(said) == len(pieces) else [{} for _ in pieces]
    by_index: dict[Any, list[dict[str, Any]]] = {}
    for each in said:
        by_index.setdefault(each.get("index"), []).append(each)
    has_ended = ended_of(message.response_metadata) == "stop"
    entries = []
    for piece, other in zip(pieces, in_turn, strict=True):
        same = by_index.get(piece["index"], ()) if piece["index"] is not None else ()
        ids = (None, piece["id"])
        its = next((e for e in same if e.get("id") in ids), other)
        entries.append(_entry(its, piece, is_over=has_ended or piece is not pieces[-1]))
    calls, invalid = calls_from_wire(entries, have_ended=has_ended)
    beside["tool_calls"] = entries
    update = {"additional_kwargs": beside, "tool_calls": calls, "invalid_tool_calls": invalid}
    return message.model_copy(update=update)


def _entry(said: dict[str, Any], piece: ToolCallChunk, *, is_over: bool) -> dict[str, Any]:
    """Return the call of a *piece*, beside which the provider *said* something.

    A text input that may go on, since its call *is_over* only with the message, stays cut.
    """
    known = {"id": piece["id"], "type": said.get("type")}
    entry = without_none({**known, **{n: part for n, part in said.items() if n not in _PLACED}})
    name, written = piece["name"], piece["args"]
    if "custom" in entry and (text := text_in(written or "")) is not None:
        entry["custom"] = {"name": name, "input": text, **_members(entry["custom"])}
        written = text_arguments(text) if is_over else written
    function = {"name": name, "arguments": written, **_members(said.get("function"))}
    return {**entry, "function": function}


def _members(part: Any) -> dict[str, Any]:
    return part if isinstance(part, dict) else {}


def is_from_stream(content: Content) -> bool:
    """Return whether *content* comes from one or more chunks of a stream."""
    return isinstance(content, list) and any(map(has_place, content))


def finished(message: Message) -> Message:
    """Return *message* as a complete one if it is the sum of a stream's chunks, else unchanged.

    Calls that the provider's server executes are removed from the message's tool calls, and so are
    those whose results are in the content.
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
    if answered := answered_ids(update["content"]):
        for kind in ("tool_calls", "invalid_tool_calls", "tool_call_chunks"):
            calls = update.get(kind, getattr(message, kind, ()))
            update[kind] = [call for call in calls if call["id"] not in answered]
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
