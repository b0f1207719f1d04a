"""Collecting the events of a run as steps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, TypeAlias

from agent_parsers.authoring import Part, unescape
from agent_parsers.events import (
    ActionComplete,
    Event,
    Finish,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    Span,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.transcripts.transcript import Transcript, TranscriptStep

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.engine.tables.dialect import Dialect
    from output_parsers import OutputParserException

Delta: TypeAlias = QuestionDelta | ThoughtDelta | ObservationDelta


class _Text:
    """Text that arrives in pieces, with the span from the first to the last."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.span: Span | None = None

    def add(self, delta: Delta) -> None:
        """Add a piece of text, on a new line if a marker precedes it."""
        if self.span is not None and self.span[1] < delta.span[0]:
            self._parts.append("\n")
        self._parts.append(delta.text)
        self.span = (self.span or delta.span)[0], delta.span[1]

    def add_all(self, other: _Text) -> None:
        """Add another text on a new line."""
        if self.span is None:
            self._parts, self.span = other._parts, other.span
        elif other.span is not None:
            self._parts += ("\n", *other._parts)
            self.span = self.span[0], other.span[1]

    def __str__(self) -> str:
        return "".join(self._parts)


class _Step:
    """A step that is being read."""

    def __init__(self) -> None:
        self.thought = _Text()
        self.observation = _Text()
        self.repairs: list[Repair] = []
        self.done: ActionComplete | Finish | StepFailed | None = None
        self.is_observed = False

    def step(self, dialect: Dialect, number: int) -> TranscriptStep:
        """Return the finished step."""
        action: AgentAction | AgentFinish | None = None
        error: OutputParserException | None = None
        match self.done:
            case ActionComplete(action=action) | Finish(finish=action):
                pass
            case StepFailed(error=error):
                pass
        return TranscriptStep(
            number=number,
            thought=str(self.thought),
            action=action,
            observation=unescape(dialect, str(self.observation)) if self.is_observed else None,
            thought_span=self.thought.span,
            action_span=self.done.span if self.done else None,
            observation_span=self.observation.span,
            repairs=tuple(self.repairs),
            error=error,
        )


class Run:
    """A run that is being read; *begins* maps the name of a marker to the part that it begins.

    Some *repairs* may have been reported before it began.
    """

    def __init__(
        self, dialect: Dialect, begins: Mapping[str, Part], repairs: Iterable[Repair] = ()
    ) -> None:
        self._dialect = dialect
        self._begins = begins
        self._preamble = _Text()
        self._question = _Text()
        self._question_repairs: list[Repair] = []
        self._repairs = list(repairs)  # reported before the text they belong to
        self._steps: list[TranscriptStep] = []
        self._step = _Step()

    @property
    def has_steps(self) -> bool:
        """Whether any step has begun."""
        return bool(self._steps or self._step.done)

    @property
    def is_answered(self) -> bool:
        """Whether the last step is an answer without an observation after it."""
        return isinstance(self._step.done, Finish) and not self._step.is_observed

    @property
    def has_question(self) -> bool:
        """Whether the run has a question."""
        return self._question.span is not None

    def take(self, event: Event) -> list[TranscriptStep]:
        """Process the next event; return the step that it ends, or an empty list."""
        over: list[TranscriptStep] = []
        match event:
            case ThoughtDelta() | ToolNamed() | ActionComplete() | Finish() | StepFailed():
                if self._step.done:
                    over = self.end_step()
                self._step.repairs += self.give_up_repairs()
                if isinstance(event, ThoughtDelta):
                    self._step.thought.add(event)
                elif not isinstance(event, ToolNamed):
                    self._step.done = event
            case ObservationDelta():
                self._step.observation.add(event)
            case MarkerSeen(name=name) if self._begins.get(name) is Part.OBSERVATION:
                self._step.repairs += self.give_up_repairs()
                self._step.is_observed = True
            case MarkerSeen(name=name) if self._begins.get(name) is Part.QUESTION:
                self._question_repairs += self.give_up_repairs()
                self._preamble.add_all(self._question)  # the text before the last question
                self._question = _Text()
            case QuestionDelta():
                self._question.add(event)
            case Repair():
                self._repairs.append(event)
        return over

    def give_up_repairs(self) -> list[Repair]:
        """Remove and return the repairs whose text has not arrived yet."""
        repairs, self._repairs = self._repairs, []
        return repairs

    def end_step(self) -> list[TranscriptStep]:
        """End the current step and return it in a list; empty if there is none."""
        if not self._step.done:
            return []
        step = self._step.step(self._dialect, len(self._steps) + 1)
        self._steps.append(step)
        self._step = _Step()
        return [step]

    def close(self) -> list[TranscriptStep]:
        """End the run and return its last step in a list; empty if there is none."""
        self._step.repairs += self.give_up_repairs()
        return self.end_step()

    def transcript(self) -> Transcript:
        """Return the finished run."""
        return Transcript(
            question=str(self._question),
            all_steps=tuple(self._steps),
            preamble=str(self._preamble),
            question_repairs=tuple(self._question_repairs),
        )
