"""Lines that a console wrapped at its width, and how wide a text is in a terminal."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Final, NamedTuple

_WIDE: Final = frozenset("WF")
_SELECTORS: Final = re.compile("[\u200d\ufe0e\ufe0f\U0001f3fb-\U0001f3ff]")
_NARROWEST: Final = 80
"""The fewest columns of a console whose lines do not show its width."""
_JOINED: Final = "the console had wrapped lines, which were joined"
_DOUBT: Final = "the console may have wrapped lines, but the log does not show where"


def joined(
    lines: Sequence[str],
    width: int,
    *,
    begins: Callable[[str], object] | None = None,
    has_breaks: bool = True,
) -> str:
    """Return the text of *lines* that were wrapped at *width*, without the wrapping.

    A line was wrapped where the first word of the next line would not have fitted on it. A word as
    long as the whole line may go on in the next line. A text without *has_breaks* has no line
    breaks of its own: a line ended before a word that would have fitted since it had spaces at its
    end. The width is in cells, and *begins* tells lines that are known to begin anew.
    """
    parts: list[str] = []
    for line, after in pairwise((*lines, "")):
        parts.append(line)
        word = after.split(" ", 1)[0]
        room = width - cells(line) - cells(word)
        if not has_breaks and word and room > 0:
            parts.append(" " * (room + 1))
        elif not word or room > 0 or (begins is not None and begins(after)):
            parts.append("\n")
        elif cells(line) < width or " " in line:
            parts.append(" ")
    return "".join(parts).strip("\n")


def cells(text: str) -> int:
    """Return how many columns *text* takes in a terminal."""
    if text.isascii():
        return len(text)
    text = _SELECTORS.sub("", text)
    wide = sum(unicodedata.east_asian_width(char) in _WIDE for char in text)
    return len(text) + wide - sum(unicodedata.combining(char) > 0 for char in text)


class Joint(NamedTuple):
    """The text between two lines of a console."""

    gap: str
    """A line end, or what was there before the console wrapped the line."""
    message: str = ""
    """A notice about it, or nothing."""


class Wrapping:
    """The lines of a console that wraps them at its width, and may pad them with spaces."""

    def __init__(self) -> None:
        self._width = 0  # of the lines that spaces fill up; 0 if there was none
        self._before = ""  # the line before

    def begin(self, line: str) -> None:
        """Take a *line* that continues no other."""
        self._before = line.rstrip("\r\n")
        if self._before.endswith(" "):
            self._width = cells(self._before)

    def go_on(self, line: str, text: str) -> Joint:
        """Take the next *line*, whose *text* has no mark of a piece; return the joint before it."""
        before, self._before = self._before, line.rstrip("\r\n")
        said, word = before.rstrip(), text.rstrip("\n").split(" ", 1)[0]
        is_filled = self._width > 0 and cells(before) == self._width
        width = self._width or _NARROWEST
        if not word or not said or cells(said) + cells(word) < width:
            return Joint("\n")
        if not is_filled:
            return Joint("\n", "" if self._width else _DOUBT)
        return Joint(" " if cells(said) < width or " " in said.strip() else "", _JOINED)
