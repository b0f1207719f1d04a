"""Tables: the transition that each marker causes in each state, as data."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from copy import copy
from dataclasses import dataclass, field, replace
from enum import IntEnum
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agent_parsers.engine.markers.kinds import Label, Marker
from agent_parsers.engine.markers.patterns import check_markers
from agent_parsers.engine.repairs.payloads import AnswerReader, InputReader, ToolReader, as_written

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.tables.guards import Guard


class Part(IntEnum):
    """The part of a turn to which the plain text of a state belongs."""

    QUESTION = 0
    """The question, or other text before the first step of a transcript."""
    THOUGHT = 1
    """What the model thinks."""
    TOOL = 2
    """The name of a tool; emitted once it is complete."""
    INPUT = 3
    """The input of the tool named before."""
    CALL = 4
    """Name and input in one text, which the dialect's call reader splits."""
    ANSWER = 5
    """The final answer."""
    OBSERVATION = 6
    """What a tool returned."""
    SKIPPED = 7
    """Text that is not part of the turn."""
    CONTENT = 8
    """Text beside calls; in a turn without a call it is the final answer."""


class Go(NamedTuple):
    """The marker ends the current state and begins the state *to*.

    Args:
        to: Name of the next state.
        clash: Name of the problem of a single turn in which this happens. A transcript goes on.
        firm: Whether the label must be firm here; see `Label`.
        restarts: Whether all text of the turn so far turns out not to be part of it. A transcript
            goes on.
        closes: Whether the marker belongs to the state that it ends, as a closing tag does.
        in_turn: Whether the transition exists in a single turn only.
        odd: Message of the repair that reports this transition, if only lenient mode makes it.
        late: Name of the problem of a turn in which the marker follows a call.
        of_call: Name of the problem of a turn in which the marker does not close a call.
        unopened: Whether the marker closes a thought that nothing in the text opened, so that the
            prompt must have. It counts once, and not where the text only mentions it.
        breaks_line: Whether the marker closes a block of reasoning, behind which a label may follow
            on the same line.
        drops: Message of the repair that drops the turn so far, with ``{}`` for the
            marker as it is spelt; set by the rewritings of `restarts` and `clash`.
        guards: Further conditions for the marker to count.
    """

    to: str
    clash: str = ""
    firm: bool = False
    restarts: bool = False
    closes: bool = False
    in_turn: bool = False
    odd: str = ""
    late: str = ""
    of_call: str = ""
    unopened: bool = False
    breaks_line: bool = False
    drops: str = ""
    guards: tuple[Guard, ...] = ()


class EndTurn(NamedTuple):
    """The marker ends the turn: a new step begins, which the model may have invented.

    A single turn ends before the marker: a lenient table skips and reports the rest, a strict table
    refuses it. A transcript goes on in the state *to*.

    Args:
        to: Name of the next state of a transcript.
        firm: Whether the label must be firm here; see `Label`.
        guards: Further conditions for the marker to count.
    """

    to: str
    firm: bool = False
    guards: tuple[Guard, ...] = ()


class Note(NamedTuple):
    """The marker is plain text, but changes what may follow it: the state becomes *to*.

    Args:
        to: Name of the state after the marker.
        firm: Whether the label must be firm here; see `Label`.
        in_turn: Whether the transition exists in a single turn only. A tag that is left open, which
            is rare, must not swallow the rest of a transcript.
        drops: Message of the repair that drops the turn so far; see `Go`.
        guards: Further conditions for the marker to count.
    """

    to: str
    firm: bool = False
    in_turn: bool = False
    drops: str = ""
    guards: tuple[Guard, ...] = ()


Transition: TypeAlias = Go | EndTurn | Note


@dataclass(frozen=True, kw_only=True, eq=False, repr=False)
class Table:
    """One way to read a dialect: its states, markers and transitions.

    Raises:
        ValueError: The table is inconsistent; the message says where.
    """

    markers: Mapping[str, Marker]
    """The markers by name."""
    parts: Mapping[str, Part]
    """The part of each state; a turn begins in the first state."""
    transitions: Mapping[tuple[str, str], Transition]
    """The transitions by state and marker. A marker without a transition is plain text there."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """By state: the problem of a turn that ends in it, for states in which no turn may end."""
    bare_answers: Collection[str] = ()
    """States whose text is read as the answer without a label, which is a repair."""
    keeps_input_end: bool = False
    """Whether white space at the end of an input is part of it, not of the next marker."""
    keeps_answer_space: bool = False
    """Whether white space around an answer is part of it, not of the markers next to it."""
    one_line_tools: bool = True
    """Whether a tool's name of several lines is refused."""
    several: bool = False
    """Whether a turn may have several calls and content beside them."""
    starts: Mapping[str, str] = field(default_factory=dict)
    """States in which a turn may begin, by the value of ``start=``; the default is the first."""
    prompt_ends: Mapping[str, str] = field(default_factory=dict)
    """States in which a turn begins, by the end of its prompt."""
    transcript_start: str = ""
    """State in which a transcript begins; empty if the table reads no transcripts."""
    lenient: bool = False
    """Whether deviations from the dialect are repaired and reported, or else refused."""
    read_input: InputReader = as_written
    """Payload codec: returns the value of an input, given its text."""
    read_answer: AnswerReader = as_written
    """The same for the final answer."""
    new_call: Callable[[], CallReader] | None = None
    """Makes the call reader of the states whose part is `Part.CALL`."""
    readers: Mapping[str, Callable[[], CallReader]] = field(default_factory=dict)
    """Make the call readers of states that have a reader of their own, by state."""
    begun: Mapping[str, str] = field(default_factory=dict)
    """By call state: the state that follows as soon as its reader sees a call begin. Until then the
    text is a thought, and the state may end without a call."""
    acting: Collection[str] = ()
    """Markers that open a call also in a thought that is still open. The call counts only if the
    text ends there."""
    drafts: Collection[str] = ()
    """States inside and after such a call; set by the rewriting for reasoning."""
    regions: Collection[str] = ()
    """States between the marks that enclose all calls; in each of them a call has to follow."""
    read_tool: ToolReader | None = None
    """Reads the name of a tool, without the quotes or emphasis around it; `None` keeps the text."""
    beside_action: Collection[str] = ()
    """States of an answer next to an action, which counts unless the action names no tool."""
    is_run: bool = False
    """Whether the text has many turns; set by the rewriting for transcripts."""

    def __post_init__(self) -> None:
        if edges := {"start", "end"} & self.markers.keys():
            raise ValueError(f"markers: {sorted(edges)} are reserved; use other names")
        if not self.parts:
            raise ValueError("parts: a table needs at least one state")
        for (state, marker), transition in self.transitions.items():
            for name in (state, transition.to):
                if name not in self.parts:
                    raise ValueError(f"transitions: state {name!r} is not in parts")
            if marker not in self.markers:
                raise ValueError(f"transitions: marker {marker!r} of {state!r} is not in markers")
            part, to = self.parts[state], self.parts[transition.to]
            if isinstance(transition, Note) and part is not to:
                raise ValueError(
                    f"transitions: Note {marker!r} must lead to a state with the same part as "
                    f"{state!r}"
                )
            if to is Part.INPUT and part not in (Part.TOOL, Part.INPUT):
                raise ValueError(
                    f"transitions: {marker!r} leads from {state!r} (not a tool) to an input"
                )
            if self.several and to in (Part.TOOL, Part.INPUT):
                raise ValueError(
                    f"several: {marker!r} leads to a tool or input; if a turn may have several "
                    "calls, use Part.CALL"
                )
        check_markers(self.markers)
        self._check_begun()
        unused = self.markers.keys() - {marker for _, marker in self.transitions}
        if unused:
            raise ValueError(f"markers: {sorted(unused)} occur in no transition")
        named = (*self.ends, *self.starts.values(), *self.prompt_ends.values(), *self.readers)
        named = (*named, *self.regions)
        for state in (*named, self.transcript_start or self.initial):
            if state not in self.parts:
                raise ValueError(f"state {state!r} is not in parts")

    def _check_begun(self) -> None:
        for before, after in self.begun.items():
            if {self.parts.get(before), self.parts.get(after)} != {Part.CALL}:
                raise ValueError(f"begun: {before!r} and {after!r} are not both call states")
            rows = [
                {row[1] for row in self.transitions if row[0] == name} for name in (before, after)
            ]
            if missing := rows[1] - rows[0]:
                raise ValueError(f"begun: {before!r} lacks markers {sorted(missing)} of {after!r}")

    def as_lenient(self) -> Table:
        """Return a lenient version of the table; a lenient table is returned unchanged.

        Labels may be decorated, see `Label`. Within inputs and answers they must be firm, except
        for an observation label that is decorated like the label before it. Quotes, fences and
        emphasis around names, inputs and answers are removed, and JSON inputs are repaired. A codec
        that is not one of the engine's is kept.
        """
        if self.lenient:
            return self
        from agent_parsers.engine.repairs.inputs import (
            repair_answer,
            repair_object_input,
            repair_written_input,
        )
        from agent_parsers.engine.repairs.names import repair_tool_name
        from agent_parsers.engine.repairs.payloads import read_json_input

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

    def rewritten(self, **changes: Any) -> Table:
        """Return the table with some fields changed, and without markers that become unused.

        It is not checked again, since a rewriting of a valid table is valid.
        """
        table = copy(self)
        vars(table).update(changes)
        used = {marker for _, marker in table.transitions}
        markers = {name: marker for name, marker in table.markers.items() if name in used}
        vars(table)["markers"] = markers
        return table

    @property
    def initial(self) -> str:
        """State in which a turn begins."""
        return next(iter(self.parts))
