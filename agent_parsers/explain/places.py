"""Lines and columns of a text."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import Final

__all__ = ["Places"]

_LINE_BREAK: Final = re.compile("\n")


class Places:
    r"""The lines and columns of the characters of *text*. A line ends at ``\n``."""

    def __init__(self, text: str) -> None:
        self._starts = [0, *(found.end() for found in _LINE_BREAK.finditer(text))]

    def line(self, offset: int) -> int:
        """Return the line of the character at *offset*, from 1."""
        return bisect_right(self._starts, offset)

    def line_start(self, offset: int) -> int:
        """Return the offset at which the line of the character at *offset* begins."""
        return self._starts[self.line(offset) - 1]

    def column(self, offset: int) -> int:
        """Return the column of the character at *offset*, from 1."""
        return offset - self.line_start(offset) + 1
