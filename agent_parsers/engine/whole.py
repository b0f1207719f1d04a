"""Reads a whole text: a single scan for the markers that matter, wherever that is enough."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.grammar.modes import MAX_CHARS
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.kinds import LONGEST_LEAD, begins_sentence, is_hedged
from agent_parsers.engine.reading.known_tools import known_tools
from agent_parsers.engine.reading.machine import machine
from agent_parsers.engine.reading.quotations import closes_quotation
from agent_parsers.engine.reading.quoting import may_quote
from agent_parsers.engine.reading.rules import unmarked
from agent_parsers.engine.reading.spans import call_span, end_span, trimmed
from agent_parsers.engine.repairs.names import is_bare_name, repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.writing.advice import advice
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Container, Mapping

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.calls.reader import Call
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode, OnConflict
    from agent_parsers.engine.reading.machine import Machine
    from agent_parsers.engine.reading.rules import Advise
    from agent_parsers.engine.reading.states import Crossing, State
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["WholeReader", "whole_reader"]

_TOOL: Final = int(Part.TOOL)
_MARKS: Final = ("*", "_")
_Place: TypeAlias = tuple[int, int, int]
"""Where a text begins and ends, and where the marker before it begins; -1 without a marker."""
_NOWHERE: Final[list[_Place | None]] = [None] * len(Part)


class WholeReader:
    """Reads whole turns, with the results of a stream of one chunk.

    It scans for the markers that matter in each state of the *machine*, and stores only where the
    last text of each part is. If that does not settle what a turn means, a `TurnStream` reads it.

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
        self._opener = machine.new_call().opener if table.begun else ""

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
            raise self._machine.too_long(text[:max_chars], max_chars)
        if ended == "stop":  # accepts whatever "unknown" accepts, and more
            with suppress(OutputParserException):
                return self.parse(text, max_chars, tools, start, prompt)
        is_plain = not (
            self._machine.table.several or (self._machine.lenient and closes_quotation(text))
        )
        if not is_plain or start or prompt or ended != "unknown":
            return self._parse_as_stream(text, tools, start, prompt, ended)
        buffer = "\n" + text  # a label may begin the text, as if after a line break
        places = _NOWHERE.copy()  # of the last text of each part in the buffer
        state = self._machine.initial
        text_at = at = stop = 0
        label_at = -1  # where the marker that led to this state begins
        while (found := state.fast_search(buffer, at)) is not None:
            crossing = state.leads[found.lastindex or 0]
            begin, at = found.span()
            if crossing.is_delicate:
                if self._is_prose(crossing, buffer, (text_at, begin, at), tools):
                    continue
                if self._needs_stream(state, crossing, buffer, (text_at, begin, at)):
                    return self._parse_as_stream(text, tools)
            stop = begin
            if not crossing.is_note:
                places[state.part] = (text_at, stop, label_at)
                if crossing.drops:
                    places = _NOWHERE.copy()
                text_at, label_at = at, stop
            state = crossing.to
        if state.needs_closer or (state.can_be_cut and text.endswith(self._machine.half_stops)):
            return self._parse_as_stream(text, tools)
        places[state.part] = (text_at, len(buffer), label_at)
        entry = stop - 1  # where the last marker begins in the text; -1 without one
        if state.is_plain:
            action = self._plain_action(text, buffer, places[_TOOL], text_at, tools)
            if action is not None:
                return action
        return self._resolve(text, places, state, entry, tools)

    def _is_prose(
        self, crossing: Crossing, text: str, place: _Place, tools: Container[str] | None
    ) -> bool:
        """Return whether a marker is part of a sentence and names none of the tools.

        Args:
            crossing: What the marker does if it counts.
            text: The text that holds the marker.
            place: Where the text of the state begins, and where the marker begins and ends.
            tools: The available tools.
        """
        start, begin, end = place
        if not crossing.begins or begins_sentence(text, start, begin) is not False:
            return False
        while text[begin - 1].isspace():  # a sentence precedes it
            begin -= 1
        if is_hedged(text[max(start, begin - LONGEST_LEAD) : begin]):
            return True
        return not self._machine.names_tool(crossing, text, end, tools)

    def _fit_plain(
        self, tool: str, value: str | dict[Any, Any], tools: ToolSet | Collection[str]
    ) -> str | dict[Any, Any]:
        """Return the *value* of an input as *tool* takes it; without a schema it takes anything."""
        checks = getattr(tools, "checks", None)
        if checks is None or not checks(tool):
            return value
        return self._machine.fit(ToolHead(tool), value, (0, 0), known_tools(tools), [])

    def _resolve(
        self,
        text: str,
        places: list[_Place | None],
        state: State,
        entry: int,
        tools: ToolSet | Collection[str] | None,
    ) -> TurnResult:
        """Return the result of a turn; see `_result`.

        Raises:
            OutputParserException: The turn has no result.
        """
        known = known_tools(tools)
        try:
            return self._result(text, places, state, entry, known)
        except BadPayload as bad:
            problem = bad
        if problem.error is not None:
            return self._parse_as_stream(text, known)  # it knows where the input of a call is
        raise self._machine.error(problem, text, known, self._advise)

    def _plain_action(
        self,
        text: str,
        buffer: str,
        place: _Place | None,
        start: int,
        tools: ToolSet | Collection[str] | None,
    ) -> AgentAction | None:
        """Return the action of a plain turn, in half the time; `_resolve` reads all others."""
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
            value = self._machine.read_input(written, [])
            if tools is not None:
                value = self._fit_plain(tool, value, tools)
            return make_action(tool, value, text)
        except BadPayload:
            return None  # `_resolve` reports it with its span

    def _needs_stream(self, state: State, crossing: Crossing, text: str, place: _Place) -> bool:
        """Return whether the position of a marker is not enough to say what it means.

        Args:
            state: The state in which the marker was found.
            crossing: What the marker does if it counts.
            text: The text that holds the marker.
            place: Where the text of the state begins, and where the marker begins and ends.
        """
        start, begin, end = place
        before = text[start:begin]
        if state.asks and (
            crossing.to.is_cut or state.begun is None or self._opener in before
        ):  # a call may have begun
            return True
        if state.watches and crossing.is_label and may_quote(before):
            return True
        if crossing.alike and not crossing.alike.counts(text[begin:end], ""):
            return True
        if crossing.unopened or crossing.place or (crossing.unless and crossing.unless in before):
            return True
        if crossing.is_inline and "`" in text[text.rfind("\n", 0, begin) + 1 : begin]:
            return True
        if crossing.begins and not begins_sentence(before, 0, len(before)):
            return True
        return crossing.breaks_line and text[end : end + 1] not in ("", "\n")

    def _parse_as_stream(
        self,
        text: str,
        tools: ToolSet | Collection[str] | None,
        start: str = "",
        prompt: str = "",
        ended: Ended = "unknown",
    ) -> TurnResult:
        """Read *text* with a `TurnStream`, which knows more than where the markers are.

        It knows which markers are in the values of a call, and whether the text ends in half a
        marker.
        """
        # imported lazily: few turns need it
        from agent_parsers.engine.reading.stream import TurnStream

        stream = TurnStream(
            self._machine, known_tools(tools), start=start, prompt=prompt, advise=self._advise
        )
        stream.feed(text)
        stream.close(ended=ended)
        assert stream.result is not None, "a turn that is not refused has a result"
        return stream.result

    def _result(
        self,
        text: str,
        places: list[_Place | None],
        state: State,
        entry: int,
        tools: ToolSet | None,
    ) -> AgentAction | AgentFinish:
        """Return the result of a turn.

        Args:
            text: The whole turn.
            places: Where the last text of each part is, in the text with a line break before it.
            state: The state in which the turn ends.
            entry: Where the marker that led to that state begins; -1 without a marker.
            tools: The available tools.

        Raises:
            BadPayload: The turn has no result.
        """
        _, _, tool_at, input_at, call_at, answer_at, *_ = places
        is_beside = state.beside_action or state.problem == "both"
        is_void = is_beside and self._is_void(text, tool_at, tools)
        is_cut = state.is_cut or (state.beside_action and not is_void)
        log = text[:entry].rstrip() if is_cut else text
        call: Call | None = None
        # Where a turn may lack a call, an earlier text that held one is a thought.
        if call_at is not None and (state.asks or not self._may_lack_call):
            call = self._read_call(text, max(call_at[0] - 1, 0), call_at[1] - 1, tools)
            if call is not None and state.begun is not None:
                if call.is_text and state.problem:
                    call = None
                else:
                    state = state.begun
        if state.problem and not is_void:
            raise BadPayload(state.problem, end_span(state.problem, text, entry))
        if call is not None:
            assert call_at is not None, "the call was read at this place"
            label = trimmed(text, max(call_at[2] - 1, 0), max(call_at[0] - 1, 0))
            whole = text[: call_at[1] - 1]
            call = self._machine.call_meant(call, whole, 0, label, self._machine.new_call, [])
            return self._machine.call_result(call, log, tools, [])
        if answer_at is not None and not (state.beside_action and is_cut):
            start, stop = max(answer_at[0] - 1, 0), answer_at[1] - 1
            answer = text[start:stop]
            if not self._machine.table.keeps_answer_space:
                answer = self._unmarked(answer.strip(), text, answer_at)
            if not answer and state.is_open_answer:
                raise BadPayload("nothing", end_span("nothing", text, entry))
            try:
                return make_finish(self._machine.read_answer(answer, []), log)
            except BadPayload as bad:
                raise bad.moved(trimmed(text, start, stop)[0]) from None
        if tool_at is None:
            raise BadPayload("nothing", end_span("nothing", text, entry))
        written, span = self._name_at(text, tool_at)
        head = self._machine.read_head(written, span, tools, [])
        if input_at is None:
            value = self._machine.bare_input(head, span, tools, [], is_whole=is_cut)
        else:
            stop = input_at[1] - 1
            written = text[input_at[0] - 1 : stop].lstrip()
            at = stop - len(written)
            if not self._keeps_input_end:
                written = self._unmarked(written.rstrip(), text, input_at)
            ended: Ended = "stop" if stop < len(text) else "unknown"
            value = self._machine.input_value(head, span, written, at, tools, [], ended)
        return self._machine.result(head, value, log)

    def _read_call(self, text: str, start: int, stop: int, tools: ToolSet | None) -> Call | None:
        """Return the call between two offsets into *text*, or `None` if the state may lack one."""
        start, end = trimmed(text, start, stop)
        call = self._machine.new_call().read(text[start:end], start)
        if stop < len(text):
            call.lacks = ""  # the text after the turn closes it
        if self._may_lack_call and not self._machine.ends_turn(call, None):
            return None
        if problem := self._machine.call_problem(call, "unknown", tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        return call

    def _name_at(self, text: str, place: _Place) -> tuple[str, Span]:
        """Return the text at a *place* as the name of a tool, and its span."""
        start, stop = trimmed(text, place[0] - 1, place[1] - 1)
        return self._unmarked(text[start:stop], text, place), (start, stop)

    def _unmarked(self, written: str, text: str, place: _Place) -> str:
        """Return what is *written* at a *place*, without emphasis that its label begins."""
        if not self._machine.lenient or written[-1:] not in _MARKS:
            return written
        return unmarked(written, text[max(place[2] - 1, 0) : place[0] - 1])

    def _is_void(self, text: str, tool_at: _Place | None, tools: ToolSet | None) -> bool:
        """Return whether the action beside an answer says that there is no action."""
        if self._machine.read_tool is None or tool_at is None:
            return False
        written, span = self._name_at(text, tool_at)
        try:
            self._machine.read_head(written, span, tools, [])
        except BadPayload as bad:
            return bad.problem == "no_action"
        return False


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
