"""Call reader for messages whose header says what they are: a thought, content, or a call."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.engine.calls.raw_values import held_size
from agent_parsers.engine.calls.reader import Call, CallsReader, EmittingReader
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.calls.json.named_head import Head
    from agent_parsers.engine.calls.reader import CallReader

__all__ = ["HeadedMessage", "Header", "NamedText"]

_MOST: Final = 64
"""How much of a text is examined for the beginning of a header, in characters."""


class Header(NamedTuple):
    """What a header says about the body after it."""

    kind: type[ThoughtDelta | AnswerDelta | SkippedDelta] = AnswerDelta
    """The event that the body is emitted as."""
    stop: int = 0
    """Where the body begins, in characters, if no marker ends the header."""
    reader: CallReader | None = None
    """Reads the header and the body, if they are a call."""
    problem: str = ""
    """Name of the problem with such a body, or ``""``."""
    odd: str = ""
    """Message of the repair, if the dialect writes the header otherwise."""


class HeadedMessage(CallsReader):
    """Reads ``<|channel|>final<|message|>Yes.``: a header, its end, and a body.

    No event is emitted before the header is complete. A text that does not begin like a header is
    content.

    Args:
        end: The marker that ends the header.
        read_header: Parses a header. The second argument is whether the header is complete, that
            is, its text ends with *end*; otherwise the text may continue with the body.
        may_begin: Returns whether a header may begin with a text.
    """

    __slots__ = (
        "_body", "_end", "_header", "_may_begin", "_pieces", "_read_header", "_start", "_tail",
    )  # fmt: skip

    problems = NamedJson.problems | {"open_header"}

    def __init__(
        self,
        end: str,
        read_header: Callable[[str, bool], Header],
        may_begin: Callable[[str], bool],
    ) -> None:
        super().__init__()
        self._end, self._read_header, self._may_begin = end, read_header, may_begin
        self._start = self._at = self._body = -1
        self._pieces: list[str] = []  # of the header
        self._tail = ""  # its last characters, which may begin the marker that ends it
        self._header: Header | None = None

    @property
    @override
    def is_begun(self) -> bool:
        """Whether the header was read, so that the kind of the body is known."""
        return self._header is not None

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of a call."""
        reader = self._header.reader if self._header is not None else None
        return reader is not None and reader.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        events: list[Event] = []
        if self._start < 0:
            self._start = self._at = at
        if self._header is not None:
            self._take(self._header, text, at, events)
            return events
        self._pieces.append(text)
        if at < self._start + _MOST and not self._may_begin("".join(self._pieces)[:_MOST]):
            self._open(Header(), "".join(self._pieces), 0, events)
            return events
        window = self._tail + text
        found = window.find(self._end)
        if found < 0:
            size = held_size(window, self._end)
            self._tail = window[len(window) - size :]
            return events
        whole = "".join(self._pieces)
        stop = len(whole) - len(window) + found + len(self._end)
        self._open(self._read_header(whole[:stop], True), whole, stop, events)
        return events

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back, and the call, or else the content."""
        events: list[Event] = []
        if self._start < 0:
            return events, Call("", "", (0, 0), is_text=True)
        header = self._header
        if header is None:
            whole = "".join(self._pieces)
            header = self._read_header(whole, False)
            self._open(header, whole, header.stop, events)
        if header.reader is not None:
            if self._is_met:
                header.reader.meet()
            last, call = header.reader.close()
            self.more = header.reader.more
            return events + last, call
        if header.problem:
            return events, Call("", "", (self._start, self._at), problem=header.problem)
        start = self._at if self._body < 0 or header.kind is not AnswerDelta else self._body
        odd = (Repair("header", (self._start, self._at), header.odd),) if header.odd else ()
        return events, Call("", "", (start, self._at), is_text=True, repairs=odd)

    def _open(self, header: Header, text: str, stop: int, events: list[Event]) -> None:
        """Continue with the body, which begins at *stop* in *text*."""
        self._header = header
        self._pieces.clear()
        if header.reader is None:
            self._emit(text[:stop], MarkerSeen, events, "header")
            text = text[stop:]
        self._take(header, text, self._at, events)

    def _take(self, header: Header, text: str, at: int, events: list[Event]) -> None:
        """Read more of the body."""
        if header.reader is not None:
            events += header.reader.feed(text, at)
            return
        if self._body < 0:
            body = text.lstrip()
            self._emit(text[: len(text) - len(body)], MarkerSeen, events, "header")
            if not body:
                return
            self._body, text = self._at, body
        self._emit(text, header.kind, events)


class NamedText(EmittingReader):
    """Reads a head that names the tool, then its input as verbatim text.

    Args:
        head: Where the name stands.
        size: Length of the head in characters; it arrives in one chunk.
    """

    __slots__ = ("_call", "_head", "_is_met", "_pieces", "_size")

    def __init__(self, head: Head, size: int) -> None:
        self._head, self._size = head, size
        self._is_met = False
        self._pieces: list[str] = []
        self._call = Call("", "", (-1, -1), problem="no_call", id=head.id)

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        events: list[Event] = []
        call, head = self._call, self._head
        if call.span[0] < 0:
            self._at = at
            call.tool = text[head.start : head.stop]
            call.problem = "" if call.tool else "no_tool"
            call.span, call.tool_span = (at, at), (at + head.start, at + head.stop)
            self._emit(text[: head.start], MarkerSeen, events, "head")
            self._emit(call.tool, ToolNamed, events)
            self._emit(text[head.stop : self._size], MarkerSeen, events, "head")
            text = text[self._size :]
        if not self._pieces:
            body = text.lstrip()
            self._emit(text[: len(text) - len(body)], MarkerSeen, events, "head")
            call.input_span = (self._at, self._at)
            text = body
        if text:
            self._pieces.append(text)
            self._emit(text, InputDelta, events)
        return events

    @override
    def meet(self) -> None:
        """Note that a marker closes the text, so nothing of it was cut off."""
        self._is_met = True

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return no events, and the call."""
        call = self._call
        call.lacks = "" if self._is_met else "closer"
        call.tool_input = "".join(self._pieces)
        call.span = (call.span[0], self._at)
        if call.input_span is not None:
            call.input_span = (call.input_span[0], self._at)
        return [], call
