"""Files, records and steps that could not be read, and how a person is told."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.cli.options import STDIN
from agent_parsers.cli.wording import on_command_line
from output_parsers.printable import excerpt, printable

if TYPE_CHECKING:
    from rich.text import Text

    from agent_parsers import OutputParserException

_LEAST_WIDTH: Final = 40
"""Least width of excerpts in cells, even if the terminal is narrower."""


class FilePlace(NamedTuple):
    """A line and a column of a file, both from 1; columns count characters."""

    line: int
    column: int
    """0 if it is unknown."""


@dataclass(frozen=True, slots=True)
class Excerpt:
    """A line with an error, and the span of the error in it."""

    line: str
    start: int
    end: int
    number: int | None = None
    """Number of the line in the file; `None` if it is not a line of the file."""


@dataclass(frozen=True, slots=True)
class Trouble:
    """A file, record or step that could not be read, and the reason."""

    file: str
    reason: str
    place: FilePlace | None = None
    within: str = ""
    """The run, and the step in it."""
    excerpt: Excerpt | None = None


def unread_file(file: str, error: OSError | ValueError) -> Trouble:
    """Return the report about a file that cannot be read, perhaps because of its name."""
    from agent_parsers import OutputParserException  # imported lazily: the help needs none of it

    if isinstance(error, OutputParserException):
        return Trouble(file, error.reason)
    return Trouble(file, getattr(error, "strerror", None) or str(error))


def trouble_of(
    file: str, error: OutputParserException, first_line: int = 0, within: str = ""
) -> Trouble:
    """Return the report about an *error*.

    Args:
        file: Name of the file.
        error: The error; its text need not be all of the file.
        first_line: The line of the file where the error's text begins; 0 if it is not a text there.
        within: The run, and the step in it.
    """
    if not error.llm_output or error.span is None:
        return Trouble(file, error.reason, None, within)
    place = place_in_file(error, first_line)
    start, end = error.span
    if not within and (start, end) == (0, len(error.llm_output)):
        return Trouble(file, error.reason)  # all of it is no place
    line_start = error.llm_output.rfind("\n", 0, start) + 1
    line = error.llm_output[line_start:].partition("\n")[0].removesuffix("\r")
    number = place.line if place and first_line else None
    shown = Excerpt(line, start - line_start, end - line_start, number)
    return Trouble(file, error.reason, place if first_line else None, within, shown)


def place_in_file(error: OutputParserException, first_line: int) -> FilePlace | None:
    """Return where an *error* is in a file, given the line at which its text begins there."""
    if error.line is None or error.column is None:
        return None
    return FilePlace(error.line + max(first_line - 1, 0), error.column)


def name_of(file: str) -> str:
    """Return the name of a file as shown to people."""
    return "<stdin>" if file == STDIN else printable(file)


def counted(number: int, one: str, many: str = "") -> str:
    """Return a number and a noun, such as ``1 step`` or ``2 steps``; *many* is the plural."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def trouble_lines(trouble: Trouble, width: int) -> Text:
    """Return a readable message about what could not be read, where and why.

    ::

        run.txt:12:1: expected an Action or a Final Answer (run 1, step 3)
           12 | Thought: I will just say it
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    from rich.text import Text  # imported lazily: the help needs none of it

    place = "".join(f":{number}" for number in trouble.place or () if number)
    within = f" ({printable(trouble.within)})" if trouble.within else ""
    text = Text.assemble(
        (f"{name_of(trouble.file)}{place}: ", "bold"),
        printable(on_command_line(trouble.reason)),
        within,
    )
    if trouble.excerpt is not None:
        shown = trouble.excerpt
        gutter = f"{shown.number or '':>5} | "
        room = max(width, _LEAST_WIDTH) - len(gutter)
        line, marks = excerpt(shown.line, shown.start, shown.end, room)
        text.append(f"\n{gutter}", "dim")
        text.append(line)
        text.append("\n      | ".rjust(len(gutter) + 1), "dim")
        text.append(marks, "bold red")
    return text
