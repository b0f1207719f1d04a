"""Signs of another form inside a log, as in what a tool returned: they make no log of that form.

A sign is one only if a run of its form can be read from it on, up to the next sign of the log in
which it stands. So a log that has two forms stays one that does.
"""

from __future__ import annotations

from bisect import bisect_left
from typing import TYPE_CHECKING, Final

from agent_parsers import OutputParserException
from agent_parsers.runs.readers.known import readers_of_text
from agent_parsers.runs.reading.reader import MALFORMED, Lines, Reading
from agent_parsers.runs.reading.transcript import RunSource

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agent_parsers.runs.reading.reader import TextReader

__all__ = ["forms_with_runs"]

_MOST_SIGNS: Final = 20


def forms_with_runs(names: Collection[str], head: str) -> list[str]:
    """Return those of the forms *names* that a text may have, of which each has a sign.

    Args:
        names: The names of their readers.
        head: The beginning of the text.
    """
    lines = head.splitlines(keepends=True)
    readers = [readers_of_text()[name] for name in names]
    begins = [_sign_of(reader, lines).start for reader in readers]
    begin = min(begins)
    outer = readers[begins.index(begin)]
    return [
        reader.name
        for reader, at in zip(readers, begins, strict=True)
        if at == begin or _has_run_inside(reader, outer, lines, at)
    ]


def _has_run_inside(reader: TextReader, outer: TextReader, lines: Sequence[str], at: int) -> bool:
    """Return whether *reader* reads a run between signs of *outer*, from the line *at* on."""
    for _ in range(_MOST_SIGNS):
        if at >= len(lines):
            return False
        end = _sign_of(outer, lines, after=at).start
        if _has_run(reader, lines[at:end]):
            return True
        at = _sign_of(reader, lines, after=end).start
    return True  # so many signs are no chance


def _sign_of(reader: TextReader, lines: Sequence[str], *, after: int = -1) -> range:
    """Return which of the *lines* are the first sign of the form of *reader*.

    Args:
        reader: The reader.
        lines: The lines.
        after: The line behind which to look.
    """
    first = after + 1
    ends = range(first, len(lines) + 1)
    end = bisect_left(ends, True, key=lambda end: bool(reader.evidence("".join(lines[first:end]))))
    end += first
    if end > len(lines):
        return range(len(lines), end)  # there is none
    starts = range(first, end)
    start = bisect_left(
        starts, True, key=lambda start: not reader.evidence("".join(lines[start:end]))
    )
    return range(first + max(start, 1) - 1, end)


def _has_run(reader: TextReader, lines: Sequence[str]) -> bool:
    """Return whether *reader* reads a step or an answer from *lines*, or needs more to tell."""
    reading = Reading(RunSource(reader.name), on_error=lambda _error: None)
    try:
        runs = reader.read(Lines(lines), reading)
        return any(step.action is not None for run in runs for step in run.all_steps)
    except OutputParserException:
        return False
    except (AssertionError, *MALFORMED):
        return True
