"""A dialect's table made ready to run, and the reading of a whole text with it.

`Machine.parse` scans a text that is there already; `StreamParser` walks the same states while the
text comes in. Both decide by what stands here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine._advice import advice
from agent_parsers.engine._dialect import Dialect, Role
from agent_parsers.engine._events import ToolNamed
from agent_parsers.engine._mending import is_bare_name
from agent_parsers.engine._payloads import BadPayload, ToolHead
from agent_parsers.engine._problems import shared_problem
from agent_parsers.engine._states import CUT, build_states
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agent_parsers.engine._calls import Call, CallReader
    from agent_parsers.engine._events import Repair, Span
    from agent_parsers.engine._states import Both, State

__all__ = ["MAX_CHARS", "Machine", "Mode", "call_span", "end_span", "machine"]

Mode: TypeAlias = Literal["strict", "lenient", "transcript"]

MAX_CHARS: Final = 10_000_000
"""Longest turn that is read unless the caller says otherwise, in characters."""

_TOOL: Final = int(Role.TOOL)
_NOWHERE: Final[list[Span | None]] = [None] * len(Role)


class Machine:
    """One dialect, ready to read in one mode; `machine` has it.

    Args:
        dialect: What to read.
        mode: ``"strict"`` and ``"lenient"`` read one turn, ``"transcript"`` a whole run.
        both: What counts in a lenient turn that has an action and an answer.
    """

    def __init__(self, dialect: Dialect, mode: Mode, both: Both = "error") -> None:
        table = dialect.strict if mode == "strict" else dialect.lenient
        self.dialect = dialect
        self._mode, self._both = mode, both
        self.is_transcript = mode == "transcript"
        self.is_strict = mode == "strict"
        self.mends = table.mends
        self.one_line_tools = table.one_line_tools
        self.keeps_input_end = table.keeps_input_end
        self.keeps_answer_space = table.keeps_answer_space
        self.half_stops = () if self.is_transcript or not self.mends else _halves(dialect.stop)
        self._read_input = table.read_input
        self._read_tool = table.read_tool
        self._is_plain_tool = _is_line if table.read_tool is None else is_bare_name
        self.read_answer = table.read_answer
        self._new_call = table.new_call
        self._may_lack_call = bool(table.begun)
        states = build_states(table, dialect.reasoning, is_transcript=self.is_transcript, both=both)
        self.initial = states[table.transcript_start if self.is_transcript else table.initial]

    def parse(
        self, text: str, max_chars: int = MAX_CHARS, tools: Collection[str] | None = None
    ) -> AgentAction | AgentFinish:
        """Read one whole turn.

        Args:
            text: What the model wrote.
            max_chars: Longest text that is read.
            tools: Names of the tools there are; `None` if any will do.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or both, or too
                long, or names a tool that there is not.
        """
        if len(text) > max_chars:
            raise self.too_long(text[:max_chars], max_chars)
        buffer = "\n" + text  # a label may stand at the very beginning, as after a line break
        places = _NOWHERE.copy()  # of the last text of each role in the buffer
        state = self.initial
        start = at = stop = 0
        while (found := state.skim(buffer, at)) is not None:
            if state.asks:  # whether that is a marker here
                return self._parse_as_stream(text, tools)
            crossing = state.leads[found.lastindex or 0]
            stop, at = found.span()
            if not crossing.is_note:
                places[state.role] = (start, stop)
                if crossing.drops:
                    places = _NOWHERE.copy()
                start = at
            state = crossing.to
        if state.can_be_cut and text.endswith(self.half_stops):
            stop = buffer.rindex("\n")
            places[state.role] = (start, stop)
            state = CUT
        else:
            places[state.role] = (start, len(buffer))
        entry = stop - 1  # where the last marker stands in the text; -1 if there is none
        try:
            if state.is_plain and (tool_at := places[_TOOL]) is not None:
                # What most turns are, at half the price; `_resolve` reads all others.
                tool = buffer[tool_at[0] : tool_at[1]].strip()
                if self._is_plain_tool(tool) if tools is None else tool in tools:
                    written = buffer[start:].lstrip()
                    if not self.keeps_input_end:
                        written = written.rstrip()
                    return make_action(tool, self._read_input(written, []), text)
        except BadPayload:
            pass  # told below, with its place in the text
        try:
            return self._resolve(text, places, state, entry, tools)
        except BadPayload as bad:
            raise self.error(bad.problem, text, bad.span, tools) from None

    def _parse_as_stream(
        self, text: str, tools: Collection[str] | None
    ) -> AgentAction | AgentFinish:
        """Read *text* as if it came in: a call has to be read to know which markers are in it."""
        from agent_parsers.engine._stream import StreamParser  # which is made of this

        parser = StreamParser(
            self.dialect, mode=self._mode, max_chars=None, tools=tools, both=self._both
        )
        parser.feed(text)
        parser.close()
        assert parser.result is not None, "a turn that is not refused has a result"
        return parser.result

    def _resolve(
        self,
        text: str,
        places: list[Span | None],
        state: State,
        entry: int,
        tools: Collection[str] | None,
    ) -> AgentAction | AgentFinish:
        """Return what a turn comes to.

        Args:
            text: All of it.
            places: Where the last text of each role stands, in the text after a line break.
            state: The state in which it ends.
            entry: Where the marker stands that led to that state; -1 if there is none.
            tools: Names of the tools there are.

        Raises:
            BadPayload: It comes to nothing.
        """
        _, _, tool_at, input_at, call_at, answer_at, _, _ = places
        is_void = self._is_void(state, text, tool_at, tools)
        is_cut = state.is_cut or (state.beside_action and not is_void)
        log = text[:entry].rstrip() if is_cut else text
        call: Call | None = None
        if call_at is not None:
            call = self._read_call(text, max(call_at[0] - 1, 0), call_at[1] - 1)
            if call is not None and state.begun is not None:
                if call.is_text and state.problem:
                    call = None
                else:
                    state = state.begun
        if state.problem and not is_void:
            raise BadPayload(state.problem, end_span(state.problem, text, entry))
        if call is not None:
            return self.call_result(call, log, tools, [])
        if answer_at is not None and not (state.beside_action and is_cut):
            start, stop = max(answer_at[0] - 1, 0), answer_at[1] - 1
            answer = text[start:stop]
            if not self.keeps_answer_space:
                answer = answer.strip()
            if not answer and state.is_open_answer:
                raise BadPayload("nothing", end_span("nothing", text, entry))
            try:
                return make_finish(self.read_answer(answer, []), log)
            except BadPayload as bad:
                raise bad.moved(trimmed(text, start, stop)[0]) from None
        if tool_at is None:
            raise BadPayload("nothing", end_span("nothing", text, entry))
        span = trimmed(text, tool_at[0] - 1, tool_at[1] - 1)
        head = self.read_head(text[slice(*span)], span, tools, [])
        if input_at is None:
            value = self.bare_input(head, span, tools, is_whole=is_cut)
        else:
            stop = input_at[1] - 1
            written = text[input_at[0] - 1 : stop].lstrip()
            at = stop - len(written)
            if not self.keeps_input_end:
                written = written.rstrip()
            value = self.input_value(head, span, written, at, tools, [])
        return self.result(head, value, log)

    def read_head(
        self, written: str, span: Span, tools: Collection[str] | None, repairs: list[Repair]
    ) -> ToolHead:
        """Read what is *written* at *span*, where the name of a tool belongs.

        Raises:
            BadPayload: It names no tool.
        """
        if self._read_tool is None or not written:
            return ToolHead(written)
        try:
            return self._read_tool(written, tools, repairs)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None

    def bare_input(
        self, head: ToolHead, span: Span, tools: Collection[str] | None, *, is_whole: bool
    ) -> str | dict[Any, Any]:
        """Return the input of a tool whose name no input follows.

        Args:
            head: The name, with the input if it is written as a call.
            span: Where it stands.
            tools: Names of the tools there are.
            is_whole: Whether the name is known to be whole, since a line follows it.

        Raises:
            BadPayload: The name may be cut short, or is none.
        """
        self._check_tool(head, span, tools)
        if head.tool_input is not None:
            return head.tool_input
        # Without an input the name may be cut short, unless it is known or a line follows it.
        if head.needs_input or not (is_whole or tools is not None):
            raise BadPayload("no_input", span)
        return ""

    def input_value(
        self,
        head: ToolHead,
        span: Span,
        written: str,
        at: int,
        tools: Collection[str] | None,
        repairs: list[Repair],
    ) -> str | dict[Any, Any]:
        """Return the value of the input that is *written* at offset *at*, after the name at *span*.

        Raises:
            BadPayload: The name is none, or the input has no value.
        """
        self._check_tool(head, span, tools)
        if head.tool_input:
            raise BadPayload("two_inputs", span)
        try:
            return self._read_input(written, repairs)
        except BadPayload as bad:
            raise bad.moved(at) from None

    def result(
        self, head: ToolHead, value: str | dict[Any, Any], log: str
    ) -> AgentAction | AgentFinish:
        """Return what a turn with this *head* and input comes to."""
        return make_finish(value, log) if head.is_answer else make_action(head.tool, value, log)

    def call_result(
        self, call: Call, log: str, tools: Collection[str] | None, repairs: list[Repair]
    ) -> AgentAction | AgentFinish:
        """Return what a turn with this *call* comes to.

        Raises:
            BadPayload: There is no such tool.
        """
        if call.is_text:
            reasoning = self.dialect.reasoning
            hides = self.mends and reasoning is not None and reasoning[1] in log[: call.span[0]]
            return make_finish(call.tool_input if hides else log, log)
        if call.is_answer:
            return make_finish(call.tool_input, log)
        if call.tool_span[0] == call.tool_span[1]:
            tools = None  # a tool that goes without name is not the model's to choose
        head = self.read_head(call.tool, call.tool_span, tools, repairs)
        self._check_tool(head, call.tool_span, tools)
        if head.tool_input:
            raise BadPayload("two_inputs", call.tool_span)
        return self.result(head, call.tool_input, log)

    def _read_call(self, text: str, start: int, stop: int) -> Call | None:
        """Read the call that a state has between two offsets into *text*; it may need none."""
        start, end = trimmed(text, start, stop)
        call = self.new_call().read(text[start:end], start)
        if self._may_lack_call and not self.ends_turn(call, None):
            return None
        if problem := self.call_problem(call):
            raise BadPayload(problem, call_span(problem, call, stop))
        return call

    def _is_void(
        self, state: State, text: str, tool_at: Span | None, tools: Collection[str] | None
    ) -> bool:
        """Tell whether the action beside an answer says that it is none."""
        is_beside = state.beside_action or state.problem == "both"
        if not is_beside or self._read_tool is None or tool_at is None:
            return False
        span = trimmed(text, tool_at[0] - 1, tool_at[1] - 1)
        try:
            self.read_head(text[slice(*span)], span, tools, [])
        except BadPayload as bad:
            return bad.problem == "no_action"
        return False

    def _check_tool(self, head: ToolHead, span: Span, tools: Collection[str] | None) -> None:
        if not head.is_answer and (problem := self.tool_problem(head.tool, tools)):
            raise BadPayload(problem, span)

    def new_call(self) -> CallReader:
        """Return a reader for the next call."""
        assert self._new_call is not None, "a table with call states has a call reader"
        return self._new_call()

    def tool_problem(self, tool: str, tools: Collection[str] | None = None) -> str:
        """Name the problem with the name of a tool; ``""`` if there is none."""
        if not tool:
            return "no_tool"
        if self.one_line_tools and len(tool.splitlines()) > 1:
            return "long_tool"
        return "unknown_tool" if tools is not None and tool not in tools else ""

    def ends_turn(self, call: Call, to: State | None) -> bool:
        """Tell whether *call* counts where a state ends that may have none, and goes on to *to*."""
        if call.problem == "no_call" or (call.is_text and self.is_transcript):
            return False
        return to is None or to.is_cut

    def named(self, event: ToolNamed, tools: Collection[str] | None) -> ToolNamed:
        """Return *event* with the name of the tool as it is mended."""
        try:
            return ToolNamed(self.read_head(event.tool, event.span, tools, []).tool, event.span)
        except BadPayload:
            return event

    def is_name(self, head: ToolHead) -> bool:
        """Tell whether *head* names a tool, be there such a tool or not."""
        return not head.is_answer and not self.tool_problem(head.tool)

    def call_problem(self, call: Call) -> str:
        """Name the problem with a call; ``""`` if there is none."""
        if call.problem or self.mends or call.after is None:
            return call.problem
        return "after_call"

    def error(
        self, name: str, text: str, span: Span, tools: Collection[str] | None = None
    ) -> OutputParserException:
        """Return the error for the problem *name* with *text*, where *tools* are the known ones."""
        problem = self.dialect.problems.get(name)
        if problem is None:
            problem = shared_problem(name, text[slice(*span)], tools or ())
        if not self.is_strict:
            reason, send_to_llm = problem.reason, True
            observation = advice(self.dialect, problem, text, span, tools)
        else:
            reason = problem.strict_reason(text)
            observation = problem.exact_observation or problem.observation
            send_to_llm = problem.send_to_llm
        return OutputParserException(
            reason,
            observation=observation,
            llm_output=text,
            send_to_llm=send_to_llm,
            span=span,
        )

    def too_long(self, text: str, max_chars: int) -> OutputParserException:
        """Return the error for a text of which *text* is the beginning."""
        return OutputParserException(
            f"the text is longer than max_chars={max_chars:,} characters",
            observation="Your reply is too long. Answer in fewer words.",
            llm_output=text,
            send_to_llm=True,
            span=(max_chars, max_chars),
        )


@cache
def machine(dialect: Dialect, mode: Mode, both: Both = "error") -> Machine:
    """Return what reads *dialect* in *mode*; it is made once."""
    return Machine(dialect, mode, both)


def _is_line(name: str) -> bool:
    """Tell whether *name* is one that no check refuses."""
    return bool(name) and name.isprintable()


def _halves(stop: Iterable[str]) -> tuple[str, ...]:
    """Return what a stop sequence leaves at the end of a text when it comes in two tokens.

    A line of three letters or more; less may well be the last line of an input.
    """
    whole = (text for text in stop if text.startswith("\n"))
    return tuple(text[:size] for text in whole for size in range(4, len(text)))


def end_span(problem: str, text: str, entry: int) -> Span:
    """Where to point for a *problem* that shows at the end of *text*.

    From the marker at offset *entry* on, which led there. Where nothing was found at all there is
    no such marker, and the last line that has text is as good a place as any.
    """
    end = len(text.rstrip())
    if problem == "nothing":
        return (text.rfind("\n", 0, end) + 1, end)
    entry = max(entry, 0)  # the line break before the text is not there
    entry += text.startswith("\n", entry)  # the one before a label belongs to the line above
    return (entry, max(entry, end))


def trimmed(text: str, start: int, stop: int) -> Span:
    """Span of what is not white space between *start* and *stop*."""
    body = text[start:stop]
    left = stop - len(body.lstrip())
    return (left, max(left, start + len(body.rstrip())))


def call_span(problem: str, call: Call, stop: int) -> Span:
    """Where to point for a *problem* with *call*, whose state ends at *stop*.

    A call without any text has no place itself.
    """
    if problem == "after_call" and call.after is not None:
        return call.after
    return call.span if call.span[0] >= 0 else (stop, stop)
