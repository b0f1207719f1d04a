"""A text in pieces: its parts, the notes about it, and how parts are cut at the edges of notes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

__all__ = ["Piece", "Remark", "cut"]


class Piece(NamedTuple):
    """A piece of a text, and the part of the text that it belongs to."""

    start: int
    end: int
    part: str


class Remark(NamedTuple):
    """A note about a span of a text, which may be empty."""

    start: int
    end: int
    kind: str
    """``repaired``, ``ignored`` or ``error``."""
    message: str


def cut(parts: Iterable[Piece], edges: Iterable[int]) -> Iterator[Piece]:
    """Cut the *parts* of a text at the *edges*; yield the pieces that are not empty.

    Args:
        parts: The parts, in order.
        edges: Offsets in the text, in any order.
    """
    places = iter(sorted(edges))
    edge = next(places, None)
    for start, end, part in parts:
        at = start
        while edge is not None and edge < end:
            if edge > at:
                yield Piece(at, edge, part)
                at = edge
            edge = next(places, None)
        if at < end:
            yield Piece(at, end, part)
