"""Lenient tables of dialects that write steps behind labels or in tags.

A lenient table follows from the parts of a step. `Steps` lists the states with their parts, and the
markers with the states that they begin; `FOLLOWS` says what may follow what, once for all dialects.
What models do besides is a habit: a function that adds a few rows, such as `input_before_action`.
Strict tables are not derived, since each repeats what one reference parser does.

::

    STEPS = Steps(
        parts={"thought": Part.THOUGHT, "tool": Part.TOOL, "input": Part.INPUT, ...},
        markers={"thought": Label("Thought"), "action": Label("Action"), ...},
        begins={"action": "tool"},
    )
    LENIENT = STEPS.having(input_before_action).table(read_input=repair_input)
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table
from agent_parsers.engine.markers.kinds import Inline, Label, Literal

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from agent_parsers.engine.grammar.table import Transition
    from agent_parsers.engine.markers.kinds import Marker

__all__ = [
    "FOLLOWS",
    "Habit",
    "Steps",
    "action_in_answer",
    "input_before_action",
    "label_or_literal",
    "second_turn_in_answer",
    "turn_on_one_line",
]

_QUESTION, _THOUGHT, _TOOL, _INPUT, _CALL, _ANSWER, _OBSERVATION = (
    Part.QUESTION, Part.THOUGHT, Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.OBSERVATION,
)  # fmt: skip

FOLLOWS: Final[Mapping[tuple[Part, Part], Transition]] = {
    # A run is a question and steps. What a tool returned invites the next step.
    **{(_QUESTION, to): Go("") for to in (_QUESTION, _THOUGHT, _TOOL, _CALL, _ANSWER)},
    **{(_OBSERVATION, to): Go("") for to in (_THOUGHT, _TOOL, _CALL, _ANSWER)},
    (_OBSERVATION, _QUESTION): Go("", firm=True),
    # A step is thoughts, then an action with its input, or the answer. Prompts end in the label of
    # a thought and some models repeat it, so a second one is common.
    **{(_THOUGHT, to): Go("") for to in (_THOUGHT, _TOOL, _CALL, _ANSWER)},
    (_THOUGHT, _OBSERVATION): Go("", clash="early"),
    (_TOOL, _INPUT): Go(""),
    (_TOOL, _ANSWER): Go("", clash="both"),
    # A tool may need no input, but a turn that continues without an input has lost it.
    (_TOOL, _THOUGHT): Go("", clash="no_input"),
    (_TOOL, _TOOL): Go("", clash="no_input"),
    (_TOOL, _OBSERVATION): EndTurn(""),
    # Code has lines such as "# Action: …" and YAML such as "action: …": in values only firm labels
    # count, and an observation label in the same style as the label before the value. Some models
    # write several steps in one turn. Only the first is based on real observations.
    (_INPUT, _ANSWER): Go("", clash="both", firm=True),
    **{(_INPUT, to): EndTurn("", firm=True) for to in (_THOUGHT, _TOOL, _OBSERVATION)},
    (_CALL, _ANSWER): Go("", clash="both"),
    **{(_CALL, to): EndTurn("", firm=True) for to in (_THOUGHT, _CALL, _OBSERVATION, _QUESTION)},
    (_ANSWER, _ANSWER): Go("", firm=True),
    **{(_ANSWER, to): EndTurn("", firm=True) for to in (_OBSERVATION, _QUESTION)},
}
"""What a marker does, by the part that is read and the part that the marker begins."""

Row: TypeAlias = tuple[str, str]
"""A state and a marker."""
_WORDS: Final = re.compile(r"(\w+(?: \w+)*):").fullmatch
_NOTHING: Final[Mapping[str, Any]] = MappingProxyType({})


@dataclass(frozen=True, kw_only=True, eq=False)
class Steps:
    """The parts of a step, how each is spelt, and the rows that do not follow from that."""

    parts: Mapping[str, Part]
    """The part of each state; a turn begins in the first state."""
    markers: Mapping[str, Marker]
    """The markers by name. The table makes labels at the beginning of a line loose."""
    begins: Mapping[str, str] = field(default_factory=dict)
    """The state that a marker begins, if it is not the state of the same name."""
    begun: Mapping[str, str] = field(default_factory=dict)
    """See `Table.begun`: these states are thoughts until a call begins in them."""
    rows: Mapping[Row, Transition | None] = field(default_factory=dict)
    """Rows that replace those of `FOLLOWS`; with `None`, the marker is plain text in the state."""
    apart: Collection[str] = ()
    """States that `FOLLOWS` says nothing about, such as elements; they have only their own rows."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """See `Table.ends`."""

    def having(self, *habits: Habit) -> Steps:
        """Return these steps with the rows of some *habits*."""
        steps = self
        for habit in habits:
            steps = habit(steps)
        return steps

    def adding(
        self,
        rows: Mapping[Row, Transition | None],
        *,
        parts: Mapping[str, Part] = _NOTHING,
        markers: Mapping[str, Marker] = _NOTHING,
        begins: Mapping[str, str] = _NOTHING,
        ends: Mapping[str, str] = _NOTHING,
        apart: Collection[str] = (),
    ) -> Steps:
        """Return these steps with more rows, and the states and markers in them."""
        return replace(
            self,
            rows={**self.rows, **rows},
            parts={**self.parts, **parts},
            markers={**self.markers, **markers},
            begins={**self.begins, **begins},
            ends={**self.ends, **ends},
            apart=(*self.apart, *apart),
        )

    @cached_property
    def transitions(self) -> Mapping[Row, Transition]:
        """All rows: those that follow from the parts, and the others."""
        followed = {
            (state, marker): self.follows(state, marker)
            for state in self.parts
            for marker in self.markers
        }
        rows = {**followed, **self.rows}
        return {row: transition for row, transition in rows.items() if transition is not None}

    def table(self, **settings: Any) -> Table:
        """Return the lenient table; *settings* are other fields of `Table`, such as codecs."""
        questions = (state for state, part in self.parts.items() if part is Part.QUESTION)
        return Table(
            markers={name: _loose(marker) for name, marker in self.markers.items()},
            parts=self.parts,
            begun=self.begun,
            transitions=self.transitions,
            ends=self.ends,
            transcript_start=next(questions),
            lenient=True,
            **settings,
        )

    def follows(self, state: str, marker: str) -> Transition | None:
        """Return what `FOLLOWS` says about a *marker* in a *state*."""
        to = self.begins.get(marker, marker)
        if to not in self.parts or state in self.apart:
            return None
        transition = FOLLOWS.get((self._role(state), self._role(to)))
        return None if transition is None else transition._replace(to=to)

    def _role(self, state: str) -> Part:
        return Part.THOUGHT if state in self.begun else self.parts[state]


Habit: TypeAlias = "Callable[[Steps], Steps]"
"""What models do besides: adds rows, and the states and markers in them."""


def label_or_literal(text: str) -> Label | Literal:
    """Return *text* as a label if it is words and a colon, else as a literal."""
    label = _WORDS(text)
    return Label(label[1]) if label else Literal(text)


def _loose(marker: Marker) -> Marker:
    if isinstance(marker, Label) and not marker.anywhere:
        return replace(marker, loose=True)
    return marker


# -- habits of models that write labels ----------------------------------------------------------


def input_before_action(steps: Steps) -> Steps:
    """Read an input label before any action, as text: it is noted, and changes only the error."""
    thought, tool = "thought, stray input", "tool, stray input"
    lost = {"thought": "thought", "action": "tool", "observation": "observation"}
    return steps.adding(
        {
            ("thought", "input"): Note(thought),
            (thought, "thought"): Go(thought),
            (thought, "action"): Go(tool),
            **{(tool, name): Go(to, clash="stray_input") for name, to in lost.items()},
        },
        parts={thought: Part.THOUGHT, tool: Part.TOOL},
        ends={tool: "stray_input"},
    )


def action_in_answer(steps: Steps, shown_by: str = "input") -> Steps:
    """Read "Action:" in an answer as text, unless the marker *shown_by* follows it.

    Minutes of a meeting may have a line "Action:".
    """
    maybe, both = "answer, action", "answer and action"
    return steps.adding(
        {
            ("answer", "action"): Note(maybe, firm=True),
            (maybe, shown_by): Note(both, firm=True),
            # The turn is wrong whatever follows; a transcript goes on with the next run.
            (both, "question"): Go("question", clash="both", firm=True),
        },
        parts={maybe: Part.ANSWER, both: Part.ANSWER},
        apart=[both],
        ends={both: "both"},
    )


def second_turn_in_answer(steps: Steps) -> Steps:
    """Begin a second turn in an answer at a label of an action if one of an input follows."""
    second = Go("tool", clash="both", firm=True, in_turn=True)
    action, tool_input = _words(steps, "action", "input")
    return steps.adding(
        {(state, "second action"): second for state in ("answer", "answer, action")},
        markers={"second action": Label(action, then=tool_input)},
    )


def turn_on_one_line(steps: Steps) -> Steps:
    """Read labels within a line: an action that has an input, or an answer without an action."""
    action, tool_input, answer = _words(steps, "action", "input", "answer")
    inline = "answer, inline"
    # A thought may mention the answer to come.
    instead = {"answer": "answer", "thought": "thought", "action": "tool", "inline action": "tool"}
    return steps.adding(
        {
            ("thought", "inline action"): Go("tool"),
            ("thought", "inline answer"): Go(inline),
            **{(inline, name): Go(to, restarts=True) for name, to in instead.items()},
        },
        parts={inline: Part.ANSWER},
        markers={
            "inline input": Label(tool_input, anywhere=True),
            "spaced input": Inline(tool_input),
            "inline action": Inline(action, then=tool_input, begins=True),
            "inline answer": Inline(answer, begins=True),
        },
        begins={"inline input": "input", "spaced input": "input"},
    )


def _words(steps: Steps, *names: str) -> list[str]:
    return [steps.markers[name].canonical.removesuffix(":") for name in names]
