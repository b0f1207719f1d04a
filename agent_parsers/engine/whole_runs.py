"""Reads a run in one scan, if it is spelt as its dialect writes it; all others need a stream."""

from __future__ import annotations

import re
from collections.abc import Set as AbstractSet
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.reading.canonical.leads import leads_of, reachable, spells_words
from agent_parsers.engine.reading.canonical.marks import Marks
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.tables.guards import Guard, dressed_alike
from agent_parsers.engine.tables.table import Part
from agent_parsers.engine.writing.escape import unescape

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Repair, Span
    from agent_parsers.toolset.set import ToolSet

_BEGINS_STEP: Final = {Part.THOUGHT, Part.TOOL, Part.ANSWER}
_LETTERS: Final = {
    Part.QUESTION: "q", Part.THOUGHT: "t", Part.TOOL: "a", Part.INPUT: "i", Part.OBSERVATION: "o",
    Part.ANSWER: "f",
}  # fmt: skip
_IS_RUN: Final = re.compile("q(?:t*aio?)*t*f").fullmatch
"""Matches the parts of a run: a question, steps, and an answer."""
_OF_LABELS: Final[AbstractSet[Guard]] = {dressed_alike}
"""The guards that compare a label with the one before it."""
_MOST: Final = 1_000
_LONGEST: Final = 60
"""How many sequences of labels and names of tools are remembered, and of how many labels."""


class RunStep:
    """A step of a run, whose text begins at *start*."""

    __slots__ = (
        "action", "number", "observation", "observation_span", "span", "start", "thought",
        "thought_span", "tool",
    )  # fmt: skip

    def __init__(self, number: int, start: int) -> None:
        self.number, self.start = number, start
        self.thought, self.tool = "", ""
        self.thought_span: Span | None = None
        self.action: AgentAction | AgentFinish | None = None
        self.span: Span = (0, 0)
        self.observation: str | None = None
        self.observation_span: Span | None = None

    def think(self, text: str, span: Span) -> None:
        """Add a thought; another stands on a new line."""
        if not text:
            return
        self.thought = text if self.thought_span is None else f"{self.thought}\n{text}"
        self.thought_span = (self.thought_span or span)[0], span[1]

    def observe(self, text: str, span: Span | None) -> None:
        """Set what the tool returned."""
        self.observation, self.observation_span = text, span


class WholeRuns:
    """Reads the runs of a *dialect* that have a question, steps and an answer, and nothing odd.

    It gives what a stream gives, or nothing: if a label is spelt otherwise, or does not count where
    it stands, if a value has to be repaired, or if anything is missing.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        self._machine = machine(dialect, "transcript")
        self._reached = reachable(self._machine.initial, _OF_LABELS)
        crossings = [crossing for state in self._reached for crossing in state.crossings]
        markers = [crossing.marker for crossing in crossings]
        self._marks = Marks(markers, lenient=True)
        self._paths: dict[tuple[str, ...], tuple[State, ...] | None] = {}
        self._names: set[str] = set()
        is_known = spells_words(markers) and not self._machine.table.several
        questions = {
            crossing.marker.canonical
            for crossing in crossings
            if crossing.to.part is Part.QUESTION and isinstance(crossing.marker, Label)
        }
        self.questions: tuple[str, ...] = tuple(sorted(questions)) if is_known else ()
        """The labels of questions, with which such a run begins."""

    @cached_property
    def _leads(self) -> dict[State, dict[str, Crossing | None]]:
        keys = self._marks.keys
        return {state: leads_of(state, keys, _OF_LABELS) for state in self._reached}

    def read(self, text: str, tools: ToolSet | None) -> tuple[str, list[RunStep]] | None:
        """Return the question and the steps of the run in *text*, which begins with a question.

        `None` if a stream has to read it.
        """
        pieces = self._marks.split(f"\n{text}")  # a label may begin the text
        labels, texts = pieces[1::2], pieces[2::2]
        states = self._states(tuple(labels))
        if pieces[0] or states is None:
            return None
        steps: list[RunStep] = []
        at = -1
        for label, raw, state in zip(labels, texts, states, strict=True):
            start, begin = at, at + len(label)
            at = begin + len(raw)
            said = raw.strip()
            begin += len(raw) - len(raw.lstrip())
            span = begin, begin + len(said)
            part = state.part
            if part in _BEGINS_STEP and (not steps or steps[-1].action is not None):
                steps.append(RunStep(len(steps) + 1, start))
            if part is Part.QUESTION:
                question = said
            elif part is Part.THOUGHT:
                steps[-1].think(said, span)
            elif part is Part.OBSERVATION:
                steps[-1].observe(unescape(self._dialect, said), span if said else None)
            elif part is Part.TOOL:
                if not self._is_plain(said, span, tools):
                    return None
                steps[-1].tool, steps[-1].span = said, span
            else:
                step = steps[-1]
                log = text[max(step.start, 0) : at].strip()
                step.action = self._result(step, part, said, span, log, tools)
                if step.action is None:
                    return None
                step.span = (step.span if part is Part.INPUT else span)[0], span[1]
        return question, steps

    def _states(self, labels: tuple[str, ...]) -> tuple[State, ...] | None:
        """Return the states to which the *labels* of a run lead; `None` if a stream has to."""
        if len(labels) > _LONGEST:
            return self._new_states(labels)
        if labels not in self._paths:
            if len(self._paths) >= _MOST:  # numbered labels are always new
                self._paths.clear()
            self._paths[labels] = self._new_states(labels)
        return self._paths[labels]

    def _new_states(self, labels: tuple[str, ...]) -> tuple[State, ...] | None:
        state, before = self._machine.initial, ""
        found: list[State] = []
        for label in labels:
            crossing = self._leads[state].get(self._marks.key(label))
            if crossing is None or crossing.is_note or crossing.closes:
                return None
            marker = crossing.marker
            if not marker.is_canonical(label):
                return None
            if crossing.guards and not (isinstance(marker, Label) and marker.counts(label, before)):
                return None
            state, before = crossing.to, label
            is_odd = state.problem or state.begun or state.watches or state.needs_closer
            is_odd = is_odd or state.can_be_cut or state.is_open_answer
            if is_odd or state.is_verbatim or state.keeps_end:
                return None
            found.append(state)
        parts = "".join(_LETTERS.get(state.part, "?") for state in found)
        return tuple(found) if _IS_RUN(parts) else None

    def _is_plain(self, tool: str, span: Span, tools: ToolSet | None) -> bool:
        """Return whether the name of a *tool* is read as it is written."""
        if tools is None and tool in self._names:
            return True
        repairs: list[Repair] = []
        try:
            head = self._machine.read_head(tool, span, tools, repairs)
        except BadPayload:
            return False
        is_plain = head == ToolHead(tool) and not repairs and self._machine.is_name(head)
        if is_plain and tools is None and len(self._names) < _MOST:
            self._names.add(tool)
        return is_plain

    def _result(
        self, step: RunStep, part: Part, said: str, span: Span, log: str, tools: ToolSet | None
    ) -> AgentAction | AgentFinish | None:
        """Return the action or the answer that a *step* comes to; `None` if it is odd."""
        rules = self._machine
        repairs: list[Repair] = []
        if not said:
            return None
        try:
            if part is Part.INPUT:
                if closes_quotation(said):
                    return None
                head = ToolHead(step.tool)
                value = rules.input_value(head, step.span, said, span[0], tools, repairs, "stop")
                return None if repairs else make_action(step.tool, value, log)
            answer = rules.read_answer(said, repairs)
            rules.check_answer(answer, span, tools)
            finish = rules.finish(answer, log, span, tools, repairs)
        except BadPayload:
            return None
        return None if repairs else finish


@cache
def whole_runs(dialect: Dialect) -> WholeRuns:
    """Return the cached reader of whole runs of *dialect*."""
    return WholeRuns(dialect)
