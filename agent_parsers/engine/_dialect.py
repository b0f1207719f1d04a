"""A dialect: how an agent turn is written, as one value.

The parser, its streaming, the renderer, the prompt and the stop sequences all come from this value,
so they cannot drift apart. The engine reads the tables here and knows no dialect by name.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from enum import IntEnum
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from pydantic_core import CoreSchema, core_schema

from agent_parsers.engine._markers import check_markers
from agent_parsers.engine._payloads import as_written
from agent_parsers.engine._problems import SHARED_PROBLEMS, Problem

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agent_parsers.engine._calls import CallReader
    from agent_parsers.engine._markers import Marker
    from agent_parsers.engine._payloads import AnswerReader, InputReader, ToolReader

__all__ = ["Cut", "Dialect", "Go", "Note", "Problem", "Role", "Table", "Written"]


class Role(IntEnum):
    """What plain text is while a state lasts."""

    QUESTION = 0
    """The question, or anything else before the first step of a transcript."""
    THOUGHT = 1
    """What the model thinks."""
    TOOL = 2
    """The name of a tool; told when it is whole."""
    INPUT = 3
    """The input of the tool named before."""
    CALL = 4
    """Name and input in one; the dialect's call reader takes them apart."""
    ANSWER = 5
    """The final answer."""
    OBSERVATION = 6
    """What a tool returned."""
    SKIPPED = 7
    """No part of the turn."""


_PROBLEMS_OF: Final = {
    Role.TOOL: {"no_tool", "long_tool", "no_input"},
}
"""What can go wrong with a call in parts; a call reader says it of those in one."""


class Go(NamedTuple):
    """The marker ends what was and begins the state *to*.

    Args:
        to: Name of the next state.
        clash: In a single turn this must not happen; reading ends in the problem of this name. A
            transcript simply goes on.
        firm: The label must be firm here; see `Label`.
        restarts: What a single turn was so far turns out to be no part of it. A transcript simply
            goes on.
        closes: The marker belongs to what it ends, as a closing tag does.
    """

    to: str
    clash: str = ""
    firm: bool = False
    restarts: bool = False
    closes: bool = False


class Cut(NamedTuple):
    """The marker begins what cannot be part of this turn: the next step, or an invented one.

    A single turn ends before the marker, and all that follows is skipped and reported; a
    transcript goes on in the state *to*.

    Args:
        to: Name of the next state of a transcript.
        firm: The label must be firm here; see `Label`.
    """

    to: str
    firm: bool = False


class Note(NamedTuple):
    """The marker is text where it stands, but changes what may follow: the state becomes *to*.

    Args:
        to: Name of the state from here on.
        firm: The label must be firm here; see `Label`.
        in_turn: It means something in a single turn only. What encloses text, such as a fence, is
            seldom left open in a turn, but a transcript must not be swallowed when it is.
    """

    to: str
    firm: bool = False
    in_turn: bool = False


Move: TypeAlias = Go | Cut | Note


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Table:
    """One way to read a dialect: which marker does what in which state.

    Raises:
        ValueError: The table does not hold together; the message says where.
    """

    markers: Mapping[str, Marker]
    """How each marker is spelt."""
    roles: Mapping[str, Role]
    """What plain text means in each state; the first state is where a turn begins."""
    moves: Mapping[tuple[str, str], Move]
    """What a marker does, by state and marker. A marker without a row is plain text there."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """The problem with a turn that ends in a state, for states where it must not end."""
    bare_answers: Collection[str] = ()
    """States whose text is the answer although no label says so, which is a repair."""
    keeps_input_end: bool = False
    """Whether white space at the end of an input is part of it, and not of the marker it meets."""
    keeps_answer_space: bool = False
    """Whether white space around an answer is part of it, and not of the markers it meets."""
    one_line_tools: bool = True
    """Whether a tool's name that runs over a line is refused, being two things read as one."""
    transcript_start: str = ""
    """State in which a transcript begins; empty if this table reads none."""
    mends: bool = False
    """Whether what the dialect does not say is mended and reported, or refused."""
    read_input: InputReader = as_written
    """Payload codec: from the text of an input to its value."""
    read_answer: AnswerReader = as_written
    """The same for the final answer."""
    new_call: Callable[[], CallReader] | None = None
    """Makes the reader of the states whose role is `Role.CALL`."""
    begun: Mapping[str, str] = field(default_factory=dict)
    """What a call state becomes as soon as its reader sees a call begin. Until then its text is a
    thought, and it may end without a call."""
    read_tool: ToolReader | None = None
    """Takes the dressing off the name of a tool; without it the name is what is written."""

    def __post_init__(self) -> None:
        if not self.roles:
            raise ValueError("roles: a table has at least one state")
        for (state, marker), move in self.moves.items():
            for name in (state, move.to):
                if name not in self.roles:
                    raise ValueError(f"moves: state {name!r} has no role")
            if marker not in self.markers:
                raise ValueError(f"moves: marker {marker!r} of state {state!r} is not declared")
            role, to = self.roles[state], self.roles[move.to]
            if isinstance(move, Note) and role is not to:
                raise ValueError(f"moves: a note on {marker!r} changes the role of {state!r}")
            if to is Role.INPUT and role not in (Role.TOOL, Role.INPUT):
                raise ValueError(f"moves: {marker!r} leads from {state!r}, no tool, to an input")
        check_markers(self.markers)
        self._check_begun()
        unused = self.markers.keys() - {marker for _, marker in self.moves}
        if unused:
            raise ValueError(f"markers: {sorted(unused)} occur in no move")
        for state in (*self.ends, self.transcript_start or self.initial):
            if state not in self.roles:
                raise ValueError(f"state {state!r} has no role")

    def _check_begun(self) -> None:
        for before, after in self.begun.items():
            if {self.roles.get(before), self.roles.get(after)} != {Role.CALL}:
                raise ValueError(f"begun: {before!r} and {after!r} are not both call states")
            rows = [{row[1] for row in self.moves if row[0] == name} for name in (before, after)]
            if missing := rows[1] - rows[0]:
                raise ValueError(f"begun: {sorted(missing)} have no row in {before!r}")

    @property
    def initial(self) -> str:
        """State in which a turn begins."""
        return next(iter(self.roles))


@dataclass(frozen=True, slots=True)
class Written:
    """One step as the model would have written it: a thought, then an action or an answer."""

    thought: str = ""
    """What the model thought before; may be empty."""
    tool: str = ""
    """Name of the tool; empty if this is an answer."""
    tool_input: str | dict[Any, Any] = ""
    """Input of the tool."""
    answer: str = ""
    """The final answer."""
    number: int = 1
    """Number of the step, for dialects that count."""


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Dialect:
    """How an agent turn is written, and everything that follows from it.

    Raises:
        ValueError: The tables do not hold together; the message names the dialect.
    """

    name: str
    """Name for `get_parser`."""
    aliases: tuple[str, ...] = ()
    """Other names it goes by."""
    summary: str
    """One line about who writes it."""
    sample: str
    """A whole run, as a transcript."""
    strict: Table
    """Reads what the reference parser of this dialect reads."""
    lenient: Table
    """Reads what models really write; transcripts are read by it."""
    problems: Mapping[str, Problem]
    """What can be wrong, by the names the tables use."""
    stop: tuple[str, ...]
    """Stop sequences to pass to the model."""
    closer: str = ""
    """What ends an action, if the model stops there; a scratchpad puts it back."""
    reasoning: tuple[tuple[str, str], ...] = (
        ("<think>", "</think>"),
        ("<thinking>", "</thinking>"),
        ("<reasoning>", "</reasoning>"),
    )
    """What opens and closes a block of reasoning, in which no label counts; only lenient reading
    knows it. Empty if the dialect has none."""
    write: Callable[[Written], str]
    """Writes one step; `render` checks that it can be read back."""
    write_observation: Callable[[str, int], str]
    """Writes an observation and what invites the next step, given its text and number."""
    example: Written = Written(tool="search", tool_input="what to look for")
    """An action, to show to a model that wrote a wrong one."""
    instructions: str
    """What the model is told; ``{tools}`` and ``{tool_names}`` stand for the tools."""

    def __post_init__(self) -> None:
        for mode, table in (("strict", self.strict), ("lenient", self.lenient)):
            needed = {"nothing", *table.ends.values()}
            for role in table.roles.values():
                needed |= _PROBLEMS_OF.get(role, set())
            if Role.CALL in table.roles.values() and table.new_call is not None:
                needed |= table.new_call().problems
            if table.begun:
                needed -= {"no_call", "after_call"}  # such text is a thought, or skipped
            needed |= {move.clash for move in table.moves.values() if isinstance(move, Go)}
            missing = needed - {"", *self.problems, *SHARED_PROBLEMS}
            if missing:
                raise ValueError(f"dialect {self.name!r}: no problem {sorted(missing)} ({mode})")
            if Role.CALL in table.roles.values() and table.new_call is None:
                raise ValueError(f"dialect {self.name!r}: a call state but no new_call ({mode})")

    def __repr__(self) -> str:
        return f"<Dialect {self.name!r}>"

    def __copy__(self) -> Dialect:
        return self

    def __deepcopy__(self, _memo: object) -> Dialect:
        return self

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, _handler: Any) -> CoreSchema:
        """Let a model hold a dialect as it is."""
        return core_schema.is_instance_schema(cls)
