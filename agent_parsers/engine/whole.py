"""Reads a whole text: in one scan if it is spelt as its dialect writes it, else as a stream."""

from __future__ import annotations

from functools import cache, lru_cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.engine.odd_steps import OddSteps
from agent_parsers.engine.reading.canonical.columns import TurnColumns
from agent_parsers.engine.reading.canonical.steps import step_reader
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.turn import events_of, read_turn, turn_before_events
from agent_parsers.engine.repairs.names import is_bare_name, repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.tables.modes import MAX_CHARS
from agent_parsers.engine.tables.problems import too_long
from agent_parsers.engine.writing.advice import advice

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping, Sequence

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.odd_calls import OddCalls
    from agent_parsers.engine.odd_steps import OddTurn
    from agent_parsers.engine.reading.canonical.steps import StepReader
    from agent_parsers.engine.reading.canonical.turn_reader import CanonicalReader
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict
    from agent_parsers.events import Repair
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

_MOST_NAMES: Final = 256
"""How many names of tools are remembered."""


class WholeReader:
    """Reads whole turns, with the results of a stream of one chunk.

    A turn that is spelt as its dialect writes it is read in one scan. Any other, or one that is
    wrong, is read by a `TurnStream`, which knows more and can report it.

    Args:
        machine: The dialect, compiled for one mode.
        advise: Writes the observations of errors.
    """

    def __init__(self, machine: Machine, advise: Advise | None = None) -> None:
        self._machine = machine
        self._advise = advise
        is_left = _LEAVES_PLAIN_NAMES.get(machine.table.read_tool) or partial(_is_left, machine)
        is_plain = lru_cache(_MOST_NAMES)(is_left)
        self._odd: OddSteps | OddCalls | None = None
        self._read_columns: _ReadColumns | None = None
        self.canonical: StepReader | CanonicalReader | None = None
        """What reads a turn in one scan, if anything does."""
        if not machine.table.several:
            self.canonical = steps = step_reader(machine, is_plain)
            if steps is not None:
                self._odd = OddSteps(machine, steps, advise)
                self._read_columns = partial(_step_columns, steps)
        elif machine.dialect.form is not None:
            # imported lazily: dialects with one action do not need it
            from agent_parsers.engine.odd_calls import odd_calls
            from agent_parsers.engine.reading.canonical.turn_reader import canonical_reader

            self.canonical = turns = canonical_reader(machine, is_plain)
            if turns is not None:
                self._odd = odd_calls(machine, turns)
                self._read_columns = partial(_turn_columns, turns)

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
        if self.canonical is not None and not (start or prompt):
            result: TurnResult | None = None
            if ended != "length":  # "stop" accepts whatever "unknown" accepts, and more
                result = self.canonical.result(text, tools)
            if result is None and self._odd is not None:
                result = self._odd.result(text, tools, ended)
            if result is not None:
                return result
        # imported lazily: few turns need it
        from agent_parsers.engine.reading.stream import TurnStream

        stream = TurnStream(
            self._machine, known_tools(tools), start=start, prompt=prompt, advise=self._advise
        )
        stream.read_whole(text, ended=ended)
        assert stream.result is not None, "a turn that is not refused has a result"
        return stream.result

    def read(
        self, text: str, tools: ToolSet | Collection[str] | None = None, *, repairs: bool = True
    ) -> Turn | None:
        """Read one whole turn; return `None` if only a stream can.

        Args:
            text: What the model wrote.
            tools: The available tools, or only their names; `None` accepts any tool.
            repairs: Whether turns are read that are repaired or refused.

        Raises:
            OutputParserException: As for `parse`.
        """
        if self.canonical is None:
            return None
        odd, turn = None, self.canonical.read(text, tools)
        if turn is None and repairs and (odd := self.read_odd(text, tools)) is not None:
            turn = odd.turn
        if turn is None:
            return None
        result = self.canonical.result_of(turn, text if odd is None else odd.log)
        read_events = partial(events_of, self._machine, text, tools)
        made = () if odd is None else odd.repairs
        return turn_before_events(result, turn.thought, turn.content, made, read_events)

    def read_odd(self, text: str, tools: ToolSet | Collection[str] | None = None) -> OddTurn | None:
        """Read one whole turn that `columns` leaves; return `None` if only a stream can.

        Raises:
            OutputParserException: As for `parse`.
        """
        return None if self._odd is None else self._odd.read(text, tools)

    def read_streamed(self, text: str, tools: ToolSet | Collection[str] | None = None) -> Turn:
        """Read one whole turn that only a stream can read.

        Raises:
            OutputParserException: As for `parse`.
        """
        # imported lazily: few turns need it
        from agent_parsers.engine.reading.stream import TurnStream

        return read_turn(TurnStream(self._machine, known_tools(tools), advise=self._advise), text)

    def columns(
        self, texts: Sequence[str], tools: ToolSet | Collection[str] | None = None
    ) -> TurnColumns:
        """Read many whole turns, and return those without repairs, column by column."""
        if self._read_columns is None:
            return TurnColumns.of_nothing(len(texts))
        return self._read_columns(texts, tools)


_ReadColumns: TypeAlias = "Callable[[Sequence[str], ToolSet | Collection[str] | None], TurnColumns]"


def _step_columns(
    reader: StepReader, texts: Sequence[str], tools: ToolSet | Collection[str] | None
) -> TurnColumns:
    # imported lazily: only tables need it
    from agent_parsers.engine.reading.canonical.step_columns import step_columns

    return step_columns(reader, texts, tools)


def _turn_columns(
    reader: CanonicalReader, texts: Sequence[str], tools: ToolSet | Collection[str] | None
) -> TurnColumns:
    # imported lazily: only tables need it
    from agent_parsers.engine.reading.canonical.turn_columns import turn_columns

    return turn_columns(reader, texts, tools)


@cache
def whole_reader(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> WholeReader:
    """Return the cached reader of whole turns of *dialect* in *mode*."""
    return WholeReader(machine(dialect, mode, on_conflict), advice)


def _is_line(name: str) -> bool:
    return bool(name) and name.isprintable()


def _is_left(machine: Machine, name: str) -> bool:
    """Return whether the dialect, which reads names in its own way, leaves this one as it is."""
    repairs: list[Repair] = []
    try:
        head = machine.read_head(name, (0, 0), None, repairs)
    except BadPayload:
        return False
    return _is_line(name) and head == ToolHead(name) and not repairs


_LEAVES_PLAIN_NAMES: Final[Mapping[object, Callable[[str], bool]]] = {
    None: _is_line,
    repair_tool_name: is_bare_name,
}
"""By the reader of names: whether it returns a name as it is written, so it need not be called."""
