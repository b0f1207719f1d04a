"""Reading the text of whole runs, as in the log of an agent."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers import StreamParser, get_dialect
from agent_parsers.authoring import Note, Part
from agent_parsers.core import known_tools, report_error
from agent_parsers.events import Event, MarkerSeen, QuestionDelta
from agent_parsers.runs.reading.run import Run
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.runs.reading.transcript import Transcript, TranscriptStep
    from agent_parsers.toolset import Tools

__all__ = ["TranscriptParser", "parse_transcript", "parse_transcripts"]

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
            "found no step in the transcript"
            + (f", but what looks like a path: read_runs({text!r}) reads it" if is_path else ""),
            observation="Write the steps of the run, each with its labels.",
            llm_output=text,
        )
        error.problem = "no_step"
        report_error(error, parser.dialect.name, None, lenient=True)
        raise error
    return parser.runs


class TranscriptParser:
    """Reads a transcript as it streams in; `runs` has the runs that are complete.

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
            raise ValueError(f"dialect {dialect.name!r} does not declare how its transcripts begin")
        known = known_tools(tools)
        self._parser = StreamParser(dialect, mode="transcript", max_chars=max_chars, tools=known)
        self.runs: list[Transcript] = []
        """The runs that have been read to their end."""
        self._begins = _parts(dialect)
        self.dialect = dialect
        """The dialect of the transcript."""
        self._run = Run(dialect, self._begins)

    def feed(self, chunk: str) -> list[TranscriptStep]:
        """Take the next *chunk* and return the steps that it completes.

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
