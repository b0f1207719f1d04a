"""What each tag in a block of calls does; the reader in `calls` finds the tags."""

from __future__ import annotations

from enum import Enum, auto
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call, CallsReader
from agent_parsers.engine.calls.tags.call import TaggedCall
from agent_parsers.engine.calls.tags.form import TagPart, bare
from agent_parsers.engine.calls.tags.values import TaggedValue
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, Repair, SkippedDelta, ToolNamed

if TYPE_CHECKING:
    from collections.abc import Mapping
    from re import Match

    from agent_parsers.engine.calls.reader import TextEvent
    from agent_parsers.engine.calls.tags.form import TaggedForm
    from agent_parsers.events import Span

__all__ = ["GAP", "In", "TagActions"]


class In(Enum):
    """The part of a block that is read."""

    BLOCK = auto()
    """Text before the first call, between calls or after the last."""
    NAME = auto()
    """The name of a tool."""
    CALL = auto()
    """Text between parameters."""
    KEY = auto()
    """The name of a parameter."""
    PARAMETER = auto()
    """Text between the name and the value of a parameter."""


GAP: Final = "space"
"""Name of the marker for white space before text."""


class TagActions(CallsReader):
    """Builds calls tag by tag.

    Args:
        form: How calls are written.
        emitted: How many characters at the beginning of the text have already been emitted.
    """

    __slots__ = (
        "_call", "_calls", "_form", "_held", "_in", "_in_keys", "_is_bare", "_is_ended",
        "_is_named", "_is_next", "_is_over", "_is_short", "_key", "_last", "_lead", "_repairs",
        "_surplus", "_text_at", "_value", "_value_at",
    )  # fmt: skip

    def __init__(self, form: TaggedForm, emitted: int) -> None:
        super().__init__()
        self._form = form
        self._at = -1
        self._lead = emitted
        self._is_bare = emitted > 0  # whether nothing encloses the calls
        self._in = In.BLOCK
        self._in_keys = False  # whether elements named after parameters may follow
        self._call = TaggedCall(-1)  # the current call, or the last one
        self._calls: list[Call] = []  # finished calls, and the text between them
        self._last: Call | None = None  # the last finished call
        self._repairs: list[Repair] = []
        self._held: list[str] = []  # a name, or JSON whose meaning is not certain yet
        self._key = ""  # the last key that was written as text
        self._value: TaggedValue | None = None
        self._value_at = -1  # where the value begins
        self._text_at = -1  # where text after the last tag begins
        self._is_named = True  # whether the name has ended, if the form marks its end
        self._is_ended = False  # whether the last tag closed a value
        self._is_next = False  # whether the tag of a parameter ended the last value
        self._is_short = False  # whether a value lacks its closing tag
        self._surplus = False  # whether there was a closing tag too many
        self._is_over = False  # whether no text follows

    @override
    def _emit(self, text: str, kind: TextEvent, events: list[Event], name: str = "") -> None:
        emitted = min(self._lead, len(text))
        self._lead -= emitted
        super()._emit(text[emitted:], kind, events, name)

    def _repair(self, kind: str, message: str, span: Span, problem: str = "other_form") -> None:
        """Report a repair at *span*; in strict mode, invalidate the call with *problem*."""
        if self._form.lenient:
            self._repairs.append(Repair(kind, span, message))
        else:
            self._call.spoil(problem)

    def _cut_or(self, problem: str) -> str:
        """Return *problem*, or ``"open_call"`` if the end is missing because the text ends."""
        is_cut = self._is_over and not (self._is_met or self._goes_on)
        return "open_call" if is_cut else problem

    def _text_kind(self) -> type[AnswerDelta | SkippedDelta]:
        """Return the event for text: content after a call, otherwise skipped text."""
        is_content = self._in is In.BLOCK and self._last is not None and self._form.lenient
        return AnswerDelta if is_content else SkippedDelta

    def _end_run(self) -> None:
        """End a run of text, if there is one; between calls it is content."""
        span = (self._text_at, self._at)
        self._text_at = -1
        if span[0] < 0 or self._in is not In.BLOCK:
            return
        if self._last is not None and self._form.lenient:
            self._calls.append(Call("", "", span, is_text=True))
            if not self._is_bare:
                message = "took text that follows the call for content"
                self._repairs.append(Repair("after_call", span, message))
        else:
            problem = "no_call" if self._last is None else "after_call"
            self._calls.append(Call("", "", span, problem=problem))

    def _end_name(self, events: list[Event]) -> None:
        """Set the name of the tool, which must be one word, from the text read."""
        written = "".join(self._held)
        self._held.clear()
        self._in = In.CALL
        name = bare(written)
        if len(name.split()) > 1:
            self._call.spoil("no_call")
            self._emit(written, SkippedDelta, events)
        else:
            self._name(written, name, events)

    def _name(self, written: str, name: str, events: list[Event]) -> None:
        """Emit *written*, which contains the *name* of the tool."""
        at = written.find(name)
        self._emit(written[:at], MarkerSeen, events, GAP)
        self._call.tool, self._call.tool_at = name, (self._at, self._at + len(name))
        self._emit(name, ToolNamed, events)
        self._emit(written[at + len(name) :], MarkerSeen, events, GAP)

    def _end_value(self, value: TaggedValue, part: TagPart | None, tag_at: Span = (-1, -1)) -> None:
        """Add the *value*, which a tag of this *part* ended; `None` if no tag did."""
        self._value = None
        self._in = In.CALL
        self._is_ended = part is TagPart.END_VALUE or part is TagPart.OWN_NAME
        span = (self._value_at, self._at)
        try:
            self._call.add(value.key, value.value(), span, value.others)
        except ValueError:
            self._call.add(value.key, "", span)
            self._call.spoil("bad_value")
        self._surplus = self._surplus or value.quotes
        if part is None:
            self._call.spoil(self._cut_or("open_tag"))
        elif part is not TagPart.END_VALUE and part is not TagPart.OWN_NAME:
            self._is_short = True
            self._is_next = part is TagPart.KEY
            self._call.is_short = part is not TagPart.KEY
            if value.holds_call:  # that call may be the next one
                self._call.spoil("two_ends")
            message = f"ended the value of {value.key!r} without its closing tag"
            self._repair("unclosed", message, span if span[0] < span[1] else tag_at, "open_tag")

    def _check_tag(self, part: TagPart, seen: str, span: Span) -> None:
        """Report a repair if the dialect does not write the tag at *span* as *seen*."""
        if part is TagPart.OWN_NAME and not self._in_keys:
            self._repair("closer", f"read {seen!r} as the end of the value", span)
        elif part is not TagPart.OWN_NAME and not self._form.tags[part].is_canonical(seen):
            self._repair("tag", f"read {seen!r} as the {part.value}", span)

    def _take(self, tag: Match[str], written: str, events: list[Event]) -> None:
        """Process a *tag*; *written* is the tag with the white space before it."""
        part, seen = self._form.part(tag), tag[0]
        before = self._in
        if before is In.NAME:
            self._end_name(events)
        elif before is In.KEY and (part is not TagPart.KEY or self._held):
            self._end_key(part, events)
        self._end_run()
        self._is_ended = self._is_ended and part is TagPart.END_VALUE
        span = self._span(seen, written)
        if part is not TagPart.END_NAME:
            self._miss_end_of_name(span)
        if part is not TagPart.CALL:
            self._check_tag(part, seen, span)
        if part is TagPart.CALL:
            self._leave(without_end="open_tag")
            self._begin(seen, written, events)
        elif part is TagPart.KEY or part is TagPart.OWN_KEY:
            self._open_key(part, seen, written, events)
        elif part is TagPart.VALUE:
            self._open_value(seen, written, events)
        elif part is TagPart.END_CALL:
            if self._in is In.BLOCK:
                self._stray(span)
            elif self._in_keys:
                mark = self._form.tags[TagPart.END_KEYS].canonical
                self._repair("unclosed", f"ended the parameters without {mark}", span, "open_tag")
            self._emit(written, MarkerSeen, events, part.value)
            self._leave()
        else:
            self._pass(part, before, span)
            self._emit(written, MarkerSeen, events, part.value)

    def _span(self, seen: str, written: str) -> Span:
        """Return where the next tag stands; if it was already emitted, the span is empty."""
        end = self._at + len(written) - self._lead
        return (end - len(seen) if self._lead < len(written) else end), end

    def _pass(self, part: TagPart, before: In, span: Span) -> None:
        """Process a tag that opens no element with text; *before* is the part read before it."""
        if part is TagPart.WRAP or part is TagPart.END_WRAP:
            self._leave(without_end="open_tag" if part is TagPart.WRAP else "")
        elif part is TagPart.END_VALUE:
            self._surplus = True
            if self._in is not In.BLOCK and self._is_ended:
                self._stray(span)
            else:  # it may close a value that was ended too early
                self._call.spoil("two_ends")
                self._doubt("two_ends")
                if self._last is None:
                    self._calls.append(Call("", "", span, problem="two_ends"))
        elif part is TagPart.END_NAME:
            if self._is_named:
                self._stray(span)
            self._is_named = True
        elif part is TagPart.NAME:
            self._open_name(span)
        elif part is TagPart.KEYS or part is TagPart.END_KEYS:
            if self._in is not In.CALL or self._in_keys is (part is TagPart.KEYS):
                self._stray(span)
            self._in_keys = self._in is In.CALL and part is TagPart.KEYS
        elif part is TagPart.END_KEY and before is not In.KEY:
            if self._in is not In.PARAMETER:
                self._call.spoil("odd_tag")
            self._stray(span)

    def _stray(self, span: Span) -> None:
        """Report a closing tag at *span* without an opener; in strict mode it is an error."""
        if self._in is In.BLOCK and not self._form.lenient:
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

    def _begin(self, seen: str, written: str, events: list[Event]) -> None:
        """Begin a call with the tag *seen*; *written* includes the white space before it."""
        hole = self._form.hole(TagPart.CALL, seen)
        span = self._span(seen, written)
        self._call = TaggedCall(span[0])
        self._check_tag(TagPart.CALL, seen, span)
        self._in_keys = False
        self._is_named = hole is not None or TagPart.END_NAME not in self._form.tags
        if hole is None:
            self._emit(written, MarkerSeen, events, TagPart.CALL.value)
            self._in = In.NAME
            return
        at = len(written) - len(seen) + hole.at
        self._emit(written[:at], MarkerSeen, events, TagPart.CALL.value)
        self._name(hole.name, hole.name, events)
        self._emit(written[at + len(hole.name) :], MarkerSeen, events, GAP)
        self._in = In.CALL

    def _open_name(self, span: Span) -> None:
        """Begin the name of the tool, which has an element of its own."""
        if self._in is not In.CALL or self._call.tool:
            self._call.spoil("odd_tag")
            self._stray(span)
            return
        self._in = In.NAME
        self._is_named = False

    def _open_key(self, part: TagPart, seen: str, written: str, events: list[Event]) -> None:
        span = self._span(seen, written)
        if self._in is In.KEY:
            self._repair("doubled", "found an opening tag too many", span, "odd_tag")
        elif self._in is In.PARAMETER:
            self._call.spoil("no_value")
        elif self._in is In.BLOCK:
            self._begin_nameless(span)
        self._emit(written, MarkerSeen, events, TagPart.KEY.value)
        hole = self._form.hole(part, seen)
        if hole is None:
            self._in = In.KEY
        else:
            self._new_value(hole.name, hole.attributes, is_own=part is TagPart.OWN_KEY)

    def _end_key(self, part: TagPart | None, events: list[Event]) -> None:
        """End the name of a parameter at a tag of this *part*, or at the end of the text."""
        written = "".join(self._held)
        self._held.clear()
        self._key = written.strip()
        span = (self._at, self._at + len(written))
        self._emit(written, MarkerSeen, events, TagPart.KEY.value)
        self._in = In.PARAMETER
        if part is TagPart.VALUE:
            self._repair("unclosed", "ended a key without its closing tag", span, "open_tag")
        elif part is not TagPart.END_KEY:
            self._call.spoil(self._cut_or("no_value"))

    def _open_value(self, seen: str, written: str, events: list[Event]) -> None:
        if self._in is In.BLOCK:
            self._begin_nameless(self._span(seen, written))
        if self._in is not In.PARAMETER:
            self._call.spoil("no_key")
        self._emit(written, MarkerSeen, events, TagPart.VALUE.value)
        self._new_value(self._key, {})

    def _new_value(self, key: str, attributes: Mapping[str, str], *, is_own: bool = False) -> None:
        if self._is_next:
            self._is_next = False
            self._call.openers.append(key)
        self._value = TaggedValue(self._form, key, attributes, is_own=is_own)
        self._value_at = self._at

    def _begin_nameless(self, span: Span) -> None:
        """Begin a call without a name at a tag; the previous call may not have ended."""
        self._doubt("odd_tag")
        self._call = TaggedCall(span[0])
        self._in = In.CALL

    def _doubt(self, problem: str) -> None:
        """Mark the last finished call as invalid."""
        if self._last is not None:
            self._last.problem = self._last.problem or problem

    def _leave(self, *, without_end: str = "") -> None:
        """End the current call, if there is one, and continue between calls.

        Args:
            without_end: Name of the problem if its end is missing.
        """
        if self._in is In.BLOCK:
            return
        if self._in is not In.CALL:
            self._call.spoil(self._cut_or("no_value"))
        self._last = self._call.end(self._at, without_end=without_end)
        self._calls.append(self._last)
        self._in = In.BLOCK
