"""A table's states, with the patterns that find their markers and where each marker leads."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from re import Match, Pattern
from typing import Final, TypeAlias

from agent_parsers.engine._dialect import Cut, Go, Note, Role, Table
from agent_parsers.engine._events import (
    AnswerDelta,
    Delta,
    InputDelta,
    ObservationDelta,
    QuestionDelta,
    SkippedDelta,
    ThoughtDelta,
)
from agent_parsers.engine._markers import Label, Marker, Patterns

__all__ = ["Crossing", "State", "build_states"]

Search: TypeAlias = Callable[[str, int], Match[str] | None]

_DELTAS: Final[Mapping[Role, type[Delta]]] = {
    Role.QUESTION: QuestionDelta,
    Role.THOUGHT: ThoughtDelta,
    Role.INPUT: InputDelta,
    Role.ANSWER: AnswerDelta,
    Role.OBSERVATION: ObservationDelta,
    Role.SKIPPED: SkippedDelta,
}
"""What text is told as at once. The name of a tool waits until it is whole."""
_KEPT: Final = {Role.TOOL, Role.INPUT, Role.ANSWER}
"""What is put together for the result."""


class State:
    """A state of the table, with the patterns that find its markers and where each one leads."""

    __slots__ = (
        "crossings", "delta", "growing", "is_cut", "is_kept", "keeps_end", "leads", "problem",
        "role", "skim", "whole",
    )  # fmt: skip

    def __init__(
        self, role: Role, *, problem: str = "", keeps_end: bool = False, is_cut: bool = False
    ) -> None:
        self.role = role
        self.delta = _DELTAS.get(role)  # what its text is told as at once
        self.is_kept = role in _KEPT  # whether the result needs its text
        self.problem = problem  # of a text that ends here
        self.keeps_end = keeps_end
        self.is_cut = is_cut  # the turn ended before
        # What finds a marker, and what it does, by group of the match; there is no group 0.
        self.whole: Search = _no_marker
        self.growing: Search = _no_marker
        self.crossings: tuple[Crossing, ...] = ()
        # The same, but for markers that make no difference to the result.
        self.skim: Search = _no_marker
        self.leads: tuple[Crossing, ...] = ()

    def arm(self, crossings: Mapping[str, Crossing], markers: Mapping[str, Marker]) -> None:
        """Say which markers do what here. Their patterns are compiled when first needed."""
        patterns = Patterns({name: markers[name] for name in crossings})
        self.crossings = _by_group(patterns, crossings)
        self.whole = self._lazy("whole", lambda: patterns.whole)
        self.growing = self._lazy("growing", lambda: patterns.growing)
        leads = {
            name: crossing
            for name, crossing in crossings.items()
            if crossing.to is not self or self.is_kept
        }
        if leads:
            few = patterns if leads == crossings else Patterns({n: markers[n] for n in leads})
            self.leads = _by_group(few, leads)
            self.skim = self._lazy("skim", lambda: few.whole)

    def _lazy(self, name: str, pattern: Callable[[], Pattern[str]]) -> Search:
        def search(text: str, start: int) -> Match[str] | None:
            found: Search = pattern().search
            setattr(self, name, found)
            return found(text, start)

        return search


def _by_group(patterns: Patterns, crossings: Mapping[str, Crossing]) -> tuple[Crossing, ...]:
    found = [crossings[name] for name in patterns.names]
    return (found[0], *found)


def _no_marker(_text: str, _start: int) -> None:
    """Search in a state that no marker ends."""


@dataclass(frozen=True, slots=True)
class Crossing:
    """What a marker does in a state."""

    marker: str
    to: State
    is_note: bool
    is_canonical: Callable[[str], bool]


def build_states(table: Table, *, is_transcript: bool) -> dict[str, State]:
    """Return the states of *table* by name, as a transcript or a single turn needs them."""
    states = {
        name: State(
            role,
            problem=table.ends.get(name, ""),
            keeps_end=role is Role.INPUT and table.keeps_input_end,
        )
        for name, role in table.roles.items()
    }
    for name, state in states.items():
        crossings = {}
        markers = {}
        for (source, marker), move in table.moves.items():
            if source != name:
                continue
            to = states[move.to]
            if not is_transcript and isinstance(move, Cut):
                to = State(Role.SKIPPED, is_cut=True)
            elif not is_transcript and isinstance(move, Go) and move.clash:
                to = State(Role.SKIPPED, problem=move.clash)
            spelt = table.markers[marker]
            if move.firm and isinstance(spelt, Label):
                spelt = replace(spelt, firm=True)
            markers[marker] = spelt
            crossings[marker] = Crossing(marker, to, isinstance(move, Note), spelt.is_canonical)
        if crossings:
            state.arm(crossings, markers)
    return states
