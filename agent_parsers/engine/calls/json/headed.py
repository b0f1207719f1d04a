"""Call reader for messages whose header says what they are: a thought, content, or a call."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.calls.json.named_json import Head, NamedJson
from agent_parsers.engine.calls.raw_values import held_size
from agent_parsers.engine.calls.reader import Call, CallReader, CallsReader
from agent_parsers.engine.repairs.names import tool_named
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
)
from outputs.growing_json.kept_text import KeptText

_MOST: Final = 64
"""How much of a text is examined for the beginning of a header, in characters."""


class Header(NamedTuple):
    """What a header says about the body after it."""

    kind: type[ThoughtDelta | AnswerDelta | SkippedDelta | InputDelta] = AnswerDelta
    """The event that the body is emitted as."""
    stop: int = 0
    """Where the body begins, in characters, if no marker ends the header."""
    reader: CallReader | None = None
    """Reads the header and the body, if they are a call in JSON."""
    body: CallReader | None = None
    """Reads the body alone, if that is the whole call."""
    tool: str = ""
    """The name of the tool in the header, if that in the body has to be the same."""
    head: Head | None = None
    """Where the name of the tool stands, if the body is its input as verbatim text."""
    problem: str = ""
    """Name of the problem with such a body, or ``""``."""
    odd: str = ""
    """Message of the repair, if the dialect writes the header otherwise."""
    is_aside: bool = False
    """Whether the body is for the user, but never the answer."""


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

    problems: ClassVar[frozenset[str]] = NamedJson.problems | {"open_header", "several_tools"}

    def __init__(
        self, end: str, read_header: Callable[[str, bool], Header], may_begin: Callable[[str], bool]
    ) -> None:
        super().__init__(self._find_header)
        self._end, self._read_header, self._may_begin = end, read_header, may_begin
        self._pieces: list[str] = []  # of the header
        self._size = 0  # its length so far
        self._tail = ""  # its last characters, which may begin the marker that ends it
        self._header: Header | None = None
        self._mark = "header"  # name of the marker before the body
        self._body_at = -1  # where the body begins
        self._body = KeptText()  # the input, if the body is one

    @property
    @override
    def has_call_begun(self) -> bool:
        """Whether the header was read, so that it is known what the body is."""
        return self._header is not None

    @property
    @override
    def is_message(self) -> bool:
        if self._header is None or self._step != self._read_body:
            return False
        return self._header.kind is not InputDelta

    def _find_header(self, text: str, events: list[Event]) -> str:
        """Read up to the end of the header."""
        is_first = self._size < _MOST
        self._size += len(text)
        self._pieces.append(text)
        if is_first and not self._may_begin("".join(self._pieces)[:_MOST]):
            return self._open(Header(), "".join(self._pieces), 0, events)
        window = self._tail + text
        found = window.find(self._end)
        if found < 0:
            self._tail = window[len(window) - held_size(window, self._end) :]
            return ""
        whole = "".join(self._pieces)
        stop = len(whole) - len(window) + found + len(self._end)
        return self._open(self._read_header(whole[:stop], True), whole, stop, events)

    def _open(self, header: Header, text: str, stop: int, events: list[Event]) -> str:
        """Continue with the body, which begins at *stop* in *text*."""
        self._header, head = header, header.head
        if header.reader is not None:
            return self._hand_on(header.reader, text, events)
        if head is not None:
            self._mark = "head"
            self._emit(text[: head.start], MarkerSeen, events, "head")
            self._emit(text[head.start : head.stop], ToolNamed, events)
        self._emit(text[self._at - self._start : stop], MarkerSeen, events, self._mark)
        self._step = self._find_body
        return text[stop:]

    def _find_body(self, text: str, events: list[Event]) -> str:
        """Read the white space before the body."""
        assert self._header is not None, "the header is read before the body"
        body = text.lstrip()
        self._emit(text[: len(text) - len(body)], MarkerSeen, events, self._mark)
        if body and self._header.body is not None:
            return self._hand_on(self._header.body, body, events)
        if body:
            self._body_at = self._at
            self._step = self._read_body
        return body

    def _read_body(self, text: str, events: list[Event]) -> str:
        assert self._header is not None, "the header is read before the body"
        if self._header.head is not None:
            self._body.add(text)
        self._emit(text, self._header.kind, events)
        return ""

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        if self._start < 0:
            return [Call("", "", (0, 0), is_text=True)]
        header = self._header
        if header is None:
            whole = "".join(self._pieces)
            header = self._read_header(whole, False)
            self._run(self._open(header, whole, header.stop, events), events)
        span = (self._start, self._at)
        body_at = self._at if self._body_at < 0 else self._body_at
        if header.head is not None:
            return [self._named(header.head, (body_at, self._at))]
        problem = header.problem
        if header.body is not None:
            problem = "bad_call" if self._is_met else "open_call"
        if problem:
            return [Call("", "", span, problem=problem)]
        start = body_at if header.kind is AnswerDelta else self._at
        odd = (Repair("header", span, header.odd),) if header.odd else ()
        span = (start, self._at)
        return [Call("", "", span, is_text=True, is_aside=header.is_aside, repairs=odd)]

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, call = super().close()
        named = "" if self._header is None else self._header.tool
        if named and all(
            tool_named(named, (each.tool,)) != each.tool for each in (call, *self.more)
        ):
            call.refuse("several_tools")
        return events, call

    def _named(self, head: Head, input_span: Span) -> Call:
        """Return the call of the tool that *head* names; the body is its input."""
        name_at = (self._start + head.start, self._start + head.stop)
        tool = "".join(self._pieces)[head.start : head.stop]
        return Call(
            tool,
            str(self._body),
            (self._start, self._at),
            name_at,
            problem="" if tool else "no_tool_name",
            id=head.id,
            input_span=input_span,
            lacks="" if self._is_met else "closer",
            is_raw=True,
        )
