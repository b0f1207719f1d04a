"""Collects the texts of a turn's states into actions, answers and errors, chunk by chunk."""

from __future__ import annotations

from typing import TYPE_CHECKING, ClassVar, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_finish
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.reading.quotations import Quotation, closes_quotation, enclosing
from agent_parsers.engine.reading.quoting import QuoteWatch
from agent_parsers.engine.reading.rules import unmarked
from agent_parsers.engine.reading.spans import call_span, end_span
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.events import (
    ActionComplete,
    Event,
    Finish,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
    cut_answer,
)

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import Call, CallReader
    from agent_parsers.engine.reading.machine import Machine
    from agent_parsers.engine.reading.rules import Advise
    from agent_parsers.engine.reading.states import State
    from agent_parsers.toolset import ToolSet
    from output_parsers import OutputParserException
    from outputs.messages.ended import Ended

__all__ = ["BETWEEN", "Collector"]

BETWEEN: Final = {Part.QUESTION, Part.OBSERVATION, Part.SKIPPED}
"""The parts that do not belong to a step."""


class Collector:
    """Collects the text of a step and makes its action, answer or error.

    Args:
        machine: The machine that reads the text.
        tools: The available tools; `None` accepts any tool.
        advise: Writes the observations of errors.
    """

    __slots__ = (
        "_advise", "_answer", "_base", "_call", "_kept", "_machine", "_pieces",
        "_problem", "_step_at", "_text", "_tool", "_tool_at", "_tools", "_watch", "ended",
        "has_dropped", "is_closed", "is_half", "label", "label_span", "result",
    )  # fmt: skip

    _END: ClassVar = "the answer"
    """What a turn ends in, for messages."""

    def __init__(self, machine: Machine, tools: ToolSet | None, advise: Advise | None) -> None:
        self._machine = machine
        self._advise = advise
        self._tools = tools
        self._problem: BadPayload | None = None  # the first problem of a turn
        self.result: AgentAction | list[AgentAction] | AgentFinish | None = None
        self._kept: list[str] = []  # the text of this state
        self._call: CallReader | None = None
        self._watch: QuoteWatch | None = None
        self.label = ""
        """The marker before the text of this state, as written."""
        self.label_span = (0, 0)
        """Span of that marker, without white space around it."""
        self.is_closed = False
        """Whether the next marker, which was just found, closes this state."""
        self.is_half = False
        """Whether the text ends in only half of that marker, perhaps because it was cut."""
        self.has_dropped = True
        """Whether the last `restart` really dropped the turn so far."""
        self.ended: Ended = "unknown"
        """How the text ended; set before the end is read."""
        # The tool that waits for its input, or why its name cannot be read; and the name's span.
        self._tool: tuple[ToolHead | BadPayload, Span] | None = None
        self._tool_at = 0  # where the label of the tool begins
        self._answer: tuple[str, Span] | None = None
        self._step_at = 0  # where the step begins
        self._text: list[str] = []  # all chunks
        self._pieces: list[str] = []  # the same from `_base` on, which logs are cut from
        self._base = 0

    @property
    def text(self) -> str:
        """All text so far."""
        return "".join(self._text)

    @property
    def tools(self) -> ToolSet | None:
        """The available tools; `None` accepts any tool."""
        return self._tools

    @property
    def has_begun(self) -> bool:
        """Whether a call has begun."""
        return self._call is not None and self._call.is_begun

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a quotation, so that the next marker is text."""
        if self._watch is not None:
            return self._watch.holds_marker()
        return self._call is not None and self._call.is_quoting

    @property
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value of a call."""
        return self._call is not None and self._call.is_in_value

    def holds(self, part: str) -> bool:
        """Return whether the text of this state, if it is kept, contains *part*."""
        return part in "".join(self._kept)

    @property
    def opened_at(self) -> int:
        """Where the quotation in which the text ends was opened; -1 if that is not known."""
        return -1 if self._watch is None else self._watch.opened_at

    def add(self, chunk: str) -> None:
        """Take the next *chunk* of the whole text, including markers."""
        self._text.append(chunk)
        self._pieces.append(chunk)

    def take(self, events: list[Event], state: State, text: str, at: int) -> None:
        """Take more text of *state* and emit its events."""
        if state.delta is not None:
            events.append(state.delta(text, (at, at + len(text))))
        elif state.part is Part.CALL:
            if self._call is None:
                self._call = self._new_call(state)
            events += self._named(self._call.feed(text, at))
        if state.is_kept:
            self._kept.append(text)
            if state.watches:
                if self._watch is None:
                    self._watch = QuoteWatch(fences_only=state.part is Part.ANSWER, at=at)
                self._watch.feed(text)

    def _new_call(self, state: State) -> CallReader:
        """Return a reader for the next call in *state*."""
        return (state.new_call or self._machine.new_call)()

    def leave(
        self, events: list[Event], state: State, to: State | None, span: Span, stop: int
    ) -> None:
        """Finish the text of *state*: make its action or answer, or record its problem.

        Args:
            events: Collects the events.
            state: The state that ends.
            to: The next state; `None` at the end of the text.
            span: Span of the state's text, without the white space around it.
            stop: Where the state ends: before the next marker, or after it if the marker closes the
                state.
        """
        text = "".join(self._kept)
        self._kept.clear()
        watch, self._watch = self._watch, None
        raw, whole = text, span
        if text and self._machine.lenient and (text := unmarked(raw, self.label)) != raw:
            span = (span[0], span[0] + len(text))
            message = "took off the end of the emphasis that the label begins"
            events.append(Repair("emphasis", (span[1], whole[1]), message))
        is_sound = not (state if to is None else to).problem
        try:
            match state.part:
                case Part.TOOL:
                    self._end_tool(events, text, raw, whole, to, stop, is_sound=is_sound)
                case Part.INPUT if to is None and state.needs_closer:
                    self._fail(events, BadPayload("cut_input", span))
                case Part.INPUT if is_sound:
                    self._end_input(events, text, span, to, stop, watch)
                case Part.CALL:
                    self._end_call(events, state, to, stop, is_sound=is_sound)
                case Part.ANSWER:
                    if state.is_bare and text and (to is None or to.part is not Part.ANSWER):
                        message = "took text without a label for the answer"
                        events.append(Repair("bare_answer", span, message))
                    self._answer = (text, span)
                case Part.SKIPPED if not state.is_cut and is_sound and span[0] < span[1]:
                    if self._machine.lenient:
                        message = f"text that follows {self._END} is not part of it"
                        events.append(Repair("after_answer", span, message))
        except BadPayload as bad:
            self._fail(events, bad)

    @property
    def content(self) -> str | None:
        """The content beside calls; `None` if a turn has only one call: its events have it."""
        return None

    @property
    def thought(self) -> str | None:
        """The thought; `None` if a turn has only one call: its events have it."""
        return None

    def meet(self, label: str, span: Span) -> None:
        """Record the marker before the next text, as written, at *span*."""
        self.label, self.label_span = label, span

    def meet_late(self, problem: str, span: Span) -> None:
        """Record a marker at *span* that may not follow a call."""

    def meet_mark(self, span: Span, *, opens: bool) -> None:
        """Record that text at *span* only mentions a marker that opens or closes a thought."""

    def restart(self, events: list[Event], state: State, span: Span) -> None:
        """Drop the turn up to *state*, whose text is at *span*: all of it was reasoning."""
        if state.part is Part.TOOL and self._kept:
            events.append(ThoughtDelta("".join(self._kept), span))
        if self._call is not None:
            events += self._named(self._call.close()[0])
        self._kept.clear()
        self._call = self._watch = self._tool = self._answer = self._problem = None

    def turn_page(self, events: list[Event], part: Part, start: int) -> None:
        """Begin or end a step of a transcript at *start*, given the *part* of the next text."""

    def _ends_turn(self, call: Call, to: State | None) -> bool:
        """Return whether *call* counts in a state that may lack a call and goes on to *to*."""
        return self._machine.ends_turn(call, to)

    def error(self) -> OutputParserException | None:
        """Return the error of the turn; `None` without an error."""
        if self._problem is None:
            return None
        return self._machine.error(self._problem, self.text, self._tools, self._advise)

    def _end_tool(
        self,
        events: list[Event],
        written: str,
        raw: str,
        span: Span,
        to: State | None,
        stop: int,
        *,
        is_sound: bool,
    ) -> None:
        repairs: list[Repair] = []
        head: ToolHead | BadPayload
        try:
            head = self._machine.read_head(written, span, self._tools, repairs)
        except BadPayload as bad:
            head = bad
        self._tool, self._tool_at = (head, span), self.label_span[0]
        if isinstance(head, ToolHead) and self._machine.is_name(head):
            events.append(ToolNamed(head.tool, span))
        elif raw:
            events.append(SkippedDelta(raw, span))
        events += (repair.moved(span[0]) for repair in repairs)
        if not is_sound or (to is not None and to.part is Part.INPUT):
            return
        is_beside = to is not None and to.beside_action
        if to is not None and to.part is Part.ANSWER and not is_beside:
            return
        if self._is_void(events, to):
            return
        if isinstance(head, BadPayload):
            raise head
        is_whole = is_beside or (to is not None and to.part in BETWEEN)
        made: list[Repair] = []
        value = self._machine.bare_input(
            head, span, self._tools, made, is_whole=is_whole, ended=self.ended
        )
        events += made
        if head.tool_input is None:
            message = f"{head.tool!r} has no input; took it for an empty one"
            events.append(Repair("missing_input", span, message))
        self._done(events, self._machine.result(head, value, self._log(to, stop)), span)

    def _end_input(
        self,
        events: list[Event],
        written: str,
        at: Span,
        to: State | None,
        stop: int,
        watch: QuoteWatch | None,
    ) -> None:
        assert self._tool is not None, "an input follows a tool"
        if self._is_void(events, to):
            return
        head, span = self._tool
        if isinstance(head, BadPayload):
            raise head
        written = self._unfenced(events, written, at)
        self._machine.check_quotes(watch, written, at[0])
        repairs: list[Repair] = []
        ended = self.ended if to is None else "stop"  # the next marker closes it
        value = self._machine.input_value(head, span, written, at[0], self._tools, repairs, ended)
        events += repairs
        result = self._machine.result(head, value, self._log(to, stop))
        self._done(events, result, (span[0], at[1]))

    def _unfenced(self, events: list[Event], written: str, span: Span) -> str:
        """Return an input, *written* at *span*, without the end of a fence around its action.

        Raises:
            BadPayload: Another quotation opens before the action and closes in the input.
        """
        assert self._tool is not None, "an input follows a tool"
        found = self._enclosing(written, (self._tool_at, self._tool[1][1]), span[1])
        if found is None:
            return written
        base = max(self._step_at, 0)
        start, end = found.marks[1][0] + base, found.stop + base
        if found.what != "a fence" or end < span[1]:
            raise BadPayload("in_quotation", self._tool[1])
        message = "took off the end of a fence that encloses the action"
        events.append(Repair("fence", (start, end), message))
        return written[: start - span[0]].rstrip()

    def _enclosing(self, written: str, head: Span, stop: int) -> Quotation | None:
        """Return the quotation that opens before the *head* of an action and closes in its input.

        Args:
            written: The input, which is raw text.
            head: Span of the label of the action, including the tool's name if it follows.
            stop: Where the input ends.
        """
        if not self._machine.lenient or not closes_quotation(written):
            return None
        base = max(self._step_at, 0)
        return enclosing(self._slice(base, stop), (head[0] - base, head[1] - base))

    def _named(self, events: list[Event]) -> list[Event]:
        """Replace the names of tools in *events* by their repaired names."""
        for at, event in enumerate(events):
            if isinstance(event, ToolNamed):
                events[at] = self._machine.named(event, self._tools)
        return events

    def _end_call(
        self, events: list[Event], state: State, to: State | None, stop: int, *, is_sound: bool
    ) -> None:
        reader = self._call or self._new_call(state)
        self._call = None
        last, call = reader.close()
        self._meet_end(call, to)
        events += self._named(last)
        events += call.repairs
        if state.begun is not None and not self._ends_turn(call, to):
            return
        if state.begun is not None and state.problem and call.is_text:
            return
        if problem := self._machine.call_problem(call, self.ended, self._tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        written = call.tool_input if state.begun is None else None
        if isinstance(written, str) and self._enclosing(written, self.label_span, call.span[1]):
            raise BadPayload("in_quotation", call.span)
        repairs: list[Repair] = []
        if is_sound:
            first, call = call, self._meant(state, call, stop, repairs)
            if call is not first:
                del events[len(events) - len(first.repairs) :]
                events += call.repairs
                self._meet_end(call, to)
                if problem := self._machine.call_problem(call, self.ended, self._tools):
                    raise BadPayload(problem, call_span(problem, call, stop))
        if call.after is not None:
            message = "text that follows the call is not part of it"
            events.append(Repair("after_call", call.after, message))
        if not is_sound:
            return
        result = self._machine.call_result(call, self._log(to, stop), self._tools, repairs)
        events += repairs
        span = call_span("", call, stop)
        if call.is_text and to is None and self.ended == "length":  # text that is the answer
            events.append(cut_answer(span))
        self._done(events, result, span)

    def _meet_end(self, call: Call, to: State | None) -> None:
        """Take a *call* as closed by the marker after it, unless its arguments are still open."""
        is_cut = to is None or self.is_half or (to.is_cut and call.lacks != "closer")
        if not is_cut:
            call.lacks = ""

    def _meant(self, state: State, call: Call, stop: int, repairs: list[Repair]) -> Call:
        """Return the call of the step that counts; *call* in *state* is the first."""
        base = max(self._step_at, 0)
        label = self.label_span if self.label else (base, base)
        new_call = state.new_call or self._machine.new_call
        text = self._slice(base, stop)
        return self._machine.call_meant(call, text, base, label, new_call, repairs)

    def _done(self, events: list[Event], result: AgentAction | AgentFinish, span: Span) -> None:
        """Emit the result of the step, which is at *span*."""
        if isinstance(result, AgentFinish):
            events.append(Finish(result, span))
        else:
            events.append(ActionComplete(result, span))
        self.result = result

    def _finish(self, events: list[Event], log: str) -> None:
        assert self._answer is not None, "an answer was read"
        written, span = self._answer
        repairs: list[Repair] = []
        try:
            answer = self._machine.read_answer(written, repairs)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None
        events += (repair.moved(span[0]) for repair in repairs)
        self._done(events, make_finish(answer, log), span)

    def _fail(self, _events: list[Event], bad: BadPayload) -> None:
        """Record what is wrong with the turn; the first problem counts."""
        self._problem = self._problem or bad

    def end_text(self, events: list[Event], state: State, entry: int) -> None:
        """Finish the text, which ends in *state*: set the result or the problem.

        Args:
            events: Collects the events.
            state: The last state, which was left already.
            entry: Where the marker that led to it begins.
        """
        text = self.text
        if state.problem and not self._is_void(events, state):
            self._fail(events, BadPayload(state.problem, end_span(state.problem, text, entry)))
        elif self._problem is None and self.result is None:
            is_open = state.is_open_answer
            if self._answer is None or (is_open and not self._answer[0]):
                self._fail(events, BadPayload("nothing", end_span("nothing", text, entry)))
            else:
                if is_open and self._machine.lenient:
                    message = "the answer is not closed; took all of it"
                    events.append(Repair("unclosed", self._answer[1], message))
                if self.ended == "length" and state.part is Part.ANSWER:
                    events.append(cut_answer(self._answer[1]))
                try:
                    self._finish(events, text[:entry].rstrip() if state.is_cut else text)
                except BadPayload as bad:
                    self._fail(events, bad)

    def _is_void(self, events: list[Event], answer: State | None) -> bool:
        """Return whether the action beside an *answer* says that there is no action."""
        if answer is None or self._tool is None:
            return False
        head, span = self._tool
        is_beside = answer.beside_action or answer.problem == "both"
        if not is_beside or not isinstance(head, BadPayload) or head.problem != "no_action":
            return False
        message = "the action names no tool; took the answer"
        events.append(Repair("no_action", span, message))
        return True

    def _log(self, to: State | None, stop: int) -> str:
        """Return the model's text up to *stop*: all of it, if the turn ends with the text."""
        return self.text if to is None else self._slice(0, stop).rstrip()

    def _slice(self, start: int, stop: int) -> str:
        """Return the text from *start* to *stop*; *start* never decreases from call to call."""
        if len(self._pieces) > 1:
            self._pieces = ["".join(self._pieces)[start - self._base :]]
            self._base = start
        text = self._pieces[0] if self._pieces else ""
        return text[start - self._base : stop - self._base]
