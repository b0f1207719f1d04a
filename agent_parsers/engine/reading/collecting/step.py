"""Collects the texts of a turn with one step: a tool and its input, a call, or an answer."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.actions.agent import make_action
from agent_parsers.engine.reading.collecting.collector import Collector
from agent_parsers.engine.reading.quoting.meant import call_meant
from agent_parsers.engine.reading.quoting.quotations import Quotation, enclosing, problem_of
from agent_parsers.engine.reading.quoting.spans import call_span
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import Event, Repair, SkippedDelta, Span, ToolNamed, cut_answer

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.engine.reading.collecting.collector import LeftText, Setup, StateEnd
    from agent_parsers.engine.reading.rules.foreign_calls import ForeignCall
    from agent_parsers.engine.reading.rules.states import State

BETWEEN: Final = {Part.QUESTION, Part.OBSERVATION, Part.SKIPPED}
"""The parts that do not belong to a step."""


class StepCollector(Collector):
    """Collects the texts of a turn with one action or answer."""

    __slots__ = ("_begins_at", "_tool", "_tool_at")

    def __init__(self, setup: Setup) -> None:
        super().__init__(setup)
        self._begins_at = 0  # where the step begins
        # The tool that waits for its input, or why its name cannot be read; and the name's span.
        self._tool: tuple[ToolHead | BadPayload, Span] | None = None
        self._tool_at = 0  # where the label of the tool begins

    @override
    def restart(self, events: list[Event], left: StateEnd) -> bool:
        self._tool = None
        return super().restart(events, left)

    @override
    def _end_part(self, events: list[Event], left: StateEnd, written: LeftText) -> None:
        match left.state.part:
            case Part.TOOL:
                self._end_tool(events, left, written)
            case Part.INPUT if left.to is None and left.state.needs_closer:
                self._fail(events, BadPayload("cut_input", written.span))
            case Part.INPUT if left.is_sound:
                self._end_input(events, left, written)
            case _:
                super()._end_part(events, left, written)

    def _end_tool(self, events: list[Event], left: StateEnd, written: LeftText) -> None:
        to, span = left.to, left.span
        repairs: list[Repair] = []
        head: ToolHead | BadPayload
        try:
            head = self._machine.read_head(written.text, span, self.tools, repairs)
        except BadPayload as bad:
            head = bad
        self._tool, self._tool_at = (head, span), self.label_span[0]
        if isinstance(head, ToolHead) and self._machine.is_name(head):
            events.append(ToolNamed(head.tool, span))
            self._named_at.append((span[0], head.tool))
        elif written.raw:
            events.append(SkippedDelta(written.raw, span))
        events += (repair.moved(span[0]) for repair in repairs)
        if not left.is_sound or (to is not None and to.part is Part.INPUT):
            return
        is_beside = to is not None and to.beside_action
        is_answered = to is not None and to.part is Part.ANSWER and not is_beside
        if is_answered and not self._machine.table.is_run:  # in a run the answer is another step
            return
        if self._names_no_tool(events, to):
            return
        if isinstance(head, BadPayload):
            raise head
        if self._enclosing((self._tool_at, span[1]), span, to) is not None:
            raise BadPayload("call_in_quotation", span)
        is_whole = is_beside or (to is not None and to.part in BETWEEN and not left.may_be_cut)
        made: list[Repair] = []
        value = self._machine.bare_input(
            head, span, self.tools, made, is_whole=is_whole, ended=self.ended
        )
        log = self._log(to, left.stop)
        result = self._machine.result(head, value, log, span, self.tools, made)
        events += made
        if head.tool_input is None:
            message = f"{head.tool!r} has no input; used an empty one"
            events.append(Repair("missing_input", span, message))
        self._done(events, result, span)

    def _end_input(self, events: list[Event], left: StateEnd, written: LeftText) -> None:
        assert self._tool is not None, "an input follows a tool"
        if self._names_no_tool(events, left.to):
            return
        head, span = self._tool
        if isinstance(head, BadPayload):
            raise head
        start, stop = written.span
        text = self._unfenced(events, left, written)
        self._machine.check_quotes(written.watch, text, start)
        repairs: list[Repair] = []
        is_open = left.to is None or (left.may_be_cut and not text)
        ended = self.ended if is_open else "stop"  # the next marker closes it
        value = self._machine.input_value(head, span, text, start, self.tools, repairs, ended)
        log = self._log(left.to, left.stop)
        result = self._machine.result(head, value, log, written.span, self.tools, repairs)
        events += repairs
        self._done(events, result, (span[0], stop))

    def _unfenced(self, events: list[Event], left: StateEnd, written: LeftText) -> str:
        """Return an input as *written*, without the end of a fence around its action.

        Raises:
            BadPayload: Another quotation opens before the action and closes in the input.
        """
        assert self._tool is not None, "an input follows a tool"
        span = written.span
        found = self._enclosing((self._tool_at, self._tool[1][1]), span, left.to)
        if found is None:
            return written.text
        base = max(self._begins_at, 0)
        start, end = found.marks[1][0] + base, found.stop + base
        if found.what != "a fence" or end < span[1]:
            raise problem_of(found, self._slice(base, span[1]), self._tool[1])
        message = "removed the end of a fence that encloses the action"
        events.append(Repair("fence", (start, end), message))
        return written.text[: start - span[0]].rstrip()

    def _enclosing(self, head: Span, given: Span, to: State | None) -> Quotation | None:
        """Return the quotation that opens before the *head* of an action and closes in its input.

        The *head* is the label of the action, with the tool's name if it follows; the input is at
        *given*, and the turn goes on *to* this state.
        """
        if not self._machine.lenient:
            return None
        base = max(self._begins_at, 0)
        hole = head[0] - base, head[1] - base
        goes_on = to is not None and to.is_behind_end
        return enclosing(self._slice(base, given[1]), hole, given[0] - base, goes_on=goes_on)

    @override
    def _end_call(self, events: list[Event], left: StateEnd) -> None:
        state, to, stop = left.state, left.to, left.stop
        reader = self._call or self._new_call(state)
        self._call = None
        last, call = reader.close()
        self._end_at(call, left)
        events += self._with_tool_names(last)
        events += call.repairs
        if state.begun is not None and not self._ends_turn(call, to):
            return
        if state.begun is not None and state.problem and call.is_text:
            return
        if problem := self._machine.call_problem(call, self.ended, self.tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        written = call.tool_input if state.begun is None else None
        if isinstance(written, str) and self._enclosing(self.label_span, call.span, to):
            raise BadPayload("call_in_quotation", call.span)
        repairs: list[Repair] = []
        if left.is_sound:
            first, call = call, self._meant(state, call, stop, repairs)
            if call is not first:
                del events[len(events) - len(first.repairs) :]
                events += call.repairs
                self._end_at(call, left)
                if problem := self._machine.call_problem(call, self.ended, self.tools):
                    raise BadPayload(problem, call_span(problem, call, stop))
        if call.after is not None:
            message = "the text after the call is not part of the call"
            events.append(Repair("after_call", call.after, message))
        if not left.is_sound:
            return
        self._check_behind(call, stop)
        log, span = self._log(to, stop), call_span("", call, stop)
        if call.is_text and (found := self._foreign(events, self._outside(span))):
            self._act_as(events, found, log)
            return
        # Text that is the answer ends with the turn.
        is_cut = call.is_text and to is None and self.ended == "length"
        result = self._machine.call_result(call, log, self.tools, repairs, is_cut=is_cut)
        events += repairs
        if is_cut:
            events.append(cut_answer(span))
        self._done(events, result, span)

    def _check_behind(self, call: Call, stop: int) -> None:
        """Raise `BadPayload` if text between a *call* and *stop* may be its input or more of it."""
        span = call.after or (call.whole[1] if call.whole else stop, stop)
        if span[0] >= span[1] or call.is_text or call.is_answer or self.tools is None:
            return
        # imported lazily: few turns have text behind a call
        from agent_parsers.engine.reading.rules.more_input import may_go_on

        text = self._slice(call.span[0], span[1])
        written = text[: span[0] - call.span[0]].rstrip()
        behind, given = text[len(written) :], call.tool_input
        if may_go_on(written, behind, call.tool, given, self.tools):
            raise BadPayload("json_goes_on", span)

    @override
    def _act_as(self, events: list[Event], calls: Sequence[ForeignCall], log: str) -> None:
        if len(calls) > 1:
            raise BadPayload("several_actions", calls[1].span)
        (call,) = calls
        self._done(events, make_action(call.tool, call.tool_input, log), call.span)

    def _end_at(self, call: Call, left: StateEnd) -> None:
        """Take a *call* as closed by the marker after it, unless its arguments are still open."""
        to, is_open = left.to, call.lacks in ("arguments", "values")
        if not (to is None or left.may_be_cut or (to.is_behind_end and is_open)):
            call.lacks = ""

    def _meant(self, state: State, call: Call, stop: int, repairs: list[Repair]) -> Call:
        """Return the call of the step that counts; *call* in *state* is the first.

        Raises:
            BadPayload: No call counts, or several that differ.
        """
        if call.is_text:
            return call
        machine, base = self._machine, max(self._begins_at, 0)
        return call_meant(
            call,
            self._slice(base, stop),
            base=base,
            label=self.label_span if self.label else (base, base),
            new_call=partial(self._new_call, state),
            on_conflict=machine.on_conflict,
            stops=machine.dialect.stop,
            repairs=repairs if machine.lenient else None,
        )

    def _ends_turn(self, call: Call, to: State | None) -> bool:
        """Return whether *call* counts in a state that may lack a call and goes on to *to*."""
        return call.problem != "no_call" and (to is None or to.is_behind_end)

    @override
    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        if state.problem and not self._names_no_tool(events, state):
            self._fail(events, self._at_end(state.problem, entry))
            return
        if self.problem is not None or self.result is not None:
            return
        if self._answer is None or (state.is_open_answer and not self._answer[0]):
            self._fail(events, self._at_end("no_action_or_answer", entry))
            return
        if state.is_open_answer and self._machine.lenient:
            message = "the answer is not closed; read it to the end of the text"
            events.append(Repair("unclosed", self._answer[1], message))
        is_cut = self.ended == "length" and state.part is Part.ANSWER
        if is_cut:
            events.append(cut_answer(self._answer[1]))
        log = self.text[:entry].rstrip() if state.is_behind_end else self.text
        is_begun = state.part is Part.ANSWER and self.ended != "stop"
        is_begun = is_begun or (state.is_behind_end and self._machine.lenient)
        may_lack = not is_begun or self._machine.mode == "langchain"
        try:
            self._finish(events, log, is_cut=is_cut, may_lack=may_lack)
        except BadPayload as bad:
            self._fail(events, bad)

    def _names_no_tool(self, events: list[Event], answer: State | None) -> bool:
        """Return whether the action beside an *answer* says that there is no action."""
        if answer is None or self._tool is None:
            return False
        head, span = self._tool
        is_beside = answer.beside_action or answer.problem == "action_and_answer"
        is_beside |= answer.part is Part.ANSWER and self._machine.table.is_run
        is_none = isinstance(head, BadPayload) and head.problem == "action_without_tool"
        if not (is_beside and is_none):
            return False
        message = "the action names no tool; used the answer"
        events.append(Repair("no_action", span, message))
        return True
