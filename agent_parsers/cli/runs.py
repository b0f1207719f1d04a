"""Runs as the command line shows them, with the positions of steps that could not be read."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentFinish, get_dialect, parse_record
from agent_parsers.cli.places import Document, Place

if TYPE_CHECKING:
    from agent_parsers import Repair, Transcript, TranscriptStep

__all__ = [
    "STDIN",
    "Excerpt",
    "Options",
    "Placed",
    "Run",
    "Trouble",
    "run_of_record",
    "run_of_text",
]

STDIN: Final = "-"
"""The file name for standard input."""


@dataclass(frozen=True, slots=True)
class Options:
    """The options for reading files."""

    dialect: str | None = None
    """Name of the dialect; `None` for the format of a record, or ReAct for text."""
    lenient: bool = True
    """Whether to repair common mistakes in records."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line with an error, and the span of the error in it."""

    line: str
    start: int
    end: int
    number: int | None = None
    """Number of the line in the file; `None` for a line inside a JSON string."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file, record or step that could not be read, and the reason."""

    file: str
    reason: str
    place: Place | None = None
    within: str = ""
    """The record or run, and the step in it."""
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Placed:
    """A step, with its position if it could not be read."""

    step: TranscriptStep
    place: Place | None = None
    """For a step that could not be read: line and column in the text of its span."""
    trouble: Trouble | None = None
    """For a step that could not be read: what to report to the user."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent, with its file and number."""

    file: str
    number: int
    """Number of the run or record in its file, from 1."""
    dialect: str
    transcript: Transcript
    steps: tuple[Placed, ...]
    """All steps in order, those that could not be read included."""

    @property
    def repairs(self) -> list[tuple[int, Repair]]:
        """The repairs, each with the number of its step; 0 is before the first step."""
        question = [(0, repair) for repair in self.transcript.question_repairs]
        steps = ((s.step.number, repair) for s in self.steps for repair in s.step.repairs)
        return [*question, *steps]

    @property
    def answer(self) -> Placed | None:
        """The step with the final answer; `None` if the run ended without one."""
        return next((s for s in self.steps if isinstance(s.step.action, AgentFinish)), None)

    @property
    def troubles(self) -> list[Trouble]:
        """The steps that could not be read."""
        return [step.trouble for step in self.steps if step.trouble is not None]


def run_of_text(
    file: str, number: int, dialect: str, document: Document, transcript: Transcript
) -> Run:
    """Return a run that was read from a text, with the positions of its steps."""
    steps = [
        _placed_in_text(file, f"run {number}", step, document) for step in transcript.all_steps
    ]
    return Run(file, number, dialect, transcript, tuple(steps))


def _placed_in_text(file: str, run: str, step: TranscriptStep, document: Document) -> Placed:
    if step.error is None or step.action_span is None:
        return Placed(step)
    start, stop = step.action_span
    place = document.place(start)
    line, line_start = document.line_at(start)
    trouble = Trouble(
        file,
        step.error.reason,
        place,
        f"{run}, step {step.number}",
        Excerpt(line, start - line_start, stop - line_start, place.line),
    )
    return Placed(step, place, trouble)


def run_of_record(
    file: str, number: int, record: Any, options: Options, document: Document, index: int = 0
) -> Run | Trouble:
    """Read a record, and return its run or the reason why it cannot be read.

    Args:
        file: Name of the file.
        number: Number of the record in the file, from 1.
        record: The parsed JSON value.
        options: How to read it.
        document: The JSON text that contains it.
        index: Index of the record in the list in *document*; 0 if it is not a list.
    """
    within = f"record {number}"
    name = record.get("id") if isinstance(record, dict) else None
    if isinstance(name, str) and name:
        within += f' "{name}"'
    try:
        dialect = get_dialect(options.dialect or _format_of(record))
        transcript = parse_record(record, dialect=dialect, lenient=options.lenient)
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:  # including OutputParserException
        reason = str(error)
    else:
        numbered = (
            _placed_in_record(file, within, step, document, index) for step in transcript.all_steps
        )
        return Run(file, number, dialect.name, transcript, tuple(numbered))
    return Trouble(file, reason, document.place(document.of_record(index)), within)


def _format_of(record: Any) -> str:
    """Return the name of the dialect in a record.

    Raises:
        ValueError: The record does not name a dialect.
    """
    if not isinstance(record, dict):
        raise ValueError(  # noqa: TRY004 - the file is wrong, not the caller
            f"expected an object with steps, found {_JSON_NAMES[type(record)]}"
        )
    name = record.get("format")
    if name is None:
        raise ValueError("the record has no 'format'; name its dialect with --dialect")
    if not isinstance(name, str):
        found = _JSON_NAMES[type(name)]
        raise ValueError(  # noqa: TRY004 - see above
            f"expected the name of a dialect as 'format', found {found}"
        )
    return name


_JSON_NAMES: Final = {
    dict: "an object",
    list: "a list",
    str: "a string",
    int: "a number",
    float: "a number",
    bool: "a boolean",
    type(None): "null",
}


def _placed_in_record(
    file: str, within: str, step: TranscriptStep, document: Document, index: int
) -> Placed:
    error = step.error
    if error is None or step.action_span is None:
        return Placed(step)
    output = Document(error.llm_output or "")
    start, stop = step.action_span
    line, line_start = output.line_at(start)
    trouble = Trouble(
        file,
        error.reason,
        document.place(document.in_output(index, step.number - 1, start)),
        f"{within}, step {step.number}",
        Excerpt(line, start - line_start, stop - line_start),
    )
    return Placed(step, output.place(start), trouble)
