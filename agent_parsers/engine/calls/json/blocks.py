"""Call reader for blocks of one or more JSON calls between markers of the dialect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.call import JsonCall
from agent_parsers.engine.calls.json.enclosers import is_indented_block, is_one_line
from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.events import AnswerDelta, Event, Span, ThoughtDelta

if TYPE_CHECKING:
    from agent_parsers.engine.calls.json.rules import JsonCallRules

_WINDOW: Final = 1024
"""How much is read at once after a call, in characters: text that follows a call is copied."""


class JsonCalls(CallsReader):
    """Reads ``{"name": "search", "arguments": {…}}``, and further calls that follow it.

    The calls stand in a list or, in lenient mode, one after another. A call ends with its JSON;
    text before the first call or after the last is content. At the end of the text, the ends of a
    list and of its fence may be missing; in strict mode nothing else may be missing, and nothing
    may be closed that was not opened.

    Args:
        rules: How the dialect writes calls, of which there may be several.
        closed: Whether a marker closes the block, so that in strict mode nothing follows the call.
        bare: Whether no marker opens the block, so that it may hold nothing but content.
        odd: Message of the repair for a call in a bare block that should have a marker.
        thinks: Whether text before the first call is a thought rather than content.
    """

    problems: ClassVar[frozenset[str]] = JsonCall.problems

    def __init__(
        self,
        rules: JsonCallRules,
        *,
        closed: bool = True,
        bare: bool = False,
        odd: str = "",
        thinks: bool = False,
    ) -> None:
        super().__init__(lenient=rules.lenient)
        self._rules = rules
        self._closed, self._bare, self._odd = closed and not bare, bare, odd
        self._thinks = thinks
        self._reader = JsonCall(rules, lead=ThoughtDelta if thinks else AnswerDelta)
        self._row = 0  # how many calls and texts precede the current row
        self._is_in_row = False  # whether further calls may follow directly
        self._text_span: Span | None = None  # content read since the last call
        self._is_over = False  # whether no further call can follow
        self._ends = ""  # closers of the open list and fence
        self._between: Span | None = None  # separator of two objects outside a list
        self._calls: list[Call] = []

    @property
    @override
    def has_call_begun(self) -> bool:
        return self._has_call or self._reader.has_call_begun

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string of a call, or of a possible call."""
        reader = self._reader  # where strict mode reads no call, one has to have begun
        return not self._is_over and (reader.is_quoting if self._odd else reader.is_in_string)

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        events: list[Event] = []
        self._at = at + len(text)
        pos, size = 0, len(text)
        while pos < len(text) and not self._is_over:
            piece = text[pos : pos + size]
            events += self._reader.feed(piece, at + pos)
            left = self._reader.left
            pos += len(piece) - len(left)
            if left:
                self._end_call(events, at + pos, left[0])
                opens_list = left[0] == "[" and not self._ends
                if left[0] not in "{[" or (self._rules.in_rows and opens_list):
                    self._end_row()
                size = _WINDOW
        if pos < len(text):
            self._add_text_span((at + pos, self._at))
            events.append(AnswerDelta(text[pos:], (at + pos, self._at)))
        return events

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        if self._is_over:
            self._take_text_span()
        else:
            self._end_call(events, self._at)
        return self._calls or [Call("", "", (0, 0), is_text=True)]

    def _end_row(self) -> None:
        """End a row of calls before other text, after which another row may follow."""
        self._is_over = not self._rules.in_rows
        self._reader = JsonCall(self._rules, lead=AnswerDelta)
        self._is_in_row = False
        self._row = len(self._calls)
        self._ends = ""

    def _end_call(self, events: list[Event], stop: int, after: str = "") -> None:
        """End the current call at *stop*, before the character *after* it, and begin the next."""
        reader = self._reader
        last, call = reader.close()
        events += last
        if reader.lead is not None and (self._calls or not self._thinks):
            self._add_text_span(reader.lead)
        if after:
            rules, in_fence = self._rules.following or self._rules, reader.closers.in_fence
            self._reader = JsonCall(rules, lead=AnswerDelta, in_fence=in_fence)
        # There is only text up to the end: no call has begun.
        is_only_text = call.problem == "no_call" or self._text_span == (call.span[0], call.span[1])
        is_open = call.problem == "open_call" and not self._odd  # what may be a call lacks its end
        if is_only_text and not is_open and (self._calls or self._bare):
            self._take_text_span()
            return
        if is_only_text:
            self._text_span = None
        self._take_text_span()
        if call.problem:
            call.repairs = ()
            if call.problem == "open_call" and self._is_met:
                call.problem = "bad_call"  # the text is complete, but the call lacks its end
        else:
            self._check_place(reader, call)
        if after or self._is_met or self._goes_on:
            call.lacks = ""
        self._calls.append(call)
        self._is_in_row = True
        if after or not call.problem:
            self._check_closers(reader, call, stop, after)

    @property
    def _is_in_list(self) -> bool:
        return "]" in self._ends

    @property
    def _has_call(self) -> bool:
        return any(not call.is_text for call in self._calls)

    def _take_text_span(self) -> None:
        """Add the text since the last call, if there is any, as content."""
        span, self._text_span = self._text_span, None
        if span is None:
            return
        text = Call("", "", span, is_text=True)
        if self._between is not None:
            self._drop_closers(text, self._between)
        if self._is_in_list:
            self._accept(text, "no_call", span, "read text as content, since it is not a call")
        elif self._has_call and self._closed:
            self._accept(text, "after_call", span, "read the text after the call as content")
        elif not self._has_call and not self._bare:
            self._accept(text, "before_call", span, "read the text before the call as content")
        self._calls.append(text)

    def _check_place(self, reader: JsonCall, call: Call) -> None:
        """Add repairs for a *call* that strict mode would not expect at this place."""
        brace = (reader.place[0], reader.place[0] + 1)
        is_plain_row = self._rules.unlisted and self._between is None
        if self._has_call and self._is_in_row and not self._is_in_list and not is_plain_row:
            self._accept(call, "several_calls", brace, "read several calls in one block")
            self._between = None
        if reader.is_odd:
            for message in self._odd_enclosers(reader):
                self._accept(call, "fence", brace, message)
        if self._odd:
            self._accept(call, "marks", brace, self._odd)

    def _odd_enclosers(self, reader: JsonCall) -> Iterator[str]:
        """Yield repair messages for what encloses a call."""
        strict = "" if self._is_in_row else self._rules.enclosed
        found = reader.encloser
        if self._bare and self._calls and self._calls[-1].is_text:
            yield "read a call after other text"
        for mark, name in (("[", "list"), ("`", "fence")):
            if (mark in found) != (mark in strict):
                yield f"accepted a call {'in' if mark in found else 'without'} a {name}"
        if "`" in found and "`" in strict and "".join(found.split()) != strict:
            yield f"accepted a call in a fence other than {strict.removesuffix('[')}"

    def _check_closers(self, reader: JsonCall, call: Call, stop: int, after: str) -> None:
        """Check that the closers after a *call* match its openers; other text begins at *stop*."""
        if reader.encloser.strip():
            self._ends = "]" * ("[" in reader.encloser) + "`" * ("`" in reader.encloser)
        ends, closers = self._ends, reader.closers.text
        is_bare = self._rules.in_rows and after and after not in "{["
        if is_bare and (is_one_line(closers) or is_indented_block(reader.encloser)):
            self._quote_row()
        found = "".join(closers.split())
        if found.endswith("``"):
            found = found.rstrip("`") + "`"
        start = reader.place[1] + len(closers) - len(closers.lstrip())
        span = (start, start + len(closers.strip()))
        is_listed = self._is_in_list
        if after == "{" and not found:
            if is_listed:
                self._accept(call, "missing_comma", (stop, stop + 1), "supplied a missing comma")
        elif after == "{" and found == "," and is_listed:
            pass
        elif after == "{" and found in (",", ";") and not is_listed:
            self._between = span
        elif not ends.startswith(found):
            self._drop_closers(call, span)
            self._ends = "" if not after or "]" in found else ends
        else:
            self._ends = ""
            is_cut = not after and not self._is_met
            if is_listed and "]" not in found and not is_cut:
                end = reader.place[1]
                self._accept(call, "missing_closer", (end - 1, end), "supplied the missing ]")

    def _quote_row(self) -> None:
        """Mark a row of calls as quoted: text continues on its last line, or behind its block.

        At the beginning of a turn, only a clause is such text; see `begins_clause`.
        """
        if not any(call.is_text for call in self._calls[: self._row + 1]):
            return
        for call in self._calls[self._row :]:
            if not call.is_text:
                call.problem, call.repairs = call.problem or "call_in_sentence", ()

    def _add_text_span(self, span: Span) -> None:
        """Note that the text at *span* is content, unless a call follows that it introduces."""
        self._text_span = (self._text_span[0] if self._text_span else span[0], span[1])
