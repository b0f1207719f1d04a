"""Whole runs as data: the steps, with what the tools returned."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction, AgentFinish
from outputs.json_form.storable import Storable

if TYPE_CHECKING:
    from agent_parsers.events import Repair, Span
    from output_parsers import OutputParserException

__all__ = ["Transcript", "TranscriptStep"]


@dataclass(frozen=True, slots=True)
class TranscriptStep(Storable):
    """A thought, the action or answer it led to, and what the tool returned.

    The spans are offsets in `str` characters into the text of the transcript or, for a step of a
    record, into the model's output.
    """

    number: int
    """Number of the step in the run, from 1."""
    thought: str
    """The thought; may be empty."""
    action: AgentAction | AgentFinish | None
    """The action or the answer; `None` if it could not be read."""
    observation: str | None
    """What the tool returned; `None` if the transcript does not contain it."""
    thought_span: Span | None
    action_span: Span | None
    observation_span: Span | None
    repairs: tuple[Repair, ...] = ()
    """The repairs of the step."""
    error: OutputParserException | None = None
    """Why there is no action; `action_span` is then the span of the error."""


@dataclass(frozen=True, slots=True)
class Transcript(Storable):
    """One run of an agent."""

    question: str
    """What the agent was asked; may be empty."""
    all_steps: tuple[TranscriptStep, ...]
    """The steps in order, including those that could not be read."""
    preamble: str = ""
    """The text before the question."""
    question_repairs: tuple[Repair, ...] = ()
    """The repairs before the first step."""
    id: str = ""
    """Name of the run in its file, if it has one."""

    @property
    def steps(self) -> tuple[TranscriptStep, ...]:
        """The steps that could be read; one of them may be the answer."""
        return tuple(step for step in self.all_steps if step.error is None)

    @property
    def failed(self) -> tuple[TranscriptStep, ...]:
        """The steps that could not be read: cut off, or not in this dialect; each has an error."""
        return tuple(step for step in self.all_steps if step.error is not None)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs of the run."""
        steps = (repair for step in self.all_steps for repair in step.repairs)
        return (*self.question_repairs, *steps)

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` if the run ended without one."""
        answers = (step.action for step in self.steps if isinstance(step.action, AgentFinish))
        return next(answers, None)
