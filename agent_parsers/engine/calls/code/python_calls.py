"""Call reader for Python calls: ``[find_trains(city="Bern", seats=2), ping()]``."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.code_calls import LONGEST_HEAD, CodeCalls, no_call
from agent_parsers.engine.calls.code.python_scan import PythonArguments
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, Repair, SkippedDelta

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import Call, CallReader

_head: Final = re.compile(r"([^\W\d][\w.-]*+)(\s*+)(\(?)").match
"""Matches a name, or its beginning, and perhaps a parenthesis."""
_line_of_calls: Final = re.compile(
    r"\n[^\S\n]*+(?:\Z|\[[^\S\n]*+(?:\Z|([^\W\d][\w.-]{0,199}+)(?:\Z|(\())))"
).search
"""Matches where a line begins a list of calls, or may begin one at the end of the text."""


class PythonCalls(CodeCalls):
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

    problems: ClassVar[frozenset[str]] = frozenset((
        "no_call", "open_call", "positional", "deep_call", "long_call", "other_form",
        "no_key", "no_value", "repeated_key", "bad_value", "bad_escape", "computed_value",
        "odd_brackets", "stray_text", "ambiguous_end", "call_in_sentence", "no_plain_list",
    ))  # fmt: skip

    _ends_head = re.compile(r"[^\w.-]")

    def __init__(
        self,
        *,
        listed: bool = True,
        bare: bool = False,
        json: Callable[[], CallReader] | None = None,
        lenient: bool = False,
    ) -> None:
        super().__init__(bare=bare, lenient=lenient)
        self._listed = listed
        self._new_json = json
        self._is_open = False  # whether a list is open
        self._first = 0  # how many calls precede the current list
        self._junk = ""  # the beginning of text that is not a call
        self._tail = ""  # the end of content, which may begin a list of calls
        self._goes_on_line = False  # whether text follows the list on its line

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, first = super().close()
        if self._inner is not None:
            for call in (first, *self.more):
                if not (call.problem or call.is_text):
                    odd = Repair("json", call.span, "read a call in JSON")
                    call.repairs = (*call.repairs, odd)
        return events, first

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        if self._arguments is not None:
            problem = "odd_brackets" if self._is_met else "open_call"
            self._end_call(self._arguments, self._at, problem)
        elif self._rest_at < 0:
            self._close_list(events)
        self._emit(self._tail, AnswerDelta, events)  # no list of calls begins there
        if self._goes_on_line and self._is_met:
            self._refuse_list()
        if self._rest_at >= 0 or not self._calls:
            is_text = self._step == self._read_content
            problem = "odd_brackets" if self._is_call_in_junk() else "no_call"
            span = (self._rest_at, self._at)
            self._calls.append(no_call("" if is_text else problem, span))
        return self._calls

    def _close_list(self, events: list[Event]) -> None:
        """End a text that ends before, between or after calls."""
        if self._calls:
            self._emit(self._lead, MarkerSeen, events, self._lead[:1])
            if self._is_open:
                self._lose_bracket()
            self._lead = ""
        elif self._is_bare:
            self._read_content(self._end_calls(self._take_held(), events, is_content=True), events)
            return
        start, text = self._at, self._lead + self._take_held()
        self._emit(text, SkippedDelta, events)
        if text or not self._calls:
            span = (start, self._at) if text else (-1, -1)
            is_cut = bool(text) and not self._is_met
            self._calls.append(no_call("open_call" if is_cut else "no_call", span))

    def _lose_bracket(self) -> None:
        """Report that the list lacks its closing bracket."""
        last = self._calls[-1]
        if not self._lenient:
            last.refuse("odd_brackets" if self._is_met else "open_call")
        elif not last.problem:
            end = (last.span[1] - 1, last.span[1])
            last.repairs = *last.repairs, Repair("unclosed", end, "supplied the missing ]")

    # -- steps, in order --------------------------------------------------------------------------

    @override
    def _read_start(self, text: str, events: list[Event]) -> str:
        """Read up to the first call, if there is a call."""
        if text[0] == "[" and not self._lead:
            self._is_open = True
            self._lead, text = "[", text[1:]
        text = self._take_blank(text)
        if text[:1] == "{" and self._new_json is not None:
            return self._hand_on(self._new_json(), self._lead + text, events)
        if not self._is_open and (self._is_bare or (self._listed and not self._lenient)):
            return self._end_calls(text, events, is_content=self._is_bare)
        return self._read_name(text, events) if text else ""

    def _read_name(self, text: str, events: list[Event]) -> str:
        """Read the name of a call and the parenthesis after it."""
        head = _head(text)
        is_first = len(self._calls) == self._first
        if head is not None and not head[3]:
            if head.end() == len(text) <= LONGEST_HEAD:
                return self._hold(text)
            head = None
        if head is None or not _is_name(head[1]) or (self._is_bare and is_first and head[2]):
            return self._end_calls(text, events, is_content=self._is_bare and is_first)
        self._emit(self._lead, MarkerSeen, events, self._lead[:1])
        self._lead = ""
        self._begin_call(("", head[1], head[2] + head[3]), ("", "("), events)
        if is_first and self._is_open != self._listed:
            what = (
                "read calls that are in a list"
                if self._is_open
                else "read calls that are not in a list"
            )
            self._odd.append(Repair("brackets", self._call.tool_span, what))
        self._arguments = PythonArguments(self._at, lenient=self._lenient)
        self._step = self._read_arguments
        return text[head.end() :]

    @override
    def _read_next(self, text: str, events: list[Event]) -> str:
        """Read up to the next call, or through the end of the list."""
        text = self._take_blank(text)
        if text[:1] == "," and "," not in self._lead:
            self._lead += ","
            text = self._take_blank(text[1:])
        if text[:1] == "]" and self._is_open:
            self._is_open = False
            self._lead += "]"
            self._step = self._read_after
            return text[1:]
        if text and not self._is_separated():
            return self._end_calls(text, events, is_content=False)
        return self._read_name(text, events) if text else ""

    def _is_separated(self) -> bool:
        """Return whether the separator before the next call allows a call there."""
        has_comma, has_line = "," in self._lead, "\n" in self._lead
        if has_comma is self._is_open and (has_comma or has_line):
            return True
        what = "read a line break as a comma" if self._is_open else "read a comma as a line break"
        if not self._odd:
            self._odd.append(Repair("comma", (self._at, self._at + len(self._lead)), what))
        return self._lenient and (has_comma or has_line)

    def _read_after(self, text: str, events: list[Event]) -> str:
        text = self._take_blank(text)
        if self._first and text and "\n" not in self._lead:
            for call in self._calls[self._first :]:
                call.refuse("call_in_sentence")
        self._goes_on_line = bool(text) and "\n" not in self._lead
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
        self._step = self._read_content if is_content else self._read_junk
        return text

    def _refuse_list(self) -> None:
        """Mark all calls as invalid: code around them may choose between them or create them."""
        for call in self._calls:
            call.refuse("no_plain_list")

    def _read_content(self, text: str, events: list[Event]) -> str:
        """Read content, up to a line on which a list of calls begins."""
        text, self._tail = self._tail + text, ""
        if not (self._is_bare and self._lenient):
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
            self._calls.append(no_call("", (self._rest_at, self._at)))
        self._rest_at = -1
        self._first = len(self._calls)
        self._lead = text[len(body) : line.start(1)]
        span = (self._at + len(self._lead), self._at + len(self._lead) + 1)
        self._odd.append(Repair("brackets", span, "read a list of calls after other text"))
        self._is_open = True
        self._step = self._read_name
        return text[line.start(1) :]

    def _is_call_in_junk(self) -> bool:
        """Return whether another call follows the last one without a separator."""
        head = _head(self._junk)
        return head is not None and bool(head[3]) and len(self._calls) > self._first

    def _read_junk(self, text: str, events: list[Event]) -> str:
        self._junk += text[: LONGEST_HEAD + 1 - len(self._junk)]
        return self._skip(text, events)


def _is_name(text: str) -> bool:
    """Return whether *text* is the name of a tool, perhaps with dots and hyphens in it."""
    parts = text.replace("-", "_").split(".")
    return len(text) <= LONGEST_HEAD and all(part.isidentifier() for part in parts)
