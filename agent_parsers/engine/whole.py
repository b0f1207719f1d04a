"""Reads a whole text: a single scan for the markers that matter, wherever that is enough."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.grammar.modes import MAX_CHARS
from agent_parsers.engine.grammar.problems import too_long
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.reading.plain_text import Unsure, counts
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.quoting.spans import call_span, end_span, trimmed
from agent_parsers.engine.reading.rules.inputs import unmarked
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.repairs.names import is_bare_name, repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.writing.advice import advice
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode, OnConflict
    from agent_parsers.engine.reading.canonical.reader import CanonicalReader
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.events import Repair
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["WholeReader", "whole_reader"]

_MARKS: Final = ("*", "_")
_Place: TypeAlias = tuple[int, int, int]
"""Where a text begins and ends, and where the marker before it begins; -1 without a marker."""
_NOWHERE: Final[list[_Place | None]] = [None] * len(Part)


class WholeReader:
    """Reads whole turns, with the results of a stream of one chunk.

    It scans for the markers that matter in each state of the *machine*, and stores only where the
    last text of each part is. A turn that this does not settle, or that is wrong, is read by a
    `TurnStream`, which knows more and can report it.

    Args:
        machine: The dialect, compiled for one mode.
        advise: Writes the observations of errors.
    """

    def __init__(self, machine: Machine, advise: Advise | None = None) -> None:
        table = machine.table
        self._machine = machine
        self._advise = advise
        self._keeps_input_end = table.keeps_input_end
        self._is_plain_tool = _LEAVES_PLAIN_NAMES.get(table.read_tool, _is_unknown)
        self._may_lack_call = bool(table.begun)
        self._canonical: CanonicalReader | None = None
        if table.several and self._is_plain_tool is not _is_unknown:
            # imported lazily: dialects with one action do not need it
            from agent_parsers.engine.reading.canonical.reader import canonical_reader

            self._canonical = canonical_reader(machine, self._is_plain_tool)

    def parse(
        self,
        text: str,
        max_chars: int = MAX_CHARS,
        tools: ToolSet | Collection[str] | None = None,
        start: str = "",
        prompt: str = "",
        ended: Ended = "unknown",
    ) -> TurnResult:
        """Read one whole turn.

        Args:
            text: What the model wrote.
            max_chars: Longest text that is read.
            tools: The available tools, or only their names; `None` accepts any tool.
            start: The part in which the text begins; see `Machine.start`.
            prompt: The prompt that the text continues; see `Machine.start`.
            ended: How the text ended, if known.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or both, or too
                long, or it names an unknown tool, or one that does not take the input.
        """
        if len(text) > max_chars:
            raise too_long("text", text[:max_chars], max_chars)
        if ended == "stop":  # accepts whatever "unknown" accepts, and more
            with suppress(OutputParserException):
                return self.parse(text, max_chars, tools, start, prompt)
        elif ended == "unknown" and not (start or prompt or self._machine.table.several):
            try:
                return self._scan(text, tools, [])
            except Unsure:
                pass
            except BadPayload as bad:
                # For another error of the tools, a stream knows where the input of a call is.
                if bad.error is None or bad.problem == "unknown_tool":
                    known = known_tools(tools)
                    raise self._machine.error(bad, text, known, self._advise) from None
        elif ended == "unknown" and self._canonical is not None and not (start or prompt):
            result = self._canonical.result(text, tools)
            if result is not None:
                return result
        # imported lazily: few turns need it
        from agent_parsers.engine.reading.stream import TurnStream

        stream = TurnStream(
            self._machine, known_tools(tools), start=start, prompt=prompt, advise=self._advise
        )
        stream.feed(text)
        stream.close(ended=ended)
        assert stream.result is not None, "a turn that is not refused has a result"
        return stream.result

    def read_plain(self, text: str, tools: ToolSet | Collection[str] | None = None) -> Turn | None:
        """Read one whole turn with all its events; return `None` if only a stream can."""
        if self._canonical is not None:
            return self._canonical.turn(text, tools)
        if self._machine.table.several:
            return None
        # imported lazily: most callers want only the result
        from agent_parsers.engine.reading.plain_turn import plain_turn

        repairs: list[Repair] = []
        with suppress(Unsure, BadPayload):
            result = self._scan(text, tools, repairs)
            if not repairs:
                return plain_turn(self._machine, text, result, tools)
        return None

    def _scan(
        self,
        text: str,
        tools: ToolSet | Collection[str] | None,
        repairs: list[Repair],
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn that is as it should be.

        Args:
            text: The whole turn.
            tools: The available tools, or only their names.
            repairs: Collects the repairs of names, inputs and answers.

        Raises:
            BadPayload: The turn has no result.
            Unsure: A stream has to say what the turn means.
        """
        if self._machine.lenient and closes_quotation(text):
            raise Unsure
        buffer = "\n" + text  # a label may begin the text, as if after a line break
        places = _NOWHERE.copy()  # of the last text of each part in the buffer
        state = self._machine.initial
        text_at = at = stop = 0
        label_at = -1  # where the marker that led to this state begins
        while (found := state.fast_search(buffer, at)) is not None:
            crossing = state.leads[found.lastindex or 0]
            begin, at = found.span()
            if crossing.guards and not counts(state, crossing, found, (label_at, text_at), tools):
                continue
            if crossing.breaks_line and buffer[at : at + 1] not in ("", "\n"):
                raise Unsure
            stop = begin
            if not crossing.is_note:
                places[state.part] = (text_at, stop, label_at)
                if crossing.drops:
                    places = _NOWHERE.copy()
                text_at, label_at = at, stop
            state = crossing.to
        if state.needs_closer or (state.can_be_cut and buffer.endswith(self._machine.half_stops)):
            raise Unsure
        places[state.part] = (text_at, len(buffer), label_at)
        if state.part is Part.INPUT and not state.problem:
            tool_at = places[Part.TOOL]
            action = self._plain_action(text, buffer, tool_at, text_at, tools, repairs)
            if action is not None:
                return action
        # the last marker begins at `stop` in the buffer
        return self._result(text, places, state, stop - 1, known_tools(tools), repairs)

    def _plain_action(
        self,
        text: str,
        buffer: str,
        place: _Place | None,
        start: int,
        tools: ToolSet | Collection[str] | None,
        repairs: list[Repair],
    ) -> AgentAction | None:
        """Return the action of a plain turn, in half the time; `_result` reads all others."""
        if place is None:
            return None
        tool = buffer[place[0] : place[1]].strip()
        if not (self._is_plain_tool(tool) if tools is None else tool in tools):
            return None
        written = buffer[start:].lstrip()
        if not self._keeps_input_end:
            written = written.rstrip()
            if written[-1:] in _MARKS:
                return None
        try:
            value = self._machine.read_input(written, repairs)
            if tools is not None:
                value = self._machine.fit(
                    ToolHead(tool), value, (0, 0), known_tools(tools), repairs
                )
        except BadPayload:
            return None  # `_result` reports it with its span
        return make_action(tool, value, text)

    def _result(
        self,
        text: str,
        places: list[_Place | None],
        state: State,
        entry: int,
        tools: ToolSet | None,
        repairs: list[Repair],
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn.

        Args:
            text: The whole turn.
            places: Where the last text of each part is, in the text with a line break before it.
            state: The state in which the turn ends.
            entry: Where the marker that led to that state begins; -1 without a marker.
            tools: The available tools.
            repairs: Collects the repairs.

        Raises:
            BadPayload: The turn has no result.
            Unsure: A stream has to say what the turn means.
        """
        if state.beside_action:  # an action counts, unless it names no tool
            raise Unsure
        _, _, tool_at, input_at, call_at, answer_at, *_ = places
        log = text[:entry].rstrip() if state.is_cut else text
        # Where a turn may lack a call, an earlier text that held one is a thought.
        if call_at is not None and (state.has_reader or not self._may_lack_call):
            return self._call_result(text, call_at, state, log, tools, repairs)
        if state.problem == "action_and_answer":  # unless the action names no tool
            raise Unsure
        if state.problem:
            raise BadPayload(state.problem, end_span(state.problem, text, entry))
        if answer_at is not None:
            start, stop = max(answer_at[0] - 1, 0), answer_at[1] - 1
            answer = text[start:stop]
            if not self._machine.table.keeps_answer_space:
                answer = self._unmarked(answer.strip(), text, answer_at)
            if not answer and state.is_open_answer:
                raise Unsure
            try:
                return make_finish(self._machine.read_answer(answer, repairs), log)
            except BadPayload as bad:
                raise bad.moved(trimmed(text, start, stop)[0]) from None
        if tool_at is None:
            raise BadPayload("no_action_or_answer", end_span("no_action_or_answer", text, entry))
        if input_at is None:
            raise Unsure
        start, stop = trimmed(text, tool_at[0] - 1, tool_at[1] - 1)
        tool = self._unmarked(text[start:stop], text, tool_at)
        head = self._machine.read_head(tool, (start, stop), tools, repairs)
        end = input_at[1] - 1
        written = text[input_at[0] - 1 : end].lstrip()
        at = end - len(written)
        if not self._keeps_input_end:
            written = self._unmarked(written.rstrip(), text, input_at)
        ended: Ended = "stop" if end < len(text) else "unknown"
        value = self._machine.input_value(head, (start, stop), written, at, tools, repairs, ended)
        return self._machine.result(head, value, log)

    def _call_result(
        self,
        text: str,
        place: _Place,
        state: State,
        log: str,
        tools: ToolSet | None,
        repairs: list[Repair],
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn whose call is at *place*; see `_result`."""
        start, stop = max(place[0] - 1, 0), place[1] - 1
        first, last = trimmed(text, start, stop)
        call = self._machine.new_call().read(text[first:last], first)
        if stop < len(text):
            call.lacks = ""  # the text after the turn closes it
        if self._may_lack_call and not self._machine.ends_turn(call, None):
            raise Unsure
        if problem := self._machine.call_problem(call, "unknown", tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        if (state.begun or state).problem or (call.is_text and state.problem):
            raise Unsure
        label = trimmed(text, max(place[2] - 1, 0), start)
        call = self._machine.call_meant(
            call, text[:stop], 0, label, self._machine.new_call, repairs
        )
        return self._machine.call_result(call, log, tools, repairs)

    def _unmarked(self, written: str, text: str, place: _Place) -> str:
        """Return what is *written* at a *place*, without emphasis that its label begins."""
        if not self._machine.lenient or written[-1:] not in _MARKS:
            return written
        return unmarked(written, text[max(place[2] - 1, 0) : place[0] - 1])


@cache
def whole_reader(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> WholeReader:
    """Return the cached reader of whole turns of *dialect* in *mode*."""
    return WholeReader(machine(dialect, mode, on_conflict), advice)


def _is_line(name: str) -> bool:
    return bool(name) and name.isprintable()


def _is_unknown(_name: str) -> bool:
    return False  # the dialect reads names in its own way


_LEAVES_PLAIN_NAMES: Final[Mapping[object, Callable[[str], bool]]] = {
    None: _is_line,
    repair_tool_name: is_bare_name,
}
"""By the reader of names: whether it returns a name as it is written, so it need not be called."""
