"""Reads steps that a `StepReader` leaves, where it is still certain what a stream would say.

A step whose labels are dressed (``**Action:**``, ``## Action:``, ``action:``) is written again with
the labels of its dialect. What follows the turn, such as an invented observation, is left out. The
repairs of an input get their places. A turn that ends in a thought, or in the name of a tool, is
refused.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from functools import cached_property, lru_cache, partial
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias, TypeVar

from agent_parsers.actions.agent import AgentAction, AgentFinish, make_action, make_finish
from agent_parsers.engine.markers.kinds import Label, Literal, label_words
from agent_parsers.engine.reading.canonical.leads import only_leads
from agent_parsers.engine.reading.canonical.marks import key_of
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.quoting.spans import end_span, trimmed
from agent_parsers.engine.reading.quoting.watch import QuoteWatch
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.guards import dressed_alike, outside_of_quotations
from agent_parsers.engine.tables.table import Part
from agent_parsers.events import Repair

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.reading.canonical.steps import StepReader
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.engine.reading.turn import PlainTurn
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

_T = TypeVar("_T")
_Read: TypeAlias = "Callable[[str, ToolSet | Collection[str] | None], _T | None]"
_QUOTES: Final = "\"'`"
_MOST, _LONGEST = 64, 12
"""How many sequences of markers are remembered, and of how many markers."""


class OddTurn(NamedTuple):
    """What is in a turn that is not quite spelt as its dialect writes it."""

    turn: PlainTurn
    log: str
    """The text of the turn, without what follows it."""
    repairs: tuple[Repair, ...]


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
        self._lead = lru_cache(_MOST)(steps.lead)
        self._is_ended = lru_cache(_MOST)(_is_ended)

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
        read: _Read[AgentAction | AgentFinish] = self._steps.result
        found: tuple[AgentAction | AgentFinish, str, tuple[Repair, ...]] | None
        if (found := self._odd(text, tools, ended, read)) is None:
            return None
        result, log, _ = found
        if isinstance(result, AgentFinish):
            return make_finish(result.return_values["output"], log)
        return make_action(result.tool, result.tool_input, log)

    def read(self, text: str, tools: ToolSet | Collection[str] | None) -> OddTurn | None:
        """Return what is in a step; all else as for `result`."""
        if (repaired := self._steps.read_repaired(text, tools)) is not None:
            turn, repairs = repaired
            return OddTurn(turn, text, (*repairs,))
        found = self._odd(text, tools, "unknown", self._steps.read)
        return None if found is None else OddTurn(*found)

    def _odd(
        self,
        text: str,
        tools: ToolSet | Collection[str] | None,
        ended: Ended,
        read: _Read[_T],
    ) -> tuple[_T, str, tuple[Repair, ...]] | None:
        """Return what *read* reads in a step, its log, and what was repaired for that.

        Arguments, `None` and exceptions: as for `result`.
        """
        pieces = self._steps.split(text)
        marks = tuple(pieces[1::2])
        ends = self._ends if ended != "length" else ()
        end = next((n for n, mark in enumerate(marks) if mark in ends), len(marks))
        if end > _LONGEST:
            return None
        if end < len(marks):
            return self._before(text, pieces, end, tools, read)
        state = self._end(marks)
        if state is not None:
            self._refuse(text, state, pieces, known_tools(tools), ended)
            return None
        if not (marks and self._machine.lenient) or ended == "length":
            return None
        repairs: list[Repair] = []
        respelt, state, _ = self._respelt(text, repairs)
        found = None if state is None else read(respelt, tools)
        return None if found is None else (found, text, (*repairs,))

    def _before(
        self,
        text: str,
        pieces: Sequence[str],
        end: int,
        tools: ToolSet | Collection[str] | None,
        read: _Read[_T],
    ) -> tuple[_T, str, tuple[Repair, ...]] | None:
        """Return what *read* reads before the mark with the number *end*, as `_odd` does."""
        mark, marks, last = pieces[2 * end + 1], tuple(pieces[1 : 2 * end : 2]), pieces[2 * end]
        label = mark.lstrip("\n")
        start = sum(map(len, pieces[: 2 * end + 2])) - 1 - len(label)
        stop = start + len(label)
        if label == mark and text[stop:].strip():
            return None  # a label before it may need what stands on the same line
        log = text[:start].rstrip()
        spelt = text[:start] if "#" in log else log  # only a heading needs the line break behind it
        repairs: list[Repair] = []
        state, found = self._lead(marks), read(spelt, tools)
        if found is None:
            spelt, state, last = self._respelt(spelt, repairs)
            found = None if state is None else read(spelt, tools)
        if found is None or state is None or not self._is_ended(state, mark):
            return None
        if any(map(last.__contains__, _QUOTES)):
            watch = QuoteWatch(fences_only=state.part is Part.ANSWER)
            watch.feed(last.strip())
            if watch.holds_marker():
                return None
        message = f"the turn ended at {label!r}; what follows is not part of it"
        repairs.append(Repair("invented", (start, stop), message))
        return found, log, (*repairs,)

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
    def _labels(self) -> dict[str, tuple[str, str]]:
        """The labels that may be dressed, as the dialect writes them, and their names.

        They stand by their words in lower case.
        """
        found: dict[str, tuple[str, str]] = {}
        odd: set[str] = set()
        for crossing in _plain_crossings(self._machine.initial):
            label = crossing.marker
            if not isinstance(label, Label) or label.anywhere:
                continue  # it does not begin a line
            for words in label_words(label):
                key = words.lower()
                spelt = label.canonical, crossing.name
                is_alike = found.setdefault(key, spelt) == spelt
                if not (is_alike and label.loose and not label.firm and key_of(label)):
                    odd.add(key)
        return {key: spelt for key, spelt in found.items() if key not in odd}

    @cached_property
    def _dressed(self) -> re.Pattern[str]:
        """Finds the dressed labels at the beginnings of lines."""
        words = "|".join(map(re.escape, sorted(self._labels, key=len, reverse=True)))
        return re.compile(
            rf"^(?:\*\*({words}):\*\*|(?:#{{1,6}} )?({words}):)", re.MULTILINE | re.IGNORECASE
        )

    def _respelt(self, text: str, repairs: list[Repair]) -> tuple[str, State | None, str]:
        """Return a step with the labels of its dialect, where they lead, and the text there.

        They lead nowhere if none is dressed, or if only a stream knows what they are.
        """
        labels = self._labels
        if not labels:
            return text, None, ""

        def respell(found: re.Match[str]) -> str:
            spelt, name = labels[(found[1] or found[2]).lower()]
            if found[0] != spelt:
                message = f"read {found[0]!r} as the label {name!r}"
                repairs.append(Repair("label", found.span(), message))
            return spelt

        respelt = self._dressed.sub(respell, text)
        if not repairs:
            return text, None, ""
        pieces = self._steps.split(respelt)
        return respelt, self._lead(tuple(pieces[1::2])), pieces[-1]

    # -- what follows a turn -----------------------------------------------------------------------

    @cached_property
    def _ends(self) -> list[str]:
        """The marks behind which nothing is read, wherever they stand; strict turns have none."""
        if not self._machine.lenient:
            return []
        states = [self._machine.initial]
        states += (crossing.to for crossing in _plain_crossings(self._machine.initial))
        crossings = [each for state in states for each in state.crossings]
        ends = dict.fromkeys(key_of(each.marker) for each in crossings if _is_end(each))
        for each in crossings:
            if each.to.part is not Part.SKIPPED or each.to.crossings:
                ends.pop(key_of(each.marker), None)
        return [*ends]


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


def _is_ended(state: State, mark: str) -> bool:
    """Return whether a mark ends the turn in a *state*."""
    here = [each for each in state.crossings if key_of(each.marker) == mark]
    return len(here) == 1 and _is_end(here[0])


def _is_end(crossing: Crossing) -> bool:
    """Return whether a marker outside of quotations ends an input or answer, and the turn."""
    marker, to = crossing.marker, crossing.to
    if not key_of(marker) or (isinstance(marker, Literal) and marker.variants):
        return False
    if crossing.is_note or crossing.closes or crossing.breaks_line or crossing.ends_thought:
        return False
    if crossing.drops or crossing.odd or crossing.late or to.problem or to.beside_action:
        return False
    return to.is_cut and not to.crossings and _OF_ENDS.issuperset(crossing.guards)


_OF_ENDS: Final = frozenset((dressed_alike, outside_of_quotations))
"""The guards that a label passes that is spelt as its dialect writes it, outside of quotations."""


def _plain_crossings(initial: State) -> Iterator[Crossing]:
    """Yield the plain crossings of all states to which they lead."""
    states = [initial]
    for state in states:
        for crossing in filter(_is_plain, state.crossings):
            yield crossing
            if crossing.to not in states:
                states.append(crossing.to)
