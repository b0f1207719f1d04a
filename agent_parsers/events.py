"""The events of reading a turn: small frozen values, each with its place in the text.

The ``span`` of an event is ``(start, end)``, in `str` characters from the start of the whole text.
The spans of deltas, `ToolNamed` and `MarkerSeen` tile the text: each character is in exactly one.
`ActionComplete`, `Finish`, `Repair` and `StepFailed` refer to text that these have covered.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from output_parsers import OutputParserException

__all__ = [
    "ActionComplete",
    "AnswerDelta",
    "Delta",
    "Event",
    "Finish",
    "InputDelta",
    "MarkerSeen",
    "ObservationDelta",
    "QuestionDelta",
    "Repair",
    "SkippedDelta",
    "Span",
    "StepFailed",
    "ThoughtDelta",
    "ToolNamed",
    "cut_answer",
    "merge_events",
]

Span: TypeAlias = tuple[int, int]


@dataclass(frozen=True, slots=True)
class _Delta:
    text: str
    """New text, as the model wrote it."""
    span: Span
    """Where it stands in the whole text."""


class QuestionDelta(_Delta):
    """More of the question, or of what stands before the first step of a transcript."""

    __slots__ = ()


class ThoughtDelta(_Delta):
    """More of what the model thinks before it acts or answers."""

    __slots__ = ()


class InputDelta(_Delta):
    """More of a tool's input, as written; the value is in `ActionComplete`."""

    __slots__ = ()


class AnswerDelta(_Delta):
    """More of the final answer. A second answer in one turn begins at its `MarkerSeen`."""

    __slots__ = ()


class ObservationDelta(_Delta):
    """More of what a tool returned; only transcripts have it."""

    __slots__ = ()


class SkippedDelta(_Delta):
    """Text that is no part of the turn: an invented observation and what follows it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ToolNamed:
    """The tool of the next action is known; `ActionComplete` tells whether it may be called."""

    tool: str
    """Name of the tool, without the white space around it."""
    span: Span
    """Where the name stands."""


@dataclass(frozen=True, slots=True)
class MarkerSeen:
    """A marker, with the white space that belongs to it."""

    name: str
    """Name of the marker in its dialect; ``"start"`` and ``"end"`` are the edges of the text."""
    span: Span
    """Where the marker and its white space stand."""


@dataclass(frozen=True, slots=True)
class ActionComplete:
    """An action whose input is whole. One that the text goes on to contradict is not told."""

    action: AgentAction
    """The action, as `parse` returns it."""
    span: Span
    """From the tool's name to the end of its input."""


@dataclass(frozen=True, slots=True)
class Finish:
    """The final answer is whole."""

    finish: AgentFinish
    """The answer, as `parse` returns it."""
    span: Span
    """Where the answer stands."""


@dataclass(frozen=True, slots=True)
class Repair:
    """Something was read that the dialect does not say; only lenient reading does this.

    Or something was left out of an input, as the policy of a `ToolSet` says, or an answer was cut
    (``cut``), which strict reading reports as well.
    """

    kind: str
    """``label``, ``invented``, ``missing_input``, ``after_call`` or another short name."""
    span: Span
    """What was mended."""
    message: str
    """What was done, in a sentence a person can read."""

    def moved(self, by: int) -> Repair:
        """Return the same for a text that begins *by* characters later."""
        return replace(self, span=(self.span[0] + by, self.span[1] + by))


def cut_answer(span: Span) -> Repair:
    """Return the notice that an answer, which stands at *span*, was cut at its end."""
    return Repair("cut", (span[1], span[1]), "the text was cut; the answer may not be whole")


@dataclass(frozen=True, slots=True)
class StepFailed:
    """A step of a transcript that cannot be read; the steps around it can."""

    error: OutputParserException
    """What was wrong, as `parse` would have raised it."""
    span: Span
    """The text at fault."""


Delta: TypeAlias = (
    QuestionDelta | ThoughtDelta | InputDelta | AnswerDelta | ObservationDelta | SkippedDelta
)
Event: TypeAlias = Delta | ToolNamed | MarkerSeen | ActionComplete | Finish | Repair | StepFailed


def merge_events(events: Iterable[Event]) -> list[Event]:
    """Return *events* with neighbouring deltas of one kind joined.

    However a text is cut into chunks, the merged events are the same.
    """
    merged: list[Event] = []
    run: list[Delta] = []
    for event in events:
        if run and type(event) is type(run[-1]) and event.span[0] == run[-1].span[1]:
            run.append(event)
            continue
        merged += _joined(run)
        if isinstance(event, _Delta):
            run = [event]
        else:
            run = []
            merged.append(event)
    return merged + _joined(run)


def _joined(run: list[Delta]) -> list[Event]:
    if not run:
        return []
    text = "".join(delta.text for delta in run)
    return [replace(run[0], text=text, span=(run[0].span[0], run[-1].span[1]))]
