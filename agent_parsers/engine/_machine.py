"""A dialect's table made ready to run, and the reading of a whole text with it.

`Machine.parse` scans a text that is there already; `StreamParser` walks the same states while the
text comes in. Both decide by what stands here.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine._dialect import Dialect, Problem, Role
from agent_parsers.engine._states import build_states
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine._calls import Call, CallReader
    from agent_parsers.engine._events import Span

__all__ = ["MAX_CHARS", "Machine", "Mode", "call_span", "end_span", "machine"]

Mode: TypeAlias = Literal["strict", "lenient", "transcript"]

MAX_CHARS: Final = 10_000_000
"""Longest turn that is read unless the caller says otherwise, in characters."""

_NOWHERE: Final[list[Span | None]] = [None] * len(Role)


class Machine:
    """One dialect, ready to read in one mode; `machine` has it.

    Args:
        dialect: What to read.
        mode: ``"strict"`` and ``"lenient"`` read one turn, ``"transcript"`` a whole run.
    """

    def __init__(self, dialect: Dialect, mode: Mode) -> None:
        table = dialect.strict if mode == "strict" else dialect.lenient
        self.dialect = dialect
        self.is_transcript = mode == "transcript"
        self.is_strict = mode == "strict"
        self.mends = table.mends
        self.one_line_tools = table.one_line_tools
        self.keeps_input_end = table.keeps_input_end
        self._states = build_states(table, is_transcript=self.is_transcript)
        self.initial = self._states[table.transcript_start if self.is_transcript else table.initial]

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
            crossing = state.leads[found.lastindex or 0]
            stop, at = found.span()
            if not crossing.is_note:
                places[state.role] = (start, stop)
                start = at
            state = crossing.to
        places[state.role] = (start, len(buffer))
        _, _, tool_at, input_at, call_at, answer_at, _, _ = places
        entry = stop - 1  # where the last marker stands in the text; -1 if there is none
        log = text[:entry].rstrip() if state.is_cut else text
        if call_at is not None:
            call = self._read_call(text, call_at[0] - 1, call_at[1] - 1)
        if state.problem:
            raise self.error(state.problem, text, end_span(state.problem, text, entry))
        if call_at is not None:
            return self._call_result(call, text, log, tools)
        if answer_at is not None:
            return make_finish(buffer[slice(*answer_at)].strip(), log)
        if tool_at is not None:
            start, stop = tool_at
            tool = buffer[start:stop].strip()
            if not tool or tools is not None or not tool.isprintable():
                self._check_tool(tool, text, start - 1, stop - 1, tools)
            if input_at is None:
                if tools is None and not state.is_cut:
                    raise self.error("no_input", text, trimmed(text, start - 1, stop - 1))
                return make_action(tool, "", log)
            start, stop = input_at
            value = buffer[start:stop].lstrip()
            if not self.keeps_input_end:
                value = value.rstrip()
            return make_action(tool, self.dialect.read_input(value), log)
        raise self.error("nothing", text, end_span("nothing", text, entry))

    def _read_call(self, text: str, start: int, stop: int) -> Call:
        """Read the call that a state has between two offsets into *text*."""
        start, end = trimmed(text, start, stop)
        reader = self.new_call()
        if start < end:
            reader.feed(text[start:end], start)
        call = reader.close()[1]
        if problem := self.call_problem(call):
            raise self.error(problem, text, call_span(problem, call, stop))
        return call

    def _call_result(
        self, call: Call, text: str, log: str, tools: Collection[str] | None
    ) -> AgentAction | AgentFinish:
        if call.is_answer:
            return make_finish(call.tool_input, log)
        start = call.span[0]
        self._check_tool(call.tool, text, start, start + len(call.tool), tools)
        return make_action(call.tool, call.tool_input, log)

    def _check_tool(
        self, tool: str, text: str, start: int, stop: int, tools: Collection[str] | None
    ) -> None:
        if problem := self.tool_problem(tool, tools):
            raise self.error(problem, text, trimmed(text, start, stop), tools)

    def new_call(self) -> CallReader:
        """Return a reader for the next call."""
        assert self.dialect.new_call is not None, "a dialect with call states has a call reader"
        return self.dialect.new_call()

    def tool_problem(self, tool: str, tools: Collection[str] | None = None) -> str:
        """Name the problem with the name of a tool; ``""`` if there is none."""
        if not tool:
            return "no_tool"
        if self.one_line_tools and len(tool.splitlines()) > 1:
            return "long_tool"
        return "unknown_tool" if tools is not None and tool not in tools else ""

    def call_problem(self, call: Call) -> str:
        """Name the problem with a call; ``""`` if there is none."""
        if call.problem or self.mends or call.after is None:
            return call.problem
        return "after_call"

    def error(
        self, name: str, text: str, span: Span, tools: Collection[str] | None = None
    ) -> OutputParserException:
        """Return the error for the problem *name* with *text*, where *tools* are the known ones."""
        if name == "unknown_tool":
            problem = _unknown_tool(text[slice(*span)], tools or ())
        else:
            problem = self.dialect.problems[name]
        if not self.is_strict:
            reason, observation, send_to_llm = problem.reason, problem.observation, True
        else:
            reason = problem.exact.replace("{text}", text) or problem.reason
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
def machine(dialect: Dialect, mode: Mode) -> Machine:
    """Return what reads *dialect* in *mode*; it is made once."""
    return Machine(dialect, mode)


def _unknown_tool(tool: str, tools: Collection[str]) -> Problem:
    from difflib import get_close_matches  # only errors need it

    near = get_close_matches(tool, tools, n=1)
    hint = f" Did you mean {near[0]!r}?" if near else ""
    return Problem(
        f"{tool!r} is none of the tools",
        f"There is no tool {tool!r}.{hint} The tools are: {', '.join(tools)}.",
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
