"""Whole runs read back: the steps that were taken, with what the tools returned.

A transcript is one text, as an agent's log has it, or a record of the turns of a run, as data sets
have it (a JSON object with ``steps``, each with the model's ``output`` and the ``observation``).
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish
from agent_parsers._registry import get_dialect
from agent_parsers.engine import (
    ActionComplete,
    Dialect,
    Event,
    Failed,
    Finish,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    Role,
    Span,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.engine._turn import read_turn
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "Transcript",
    "TranscriptParser",
    "TranscriptStep",
    "parse_record",
    "parse_transcript",
    "parse_transcripts",
]


_Delta: TypeAlias = QuestionDelta | ThoughtDelta | ObservationDelta


@dataclass(frozen=True, slots=True)
class TranscriptStep:
    """A thought, the action or answer it led to, and what the tool returned.

    The spans are offsets in `str` characters into the text of the transcript, or, for a step of a
    record, into the model's output.
    """

    thought: str
    """What the model thought; may be empty."""
    action: AgentAction | AgentFinish | None
    """What it did; `None` if that could not be read."""
    observation: str | None
    """What the tool returned; `None` if the transcript has nothing of it."""
    thought_span: Span | None
    action_span: Span | None
    observation_span: Span | None
    error: OutputParserException | None = None
    """Why there is no action; `action_span` is the text at fault then."""


@dataclass(frozen=True, slots=True)
class Transcript:
    """One run of an agent."""

    question: str
    """What the agent was asked; may be empty."""
    steps: tuple[TranscriptStep, ...]
    """The steps that could be read, in order; the last may be the answer."""
    failed: tuple[TranscriptStep, ...]
    """The steps that could not be read: cut off, or not in this dialect. Each has its ``error``."""
    repairs: tuple[Repair, ...]
    """What was mended."""
    preamble: str = ""
    """What stands before the question."""
    id: str = ""
    """Name of the run in its file, if it has one."""

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` if the run ended without one."""
        answers = (step.action for step in self.steps if isinstance(step.action, AgentFinish))
        return next(answers, None)


def parse_transcript(text: str, *, dialect: str | Dialect = "react") -> Transcript:
    """Read the transcript of one run.

    Args:
        text: The whole log: a question or other preamble, then steps. It may be cut off anywhere.
        dialect: How it is written, by name or as a value.

    Returns:
        The steps that are complete, with spans, and what is wrong with the others.

    Raises:
        OutputParserException: Not a single step is in it, or it is several runs (then see
            `parse_transcripts`).
        ValueError: There is no such dialect.
    """
    runs = parse_transcripts(text, dialect=dialect)
    if len(runs) > 1:
        raise OutputParserException(
            f"expected the transcript of one run, found {len(runs)}; use parse_transcripts()",
            observation="Write the transcript of one run.",
            llm_output=text,
        )
    return runs[0]


def parse_transcripts(text: str, *, dialect: str | Dialect = "react") -> list[Transcript]:
    """Read a log of one or several runs, each of which begins with a question.

    The arguments and errors are those of `parse_transcript`.
    """
    parser = TranscriptParser(dialect)
    parser.feed(text)
    parser.close()
    if not parser.runs:
        raise OutputParserException(
            "found no step in the transcript",
            observation="Write the steps of the run, each with its labels.",
            llm_output=text,
            span=(0, len(text)),
        )
    return parser.runs


class TranscriptParser:
    """Reads a transcript as it comes in; `runs` holds what is known so far.

    Args:
        dialect: How it is written, by name or as a value.
        max_chars: Longest transcript that is read; `None` if there is no limit.
    """

    def __init__(self, dialect: str | Dialect, *, max_chars: int | None = None) -> None:
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        if not dialect.lenient.transcript_start:
            raise ValueError(f"dialect {dialect.name!r} does not say how its transcripts begin")
        self._parser = StreamParser(dialect, mode="transcript", max_chars=max_chars)
        self.runs: list[Transcript] = []
        """The runs that were read to their end."""
        table = dialect.lenient
        self._begins = {marker: table.roles[go.to] for (_, marker), go in table.moves.items()}
        self._run = _Run(self._begins)

    def feed(self, chunk: str) -> list[TranscriptStep]:
        """Take the next *chunk* and return the steps that it shows to be over.

        Raises:
            OutputParserException: The transcript is longer than *max_chars*.
        """
        return self._take(self._parser.feed(chunk))

    def close(self) -> list[TranscriptStep]:
        """Say that the transcript has ended, and return its last step, if it has one.

        Raises:
            OutputParserException: The transcript is longer than *max_chars*.
        """
        steps = self._take(self._parser.close())
        return steps + self._end_run()

    def _take(self, events: list[Event]) -> list[TranscriptStep]:
        steps: list[TranscriptStep] = []
        for event in events:
            is_question = isinstance(event, QuestionDelta) or (
                isinstance(event, MarkerSeen) and self._begins.get(event.name) is Role.QUESTION
            )
            if is_question and self._run.has_steps:
                begun = _Run(self._begins, self._run.repairs_from(event.span[0]))
                steps += self._end_run()
                self._run = begun
            steps += self._run.take(event)
        return steps

    def _end_run(self) -> list[TranscriptStep]:
        steps = self._run.end_step()
        if self._run.has_steps:
            self.runs.append(self._run.transcript())
        return steps


class _Text:
    """Text that comes in pieces, with the span from the first to the last."""

    def __init__(self) -> None:
        self._parts: list[str] = []
        self.span: Span | None = None

    def add(self, delta: _Delta) -> None:
        """Add a piece. A marker between it and the last one leaves a line break."""
        if self.span is not None and self.span[1] < delta.span[0]:
            self._parts.append("\n")
        self._parts.append(delta.text)
        self.span = (self.span or delta.span)[0], delta.span[1]

    def __str__(self) -> str:
        return "".join(self._parts)


class _Step:
    """A step that is being read."""

    def __init__(self) -> None:
        self.thought = _Text()
        self.observation = _Text()
        self.done: ActionComplete | Finish | Failed | None = None
        self.is_observed = False

    def step(self) -> TranscriptStep:
        action: AgentAction | AgentFinish | None = None
        error: OutputParserException | None = None
        match self.done:
            case ActionComplete(action=action) | Finish(finish=action):
                pass
            case Failed(error=error):
                pass
        return TranscriptStep(
            thought=str(self.thought),
            action=action,
            observation=str(self.observation) if self.is_observed else None,
            thought_span=self.thought.span,
            action_span=self.done.span if self.done else None,
            observation_span=self.observation.span,
            error=error,
        )


class _Run:
    """A run that is being read.

    Args:
        begins: What text after a marker is, by the marker's name.
        repairs: What was mended of it already.
    """

    def __init__(self, begins: Mapping[str, Role], repairs: Iterable[Repair] = ()) -> None:
        self._begins = begins
        self._preamble = _Text()
        self._question = _Text()
        self._steps: list[TranscriptStep] = []
        self._repairs = list(repairs)
        self._step = _Step()

    @property
    def has_steps(self) -> bool:
        """Whether any step was begun."""
        return bool(self._steps or self._step.done)

    def take(self, event: Event) -> list[TranscriptStep]:
        """Take the next event, and return the step that is over by it, if one is."""
        over: list[TranscriptStep] = []
        match event:
            case ThoughtDelta() | ToolNamed() | ActionComplete() | Finish() | Failed():
                if self._step.done:
                    over = self.end_step()
                if isinstance(event, ThoughtDelta):
                    self._step.thought.add(event)
                elif not isinstance(event, ToolNamed):
                    self._step.done = event
            case ObservationDelta():
                self._step.observation.add(event)
            case MarkerSeen(name=name) if self._begins.get(name) is Role.OBSERVATION:
                self._step.is_observed = True
            case MarkerSeen(name=name) if self._begins.get(name) is Role.QUESTION:
                self._preamble, self._question = self._question, self._preamble
            case QuestionDelta():
                self._question.add(event)
            case Repair():
                self._repairs.append(event)
        return over

    def repairs_from(self, at: int) -> list[Repair]:
        """Give up the repairs from offset *at* on: they are told before the label they mend."""
        late = [repair for repair in self._repairs if repair.span[0] >= at]
        del self._repairs[len(self._repairs) - len(late) :]
        return late

    def end_step(self) -> list[TranscriptStep]:
        """Say that no more of the step will come, and return it, if there is one."""
        if not self._step.done:
            return []
        step = self._step.step()
        self._steps.append(step)
        self._step = _Step()
        return [step]

    def transcript(self) -> Transcript:
        """Return the run as it was read."""
        return Transcript(
            question=str(self._question),
            steps=tuple(step for step in self._steps if step.error is None),
            failed=tuple(step for step in self._steps if step.error is not None),
            repairs=tuple(self._repairs),
            preamble=str(self._preamble),
        )


def parse_record(
    record: Mapping[str, Any], *, dialect: str | Dialect | None = None, lenient: bool = True
) -> Transcript:
    """Read a run that is recorded turn by turn.

    Args:
        record: An object with ``steps``, of which each has the model's ``output`` and, but for the
            last, the ``observation`` that followed. ``format`` names the dialect, ``task`` is the
            question, ``id`` the name of the run.
        dialect: How the outputs are written, if not as ``format`` says.
        lenient: Whether what models really write is mended.

    Raises:
        OutputParserException: It is not such an object; the message says what is missing.
        ValueError: There is no such dialect.
    """
    if not isinstance(record, Mapping):
        raise _bad_record(f"expected an object with steps, found {type(record).__name__}", record)
    steps = record.get("steps")
    if not isinstance(steps, list) or not steps:
        raise _bad_record("expected 'steps', a list with at least one step", record)
    written = dialect if dialect is not None else record.get("format")
    if not isinstance(written, str | Dialect):
        raise _bad_record("expected 'format', the name of a dialect", record)
    if isinstance(written, str):
        written = get_dialect(written)
    read = []
    repairs: list[Repair] = []
    for number, step in enumerate(steps, 1):
        output = step.get("output") if isinstance(step, Mapping) else None
        if not isinstance(output, str):
            raise _bad_record(f"expected the text 'output' in step {number}", record)
        read.append(
            _read_output(written, output, step.get("observation"), repairs, lenient=lenient)
        )
    return Transcript(
        question=str(record.get("task") or ""),
        steps=tuple(step for step in read if step.error is None),
        failed=tuple(step for step in read if step.error is not None),
        repairs=tuple(repairs),
        id=str(record.get("id") or ""),
    )


def _read_output(
    dialect: Dialect, output: str, observation: object, repairs: list[Repair], *, lenient: bool
) -> TranscriptStep:
    step = _Step()
    parser = StreamParser(dialect, mode="lenient" if lenient else "strict")
    try:
        events = read_turn(parser, output).events
    except OutputParserException as error:
        step.done = Failed(error, error.span or (0, len(output)))
        events = ()
    for event in events:
        if isinstance(event, ThoughtDelta):
            step.thought.add(event)
        elif isinstance(event, ActionComplete | Finish):
            step.done = event
        elif isinstance(event, Repair):
            repairs.append(event)
    read = step.step()
    if observation is None:
        return read
    text = (
        observation if isinstance(observation, str) else json.dumps(observation, ensure_ascii=False)
    )
    return replace(read, observation=text)


def _bad_record(reason: str, record: object) -> OutputParserException:
    return OutputParserException(
        reason,
        observation='Write {"format": ..., "steps": [{"output": ..., "observation": ...}]}.',
        llm_output=repr(record)[:200],
    )
