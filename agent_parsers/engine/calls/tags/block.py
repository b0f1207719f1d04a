"""The calls of a block as they are read, and what is wrong with them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader, TextEvent
from agent_parsers.engine.calls.tags.form import OWN_CLOSERS, OddValueError, TaggedForm, TagPart
from agent_parsers.events import AnswerDelta, Event, Repair, SkippedDelta, Span

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.values import TaggedValue


class In(Enum):
    """The part of a block that is read."""

    BLOCK = auto()  # text before the first call, between calls or after the last
    NAME = auto()  # the name of a tool
    CALL = auto()  # text between parameters
    KEY = auto()  # the name of a parameter
    PARAMETER = auto()  # text between the name and the value of a parameter


class TaggedBlock(CallsReader):
    """Builds the calls of a block, with the text between them.

    Args:
        form: How calls are written.
        is_bare: Whether nothing encloses the calls.
    """

    def __init__(self, form: TaggedForm, *, is_bare: bool) -> None:
        super().__init__(lenient=form.lenient)
        self._form = form
        self._is_bare = is_bare
        self._in = In.BLOCK
        self._in_keys = False  # whether elements named after parameters may follow
        self._begin_call(-1)
        self._calls: list[Call] = []  # finished calls, and the text between them
        self._last: Call | None = None  # the last finished call
        self._repairs: list[Repair] = []
        self._key = ""  # the last key that was written as text
        self._value: TaggedValue | None = None
        self._text_at = -1  # where text after the last tag begins
        self._is_named = True  # whether the name has ended, if the form marks its end
        self._is_ended = False  # whether the last tag closed a value
        self._is_next = False  # whether the tag of a parameter ended the last value
        self._is_short = False  # whether a value lacks its closing tag
        self._surplus = False  # whether there was a closing tag too many
        self._is_over = False  # whether no text follows

    def _begin_call(self, at: int) -> None:
        self._inputs: dict[str, Any] = {}
        self._others: dict[str, Callable[[], Iterable[Any]]] = {}
        self._openers: list[str] = []
        self._odd_names: list[str] = []
        self._lists: list[tuple[str, ...]] = []
        self._texts: list[str] = []
        self._has_json = False  # whether its arguments stand in JSON
        self._call = Call(  # the current call, or the last one
            tool="",
            tool_input=self._inputs,
            span=(at, at),
            tool_span=(at, at),
            others=self._others,
            openers=self._openers,
            odd_names=self._odd_names,
            lists=self._lists,
            texts=self._texts,
            lacks="values",  # without its end, a closing tag may be part of a value
        )

    def _leave(self, *, without_end: str = "") -> None:
        """End the current call, if there is one; *without_end* is the problem if it has no end.

        A call that lacks its end may have lost some or all of its arguments as well.
        """
        if self._in is In.BLOCK:
            return
        call = self._call
        if self._in is not In.CALL:
            call.refuse(self._cut_or("no_value"))
        if call.input_span is None:
            call.refuse(without_end)
        if not call.tool or "<" in call.tool:  # the name of a tool holds no tag
            call.refuse("no_tool_name")
        if without_end != "open_call":
            call.lacks = ""
        call.span = (call.span[0], self._at)
        self._last = call
        self._calls.append(call)
        self._in = In.BLOCK

    def _doubt(self, problem: str) -> None:
        """Mark the last finished call as invalid."""
        if self._last is not None:
            self._last.refuse(problem)

    def _repair(self, kind: str, message: str, span: Span, problem: str = "other_form") -> None:
        """Report a repair at *span*; in strict mode, invalidate the call with *problem*."""
        if self._lenient:
            self._repairs.append(Repair(kind, span, message))
        else:
            self._call.refuse(problem)

    def _stray(self, span: Span) -> None:
        """Report a closing tag at *span* without an opener; in strict mode it is an error."""
        if self._in is In.BLOCK and not self._lenient:
            self._doubt("odd_tag")
            if self._last is None:
                self._calls.append(Call("", "", span, problem="no_call"))
        self._repair("doubled", "found a closing tag too many", span, "odd_tag")

    def _miss_end_of_name(self, span: Span) -> None:
        """Report that the end of a name is missing before *span*, if it is."""
        if not self._is_named:
            self._is_named = True
            mark = self._form.tags[TagPart.END_NAME].canonical
            self._repair("unclosed", f"ended the name without {mark}", span)

    def _cut_or(self, problem: str) -> str:
        """Return *problem*, or ``"open_call"`` if the end is missing because the text ends."""
        is_cut = self._is_over and not (self._is_met or self._goes_on)
        return "open_call" if is_cut else problem

    def _end_value(self, value: TaggedValue, part: TagPart | None, tag_at: Span = (-1, -1)) -> None:
        """Add the *value*, which a tag of this *part* ended; `None` if no tag did."""
        self._value = None
        self._in = In.CALL
        self._is_ended = part in OWN_CLOSERS
        self._surplus = self._surplus or value.quotes
        key, span = value.key, (value.at, self._at)
        if not key:
            self._call.refuse("no_key")
        elif key in self._inputs:  # it is unclear which one is meant
            self._call.refuse("repeated_key")
        if value.is_text:
            self._texts.append(key)
        try:
            self._inputs[key], self._others[key] = value.value(), value.others
        except OddValueError as odd:
            self._inputs[key], self._others[key] = odd.value, tuple
            self._lists += ((key, *path) for path in odd.lists)
            self._repair("value", str(odd), span, "bad_value")
        except ValueError:
            self._inputs[key], self._others[key] = "", tuple
            self._call.refuse("bad_value")
        self._add_input(span)
        if part is None:
            self._call.refuse(self._cut_or("open_tag"))
        elif part not in OWN_CLOSERS:
            self._is_short = True
            self._is_next = part is TagPart.KEY
            self._call.is_short = part is not TagPart.KEY
            if value.holds_tag:  # that call or parameter may be the next one
                self._call.refuse("ambiguous_end")
            message = f"ended the value of {key!r} without its closing tag"
            self._repair("unclosed", message, span if span[0] < span[1] else tag_at, "open_tag")

    def _add_input(self, span: Span) -> None:
        """Extend the input of the call to what stands at *span*."""
        self._call.input_span = ((self._call.input_span or span)[0], span[1])

    @override
    def _emit(self, text: str, kind: TextEvent, events: list[Event], name: str = "") -> None:
        if self._at < self._start:  # it was emitted with the marker before
            emitted = min(self._start - self._at, len(text))
            self._at += emitted
            text = text[emitted:]
        super()._emit(text, kind, events, name)

    def _text_kind(self) -> type[AnswerDelta | SkippedDelta]:
        """Return the event for text: content after a call, otherwise skipped text."""
        is_content = self._in is In.BLOCK and self._last is not None and self._lenient
        return AnswerDelta if is_content else SkippedDelta

    def _end_run(self) -> None:
        """End a run of text, if there is one; between calls it is content."""
        span = (self._text_at, self._at)
        self._text_at = -1
        if span[0] < 0 or self._in is not In.BLOCK:
            return
        is_content = self._text_kind() is AnswerDelta
        problem = "" if is_content else "no_call" if self._last is None else "after_call"
        self._calls.append(Call("", "", span, problem=problem, is_text=is_content))
        if is_content and not self._is_bare:
            self._repair("after_call", "took text that follows the call for content", span)
