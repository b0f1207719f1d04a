"""Collects the steps of a transcript: an action, an answer or an error for each."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING

from typing_extensions import override

from agent_parsers.engine.reading.collecting.step import BETWEEN, StepCollector
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import ActionComplete, Repair, StepFailed
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.engine.reading.collecting.collector import LeftText, Setup, StateEnd
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.events import Event, Span


class RunCollector(StepCollector):
    """Collects the steps of a transcript; an invalid step does not affect the others.

    *read_turn* reads the events of a text that is one turn.
    """

    __slots__ = ("_entered_at", "_has_acted", "_last", "_read_turn")

    def __init__(self, setup: Setup, read_turn: Callable[[str], Sequence[Event]]) -> None:
        super().__init__(setup)
        self._read_turn = read_turn
        self._begins_at = -1 if setup.machine.initial.part in BETWEEN else 0  # -1 between steps
        self._has_acted = False  # whether the step has an action, an answer or an error
        self._entered_at = -1  # where the last marker that leads to another state ends or begins
        self._last = (0, 0)  # span of the last text

    @override
    def enter(self, events: list[Event], part: Part, start: int) -> None:
        self._entered_at = start
        if part is Part.SKIPPED:
            return  # text after an answer belongs to its step
        if part in BETWEEN:
            self._end_step(events, start)
            self._begins_at = -1
        elif self._begins_at < 0 or self._has_acted:
            self._begins_at = start
            self._has_acted = False
            self._named_at.clear()

    def _end_step(self, events: list[Event], stop: int) -> None:
        if self._begins_at >= 0 and not self._has_acted:
            # The line break before its label belongs to the line above.
            self._begins_at += self._slice(self._begins_at, self._begins_at + 1) == "\n"
            self._fail(events, BadPayload("no_action_or_answer", (self._begins_at, stop)))

    @override
    def _end_part(self, events: list[Event], left: StateEnd, written: LeftText) -> None:
        self._last = left.span
        is_observed = left.to is not None and left.to.part is Part.OBSERVATION
        if left.state.part is Part.QUESTION and is_observed:
            self._take_first_turn(events, left.span)
            return
        super()._end_part(events, left, written)
        is_over = left.to is None or left.to.part is not Part.ANSWER
        if left.state.part is Part.ANSWER and is_over:
            self._finish(events, self._log(left.to, left.stop))

    def _take_first_turn(self, events: list[Event], span: Span) -> None:
        """Take the text at *span*, before the first result of a run, for the turn that it is.

        A scratchpad begins with a turn, whose action may stand where no marker leads to it.

        Raises:
            BadPayload: It is a question by its label, or no turn with an action.
        """
        self._begins_at = start = span[0]
        self._has_acted = False
        read: Sequence[Event] = ()
        if not self.label:
            with suppress(OutputParserException):
                read = self._read_turn(self._slice(*span))
        acts = [event for event in read if isinstance(event, ActionComplete)]
        if not acts:
            raise BadPayload("no_action_or_answer", span)
        events += (event.moved(start) for event in read if isinstance(event, Repair))
        (act,) = acts
        self._done(events, act.action, (act.span[0] + start, act.span[1] + start))

    @override
    def _ends_turn(self, call: Call, to: State | None) -> bool:
        return not call.is_text and super()._ends_turn(call, to)

    @override
    def _done(self, events: list[Event], result: AgentAction | AgentFinish, span: Span) -> None:
        super()._done(events, result, span)
        self._has_acted = True
        self.result = None

    @override
    def _fail(self, events: list[Event], bad: BadPayload) -> None:
        if bad.span[1] < self._begins_at:  # it is the action before this input that is wrong
            bad.span = self._begins_at, self._begins_at
        at = min(self._begins_at, bad.span[0])
        text = self._slice(at, bad.span[1])
        named, advise = self._named_before(bad), self._setup.advise
        error = self._machine.error(bad.moved(-at), text, self.tools, advise, named)
        if at:
            error.begins_at = self._whole.place(at)
        events.append(StepFailed(error, bad.span))
        self._has_acted = True

    @override
    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        # A label at the end only prompts for the next step, as at the end of a scratchpad.
        start, end = self._last
        if not (start >= end and self._begins_at == self._entered_at):
            self._end_step(events, end)

    @override
    def _log(self, to: State | None, stop: int) -> str:
        return self._slice(max(self._begins_at, 0), stop).strip()
