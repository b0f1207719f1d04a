"""Reads a text in chunks: chunks in, events out."""

from __future__ import annotations

import sys
from bisect import bisect_right
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, NoReturn

from agent_parsers.engine.markers.kinds import Literal, spelt_texts
from agent_parsers.engine.markers.patterns import Walked
from agent_parsers.engine.reading.collecting.collector import Setup, StateEnd
from agent_parsers.engine.reading.collecting.step import StepCollector
from agent_parsers.engine.reading.quoting.marks import speaks_of_thoughts
from agent_parsers.engine.reading.quoting.quotations import Surroundings
from agent_parsers.engine.reading.rules.machine import is_half
from agent_parsers.engine.reading.rules.machine import machine as machine_for
from agent_parsers.engine.reading.rules.states import Crossing
from agent_parsers.engine.reading.scanner import Scanner
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.guards import closes_the_outermost
from agent_parsers.engine.tables.modes import STRICT, check_ended
from agent_parsers.engine.tables.problems import too_long
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import ActionComplete, MarkerSeen, Repair
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.reading.collecting.collector import Collector
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.modes import EmitCalls
    from agent_parsers.events import Event, Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class TurnStream(Scanner):
    """Reads one text in chunks, by the rules of a *machine*; see `StreamParser`.

    Args:
        machine: The dialect, compiled for one mode.
        tools: The available tools; `None` accepts any tool.
        max_chars: Longest text that is read; `None` if there is no limit.
        start: The part in which the text begins; empty for the dialect's default.
        prompt: The end of the prompt, from which `start` is derived if it is empty.
        advise: Writes the observations of errors.
        calls: When the calls of a turn that may have several are emitted; see `StreamParser`.
        reads_foreign: Whether a lenient turn is searched for calls in the form of other dialects.
        refuses: Whether calls of a strict turn are errors if lenient mode would not make them.
    """

    __slots__ = ("_closed", "_is_full", "_limit", "_max_chars", "_size", "last_events")

    def __init__(
        self,
        machine: Machine,
        tools: ToolSet | None = None,
        *,
        max_chars: int | None = None,
        start: str = "",
        prompt: str = "",
        advise: Advise | None = None,
        calls: EmitCalls = "all",
        reads_foreign: bool = True,
        refuses: bool = True,
    ) -> None:
        if calls == "each":
            machine.check_each(start, prompt)
        refusal, is_run = None, machine.table.is_run
        if refuses and machine.mode in STRICT:
            finds_foreign = reads_foreign and machine.mode == "strict"
            refusal = partial(_refusal, machine, tools, start, prompt, finds_foreign)
        setup = Setup(
            machine,
            tools,
            advise,
            calls,
            reads_foreign=reads_foreign and machine.lenient and not is_run,
            refusal=refusal,
            keeps_text=max_chars is not None or not is_run,
        )
        super().__init__(machine, _collector(setup), start, prompt)
        self._max_chars = sys.maxsize if max_chars is None else max_chars
        self._limit = self._max_chars  # -1 once no more text is taken
        self._size = 0  # characters taken so far
        self._is_full = False
        self._closed = False
        self.last_events: list[Event] = []
        """What `close` returned, or would have returned if it had not raised."""

    @property
    def text(self) -> str:
        """All text so far; empty for a transcript without a limit on its length."""
        return self._collector.text

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended: whatever follows is not part of it."""
        state = self._state
        return self._is_full or (state.part is Part.SKIPPED and not state.crossings)

    @property
    def content(self) -> str | None:
        """The content so far; `None` in dialects whose turns have only one call."""
        return self._collector.content

    @property
    def thought(self) -> str | None:
        """The thought so far; `None` in dialects whose turns have only one call."""
        return self._collector.thought

    @property
    def result(self) -> TurnResult | None:
        """The result of the turn; `None` until it is certain, and always for a transcript.

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
        """Read the next piece of the text and return the events it completes.

        Raises:
            OutputParserException: The text is longer than *max_chars*.
            RuntimeError: `close` was called before.
        """
        if self._closed:
            raise RuntimeError(
                "feed() was called after close(); use a new stream parser for each text"
            )
        if self._is_full:
            self._closed = True
            raise self._collector.with_early_calls(too_long("text", self.text, self._max_chars))
        room = self._max_chars - self._size
        if len(text) > room:
            text = text[:room]
            self._is_full = True  # the next call raises, so that these events are not lost
            self._limit = -1
        self._size += len(text)
        self._collector.add(text)
        events: list[Event] = []
        self._advance(events, self._tail + text, is_last=False)
        return events

    def read_whole(self, text: str, *, ended: Ended = "unknown") -> list[Event]:
        """Read the whole *text*, in place of `feed` and `close`, and return all events.

        Args:
            text: The whole text.
            ended: How it ended, if known.

        Raises:
            OutputParserException: As for `close`.
        """
        buffer = self._tail + text
        size = self._size + len(text)
        may_be_cut = self._machine.table.several or buffer.endswith(self._machine.half_ends)
        if size > self._limit or may_be_cut:
            return [*self.feed(text), *self.close(ended=ended)]
        self._size = size
        self._collector.add(text)
        # Nothing can follow, so that no patterns for what may become a marker are needed.
        self._advance(self.last_events, buffer, is_last=True)
        return self.close(ended=ended)

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the text and return the last events; `result` is set from then on.

        Args:
            ended: How the text ended, if known.

        Raises:
            OutputParserException: `parse` would raise it for this text. The last events are in
                `last_events` even then.
            RuntimeError: `close` was called before.
        """
        check_ended(ended)
        if self._closed:
            raise RuntimeError("close() was called twice; use a new stream parser for each text")
        self._closed = True
        self._limit = -1
        if self._is_full:
            raise self._collector.with_early_calls(too_long("text", self.text, self._max_chars))
        events = self.last_events
        self._collector.ended = ended
        if (half := self._half_marker()) is not None:
            self._take_half(events, replace(half, may_be_cut=ended != "stop"))
        self._advance(events, self._tail, is_last=True)
        end = self._end_text(events, self._size)
        self._collector.leave(events, StateEnd(self._state, None, (self._text_at, end), self._size))
        if end < self._size:
            events.append(MarkerSeen("end", (end, self._size)))
        announced = self._refuse()
        self._collector.end_text(events, self._state, self._entry)
        if (error := self._collector.error(announced)) is not None:
            raise error
        return events

    def _refuse(self) -> str:
        """Raise an error that is not in the text itself, or return what announces a call."""
        return ""

    def _take_half(self, events: list[Event], half: Crossing) -> None:
        """Take *half* a marker, in which the text ends, for the marker."""
        tail, span = self._tail, (self._at, self._size)
        self._tail = ""
        if not (half.ends_thought and self._before.depth):
            self._cross(events, half, tail, *span)
            return
        self._close_inner(events, half, span)
        self._take(events, tail, 0, len(tail))
        self._at = self._size

    def _half_marker(self) -> Crossing | None:
        """Return the crossing of half a marker at the end of the text, if it is unambiguous.

        The text then ends in half a stop sequence, or in more than half of a marker that closes a
        thought or a message, or in the beginning of one that closes a call, and of no other marker.
        """
        tail, state = self._tail, self._state
        if state.can_be_cut and tail in self._machine.half_stops:
            over = next(each.to for each in state.crossings if each.to.is_behind_end)
            return Crossing("stop", Literal(tail), over)
        table = self._machine.table
        if not tail or table.is_run:
            return None
        half = None
        if table.lenient and not state.is_draft:
            half = self._half_closer()
        if half is None and table.several and state.part is Part.CALL:
            half = self._half_call_closer()
        if half is None or self._collector.is_quoting:
            return None
        return replace(half, name="half of a marker", marker=Literal(tail))

    def _half_closer(self) -> Crossing | None:
        """Return the crossing of a marker that closes a thought, if the text ends in half of it."""
        begun = [*_begun(self._state, self._tail)]
        if not all(crossing.ends_thought for crossing, _ in begun):
            return None
        tail = self._tail.lstrip()
        half = (crossing for crossing, text in begun if is_half(tail, text.lstrip()))
        return next((each for each in half if not self._is_refused(each)), None)

    def _half_call_closer(self) -> Crossing | None:
        """Return the crossing of a marker that closes a call, if the text ends in half of it."""
        begun = [
            (crossing, text)
            for crossing, text in _begun(self._state, self._tail)
            if not crossing.ends_thought and crossing.to.part is not Part.THOUGHT
        ]
        if not all(c.closes and c.to is not self._state and not c.drops for c, _ in begun):
            return None
        is_call = not self._collector.is_message  # or its thought
        return next((each for each, text in begun if is_call or is_half(self._tail, text)), None)

    def _is_refused(self, half: Crossing) -> bool:
        """Return whether the marker of *half*, in which the text ends, is text where it stands."""
        here = self._here(half, Walked(self._tail, 0, len(self._tail)), self._at)
        return any(guard(here) for guard in half.guards if guard is not closes_the_outermost)


def _begun(state: State, tail: str) -> Iterator[tuple[Crossing, str]]:
    """Return the markers in *state* that *tail* begins, each with the text that it begins."""
    spelt = ((each, text) for each in state.crossings for text in spelt_texts(each.marker))
    return (found for found in spelt if found[1].startswith(tail))


def _collector(setup: Setup) -> Collector:
    # imported lazily: only some dialects need the others
    machine = setup.machine
    if machine.table.several:
        from agent_parsers.engine.reading.collecting.calls import CallsCollector

        return CallsCollector(setup)
    if machine.table.is_run:
        from agent_parsers.engine.reading.collecting.run import RunCollector

        lenient = machine_for(machine.dialect, "lenient")

        def read_turn(text: str) -> list[Event]:
            return TurnStream(lenient, setup.tools).read_whole(text, ended="stop")

        return RunCollector(setup, read_turn)
    return StepCollector(setup)


def _refusal(
    machine: Machine,
    tools: ToolSet | None,
    start: str,
    prompt: str,
    finds_foreign: bool,
    text: str,
    ended: Ended,
    calls: Sequence[Span],
) -> BadPayload | None:
    """Return why lenient mode does not make all *calls* that a strict *machine* makes of a *text*.

    As LangChain reads, it only matters if there may be thoughts in it; what the model invents
    before its first call does not.
    """
    if machine.mode == "langchain" and not speaks_of_thoughts(text):
        return None
    lenient = machine_for(machine.dialect, "lenient")
    stream = TurnStream(lenient, tools, start=start, prompt=prompt, reads_foreign=finds_foreign)
    try:
        events = stream.read_whole(text, ended=ended)
    except OutputParserException as error:
        if machine.mode == "langchain" and error.problem == "invented_first":
            around = Surroundings(text, calls[:1]).closed
            if not any(speaks_of_thoughts(text[slice(*each.marks[0])]) for each in around):
                return None
        return stream._collector.problem
    spans = {each.kind: each.span for each in events if isinstance(each, Repair)}
    made = sorted(each.span for each in events if isinstance(each, ActionComplete))
    if made and "open_reasoning" in spans:
        return BadPayload("open_reasoning", spans["open_reasoning"])
    ends = [end for _, end in made]
    places = ((bisect_right(ends, start), stop) for start, stop in calls)
    if all(at < len(made) and made[at][0] < stop for at, stop in places):  # each meets one
        return None
    if "quoted" in spans:
        return BadPayload("call_in_quotation", spans["quoted"])
    return BadPayload("call_or_answer", (0, len(text)))
