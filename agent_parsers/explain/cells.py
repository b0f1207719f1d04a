"""Measuring and wrapping text in the cells of a terminal."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING
from unicodedata import category, east_asian_width

from output_parsers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["cells", "fit", "wrapped"]


def cells(text: str) -> int:
    """Return how many cells the printable *text* takes."""
    return len(text) if text.isascii() else sum(map(_cells, text))


@lru_cache(maxsize=4096)
def _cells(char: str) -> int:
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


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield *text* in lines of *room* cells (at least two), broken at spaces if possible."""
    text = printable(text)
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
