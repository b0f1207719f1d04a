"""Tables: which marker does what in which state, as data."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, NamedTuple, TypeAlias

from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.markers.patterns import check_markers
from agent_parsers.engine.repairs.payloads import as_written

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.markers.kinds import Marker
    from agent_parsers.engine.repairs.payloads import AnswerReader, InputReader, ToolReader

__all__ = ["EndTurn", "Go", "Note", "Part", "Table", "Transition"]


class Part(IntEnum):
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
    CONTENT = 8
    """What is said beside calls; without any call it is the final answer."""


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
        in_turn: It means something in a single turn only.
        odd: What is told of it, if only as_lenient takes it to mean this.
        late: The problem of a turn in which it comes behind a call.
        unopened: It closes a thought that nothing in the text opened, so the prompt must have: it
            counts once, and not where the text only speaks of it.
    """

    to: str
    clash: str = ""
    firm: bool = False
    restarts: bool = False
    closes: bool = False
    in_turn: bool = False
    odd: str = ""
    late: str = ""
    unopened: bool = False


class EndTurn(NamedTuple):
    """The marker begins what cannot be part of this turn: the next step, or an invented one.

    A single turn ends before the marker, and all that follows is skipped and reported, or refused
    by a table that does not mend; a transcript goes on in the state *to*.

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
        in_turn: It means something in a single turn only. What encloses text, such as a tag, is
            seldom left open in a turn, but a transcript must not be swallowed when it is.
    """

    to: str
    firm: bool = False
    in_turn: bool = False


Transition: TypeAlias = Go | EndTurn | Note


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Table:
    """One way to read a dialect: which marker does what in which state.

    Raises:
        ValueError: The table does not hold together; the message says where.
    """

    markers: Mapping[str, Marker]
    """How each marker is spelt."""
    parts: Mapping[str, Part]
    """What plain text means in each state; the first state is where a turn begins."""
    transitions: Mapping[tuple[str, str], Transition]
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
    several: bool = False
    """Whether a turn may have several calls, and content beside them."""
    starts: Mapping[str, str] = field(default_factory=dict)
    """States in which a turn may begin, by what the caller calls them; else it is the first."""
    prompt_ends: Mapping[str, str] = field(default_factory=dict)
    """States in which a turn begins, by what its prompt ends in."""
    transcript_start: str = ""
    """State in which a transcript begins; empty if this table reads none."""
    lenient: bool = False
    """Whether what the dialect does not say is mended and reported, or refused."""
    read_input: InputReader = as_written
    """Payload codec: from the text of an input to its value."""
    read_answer: AnswerReader = as_written
    """The same for the final answer."""
    new_call: Callable[[], CallReader] | None = None
    """Makes the reader of the states whose role is `Role.CALL`."""
    readers: Mapping[str, Callable[[], CallReader]] = field(default_factory=dict)
    """Makes the readers of single call states that have one of their own."""
    begun: Mapping[str, str] = field(default_factory=dict)
    """What a call state becomes as soon as its reader sees a call begin. Until then its text is a
    thought, and it may end without a call."""
    drafts: Collection[str] = ()
    """States inside and behind a call in a thought that is still open; the call counts only if the
    text ends there."""
    read_tool: ToolReader | None = None
    """Takes the dressing off the name of a tool; without it the name is what is written."""

    def __post_init__(self) -> None:
        if edges := {"start", "end"} & self.markers.keys():
            raise ValueError(f"markers: {sorted(edges)} are the edges of a text; take other names")
        if not self.parts:
            raise ValueError("parts: a table has at least one state")
        for (state, marker), transition in self.transitions.items():
            for name in (state, transition.to):
                if name not in self.parts:
                    raise ValueError(f"transitions: state {name!r} has no part")
            if marker not in self.markers:
                raise ValueError(f"transitions: {state!r} has undeclared marker {marker!r}")
            part, to = self.parts[state], self.parts[transition.to]
            if isinstance(transition, Note) and part is not to:
                raise ValueError(f"transitions: a note on {marker!r} changes the part of {state!r}")
            if to is Part.INPUT and part not in (Part.TOOL, Part.INPUT):
                raise ValueError(
                    f"transitions: {marker!r} leads from {state!r}, no tool, to an input"
                )
        check_markers(self.markers)
        self._check_begun()
        unused = self.markers.keys() - {marker for _, marker in self.transitions}
        if unused:
            raise ValueError(f"markers: {sorted(unused)} occur in no move")
        named = (*self.ends, *self.starts.values(), *self.prompt_ends.values(), *self.readers)
        named = (*named, *self.drafts)
        for state in (*named, self.transcript_start or self.initial):
            if state not in self.parts:
                raise ValueError(f"state {state!r} has no part")

    def _check_begun(self) -> None:
        for before, after in self.begun.items():
            if {self.parts.get(before), self.parts.get(after)} != {Part.CALL}:
                raise ValueError(f"begun: {before!r} and {after!r} are not both call states")
            rows = [
                {row[1] for row in self.transitions if row[0] == name} for name in (before, after)
            ]
            if missing := rows[1] - rows[0]:
                raise ValueError(f"begun: {sorted(missing)} have no row in {before!r}")

    def as_lenient(self) -> Table:
        """Return the same table for what models really write; one that mends is returned as it is.

        Labels may be dressed, see `Label`; within inputs and answers they must be firm, but for an
        observation that is dressed as the label before those. What models put around names, inputs
        and answers is taken off, and inputs that are JSON are mended; a codec that the engine does
        not have stays as it is.
        """
        if self.lenient:
            return self
        from agent_parsers.engine.repairs.inputs import (
            repair_answer,
            repair_object_input,
            repair_written_input,
        )
        from agent_parsers.engine.repairs.json_inputs import read_json_input
        from agent_parsers.engine.repairs.names import repair_tool_name

        read_input = self.read_input
        for codec, repair in (
            (as_written, repair_written_input),
            (read_json_input, repair_object_input),
        ):
            read_input = repair if self.read_input is codec else read_input

        def repaired(state: str, transition: Transition) -> Transition:
            is_text = self.parts[state] in (Part.INPUT, Part.ANSWER)
            return transition._replace(firm=True) if is_text else transition

        return replace(
            self,
            markers={
                name: replace(marker, loose=True) if isinstance(marker, Label) else marker
                for name, marker in self.markers.items()
            },
            transitions={
                (state, m): repaired(state, transition)
                for (state, m), transition in self.transitions.items()
            },
            lenient=True,
            read_tool=self.read_tool or repair_tool_name,
            read_input=read_input,
            read_answer=repair_answer if self.read_answer is as_written else self.read_answer,
        )

    @property
    def initial(self) -> str:
        """State in which a turn begins."""
        return next(iter(self.parts))
