"""Reading and writing tool calls whose arguments are JSON text.

OpenAI-compatible providers send calls in this format::

    {"id": "call_1", "function": {"name": "search", "arguments": '{"query": "rain"}'}}
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, Final

from outputs.messages.growing_calls import NO_IDS
from outputs.messages.tool import (
    InvalidToolCall,
    ToolCall,
    ToolCallChunk,
    invalid_tool_call,
    tool_call,
    tool_call_chunk,
)

if TYPE_CHECKING:
    from outputs.messages.growing_calls import GrowingCall, GrowingCalls


def calls_from_wire(
    entries: list[Any], *, have_ended: bool = False
) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """Read complete tool calls in OpenAI's format; an entry without a function is skipped.

    Args:
        entries: The calls.
        have_ended: Whether the message is known to be complete, so that a call without arguments
            has none: many servers write them as an empty text.

    Returns:
        The valid calls and the invalid ones. A valid call names a tool, and its arguments are a
        JSON object, an empty JSON value (read as ``{}``) or a dictionary.
    """
    calls: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    for entry in entries:
        function = entry.get("function") if isinstance(entry, dict) else None
        if not isinstance(function, dict):
            continue
        name, written, call_id = function.get("name"), function.get("arguments"), id_of_entry(entry)
        if not isinstance(name, str | None):
            invalid.append(invalid_tool_call(args=_as_text(written), id=call_id))
            continue
        args = _complete(written) if isinstance(written, str) else written
        if have_ended and written in (None, ""):
            args = {}
        if isinstance(args, dict) and "name" in function:
            calls.append(tool_call(name=name or "", args=args, id=call_id))
        else:
            invalid.append(invalid_tool_call(name=name, args=_as_text(written), id=call_id))
    return calls, invalid


def are_calls_of(
    entries: Iterable[Any], calls: list[ToolCall], invalid: list[InvalidToolCall]
) -> bool:
    """Return whether *entries*, in OpenAI's format, are these *calls* and *invalid* ones."""
    known = list(entries)
    ways = (calls_from_wire(known, have_ended=have_ended) for have_ended in (False, True))
    return (calls, invalid) in ways


def chunks_from_wire(entries: list[Any]) -> list[ToolCallChunk]:
    """Read pieces of tool calls in OpenAI's format, which also have an ``index``."""
    chunks = []
    for entry in entries:
        if isinstance(entry, dict):
            function = entry.get("function")
            name, args = None, None
            if isinstance(function, dict):
                name, args = function.get("name"), _as_text(function.get("arguments"))
                name = name if isinstance(name, str) else None
            call_id, index = id_of_entry(entry), entry.get("index")
            chunks.append(tool_call_chunk(name=name, args=args, id=call_id, index=index))
    return chunks


def calls_from_chunks(
    chunks: list[ToolCallChunk], growing: GrowingCalls[GrowingCall] | None = None
) -> tuple[list[ToolCall], list[InvalidToolCall]]:
    """Read the calls in *chunks*, as far as they have arrived.

    Args:
        chunks: One merged chunk per call.
        growing: The same calls, which may have been read in part; `None` to read everything at
            once, which is faster if it is done only once.

    Returns:
        The calls, with the arguments that have arrived (``{}`` if none have), and the invalid
        calls, whose arguments cannot become a JSON object.
    """
    calls: list[ToolCall] = []
    invalid: list[InvalidToolCall] = []
    for position, chunk in enumerate(chunks):
        name, written, call_id = chunk["name"], chunk["args"], chunk["id"]
        args = _partial(written) if growing is None else growing.calls[position].as_object()
        if args is not None:
            calls.append(tool_call(name=name or "", args=args, id=call_id))
        else:
            invalid.append(invalid_tool_call(name=name, args=written, id=call_id))
    return calls, invalid


def chunks_from_calls(calls: list[ToolCall], invalid: list[InvalidToolCall]) -> list[ToolCallChunk]:
    """Write complete calls as chunks without an index, so that a sum does not merge them."""
    return [
        *(
            tool_call_chunk(name=call["name"], args=json.dumps(call["args"]), id=call.get("id"))
            for call in calls
        ),
        *(tool_call_chunk(name=bad["name"], args=bad["args"], id=bad["id"]) for bad in invalid),
    ]


def finished_block(
    block: str | dict[Any, Any], calls: dict[str | None, ToolCall]
) -> str | dict[Any, Any]:
    """Return a block of a finished message; a piece of a call becomes the complete call.

    Args:
        block: A block of type ``tool_call_chunk``, ``server_tool_call_chunk`` or
            ``server_tool_call``; any other is returned unchanged.
        calls: The calls of the message by id.
    """
    if isinstance(block, str):
        return block
    kind, call_id, written = block.get("type"), block.get("id"), block.get("args") or "{}"
    if kind == "tool_call_chunk" and isinstance(call_id, str) and call_id in calls:
        extras = {"extras": block["extras"]} if "extras" in block else {}
        return {**calls[call_id], **extras}
    if kind in ("server_tool_call_chunk", "server_tool_call") and isinstance(written, str):
        args = _complete(written)
        if args is not None:
            return {**block, "type": "server_tool_call", "args": args}
    return block


def _complete(written: str) -> dict[str, Any] | None:
    """Return the object *written* as JSON, ``{}`` for any empty value, `None` for others."""
    from outputs.growing_json.load import load_json  # imported lazily, as below

    try:
        value = load_json(written) or {}
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def _partial(written: str | None) -> dict[str, Any] | None:
    """Return as much of an object as has been *written* as JSON; `None` if it is not an object."""
    if not written:
        return {}
    from outputs.growing_json.reader import parse_partial_json  # imported lazily, as above

    try:
        value = parse_partial_json(written)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


def id_of_entry(entry: dict[str, Any]) -> str | None:
    """Return the id of a call as text; some servers send a number, or a word that means none."""
    call_id = entry.get("id")
    return None if call_id is None or call_id in NO_IDS else str(call_id)


STREAMED_CALLS: Final = "streamed_tool_calls"
"""Where ``additional_kwargs`` of a chunk, or of a sum of chunks, have what the provider said of its
calls beside their names and arguments, such as their type."""
_WRITTEN: Final = "_written_arguments"
"""Where a message has the arguments of its calls as text. It is no field, and so no part of
equality: messages with the same calls are equal, however these are spelt."""


def keep_arguments(message: Any, chunks: Iterable[ToolCallChunk]) -> None:
    """Keep the arguments of the *message*'s calls as the model wrote them in *chunks*."""
    texts: dict[tuple[str | None, str | None], list[str]] = {}
    for chunk in chunks:
        if args := chunk["args"]:
            texts.setdefault((chunk["id"], chunk["name"]), []).append(args)
    if texts:
        message.__dict__[_WRITTEN] = texts


def written_arguments(message: Any, call: ToolCall) -> str | None:
    """Return the arguments of *call*, a call of *message*, as the model wrote them.

    Returns:
        The JSON; `None` if *message* did not come in chunks, or the call has other arguments now.
    """
    texts = message.__dict__.get(_WRITTEN, {}).get((call.get("id"), call["name"]), ())
    return next((text for text in texts if _complete(text) == call["args"]), None)


_CALL: Final = frozenset(("id", "type", "index", "function", "custom"))
_PARTS: Final = {
    "custom": frozenset(("name", "input")),
    "function": frozenset(("name", "arguments")),
}


def other_members(entry: Any) -> dict[str, Any]:
    """Return the members of a call, or of a piece of one, that OpenAI's format does not have.

    This includes members of its function or custom tool, but no empty ones.
    """
    if not isinstance(entry, dict):
        return {}
    members = [(name, part) for name, part in entry.items() if name not in _CALL]
    for key, known in _PARTS.items():
        inner = entry.get(key)
        for name, part in inner.items() if isinstance(inner, dict) else ():
            if name not in known:
                members.append((name, part))
    return {name: part for name, part in members if part not in (None, "", [], {})}


def _as_text(written: Any) -> str | None:
    return written if written is None or isinstance(written, str) else json.dumps(written)


def unread_calls(message: Any) -> list[dict[str, Any]] | None:
    """Return the calls of an AI *message* in OpenAI's format if some may be invalid or cut short.

    A chunk reads its calls as far as they have arrived, so ``{"a": 1`` is ``{"a": 1}`` among its
    ``tool_calls``. Returns `None` if all calls of *message* were read in full.
    """
    if pieces := getattr(message, "tool_call_chunks", None):
        return [_entry(piece) for piece in pieces]
    calls, invalid = getattr(message, "tool_calls", []), getattr(message, "invalid_tool_calls", [])
    if not invalid:
        return None
    wire = (message.additional_kwargs or {}).get("tool_calls")
    if isinstance(wire, list | tuple) and are_calls_of(wire, calls, invalid):
        return [entry for entry in wire if isinstance(entry, dict)]
    return [_entry(call) for call in (*calls, *invalid)]


def pieces_of(message: Any) -> list[ToolCallChunk]:
    """Return the pieces of calls in an AI *message* or a chunk of one, in order of arrival."""
    if hasattr(message, "tool_call_chunks"):
        return list(message.tool_call_chunks)
    entries = unread_calls(message)
    if entries is None:
        return chunks_from_calls(getattr(message, "tool_calls", []), [])
    return chunks_from_wire(entries)


def _entry(call: Any) -> dict[str, Any]:
    return {"id": call.get("id"), "function": {"name": call["name"], "arguments": call["args"]}}
