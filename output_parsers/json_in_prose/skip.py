"""Skipping blanks and broken values in the search for JSON."""

from __future__ import annotations

from typing import Final

from outputs.growing_json.scalars import Matcher, matcher, to_bracket, to_quote

FENCE: Final = "```"

STRIP: Final = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + "`"
"""Characters around a value that do not count as text: white space and backticks."""

skip_blank: Matcher = matcher(f"[{STRIP}]*+")
"""Matches any number of these characters."""


class BracketSkipper:
    """Finds the end of a broken value, so that no part of it is read as another value.

    Args:
        depth: How many brackets are open.
        in_string: Whether the value stopped being JSON inside a string.
    """

    def __init__(self, depth: int, *, in_string: bool) -> None:
        self._depth = depth
        self._in_string = in_string
        self._escaped = False

    @property
    def is_done(self) -> bool:
        """Whether all brackets are closed."""
        return self._depth <= 0

    def skip(self, text: str, pos: int) -> int:
        """Return the position in *text* where all brackets are closed, or its end."""
        size = len(text)
        if self._escaped and pos < size:
            self._escaped = False
            pos += 1
        while pos < size and self._depth > 0:
            pos = (to_quote if self._in_string else to_bracket)(text, pos).end() + 1
            if pos > size:
                return size
            char = text[pos - 1]
            if char == '"':
                self._in_string = not self._in_string
            elif char == "\\":
                self._escaped = True
            else:
                self._depth += 1 if char in "[{" else -1
        return pos
