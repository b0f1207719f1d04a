"""A dialect's table made ready to run: its states, where a text begins, and its rules."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.kinds import Inline
from agent_parsers.engine.reading.rules import TurnRules
from agent_parsers.engine.reading.states import OPENED, build_states

if TYPE_CHECKING:
    from collections.abc import Container, Iterable

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode, OnConflict
    from agent_parsers.engine.reading.states import Crossing, State

__all__ = ["MAX_CHARS", "Machine", "machine"]

MAX_CHARS: Final = 10_000_000
"""Longest turn that is read unless the caller says otherwise, in characters."""


class Machine(TurnRules):
    """One dialect, ready to read in one mode; `machine` has it.

    Args:
        dialect: What to read.
        mode: ``"strict"`` and ``"lenient"`` read one turn, ``"transcript"`` a whole run.
        on_conflict: What counts in a lenient turn that has an action and an answer.
    """

    def __init__(self, dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> None:
        super().__init__(dialect, mode, on_conflict)
        table = self.table
        self.mode = mode
        self.half_stops = () if self.is_transcript or not self.lenient else _halves(dialect.stop)
        reasoning = () if table.several else dialect.reasoning  # which the table knows
        states = build_states(
            table, reasoning, is_transcript=self.is_transcript, on_conflict=on_conflict
        )
        for state in states.values():  # what a stop sequence takes need not be there
            closers = {each.marker.canonical for each in state.crossings if each.closes}
            state.needs_closer = state.needs_closer and closers.isdisjoint(dialect.stop)
        self.initial = states[table.transcript_start if self.is_transcript else table.initial]
        self._starts = {start: states[name] for start, name in table.starts.items()}
        self._prompt_ends = {end: states[name] for end, name in table.prompt_ends.items()}
        if opened := states.get(OPENED):
            self._starts |= {"content": self.initial, "thought": opened}
            for opens, closes in dialect.reasoning:
                self._prompt_ends |= {opens: opened, closes: self.initial}

    def start(self, name: str, prompt: str = "") -> State:
        """Return the state in which a text begins.

        Args:
            name: How it begins, by the caller's word; empty if that is for the prompt to say.
            prompt: What it continues; empty if the caller does not say.

        Raises:
            ValueError: The dialect knows no such beginning, or both are given.
        """
        if name and prompt:
            raise ValueError("start= and prompt= say the same; give one of them")
        if name:
            if name not in self._starts:
                known = " and ".join(map(repr, self._starts)) or "none"
                mode = self.mode
                raise ValueError(f"{self.dialect.name} ({mode}) has no start {name!r}, but {known}")
            return self._starts[name]
        end = prompt.rstrip()
        found = (state for mark, state in self._prompt_ends.items() if end.endswith(mark))
        return next(found, self.initial)

    def begins_behind_thought(self, name: str, prompt: str = "") -> bool:
        """Tell whether the caller says that no thought is open where a text begins; see `start`."""
        is_said = bool(name) or prompt.rstrip().endswith(tuple(self._prompt_ends))
        return is_said and self.start(name, prompt).part is not Part.THOUGHT

    def names_tool(
        self, crossing: Crossing, text: str, at: int, tools: Container[str] | None
    ) -> bool:
        """Tell whether a marker that ends at *at* names one of the *tools*, on the same line."""
        marker = crossing.marker
        return isinstance(marker, Inline) and marker.names_one_of(tools, text, at)


@cache
def machine(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> Machine:
    """Return what reads *dialect* in *mode*; it is made once."""
    return Machine(dialect, mode, on_conflict)


def _halves(stop: Iterable[str]) -> tuple[str, ...]:
    """Return what a stop sequence leaves at the end of a text when it comes in two tokens.

    A line of three letters or more; less may well be the last line of an input.
    """
    whole = (text for text in stop if text.startswith("\n"))
    return tuple(text[:size] for text in whole for size in range(4, len(text)))
