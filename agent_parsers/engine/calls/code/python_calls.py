"""Call reader for Python calls: ``[find_trains(city="Bern", seats=2), ping()]``."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.python_scan import Arguments
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

    from agent_parsers.engine.calls.reader import CallReader

__all__ = ["PythonCalls"]

_head: Final = re.compile(r"([^\W\d][\w.-]*+)(\s*+)(\(?)").match
"""Matches a name, or its beginning, and perhaps a parenthesis."""
_line_of_calls: Final = re.compile(
    r"\n[^\S\n]*+(?:\Z|\[[^\S\n]*+(?:\Z|([^\W\d][\w.-]{0,199}+)(?:\Z|(\())))"
).search
"""Matches where a line begins a list of calls, or may begin one at the end of the text."""
_is_more: Final = re.compile(r"[\w.-]++").fullmatch
_LONGEST_NAME: Final = 200
"""Longest name, in characters; a longer word does not begin a call."""


class PythonCalls(CallsReader):
    """Reads calls in Python syntax, in a list or one per line.

    A call is complete at its ``)``; its arguments are keyword arguments. Text after a list is
    content. Other text in the place of a call does not invalidate the other calls, except, in
    lenient mode, inside a list or on the line of a call. In lenient mode, a list in a bare text may
    also follow content, on a line of its own.

    Args:
        listed: Whether the calls stand in a list, with commas between them.
        bare: Whether text that does not begin with ``[name(`` is content.
        json: Creates the reader of calls in JSON, if models may write those here.
        lenient: Whether to repair common mistakes of models.
    """

    problems = frozenset(
        {
            *("no_call", "open_call", "positional", "deep_call", "long_call", "other_form"),
            *("no_key", "no_value", "two_values", "bad_value", "no_literal", "odd_brackets"),
            *("stray_text", "two_ends", "quoted_call", "no_list"),
        }
    )

    __slots__ = (
        "_arguments",
        "_bare",
        "_calls",
        "_first",
        "_goes_on",
        "_held",
        "_input_at",
        "_is_open",
        "_junk",
        "_lead",
        "_lenient",
        "_listed",
        "_name",
        "_name_at",
        "_new_json",
        "_odd",
        "_read",
        "_rest_at",
        "_tail",
    )  # fmt: skip

    def __init__(
        self,
        *,
        listed: bool = True,
        bare: bool = False,
        json: Callable[[], CallReader] | None = None,
        lenient: bool = False,
    ) -> None:
        super().__init__()
        self._listed, self._bare, self._lenient = listed, bare, lenient
        self._new_json = json
        self._read: Callable[[str, list[Event]], str] = self._read_start
        self._at = self._rest_at = -1  # where the next event, and text that is not a call, begin
        self._lead = ""  # brackets, commas and white space not emitted yet
        self._held: list[str] = []  # what may be a name, after that
        self._is_open = False  # whether a list is open
        self._name = ""  # of the current call
        self._name_at = self._input_at = -1  # where its name and its arguments stand
        self._odd: list[Repair] = []  # repairs before the arguments
        self._arguments = Arguments(0, lenient=lenient)
        self._calls: list[Call] = []
        self._first = 0  # how many calls precede the current list
        self._junk = ""  # the beginning of text that is not a call
        self._tail = ""  # the end of content, which may begin a list of calls
        self._goes_on = False  # whether text follows the list on its line

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of a call."""
        if self._inner is not None:
            return self._inner.is_quoting
        return self._read == self._read_arguments and self._arguments.is_quoting

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._inner is not None:
            return self._inner.feed(text, at)
        if self._at < 0:
            self._at = at
        events: list[Event] = []
        if self._held:
            self._held.append(text)
            if _is_more(text) and sum(map(len, self._held)) <= _LONGEST_NAME:
                return events
            text = "".join(self._held)
            self._held = []
        while text:
            text = self._read(text, events)
        return events

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back and the first call; `more` has the others."""
        events: list[Event] = []
        if self._inner is not None:
            events, first = self._inner.close()
            self._calls = [first, *self._inner.more]
            for call in self._calls:
                if not (call.problem or call.is_text):
                    odd = Repair("json", call.span, "read a call in JSON")
                    call.repairs = (*call.repairs, odd)
        elif self._read == self._read_arguments:
            self._end_call("odd_brackets" if self._is_met else "open_call", is_whole=False)
        elif self._rest_at < 0:
            self._close_list(events)
        self._end_content(events)
        if self._goes_on and self._is_met:
            self._refuse_list()
        if self._rest_at >= 0 or not self._calls:
            is_text = self._read == self._read_content
            problem = "odd_brackets" if self._is_call_in_junk() else "no_call"
            span = (self._rest_at, self._at)
            self._calls.append(_no_call("" if is_text else problem, span))
        first, *more = self._calls
        self.more = tuple(more)
        return events, first

    def _close_list(self, events: list[Event]) -> None:
        """End a text that ends before, between or after calls."""
        if self._calls:
            self._emit(self._lead, MarkerSeen, events, self._lead[:1])
            if self._is_open:
                self._lose_bracket()
            self._lead = ""
        elif self._bare:
            held = "".join(self._held)
            self._read_content(self._end_calls(held, events, is_content=True), events)
            return
        start, text = self._at, self._lead + "".join(self._held)
        self._emit(text, SkippedDelta, events)
        if text or not self._calls:
            span = (start, self._at) if text else (-1, -1)
            is_cut = bool(text) and not self._is_met
            self._calls.append(_no_call("open_call" if is_cut else "no_call", span))

    def _lose_bracket(self) -> None:
        """Report that the list lacks its closing bracket."""
        last = self._calls[-1]
        if not self._lenient:
            last.problem = last.problem or ("odd_brackets" if self._is_met else "open_call")
        elif not last.problem:
            end = (last.span[1] - 1, last.span[1])
            last.repairs = *last.repairs, Repair("unclosed", end, "closed the list of calls")

    # -- steps, in order --------------------------------------------------------------------------

    def _read_start(self, text: str, events: list[Event]) -> str:
        """Read up to the first call, if there is a call."""
        if text[0] == "[" and not self._lead:
            self._is_open = True
            self._lead, text = "[", text[1:]
        text = self._take_blank(text)
        if text[:1] == "{" and self._new_json is not None:
            self._inner = self._new_json()
            events += self._inner.feed(self._lead + text, self._at)
            return ""
        if not self._is_open and (self._bare or (self._listed and not self._lenient)):
            return self._end_calls(text, events, is_content=self._bare)
        return self._read_name(text, events) if text else ""

    def _read_name(self, text: str, events: list[Event]) -> str:
        """Read the name of a call and the parenthesis after it."""
        head = _head(text)
        is_first = len(self._calls) == self._first
        if head is not None and not head[3]:
            if head.end() == len(text) <= _LONGEST_NAME:
                self._held = [text]
                return ""
            head = None
        if head is None or not _is_name(head[1]) or (self._bare and is_first and head[2]):
            return self._end_calls(text, events, is_content=self._bare and is_first)
        self._emit(self._lead, MarkerSeen, events, self._lead[:1])
        self._lead = ""
        self._name, self._name_at = head[1], self._at
        self._emit(head[1], ToolNamed, events)
        if is_first and self._is_open != self._listed:
            what = "read a list of calls" if self._is_open else "read calls without a list"
            self._odd.append(Repair("brackets", (self._name_at, self._at), what))
        self._emit(head[2] + head[3], MarkerSeen, events, "(")
        self._input_at = self._at
        self._arguments = Arguments(self._at, lenient=self._lenient)
        self._read = self._read_arguments
        return text[head.end() :]

    def _read_arguments(self, text: str, events: list[Event]) -> str:
        end = self._arguments.feed(text)
        if end < 0:
            self._emit(text, InputDelta, events)
            return ""
        self._emit(text[: end - 1], InputDelta, events)
        self._end_call()
        self._lead = ")"
        self._read = self._read_between
        return text[end:]

    def _end_call(self, problem: str = "", *, is_whole: bool = True) -> None:
        """Add the call that ends here; if it *is_whole*, its ``)`` is still to be emitted."""
        arguments, odd = self._arguments, self._odd
        if problem:
            arguments.values = {}
        elif odd and not self._lenient:
            problem = "other_form"
        problem = problem or arguments.problem
        unnamed = () if problem else tuple(arguments.unnamed)
        stop = self._at + is_whole
        call = Call(
            tool=self._name,
            tool_input=arguments.values,
            span=(self._name_at, stop),
            tool_span=(self._name_at, self._name_at + len(self._name)),
            problem=problem or ("positional" if unnamed else ""),
            is_bare=self._bare,
            repairs=() if problem else (*odd, *arguments.repairs),
            unnamed=unnamed,
            input_span=(self._input_at, self._at) if self._input_at < self._at else None,
        )
        self._calls.append(call)
        self._odd = []

    def _read_between(self, text: str, events: list[Event]) -> str:
        """Read up to the next call, or through the end of the list."""
        text = self._take_blank(text)
        if text[:1] == "," and "," not in self._lead:
            self._lead += ","
            text = self._take_blank(text[1:])
        if text[:1] == "]" and self._is_open:
            self._is_open = False
            self._lead += "]"
            self._read = self._read_after
            return text[1:]
        if text and not self._is_separated():
            return self._end_calls(text, events, is_content=False)
        return self._read_name(text, events) if text else ""

    def _is_separated(self) -> bool:
        """Return whether the separator before the next call allows a call there."""
        has_comma, has_line = "," in self._lead, "\n" in self._lead
        if has_comma is self._is_open and (has_comma or has_line):
            return True
        what = "took a line break for a comma" if self._is_open else "took a comma for a line break"
        if not self._odd:
            self._odd.append(Repair("comma", (self._at, self._at + len(self._lead)), what))
        return self._lenient and (has_comma or has_line)

    def _read_after(self, text: str, events: list[Event]) -> str:
        text = self._take_blank(text)
        if self._first and text and "\n" not in self._lead:
            for call in self._calls[self._first :]:
                call.problem = call.problem or "quoted_call"
        self._goes_on = bool(text) and "\n" not in self._lead
        return self._end_calls(text, events, is_content=True) if text else ""

    def _end_calls(self, text: str, events: list[Event], *, is_content: bool) -> str:
        """Treat *text* and all that follows as not calls; return the text to read next."""
        if len(self._calls) > self._first:
            self._emit(self._lead, MarkerSeen, events, self._lead[:1])
        else:
            text = self._lead + text
        if not is_content and self._lenient and (self._is_open or "\n" not in self._lead):
            self._refuse_list()
        self._lead = ""
        self._rest_at = self._at
        self._read = self._read_content if is_content else self._read_junk
        return text

    def _refuse_list(self) -> None:
        """Mark all calls as invalid: code around them may choose between them or create them."""
        for call in self._calls:
            call.problem = call.problem or "no_list"

    def _read_content(self, text: str, events: list[Event]) -> str:
        """Read content, up to a line on which a list of calls begins."""
        text, self._tail = self._tail + text, ""
        if not (self._bare and self._lenient):
            self._emit(text, AnswerDelta, events)
            return ""
        line = _line_of_calls(text)
        while line is not None and line[2] and not _is_name(line[1]):
            line = _line_of_calls(text, line.end())
        body = text if line is None else text[: line.start()].rstrip()
        self._emit(body, AnswerDelta, events)
        if line is None:
            return ""
        if line[2] is None:
            self._tail = text[len(body) :]
            return ""
        if self._rest_at < self._at:
            self._calls.append(_no_call("", (self._rest_at, self._at)))
        self._rest_at = -1
        self._first = len(self._calls)
        bracket = text.index("[", line.start())
        self._lead = text[len(body) : bracket + 1]
        self._is_open = True
        self._read = self._read_line
        return text[bracket + 1 :]

    def _read_line(self, text: str, events: list[Event]) -> str:
        """Read the first name in a list after content."""
        text = self._take_blank(text)
        span = (self._at + len(self._lead), self._at + len(self._lead) + 1)
        self._odd.append(Repair("brackets", span, "read a list of calls behind other text"))
        return self._read_name(text, events)

    def _end_content(self, events: list[Event]) -> None:
        """Emit held-back content that turned out not to begin a list of calls."""
        tail, self._tail = self._tail, ""
        self._emit(tail, AnswerDelta, events)

    def _is_call_in_junk(self) -> bool:
        """Return whether another call follows the last one without a separator."""
        head = _head(self._junk)
        return head is not None and bool(head[3]) and len(self._calls) > self._first

    def _read_junk(self, text: str, events: list[Event]) -> str:
        self._junk += text[: _LONGEST_NAME + 1 - len(self._junk)]
        self._emit(text, SkippedDelta, events)
        return ""

    def _take_blank(self, text: str) -> str:
        """Add the white space at the beginning of *text* to the next mark."""
        body = text.lstrip()
        self._lead += text[: len(text) - len(body)]
        return body


def _is_name(text: str) -> bool:
    """Return whether *text* is the name of a tool, perhaps with dots and hyphens in it."""
    parts = text.replace("-", "_").split(".")
    return len(text) <= _LONGEST_NAME and all(part.isidentifier() for part in parts)


def _no_call(problem: str, span: tuple[int, int]) -> Call:
    """Return a `Call` for text that is not a call: content, if there is no *problem*."""
    return Call("", "", span, problem=problem, is_text=not problem)
