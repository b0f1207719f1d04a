"""The calls of a message or a message chunk as they came: names, arguments, ids."""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from output_parsers.model_output import not_of_a_model, other_role
from output_parsers.printable import kind_of
from outputs import AIMessage, AIMessageChunk, BaseMessage, from_any
from outputs.clients.unread_calls import answered_ids
from outputs.messages.growing_calls import GrowingCall
from outputs.messages.wire_calls import are_calls_of, id_of_entry, other_members, written_arguments

if TYPE_CHECKING:
    from outputs.growing_json.reader import JsonReader
    from outputs.messages.base import Content

_GENERATIONS: Final = (
    "ChatGeneration", "ChatGenerationChunk", "Generation", "GenerationChunk",
)  # fmt: skip
"""The types of generations, in this package and in LangChain."""
ONLY_GENERATIONS: Final = "This output parser only works on ChatGeneration output"
"""LangChain's message."""


@dataclass(frozen=True, slots=True)
class CallPiece:
    """A call, or the piece of a call in a chunk."""

    name: Any
    """Name of the tool, or a part of it; `None` if another piece has it."""
    arguments: Any
    """JSON text or a part of it, or data; `None` if there are no arguments."""
    id: str | None = None
    """Id of the call, usually in the first piece only."""
    index: int | None = None
    """Index of the call, in a chunk; `GrowingCalls` states which call a piece belongs to."""
    function: Any = None
    """Name and arguments as the provider sent them, if both are in one piece."""
    is_data: bool = False
    """Whether *arguments* are the parsed arguments of a finished message."""
    is_text: bool = False
    """Whether the arguments were plain text, now written as JSON."""
    members: Mapping[str, Any] | None = None
    """What the call has besides, and its API does not know."""
    written: str | None = None
    """The *arguments*, if they are data, as the model wrote them; `None` if that is not known."""


_NO_DATA: Final = object()


class EmittedCall(GrowingCall):
    """One call: the pieces that have arrived, and how many of them have been emitted."""

    def __init__(self, index: int | None = None, *, lenient: bool) -> None:
        super().__init__(index)
        self._lenient = lenient
        self._data: Any = _NO_DATA
        self._function: Any = None
        self.is_data: bool = False  # whether the arguments came as data
        self.is_text: bool = False  # whether the arguments were plain text, now written as JSON
        self.members: Mapping[str, Any] = {}  # of a call that came in one piece

        # Set by the stream parser, which emits the events.
        self.is_named = False
        self.is_over = False  # whether the next call is being emitted
        self.emitted = 0  # how many parts
        self.name_at = self.args_at = self.end = -1  # in the text of the message

    @property
    def written(self) -> Any:
        """The arguments as they came, as text or data; `None` if there are no arguments."""
        return super().written if self._data is _NO_DATA else self._data

    @property
    def function(self) -> Any:
        """Name and arguments as the provider sent them."""
        return self._function or {"name": self.name, "arguments": self.written}

    def take(self, piece: CallPiece, name: str, text: str) -> None:
        """Add a *piece* with this part of the *name* and this *text* of the arguments."""
        self.is_data = piece.is_data
        self.is_text = piece.is_text
        self.members = piece.members or self.members
        # Only a call that came in one piece can be quoted as it came.
        is_first = not self.name and not self.parts and self._data is _NO_DATA
        self._function = piece.function if is_first else None
        if not isinstance(piece.arguments, str | None):
            self._data = piece.arguments
        self.add(name or None, text if text or piece.arguments == "" else None)

    @property
    def is_empty(self) -> bool:
        """Whether there are no arguments; it is then unknown whether they have ended."""
        written = self.written
        return written is None or (isinstance(written, str) and not written.strip())

    @property
    def shows_end(self) -> bool:
        """Whether the arguments alone show that they are not cut off."""
        written = self.written
        if self.is_text or not isinstance(written, str):
            return False
        last = written.rstrip()[-1:]
        return bool(last) and not last.isdigit()

    @property
    def is_complete(self) -> bool:
        """Whether the arguments begin with a whole JSON value."""
        return self._data is not _NO_DATA or super().is_complete

    def _new_reader(self) -> JsonReader:
        if not self._lenient:
            return super()._new_reader()
        # Imported lazily: it is slow to import.
        from outputs.growing_json.lenient.lenient_reader import LenientJsonReader

        return LenientJsonReader()

    def _feed(self, reader: JsonReader, text: str) -> None:
        if reader.end is None and reader.error is None:  # What follows the value does not matter.
            reader.feed(text)


def message_in(output: Any, *, takes_text: bool) -> AIMessage:
    """Return the message in the *output* of a model, a generation or what `outputs.from_any` takes.

    Text is the content of a message if *takes_text* is true.

    Raises:
        ProviderError: The message reports that the provider failed.
        TypeError: *output* is not a message of a model.
        ValueError: *output* is text without a message, or a malformed message.
    """
    if isinstance(output, AIMessage):
        return output
    if isinstance(output, str):
        if takes_text:
            return AIMessage(output)
        raise not_text(ONLY_GENERATIONS)
    if getattr(output, "type", None) in _GENERATIONS:
        if not hasattr(output, "message"):
            return message_in(output.text, takes_text=takes_text)
        output = output.message
    try:
        return ai_message(output)
    except TypeError as error:
        raise _not_of_a_model(output, is_strict=not takes_text) from error


def _not_of_a_model(output: Any, *, is_strict: bool) -> TypeError:
    """Return the error for *output*, which is no message of a model."""
    try:
        role = other_role(from_any(output))
    except TypeError:
        return TypeError(
            f"expected a message or a generation, not {kind_of(output)}; see"
            " outputs.from_any for what else counts as a message"
        )
    said = not_of_a_model(role)
    if not is_strict:
        return TypeError(said)
    error = TypeError(f"Expected an AI message got {type(output)}")  # LangChain's words
    error.add_note(said)
    return error


def not_text(said: str) -> ValueError:
    """Return the error with LangChain's words for a text, and a note that says what to pass."""
    error = ValueError(said)
    error.add_note(
        "Pass the model's message to `invoke`. Text is only accepted with `lenient=True`."
    )
    return error


def ai_message(message: Any) -> AIMessage:
    """Return *message* as an `AIMessage`; see `outputs.from_any` for what it may be.

    Raises:
        TypeError: *message* is not a message of a model.
        ValueError: *message* is malformed.
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


# As in `agent_parsers.actions`: a LangChain message has the same fields as ours, and was validated
# when it was made. Validating it again would take longer than parsing it.
_new: Final = object.__new__
_set_fields_set: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__
_COPIED: Final = ("tool_calls", "invalid_tool_calls", "additional_kwargs", "response_metadata")


def _from_langchain(message: Any) -> AIMessage | None:
    """Return LangChain's `AIMessage` as ours; `None` if *message* is of any other class."""
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

    The parsed calls of a message count. The raw calls in ``additional_kwargs`` or among the blocks
    of the content are used only for the text of the arguments, or if there are no parsed calls.
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
        if is_unread or are_calls_of(entries, calls, invalid):
            functions = [_wire_piece(entry) for entry in entries]
            return [piece for piece in functions if is_unread or piece is not _NO_CALL]
    pieces = [
        *(
            CallPiece(
                call["name"],
                call["args"],
                call["id"],
                is_data=True,
                written=written_arguments(message, call),
            )
            for call in calls
        ),
        *(CallPiece(bad["name"], bad["args"], bad["id"]) for bad in invalid),
    ]
    pieces = _in_order_of(message.content, pieces) if calls and invalid else pieces
    if isinstance(message.content, str):
        return pieces
    answered = answered_ids(message.content)
    return [piece for piece in pieces if piece.id not in answered]


def _in_order_of(content: Content, pieces: list[CallPiece]) -> list[CallPiece]:
    """Return *pieces* in the order in which their ids stand in the blocks of *content*."""
    ids = [block.get("id") for block in content if isinstance(block, dict)]
    places = {call_id: place for place, call_id in enumerate(ids) if isinstance(call_id, str)}
    return sorted(pieces, key=lambda piece: places.get(piece.id or "", len(ids)))


def _entries_in(content: list[str | dict[Any, Any]]) -> list[dict[str, Any]]:
    """Return the calls among the items of a response, as they came."""
    from outputs.clients.openai_responses import wire_entry  # lazily: few messages have blocks

    entries: list[dict[str, Any]] = []
    answered = answered_ids(content)
    for block in content:
        with suppress(KeyError):  # Blocks of other makers may lack keys.
            entry = wire_entry(block) if isinstance(block, dict) else None
            if entry is not None and entry["id"] not in answered:
                entries.append(entry)
    return entries


def function_pieces(message: AIMessage) -> list[CallPiece]:
    """Return the function call of *message*, or the piece of it in a chunk."""
    call = message.additional_kwargs.get("function_call")
    if not call:
        return []
    if not isinstance(call, dict):
        return [_NO_CALL]
    name, arguments = call.get("name"), call.get("arguments")
    return [CallPiece(name, arguments, None, 0, call, members=other_members({"function": call}))]


_NO_CALL: Final = CallPiece(None, None)


def _wire_piece(entry: Any) -> CallPiece:
    function = entry.get("function") if isinstance(entry, dict) else None
    if not isinstance(function, dict):
        return _NO_CALL
    return CallPiece(
        function.get("name"),
        function.get("arguments"),
        id_of_entry(entry),
        None,
        function,
        is_text=entry.get("type") == "custom",
        members=other_members(entry),
    )


_CALLS: Final = frozenset(("custom_tool_call", "function_call", "tool_call", "tool_use"))
"""The types of content blocks that are calls."""


def is_call_block(block: Any) -> bool:
    """Return whether a *block* of the content of a message is a call."""
    return isinstance(block, dict) and block.get("type") in _CALLS


def ends_otherwise(message: AIMessage) -> bool:
    """Return whether a block after the last call of *message* shows that the call is whole."""
    if isinstance(message.content, str):
        return False
    kinds = [block.get("type") for block in message.content if isinstance(block, dict)]
    return not _CALLS.isdisjoint(kinds) and kinds[-1] not in _CALLS


def as_json(arguments: Any) -> str:
    """Return arguments that came as data as JSON text."""
    try:
        return json.dumps(arguments, ensure_ascii=False, default=str)
    except (TypeError, ValueError):
        return str(arguments)  # JSON does not have such keys.
    except RecursionError:
        return ""  # Reading the call raises later.
