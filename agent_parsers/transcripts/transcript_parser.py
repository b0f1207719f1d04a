"""Reading whole runs, from text as in a log, or recorded turn by turn as in data sets."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from functools import cache
from reprlib import Repr
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentFinish, observation_text
from agent_parsers.authoring import Note, Part
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.engine.turn_reports import report_error
from agent_parsers.engine.whole import whole_reader
from agent_parsers.events import AnswerDelta, Event, MarkerSeen, QuestionDelta, StepFailed
from agent_parsers.registry.dialects_by_name import get_dialect
from agent_parsers.reports import LISTENERS
from agent_parsers.transcripts.run import Run
from agent_parsers.transcripts.transcript import Transcript, TranscriptStep
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import Ended

_PATH: Final = re.compile(r"[^\s:]{1,200}\.\w{2,8}")


def parse_transcript(
    text: str, *, dialect: str | Dialect = "react", tools: Tools | None = None
) -> Transcript:
    """Read the transcript of one run.

    Args:
        text: The whole log: a question or other preamble, then steps. It may be cut off anywhere.
        dialect: The dialect of the log, or its name.
        tools: The tools of the run. Inputs then have the types of the tool schemas, and steps with
            another tool or an invalid input are errors. `None` accepts any name and any input.

    Returns:
        The steps with their spans; each incomplete or invalid step has an error.

    Raises:
        OutputParserException: The text has no step, or contains several runs (see
            `parse_transcripts`).
        ValueError: There is no such dialect.
    """
    runs = parse_transcripts(text, dialect=dialect, tools=tools)
    if len(runs) > 1:
        raise OutputParserException(
            f"expected the transcript of one run, found {len(runs)}; use parse_transcripts()",
            observation="Write the transcript of one run.",
            llm_output=text,
        )
    return runs[0]


def parse_transcripts(
    text: str, *, dialect: str | Dialect = "react", tools: Tools | None = None
) -> list[Transcript]:
    """Read a log of one or more runs, each of which begins with a question.

    See `parse_transcript` for the arguments and errors.
    """
    parser = TranscriptParser(dialect, tools=tools)
    parser.feed(text)
    parser.close()
    if not parser.runs:
        is_path = _PATH.fullmatch(text) is not None
        error = OutputParserException(
            "found no step of an agent in the transcript"
            + (f"; the text looks like a path: use read_runs({text!r})" if is_path else ""),
            observation="Write the steps of the run, each with its labels.",
            llm_output=text,
        )
        error.problem = "no_step"
        report_error(error, parser.dialect.name, None, lenient=True)
        raise error
    return parser.runs


class TranscriptParser:
    """Reads a transcript as it streams in; complete runs are in `runs`.

    Args:
        dialect: The dialect of the transcript, or its name.
        max_chars: Longest transcript that is accepted, in characters; `None` for no limit.
        tools: The tools of the runs; `None` to accept any name and any input.
    """

    def __init__(
        self,
        dialect: str | Dialect,
        *,
        max_chars: int | None = None,
        tools: Tools | None = None,
    ) -> None:
        if isinstance(dialect, str):
            dialect = get_dialect(dialect)
        if not dialect.lenient.transcript_start:
            raise ValueError(
                f"dialect {dialect.name!r} cannot read transcripts: it has no transcript_start"
            )
        known = known_tools(tools)
        self._parser = StreamParser(dialect, mode="transcript", max_chars=max_chars, tools=known)
        self.runs: list[Transcript] = []
        """The runs that have been read to their end."""
        self._begins = _parts(dialect)
        self.dialect = dialect
        """The dialect of the transcript."""
        self._run = Run(dialect, self._begins)

    def feed(self, chunk: str) -> list[TranscriptStep]:
        """Read the next *chunk* and return the steps that it completes.

        Raises:
            OutputParserException: The transcript is longer than *max_chars*.
        """
        return self._take(self._parser.feed(chunk))

    def close(self) -> list[TranscriptStep]:
        """End the transcript and return its last step, if there is one.

        Raises:
            OutputParserException: The transcript is longer than *max_chars*.
        """
        steps = self._take(self._parser.close())
        return steps + self._end_run()

    def _take(self, events: list[Event]) -> list[TranscriptStep]:
        steps: list[TranscriptStep] = []
        for event in events:
            if self._run.has_steps and self._begins_run(event):
                begun = Run(self.dialect, self._begins, self._run.give_up_repairs())
                steps += self._end_run()
                self._run = begun
            steps += self._run.take(event)
        return steps

    def _begins_run(self, event: Event) -> bool:
        """Return whether *event*, which follows a step, belongs to the next run."""
        if isinstance(event, MarkerSeen):
            return self._begins.get(event.name) is Part.QUESTION
        return isinstance(event, QuestionDelta)

    def _end_run(self) -> list[TranscriptStep]:
        steps = self._run.close()
        if self._run.has_steps or (self.runs and self._run.has_question):
            self.runs.append(self._run.transcript())
        return steps


@cache
def _parts(dialect: Dialect) -> dict[str, Part]:
    """Return the part that begins after each marker, by the marker's name."""
    table = dialect.lenient
    return {
        marker: table.parts[go.to]
        for (_, marker), go in table.transitions.items()
        if not isinstance(go, Note)
    }


def parse_record(
    record: Mapping[str, Any],
    *,
    dialect: str | Dialect | None = None,
    lenient: bool = True,
    tools: Tools | None = None,
) -> Transcript:
    """Read a run from a record with one entry for each turn.

    Args:
        record: An object with ``steps``, each with the model's ``output`` and, except for the
            last, the ``observation`` that followed. ``format`` is the name of the dialect,
            ``task`` the question, ``id`` the name of the run.
        dialect: The dialect of the outputs; by default the ``format`` of the record.
        lenient: Whether to repair common mistakes.
        tools: The tools of the run, in any form that `parse_transcript` takes.

    Raises:
        OutputParserException: *record* is not such an object; the message says what is missing.
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
    known = known_tools(tools)
    read: list[TranscriptStep] = []
    for number, step in enumerate(steps, 1):
        output = step.get("output") if isinstance(step, Mapping) else None
        if not isinstance(output, str):
            raise _bad_record(f"expected a string 'output' in step {number}", record)
        seen = step.get("observation")
        # What was observed, or the next step, followed it.
        ended: Ended = "unknown" if seen is None and number == len(steps) else "stop"
        read += read_output(written, output, known, lenient=lenient, ended=ended)
        if seen is not None:
            read[-1] = replace(read[-1], observation=observation_text(seen))
    return Transcript(
        question=str(record.get("task") or ""),
        all_steps=tuple(replace(step, number=at) for at, step in enumerate(read, 1)),
        id=str(record.get("id") or ""),
    )


def read_output(
    dialect: Dialect,
    output: str,
    tools: ToolSet | None = None,
    *,
    lenient: bool = True,
    ended: Ended = "unknown",
) -> list[TranscriptStep]:
    """Return the steps in one *output* of a model: one, or one for each of several calls.

    A step that cannot be read has an error. Text outside the calls is the content of the first.
    """
    mode: Mode = "lenient" if lenient else "strict"
    plain = None if LISTENERS else whole_reader(dialect, mode).step(output, tools)
    if plain is not None:
        thought, thought_span, action, span = plain
        return [TranscriptStep(1, thought, action, None, thought_span, span, None)]
    parser = StreamParser(dialect, mode=mode, tools=tools)
    run = Run(dialect, {})
    events: list[Event] = [*parser.feed(output)]
    try:
        parser.close(ended=ended)
    except OutputParserException as error:
        failed = StepFailed(error, error.span or (0, len(output)))
        events += (*parser.last_events, failed)
    else:
        events += parser.last_events
    steps = [step for event in events for step in run.take(event)]
    steps += run.close()
    if dialect.several and steps and not isinstance(steps[0].action, AgentFinish):
        content = "".join(event.text for event in events if isinstance(event, AnswerDelta)).strip()
        steps[0] = replace(steps[0], content=content)
    return steps


def _bad_record(reason: str, record: object) -> OutputParserException:
    return OutputParserException(
        reason,
        observation='Write {"format": ..., "steps": [{"output": ..., "observation": ...}]}.',
        llm_output=Repr().repr(record),
    )
