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
    from agent_parsers.engine.reading.collecting.collector import Left
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.events import Event, Span
    from agent_parsers.toolset import ToolSet


class RunCollector(StepCollector):
    """Collects the steps of a transcript; a step that is wrong does not affect the others.

    Args:
        machine: The machine that reads the text.
        tools: The available tools; `None` accepts any tool.
        advise: Writes the observations of errors.
        read_turn: Reads the events of a text that is one turn.
    """

    __slots__ = ("_acted", "_column", "_counted", "_last", "_line", "_read_turn", "_turned_at")

    def __init__(
        self,
        machine: Machine,
        tools: ToolSet | None,
        advise: Advise | None,
        read_turn: Callable[[str], Sequence[Event]],
    ) -> None:
        super().__init__(machine, tools, advise)
        self._read_turn = read_turn
        self._step_at = -1 if machine.initial.part in BETWEEN else 0  # -1 between two steps
        self._acted = False  # whether the step has an action, an answer or an error
        self._turned_at = -1  # where the last marker that leads to another state ends or begins
        self._last = (0, 0)  # span of the last text
        self._line = self._column = 1  # of the character at the offset `_counted`
        self._counted = 0

    @override
    def turn_page(self, events: list[Event], part: Part, start: int) -> None:
        self._turned_at = start
        if part is Part.SKIPPED:
            return  # text after an answer belongs to its step
        if part in BETWEEN:
            self._end_step(events, start)
            self._step_at = -1
        elif self._step_at < 0 or self._acted:
            self._step_at = start
            self._acted = False
            self._named_at.clear()

    def _end_step(self, events: list[Event], stop: int) -> None:
        if self._step_at >= 0 and not self._acted:
            # The line break before its label belongs to the line above.
            self._step_at += self._slice(self._step_at, self._step_at + 1) == "\n"
            self._fail(events, BadPayload("no_action_or_answer", (self._step_at, stop)))

    @override
    def _end_part(self, events: list[Event], left: Left) -> None:
        self._last = left.whole
        is_observed = left.to is not None and left.to.part is Part.OBSERVATION
        if left.state.part is Part.QUESTION and is_observed:
            self._take_first_turn(events, left.whole)
            return
        super()._end_part(events, left)
        is_over = left.to is None or left.to.part is not Part.ANSWER
        if left.state.part is Part.ANSWER and is_over:
            self._finish(events, self._log(left.to, left.stop))

    def _take_first_turn(self, events: list[Event], span: Span) -> None:
        """Take the text at *span*, before the first result of a run, for the turn that it is.

        A scratchpad begins with a turn, whose action may stand where no marker leads to it.

        Raises:
            BadPayload: It is a question by its label, or no turn with an action.
        """
        self._step_at = start = span[0]
        self._acted = False
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
        self._acted = True
        self.result = None

    @override
    def _fail(self, events: list[Event], bad: BadPayload) -> None:
        at = min(self._step_at, bad.span[0])
        self._count_lines(at)
        text = self._slice(at, bad.span[1])
        named = self._named_before(bad)
        error = self._machine.error(bad.moved(-at), text, self._tools, self._advise, named)
        if at:
            error.begins_at = self._line, self._column
        events.append(StepFailed(error, bad.span))
        self._acted = True

    @override
    def _slice(self, start: int, stop: int) -> str:
        self._count_lines(start)  # of the text before, which may then be forgotten
        return super()._slice(start, stop)

    def _count_lines(self, stop: int) -> None:
        """Count the lines up to the offset *stop*, from where the last count ended."""
        if stop <= self._counted:
            return
        text = self._text.slice(self._counted, stop)
        self._line += text.count("\n")
        line_start = text.rfind("\n") + 1
        self._column = len(text) - line_start + (1 if line_start else self._column)
        self._counted = stop

    @override
    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        # A label at the end only prompts for the next step, as at the end of a scratchpad.
        start, end = self._last
        if not (start >= end and self._step_at == self._turned_at):
            self._end_step(events, end)

    @override
    def _log(self, to: State | None, stop: int) -> str:
        return self._slice(max(self._step_at, 0), stop).strip()
