"""Raw values: text up to a closing mark, which the text itself may quote."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["RawValue"]

_FOLLOWED: Final = re.compile(r"[ \t]*+(?:[\r\n<]|(\Z)|(?=[^\r\n<]))").match


class RawValue:
    """Reads a value up to its closing mark as it comes in.

    Raw text has no escapes, so it may hold its own mark. A mark closes it if a line break, a tag or
    the end of the text follows; if there is no such mark, the last one does. To take an earlier one
    would be to act on half a value.

    Args:
        closer: The mark.
        first: Whether the first mark closes it in any case.
    """

    __slots__ = ("_closer", "_first", "_held", "_tail", "is_closed")

    def __init__(self, closer: str, *, first: bool = False) -> None:
        self._closer = closer
        self._first = first
        self._held: list[str] = []  # from the last mark on, which may have closed the value
        self._tail = ""  # the beginning of a mark, or a mark that is not decided about
        self.is_closed = False

    def feed(self, text: str) -> tuple[str, str]:
        """Take *text*; return what it adds to the value, and what follows once that is closed."""
        text = self._tail + text
        self._tail = ""
        told: list[str] = []
        at = 0
        while (mark := text.find(self._closer, at)) >= 0:
            told += (*self._held, text[at:mark])
            self._held = []
            end = mark + len(self._closer)
            after = None if self._first else _FOLLOWED(text, end)
            if after is not None and after[1] is not None:
                self._tail = text[mark:]
                return "".join(told), ""
            if after is None or (after.end() > end and text[after.end() - 1] in "\r\n<"):
                self.is_closed = True
                return "".join(told), text[mark:]
            self._held = [text[mark:end]]
            at = end
        size = held_size(text[at:], self._closer)
        (self._held or told).append(text[at : len(text) - size])
        self._tail = text[len(text) - size :]
        return "".join(told), ""

    def close(self) -> tuple[str, str]:
        """Say that the text has ended; return the rest of the value, and what follows it."""
        tail, self._tail = self._tail, ""
        if self._held or tail.startswith(self._closer):
            self.is_closed = True
            return "", "".join(self._held) + tail
        return tail, ""


def held_size(text: str, marker: str) -> int:
    """Return how many characters at the end of *text* a later chunk may complete to *marker*."""
    for size in range(min(len(marker) - 1, len(text)), 0, -1):
        if text.endswith(marker[:size]):
            return size
    return 0
