"""What the command line knows of a run: its steps by number, and where the bad ones stand."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentFinish, get_dialect, parse_record
from agent_parsers.cli._places import Document, Place

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers import Dialect, Repair, Transcript, TranscriptStep

__all__ = [
    "STDIN",
    "Excerpt",
    "Numbered",
    "Options",
    "Run",
    "Trouble",
    "run_of_record",
    "run_of_text",
]

STDIN: Final = "-"
"""The name that stands for standard input."""


@dataclass(frozen=True, slots=True)
class Options:
    """How the user wants files to be read."""

    dialect: str | None = None
    """Name of the dialect; `None`: as a record says, else ReAct."""
    lenient: bool = True
    """Whether what models really write is mended in records."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line at fault, and which part of it."""

    line: str
    start: int
    end: int
    number: int | None = None
    """Number of the line in the file; `None` for a line that stands there encoded, as in JSON."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that could not be read, and where."""

    file: str
    reason: str
    place: Place | None = None
    within: str = ""
    """Which record or run, and which step of it."""
    excerpt: Excerpt | None = None


@dataclass(frozen=True, slots=True)
class Numbered:
    """A step, with its number in the run."""

    number: int
    step: TranscriptStep
    place: Place | None = None
    """For a step that could not be read: line and column in the text of its span."""
    trouble: Trouble | None = None
    """For the same: what to tell the user."""


@dataclass(frozen=True, slots=True)
class Run:
    """One run of an agent, and where it was found."""

    file: str
    number: int
    """Number of the run or record in its file, from 1."""
    dialect: str
    transcript: Transcript
    steps: tuple[Numbered, ...]
    """All steps in order, those that could not be read included."""
    repairs: tuple[tuple[int, Repair], ...]
    """What was mended, each with the number of its step."""

    @property
    def answer(self) -> Numbered | None:
        """The step with the final answer; `None` if the run ended without one."""
        return next((s for s in self.steps if isinstance(s.step.action, AgentFinish)), None)

    @property
    def troubles(self) -> list[Trouble]:
        """The steps that could not be read."""
        return [step.trouble for step in self.steps if step.trouble is not None]


def run_of_text(
    file: str, number: int, dialect: str, document: Document, transcript: Transcript
) -> Run:
    """Give each step of a run from a text its number."""
    steps = [
        _numbered_in_text(file, f"run {number}", at, step, document)
        for at, step in enumerate(
            sorted((*transcript.steps, *transcript.failed), key=_place_in_text), 1
        )
    ]
    repairs = []
    at = 0
    for repair in transcript.repairs:
        while at < len(steps) - 1 and _end_in_text(steps[at].step) < repair.span[1]:
            at += 1
        repairs.append((steps[at].number, repair))
    return Run(file, number, dialect, transcript, tuple(steps), tuple(repairs))


def _numbered_in_text(
    file: str, run: str, number: int, step: TranscriptStep, document: Document
) -> Numbered:
    if step.error is None or step.action_span is None:
        return Numbered(number, step)
    start, stop = step.action_span
    place = document.place(start)
    line, line_start = document.line_at(start)
    trouble = Trouble(
        file,
        step.error.reason,
        place,
        f"{run}, step {number}",
        Excerpt(line, start - line_start, stop - line_start, place.line),
    )
    return Numbered(number, step, place, trouble)


def _place_in_text(step: TranscriptStep) -> int:
    assert step.action_span is not None, "a step of a text has an end"
    return step.action_span[0]


def _end_in_text(step: TranscriptStep) -> int:
    assert step.action_span is not None, "a step of a text has an end"
    return (step.observation_span or step.action_span)[1]


def run_of_record(
    file: str, number: int, record: Any, options: Options, document: Document, index: int = 0
) -> Run | Trouble:
    """Read a record, and number its steps.

    Args:
        file: Name of the file.
        number: Number of the record in the file, from 1.
        record: What JSON made of it.
        options: How to read it.
        document: The JSON it is from.
        index: Index of the record in the list that *document* holds; 0 if it is no list.
    """
    within = f"record {number}"
    name = record.get("id") if isinstance(record, dict) else None
    if isinstance(name, str) and name:
        within += f' "{name}"'
    try:
        dialect = _dialect(options.dialect or _format_of(record))
        transcript = parse_record(record, dialect=dialect, lenient=options.lenient)
        steps, repairs = _by_number(record, transcript, dialect, options)
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:  # OutputParserException among them
        reason = str(error)
    else:
        numbered = (
            _numbered_in_record(file, within, at, step, document, index)
            for at, step in enumerate(steps, 1)
        )
        return Run(file, number, dialect.name, transcript, tuple(numbered), tuple(repairs))
    return Trouble(file, reason, document.place(document.of_record(index)), within)


_dialect = cache(get_dialect)  # which looks into a folder each time


def _format_of(record: Any) -> str:
    """Return the name of the dialect that a record gives.

    Raises:
        ValueError: It gives none.
    """
    if not isinstance(record, dict):
        raise ValueError(  # noqa: TRY004 - it is the file that is wrong, not the caller
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


def _by_number(
    record: Mapping[str, Any], transcript: Transcript, dialect: Dialect, options: Options
) -> tuple[list[TranscriptStep], list[tuple[int, Repair]]]:
    """Return all steps of a record in order, and each repair with the number of its step.

    A `Transcript` has the bad steps and the repairs apart from the good ones and does not say where
    they were. Records that have any are read again, step by step, to find out.
    """
    if not transcript.failed and not transcript.repairs:
        return list(transcript.steps), []
    steps: list[TranscriptStep] = []
    repairs: list[tuple[int, Repair]] = []
    for number, step in enumerate(record["steps"], 1):
        alone = parse_record({"steps": [step]}, dialect=dialect, lenient=options.lenient)
        steps += (*alone.steps, *alone.failed)
        repairs += ((number, repair) for repair in alone.repairs)
    return steps, repairs


def _numbered_in_record(
    file: str, within: str, number: int, step: TranscriptStep, document: Document, index: int
) -> Numbered:
    error = step.error
    if error is None or step.action_span is None:
        return Numbered(number, step)
    output = Document(error.llm_output or "")
    start, stop = step.action_span
    line, line_start = output.line_at(start)
    trouble = Trouble(
        file,
        error.reason,
        document.place(document.in_output(index, number - 1, start)),
        f"{within}, step {number}",
        Excerpt(line, start - line_start, stop - line_start),
    )
    return Numbered(number, step, output.place(start), trouble)
