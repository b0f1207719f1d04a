"""Reads turns with one action that are spelt as their dialect writes them."""

from __future__ import annotations

from itertools import accumulate, pairwise
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from agent_parsers.actions.agent import AgentFinish, make_action, make_finish
from agent_parsers.engine.reading.canonical.leads import SAID, leads_of, reachable, spells_words
from agent_parsers.engine.reading.canonical.marks import Marks
from agent_parsers.engine.reading.canonical.short_steps import short_steps
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.quoting.spans import trimmed
from agent_parsers.engine.reading.rules.foreign import may_be_foreign
from agent_parsers.engine.reading.rules.known_tools import known_tools, names_of
from agent_parsers.engine.reading.turn import PlainTurn, content_of, thought_of
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import Repair

if TYPE_CHECKING:
    from collections.abc import Callable, Collection

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet

_LABELLED: Final = {Part.INPUT, Part.ANSWER}
"""The parts behind the last label of a turn without a call."""
_Result: TypeAlias = "AgentAction | AgentFinish | None"
_Read: TypeAlias = "Callable[[_Turn, ToolSet | Collection[str] | None, list[Repair]], _Result]"
"""Returns the result of a turn, given the tools or their names, and collects repairs."""
_MOST_PATHS: Final = 256
_LONGEST_PATH: Final = 12
"""How many sequences of markers are remembered, and of how many markers."""


class _Path(NamedTuple):
    """The way that the markers of a turn lead."""

    states: tuple[State, ...]
    """The states, of which the first is the initial one."""
    marks: tuple[int, ...]
    """Which pieces of the turn are the markers that lead to the others."""
    before_call: tuple[int, ...]
    """Which of the states must not hold a call."""
    result: _Read


class PlainStep(NamedTuple):
    """A turn with an action or an answer, both written behind labels."""

    thought: str
    thought_span: Span | None
    result: AgentAction | AgentFinish
    span: Span
    """The span of the tool and its input, or of the answer."""


class _Turn(NamedTuple):
    """A turn, taken apart."""

    path: _Path
    text: str
    pieces: list[str]
    """What it was split into, with a line break before it."""
    texts: list[str]
    """The texts of the states."""
    label: str
    """The last marker; empty if there is none."""


def step_reader(machine: Machine, is_plain: Callable[[str], bool]) -> StepReader | None:
    """Return the reader of a machine's plain turns; `None` if its labels look like dress.

    The arguments are those of `StepReader`.
    """
    states = reachable(machine.initial)
    markers = (crossing.marker for state in states for crossing in state.crossings)
    return StepReader(machine, is_plain) if spells_words(markers) else None


class StepReader:
    """Reads turns with one action in the spelling of their dialect; all others need a stream.

    It finds all markers in one scan and follows those that count in each state.

    Args:
        machine: The machine of the dialect.
        is_plain: Returns whether a name of a tool is read as it is written.
    """

    def __init__(self, machine: Machine, is_plain: Callable[[str], bool]) -> None:
        self._machine = machine
        self._lenient = machine.lenient
        self._is_plain = is_plain
        self.short = short_steps(machine, is_plain)
        self._keeps_input_end = machine.table.keeps_input_end
        self._keeps_answer_space = machine.table.keeps_answer_space
        self._may_lack_call = bool(machine.table.begun)
        states = reachable(machine.initial)
        self._marks = Marks(
            (crossing.marker for state in states for crossing in state.crossings),
            lenient=machine.lenient,
        )
        self._leads = {state: leads_of(state, self._marks.keys) for state in states}
        self._paths: dict[tuple[str, ...], _Path | None] = {}

    def split(self, text: str) -> list[str]:
        """Return a turn in pieces, as `Marks.split` does, with a line break before it."""
        return self._marks.split(f"\n{text}")  # a label may begin the text

    def lead(self, marks: tuple[str, ...]) -> State | None:
        """Return the state of an action or answer to which *marks* lead, all of which count.

        It is `None` if one of them does not, or if they lead to a call.
        """
        path = self._path(marks)
        if path is None or len(path.marks) < len(marks) or path.before_call:
            return None
        last = path.states[-1]
        return None if last.part is Part.CALL or last.is_open_answer else last

    def result(self, text: str, tools: ToolSet | Collection[str] | None) -> _Result:
        """Return the result of a turn; `None` if only a stream can read it.

        Args:
            text: The whole turn.
            tools: The available tools, or only their names.
        """
        if self.short is not None and (step := self.short.read(text, tools, [])) is not None:
            _, tool, value = step
            return make_action(tool, value, text) if tool else make_finish(value, text)
        turn = self._find(text)
        if turn is None:
            return None
        try:
            return turn.path.result(turn, tools, [])
        except BadPayload:
            return None  # a stream knows where it is

    def read(self, text: str, tools: ToolSet | Collection[str] | None) -> PlainTurn | None:
        """Return what is in a turn without repairs; arguments and `None`: as for `result`."""
        repairs: list[Repair] = []
        if self.short is not None and (step := self.short.read(text, tools, repairs)) is not None:
            if repairs:
                return None
            found, tool, value = step
            thought = self.short.thought(text, found)
            if tool:
                return PlainTurn([(tool, value, None)], thought, "")
            return PlainTurn([], thought, self.short.content(found), value)
        return self.read_long(text, tools)

    def read_repaired(
        self, text: str, tools: ToolSet | Collection[str] | None
    ) -> tuple[PlainTurn, list[Repair]] | None:
        """Return what is in a short turn whose input is repaired, and the repairs; see `read`."""
        repairs: list[Repair] = []
        if self.short is None or (step := self.short.read(text, tools, repairs)) is None:
            return None
        found, tool, value = step
        known = known_tools(tools)
        if not (tool and repairs) or (known is not None and known.checks(tool)):
            return None
        written = found["input"]
        start = found.end("input") - len(written.lstrip())
        turn = PlainTurn([(tool, value, None)], self.short.thought(text, found), "")
        return turn, [repair.moved(start) for repair in repairs]

    def read_long(self, text: str, tools: ToolSet | Collection[str] | None) -> PlainTurn | None:
        """Return what `read` does for a turn that is not read by `short`."""
        if (plain := self._without_repairs(text, tools)) is None:
            return None
        turn, result = plain
        *before, last = turn.path.states
        if last.is_open_answer:
            return None
        if last.part is Part.INPUT:
            before.pop()  # the tool
        thoughts = [each.strip() for each in turn.texts[: len(before)]]
        content = ""
        if last.part is Part.ANSWER:
            content = turn.texts[-1]
            if not self._keeps_answer_space:
                content = content.strip()
        elif last.part is Part.CALL:
            said = self._said_around_call(turn)
            if said is None:
                return None
            thoughts.append(said[0])
            content = said[1]
        thought = "\n".join(filter(None, thoughts))
        if isinstance(result, AgentFinish):
            return PlainTurn([], thought, content, result.output)
        return PlainTurn([(result.tool, result.tool_input, None)], thought, content)

    @staticmethod
    def result_of(turn: PlainTurn, text: str) -> AgentAction | AgentFinish:
        """Return the result of a *turn* with this *text*."""
        if not turn.calls:
            return make_finish(turn.answer, text)
        ((tool, tool_input, _),) = turn.calls
        return make_action(tool, tool_input, text)

    def step(self, text: str, tools: ToolSet | None) -> PlainStep | None:
        """Return a turn with the places of its parts; `None` if a stream has to read it."""
        found = self._without_repairs(text, tools)
        if found is None or self._keeps_input_end or self._keeps_answer_space:
            return None
        turn, result = found
        *before, last = turn.path.states
        if last.part not in _LABELLED or last.is_open_answer:
            return None
        lengths = [*accumulate(map(len, turn.pieces), initial=-1)]
        starts = (0, *(lengths[mark + 1] for mark in turn.path.marks))
        spans = [
            trimmed(text, start, start + len(each))
            for start, each in zip(starts, turn.texts, strict=True)
        ]
        begin, end = spans[-1]
        if last.part is Part.INPUT:
            before.pop()  # the tool
            begin = spans[-2][0]
        thoughts = [span for span in spans[: len(before)] if span[0] < span[1]]
        if spans[-1][0] == end:
            return None
        thought = "\n".join(text[slice(*span)] for span in thoughts)
        thought_span = (thoughts[0][0], thoughts[-1][1]) if thoughts else None
        return PlainStep(thought, thought_span, result, (begin, end))

    def _without_repairs(
        self, text: str, tools: ToolSet | Collection[str] | None
    ) -> tuple[_Turn, AgentAction | AgentFinish] | None:
        """Return a turn, taken apart, and its result; `None` if it is repaired, or for a stream."""
        turn = self._find(text)
        if turn is None:
            return None
        repairs: list[Repair] = []
        try:
            result = turn.path.result(turn, tools, repairs)
        except BadPayload:
            return None
        return None if result is None or repairs else (turn, result)

    def _find(self, text: str) -> _Turn | None:
        """Return a turn, taken apart; `None` if only a stream knows its parts."""
        if self._lenient and closes_quotation(text):
            return None
        pieces = self.split(text)
        marks = tuple(pieces[1::2])
        try:
            path = self._paths[marks]
        except KeyError:
            path = self._path(marks)
        if path is None:
            return None
        states, counted, before_call, _ = path
        if len(marks) == len(counted):
            texts = pieces[::2]
        else:  # some markers are text
            edges = (-1, *counted, len(pieces))
            texts = ["".join(pieces[a + 1 : b]) for a, b in pairwise(edges)]
        texts[0] = texts[0][1:]
        for number in before_call:
            if states[number].opener in texts[number]:
                return None  # the call may have begun
        last = states[-1]
        if last.can_be_cut and f"\n{text}".endswith(self._machine.half_stops):
            return None
        return _Turn(path, text, pieces, texts, pieces[counted[-1]] if counted else "")

    def _path(self, marks: tuple[str, ...]) -> _Path | None:
        """Return the path of a turn with these *marks*; `None` if only a stream knows it."""
        path = self._new_path(marks)
        if len(marks) <= _LONGEST_PATH:
            if len(self._paths) >= _MOST_PATHS:  # numbered labels are always new
                self._paths.clear()
            self._paths[marks] = path
        return path

    def _new_path(self, marks: tuple[str, ...]) -> _Path | None:
        state = self._machine.initial
        states = [state]
        counted: list[int] = []
        before_call: list[int] = []
        for number, spelt in enumerate(marks):
            leads = self._leads[state]
            key = self._marks.key(spelt)
            if key not in leads:
                continue  # text
            crossing = leads[key]
            if crossing is None:
                return None
            if crossing.guards:
                before_call.append(len(counted))
            state = crossing.to
            if crossing.is_note:
                states[-1] = state
            else:
                counted.append(2 * number + 1)
                states.append(state)
        if (read := self._reader(states)) is None:
            return None
        return _Path(tuple(states), tuple(counted), tuple(before_call), read)

    def _reader(self, states: list[State]) -> _Read | None:
        """Return what reads the result of a turn through these *states*; `None` if it is odd."""
        *before, last = states
        read: _Read | None = None
        if last.part is Part.CALL:
            read = self._call
        elif last.part is Part.ANSWER:
            read = self._answer
        elif last.part is Part.INPUT and before[-1].part is Part.TOOL:
            read = self._action
            del before[-1]
        # The part that counts may be an earlier one, unless all of them are thoughts.
        is_plain = SAID.issuperset(state.part for state in before)
        is_whole = not last.needs_closer and (last.part is Part.CALL or not last.problem)
        return read if is_plain and is_whole else None

    def _action(
        self, turn: _Turn, tools: ToolSet | Collection[str] | None, repairs: list[Repair]
    ) -> _Result:
        """Return the action of a turn with a tool and an input."""
        *_, tool, written = turn.texts
        tool = tool.strip()
        if not (self._is_plain(tool) if tools is None else tool in tools):
            return None
        written = written.lstrip() if self._keeps_input_end else written.strip()
        machine = self._machine
        value = machine.read_input(written, repairs)
        known = known_tools(tools)
        if known is not None and known.checks(tool):
            value = machine.taken(tool, value, (0, 0), known, repairs)
        return make_action(tool, value, turn.text)

    def _answer(
        self, turn: _Turn, tools: ToolSet | Collection[str] | None, repairs: list[Repair]
    ) -> _Result:
        """Return the answer of a turn."""
        written = turn.texts[-1]
        if not self._keeps_answer_space:
            written = written.strip()
        if not written and (not self._keeps_answer_space or turn.path.states[-1].is_open_answer):
            return None
        if self._lenient and may_be_foreign(written, names_of(tools)):
            return None
        answer = self._machine.read_answer(written, repairs)
        is_kept = self._machine.keeps_answer(answer, tools)
        return make_finish(answer, turn.text) if is_kept else None

    def _call(
        self, turn: _Turn, tools: ToolSet | Collection[str] | None, repairs: list[Repair]
    ) -> _Result:
        """Return the result of a turn that ends with a call."""
        machine, state, text = self._machine, turn.path.states[-1], turn.text
        start = len(text) - len(turn.texts[-1])
        first, last = trimmed(text, start, len(text))
        new_call = state.new_call or machine.new_call
        call = new_call().read(text[first:last], first)
        known = known_tools(tools)
        if call.is_text and self._lenient and may_be_foreign(text[first:last], names_of(tools)):
            return None
        if self._may_lack_call and not machine.ends_turn(call, None):
            return None
        if machine.call_problem(call, "unknown", known) or (state.begun or state).problem:
            return None
        if call.is_text and state.problem:
            return None
        label = trimmed(text, max(start - len(turn.label), 0), start)
        call = machine.call_meant(call, text, 0, label, new_call, repairs)
        return machine.call_result(call, text, known, repairs)

    def _said_around_call(self, turn: _Turn) -> tuple[str, str] | None:
        """Return the thought and the content beside a call; `None` if the call is repaired."""
        state, text = turn.path.states[-1], turn.text
        first, last = trimmed(text, len(text) - len(turn.texts[-1]), len(text))
        new_call = state.new_call or self._machine.new_call
        call = new_call().read(text[first:last], first)
        if (whole := call.whole) is not None and call.is_plain and not call.is_answer:
            before, opener = text[: whole[0]], text[whole[0]]
            if "`" not in before and (opener == "`" or not self._lenient):
                return before[first:].strip(), ""
        reader = new_call()
        events = reader.feed(text[first:last], first) if first < last else []
        more, call = reader.close()
        events += more
        if call.after or call.repairs or any(isinstance(event, Repair) for event in events):
            return None
        return thought_of(events), content_of(events)
