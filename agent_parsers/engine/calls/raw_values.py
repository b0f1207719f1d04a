"""Raw values: text up to a closing mark that the text itself may quote."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from outputs.growing_json.scalars import Search

_FOLLOWED: Final = re.compile(r"[ \t]*+(?:[\r\n<]|(\Z)|(?=[^\r\n<]))").match


class RawValue:
    """Reads a value up to its closing mark, chunk by chunk.

    Raw text has no escapes, so it may contain its own closing mark. A mark closes the value if a
    line break, a tag or the end of the text follows; if no mark does, the last mark closes it.
    Stopping at an earlier one would mean acting on half a value.

    Args:
        closer: The closing mark.
        first: Whether the first mark always closes the value.
    """

    __slots__ = ("_closer", "_first", "_held", "_tail", "is_closed")

    def __init__(self, closer: str, *, first: bool = False) -> None:
        self._closer = closer
        self._first = first
        self._held: list[str] = []  # text from the last mark, which may have closed the value
        self._tail = ""  # the beginning of a mark, or a mark still undecided
        self.is_closed: bool = False

    def feed(self, text: str) -> tuple[str, str]:
        """Read *text*; return the part that belongs to the value, and the part after the value."""
        text = self._tail + text
        self._tail = ""
        value: list[str] = []
        at = 0
        while (mark := text.find(self._closer, at)) >= 0:
            value += (*self._held, text[at:mark])
            self._held = []
            end = mark + len(self._closer)
            after = None if self._first else _FOLLOWED(text, end)
            if after is not None and after[1] is not None:
                self._tail = text[mark:]
                return "".join(value), ""
            if after is None or (after.end() > end and text[after.end() - 1] in "\r\n<"):
                self.is_closed = True
                return "".join(value), text[mark:]
            self._held = [text[mark:end]]
            at = end
        size = held_size(text[at:], self._closer)
        (self._held or value).append(text[at : len(text) - size])
        self._tail = text[len(text) - size :]
        return "".join(value), ""

    def close(self) -> tuple[str, str]:
        """End the text; return the rest of the value, and the text after it."""
        tail, self._tail = self._tail, ""
        if self._held or tail.startswith(self._closer):
            self.is_closed = True
            return "", "".join(self._held) + tail
        return tail, ""


@cache
def finder(marks: tuple[str, ...]) -> Search:
    """Return a search for one of *marks*, or for an incomplete one at the end (no group 1)."""
    begun = (mark[:size] for mark in marks for size in range(len(mark) - 1, 0, -1))
    whole, half = ("|".join(map(re.escape, texts)) for texts in (marks, begun))
    return re.compile(rf"({whole})|(?:{half})\Z").search


def held_size(text: str, marker: str) -> int:
    """Return how many characters at the end of *text* may be the beginning of *marker*."""
    for size in range(min(len(marker) - 1, len(text)), 0, -1):
        if text.endswith(marker[:size]):
            return size
    return 0
