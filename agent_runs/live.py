"""Logs that arrive with pauses: from a pipe, or in a file that grows."""

from __future__ import annotations

import os
import select
import stat
from codecs import getincrementaldecoder
from collections import deque
from collections.abc import Callable
from time import monotonic, sleep
from typing import IO, Final

QUIET_S: Final = 1.0
"""How long nothing comes before what has come is read as if it were all, in seconds."""
_TICK_S: Final = 0.1
"""How often a file that grows is looked at, in seconds."""
_CHUNK: Final = 1 << 16


def waiting_on(stream: IO[bytes], *, grows: bool) -> Callable[[float | None], bool] | None:
    """Return a function that waits for more bytes of *stream*; `None` if it cannot be waited for.

    The function takes a timeout in seconds, and returns whether there are more bytes, or the stream
    has ended. Pipes, sockets and terminals are waited for where the system supports it; a file only
    if it *grows*.
    """
    try:
        number = stream.fileno()
        mode = os.fstat(number).st_mode
    except (AttributeError, OSError):  # it is no file of the system
        return None
    if grows and stat.S_ISREG(mode):
        return lambda seconds: _has_grown(stream, number, seconds)
    may_wait = stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode) or stat.S_ISCHR(mode)
    if not may_wait or os.name != "posix":
        return None
    return lambda seconds: bool(select.select([number], [], [], seconds)[0])


def _has_grown(stream: IO[bytes], number: int, seconds: float | None) -> bool:
    end = None if seconds is None else monotonic() + seconds
    while os.fstat(number).st_size <= stream.tell():
        if end is not None and monotonic() >= end:
            return False
        sleep(_TICK_S)
    return True


class LiveText:
    """The lines of a log that is still being written; each pause ends a part.

    It is read like a text file, which ends when nothing has followed a whole line for a second.
    Then the log has ended, or `wait` waits for more and `restart` goes back to a line, so that the
    end can be read again with the lines that follow it.

    Args:
        stream: Its bytes, of which none is ahead in a buffer larger than 64 KB.
        encoding: The encoding.
        wait: Waits for more bytes; see `waiting_on`.
    """

    errors: Final = "surrogateescape"
    """How a byte is decoded that is not text."""

    def __init__(
        self, stream: IO[bytes], encoding: str, wait: Callable[[float | None], bool]
    ) -> None:
        self._stream, self._wait = stream, wait
        self._decoder = getincrementaldecoder(encoding)(self.errors)
        self._arrived: deque[str] = deque()
        self._open: list[str] = []  # pieces of the line that has not ended
        self._kept: list[str] = []
        self._next = 0  # index of the next line in what is kept
        self._is_first = True
        self.number: int = 1
        """The number of the first line that is kept."""
        self.is_quiet: bool = False
        """Whether nothing has come for a while."""
        self.has_ended: bool = False
        """Whether the log has ended."""

    def readline(self, _limit: int = -1) -> str:
        """Return the next line, or ``""`` at the end of a part."""
        if self._next == len(self._kept):
            line = self._more()
            if not line:
                return ""
            self._kept.append(line)
        self._next += 1
        return self._kept[self._next - 1]

    def read(self, _size: int = -1) -> str:
        """Return the next piece of text, or ``""`` at the end of a part."""
        return self.readline()

    def forget(self, line: int) -> None:
        """Drop the lines before the number *line*; `restart` cannot go back to them."""
        count = max(min(line - self.number, self._next), 0)
        del self._kept[:count]
        self.number += count
        self._next -= count

    def wait(self) -> None:
        """Wait until more of the log arrives, or the log ends."""
        self._wait(None)

    def restart(self) -> None:
        """Go back to the first line that is kept."""
        self._next = 0
        self.is_quiet = False

    def _more(self) -> str:
        while not self._arrived:
            if self.is_quiet or self.has_ended:
                return ""
            # Half a line is going on; the first chunk may be in a buffer already.
            is_between = not (self._open or self._is_first)
            if is_between and not self._wait(QUIET_S):
                self.is_quiet = True
                return ""
            if not (is_between or self._is_first):
                self._wait(None)
            self._is_first = False
            self._take(self._stream.read1(_CHUNK))  # type: ignore[attr-defined]
        return self._arrived.popleft()

    def _take(self, data: bytes) -> None:
        self.has_ended = not data
        text = self._decoder.decode(data, final=not data)
        *lines, last = text.split("\n")
        for line in lines:
            self._arrived.append(f"{''.join(self._open)}{line}\n")
            self._open.clear()
        if last:
            self._open.append(last)
        if self.has_ended and self._open:
            self._arrived.append("".join(self._open))
            self._open.clear()
