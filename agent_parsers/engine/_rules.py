"""What the texts of a turn come to: names, inputs, calls, and what can be wrong with them.

Both ways of reading, `Machine.parse` and `StreamParser`, decide by what stands here.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine._events import ToolNamed
from agent_parsers.engine._payloads import BadPayload, ToolHead
from agent_parsers.engine._problems import advice, shared_problem
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine._calls import Call, CallReader
    from agent_parsers.engine._dialect import Dialect
    from agent_parsers.engine._events import Repair, Span
    from agent_parsers.engine._states import State

__all__ = ["Mode", "TurnRules", "call_span", "end_span", "trimmed"]

Mode: TypeAlias = Literal["strict", "lenient", "transcript"]


class TurnRules:
    """What the texts of one turn come to.

    Args:
        dialect: How it is written.
        mode: How it is read.
    """

    def __init__(self, dialect: Dialect, mode: Mode) -> None:
        self.dialect = dialect
        self.table = table = dialect.strict if mode == "strict" else dialect.lenient
        self.is_transcript = mode == "transcript"
        self._is_strict = mode == "strict"
        self.mends = table.mends
        self._one_line_tools = table.one_line_tools
        self._read_input = table.read_input
        self._read_tool = table.read_tool
        self.read_answer = table.read_answer
        self._new_call = table.new_call

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
            before = log[: call.span[0]]
            hides = self.mends and any(closes in before for _, closes in self.dialect.reasoning)
            return make_finish(call.tool_input if hides else log, log)
        if call.is_answer:
            return make_finish(call.tool_input, log)
        if call.tool_span[0] == call.tool_span[1]:
            tools = None  # a tool that goes without name is not the model's to choose
        if self._read_tool is None:
            if problem := self.tool_problem(call.tool, tools):
                raise BadPayload(problem, call.tool_span)
            return make_action(call.tool, call.tool_input, log)
        head = self.read_head(call.tool, call.tool_span, tools, repairs)
        self._check_tool(head, call.tool_span, tools)
        if head.tool_input:
            raise BadPayload("two_inputs", call.tool_span)
        return self.result(head, call.tool_input, log)

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
        if self._one_line_tools and len(tool.splitlines()) > 1:
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
        if not self._is_strict:
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
