"""A dialect compiled for reading: the states of its table, where a text begins, and its rules."""

from __future__ import annotations

from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.quoting.quotations import Surroundings
from agent_parsers.engine.reading.rules.calls import CallRules
from agent_parsers.engine.reading.rules.states import states_of
from agent_parsers.engine.tables.problems import SHARED_PROBLEMS
from agent_parsers.engine.tables.table import Go, Part

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.repairs.payloads import BadPayload
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.toolset import ToolSet
    from output_parsers import OutputParserException

Advise: TypeAlias = (
    "Callable[[Dialect, str, str, ToolSet | None, OutputParserException | None, str], str]"
)
"""Returns the observation of an error, given the dialect, what is wrong, the text at fault, the
tools, the error that the tools raised, if they did, and the tool that the model named before."""


class Machine(CallRules):
    """One dialect, compiled for one mode; call `machine` to get a cached one.

    In mode ``"transcript"`` it reads many turns, else one turn; for *on_conflict* see `InputRules`.
    """

    def __init__(self, dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> None:
        super().__init__(dialect, mode, on_conflict)
        table = self.table
        self.mode = mode
        reads_halves = self.lenient and not table.is_run
        self.half_stops: tuple[str, ...] = _halves(dialect.stop) if reads_halves else ()
        self.half_ends: tuple[str, ...] = ()
        if reads_halves:
            self.half_ends = (*self.half_stops, *_half_closers(table))
        states = states_of(table, dialect.stop)
        self.initial: State = states[table.initial]
        self._starts = {start: states[name] for start, name in table.starts.items()}
        self._prompt_ends = {end: states[name] for end, name in table.prompt_ends.items()}

    def start(self, name: str, prompt: str = "") -> State:
        """Return the state in which a text begins: the part *name*, or what *prompt* leads to.

        Raises:
            ValueError: The dialect has no start of this name, or both arguments are given.
        """
        if name and prompt:
            raise ValueError("start= and prompt= have the same purpose; pass only one of them")
        if name:
            if name not in self._starts:
                known = " and ".join(map(repr, self._starts)) or "none"
                mode = self.mode
                raise ValueError(
                    f"{self.dialect.name} has no start={name!r} in {mode} mode; allowed: {known}"
                )
            return self._starts[name]
        led = self._led_to(prompt) if prompt else None
        return led or self.initial

    def _led_to(self, text: str) -> State | None:
        """Return the state to which the mark at the end of *text* leads, if there is one."""
        end = text.rstrip()
        return next(
            (state for mark, state in self._prompt_ends.items() if end.endswith(mark)), None
        )

    def begins_behind_thought(self, name: str, prompt: str = "") -> bool:
        """Return whether *name* or *prompt* rules out that the text begins in a thought."""
        is_said = bool(name) or self._led_to(prompt) is not None
        return is_said and self.start(name, prompt).part is not Part.THOUGHT

    @cached_property
    def call_markers(self) -> frozenset[str]:
        """The names of the markers that open a call or a block of calls."""
        exact = self.dialect.strict  # lenient content may be a call, too
        return frozenset(
            marker
            for (state, marker), transition in exact.transitions.items()
            if transition.to in exact.regions
            or (exact.parts[transition.to] in _IN_CALL and exact.parts[state] not in _IN_CALL)
        )

    @property
    def marks_calls(self) -> bool:
        """Whether turns may have several calls, each of which begins with a marker."""
        table, bare = self.dialect.strict, self.dialect.strict.readers
        opened = (go.to for go in table.transitions.values() if go.to not in bare)
        is_bare = not self.table.several or table.initial in bare
        return not is_bare and any(table.parts[state] is Part.CALL for state in opened)

    def thought_mark(self, text: str) -> Literal["", "opens", "closes"]:
        """Return ``"opens"`` or ``"closes"`` if *text* ends with such a mark, else ``""``."""
        if (state := self._led_to(text)) is None:
            return ""
        # Behind the block, a turn of steps begins, in a thought that has no mark.
        is_open = state.part is Part.THOUGHT and state is not self.initial
        return "opens" if is_open else "closes"

    def may_quote(self, text: str) -> bool:
        """Return whether *text*, which precedes a call, may begin a quotation of the call."""
        hole = len(text), len(text) + 1
        return not Surroundings(f"{text}\x1c", [hole]).is_free(0)

    def check_each(self, start: str, prompt: str) -> None:
        """Check that each call can be emitted as soon as its block closes; see `start`.

        Raises:
            ValueError: A turn has one call, or nothing marks where a call begins, or it is not
                known whether the text begins in a thought.
        """
        if not self.marks_calls:
            why = "calls have no markers" if self.table.several else "turns have one call"
            raise ValueError(f"calls='each' does not work with {self.dialect.name}: its {why}")
        if not (start or prompt):
            raise ValueError(
                "calls='each' also needs start= or prompt=, which say where the text begins: if"
                " the prompt opened a thought, what looks like a call may be part of that thought"
            )

    def error(
        self,
        bad: BadPayload,
        text: str,
        tools: ToolSet | None,
        advise: Advise | None,
        named: str = "",
    ) -> OutputParserException:
        """Return the error for the problem *bad* in *text*, whose call has the tool *named*.

        *advise* writes the observation; without it, the observation of the problem is used.
        """
        written = text[slice(*bad.span)]
        if (error := bad.error) is not None:  # raised by the tools
            if advise is not None:
                error.observe_later(
                    lambda error: advise(self.dialect, "", written, tools, error, named)
                )
            error.llm_output, error.span = text, bad.span
            return error
        problem = self.dialect.problems.get(bad.problem) or SHARED_PROBLEMS.get(bad.problem)
        if problem is None:
            raise LookupError(
                f"dialect {self.dialect.name!r} does not define the problem {bad.problem!r}"
            )
        problem = problem.about(mark=bad.mark) if bad.mark else problem
        said = problem.told(named or self.dialect.prompt_words.any_tool, strict=self._is_strict)
        error = problem.error(text, bad.span, strict=self._is_strict, observation=said)
        if advise is not None and not self._is_strict:
            error.observe_later(lambda _: advise(self.dialect, said, written, tools, None, named))
        error.problem = bad.problem
        return error


@cache
def machine(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> Machine:
    """Return the cached machine that reads *dialect* in *mode*."""
    return Machine(dialect, mode, on_conflict)


_IN_CALL: Final = (Part.CALL, Part.TOOL, Part.INPUT)


def is_half(begun: str, text: str) -> bool:
    """Return whether *text* begins with *begun*, and *begun* is more than half of it."""
    return text.startswith(begun) and 2 * len(begun) > len(text)


def _half_closers(table: Table) -> Iterator[str]:
    """Yield the beginnings of the marks that make a thought of the text before them."""
    names = {
        name
        for (_, name), transition in table.transitions.items()
        if isinstance(transition, Go) and (transition.unopened or transition.breaks_line)
    }
    for text in {text.strip() for name in names for text in spelt_texts(table.markers[name])}:
        yield from (text[:size] for size in range(len(text) // 2 + 1, len(text)))


def _halves(stop: Iterable[str]) -> tuple[str, ...]:
    """Return the beginnings of stop sequences that may be left at the end of a text.

    They are left if a stop sequence consists of several tokens. Only lines of three letters or more
    are returned: a shorter one may well be the last line of an input.
    """
    whole = (text for text in stop if text.startswith("\n"))
    return tuple(text[:size] for text in whole for size in range(4, len(text)))
