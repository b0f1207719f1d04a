"""The calls of a block, built tag by tag; the reader in `tagged_calls` finds the tags."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader, TextEvent
from agent_parsers.engine.calls.tags.form import (
    OWN_CLOSERS,
    Hole,
    OddValueError,
    TaggedForm,
    TagPart,
    attribute_names,
    bare,
    is_name,
)
from agent_parsers.engine.calls.tags.values import TaggedValue
from agent_parsers.events import (
    AnswerDelta,
    Event,
    MarkerSeen,
    Repair,
    SkippedDelta,
    Span,
    ToolNamed,
)

if TYPE_CHECKING:
    from agent_parsers.engine.markers.patterns import Found

GAP: Final = "space"
"""Name of the marker for white space before text."""


class In(Enum):
    """The part of a block that is being read."""

    BLOCK = auto()  # text before the first call, between calls or after the last
    NAME = auto()  # the name of a tool
    CALL = auto()  # text between parameters
    KEY = auto()  # the name of a parameter
    PARAMETER = auto()  # text between the name and the value of a parameter


class TaggedBlock(CallsReader):
    """Builds the calls of a block, and the text between them, from its tags.

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
        self._held_words: list[str] = []
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
            held_words=self._held_words,
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
            call.refuse(self._open_call_or("no_value"))
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

    def _refuse_last_call(self, problem: str) -> None:
        """Mark the last finished call as invalid."""
        if self._last is not None:
            self._last.refuse(problem)

    def _repair(self, kind: str, message: str, span: Span, problem: str = "other_form") -> None:
        """Report a repair at *span*; in strict mode, invalidate the call with *problem*."""
        if self._lenient:
            self._repairs.append(Repair(kind, span, message))
        else:
            self._call.refuse(problem)

    def _report_stray_closer(self, span: Span) -> None:
        """Report a closing tag at *span* without an opener; in strict mode it is an error."""
        if self._in is In.BLOCK and not self._lenient:
            self._refuse_last_call("odd_tag")
            if self._last is None:
                self._calls.append(Call("", "", span, problem="no_call"))
        self._repair("doubled", "dropped an extra closing tag", span, "odd_tag")

    def _miss_end_of_name(self, span: Span) -> None:
        """Report that the end of a name is missing before *span*, if it is."""
        if not self._is_named:
            self._is_named = True
            mark = self._form.tags[TagPart.END_NAME].canonical
            self._repair("unclosed", f"supplied the missing {mark} after the name", span)

    def _open_call_or(self, problem: str) -> str:
        """Return *problem*, or ``"open_call"`` if the end is missing because the text ends."""
        is_cut = self._is_over and not (self._is_met or self._goes_on)
        return "open_call" if is_cut else problem

    def _end_value(self, value: TaggedValue, part: TagPart | None, tag_at: Span = (-1, -1)) -> None:
        """Add the *value*, which a tag of this *part* ended; `None` if no tag did."""
        self._value = None
        self._in = In.CALL
        self._is_ended = part in OWN_CLOSERS
        if value.quotes:
            self._surplus = True
            self._held_words += value.words_behind_closer()
        key, span = value.key, (value.at, self._at)
        if value.begins_again:
            self._call.refuse("ambiguous_end")
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
            self._call.refuse(self._open_call_or("open_tag"))
        elif part not in OWN_CLOSERS:
            self._is_short = True
            self._is_next = part is TagPart.KEY
            self._call.is_short = part is not TagPart.KEY
            # A call or parameter in it may be the next one, and a tag at its end its closer.
            if value.holds_tag or (self._lenient and value.ends_in_closer):
                self._call.refuse("ambiguous_end")
            message = f"supplied the missing closing tag of the value of {key!r}"
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
            self._repair("after_call", "read the text after the call as content", span)

    # -- text and names ---------------------------------------------------------------------------

    def _end_name(self, events: list[Event]) -> None:
        """Set the name of the tool, which must be one word, from the text read."""
        written = self._take_held()
        self._in = In.CALL
        name = bare(written)
        if len(name.split()) > 1:
            self._call.refuse("no_call")
            self._emit(written, SkippedDelta, events)
        else:
            self._name(written, written.find(name), name, GAP, events)

    def _name(self, written: str, at: int, name: str, mark: str, events: list[Event]) -> None:
        """Emit *written*, which contains the *name* of the tool at index *at*, after a *mark*."""
        self._emit(written[:at], MarkerSeen, events, mark)
        self._call.tool, self._call.tool_span = name, (self._at, self._at + len(name))
        self._emit(name, ToolNamed, events)
        self._emit(written[at + len(name) :], MarkerSeen, events, GAP)

    def _end_key(self, part: TagPart | None, events: list[Event]) -> None:
        """End the name of a parameter at a tag of this *part*, or at the end of the text."""
        written = self._take_held()
        self._key = written.strip()
        span = (self._at, self._at + len(written))
        self._emit(written, MarkerSeen, events, TagPart.KEY.value)
        self._in = In.PARAMETER
        if part is TagPart.VALUE and TagPart.END_KEY in self._form.tags:
            self._repair("unclosed", "supplied the missing closing tag of a key", span, "open_tag")
        elif part not in (TagPart.VALUE, TagPart.END_KEY):
            self._call.refuse(self._open_call_or("no_value"))

    # -- tags -------------------------------------------------------------------------------------

    def _span(self, seen: str, written: str) -> Span:
        """Return where the next tag stands; if it was already emitted, the span is empty."""
        end = self._at + len(written)
        return (end - len(seen) if end > self._start else end), end

    def _check_tag(self, part: TagPart, seen: str, span: Span) -> None:
        """Report a repair if the dialect does not write the tag at *span* as *seen*."""
        if not self._form.tags[part].is_canonical(seen):
            self._repair("tag", f"read {seen!r} as the marker {part.value!r}", span)

    def _take(self, tag: Found, written: str, events: list[Event]) -> None:
        """Process a *tag*; *written* is the tag with the white space before it."""
        part, seen, before = self._form.part(tag), tag[0], self._in
        if before is In.NAME:
            self._end_name(events)
        elif before is In.KEY and (part is not TagPart.KEY or self._held):
            self._end_key(part, events)
        self._end_run()
        self._is_ended = self._is_ended and part is TagPart.END_VALUE
        span = self._span(seen, written)
        if part is not TagPart.END_NAME:
            self._miss_end_of_name(span)
        if part is TagPart.CALL:
            self._leave(without_end="open_tag")
            self._begin_call(span[0])
        self._check_tag(part, seen, span)
        if part is TagPart.CALL:
            self._open_call(seen, written, events)
        elif part is TagPart.END_CALL:
            if self._in is In.BLOCK:
                self._report_stray_closer(span)
            elif self._in_keys:
                mark = self._form.tags[TagPart.END_KEYS].canonical
                self._repair(
                    "unclosed",
                    f"supplied the missing {mark} after the parameters",
                    span,
                    "open_tag",
                )
            self._emit(written, MarkerSeen, events, part.value)
            self._leave()
        elif part in (TagPart.KEY, TagPart.OWN_KEY, TagPart.VALUE):
            self._open_parameter(part, seen, written, events)
        else:
            self._take_other_tag(part, before, span)
            self._emit(written, MarkerSeen, events, part.value)

    def _open_call(self, seen: str, written: str, events: list[Event]) -> None:
        """Begin a call with the tag *seen*; *written* includes the white space before it."""
        tag = self._form.tags[TagPart.CALL]
        hole = tag.hole(seen)
        self._in_keys = False
        self._is_named = hole is not None or TagPart.END_NAME not in self._form.tags
        if hole is None:
            self._emit(written, MarkerSeen, events, TagPart.CALL.value)
            self._in = In.NAME
        else:
            at = len(written) - len(seen) + hole.at
            self._call.id = hole.attributes.get("id") if tag.is_canonical(seen) else None
            if not tag.is_canonical(seen):
                names = (name for name in attribute_names(seen) if not tag.knows(name))
                self._call.beside = [(name, self._span(seen, written)) for name in names]
            self._name(written, at, hole.name, TagPart.CALL.value, events)
            self._in = In.CALL

    def _open_parameter(self, part: TagPart, seen: str, written: str, events: list[Event]) -> None:
        """Begin a parameter, or the value of one whose name has an element of its own."""
        span = self._span(seen, written)
        is_value = part is TagPart.VALUE
        if self._in is In.BLOCK:
            self._refuse_last_call("odd_tag")  # that call may not have ended
            self._begin_call(span[0])
            self._in = In.CALL
        if self._has_json:
            self._call.refuse("other_form")
        if self._in is In.KEY:
            self._repair("doubled", "dropped an extra opening tag", span, "odd_tag")
        elif is_value is not (self._in is In.PARAMETER):
            self._call.refuse("no_key" if is_value else "no_value")
        self._emit(written, MarkerSeen, events, (TagPart.VALUE if is_value else TagPart.KEY).value)
        tag = self._form.tags[part]
        hole = Hole(self._key, 0, tag.attributes(seen)) if is_value else tag.hole(seen)
        if hole is None:
            self._in = In.KEY
            return
        is_own = part is TagPart.OWN_KEY
        self._value = TaggedValue(self._form, hole.name, hole.attributes, self._at, is_own=is_own)
        if self._is_next:
            self._is_next = False
            self._openers.append(hole.name)
        if hole.is_bare and not is_name(hole.name):
            self._odd_names.append(hole.name)

    def _take_other_tag(self, part: TagPart, before: In, span: Span) -> None:
        """Process a tag that opens no element with text; *before* is the part read before it."""
        if part is TagPart.WRAP or part is TagPart.END_WRAP:
            self._leave(without_end="open_tag" if part is TagPart.WRAP else "")
        elif part is TagPart.END_VALUE:
            self._surplus = True
            if self._is_ended:
                self._report_stray_closer(span)
            else:  # it may close a value that was ended too early
                self._call.refuse("ambiguous_end")
                self._refuse_last_call("ambiguous_end")
                if self._last is None:
                    self._calls.append(Call("", "", span, problem="ambiguous_end"))
        elif part is TagPart.END_NAME:
            if self._is_named:
                self._report_stray_closer(span)
            self._is_named = True
        elif part is TagPart.NAME and self._in is In.CALL and not self._call.tool:
            self._in = In.NAME
            self._is_named = False
        elif part is TagPart.KEYS or part is TagPart.END_KEYS:
            if self._in is not In.CALL or self._in_keys is (part is TagPart.KEYS):
                self._report_stray_closer(span)
            self._in_keys = self._in is In.CALL and part is TagPart.KEYS
        elif part is TagPart.NAME or before is not In.KEY:
            if self._in is In.CALL or (part is TagPart.NAME and self._in is not In.BLOCK):
                self._call.refuse("odd_tag")
            self._report_stray_closer(span)
