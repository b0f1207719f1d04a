"""The rules by which the texts of a turn become names, inputs, calls and errors.

Both readers, `WholeReader` and `TurnStream`, use them.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.grammar.problems import SHARED_PROBLEMS
from agent_parsers.engine.grammar.reasoning import with_reasoning
from agent_parsers.engine.markers.kinds import open_mark
from agent_parsers.engine.reading.call_meant import call_meant
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.events import Repair, ToolNamed
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.calls.reader import Call, CallReader
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode, OnConflict
    from agent_parsers.engine.reading.quoting import QuoteWatch
    from agent_parsers.engine.reading.states import State
    from agent_parsers.engine.repairs.payloads import Lack
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["Advise", "TurnRules", "unmarked"]

Advise: TypeAlias = (
    "Callable[[Dialect, str, str, ToolSet | None, OutputParserException | None], str]"
)
"""Returns the observation of an error, given the dialect, what is wrong, the text at fault, the
tools, and the error that the tools raised, if they did."""


class TurnRules:
    """The rules for the texts of one turn, in one dialect and mode.

    Args:
        dialect: The dialect of the turn.
        mode: The mode of reading.
        on_conflict: Which one counts if a lenient turn has several actions or answers.
    """

    def __init__(self, dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> None:
        self.dialect, self.on_conflict = dialect, on_conflict
        table = dialect.strict if mode == "strict" else dialect.lenient
        if table.several and table.lenient:
            table = with_reasoning(table, dialect.reasoning)
        self.table = table
        self.is_transcript = mode == "transcript"
        self._is_strict = mode == "strict"
        self.lenient = table.lenient
        self._one_line_tools = table.one_line_tools
        self.read_input = table.read_input
        self.read_tool = table.read_tool
        self.read_answer = table.read_answer
        self._new_call = table.new_call

    def read_head(
        self, written: str, span: Span, tools: ToolSet | None, repairs: list[Repair]
    ) -> ToolHead:
        """Return the tool that is *written* at *span*, with its input if written as a call.

        Raises:
            BadPayload: The text does not name a tool.
        """
        if self.read_tool is None or not written:
            return ToolHead(written)
        try:
            return self.read_tool(written, None if tools is None else tools.names, repairs)
        except BadPayload as bad:
            raise bad.moved(span[0]) from None

    def bare_input(
        self,
        head: ToolHead,
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_whole: bool,
        ended: Ended = "unknown",
    ) -> str | dict[Any, Any]:
        """Return the input of a tool whose name is not followed by an input.

        Args:
            head: The name, with the input if it is written as a call.
            span: Where the name is.
            tools: The available tools.
            repairs: Collects the repairs.
            is_whole: Whether the name is known to be complete, since a line follows it.
            ended: How the text ended, if it ended in the name.

        Raises:
            BadPayload: The name may be cut short, or is not a tool's, or the tool needs an input.
        """
        if not head.is_answer:
            self._check_tool(head.tool, span, tools)
        if head.tool_input is not None:
            return self.fit(head, head.tool_input, span, tools, repairs)
        # Without an input the name may be cut short, unless it is known or a line follows it.
        is_cut = ended == "length" and not is_whole
        if head.needs_input or is_cut or not (is_whole or tools is not None):
            raise BadPayload("no_input", span)
        value = self._nothing_written(head, span, tools)
        return self.fit(head, value, span, tools, repairs, is_given=False)

    def _nothing_written(
        self, head: ToolHead, span: Span, tools: ToolSet | None
    ) -> str | dict[Any, Any]:
        """Return the value of an input that was not written: empty text, if the dialect allows it.

        Raises:
            BadPayload: Inputs of the dialect are data, and the tool may need some.
        """
        if head.is_answer or (tools is not None and tools.checks(head.tool)):
            return ""
        try:
            return self.read_input("", [])
        except BadPayload:
            raise BadPayload("no_input", span) from None

    def input_value(
        self,
        head: ToolHead,
        span: Span,
        written: str,
        at: int,
        tools: ToolSet | None,
        repairs: list[Repair],
        ended: Ended = "unknown",
    ) -> str | dict[Any, Any]:
        """Return the value of the input that is *written* at offset *at*, after the name at *span*.

        If the input was followed by a marker, *ended* is ``"stop"``.

        Raises:
            BadPayload: The name is not a tool's, or the input has no value that the tool takes.
        """
        if not head.is_answer:
            self._check_tool(head.tool, span, tools)
        if head.tool_input:
            raise BadPayload("two_inputs", span)
        made: list[Repair] = []
        value = "" if written else self._nothing_written(head, span, tools)
        try:
            if written:
                value = self.read_input(written, made)
        except BadPayload as bad:
            cut = bad.unclosed
            if cut is None or not self._may_lack(cut.lacks, head.tool, cut.arguments, ended, tools):
                raise bad.moved(at) from None
            value, made = cut.value, cut.repairs
        if ended == "length" and isinstance(value, str) and not head.is_answer:
            raise BadPayload("cut_input", (at, at + len(written)))
        if made:
            repairs += (repair.moved(at) for repair in made)
        return self.fit(head, value, (at, at + len(written)), tools, repairs)

    def fit(
        self,
        head: ToolHead,
        value: str | dict[Any, Any],
        span: Span,
        tools: ToolSet | None,
        repairs: list[Repair],
        *,
        is_given: bool = True,
    ) -> str | dict[Any, Any]:
        """Return the *value* of an input, converted to what the tool takes.

        Args:
            head: The tool.
            value: What the model wrote.
            span: Where the input is.
            tools: The available tools. Converting text to the types of a schema is not a repair,
                since text has no types.
            repairs: Collects what was repaired or left out.
            is_given: Whether the model wrote an input. If not, it counts as empty arguments, not as
                empty text.

        Raises:
            BadPayload: The tool does not take it.
        """
        if head.is_answer or tools is None or not tools.checks(head.tool):
            return value
        try:
            found = tools.read(head.tool, value if is_given else {}, lenient=self.lenient)
        except OutputParserException as error:
            raise BadPayload("wrong_input", span, error) from None
        repairs += (Repair(note.kind, span, note.message) for note in found.notes if note.kind)
        return found.value

    def check_quotes(self, watch: QuoteWatch | None, written: str, at: int) -> None:
        """Check that an input with a quoted marker is one whole quotation, or JSON.

        Raises:
            BadPayload: A quotation is not closed, or the input is neither one whole quotation nor
                JSON, so its end is uncertain.
        """
        if watch is None:
            return
        if watch.has_marker and watch.mark == "```":
            raise BadPayload("open_fence", (at, at + len(written)))
        if not (watch.has_marker or watch.hides_marker):
            return
        # imported lazily: few inputs quote a label
        from agent_parsers.engine.repairs.inputs import is_quoted_whole

        if watch.has_marker or not is_quoted_whole(written):
            raise BadPayload("open_quote", (at, at + len(written)))

    def result(
        self, head: ToolHead, value: str | dict[Any, Any], log: str
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn with this *head* and input."""
        return make_finish(value, log) if head.is_answer else make_action(head.tool, value, log)

    def resolved(self, call: Call, tools: ToolSet | None) -> Call:
        """Return *call* with the values and names that follow from the schema of its tool."""
        if call.openers and not call.problem:
            is_meant = tools is not None and tools.declares(call.tool, call.openers)
            call = call if is_meant else replace(call, problem="open_tag")
        is_open = call.unnamed or (call.others and not call.problem)
        if not is_open or tools is None:
            return call
        if call.unnamed and call.tool not in tools:  # report the unknown tool first
            return replace(call, problem="")
        if not tools.checks(call.tool):
            return call
        value = tools.resolve(call.tool, call.tool_input, call.others, call.unnamed)
        if value is None:
            return call
        return replace(call, tool_input=value, problem="" if call.unnamed else call.problem)

    def call_result(
        self, call: Call, log: str, tools: ToolSet | None, repairs: list[Repair]
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn with this *call*.

        Raises:
            BadPayload: The tool is unknown, or it does not take this input.
        """
        if call.is_text:
            before = log[: call.span[0]]
            hides = self.lenient and any(closes in before for _, closes in self.dialect.reasoning)
            return make_finish(call.tool_input if hides else log, log)
        if call.is_answer:
            return make_finish(call.tool_input, log)
        named = call.tool_span
        # If the text has no name, the model did not choose the tool, so the name is not checked.
        known = tools if named[0] < named[1] else None
        if self.read_tool is None and (tools is None or not tools.checks(call.tool)):
            self._check_tool(call.tool, named, known)
            return make_action(call.tool, call.tool_input, log)
        head = ToolHead(call.tool)
        if self.read_tool is not None:
            made: list[Repair] = []
            head = self.read_head(call.tool, named, known, made)
            if made:
                repairs += (repair.moved(named[0]) for repair in made)
        if not head.is_answer:
            self._check_tool(head.tool, named, known)
        if head.tool_input:
            raise BadPayload("two_inputs", named)
        value = call.tool_input
        if tools is not None and tools.checks(head.tool):
            is_given = bool(value) or call.input_span is not None
            span = call.input_span or (call.span if is_given else named)
            value = self.fit(head, value, span, tools, repairs, is_given=is_given)
        return self.result(head, value, log)

    def _check_tool(self, tool: str, span: Span, tools: ToolSet | None) -> None:
        if problem := self.tool_problem(tool):
            raise BadPayload(problem, span)
        if tools is not None and tool not in tools:
            raise BadPayload("unknown_tool", span, tools.unknown(tool))

    def new_call(self) -> CallReader:
        """Return a reader for the next call."""
        assert self._new_call is not None, "a table with call states has a call reader"
        return self._new_call()

    def tool_problem(self, tool: str) -> str:
        """Return the problem of *tool* as the name of a tool; ``""`` if there is no problem."""
        if not tool:
            return "no_tool"
        return "long_tool" if self._one_line_tools and len(tool.splitlines()) > 1 else ""

    def ends_turn(self, call: Call, to: State | None) -> bool:
        """Return whether *call* counts in a state that may lack a call and goes on to *to*."""
        if call.problem == "no_call" or (call.is_text and self.is_transcript):
            return False
        return to is None or to.is_cut

    def named(self, event: ToolNamed, tools: ToolSet | None) -> ToolNamed:
        """Return *event* with the repaired name of the tool."""
        try:
            return ToolNamed(self.read_head(event.tool, event.span, tools, []).tool, event.span)
        except BadPayload:
            return event

    def is_name(self, head: ToolHead) -> bool:
        """Return whether *head* names a tool, known or not."""
        return not head.is_answer and not self.tool_problem(head.tool)

    def call_meant(
        self,
        call: Call,
        text: str,
        base: int,
        label: Span,
        new_call: Callable[[], CallReader],
        repairs: list[Repair],
    ) -> Call:
        """Return the call that counts in *text*, which begins at offset *base*; see `call_meant`.

        Raises:
            BadPayload: No call counts, or several that differ.
        """
        if call.is_text:
            return call
        return call_meant(
            call,
            text,
            base=base,
            label=label,
            new_call=new_call,
            on_conflict=self.on_conflict,
            stops=self.dialect.stop,
            repairs=repairs if self.lenient else None,
        )

    def call_problem(self, call: Call, ended: Ended, tools: ToolSet | None) -> str:
        """Return the problem of a call in a text that *ended* like this; ``""`` for no problem."""
        if call.problem:
            return call.problem
        if call.lacks and not self._may_lack(call.lacks, call.tool, call.tool_input, ended, tools):
            return "open_call"
        if call.is_short and ended == "length":
            return "open_call"
        return "" if self.lenient or call.after is None else "after_call"

    def _may_lack(
        self, lacks: Lack, tool: str, arguments: Any, ended: Ended, tools: ToolSet | None
    ) -> bool:
        """Return whether a call of *tool* counts although the text ended before its closer.

        A model that stopped by itself has left out closers. A text that was cut may lack more. If
        it is not known which, the arguments must be closed, or be all that the tool takes.
        """
        if ended == "length" or lacks == "closer":
            return ended != "length"
        if not self.lenient or ended == "stop":
            return self.lenient
        return tools is not None and lacks == "arguments" and tools.fills(tool, arguments)

    def error(
        self, bad: BadPayload, text: str, tools: ToolSet | None, advise: Advise | None
    ) -> OutputParserException:
        """Return the error for what is *bad* in *text*.

        Args:
            bad: What is wrong, and where.
            text: The text that was read.
            tools: The available tools.
            advise: Writes the observation; without it, the observation is that of the problem.
        """
        written = text[slice(*bad.span)]
        if (error := bad.error) is not None:  # raised by the tools
            if advise is not None:
                error.observation = advise(self.dialect, "", written, tools, error)
            error.llm_output, error.span = text, bad.span
            return error
        problem = self.dialect.problems.get(bad.problem) or SHARED_PROBLEMS.get(bad.problem)
        if problem is None:
            raise LookupError(f"dialect {self.dialect.name!r} has no problem {bad.problem!r}")
        if self._is_strict:
            reason, send_to_llm = problem.strict_reason(text), problem.send_to_llm
            observation = problem.exact_observation or problem.observation
        else:
            reason, send_to_llm = problem.reason, True
            observation = problem.observation
            if advise is not None:
                observation = advise(self.dialect, observation, written, tools, None)
        return OutputParserException(
            reason,
            observation=observation,
            llm_output=text,
            send_to_llm=send_to_llm,
            span=bad.span,
        )

    def too_long(self, text: str, max_chars: int) -> OutputParserException:
        """Return the error for a text that is too long; *text* is its beginning."""
        return OutputParserException(
            f"the text is longer than max_chars={max_chars:,} characters",
            observation="Your reply is too long. Answer in fewer words.",
            llm_output=text,
            send_to_llm=True,
            span=(max_chars, max_chars),
        )


def unmarked(written: str, label: str) -> str:
    """Return what is *written*, without the end of emphasis that its *label* begins."""
    return written.removesuffix(open_mark(label)).rstrip()
