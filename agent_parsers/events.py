"""The events that a parser emits: small frozen values, each with its span in the text.

The ``span`` of an event is ``(start, end)``, in `str` characters from the start of the whole text.
The spans of deltas, `ToolNamed` and `MarkerSeen` tile the text: each character is in exactly one.
`ActionComplete`, `Finish`, `Repair` and `StepFailed` refer to text that those have covered.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final, TypeAlias

from outputs.json_form.storable import Storable

if TYPE_CHECKING:
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


@dataclass(frozen=True, slots=True, init=False)
class _Delta(Storable):
    text: str
    """New text, as the model wrote it."""
    span: Span
    """Where the text is, as offsets into the whole text."""

    def __init__(self, text: str, span: Span) -> None:
        # A stream makes one for each chunk; this takes two thirds of the time of the generated one.
        _set_text(self, text)
        _set_span(self, span)


_set_text: Final = vars(_Delta)["text"].__set__
_set_span: Final = vars(_Delta)["span"].__set__


class QuestionDelta(_Delta):
    """More of the question, or of the text before the first step of a transcript."""

    __slots__ = ()


class ThoughtDelta(_Delta):
    """More of the model's thought."""

    __slots__ = ()


class InputDelta(_Delta):
    """More of a tool's input, as the model wrote it; `ActionComplete` has the parsed value."""

    __slots__ = ()


class AnswerDelta(_Delta):
    """More of the final answer. If a turn has a second answer, a `MarkerSeen` separates the two."""

    __slots__ = ()


class ObservationDelta(_Delta):
    """More of what a tool returned, an observation; emitted for transcripts and by `run_agent`."""

    __slots__ = ()


class SkippedDelta(_Delta):
    """Text that is not used, such as an invented observation and everything after it."""

    __slots__ = ()


@dataclass(frozen=True, slots=True)
class ToolNamed(Storable):
    """The name of the next action's tool. Do not call the tool before `ActionComplete`."""

    tool: str
    """Name of the tool, without the white space around it."""
    span: Span
    """Where the name is."""


@dataclass(frozen=True, slots=True)
class MarkerSeen(Storable):
    """A marker, together with the white space around it."""

    name: str
    """Name of the marker in its dialect; ``"start"`` and ``"end"`` are the edges of the text."""
    span: Span
    """Where the marker and its white space are."""


@dataclass(frozen=True, slots=True)
class ActionComplete(Storable):
    """A complete action. It is not emitted if the rest of the text contradicts the action."""

    action: AgentAction
    """The action, as `parse` returns it."""
    span: Span
    """From the tool's name to the end of its input."""


@dataclass(frozen=True, slots=True)
class Finish(Storable):
    """The complete final answer."""

    finish: AgentFinish
    """The answer, as `parse` returns it."""
    span: Span
    """Where the answer is."""


@dataclass(frozen=True, slots=True)
class Repair(Storable):
    """A repair: lenient mode accepted something that the dialect does not allow.

    Strict mode, too, reports what the policy of a `ToolSet` dropped from an input, and an answer
    that was cut off (``cut``).
    """

    kind: str
    """``label``, ``invented``, ``missing_input``, ``after_call`` or another short name."""
    span: Span
    """The text that was repaired."""
    message: str
    """What was done, in a sentence for a person to read."""

    def moved(self, by: int) -> Repair:
        """Return the same repair with its span moved by *by* characters."""
        return replace(self, span=(self.span[0] + by, self.span[1] + by))


def cut_answer(span: Span) -> Repair:
    """Return the repair which reports that the answer at *span* was cut off at its end."""
    return Repair("cut", (span[1], span[1]), "the text was cut off; the answer may be incomplete")


@dataclass(frozen=True, slots=True)
class StepFailed(Storable):
    """A step of a transcript, or of an agent's run, that could not be read; the others are read."""

    error: OutputParserException
    """The exception that `parse` would have raised."""
    span: Span
    """The text at fault."""


Delta: TypeAlias = (
    QuestionDelta | ThoughtDelta | InputDelta | AnswerDelta | ObservationDelta | SkippedDelta
)
Event: TypeAlias = Delta | ToolNamed | MarkerSeen | ActionComplete | Finish | Repair | StepFailed


def merge_events(events: Iterable[Event]) -> list[Event]:
    """Return *events* with neighbouring deltas of one kind joined.

    The merged events are the same however the text is cut into chunks.
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
