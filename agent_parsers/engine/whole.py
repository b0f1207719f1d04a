"""Reading a whole text: one scan for the markers that matter, where that is enough."""

from __future__ import annotations

from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.kinds import LONGEST_LEAD, begins_sentence, is_hedged
from agent_parsers.engine.reading.known_tools import known_tools
from agent_parsers.engine.reading.machine import MAX_CHARS, machine
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
"""Where a text begins and ends, and where the marker begins that led to it; -1 if none did."""
_NOWHERE: Final[list[_Place | None]] = [None] * len(Part)


class WholeReader:
    """Reads turns that are there as a whole, as a stream of one chunk would.

    It scans the states of the *machine* for the markers that matter, and keeps only where the last
    text of each role stands. What it cannot be sure of, it gives to a `TurnStream`.

    Args:
        machine: The dialect, ready to read.
        advise: Words the errors.
    """

    def __init__(self, machine: Machine, advise: Advise | None = None) -> None:
        table = machine.table
        self._machine = machine
        self._advise = advise
        self._keeps_input_end = table.keeps_input_end
        self._is_plain_tool = _PLAIN_TOOLS.get(table.read_tool, _is_unknown)
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
            tools: The tools there are, or only their names; `None` if any will do.
            start: How the text begins; see `start`.
            prompt: What it continues; likewise.
            ended: How the text ended, if that is known.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or both, or too
                long, or names a tool that there is not, or that takes another input.
        """
        if len(text) > max_chars:
            raise self._machine.too_long(text[:max_chars], max_chars)
        if ended == "stop":  # it takes more than if nothing is known, and nothing otherwise
            with suppress(OutputParserException):
                return self.parse(text, max_chars, tools, start, prompt)
        is_plain = not (
            self._machine.table.several or (self._machine.lenient and closes_quotation(text))
        )
        if not is_plain or start or prompt or ended != "unknown":
            return self._parse_as_stream(text, tools, start, prompt, ended)
        buffer = "\n" + text  # a label may stand at the very beginning, as after a line break
        places = _NOWHERE.copy()  # of the last text of each role in the buffer
        state = self._machine.initial
        text_at = at = stop = 0
        label_at = -1  # where the marker stands that led to this state
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
        entry = stop - 1  # where the last marker stands in the text; -1 if there is none
        if state.is_plain:
            action = self._plain_action(text, buffer, places[_TOOL], text_at, tools)
            if action is not None:
                return action
        return self._resolve(text, places, state, entry, tools)

    def _is_prose(
        self, crossing: Crossing, text: str, place: _Place, tools: Container[str] | None
    ) -> bool:
        """Tell whether a marker stands in a sentence, and names no tool that there is.

        Args:
            crossing: What it does, perhaps.
            text: Where it stands.
            place: Where the text of the state begins, and where the marker begins and ends.
            tools: The tools there are.
        """
        start, begin, end = place
        if not crossing.begins or begins_sentence(text, start, begin) is not False:
            return False
        while text[begin - 1].isspace():  # there is a sentence before it
            begin -= 1
        if is_hedged(text[max(start, begin - LONGEST_LEAD) : begin]):
            return True
        return not self._machine.names_tool(crossing, text, end, tools)

    def _fit_plain(
        self, tool: str, value: str | dict[Any, Any], tools: ToolSet | Collection[str]
    ) -> str | dict[Any, Any]:
        """Return the *value* of an input as *tool* takes it; of names alone, any takes anything."""
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
        """Return what a turn comes to; see `_result`.

        Raises:
            OutputParserException: It comes to nothing.
        """
        known = known_tools(tools)
        try:
            return self._result(text, places, state, entry, known)
        except BadPayload as bad:
            problem = bad
        if problem.error is not None:
            return self._parse_as_stream(text, known)  # which knows where the input of a call is
        raise self._machine.error(problem, text, known, self._advise)

    def _plain_action(
        self,
        text: str,
        buffer: str,
        place: _Place | None,
        start: int,
        tools: ToolSet | Collection[str] | None,
    ) -> AgentAction | None:
        """Return what most turns are, at half the price; `_resolve` reads all others."""
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
            return None  # `_resolve` tells its place in the text

    def _needs_stream(self, state: State, crossing: Crossing, text: str, place: _Place) -> bool:
        """Tell whether to know what a marker means takes more than where markers stand.

        Args:
            state: Where it stands.
            crossing: What it does, perhaps.
            text: Where it stands.
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
        """Read *text* as if it came in, which knows more than where markers stand.

        Which of them are in the values of a call, and whether one begins at the end of the text.
        """
        from agent_parsers.engine.reading.stream import TurnStream  # few turns need it

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
        """Return what a turn comes to.

        Args:
            text: All of it.
            places: Where the last text of each role stands, in the text after a line break.
            state: The state in which it ends.
            entry: Where the marker stands that led to that state; -1 if there is none.
            tools: The tools there are.

        Raises:
            BadPayload: It comes to nothing.
        """
        _, _, tool_at, input_at, call_at, answer_at, *_ = places
        is_beside = state.beside_action or state.problem == "both"
        is_void = is_beside and self._is_void(text, tool_at, tools)
        is_cut = state.is_cut or (state.beside_action and not is_void)
        log = text[:entry].rstrip() if is_cut else text
        call: Call | None = None
        # Where a call may be missing, one that was left behind was a thought.
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
            assert call_at is not None, "it is where the call stands"
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
        """Read the call that a state has between two offsets into *text*; it may need none."""
        start, end = trimmed(text, start, stop)
        call = self._machine.new_call().read(text[start:end], start)
        if stop < len(text):
            call.lacks = ""  # what follows the turn closes it
        if self._may_lack_call and not self._machine.ends_turn(call, None):
            return None
        if problem := self._machine.call_problem(call, "unknown", tools):
            raise BadPayload(problem, call_span(problem, call, stop))
        return call

    def _name_at(self, text: str, place: _Place) -> tuple[str, Span]:
        """Return what stands at a *place* for the name of a tool, and where it begins and ends."""
        start, stop = trimmed(text, place[0] - 1, place[1] - 1)
        return self._unmarked(text[start:stop], text, place), (start, stop)

    def _unmarked(self, written: str, text: str, place: _Place) -> str:
        """Return what is *written* at a *place* without emphasis that its label begins."""
        if not self._machine.lenient or written[-1:] not in _MARKS:
            return written
        return unmarked(written, text[max(place[2] - 1, 0) : place[0] - 1])

    def _is_void(self, text: str, tool_at: _Place | None, tools: ToolSet | None) -> bool:
        """Tell whether the action beside an answer says that it is none."""
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
    """Return what reads whole turns of *dialect* in *mode*; it is made once."""
    return WholeReader(machine(dialect, mode, on_conflict), advice)


def _is_line(name: str) -> bool:
    """Tell whether *name* is one that no check refuses."""
    return bool(name) and name.isprintable()


def _is_unknown(_name: str) -> bool:
    """Tell that a dialect which reads names in its own way has to be asked."""
    return False


_PLAIN_TOOLS: Final[Mapping[object, Callable[[str], bool]]] = {
    None: _is_line,
    repair_tool_name: is_bare_name,
}
"""What tells of a name that it is read as it is written, by what reads it."""
