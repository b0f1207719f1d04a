"""Call reader for calls in Gemma's braces: ``call:set_lamp{level:0.4,room:<|"|>hall<|"|>}``."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.brace_scan import Members
from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.events import (
    AnswerDelta,
    Event,
    InputDelta,
    MarkerSeen,
    Repair,
    SkippedDelta,
    ToolNamed,
)

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["BraceCalls"]

_end_of_head: Final = re.compile(r"""[{}()\[\]<>"',]""").search
_head: Final = re.compile(r"(call\s*+:|:?)\s*+(\S*?)\s*+").fullmatch
_LONGEST_HEAD: Final = 200
"""Longest head, in characters; longer text before a brace is not a head."""


class BraceCalls(CallsReader):
    """Reads one call, and text after it as content.

    The call is complete at its closing brace; the closer after that may be missing.

    Args:
        quote: The mark at both ends of a string.
        closer: The marker after the call.
        lenient: Whether to repair common mistakes of models.
    """

    problems = frozenset(
        {
            *("no_tool", "no_call", "open_call", "deep_call", "other_form", "odd_brackets"),
            *("no_key", "no_value", "two_values", "bad_value", "two_ends"),
        }
    )

    __slots__ = (
        "_call",
        "_closer",
        "_held",
        "_input_at",
        "_lead",
        "_lenient",
        "_members",
        "_name",
        "_name_at",
        "_odd",
        "_quote",
        "_read",
        "_rest_at",
        "_start",
        "_unreported",
    )  # fmt: skip

    def __init__(self, *, quote: str, closer: str, lenient: bool = False) -> None:
        super().__init__()
        self._quote, self._closer, self._lenient = quote, closer, lenient
        self._read: Callable[[str, list[Event]], str] = self._read_head
        self._start = -1  # where the call stands
        self._at = self._rest_at = -1  # where the next event, and the rest, begin
        self._held: list[str] = []  # text before the brace
        self._unreported: list[str] = []  # text that may belong to the arguments
        self._lead = ""  # the closing brace, with white space after it
        self._name = ""
        self._name_at = self._input_at = -1
        self._odd: list[Repair] = []
        self._members = Members(0, "{", quote=quote, closer=closer, lenient=lenient)
        self._call: Call | None = None

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string."""
        return self._read == self._read_members and self._members.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._at < 0:
            self._start = self._at = at
        events: list[Event] = []
        if self._held:
            self._held.append(text)
            if _end_of_head(text) is None and sum(map(len, self._held)) <= _LONGEST_HEAD:
                return events
            text = "".join(self._held)
            self._held = []
        while text:
            text = self._read(text, events)
        return events

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back and the call; `more` has later content."""
        events: list[Event] = []
        if self._held:
            self._rest_at = self._at
            self._emit("".join(self._held), SkippedDelta, events)
        elif self._read == self._read_members:
            self._close_members(events)
        self._emit(self._lead, MarkerSeen, events, "}")
        rest = Call("", "", (self._rest_at, self._at))
        if self._call is None:
            if self._rest_at < 0:
                return events, self._nothing()
            is_cut = bool(self._held) and not self._is_met
            # A name without arguments is not prose: a call was lost there.
            is_named = "".join(self._held).lstrip().startswith("call:")
            rest.problem = "open_call" if is_cut or is_named else "no_call"
            return events, rest
        if self._rest_at >= 0:
            rest.is_text = True
            self.more = (rest,)
        return events, self._call

    def _nothing(self) -> Call:
        """Return the result of empty text, which models write when they make no call."""
        is_cut = not (self._is_met or self._goes_on)
        call = Call("", "", (-1, -1), problem="open_call" if is_cut else "no_call")
        if self._lenient and self._is_met:
            call.is_text, call.problem = True, ""
            call.repairs = (Repair("empty_call", (-1, -1), "left out a call that is empty"),)
        return call

    def _close_members(self, events: list[Event]) -> None:
        """End the arguments at the end of the text, or before the closer of the call."""
        is_closed = self._members.close_string()
        text = "".join(self._unreported)
        if not is_closed:
            self._emit(text, InputDelta, events)
        self._end_call("" if is_closed else "open_call", self._at)
        if is_closed:
            assert self._call is not None, "_end_call sets it"
            self._call.is_short = True
            self._lead = self._closer
            self._read = self._read_after
            rest = text[len(self._closer) :]
            while rest:
                rest = self._read(rest, events)

    # -- steps, in order --------------------------------------------------------------------------

    def _read_head(self, text: str, events: list[Event]) -> str:
        """Read the name and the brace after it."""
        end = _end_of_head(text)
        if end is None and len(text) <= _LONGEST_HEAD:
            self._held = [text]
            return ""
        head = _head(text, 0, end.start()) if end is not None and end[0] in "{(" else None
        if end is None or head is None or end.start() > _LONGEST_HEAD:
            self._rest_at = self._at
            self._read = self._read_junk
            return text
        self._emit(text[: head.start(2)], MarkerSeen, events, "call:")
        self._name, self._name_at = head[2], self._at
        self._emit(self._name, ToolNamed, events)
        if head[1] != "call:":
            span = (self._name_at, self._at)
            self._odd.append(Repair("prefix", span, "read a name that is not behind 'call:'"))
        self._emit(text[head.end(2) : end.end()], MarkerSeen, events, "{")
        if end[0] == "(":
            span = (self._at - 1, self._at)
            self._odd.append(Repair("brackets", span, "read parentheses as braces"))
        self._input_at = self._at
        self._members = Members(
            self._at, end[0], quote=self._quote, closer=self._closer, lenient=self._lenient
        )
        self._read = self._read_members
        return text[end.end() :]

    def _read_members(self, text: str, events: list[Event]) -> str:
        end = self._members.feed(text)
        self._unreported.append(text if end < 0 else text[: end - 1])
        size = self._members.known - self._at
        if size > 0:
            known = "".join(self._unreported)
            self._emit(known[:size], InputDelta, events)
            self._unreported = [known[size:]]
        if end < 0:
            return ""
        self._end_call("", self._at + 1)
        self._lead = text[end - 1]
        self._read = self._read_after
        return text[end:]

    def _end_call(self, problem: str, stop: int) -> None:
        """Create the call, which ends at *stop*."""
        members = self._members
        repairs = (*self._odd, *members.repairs)
        if not problem and not self._name:
            problem = "no_tool"
        elif not problem and repairs and not self._lenient:
            problem = "other_form"
        problem = problem or members.problem
        self._call = Call(
            tool=self._name,
            tool_input={} if problem else members.members,
            span=(self._start, stop),
            tool_span=(self._name_at, self._name_at + len(self._name)),
            problem=problem,
            repairs=() if problem else repairs,
            input_span=(self._input_at, self._at) if self._input_at < self._at else None,
            others={key: partial(tuple, [text]) for key, text in members.written.items()},
        )

    def _read_after(self, text: str, _events: list[Event]) -> str:
        """Skip white space after the call."""
        body = text.lstrip()
        self._lead += text[: len(text) - len(body)]
        if body:
            self._read = self._read_content
        return body

    def _read_content(self, text: str, events: list[Event]) -> str:
        self._emit(self._lead, MarkerSeen, events, "}")
        self._lead = ""
        self._rest_at = self._at if self._rest_at < 0 else self._rest_at
        self._emit(text, AnswerDelta, events)
        return ""

    def _read_junk(self, text: str, events: list[Event]) -> str:
        self._emit(text, SkippedDelta, events)
        return ""
