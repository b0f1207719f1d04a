"""Payload codec for messages whose header says what they are: a thought, content, or a call."""

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
"""Longest beginning of a text that is looked at to see whether it is that of a header."""


class Header(NamedTuple):
    """What a header says of the body behind it."""

    kind: type[ThoughtDelta | AnswerDelta | SkippedDelta] = AnswerDelta
    """What the body is told as."""
    stop: int = 0
    """Where the body begins, in characters, if no mark ends the header."""
    reader: CallReader | None = None
    """Reads header and body, if they are a call."""
    problem: str = ""
    """Name of what is wrong with such a body."""
    odd: str = ""
    """What is told of the header, if the dialect does not write it so."""


class HeadedMessage(CallsReader):
    """Reads ``<|channel|>final<|message|>Yes.``: a header, its end, and a body.

    Nothing is told before the header is whole. A text that begins like no header is content.

    Args:
        end: What ends the header.
        read_header: Takes a header apart, given whether it is whole: with its end, behind which
            nothing follows. If not, the text goes on with the body, or lacks it.
        may_begin: Tells whether a header may begin so.
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
        self._tail = ""  # the last characters of it, which may begin the mark that ends it
        self._header: Header | None = None

    @property
    @override
    def is_begun(self) -> bool:
        """Whether it is known what the body is."""
        return self._header is not None

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether what comes next is inside a string of a call."""
        reader = self._header.reader if self._header is not None else None
        return reader is not None and reader.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text*, which stands at offset *at*, and return the events it completes."""
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
        """Return the events that were held back, and the call; or else what is content."""
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
        """Go on with the body, which begins behind *stop* in *text*."""
        self._header = header
        self._pieces.clear()
        if header.reader is None:
            self._emit(text[:stop], MarkerSeen, events, "header")
            text = text[stop:]
        self._take(header, text, self._at, events)

    def _take(self, header: Header, text: str, at: int, events: list[Event]) -> None:
        """Take more of the body."""
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
    """Reads what names the tool, then its input as text as it stands.

    Args:
        head: Where the name stands.
        size: How long the head is, in characters; it comes in one piece.
    """

    __slots__ = ("_call", "_head", "_is_met", "_pieces", "_size")

    def __init__(self, head: Head, size: int) -> None:
        self._head, self._size = head, size
        self._is_met = False
        self._pieces: list[str] = []
        self._call = Call("", "", (-1, -1), problem="no_call", id=head.id)

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text*, which stands at offset *at*, and return the events it completes."""
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
        """Hear that a marker closes the text, so that nothing of it was cut off."""
        self._is_met = True

    @override
    def close(self) -> tuple[list[Event], Call]:
        """Return no events, and the call."""
        call = self._call
        call.lacks = "" if self._is_met else "closer"
        call.tool_input = "".join(self._pieces)
        call.span = (call.span[0], self._at)
        if call.input_span is not None:
            call.input_span = (call.input_span[0], self._at)
        return [], call
