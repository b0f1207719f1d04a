"""Reads a text in chunks: chunks in, events out."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from typing import TYPE_CHECKING, Final, NoReturn

from agent_parsers.engine.grammar.reasoning import WINDOW, is_spoken_of
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.kinds import (
    ENDS_SENTENCE,
    LONGEST_LEAD,
    Literal,
    is_hedged,
    spelt_texts,
)
from agent_parsers.engine.reading.collect import Collector
from agent_parsers.engine.reading.states import CUT, Crossing
from agent_parsers.events import Event, MarkerSeen, Repair

if TYPE_CHECKING:
    from re import Match

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.reading.machine import Machine
    from agent_parsers.engine.reading.rules import Advise
    from agent_parsers.engine.reading.states import State
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["TurnStream"]


class TurnStream:
    """Reads one text in chunks, by the rules of a *machine*; see `StreamParser`.

    Args:
        machine: The dialect, compiled for one mode.
        tools: The tools there are; `None` if any will do.
        max_chars: Longest text that is read; `None` if there is no limit.
        start: The part in which the text begins; empty for the dialect's default.
        prompt: The end of the prompt, from which `start` is derived if it is empty.
        advise: Writes the observations of errors.
    """

    __slots__ = (
        "_at", "_blank", "_closed", "_collector", "_ends_in_tick", "_entry", "_floor", "_fresh",
        "_has_broken", "_has_thought", "_has_unseen", "_is_full", "_last", "_lead", "_machine",
        "_marker", "_marker_at", "_max_chars", "_size", "_state", "_tail", "_text_at",
        "_ticks", "last_events",
    )  # fmt: skip

    def __init__(
        self,
        machine: Machine,
        tools: ToolSet | None = None,
        *,
        max_chars: int | None = None,
        start: str = "",
        prompt: str = "",
        advise: Advise | None = None,
    ) -> None:
        self._machine = machine
        self._collector = _collector(machine, tools, advise)
        self._max_chars = sys.maxsize if max_chars is None else max_chars
        self._size = 0  # characters taken so far
        self._is_full = False
        self._closed = False
        self.last_events: list[Event] = []
        """What `close` returned, or would have returned if it had not raised."""

        # A label may begin the text, as if after a line break.
        self._state = self._machine.start(start, prompt)
        self._has_thought = self._machine.begins_behind_thought(start, prompt)  # has ended
        self._tail = "\n"  # held back: it may become a marker
        self._at = -1  # offset of the tail
        self._floor = 0  # where the last marker ends, or 0
        self._has_broken = False  # whether `_break_line` was called
        self._blank: list[str] = []  # white space before the tail that may belong to a marker
        self._fresh = True  # no text since the last marker, which takes the white space
        self._has_unseen = False  # whether an invisible character precedes that text
        self._ticks = 0  # runs of backticks on the line so far
        self._ends_in_tick = False  # whether the last run may go on
        self._lead = ""  # the end of that text, which may decide what a label means
        self._last = ""  # the last character of that text that is not white space
        self._text_at = 0  # where the text of this state begins
        self._marker = "start"  # the last marker, emitted when its white space is known
        self._marker_at = 0
        self._entry = -1  # where the marker that led to this state begins

    @property
    def text(self) -> str:
        """All text so far."""
        return self._collector.text

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended: whatever follows is not part of it."""
        state = self._state
        return self._is_full or (state.part is Part.SKIPPED and not state.crossings)

    @property
    def content(self) -> str | None:
        """The content so far; `None` if a turn of the dialect has only one call."""
        return self._collector.content

    @property
    def thought(self) -> str | None:
        """The thought so far; `None` if a turn of the dialect has only one call."""
        return self._collector.thought

    @property
    def result(self) -> TurnResult | None:
        """The result of the turn; `None` until it is certain, and for a transcript.

        It is a list of actions if a turn of the dialect may have several calls.
        """
        return self._collector.result

    def __reduce_ex__(self, protocol: object, /) -> NoReturn:
        """Refuse to be copied or pickled, since copies would share the state of the reader.

        Raises:
            TypeError: Always.
        """
        raise TypeError(
            f"a {type(self).__name__} cannot be copied or pickled: make another, and feed it the"
            " same text"
        )

    def feed(self, text: str) -> list[Event]:
        """Take the next piece of the text and return the events it completes.

        Raises:
            OutputParserException: The text is longer than *max_chars*.
            RuntimeError: `close` was called before.
        """
        if self._closed:
            kind = type(self).__name__
            raise RuntimeError(f"feed() after close(); make a new {kind} for a new text")
        if self._is_full:
            self._closed = True
            raise self._machine.too_long(self.text, self._max_chars)
        room = self._max_chars - self._size
        if len(text) > room:
            text = text[:room]
            self._is_full = True  # the next call raises, so that these events are not lost
        self._size += len(text)
        self._collector.add(text)
        events: list[Event] = []
        self._advance(events, self._tail + text, is_last=False)
        return events

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the text and return the last events; `result` is set from then on.

        Args:
            ended: How the text ended, if known.

        Raises:
            OutputParserException: `parse` would raise it for this text. The last events are in
                `last_events` even then.
            RuntimeError: `close` was called before.
        """
        if self._closed:
            kind = type(self).__name__
            raise RuntimeError(f"close() after close(); make a new {kind} for a new text")
        self._closed = True
        if self._is_full:
            raise self._machine.too_long(self.text, self._max_chars)
        events = self.last_events
        self._collector.ended = ended
        if (half := self._half_marker()) is not None:
            self._collector.is_half = ended != "stop"
            self._cross(events, half, self._tail, self._at, self._size)
            self._tail = ""
        self._advance(events, self._tail, is_last=True)
        is_bare = self._fresh
        end = self._leave(events, None, self._size, self._size)
        if end < self._size:
            events.append(MarkerSeen("end", (end, self._size)))
        self._refuse()
        self._collector.end_text(events, self._state, self._entry, end, is_bare=is_bare)
        if (error := self._collector.error()) is not None:
            raise error
        return events

    def _refuse(self) -> None:
        """Raise an error that is not in the text itself; subclasses may override it."""

    def _half_marker(self) -> Crossing | None:
        """Return the crossing of half a marker at the end of the text, if it is unambiguous.

        The text then ends in half a stop sequence, or in the beginning of a marker that closes a
        call, and of no other marker.
        """
        tail, state = self._tail, self._state
        if state.can_be_cut and tail in self._machine.half_stops:
            return Crossing("stop", Literal(tail), CUT)
        if not tail or state.part is not Part.CALL or not self._machine.table.several:
            return None
        if self._collector.is_quoting:
            return None
        markers = (
            (crossing, crossing.marker)
            for crossing in state.crossings
            if not crossing.ends_thought and crossing.to.part is not Part.THOUGHT
        )
        begun = [
            crossing
            for crossing, marker in markers
            if any(text.startswith(tail) for text in spelt_texts(marker))
        ]
        if not begun or not all(c.closes and c.to is not state and not c.drops for c in begun):
            return None
        return replace(begun[0], name="half of a marker", marker=Literal(tail))

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
            if found.lastindex is None:
                stop = found.start()
                if state.begun is not None:
                    taken = self._take_part(events, buffer, taken, stop)
                    if self._begin_call():
                        at = stop
                        continue
                break
            crossing = state.by_group[found.lastindex]
            stop, at = found.span()
            if crossing.is_delicate:
                taken = self._take_part(events, buffer, taken, stop)
                if self._is_text(events, crossing, found, base + stop):
                    continue
                if self._begin_call():
                    at = stop
                    continue
            if crossing.is_note:
                if crossing.drops:  # its repair is emitted between two deltas
                    taken = self._take_part(events, buffer, taken, stop)
                self._note(events, crossing, found[0], base + stop)
                continue
            self._take_part(events, buffer, taken, stop)
            self._cross(events, crossing, found[0], base + stop, base + at)
            taken = at
            if crossing.breaks_line and not self._has_broken:
                buffer, taken, at = self._break_line(buffer, at)
                base = self._at
        self._take_part(events, buffer, taken, stop)
        self._begin_call()
        self._tail = buffer[stop:]
        self._at = base + stop

    def _is_text(
        self, events: list[Event], crossing: Crossing, found: Match[str], start: int
    ) -> bool:
        """Return whether the marker *found* at offset *start* is text, given the text before it."""
        spelt = found[0]
        # In backticks a label may be quoted. Strict reading follows its reference, which looks only
        # for labels.
        is_open = crossing.is_inline and self._ticks % 2 and self._machine.lenient
        if is_open and not self._is_after_break():
            return True
        if crossing.begins:
            if self._fresh or self._last in ENDS_SENTENCE:
                return False
            if is_hedged(self._lead):
                return True
            tools = self._collector.tools
            return not self._machine.names_tool(crossing, found.string, found.end(), tools)
        if crossing.unless:
            return self._collector.holds(crossing.unless)
        if crossing.place and not self._is_at(crossing.place):
            return True
        if crossing.alike and not crossing.alike.counts(spelt, self._collector.label):
            return True
        asks = self._state.asks or (self._state.watches and crossing.is_label)
        if asks and self._collector.is_quoting:
            self._pass_by(events, spelt, start)
            return True
        if crossing.is_of_thought and self._collector.is_in_value:
            return True
        after = found.string[found.end() : found.end() + WINDOW] if crossing.is_nameable else ""
        return self._is_spoken_of(crossing, (start, start + len(spelt)), after)

    def _is_spoken_of(self, crossing: Crossing, span: Span, after: str) -> bool:
        """Return whether text only mentions the marker of a thought at *span*.

        A marker that closes a thought is text if a thought was closed before, unless it follows
        another marker.
        """
        if self._fresh:
            return False
        is_so = crossing.unopened and self._has_thought
        if crossing.is_nameable and not is_so:
            is_so = is_spoken_of(self._last, "".join(self._blank), after)
        if is_so:
            self._collector.meet_mark(span, opens=not crossing.unopened)
        return is_so

    def _is_at(self, place: str) -> bool:
        """Return whether the next text is at a *place*: the beginning of a line, or of the text."""
        if place == "line":
            return self._fresh or self._is_after_break()
        return self._fresh and self._marker == "start"

    def _is_after_break(self) -> bool:
        """Return whether a line has ended since the last text."""
        return any("\n" in blank for blank in self._blank)

    def _pass_by(self, events: list[Event], spelt: str, start: int) -> None:
        """Read the marker *spelt* at offset *start* as text, since it is in a quotation."""
        if self._state.watches:  # in a call, strict mode does this too, so it is not a repair
            label = spelt.strip()
            start += len(spelt) - len(spelt.lstrip())
            message = f"took {label!r} in a quotation for text"
            events.append(Repair("quoted", (start, start + len(label)), message))

    def _break_line(self, buffer: str, at: int) -> tuple[str, int, int]:
        """Go on at *at* in *buffer* as if a line began there; only once, since it takes a copy.

        Returns:
            The new buffer, how much of it was taken, and where to go on.
        """
        self._has_broken = True
        self._at += at - 1
        return "\n" + buffer[at:], 0, 0

    def _take_part(self, events: list[Event], buffer: str, taken: int, stop: int) -> int:
        """Take the text from *taken* to *stop* in *buffer*; return how much is taken then."""
        if stop <= taken:
            return taken
        self._take(events, buffer[taken:stop], self._at + taken)
        return stop

    def _begin_call(self) -> bool:
        """Enter the state of a call that has begun; return whether one has."""
        begun = self._state.begun
        if begun is None or not self._collector.has_begun:
            return False
        self._state = begun
        return True

    def _note(self, events: list[Event], crossing: Crossing, spelt: str, start: int) -> None:
        """Change the state at the marker *spelt* at offset *start*, which remains text."""
        self._state = crossing.to
        self._entry = start = max(start, self._floor)
        if crossing.drops:
            start += len(spelt) - len(spelt.lstrip())
            label = spelt.strip()
            message = crossing.drops.format(repr(label))
            events.append(Repair("both", (start, start + len(label)), message))

    def _take(self, events: list[Event], text: str, at: int) -> None:
        """Take *text* at offset *at*; white space at its end is held back."""
        if self._state.is_verbatim:
            if self._fresh:
                self._begin(events, at)
            self._collector.take(events, self._state, text, at)
            return
        if self._fresh:
            size = len(text)
            text = self._begun_text(events, text, at)
            if not text:
                return  # it belongs to the marker before it
            at += size - len(text)
            self._begin(events, at)
        body = text.rstrip()
        if not body:
            self._blank.append(text)
            return
        self._last = body[-1]
        rest = text[len(body) :]
        if self._blank:
            blank = "".join(self._blank)
            self._blank.clear()
            at -= len(blank)
            body = blank + body
        self._lead = (self._lead + body)[-LONGEST_LEAD:]
        self._count_ticks(body)
        self._collector.take(events, self._state, body, at)
        if rest:
            self._blank.append(rest)

    def _count_ticks(self, text: str) -> None:
        """Count the runs of backticks on the line, of which *text* is the next part."""
        if "\n" in text:
            text = text[text.rfind("\n") :]
            self._ticks = 0
        if "`" in text:
            goes_on = self._ends_in_tick and text[0] == "`"
            self._ticks += len(_runs_of_ticks(text)) - goes_on
        self._ends_in_tick = text[-1:] == "`"

    def _begun_text(self, events: list[Event], text: str, at: int) -> str:
        """Return *text* at offset *at* without leading white space, which belongs to the marker.

        In lenient mode, if turns may have several calls, invisible characters are removed too.
        """
        table = self._machine.table
        if not (table.lenient and table.several):
            return text.lstrip()
        begun = _unseen(text)
        assert begun is not None, "it matches the empty text as well"
        if begun[1] and not self._has_unseen:
            self._has_unseen = True
            span = (at + begun.start(1), at + begun.end(1))
            events.append(Repair("invisible", span, "left out a character that nobody sees"))
        return text[begun.end() :]

    def _begin(self, events: list[Event], at: int) -> None:
        """Begin the text of this state at offset *at*."""
        self._emit_marker(events, at)
        self._fresh = False
        self._lead = ""
        self._text_at = at

    def _emit_marker(self, events: list[Event], end: int) -> None:
        """Emit the last marker, which ends at *end* with its white space."""
        if end > self._marker_at:
            events.append(MarkerSeen(self._marker, (self._marker_at, end)))

    def _cross(
        self, events: list[Event], crossing: Crossing, spelt: str, start: int, end: int
    ) -> None:
        """Cross the marker *spelt* at offsets *start* to *end* into the next state."""
        start = max(start, self._floor)
        self._floor = end
        self._count_ticks("".join(self._blank) + spelt)
        to = crossing.to
        edge = end if crossing.closes else start
        self._collector.is_closed = crossing.closes
        drops = crossing.drops
        if crossing.unopened and self._has_thought:
            self._collector.meet_mark((start, end), opens=False)
            drops = ""
        marker_at = self._leave(events, to, start, edge, drops=bool(drops))
        if drops and not self._collector.has_dropped:
            drops = ""
        self._has_thought = self._has_thought or crossing.ends_thought
        if self._machine.is_transcript:
            self._collector.turn_page(events, to.part, edge)
        label = spelt.strip()
        at = end - len(spelt.lstrip())
        span = (at, at + len(label))
        if self._machine.lenient and not crossing.marker.is_canonical(spelt):
            message = f"read {label!r} as the label {crossing.name!r}"
            events.append(Repair("label", span, message))
        if crossing.odd and self._machine.lenient:
            events.append(Repair("marks", span, crossing.odd))
        if to.is_cut or (to.beside_action and self._collector.result is not None):
            message = f"the turn ended at {label!r}; what follows is not part of it"
            events.append(Repair("invented", span, message))
        if crossing.late:
            self._collector.meet_late(crossing.late, span)
        self._state = to
        self._entry = edge if self._machine.is_transcript else start
        if drops and self._machine.lenient:
            events.append(Repair("left_out", span, drops.format(repr(label))))
        elif crossing.drops and self._machine.lenient:
            events.append(Repair("closer", span, "left out what closes nothing"))
        self._marker, self._marker_at = crossing.name, marker_at
        self._collector.meet(spelt, span)
        self._fresh = True
        self._has_unseen = False

    def _leave(
        self, events: list[Event], to: State | None, stop: int, edge: int, *, drops: bool = False
    ) -> int:
        """Leave this state for the next, or for the end of the text at offset *stop*.

        The text of this state ends at *edge*, which is after the marker if that closes the state.

        Returns:
            The offset of the white space before *stop* that is not part of the text.
        """
        state = self._state
        blank = "".join(self._blank)
        self._blank.clear()
        if self._fresh:
            self._emit_marker(events, stop)
            self._text_at = stop
        elif blank and state.keeps_end:
            self._collector.take(events, state, blank, stop - len(blank))
            blank = ""
        end = stop - len(blank)
        if drops:
            self._collector.restart(events, state, (self._text_at, end))
        else:
            self._collector.leave(events, state, to, (self._text_at, end), edge)
        return end


_unseen: Final = re.compile(r"\s*+([\ufeff\u200b\u2060]?+)[\s\ufeff\u200b\u2060]*+").match
"""Matches white space and zero-width characters; group 1 is the first of the latter."""


_runs_of_ticks: Final = re.compile("`++").findall


def _collector(machine: Machine, tools: ToolSet | None, advise: Advise | None) -> Collector:
    if not machine.table.several:
        return Collector(machine, tools, advise)
    # imported lazily: only some dialects need it
    from agent_parsers.engine.reading.collect_calls import CallsCollector

    return CallsCollector(machine, tools, advise)
