"""Reads steps that a `StepReader` leaves, where it is still certain what a stream would say.

A step whose labels are dressed (``**Action:**``, ``## Action:``, ``action:``) is written again with
the labels of its dialect. A turn that ends in a thought, or in the name of a tool, is refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.markers.kinds import Label, label_words
from agent_parsers.engine.reading.canonical.leads import only_leads
from agent_parsers.engine.reading.canonical.marks import key_of
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.quoting.spans import end_span, trimmed
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.table import Part

if TYPE_CHECKING:
    from agent_parsers.engine.reading.canonical.steps import StepReader
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

_MOST, _LONGEST = 64, 12
"""How many sequences of markers are remembered, and of how many markers."""


class OddSteps:
    """Reads such steps with the results, and the errors, of a stream of one chunk.

    Args:
        machine: The machine of the dialect.
        steps: Reads the steps that are spelt as the dialect writes them.
        advise: Writes the observations of errors.
    """

    def __init__(self, machine: Machine, steps: StepReader, advise: Advise | None) -> None:
        self._machine, self._steps, self._advise = machine, steps, advise
        self._end = lru_cache(_MOST)(partial(_end, machine.initial))
        self._are_marks = lru_cache(_MOST)(steps.leads)

    def result(
        self, text: str, tools: ToolSet | Collection[str] | None, ended: Ended
    ) -> AgentAction | AgentFinish | None:
        """Return the result of a step; `None` if only a stream knows it.

        Args:
            text: The whole step.
            tools: The available tools, or only their names.
            ended: How the text ended, if known.

        Raises:
            OutputParserException: The turn ends in a thought, or an input is missing.
        """
        pieces = self._steps.split(text)
        marks = tuple(pieces[1::2])
        if len(marks) > _LONGEST:
            return None
        end = self._end(marks)
        if end is not None:
            self._refuse(text, end, pieces, known_tools(tools), ended)
        elif marks and self._machine.lenient and ended != "length":
            return self._respelt(text, tools)
        return None

    # -- refusals ----------------------------------------------------------------------------------

    def _refuse(
        self, text: str, end: State, pieces: list[str], tools: ToolSet | None, ended: Ended
    ) -> None:
        """Refuse a turn with these *pieces*, which ends in the state *end*, if that is certain.

        Raises:
            OutputParserException: It is.
        """
        machine = self._machine
        if end.can_be_cut and f"\n{text}".endswith(machine.half_stops):
            return
        if len(pieces) > 1 and machine.lenient and closes_quotation(text):
            return
        named, bad = "", None
        if end.part is Part.TOOL:
            span = trimmed(text, len(text) - len(pieces[-1]), len(text))
            try:
                head = machine.read_head(text[slice(*span)], span, tools, [])
                named = head.tool if machine.is_name(head) else ""
                if not end.problem:
                    machine.bare_input(head, span, tools, [], is_whole=False, ended=ended)
                    return
            except BadPayload as found:
                bad = found
        if end.problem or bad is None:
            problem = end.problem or "no_action_or_answer"
            entry = len(text) - sum(map(len, pieces[-2:])) if len(pieces) > 1 else -1
            bad = BadPayload(problem, end_span(problem, text, entry))
        raise machine.error(bad, text, tools, self._advise, named)

    # -- labels ------------------------------------------------------------------------------------

    @cached_property
    def _labels(self) -> dict[str, str]:
        """By their words in lower case, how the dialect writes the labels that may be dressed."""
        found: dict[str, str] = {}
        odd: set[str] = set()
        for crossing in _plain_crossings(self._machine.initial):
            label = crossing.marker
            if not isinstance(label, Label) or label.anywhere:
                continue  # it does not begin a line
            for words in label_words(label):
                key = words.lower()
                is_alike = found.setdefault(key, label.canonical) == label.canonical
                if not (is_alike and label.loose and not label.firm and key_of(label)):
                    odd.add(key)
        return {key: text for key, text in found.items() if key not in odd}

    @cached_property
    def _dressed(self) -> re.Pattern[str]:
        """Finds the dressed labels at the beginnings of lines."""
        words = "|".join(map(re.escape, sorted(self._labels, key=len, reverse=True)))
        return re.compile(
            rf"^(?:\*\*({words}):\*\*|(?:#{{1,6}} )?({words}):)", re.MULTILINE | re.IGNORECASE
        )

    def _respelt(
        self, text: str, tools: ToolSet | Collection[str] | None
    ) -> AgentAction | AgentFinish | None:
        """Return the result of a step with dressed labels; `None` if only a stream knows it."""
        labels = self._labels
        if not labels:
            return None
        respelt = self._dressed.sub(lambda it: labels[(it[1] or it[2]).lower()], text)
        if respelt == text:
            return None
        if not self._are_marks(tuple(self._steps.split(respelt)[1::2])):
            return None
        result = self._steps.result(respelt, tools)
        if result is None:
            return None
        if isinstance(result, AgentFinish):
            return make_finish(result.return_values["output"], text)
        return make_action(result.tool, result.tool_input, text)


def _end(initial: State, marks: tuple[str, ...]) -> State | None:
    """Return where a turn with these *marks* ends: in a thought or a name, or else `None`."""
    state = initial
    for spelt in marks:
        crossings = [each for each in state.crossings if key_of(each.marker) == spelt]
        if state.part is not Part.THOUGHT or len(crossings) != 1 or not _is_plain(crossings[0]):
            return None
        state = crossings[0].to
    is_odd = state.begun is not None or state.problem == "action_and_answer"
    return None if is_odd or state.part not in (Part.THOUGHT, Part.TOOL) else state


def _is_plain(crossing: Crossing) -> bool:
    """Return whether a marker does nothing but lead to another state, wherever it stands."""
    return only_leads(crossing, frozenset()) and not (crossing.is_note or crossing.closes)


def _plain_crossings(initial: State) -> Iterator[Crossing]:
    """Yield the plain crossings of all states to which they lead."""
    states = [initial]
    for state in states:
        for crossing in filter(_is_plain, state.crossings):
            yield crossing
            if crossing.to not in states:
                states.append(crossing.to)
