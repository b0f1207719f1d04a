"""The calls of a message, or of a chunk of one, as they came: names, arguments, ids."""

from __future__ import annotations

import json
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, Final

from pydantic import BaseModel

from outputs import AIMessage, AIMessageChunk, BaseMessage, from_any
from outputs.messages.wire_calls import calls_from_wire

__all__ = ["CallPiece", "ai_message", "as_json", "function_pieces", "message_in", "tool_pieces"]

_GENERATIONS: Final = (
    "ChatGeneration", "ChatGenerationChunk", "Generation", "GenerationChunk",
)  # fmt: skip
"""The types of generations, of this package and of LangChain."""
ONLY_GENERATIONS: Final = "This output parser only works on ChatGeneration output"
"""LangChain's words."""


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A call, or a piece of one in a chunk."""

    name: Any
    """Name of the tool, or a part of it; `None` if it is in another piece."""
    arguments: Any
    """JSON text or a part of it; data if they came as data; `None` for nothing."""
    id: str | None = None
    """What tells parallel calls apart, usually in the first piece."""
    index: int | None = None
    """Pieces of one index are of one call; without it a piece is a call by itself."""
    function: Any = None
    """Name and arguments as the provider sent them, if they are there together."""
    is_data: bool = False
    """Whether *arguments* are what the message's maker had read already."""
    is_text: bool = False
    """Whether they were one text, which became JSON here."""


def message_in(output: Any, *, takes_text: bool) -> AIMessage:
    """Return the message of what a model gave.

    Args:
        output: A message of any kind that `outputs.from_any` takes, or a generation with one.
        takes_text: Whether text is the content of a message.

    Raises:
        ProviderError: It says that the provider failed.
        TypeError: It is no message of a model.
        ValueError: It is text without a message, or malformed.
    """
    if isinstance(output, AIMessage):
        return output
    if isinstance(output, str):
        if takes_text:
            return AIMessage(output)
        raise ValueError(ONLY_GENERATIONS)
    if getattr(output, "type", None) in _GENERATIONS:
        if not hasattr(output, "message"):
            return message_in(output.text, takes_text=takes_text)
        output = output.message
    return ai_message(output)


def ai_message(message: Any) -> AIMessage:
    """Return *message* as ours; see `outputs.from_any` for what it may be.

    Raises:
        TypeError: It is no message of a model.
        ValueError: It is one, but malformed.
    """
    if isinstance(message, AIMessage):
        return message
    ours: BaseMessage | None = None
    if (quick := _from_langchain(message)) is not None:
        return quick
    error: TypeError | None = None
    if not isinstance(message, BaseMessage | str):
        try:
            ours = from_any(message)
        except TypeError as unknown:
            error = unknown
    if isinstance(ours, AIMessage):
        return ours
    raise TypeError(f"Expected an AI message got {type(message)}") from error


# As in `_actions`: a message of LangChain's has the fields of ours, and was validated when it was
# made. To validate it again takes longer than to parse it.
_new: Final = object.__new__
_set_fields_set: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__
_COPIED: Final = ("tool_calls", "invalid_tool_calls", "additional_kwargs", "response_metadata")


def _from_langchain(message: Any) -> AIMessage | None:
    """Return a whole AI message of LangChain's as ours; `None` if it is not exactly that."""
    kind = type(message)
    if kind.__name__ != "AIMessage" or not kind.__module__.startswith("langchain_core."):
        return None
    fields = dict(message.__dict__)
    if fields.keys() != AIMessage.model_fields.keys() or fields["type"] != "ai":
        return None
    for name in _COPIED:
        fields[name] = fields[name].copy()
    ours: AIMessage = _new(AIMessage)
    ours.__dict__.update(fields)
    _set_fields_set(ours, set(message.model_fields_set))
    _set_extra(ours, dict(message.model_extra or {}))
    _set_private(ours, None)
    return ours


def tool_pieces(message: AIMessage) -> list[CallPiece]:
    """Return the tool calls of *message*, in the order in which they came.

    What a message has read of its calls counts. What it has read them from, in
    ``additional_kwargs`` or among the blocks of the content, is only looked at for the text of the
    arguments, and if it has read none.
    """
    if isinstance(message, AIMessageChunk):
        return [
            CallPiece(piece["name"], piece["args"], piece["id"], piece["index"])
            for piece in message.tool_call_chunks
        ]
    calls, invalid = message.tool_calls, message.invalid_tool_calls
    entries = message.additional_kwargs.get("tool_calls")
    if not entries and isinstance(message.content, list):
        entries = _entries_in(message.content)
    if entries:
        entries = list(entries) if isinstance(entries, list | tuple) else [entries]
        is_unread = not calls and not invalid
        if is_unread or calls_from_wire(entries) == (calls, invalid):
            functions = [_wire_piece(entry) for entry in entries]
            return [piece for piece in functions if is_unread or piece is not _NO_CALL]
    return [
        *(CallPiece(call["name"], call["args"], call["id"], is_data=True) for call in calls),
        *(CallPiece(bad["name"], bad["args"], bad["id"]) for bad in invalid),
    ]


def _entries_in(content: list[str | dict[Any, Any]]) -> list[dict[str, Any]]:
    """Return the calls among the items of a response, as they came."""
    from outputs.clients.openai_responses import wire_entry  # few messages have blocks

    entries: list[dict[str, Any]] = []
    for block in content:
        with suppress(KeyError):  # A block that someone else made is what they say it is.
            if isinstance(block, dict) and (entry := wire_entry(block)) is not None:
                entries.append(entry)
    return entries


def function_pieces(message: AIMessage) -> list[CallPiece]:
    """Return the function call of *message*, or what a chunk has of it."""
    call = message.additional_kwargs.get("function_call")
    if not call:
        return []
    if not isinstance(call, dict):
        return [_NO_CALL]
    name, arguments = call.get("name"), call.get("arguments")
    return [CallPiece(name, arguments, None, 0, call)]


_NO_CALL: Final = CallPiece(None, None)


def _wire_piece(entry: Any) -> CallPiece:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return _NO_CALL
    call_id = entry.get("id")
    return CallPiece(
        function.get("name"),
        function.get("arguments"),
        call_id if isinstance(call_id, str) else None,
        None,
        function,
        is_text=entry.get("type") == "custom",
    )


def as_json(arguments: Any) -> str:
    """Write arguments that came as data, as models write them."""
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        return str(arguments)  # Keys that JSON does not have.
    except RecursionError:
        return ""  # It will be refused.
