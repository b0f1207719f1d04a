"""What each tag in a block of calls does; the reader in `calls` finds the tags."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.reader import Call
from agent_parsers.engine.calls.tags.block import In, TaggedBlock
from agent_parsers.engine.calls.tags.form import Hole, TagPart, attribute_names, bare, is_name
from agent_parsers.engine.calls.tags.values import TaggedValue
from agent_parsers.events import Event, MarkerSeen, SkippedDelta, Span, ToolNamed

if TYPE_CHECKING:
    from re import Match

GAP: Final = "space"
"""Name of the marker for white space before text."""


class TagActions(TaggedBlock):
    """Builds calls tag by tag."""

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
            self._repair("unclosed", "ended a key without its closing tag", span, "open_tag")
        elif part not in (TagPart.VALUE, TagPart.END_KEY):
            self._call.refuse(self._cut_or("no_value"))

    # -- tags -------------------------------------------------------------------------------------

    def _span(self, seen: str, written: str) -> Span:
        """Return where the next tag stands; if it was already emitted, the span is empty."""
        end = self._at + len(written)
        return (end - len(seen) if end > self._start else end), end

    def _check_tag(self, part: TagPart, seen: str, span: Span) -> None:
        """Report a repair if the dialect does not write the tag at *span* as *seen*."""
        if not self._form.tags[part].is_canonical(seen):
            self._repair("tag", f"read {seen!r} as the {part.value}", span)

    def _take(self, tag: Match[str], written: str, events: list[Event]) -> None:
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
                self._stray(span)
            elif self._in_keys:
                mark = self._form.tags[TagPart.END_KEYS].canonical
                self._repair("unclosed", f"ended the parameters without {mark}", span, "open_tag")
            self._emit(written, MarkerSeen, events, part.value)
            self._leave()
        elif part in (TagPart.KEY, TagPart.OWN_KEY, TagPart.VALUE):
            self._open_parameter(part, seen, written, events)
        else:
            self._pass(part, before, span)
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
            self._doubt("odd_tag")  # that call may not have ended
            self._begin_call(span[0])
            self._in = In.CALL
        if self._has_json:
            self._call.refuse("other_form")
        if self._in is In.KEY:
            self._repair("doubled", "found an opening tag too many", span, "odd_tag")
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

    def _pass(self, part: TagPart, before: In, span: Span) -> None:
        """Process a tag that opens no element with text; *before* is the part read before it."""
        if part is TagPart.WRAP or part is TagPart.END_WRAP:
            self._leave(without_end="open_tag" if part is TagPart.WRAP else "")
        elif part is TagPart.END_VALUE:
            self._surplus = True
            if self._is_ended:
                self._stray(span)
            else:  # it may close a value that was ended too early
                self._call.refuse("ambiguous_end")
                self._doubt("ambiguous_end")
                if self._last is None:
                    self._calls.append(Call("", "", span, problem="ambiguous_end"))
        elif part is TagPart.END_NAME:
            if self._is_named:
                self._stray(span)
            self._is_named = True
        elif part is TagPart.NAME and self._in is In.CALL and not self._call.tool:
            self._in = In.NAME
            self._is_named = False
        elif part is TagPart.KEYS or part is TagPart.END_KEYS:
            if self._in is not In.CALL or self._in_keys is (part is TagPart.KEYS):
                self._stray(span)
            self._in_keys = self._in is In.CALL and part is TagPart.KEYS
        elif part is TagPart.NAME or before is not In.KEY:
            if self._in is In.CALL or (part is TagPart.NAME and self._in is not In.BLOCK):
                self._call.refuse("odd_tag")
            self._stray(span)
