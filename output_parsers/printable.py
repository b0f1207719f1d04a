"""Showing values in messages: the text of a model, safe for a terminal, and what a value is."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

__all__ = ["cells", "clipped", "excerpt", "fit", "kind_of", "printable"]

_JOINERS: Final = "\u200c\u200d"
"""Not printable by themselves, but needed in Persian, Hindi and some emoji."""
_CHARS_BEFORE: Final = 30
"""At most this many characters of a long line are shown before its marks."""


def printable(text: str) -> str:
    """Return *text* without control characters, each replaced by one character.

    Any white space becomes a space; escape characters, direction marks and lone surrogates become
    U+FFFD.
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return " " if char.isspace() else "\ufffd"


def cells(text: str) -> int:
    """Return how many terminal cells the printable *text* takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    from unicodedata import category, east_asian_width  # imported lazily: it is large

    if category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(char) in {"W", "F"} else 1


def fit(text: str, room: int) -> int:
    """Return how many characters of *text* fit into *room* cells; at most *room*."""
    text = text[:room]
    if text.isascii():
        return len(text)
    used = 0
    for at, char in enumerate(text):
        used += _cells(char)
        if used > room:
            return at
    return len(text)


def clipped(text: str, room: int) -> str:
    """Return the printable *text*, cut to *room* cells with ``…`` at its end."""
    return text if cells(text) <= room else text[: fit(text, room - 1)] + "…"


def excerpt(line: str, start: int, end: int, room: int) -> tuple[str, str]:
    """Return the part of *line* around ``line[start:end]`` that fits, and the marks below it.

    Args:
        line: A line of a text, without its line break.
        start: Where the marks begin.
        end: Where they end; there is at least one, and none is beyond what is shown.
        room: How many cells there are, at least two.

    Returns:
        The printable part of the line, with ``…`` where it is cut, and spaces and ``^`` that stand
        below ``line[start:end]``, below wide characters too.
    """
    cut = 0
    stop = min(max(end, start + 1), start + room)
    if start and (start >= room or cells(printable(line[:stop])) > room):
        cut = max(start - min(_CHARS_BEFORE, room // 3), 0)
    shown = printable(line[cut : cut + room + 1])
    if cut:
        shown = "…" + shown[1:]
    shown = clipped(shown, room)
    before = shown[: start - cut]
    marks = max(cells(shown[start - cut : end - cut]), 1)
    return shown.rstrip(), " " * cells(before) + "^" * marks


def kind_of(value: object) -> str:
    """Return what to call *value* in an error that says it is of the wrong type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else type(value).__name__
