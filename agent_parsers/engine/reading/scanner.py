"""Finds markers in chunks of text, and hands the text between them to a collector."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.mentions import TextBefore
from agent_parsers.engine.reading.collecting.collector import StateEnd
from agent_parsers.engine.tables.guards import (
    Here,
    closes_the_outermost,
    first_of_its_kind,
    not_mentioned,
    opens_no_other,
    outside_of_fences,
    outside_of_quotations,
)
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import Event, MarkerSeen, Repair

if TYPE_CHECKING:
    from agent_parsers.engine.markers.patterns import Found
    from agent_parsers.engine.reading.collecting.collector import Collector
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.rules.states import Crossing
    from agent_parsers.engine.tables.guards import Guard
    from agent_parsers.events import Span


class Scanner:
    """Runs a *machine* over a text in chunks: finds its markers and follows its states.

    It holds back text that a later chunk may complete to a marker, and white space next to it. For
    *start* and *prompt* see `Machine.start`; the *collector* takes the text of each state.
    """

    __slots__ = (
        "_at", "_before", "_collector", "_entry", "_floor", "_has_broken",
        "_has_unseen", "_machine", "_marker", "_marker_at", "_state", "_tail", "_text_at",
    )  # fmt: skip

    def __init__(self, machine: Machine, collector: Collector, start: str, prompt: str) -> None:
        self._machine, self._collector = machine, collector
        self._state = machine.start(start, prompt)
        self._before = TextBefore()  # the text since the last marker
        self._before.has_thought = machine.begins_behind_thought(start, prompt)
        # A label may begin the text, as if after a line break.
        self._tail = "\n"  # held back: it may become a marker
        self._at = -1  # offset of the tail
        self._floor = 0  # where the last marker ends, or 0
        self._has_broken = False  # whether `_break_line` was called
        self._has_unseen = False  # whether an invisible character precedes the text of this state
        self._text_at = 0  # where the text of this state begins
        self._marker = "start"  # the last marker, emitted when its white space is known
        self._marker_at = 0
        self._entry = -1  # where the marker that led to this state begins

    def _advance(self, events: list[Event], buffer: str, *, is_last: bool) -> None:
        """Read *buffer*, which begins with the tail, and hold back what may become a marker."""
        base = self._at
        taken = at = 0
        while True:
            state = self._state
            found = (state.whole if is_last else state.growing)(buffer, at)
            if found is None:
                stop = len(buffer)
                break
            stop = found.start()
            if found.lastindex is None:
                if state.begun is None:
                    break
                taken = self._take(events, buffer, taken, stop)
                if not self._begin_call():
                    break
                at = stop
                continue
            crossing = state.by_index[found.lastindex]
            at = found.end()
            if crossing.guards:
                taken = self._take(events, buffer, taken, stop)
                if self._is_text(events, crossing, found, base + stop):
                    continue
                if self._begin_call():
                    at = stop
                    continue
            if crossing.is_note:
                if crossing.drops:  # its repair is emitted between two deltas
                    taken = self._take(events, buffer, taken, stop)
                self._note(events, crossing, found[0], base + stop)
                continue
            self._take(events, buffer, taken, stop)
            self._cross(events, crossing, found[0], base + stop, base + at)
            taken = at
            if crossing.breaks_line and not self._has_broken:
                buffer, taken, at = self._break_line(buffer, at)
                base = self._at
        self._take(events, buffer, taken, stop)
        if state.begun is not None:
            self._begin_call()
        self._tail = buffer[stop:]
        self._at = base + stop

    def _is_text(self, events: list[Event], crossing: Crossing, found: Found, start: int) -> bool:
        """Return whether a guard refuses the marker *found* at offset *start*, so it is text."""
        here = self._here(crossing, found, start)
        for guard in crossing.guards:
            if reason := guard(here):
                span = (start, start + len(found[0]))
                if guard is outside_of_quotations:
                    label = found[0].strip()
                    at = span[1] - len(found[0].lstrip())
                    message = f"read {label!r} in a quotation as text"
                    events.append(Repair("quoted", (at, at + len(label)), message))
                elif guard in (first_of_its_kind, not_mentioned, outside_of_fences) and (
                    crossing.is_of_thought
                ):
                    self._collector.see_mention(span, opens=not crossing.unopened)
                elif guard is opens_no_other:
                    self._before.depth += 1
                elif guard is closes_the_outermost:
                    self._close_inner(events, crossing, span)
                self._pass_by(guard, reason, found[0], start)
                return True
        return False

    def _here(self, crossing: Crossing, found: Found, start: int) -> Here:
        """Return the place of the marker *found* at offset *start*."""
        is_start = self._marker == "start"
        in_block = self._state.is_block and self._entry >= 0
        at = self._entry if in_block else start
        place = self._text_at, start
        return Here(crossing.marker, found, self._before, self._collector, is_start, place, at)

    def _close_inner(self, events: list[Event], crossing: Crossing, span: Span) -> None:
        """Close a thought within a thought by the marker of *crossing* at *span*."""
        self._before.depth -= 1
        self._collector.see_inner_end(events, crossing.name, span)

    def _pass_by(self, guard: Guard, reason: str, spelt: str, start: int) -> None:
        """Note that *guard* refused the marker *spelt* at *start*; subclasses may record it."""

    def _break_line(self, buffer: str, at: int) -> tuple[str, int, int]:
        """Go on at *at* in *buffer* as if a line began there; only once, since it takes a copy.

        Returns:
            The new buffer, how much of it was taken, and where to go on.
        """
        self._has_broken = True
        self._at += at - 1
        return "\n" + buffer[at:], 0, 0

    def _begin_call(self) -> bool:
        """Enter the state of a call that has begun; return whether one has."""
        begun = self._state.begun
        if begun is None or not self._collector.has_call_begun:
            return False
        self._state = begun
        return True

    def _take(self, events: list[Event], buffer: str, taken: int, stop: int) -> int:
        """Take *buffer* from *taken* to *stop*, and return how much of it is taken then.

        White space at the end is held back.
        """
        if stop <= taken:
            return taken
        text = buffer[taken:stop]
        at = self._at + taken
        if self._state.is_verbatim:
            if self._before.is_first:
                self._begin(events, at)
            self._collector.take(events, self._state, text, at)
            return stop
        before = self._before
        if before.is_first:
            size = len(text)
            text = self._begun_text(events, text, at)
            if not text:
                return stop  # it belongs to the marker before it
            at += size - len(text)
            self._begin(events, at)
        body = text.rstrip()
        if not body:
            before.blank.append(text)
            return stop
        rest = text[len(body) :]
        if before.blank:
            blank = "".join(before.blank)
            before.blank.clear()
            at -= len(blank)
            body = blank + body
        self._collector.take(events, self._state, body, at)
        before.add(body)
        if rest:
            before.blank.append(rest)
        return stop

    def _begun_text(self, events: list[Event], text: str, at: int) -> str:
        """Return *text* at offset *at* without leading white space, which belongs to the marker.

        In lenient mode, if turns may have several calls, invisible characters are removed too.
        """
        table = self._machine.table
        if not (table.lenient and table.several):
            return text.lstrip()
        begun = _unseen(text)
        assert begun is not None, "the pattern also matches empty text"
        if begun[1] and not self._has_unseen:
            self._has_unseen = True
            span = (at + begun.start(1), at + begun.end(1))
            events.append(Repair("invisible", span, "dropped an invisible character"))
        return text[begun.end() :]

    def _begin(self, events: list[Event], at: int) -> None:
        """Begin the text of this state at offset *at*."""
        self._emit_marker(events, at)
        self._before.begin()
        self._text_at = at

    def _emit_marker(self, events: list[Event], end: int) -> None:
        """Emit the last marker, which ends at *end* with its white space."""
        if end > self._marker_at:
            events.append(MarkerSeen(self._marker, (self._marker_at, end)))

    def _note(self, events: list[Event], crossing: Crossing, spelt: str, start: int) -> None:
        """Change the state at the marker *spelt* at offset *start*, which remains text."""
        self._state = crossing.to
        self._entry = start = max(start, self._floor)
        if crossing.drops:
            start += len(spelt) - len(spelt.lstrip())
            label = spelt.strip()
            message = crossing.drops.format(repr(label))
            events.append(Repair("both", (start, start + len(label)), message))

    def _cross(
        self, events: list[Event], crossing: Crossing, spelt: str, start: int, end: int
    ) -> None:
        """Cross the marker *spelt* at offsets *start* to *end* into the next state."""
        start = max(start, self._floor)
        self._floor = end
        before = self._before
        before.count_ticks("".join(before.blank) + spelt)
        to = crossing.to
        edge = end if crossing.closes else start
        drops = crossing.drops
        if crossing.unopened and before.has_thought:
            self._collector.see_mention((start, end), opens=False)
            drops = ""
        marker_at = self._end_text(events, start)
        span = self._text_at, marker_at
        left = StateEnd(self._state, to, span, edge, crossing.closes, crossing.may_be_cut)
        if not drops:
            self._collector.leave(events, left)
        elif not self._collector.restart(events, left):
            drops = ""
        before.has_thought = before.has_thought or crossing.ends_thought
        if to.part is Part.THOUGHT or to.is_draft:
            before.depth += self._state.is_draft and not to.is_draft  # another was opened
        else:
            before.depth = 0
        self._collector.enter(events, to.part, edge)
        label = spelt.strip()
        at = end - len(spelt.lstrip())
        span = (at, at + len(label))
        if self._machine.lenient and not crossing.marker.is_canonical(spelt):
            message = f"read {label!r} as the label {crossing.name!r}"
            events.append(Repair("label", span, message))
        if crossing.odd and self._machine.lenient:
            events.append(Repair("marks", span, crossing.odd))
        if to.is_behind_end or (to.beside_action and self._collector.result is not None):
            message = f"the turn ended at {label!r}; the text after it is not part of the turn"
            events.append(Repair("invented", span, message))
        if crossing.late:
            self._collector.see_late_marker(crossing.late, span)
        may_be_stray = crossing.of_call and not before.is_first
        is_stray = may_be_stray and self._collector.see_stray_closer(crossing.of_call, span)
        self._state = to
        self._entry = start
        if drops and self._machine.lenient:
            events.append(Repair("left_out", span, drops.format(repr(label))))
        elif (crossing.drops or is_stray) and self._machine.lenient:
            events.append(Repair("closer", span, "dropped a closing mark without an opening one"))
        self._marker, self._marker_at = crossing.name, marker_at
        self._collector.see_marker(spelt, span)
        before.is_first = True
        self._has_unseen = False

    def _end_text(self, events: list[Event], stop: int) -> int:
        """End the text of this state at *stop*, before the white space there; return its end."""
        state = self._state
        blank = "".join(self._before.blank)
        self._before.blank.clear()
        if self._before.is_first:
            self._emit_marker(events, stop)
            self._text_at = stop
        elif blank and state.keeps_end:
            self._collector.take(events, state, blank, stop - len(blank))
            blank = ""
        return stop - len(blank)


_unseen: Final = re.compile(r"\s*+([\ufeff\u200b\u2060]?+)[\s\ufeff\u200b\u2060]*+").match
"""Matches white space and zero-width characters; group 1 is the first of the latter."""
