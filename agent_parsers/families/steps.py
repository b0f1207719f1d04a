"""Lenient tables of dialects that write steps behind labels or in tags, and their writer.

A lenient table follows from the parts of a step. `Steps` lists the states with their parts, and the
markers with the states that they begin; `FOLLOWS` says what may follow what, once for all dialects.
What models do besides is a habit: steps of a few rows that are added, such as `INPUT_FIRST`. Strict
tables are not derived, since each repeats what one reference parser does.

::

    STEPS = Steps(
        parts={"thought": Part.THOUGHT, "tool": Part.TOOL, "input": Part.INPUT, ...},
        markers={"thought": Label("Thought"), "action": Label("Action"), ...},
        begins={"action": "tool"},
    )
    LENIENT = (STEPS | INPUT_FIRST).table(read_input=repair_input)
"""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache, cached_property
from typing import Any, Final, TypeAlias

from agent_parsers.engine.markers.kinds import Inline, Label, Literal, Marker
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table, Transition
from agent_parsers.forms.form import CallForm, Form, Written


class StepWriter:
    """The functions that a `Dialect` writes steps with, and its stop sequence.

    Args:
        labels: The labels ``"thought"`` and ``"observation"``; `write` also needs those of
            ``"action"``, ``"input"`` and ``"answer"``.
        write_input: Returns an input as text.
    """

    def __init__(
        self, labels: Mapping[str, Marker], write_input: Callable[[str | dict[Any, Any]], str] = str
    ) -> None:
        self._labels = labels
        self._write_input = write_input

    @property
    def form(self) -> Form:
        """How turns are written."""
        action, tool_input = self.label("action"), self.label("input")
        return Form(
            call=CallForm(
                text=f"{action} {{tool}}\n{tool_input} {{input}}", write_input=self._write_input
            ),
            is_single=True,
            thought=(f"{self.label('thought')} ", "\n"),
            content=None,
            answer=(f"{self.label('answer')} ", ""),
        )

    def thought(self, step: Written) -> str:
        """Return the line of the thought; ``""`` if there is no thought."""
        return f"{self.label('thought')} {step.thought}\n" if step.thought else ""

    def generation_prompt(self, _number: int) -> str:
        """Return the label of the next thought."""
        return self.label("thought")

    def render_observation(self, observation: str, number: int) -> str:
        """Return an observation as text, with the label of the next thought."""
        label = self.label("observation")
        return f"\n{label} {observation}\n{self.generation_prompt(number + 1)}"

    @property
    def stop(self) -> tuple[str, ...]:
        """What a model must not write: the label of an observation."""
        return (f"\n{self.label('observation')}",)

    def label(self, name: str) -> str:
        """Return a label as it is written, with its colon."""
        return self._labels[name].canonical


def reworded(problems: Mapping[str, Problem], words: Mapping[str, str]) -> dict[str, Problem]:
    """Return *problems* with *words* replaced, such as ``{"an Action": "a Tool"}``.

    Those that change lose the message of the reference parser, which has the old words.
    """

    def put(text: str) -> str:
        for old, new in words.items():
            text = text.replace(old, new)
        return text

    def said(problem: Problem) -> Problem:
        texts = problem.reason, problem.observation
        new = put(problem.reason), put(problem.observation)
        return problem if new == texts else Problem(*new)

    return {name: said(problem) for name, problem in problems.items()}


# -- elements --------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class TextElement:
    """An element by its name; its tags are ``<name>`` and ``</name>``."""

    name: str

    @property
    def opener(self) -> Literal:
        """The opening tag."""
        return Literal(f"<{self.name}>")

    @property
    def closer(self) -> Literal:
        """The closing tag."""
        return Literal(f"</{self.name}>")

    def write(self, text: str) -> str:
        """Return *text* between the tags."""
        return f"<{self.name}>{text}</{self.name}>"

    def read_as(self, part: Part, state: str, *, then: str, counts: Collection[str] = ()) -> Steps:
        """Return the state in the element, whose text is read up to the closing tag.

        Args:
            part: What the text is.
            state: Name of the state, and of the marker that begins it.
            then: The state after the closing tag.
            counts: Markers that count before the closing tag, since models may leave it out. Any
                other tag is text.
        """
        end = f"end of {state}"
        return Steps(
            parts={state: part},
            markers={state: self.opener, end: self.closer},
            rows={(state, end): Go(then, closes=True)},
            apart={state: counts},
        )


# -- tables ----------------------------------------------------------------------------------------

_QUESTION, _THOUGHT, _TOOL, _INPUT, _CALL, _ANSWER, _OBSERVATION = (
    Part.QUESTION, Part.THOUGHT, Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.OBSERVATION,
)  # fmt: skip

FOLLOWS: Final[Mapping[tuple[Part, Part], Transition]] = {
    # A run is a question and steps. What a tool returned invites the next step.
    **{(_QUESTION, to): Go("") for to in (_QUESTION, _THOUGHT, _TOOL, _CALL, _ANSWER)},
    **{(_OBSERVATION, to): Go("") for to in (_THOUGHT, _TOOL, _CALL, _ANSWER)},
    (_OBSERVATION, _QUESTION): Go("", firm=True),
    # A scratchpad begins with a turn, which the collector of runs then reads.
    (_QUESTION, _OBSERVATION): Go(""),
    # A step is thoughts, then an action with its input, or the answer. Prompts end in the label of
    # a thought and some models repeat it, so a second one is common.
    **{(_THOUGHT, to): Go("") for to in (_THOUGHT, _TOOL, _CALL, _ANSWER)},
    (_THOUGHT, _OBSERVATION): Go("", clash="invented_first"),
    (_TOOL, _INPUT): Go(""),
    (_TOOL, _ANSWER): Go("", clash="action_and_answer"),
    # A tool may need no input, but a turn that continues without an input has lost it.
    (_TOOL, _THOUGHT): Go("", clash="no_input"),
    (_TOOL, _TOOL): Go("", clash="no_input"),
    (_TOOL, _OBSERVATION): EndTurn(""),
    # Code has lines such as "# Action: …" and YAML such as "action: …": in values only firm labels
    # count, and an observation label in the same style as the label before the value. Some models
    # write several steps in one turn. Only the first is based on real observations.
    (_INPUT, _ANSWER): Go("", clash="action_and_answer", firm=True),
    **{(_INPUT, to): EndTurn("", firm=True) for to in (_THOUGHT, _TOOL, _OBSERVATION)},
    (_INPUT, _INPUT): Go("", clash="second_input", firm=True),
    (_CALL, _ANSWER): Go("", clash="action_and_answer"),
    **{(_CALL, to): EndTurn("", firm=True) for to in (_THOUGHT, _CALL, _OBSERVATION, _QUESTION)},
    (_ANSWER, _ANSWER): Go("", firm=True),
    **{(_ANSWER, to): EndTurn("", firm=True) for to in (_OBSERVATION, _QUESTION)},
}
"""What a marker does, by the part that is read and the part that the marker begins."""

Row: TypeAlias = tuple[str, str]
"""A state and a marker."""
_WORDS: Final = re.compile(r"(\w+(?: \w+)*):").fullmatch


@dataclass(frozen=True, kw_only=True, eq=False)
class Steps:
    """The parts of a step, how each is written, and the rows that do not follow from that.

    ``steps | habit`` has the states, markers and rows of both.
    """

    parts: Mapping[str, Part] = field(default_factory=dict)
    """The part of each state; a turn begins in the first state."""
    markers: Mapping[str, Marker] = field(default_factory=dict)
    """The markers by name. The table makes labels at the beginning of a line loose."""
    begins: Mapping[str, str] = field(default_factory=dict)
    """The state that a marker begins, if it is not the state of the same name."""
    begun: Mapping[str, str] = field(default_factory=dict)
    """See `Table.begun`: these states are thoughts until a call begins in them."""
    rows: Mapping[Row, Transition | None] = field(default_factory=dict)
    """Rows that replace those of `FOLLOWS`; with `None`, the marker is plain text in the state."""
    apart: Mapping[str, Collection[str]] = field(default_factory=dict)
    """States such as elements: `FOLLOWS` applies only to these markers in them, besides `rows`."""
    ends: Mapping[str, str] = field(default_factory=dict)
    """See `Table.ends`."""

    def __or__(self, habit: Steps) -> Steps:
        names = (each.name for each in fields(self))
        return Steps(**{name: {**getattr(self, name), **getattr(habit, name)} for name in names})

    @cached_property
    def transitions(self) -> Mapping[Row, Transition]:
        """All rows: those that follow from the parts, and the others."""
        followed = {
            (state, marker): self._follows(state, marker)
            for state in self.parts
            for marker in self.apart.get(state, self.markers)
        }
        rows = {**followed, **self.rows}
        return {row: transition for row, transition in rows.items() if transition is not None}

    def table(self, **settings: Any) -> Table:
        """Return the lenient table; *settings* are other fields of `Table`, such as codecs.

        A transcript begins in the first state that is a question.
        """
        questions = (state for state, part in self.parts.items() if part is Part.QUESTION)
        return Table(
            markers={name: _loose(marker) for name, marker in self.markers.items()},
            parts=self.parts,
            begun=self.begun,
            transitions=self.transitions,
            ends=self.ends,
            transcript_start=next(questions, ""),
            lenient=True,
            **settings,
        )

    def _follows(self, state: str, marker: str) -> Transition | None:
        to = self.begins.get(marker, marker)
        if to not in self.parts:
            return None
        return _following(self._part(state), self._part(to), to)

    def _part(self, state: str) -> Part:
        return Part.THOUGHT if state in self.begun else self.parts[state]


@cache
def _following(part: Part, begun: Part, to: str) -> Transition | None:
    """Return the row of `FOLLOWS` for two parts, of which the second is the state *to*."""
    transition = FOLLOWS.get((part, begun))
    return None if transition is None else transition._replace(to=to)


def _loose(marker: Marker) -> Marker:
    if isinstance(marker, Label) and not marker.anywhere:
        return replace(marker, loose=True)
    return marker


def label_or_literal(text: str) -> Label | Literal:
    """Return *text* as a label if it is words and a colon, else as a literal."""
    label = _WORDS(text)
    return Label(label[1]) if label else Literal(text)


# -- habits --------------------------------------------------------------------------------------

INPUT_FIRST: Final = Steps(
    parts={"thought, stray input": Part.THOUGHT, "tool, stray input": Part.TOOL},
    rows={
        ("thought", "input"): Note("thought, stray input"),
        ("thought, stray input", "thought"): Go("thought, stray input"),
        ("thought, stray input", "action"): Go("tool, stray input"),
        ("tool, stray input", "thought"): Go("thought", clash="stray_input"),
        ("tool, stray input", "action"): Go("tool", clash="stray_input"),
        ("tool, stray input", "observation"): Go("observation", clash="stray_input"),
    },
    ends={"tool, stray input": "stray_input"},
)
"""An input label before any action is text, and changes only the error."""


def action_in_answer(shown_by: str) -> Steps:
    """Read a line "Action:" in an answer as text, unless the marker *shown_by* follows it.

    Minutes of a meeting may have such a line.
    """
    return Steps(
        parts={"answer, action": Part.ANSWER, "answer and action": Part.ANSWER},
        rows={
            ("answer", "action"): Note("answer, action", firm=True),
            ("answer, action", shown_by): Note("answer and action", firm=True),
            # The turn is wrong whatever follows; a transcript goes on with the next run.
            ("answer and action", "question"): Go("question", clash="action_and_answer", firm=True),
        },
        apart={"answer and action": ()},
        ends={"answer and action": "action_and_answer"},
    )


def second_turn_in_answer(action: str, tool_input: str) -> Steps:
    """Begin a second turn in an answer at the label *action* if the label *tool_input* follows."""
    second = Go("tool", clash="action_and_answer", firm=True, in_turn=True)
    return Steps(
        rows={(state, "second action"): second for state in ("answer", "answer, action")},
        markers={"second action": Label(action, then=tool_input)},
    )


def labels_in_lines(action: str, tool_input: str, answer: str) -> Steps:
    """Read labels within a line: an action that has an input, or an answer without an action."""
    return Steps(
        parts={"answer, inline": Part.ANSWER},
        markers={
            "inline input": Label(tool_input, anywhere=True),
            "spaced input": Inline(tool_input),
            "inline action": Inline(action, then=tool_input, begins=True),
            "inline answer": Inline(answer, begins=True),
        },
        begins={"inline input": "input", "spaced input": "input"},
        rows={
            ("thought", "inline action"): Go("tool"),
            ("thought", "inline answer"): Go("answer, inline"),
            ("input", "inline input"): None,  # words in an input may name the label
            ("input", "spaced input"): None,
            # A thought may mention the answer to come.
            ("answer, inline", "answer"): Go("answer", restarts=True),
            ("answer, inline", "thought"): Go("thought", restarts=True),
            ("answer, inline", "action"): Go("tool", restarts=True),
            ("answer, inline", "inline action"): Go("tool", restarts=True),
        },
    )
