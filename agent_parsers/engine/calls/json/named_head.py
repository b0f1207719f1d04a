"""The first half of reading a call that names the tool before its JSON: the head."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Final, NamedTuple

from typing_extensions import override

from agent_parsers.engine.calls.json.watch import LenientWatch, StrictWatch, Watch
from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, Repair, SkippedDelta, ToolNamed

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.calls.reader import CallReader

__all__ = ["Head", "NamedHead"]

_LONGEST: Final = 300
"""Longest head, in characters, if only certain texts may be heads."""


class Head(NamedTuple):
    """The text before the JSON of a call, parsed."""

    start: int
    """Where the name of the tool begins."""
    stop: int
    """Where it ends."""
    id: str | None = None
    """The id that the model gave the call, if any."""
    odd: str = ""
    """Message of the repair, if the dialect writes the head otherwise."""
    kind: str = "head"
    """Kind of that repair."""


class NamedHead(CallsReader):
    """Reads the head of a call, and creates the reader of the JSON after it.

    Args:
        read_head: Parses the text before the object; returns `None` if it does not name a tool. The
            text may end in a quote, if the object is written as a string.
        rules: How JSON is read.
        size: Minimum length of the head in characters; these arrive in one chunk.
        closed: Whether a marker closes the call, so that in strict mode nothing follows it.
        bare: Whether no marker introduces the call, so that any other text is content.
        unnamed: Creates the reader of a call whose JSON, not its head, names the tool.
        may_lead: Returns whether a text may still become a head; `None` if any text may.
        mark: The mark between the name and the object; a text that contains it is not prose.
    """

    __slots__ = (
        "_after", "_bare", "_base", "_call", "_closed", "_closers", "_follows", "_is_fenced",
        "_json", "_lead_size", "_mark", "_may_lead", "_pieces", "_read", "_read_head", "_rules",
        "_size", "_start", "_unnamed",
    )  # fmt: skip

    def __init__(
        self,
        read_head: Callable[[str], Head | None],
        rules: JsonCallRules,
        *,
        size: int = 0,
        closed: bool = True,
        bare: bool = False,
        unnamed: Callable[[], CallReader] | None = None,
        may_lead: Callable[[str], bool] | None = None,
        mark: str = "",
    ) -> None:
        super().__init__()
        self._read_head, self._rules = read_head, rules
        self._may_lead, self._mark = may_lead, mark
        self._size, self._closed, self._bare, self._unnamed = size, closed, bare, unnamed
        self._read: Callable[[str, list[Event]], None] = self._find_head
        self._start = self._at = self._base = -1
        self._pieces: list[str] = []  # text that was not emitted yet
        self._lead_size = 0  # length of the text that may precede the object
        self._json: Watch | None = None
        self._is_fenced = False  # whether a fence encloses the object
        self._closers: list[str] = []  # the closers of the object and of what encloses it
        self._after = -1  # where other text begins
        self._follows = ""  # its first character
        self._call = Call("", {}, (-1, -1), problem="no_call")

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of the input."""
        if self._inner is not None:
            return self._inner.is_quoting
        return self._json is not None and self._json.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        if self._inner is not None:
            return self._inner.feed(text, at)
        events: list[Event] = []
        self._read(text, events)
        return events

    @abstractmethod
    def _read_json(self, text: str, events: list[Event]) -> None:
        """Continue reading the object."""

    def _find_head(self, text: str, events: list[Event]) -> None:
        """Continue reading the text before the object."""
        brace = text.find("{", 0 if self._pieces else self._size)
        self._pieces.append(text)
        self._lead_size += len(text)
        if brace < 0:
            if not self._leads(self._lead_size):
                self._take_unnamed(events)
            return
        brace += self._lead_size - len(text)
        is_head = self._leads(brace)  # always checked, so that chunks make no difference
        text = "".join(self._pieces)
        head = self._read_head(text[:brace]) if is_head else None
        if head is not None:
            self._pieces.clear()
            self._read = self._read_json
            self._read_json(self._take_head(head, text, brace, events), events)
            return
        if is_head and not self._bare:
            self._call.problem = "bad_call"
        self._take_unnamed(events)

    def _leads(self, size: int) -> bool:
        """Return whether the first *size* characters may be a head."""
        if self._may_lead is None:
            return True
        return size <= _LONGEST and self._may_lead("".join(self._pieces)[:size])

    def _take_unnamed(self, events: list[Event]) -> None:
        """Continue with a text that does not begin with a head."""
        if self._unnamed is None:
            self._read = self._skip
            self._skip("", events)
        else:
            self._inner = self._unnamed()
            events += self._inner.feed("".join(self._pieces), self._start)

    def _take_head(self, head: Head, text: str, brace: int, events: list[Event]) -> str:
        """Process the *head* that *text* begins with; return the rest, which is JSON."""
        before = text[head.stop : brace].rstrip()
        if before.endswith('"'):
            brace = head.stop + len(before) - 1
        self._name(head, text, brace, events)
        self._is_fenced = "`" in text[head.stop : brace]
        self._json = (LenientWatch if self._rules.lenient else StrictWatch)()
        self._json.start(())
        self._json.is_settled = True
        self._base = self._at
        return text[brace:]

    def _name(self, head: Head, text: str, stop: int, events: list[Event]) -> None:
        """Emit the *head* that *text* begins with, up to *stop*."""
        call = self._call
        call.tool, call.id = text[head.start : head.stop], head.id
        call.problem = "" if call.tool else "no_tool"
        call.tool_span = (self._start + head.start, self._start + head.stop)
        if head.odd:
            call.repairs = (Repair(head.kind, (self._start, self._start + stop), head.odd),)
        self._emit(text[: head.start], MarkerSeen, events, "head")
        self._emit(call.tool, ToolNamed, events)
        self._emit(text[head.stop : stop], MarkerSeen, events, "head")

    def _skip(self, text: str, events: list[Event]) -> None:
        """Emit the text that was not emitted yet as not part of the call."""
        kind = AnswerDelta if self._bare else SkippedDelta
        self._emit("".join(self._pieces) + text, kind, events)
        self._pieces.clear()
