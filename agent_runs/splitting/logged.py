"""Lines of known loggers, which stand in no value."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Final

from agent_parsers.transcripts import Notice
from agent_runs.splitting.separators import is_logged

if TYPE_CHECKING:
    from agent_runs.reading.reader import Lines

LOGGED: Final = "found a line of a logger"
"""The message of the notice about a line of a logger."""


class WithoutLogged:
    """Removes the lines of known loggers from a log.

    Args:
        lines: The lines of the log.
    """

    def __init__(self, lines: Lines) -> None:
        self._lines = lines
        self._notices: list[Notice] = []

    def __iter__(self) -> Iterator[tuple[int, str]]:
        """Yield the other lines, with their numbers."""
        while line := self._lines.peek():
            number = self._lines.number
            next(self._lines)
            if is_logged(line):
                text = line.rstrip("\n")
                self._notices.append(Notice("unowned_text", LOGGED, text=text, line=number))
            else:
                yield number, line

    def take_notices(self) -> list[Notice]:
        """Return the notices since the last call."""
        notices, self._notices = self._notices, []
        return notices
