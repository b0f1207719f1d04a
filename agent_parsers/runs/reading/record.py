"""Reading runs that are recorded turn by turn, as in data sets."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from reprlib import Repr
from typing import TYPE_CHECKING, Any

from agent_parsers import AgentFinish, Dialect, StreamParser, get_dialect
from agent_parsers.core import LISTENERS, StepReader, as_text, known_tools, whole_reader
from agent_parsers.events import AnswerDelta, Event, StepFailed
from agent_parsers.runs.reading.run import Run
from agent_parsers.runs.reading.transcript import Transcript, TranscriptStep
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import Tools, ToolSet

__all__ = ["parse_record", "read_output"]


def parse_record(
    record: Mapping[str, Any],
    *,
    dialect: str | Dialect | None = None,
    lenient: bool = True,
    tools: Tools | None = None,
) -> Transcript:
    """Read a run that is recorded turn by turn.

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
            raise _bad_record(f"expected the text 'output' in step {number}", record)
        read += read_output(written, output, known, lenient=lenient)
        seen = step.get("observation")
        if seen is not None:
            read[-1] = replace(read[-1], observation=as_text(seen))
    return Transcript(
        question=str(record.get("task") or ""),
        all_steps=tuple(replace(step, number=at) for at, step in enumerate(read, 1)),
        id=str(record.get("id") or ""),
    )


def read_output(
    dialect: Dialect, output: str, tools: ToolSet | None = None, *, lenient: bool = True
) -> list[TranscriptStep]:
    """Return the steps in one *output* of a model: one, or one for each call.

    A step that cannot be read has an error. Text beside the calls is part of the first thought.
    """
    mode: Mode = "lenient" if lenient else "strict"
    reader = whole_reader(dialect, mode).canonical
    if isinstance(reader, StepReader) and not LISTENERS:
        plain = reader.step(output, tools)
        if plain is not None:
            return [
                TranscriptStep(
                    1, plain.thought, plain.result, None, plain.thought_span, plain.span, None
                )
            ]
    parser = StreamParser(dialect, mode=mode, tools=tools)
    run = Run(dialect, {})
    events: list[Event] = [*parser.feed(output)]
    try:
        parser.close()
    except OutputParserException as error:
        failed = StepFailed(error, error.span or (0, len(output)))
        events += (*parser.last_events, failed)
    else:
        events += parser.last_events
    steps = [step for event in events for step in run.take(event)]
    steps += run.close()
    if dialect.several and steps and not isinstance(steps[0].action, AgentFinish):
        content = "".join(event.text for event in events if isinstance(event, AnswerDelta)).strip()
        thought = "\n".join(filter(None, (steps[0].thought, content)))
        steps[0] = replace(steps[0], thought=thought)
    return steps


def _bad_record(reason: str, record: object) -> OutputParserException:
    return OutputParserException(
        reason,
        observation='Write {"format": ..., "steps": [{"output": ..., "observation": ...}]}.',
        llm_output=Repr().repr(record),
    )
