"""Call reader for calls that name the tool first and then give its input as JSON."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.named_head import Head, NamedHead
from agent_parsers.engine.calls.json.rules import begins_clause
from agent_parsers.engine.calls.json.watch import repairs_within
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import AnswerDelta, Event, InputDelta, MarkerSeen, Repair, SkippedDelta
from outputs.growing_json.errors import JsonError, JsonIncompleteError, JsonLimitError
from outputs.growing_json.scalars import matcher

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.watch import Watch

__all__ = ["Head", "NamedJson"]

_closers: Final = matcher(r"[\s\]}]*+")
_closers_of_fence: Final = matcher(r"[\s\]}`]*+")


class NamedJson(NamedHead):
    """Reads ``search[ARGS]{"query": "…"}``: a head that names the tool, then an object, its input.

    The call ends with the object and the fence around it; text after it is content.

    See `NamedHead` for the arguments.
    """

    __slots__ = ()

    problems = frozenset(
        {"no_tool", "no_call", "no_input", "open_call", "bad_call", "bad_input", "quoted_call",
         "two_values", "after_call"}
    )  # fmt: skip

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back and the call; `more` has the text after it."""
        events: list[Event] = []
        if self._read == self._find_head and self._inner is None and self._start >= 0:
            self._end_head(events)
        if self._inner is not None:
            last, call = self._inner.close()
            self.more = self._inner.more
            return events + last, call
        call = self._call
        if self._json is not None:
            self._close_json(self._json, events)
        if self._bare and (self._json is None or self._json.error is not None):
            return events, Call("", "", (max(self._start, 0), max(self._at, 0)), is_text=True)
        call.span = (self._start, self._at)
        if self._json is not None and self._json.end is not None:
            call.whole = (self._start, self._base + self._json.end)
        if self._after >= 0:
            self._take_after()
        self._check_closers("".join(self._closers))
        if call.problem:
            call.repairs = ()
        return events, call

    def _end_head(self, events: list[Event]) -> None:
        """End a text without an object: report a problem, or supply an empty input."""
        text, call = "".join(self._pieces), self._call
        head = self._read_head(text)
        may_lead = not self._is_met if self._may_lead is None else self._may_lead(text)
        if head is None and not may_lead:
            if self._mark and self._mark in text:
                call.problem = "bad_call"
            self._take_unnamed(events)
        elif self._is_met and self._rules.lenient and head is not None and not head.odd:
            self._name(head, text, len(text), events)
            message = f"{call.tool!r} has no input; took it for an empty one"
            call.repairs += (Repair("missing_input", call.tool_span, message),)
        else:
            missing = "no_call" if head is None else "no_input"
            call.problem = missing if self._is_met else "open_call"
            self._skip("", events)

    @override
    def _read_json(self, text: str, events: list[Event]) -> None:
        assert self._json is not None, "the head was read"
        self._pieces.append(text)
        with suppress(JsonLimitError):  # the reader records it as its error
            self._json.feed(text)
        self._emit_input(self._json, events)

    def _emit_input(self, json: Watch, events: list[Event]) -> None:
        """Emit what is known of the object, and continue after it if it has ended."""
        size = self._base - self._at + (json.known if json.end is None else json.end)
        if size > 0:
            text = "".join(self._pieces)
            self._emit(text[:size], InputDelta, events)
            self._pieces = [text[size:]]
        if json.error is not None:
            self._read = self._skip
            self._skip("", events)
        elif json.end is not None:
            text = "".join(self._pieces)
            self._pieces.clear()
            self._read = self._read_after
            self._read_after(text, events)

    def _read_after(self, text: str, events: list[Event]) -> None:
        if self._after < 0:
            stop = (_closers_of_fence if self._is_fenced else _closers)(text, 0).end()
            self._closers.append(text[:stop])
            text = text[stop:]
            if not text:
                return
            self._emit("".join(self._closers), MarkerSeen, events, "}")
            self._after, self._follows = self._at, text[0]
        is_content = self._rules.lenient or not self._closed
        self._emit(text, AnswerDelta if is_content else SkippedDelta, events)

    def _close_json(self, json: Watch, events: list[Event]) -> None:
        call = self._call
        problem = "" if json.error is None else "bad_call"
        if json.error is None and json.end is None:
            call.lacks = "" if self._is_met or self._goes_on else json.lacks
            try:
                json.close(supply_closers=self._rules.lenient)
                size = self._at + sum(map(len, self._pieces)) - self._base
                if json.end is not None and json.end < size:
                    call.lacks = ""  # the fence around it closes it
                self._emit_input(json, events)
            except JsonIncompleteError:
                problem = "bad_call" if self._is_met else "open_call"
            except JsonError:
                problem = "bad_call"
        if problem:
            self._skip("", events)
        else:
            assert json.end is not None, "it is complete"
            if self._after < 0:
                self._emit("".join(self._closers), MarkerSeen, events, "}")
            call.input_span = span = (self._base, self._base + json.end)
            key, value = self._rules.keys.input, json.value
            call.tool_input, problem = self._rules.value(key, value, is_answer=False)
            if json.repeats_key:
                problem = "two_values"
            odd = self._rules.odd_input(key, value)
            call.repairs += tuple(Repair("input_type", span, text) for text in odd)
        call.problem = call.problem or problem
        call.repairs += tuple(repairs_within(json, self._base, self._at))

    def _check_closers(self, closers: str) -> None:
        """Check that the closers match the openers, and that no sentence continues after them."""
        call, odd = self._call, closers.strip()
        if call.input_span is None:
            return
        end = call.input_span[1]
        call.span = (self._start, end + len(closers.rstrip()))
        if not self._rules.is_marked and begins_clause(closers, self._follows):
            call.problem = call.problem or "quoted_call"
        if self._is_fenced:
            odd = odd.rstrip("`")
        start = end + len(closers) - len(closers.lstrip())
        if odd and self._rules.lenient:
            span = (start, start + len(odd))
            call.repairs += (Repair("closer", span, "left out what closes nothing"),)
        elif odd:
            call.after = (start, self._at)

    def _take_after(self) -> None:
        """Take text after the call as content, or note that it must not be there."""
        span = (self._after, self._at)
        if self._closed and not self._rules.lenient:
            self._call.after = span
            return
        message = "took text that follows the call for content"
        repairs = (Repair("after_call", span, message),) if self._closed else ()
        self.more = (Call("", "", span, is_text=True, repairs=repairs),)
