"""Call reader for calls in Gemma's braces: ``call:set_lamp{level:0.4,room:<|"|>hall<|"|>}``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.brace_scan import BraceArguments
from agent_parsers.engine.calls.code.code_calls import LONGEST_HEAD, CodeCalls, no_call
from agent_parsers.events import AnswerDelta, Event, InputDelta, MarkerSeen, Repair, SkippedDelta

if TYPE_CHECKING:
    from agent_parsers.engine.calls.code.code_arguments import Arguments
    from agent_parsers.engine.calls.reader import Call

_head: Final = re.compile(r"(call\s*+:|:?)\s*+(\S*?)\s*+").fullmatch
_next: Final = re.compile(r"([,;]?\s*+)call\s*+:").match
_next_within: Final = re.compile(r"\}[\s,;]*+call\s*+:").search
"""Finds another call in a value that has no end of its own."""
_next_begun: Final = re.compile(r"[,;]?\s*+(?:c|ca|cal|call\s*+)?").fullmatch
"""Matches what may become the beginning of another call."""


class BraceCalls(CodeCalls):
    """Reads one call, or several in lenient mode; text after the calls is content.

    A call is complete at its closing brace; the *closer* after that may be missing. The mark
    *quote* is at both ends of a string.
    """

    problems: ClassVar[frozenset[str]] = frozenset((
        "no_tool_name", "no_call", "open_call", "deep_call", "other_form", "odd_brackets",
        "inner_mark", "no_key", "no_value", "repeated_key", "bad_value", "ambiguous_end",
    ))  # fmt: skip
    _ends_head = re.compile(r"""[{}()\[\]<>"',]""")

    def __init__(self, *, quote: str, closer: str, lenient: bool = False) -> None:
        super().__init__(bare=False, lenient=lenient)
        self._quote, self._closer = quote, closer
        self._is_next = False  # whether another call has begun after one

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        head = ""
        if isinstance(self._arguments, BraceArguments):
            self._close_arguments(self._arguments, events)
        elif self._held and self._step == self._read_next:
            self._say(self._take_held(), events)
        elif self._held:
            head = self._take_held()
            self._rest_at = self._at
            self._emit(head, SkippedDelta, events)
        self._emit(self._lead, MarkerSeen, events, "}")
        if self._rest_at >= 0:
            # A name without arguments is not prose: a call was lost there.
            is_call = head.lstrip().startswith("call:") or (head and not self._is_met)
            problem = "open_call" if is_call else "no_call"
            span = (self._rest_at, self._at)
            is_text = self._calls and not self._is_next
            self._calls.append(no_call("" if is_text else problem, span))
        return self._calls or [self._nothing()]

    def _nothing(self) -> Call:
        """Return the result of empty text, which models write when they make no call."""
        if self._lenient and self._is_met:
            call = no_call("", (-1, -1))
            call.repairs = (Repair("empty_call", (-1, -1), "dropped an empty call"),)
            return call
        is_cut = not (self._is_met or self._goes_on)
        return no_call("open_call" if is_cut else "no_call", (-1, -1))

    def _close_arguments(self, arguments: BraceArguments, events: list[Event]) -> None:
        """End the arguments at the end of the text, or before the closer of the call."""
        text = self._take_held()
        if not arguments.close_string():
            self._emit(text, InputDelta, events)
            self._end_call(arguments, self._at, "open_call")
            return
        self._end_call(arguments, self._at)
        self._calls[-1].is_short = True
        if _next_within(str([*arguments.values.values()][-1:])):
            self._calls[-1].refuse("ambiguous_end")
        self._lead = self._closer
        self._step = self._read_next
        self._run(text[len(self._closer) :], events)

    @override
    def _end_call(self, arguments: Arguments, stop: int, problem: str = "") -> None:
        if not problem and not self._call.tool:
            problem = "no_tool_name"
        elif not problem and arguments.repairs and not self._lenient:
            problem = "other_form"
        super()._end_call(arguments, stop, problem)
        self._is_next = False

    # -- steps, in order --------------------------------------------------------------------------

    @override
    def _read_start(self, text: str, events: list[Event]) -> str:
        """Read the name and the brace after it."""
        end = self._ends_head.search(text)
        if end is None and len(text) <= LONGEST_HEAD:
            return self._hold(text)
        head = _head(text, 0, end.start()) if end is not None and end[0] in "{(" else None
        if end is None or head is None or end.start() > LONGEST_HEAD:
            self._rest_at = self._at
            self._step = self._skip
            return text
        pieces = (text[: head.start(2)], head[2], text[head.end(2) : end.end()])
        self._begin_call(pieces, ("call:", "{"), events)
        if head[1] != "call:":
            what = "accepted a call without 'call:' before its name"
            self._odd.append(Repair("prefix", self._call.tool_span, what))
        if end[0] == "(":
            span = (self._at - 1, self._at)
            self._odd.append(Repair("brackets", span, "read parentheses as braces"))
        self._arguments = BraceArguments(
            self._at, end[0], quote=self._quote, closer=self._closer, lenient=self._lenient
        )
        self._step = self._read_arguments
        return text[end.end() :]

    @override
    def _read_next(self, text: str, events: list[Event]) -> str:
        """Read another call, or skip white space after the call and read content."""
        if self._rest_at < 0:
            text = self._take_held() + text
            if _next_begun(text):
                self._held.add(text)
                return ""
            if (found := _next(text)) is not None:
                self._begin_next(found[1], events)
                return text[found.end(1) :]
        self._say(text, events)
        return ""

    def _begin_next(self, before: str, events: list[Event]) -> None:
        """Begin another call, *before* which a comma or white space stands."""
        self._emit(self._lead + before, MarkerSeen, events, "}")
        self._lead, self._is_next, self._step = "", True, self._read_start
        place = (self._at, self._at + 1)
        if self._lenient:
            self._odd.append(Repair("several_calls", place, "read several calls in one block"))
        elif self._wrong < 0:
            self._wrong = self._at

    def _say(self, text: str, events: list[Event]) -> None:
        """Emit *text* after the call as content."""
        if self._rest_at < 0:
            text = self._take_blank(text)
            if not text:
                return
            self._emit(self._lead, MarkerSeen, events, "}")
            self._lead = ""
            self._rest_at = self._at
        self._emit(text, AnswerDelta, events)
