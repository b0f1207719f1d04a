"""Collects the calls and the answer of a turn whose thought is not closed."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

from typing_extensions import override

from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of
from agent_parsers.engine.reading.collecting.calls import CallsCollector
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, Repair, Span, ThoughtDelta

if TYPE_CHECKING:
    from agent_parsers.engine.reading.quoting.judge import Met
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.modes import EmitCalls
    from agent_parsers.toolset import ToolSet


class InnerEnd(NamedTuple):
    """A mark that closes a thought within a thought."""

    name: str
    span: Span


class DraftsCollector(CallsCollector):
    """Collects calls as `CallsCollector` does, and those in a thought that is still open.

    Such a call is part of the thought, unless the text ends there: then the model forgot to close
    the thought before it made the call.

    Where a thought opens within a thought, what closes it may have been meant to close both. So the
    text behind it is held back until another mark closes one, or the text ends.

    Args:
        machine: The machine that reads the text.
        tools: The available tools; `None` accepts any tool.
        advise: Writes the observations of errors.
        calls: When calls are emitted; see `StreamParser`.
    """

    __slots__ = ("_draft_at", "_draft_problem", "_drafts", "_held", "_inner", "_is_settled")

    def __init__(
        self,
        machine: Machine,
        tools: ToolSet | None,
        advise: Advise | None,
        calls: EmitCalls = "all",
    ) -> None:
        super().__init__(machine, tools, advise, calls)
        self._drafts: list[Met] = []  # calls at the end of a thought that is still open
        self._draft_problem: BadPayload | None = None  # what is wrong with one of them
        self._draft_at = -1  # where that thought begins; -1 without such calls
        self._inner = InnerEnd("", (0, 0))  # the last mark that closed a thought within a thought
        self._held: list[tuple[str, int]] = []  # the text since then, in pieces with their offsets
        self._is_settled = False  # whether that mark turned out to end the thought

    @override
    def meet_inner_end(self, events: list[Event], name: str, span: Span) -> None:
        self._tell_held(events)
        self._inner = InnerEnd(name, span)
        self.is_holding = True

    @override
    def leave(
        self, events: list[Event], state: State, to: State | None, span: Span, stop: int
    ) -> None:
        if self.is_holding:
            is_end = self.ended != "length" if to is None else to.part is Part.SKIPPED
            if is_end and self._held and state.part is Part.THOUGHT:  # no call has begun
                span = self._settle(events, span)
            self._tell_held(events)
            if self._is_settled:
                return
        is_empty = span[0] >= span[1]
        if state.is_draft or (to is not None and to.is_draft):
            self._beside.meet_text(span)
            self._leave_draft(events, state, to, span, stop)
            return
        if state.part is Part.SKIPPED and not is_empty and self._draft_at >= 0:
            self._drop_drafts(self._draft_at)  # the end marker does not count either
            self._lost = self._lost or BadPayload("open_reasoning", span)
        super().leave(events, state, to, span, stop)

    @override
    def take(self, events: list[Event], state: State, text: str, at: int) -> None:
        if self.is_holding:
            self._held.append((text, at))
            return
        before = len(events)
        super().take(events, state, text, at)
        if state.is_draft:
            _as_thoughts(events, before)

    def _leave_draft(
        self, events: list[Event], state: State, to: State | None, span: Span, stop: int
    ) -> None:
        """Leave a thought for a call in it, or leave such a call, or the text after it."""
        if not state.is_draft:
            if state.part is Part.THOUGHT:
                self._beside.add_thought(span)
            self._draft_at = span[0] if span[0] < span[1] else stop
            return
        if state.part is Part.CALL:
            kept = self._met, self._beside.content, self._problem, self._lost
            self._met, self._beside.content, self._problem, self._lost = (
                self._drafts,
                [],
                None,
                None,
            )
            before = len(events)
            super().leave(events, state, to, span, stop)
            _as_thoughts(events, before)
            faults = (met.bad for met in self._drafts if met.bad is not None)
            wrong = next((bad for bad in faults if bad.problem != "no_call"), None)
            self._draft_problem = self._draft_problem or self._problem
            self._draft_problem = self._draft_problem or wrong
            is_thought = bool(self._beside.content or self._lost)
            self._met, self._beside.content, self._problem, self._lost = kept
            if is_thought:
                events[before:] = (e for e in events[before:] if not isinstance(e, Repair))
                is_closed = to is not None and self.is_closed
                self._drop_drafts(stop if is_closed else max(span[1], self.label_span[1]))
        elif span[0] < span[1]:
            self._drop_drafts(span[1])
        if to is not None and not to.is_draft:
            if to.part is not Part.SKIPPED:
                end = span[1] if span[0] < span[1] else self.label_span[1]
                self._drop_drafts(stop if to.part is Part.THOUGHT else end)
                self._draft_at = -1
            elif self._draft_at < 0 or not (self._drafts or self._draft_problem):
                self._lost = self._lost or BadPayload("open_reasoning", self.label_span)

    def _drop_drafts(self, stop: int) -> None:
        """Treat calls in a thought as part of the thought, which goes on up to *stop*."""
        self._drafts.clear()
        self._draft_problem = None
        if stop > self._draft_at:
            self._beside.thoughts = [
                span for span in self._beside.thoughts if span[0] < self._draft_at
            ]
            self._beside.thoughts.append((self._draft_at, stop))

    def _tell_held(self, events: list[Event]) -> None:
        """Tell the text that was held back, which is part of the thought."""
        events += (ThoughtDelta(text, (at, at + len(text))) for text, at in self._held)
        self._held.clear()
        self.is_holding = False

    def _settle(self, events: list[Event], span: Span) -> Span:
        """End the thought at the last mark that may close it, if what follows is no call.

        Args:
            events: Collects the events.
            span: Span of all of the text.

        Returns:
            The span of the thought.
        """
        at, (first, last) = self._held[0][1], self._inner.span
        text = "".join(piece for piece, _ in self._held)
        thought, content = text[: first - at].rstrip(), text[last - at :].lstrip()
        if not _is_plain(content, self._machine.initial):
            return span
        self._held.clear()
        end, start = at + len(thought), at + len(text) - len(content)
        if thought:
            events.append(ThoughtDelta(thought, (at, end)))
        events.append(MarkerSeen(self._inner.name, (end, start)))
        if not content:
            return span[0], end
        message = "ended the thought at the last mark that closes one, though more were opened"
        events.append(Repair("open_reasoning", self._inner.span, message))
        events.append(AnswerDelta(content, (start, start + len(content))))
        self._beside.meet_text(span)
        self._beside.marks.append(self._inner.span)
        if self._draft_at >= 0:
            self._drop_drafts(end)
            self._draft_at = -1
        else:
            self._beside.add_thought((span[0], end))
        self._beside.add_content((start, start + len(content)))
        self._is_settled = True
        return span[0], end

    @override
    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        if self._is_settled and state.part is Part.THOUGHT:
            state = self._machine.initial
        self._end_drafts(events)
        super().end_text(events, state, entry)

    def _end_drafts(self, events: list[Event]) -> None:
        """Collect the calls at the end of a thought that is still open, if there are any."""
        if self._draft_problem is not None:
            self._problem = self._problem or self._draft_problem
        elif self._drafts and self.ended == "length":
            self._problem = self._problem or BadPayload("open_reasoning", self._drafts[0].place)
        elif self._drafts:
            message = "made a call in reasoning that is not closed"
            made = (met for met in self._drafts if met.made is not None)
            events += (Repair("open_reasoning", met.place, message) for met in made)
            self._met += self._drafts


def _as_thoughts(events: list[Event], start: int) -> None:
    """Turn the content deltas in *events* from *start* on into thought deltas."""
    for at in range(start, len(events)):
        event = events[at]
        if isinstance(event, AnswerDelta):
            events[at] = ThoughtDelta(event.text, event.span)


def _is_plain(content: str, home: State) -> bool:
    """Return whether *content*, read in the state *home*, is text that calls no tool.

    It may mention the marks of thoughts.
    """
    if home.new_call is not None:
        reader = home.new_call()
        reader.feed(content, 0)
        calls = (reader.close()[1], *reader.more)
        if not all(call.is_text or call.problem == "no_call" for call in calls):
            return False
    text, at = f"\n{content}", 0
    while (found := home.whole(text, at)) is not None:
        lead, at = text[max(found.start() - WINDOW, 0) : found.start()], found.end()
        said = lead.rstrip()
        if not is_spoken_of(said[-1:], lead[len(said) :], text[at : at + WINDOW]):
            return False
        if home.by_group[found.lastindex or 0].to.part in (Part.CALL, Part.SKIPPED):
            return False
    return True
