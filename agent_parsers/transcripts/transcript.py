"""Whole runs as data: the steps, with what the tools returned."""

from __future__ import annotations

from copy import copy
from dataclasses import dataclass, field, fields, make_dataclass, replace
from itertools import chain, repeat
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, TypeVar

from agent_parsers.actions.agent import (
    AgentAction,
    AgentFinish,
    has_failed,
    observation_text,
    pair_of,
)
from agent_parsers.actions.in_words import in_a_line, turn_lines
from agent_parsers.actions.tool_action import own_action
from output_parsers.exceptions import OutputParserException
from outputs.html import Viewable
from outputs.json_form import Storable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.events import Repair, Span

NoticeKind: TypeAlias = Literal[
    "no_answer",
    "no_observation",
    "no_input",
    "unowned_text",
    "cut_value",
    "unclear_end",
    "untyped_values",
    "altered_text",
]
"""What a notice is about:

* ``"no_answer"``: the run ends without an answer.
* ``"no_observation"``: the log does not contain what the tool returned.
* ``"no_input"``: the log does not contain the input of a call.
* ``"unowned_text"``: text that belongs to no step.
* ``"cut_value"``: the log cut a value short, or ends where the value does, so that more of it may
  have followed.
* ``"unclear_end"``: the log does not show where a value ends, so it was not read, or its last lines
  may belong to nothing.
* ``"untyped_values"``: the log shows values as text, so their types are unknown.
* ``"altered_text"``: the log wrapped or replaced text, so white space or characters are inferred.
"""


@dataclass(frozen=True, slots=True)
class Notice(Storable):
    """Something that a log leaves out, or that no step of its run contains."""

    kind: NoticeKind
    message: str
    """One clause, in the words of the log's format."""
    step: int = 0
    """Number of the step that it is about; 0 if it is about the run."""
    text: str = ""
    """The text that it is about, if it is in no step."""
    line: int = 0
    """The line of the file where that text begins, from 1; 0 if it is unknown."""


@dataclass(frozen=True, slots=True)
class RunSource(Storable):
    """Where a run was read from, and by which reader and in which dialect."""

    reader: str
    """Name of the reader, such as ``"langchain_console"``; `list_readers` returns all names."""
    within: tuple[str, ...] = ()
    """Names of the readers of what surrounds the log, outermost first: ``("notebook",)``."""
    dialect: str = ""
    """Name of the dialect in which the model's text was read; empty if the log is not text."""
    evidence: tuple[str, ...] = ()
    """What in the log shows its form."""
    file: str = ""
    """Name of the file, if it is known."""
    line: int = 0
    """The line of the file where the run begins, from 1; 0 if it is unknown."""


@dataclass(frozen=True, slots=True)
class TranscriptStep(Storable):
    """A thought, the action or answer that it led to, and what the tool returned.

    The spans are offsets in `str` characters into the text of the transcript or, for a step of a
    record, into the model's output.
    """

    number: int
    """Number of the step in the run, from 1."""
    thought: str
    """The thought: the model's reasoning, native or in a dialect. It may be empty."""
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
    content: str = ""
    """What the model said to the user beside the call, or before the answer; may be empty."""
    tool_failed: bool = False
    """Whether the log says that the tool failed: what it returned is then its error."""


@dataclass(frozen=True, slots=True)
class Conversation(Storable):
    """The conversation that a run belongs to, as one of its turns."""

    id: str = ""
    """Its id in the log; empty if it has none."""
    turn: int = 1
    """Number of the run in the conversation, from 1."""
    _runs: list[Transcript] = field(default_factory=list, repr=False, compare=False)

    @property
    def earlier(self) -> tuple[Transcript, ...]:
        """The earlier runs of the conversation; they are not part of the JSON form."""
        return tuple(self._runs[: self.turn - 1])

    def is_same(self, other: Conversation | None) -> bool:
        """Return whether *other* is a turn of this conversation, read from the same log."""
        return other is not None and other._runs is self._runs


@dataclass(frozen=True, slots=True)
class Transcript(Storable, Viewable):
    """One run of an agent."""

    _view = "agent_parsers.html.runs"

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
    source: RunSource | None = None
    """Where it was read from; `None` if not by `read_runs`."""
    notices: tuple[Notice, ...] = ()
    """What the log does not say, and text of it that belongs to no step."""
    conversation: Conversation | None = None
    """Its place in a conversation of several questions; `None` if the log has no conversations."""
    metadata: Mapping[str, Any] = field(default_factory=dict, hash=False)
    """What else the log says of the run, such as ``task_id``, ``reward``, ``model`` or ``time``."""
    called_by: str = ""
    """Id of the call of another run that this run carried out, as a sub-agent does."""

    def __str__(self) -> str:
        """Return the question and the steps as short lines, as a person reads them."""
        lines = [in_a_line(f"Question: {self.question}")] if self.question else []
        for step in self.all_steps:
            repaired = (repair.kind for repair in step.repairs)
            told = [*turn_lines(step.thought, step.content, step.action, repaired)]
            if step.error is not None:
                told.append(in_a_line(f"not read: {step.error.reason}"))
            if step.observation is not None:
                failed = "failed: " if step.tool_failed else ""
                told.append(in_a_line(f"-> {failed}{step.observation}"))
            number = f"{step.number}. "
            lines += (
                f"{' ' * len(number) if at else number}{line}" for at, line in enumerate(told)
            )
        return "\n".join(lines)

    @property
    def steps(self) -> tuple[TranscriptStep, ...]:
        """The steps that could be read; one of them may be the answer."""
        return tuple(step for step in self.all_steps if step.error is None)

    @property
    def failed(self) -> tuple[TranscriptStep, ...]:
        """The steps that could not be read, such as incomplete ones; each has an error."""
        return tuple(step for step in self.all_steps if step.error is not None)

    @property
    def repairs(self) -> tuple[Repair, ...]:
        """All repairs of the run."""
        steps = (repair for step in self.all_steps for repair in step.repairs)
        return (*self.question_repairs, *steps)

    @property
    def about(self) -> tuple[str, ...]:
        """What is known about the run apart from its steps: its turn, caller and metadata."""
        told = [f"{name}: {value}" for name, value in self.metadata.items()]
        if self.called_by:
            told.insert(0, f"started by call {self.called_by} of another agent")
        if self.conversation is not None:
            place = f"turn {self.conversation.turn} of conversation {self.conversation.id}"
            told.insert(0, place.strip())
        return tuple(told)

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` if the run ended without one."""
        answers = (step.action for step in self.steps if isinstance(step.action, AgentFinish))
        return next(answers, None)

    @property
    def output(self) -> Any:
        """The value of the final answer; `None` if the run ended without one."""
        return None if self.finish is None else self.finish.output


def transcript_of(run: Any) -> Transcript:
    """Return a *run*, from a log or from `run_agent`, as a `Transcript`.

    Raises:
        TypeError: *run* is not a run.
    """
    if isinstance(run, Transcript):
        return run
    if not (hasattr(run, "steps") and hasattr(run, "finish")):
        raise TypeError(f"expected a run from read_runs or run_agent, not {type(run).__name__}")
    steps = [_step_of(number, step) for number, step in enumerate(run.steps, 1)]
    if run.finish is not None:
        steps.append(TranscriptStep(len(steps) + 1, "", run.finish, None, None, None, None))
    repairs: Any = getattr(run, "step_repairs", ())
    said = (chain(each, repeat(none)) for each, none in (
        (run.thoughts, ""), (run.contents, ""), (repairs, ())
    ))  # fmt: skip
    told = (
        replace(step, thought=thought, content=content, repairs=(*step.repairs, *repaired))
        for step, thought, content, repaired in zip(steps, *said, strict=False)
    )
    return Transcript(run.question, tuple(told))


def _step_of(number: int, step: Any) -> TranscriptStep:
    """Return a *step* of an agent: what it did, what it saw, or why it could not be read."""
    if isinstance(step, TranscriptStep):
        return replace(
            step, number=number, thought_span=None, action_span=None, observation_span=None
        )
    made = TranscriptStep(number, "", None, None, None, None, None)
    if isinstance(step, OutputParserException):
        return replace(made, observation=step.observation, error=step)
    action, seen = pair_of(step)
    failed, seen = has_failed(seen), observation_text(seen)
    return replace(made, action=own_action(action), observation=seen, tool_failed=failed)


T = TypeVar("T")


def _opened(kind: type[T]) -> type[T]:
    """Return a class with the slots of *kind*, a frozen one, whose values are not frozen yet.

    Such a value is frozen by setting its ``__class__`` to *kind*. Together this takes a quarter of
    the time of the constructor, since no field is set through `object.__setattr__`.
    """
    slots = [(each.name, each.type, copy(each)) for each in fields(kind)]  # type: ignore[arg-type]  # a dataclass
    return make_dataclass(kind.__name__, slots, bases=kind.__bases__, eq=False, slots=True)


OpenSource: Final = _opened(RunSource)
OpenStep: Final = _opened(TranscriptStep)
OpenTranscript: Final = _opened(Transcript)
