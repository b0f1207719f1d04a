"""A call of a message, as its pieces arrive."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from outputs.growing_json.reader import JsonReader

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.native.reading.pieces import CallPiece

__all__ = ["GrowingCall"]

_NOTHING: Final = object()


class GrowingCall:
    """One call: the pieces that have arrived, and how many of them have been emitted."""

    def __init__(self, *, lenient: bool) -> None:
        self._names: list[str] = []
        self._data: Any = _NOTHING
        self._function: Any = None
        self._lenient = lenient
        self._reader: JsonReader | None = None  # made when it is first needed
        self._read = 0  # how many parts the reader has read
        self.id: str | None = None
        self.index: int | None = None  # the index of its pieces
        self.is_data: bool = False  # whether the arguments came as data
        self.is_text: bool = False  # whether the arguments were plain text, now written as JSON
        self.parts: list[str] = []
        """The pieces of the arguments' text, as they arrived."""

        # Set by the stream parser, which emits the events.
        self.is_named = False
        self.is_over = False  # whether the next call is being emitted
        self.emitted = 0  # how many parts
        self.name_at = self.args_at = self.end = -1  # in the text of the message

    @property
    def name(self) -> str:
        """Name of the tool so far; empty if no name has arrived."""
        return "".join(self._names)

    @property
    def written(self) -> Any:
        """The arguments as they came, as text or data; `None` if there are no arguments."""
        if self._data is not _NOTHING:
            return self._data
        return "".join(self.parts) if self.parts else None

    @property
    def function(self) -> Any:
        """Name and arguments as the provider sent them."""
        return self._function or {"name": self.name, "arguments": self.written}

    @property
    def span(self) -> Span:
        """Span of the call in the text of the message."""
        return (self.name_at, self.end)

    @property
    def args_span(self) -> Span:
        """Span of the arguments in the text of the message."""
        return (self.args_at, self.end)

    def add(self, piece: CallPiece, name: str, text: str) -> None:
        """Add a *piece* with this part of the *name* and this *text* of the arguments."""
        self.id = self.id or piece.id
        self.index = piece.index
        self.is_data = self.is_data or piece.is_data
        self.is_text = self.is_text or piece.is_text
        # Only a call that came in one piece can be quoted as it came.
        is_first = not self._names and not self.parts and self._data is _NOTHING
        self._function = piece.function if is_first else None
        if name:
            self._names.append(name)
        if not isinstance(piece.arguments, str | None):
            self._data = piece.arguments
        if text or piece.arguments == "":
            self.parts.append(text)

    @property
    def shows_end(self) -> bool:
        """Whether the arguments show by themselves that they are not cut."""
        written = self.written
        if self.is_text or not isinstance(written, str):
            return False
        last = written.rstrip()[-1:]
        return bool(last) and not last.isdigit()

    def is_whole(self) -> bool:
        """Return whether the arguments are a complete JSON value."""
        if self._data is not _NOTHING:
            return True
        reader = self._reader
        if reader is None:
            reader = self._reader = _new_reader(lenient=self._lenient)
        while self._read < len(self.parts) and reader.end is None and reader.error is None:
            _feed(reader, self.parts[self._read])
            self._read += 1
        return reader.end is not None


def _new_reader(*, lenient: bool) -> JsonReader:
    if not lenient:
        return JsonReader()
    from outputs.growing_json.lenient.lenient_reader import (
        LenientJsonReader,  # imported lazily: it is slow
    )

    return LenientJsonReader()


def _feed(reader: JsonReader, text: str) -> None:
    try:
        reader.feed(text)
    except ValueError:
        return  # A limit is exceeded; reading the arguments raises later.
