"""Finding the items of a list in a text that arrives in pieces.

`feed` takes the next piece and returns the items that are complete; `close` returns those that the
end of the text completes. The work is linear in the length of the text, however it is cut.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from enum import Enum, auto
from typing import NamedTuple, Protocol


class ItemReader(Protocol):
    """Reads the pieces of one text and returns its items."""

    def feed(self, text: str) -> list[str]:
        """Read *text* and return the items that are complete."""

    def close(self) -> list[str]:
        """Return the remaining items at the end of the text."""


class WholeText:
    """Items that can be found only in the whole text."""

    def __init__(self, parse: Callable[[str], list[str]]) -> None:
        self._parse = parse
        self._pieces: list[str] = []

    def feed(self, text: str) -> list[str]:
        """Keep *text*."""
        self._pieces.append(text)
        return []

    def close(self) -> list[str]:
        """Return all items."""
        return self._parse("".join(self._pieces))


class MatchItems:
    """Items that *find* yields as matches; the last one is held back, since it may still grow."""

    _FREE_CHARS = 256
    """Up to this length the text is searched again with each piece. A longer text must have doubled
    since the last search, or the cost of a text without items would be quadratic."""

    def __init__(
        self, find: Callable[[str], Iterable[re.Match[str]]], parse: Callable[[str], list[str]]
    ) -> None:
        self._find = find
        self._parse = parse
        self._pieces: list[str] = []
        self._chars = 0
        self._searched_chars = 0

    def feed(self, text: str) -> list[str]:
        """Read *text* and return the items that are followed by another."""
        self._pieces.append(text)
        self._chars += len(text)
        if self._chars > self._FREE_CHARS and self._chars < 2 * self._searched_chars:
            return []
        whole = "".join(self._pieces)
        complete = [*self._find(whole)][:-1]
        rest = whole[complete[-1].end() :] if complete else whole
        self._pieces = [rest]
        self._chars = self._searched_chars = len(rest)
        return [item_of(match) for match in complete]

    def close(self) -> list[str]:
        """Return the remaining items."""
        return self._parse("".join(self._pieces))


def item_of(match: re.Match[str]) -> str:
    """Return the item in *match*: its first group, or all of it if there are no groups."""
    return (match[1] or "") if match.re.groups else match[0]


class LineItems:
    """Items that end with their line."""

    class Form(NamedTuple):
        """The patterns that find the items."""

        item: re.Pattern[str]
        """Matches an item, in a text of whole lines."""

        opener: re.Pattern[str]
        """Matches text at the end of a piece that makes the next line an item."""

    def __init__(self, form: Form) -> None:
        self._form = form
        self._held: list[str] = []

    def feed(self, text: str) -> list[str]:
        """Read *text* and return the items on complete lines."""
        end = text.rfind("\n") + 1
        if not end:
            self._held.append(text)
            return []
        lines = "".join((*self._held, text[:end]))
        items = [*self._form.item.finditer(lines)]
        opener = self._form.opener.search(lines, items[-1].end() if items else 0)
        self._held = [lines[opener.start() :] if opener else "", text[end:]]
        return [match[1] for match in items]

    def close(self) -> list[str]:
        """Return the remaining items."""
        return [match[1] for match in self._form.item.finditer("".join(self._held))]


class _Place(Enum):
    """Where the text so far ends in a comma-separated list."""

    LINE = auto()
    """At the beginning of a line, which may have no item."""
    ITEM = auto()
    """Before an item, which may turn out to be empty."""
    PLAIN = auto()
    """In an item, where a double quote is an ordinary character."""
    QUOTED = auto()
    """Between double quotes."""
    QUOTE = auto()
    """After a double quote that ends the quoted text or is the first of two."""


_STEPS = {
    # (place, character)      next place, text added to the item
    (_Place.LINE, "\n"): (_Place.LINE, ""),
    (_Place.LINE, "\r"): (_Place.LINE, ""),
    (_Place.LINE, " "): (_Place.ITEM, ""),
    (_Place.LINE, '"'): (_Place.QUOTED, ""),
    (_Place.ITEM, " "): (_Place.ITEM, ""),
    (_Place.ITEM, '"'): (_Place.QUOTED, ""),
    (_Place.QUOTE, '"'): (_Place.QUOTED, '"'),
}
_SEPARATOR = re.compile(r"[,\n\r]")


class CommaItems:
    """Comma-separated items, by the rules of Python's `csv`, which only reads whole lines."""

    def __init__(self) -> None:
        self._place = _Place.LINE
        self._item: list[str] = []

    def feed(self, text: str) -> list[str]:
        """Read *text* and return the items that are complete."""
        items: list[str] = []
        position = 0
        while position < len(text):
            if self._place is _Place.QUOTED:
                position = self._read_quoted(text, position)
            elif step := _STEPS.get((self._place, text[position])):
                self._place, gain = step
                self._item.append(gain)
                position += 1
            else:
                separator = _SEPARATOR.search(text, position)
                end = separator.start() if separator else len(text)
                self._item.append(text[position:end])
                self._place = _Place.PLAIN
                if separator:
                    items += self.close()
                    self._place = _Place.ITEM if separator[0] == "," else _Place.LINE
                position = end + 1
        return items

    def close(self) -> list[str]:
        """Return the last item, if there is one."""
        if self._place is _Place.LINE:
            return []
        item = "".join(self._item)
        self._item.clear()
        return [item]

    def _read_quoted(self, text: str, position: int) -> int:
        """Read up to the next double quote or the end; return the position after it."""
        end = text.find('"', position)
        if end < 0:
            end = len(text)
        else:
            self._place = _Place.QUOTE
        self._item.append(text[position:end])
        return end + 1
