"""Text in the cells of a terminal: what is safe to show, how wide it is, where it wraps."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Final
from unicodedata import category, east_asian_width

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cells", "fit", "shown", "wrapped"]

_JOINERS: Final = "\u200c\u200d"
"""Not printable by themselves, but part of how Persian, Hindi and some emoji are written."""


def shown(text: str) -> str:
    """Return *text* without what a terminal obeys: one character for one character.

    Any white space becomes a space; escape sequences, changes of direction and lone surrogates
    become U+FFFD.
    """
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return " " if char.isspace() else "\ufffd"


def cells(text: str) -> int:
    """Return how many cells *text* takes, which is safe to show."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
    if category(char) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(char) in {"W", "F"} else 1


def fit(text: str, room: int) -> int:
    """Return how many characters of *text* fit into *room* cells; never more than *room*."""
    text = text[:room]
    if text.isascii():
        return len(text)
    used = 0
    for at, char in enumerate(text):
        used += _cells(char)
        if used > room:
            return at
    return len(text)


def wrapped(text: str, room: int) -> Iterator[str]:
    """Give *text* in lines of *room* cells, two at least, broken at spaces where there are any."""
    text = shown(text)
    at = 0
    while True:
        end = at + fit(text[at : at + room], room)
        if end >= len(text):
            yield text[at:]
            return
        space = text.rfind(" ", at + 1, end + 1)
        if space < 0:
            yield text[at:end]
            at = end
        else:
            yield text[at:space]
            at = space + 1
