"""The first half of reading a call in JSON: finding the call in prose."""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.enclosers import start_of_opener
from agent_parsers.engine.calls.json.members import Members
from agent_parsers.engine.calls.json.watch import JsonWatch, watch
from agent_parsers.engine.calls.reader import CallReader
from agent_parsers.events import AnswerDelta, Event, Span, ThoughtDelta
from output_parsers.json_in_prose.search import BracketSkipper

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.rules import JsonCallRules

_FIRST_WINDOW: Final = 256
"""How much is read at first of what may be a call, in characters: most braces in prose are not."""


_may_open: Final = re.compile(r"[{\[`]").search


class JsonSearch(CallReader):
    """Looks for a call after other text: the first JSON object that is a call.

    A brace is prose if no JSON follows it, and so is an object that is not a call. If JSON begins
    and then breaks off, its brackets are skipped as a whole: part of a broken value is never the
    call. The other text becomes events of the kind *lead*.
    """

    __slots__ = (
        "_at", "_base", "_before", "_fault", "_is_lead", "_is_quoted", "_json",
        "_last", "_lead", "_members", "_next_step", "_pieces", "_rest", "_rules", "_size",
        "_skipper", "_start", "encloser", "is_odd", "lead",
    )  # fmt: skip

    opener: ClassVar[str] = "{"

    encloser: str
    """What precedes the JSON: a fence, the bracket of a list, white space."""
    lead: Span | None
    """Where text stands before the call."""
    is_odd: bool
    """Whether strict mode does not look for a call there."""

    def __init__(
        self, rules: JsonCallRules, *, lead: type[ThoughtDelta | AnswerDelta] = ThoughtDelta
    ) -> None:
        self._rules, self._lead = rules, lead
        self._start = -1  # of the text
        self.lead = None

    def _set_up(self, at: int) -> None:
        """Prepare to read text from offset *at* on."""
        self._next_step: Callable[[str, list[Event]], None] = self._read_prose
        # Where the text begins, where text not emitted yet begins, and where the text so far ends.
        self._start = self._at = self._size = at
        self._pieces: list[str] = []  # text that was not emitted yet
        self._rest: list[str] = []  # prose that may be an answer; later the closers after the JSON
        self._json: JsonWatch | None = None
        self._base = 0  # where the JSON begins
        self._is_lead = False  # whether the text or a fence begins with it
        self._is_quoted = False  # whether a sentence leads to it, so that it is not a call
        self._last = ""  # the last character of the thought that was emitted
        self._before = ""  # the one before what may be the call
        self._members = Members(self._rules.keys)
        self._fault = ""  # the problem of what looks like a call and broke off
        self._skipper: BracketSkipper | None = None
        self.encloser = ""
        self.is_odd = False

    @property
    @override
    def has_call_begun(self) -> bool:
        """Whether a call has begun."""
        return self._start >= 0 and self._members.tool is not None and not self._is_quoted

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of the call."""
        return self.has_call_begun and self._json is not None and self._json.is_quoting

    @property
    def is_in_string(self) -> bool:
        """Like `is_quoting`, but also for an object that may turn out to be the call."""
        if self._start < 0 or self._json is None:
            return False
        return (self.has_call_begun or self._is_lead) and self._json.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._start < 0:
            self._set_up(at)
        self._pieces.append(text)
        self._size += len(text)
        events: list[Event] = []
        self._next_step(text, events)
        return events

    @abstractmethod
    def _begin(self, events: list[Event]) -> None:
        """Emit what is known of the call, which has begun, and continue reading it."""

    def _read_prose(self, _text: str, events: list[Event]) -> None:
        self._scan("".join(self._pieces), 0, events)

    def _scan(self, text: str, pos: int, events: list[Event]) -> None:
        """Look for a call from *pos* on in *text*, which is all that was not emitted yet."""
        while (brace := text.find("{", pos)) >= 0:
            start = start_of_opener(text, brace)
            is_lead = not start and self._at == self._start
            fence = text[start:brace]
            if not self._rules.may_open(fence, is_lead):
                pos = brace + 1
                continue
            self.encloser = fence
            self._is_lead = is_lead or "`" in fence
            self._base = self._at + brace
            strict = self._rules.strict
            self.is_odd = strict is not None and not strict.may_open(fence, is_lead)
            self._members = Members(self._rules.keys)
            self._json = watch(self._members, self._base, lenient=self._rules.lenient)
            self._before = text[start - 1 : start] or self._last
            self._is_quoted = self._rules.is_quoted(self._before, fence)
            if self._is_open(text, brace):
                self._emit_lead(text[:start], events)
                self._pieces = [text[start:]]
                self._next_step = self._read_candidate
                if self.has_call_begun:
                    self._begin(events)
                return
            pos = self._leave(text)
        hold = start_of_opener(text, len(text))
        self._emit_lead(text[:hold], events)
        self._pieces = [text[hold:]]
        self._next_step = self._read_prose if self._skipper is None else self._skip

    def _emit_lead(self, text: str, events: list[Event]) -> None:
        """Emit *text*, which precedes the call."""
        if text:
            events.append(self._lead(text, (self._at, self._at + len(text))))
            self._at += len(text)
            self.lead = (self._start, self._at)
            self._last = text[-1]
            if self._rules.may_answer is not None:
                self._rest.append(text)

    def _is_open(self, text: str, pos: int) -> bool:
        """Read JSON in *text* from *pos* on; return whether it is, or may still be, the call."""
        json = self._json
        assert json is not None
        window = len(text) if self.has_call_begun else _FIRST_WINDOW
        while pos < len(text) and json.end is None and json.error is None:
            piece = text[pos : pos + window]
            json.feed(piece)
            pos += len(piece)
            window = len(text) if self._members.tool is not None else window * 4
        return self.has_call_begun or (json.end is None and json.error is None)

    def _leave(self, text: str) -> int:
        """Give up on JSON that is not a call; return where to continue in *text*."""
        json = self._json
        assert json is not None
        self._json = None
        if self._rules.fills_fence and "`" in self.encloser:
            self._fault = self._fault or json.fault
        if json.error is None:
            assert json.end is not None
            return json.end - self._at
        stop = json.error.pos - self._at
        # Text that breaks off right after its brace is prose; no part of anything longer is a call.
        if text[self._base - self._at + 1 : stop].strip():
            self._fault = self._fault or (json.fault if self._is_lead else "")
            self._skipper = BracketSkipper(json.depth, in_string=json.broke_in_string)
            stop = self._skipper.skip(text, stop)
            if self._skipper.is_done:
                self._skipper = None
        return stop

    def _skip(self, text: str, events: list[Event]) -> None:
        """Skip the rest of a broken value, up to the end of its brackets."""
        assert self._skipper is not None
        stop = self._skipper.skip(text, 0)
        if self._skipper.is_done:
            self._skipper = None
        whole = "".join(self._pieces)
        self._scan(whole, len(whole) - len(text) + stop, events)

    def _read_candidate(self, text: str, events: list[Event]) -> None:
        """Continue reading JSON that may be the call."""
        if not self._is_open(text, 0):
            whole = "".join(self._pieces)
            self._scan(whole, self._leave(whole), events)
        elif self.has_call_begun:
            self._begin(events)
