"""Shows how two texts differ, line by line."""

from __future__ import annotations

import re
from difflib import unified_diff
from typing import TYPE_CHECKING, Final

from output_parsers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["difference"]

_CONTEXT: Final = 3
"""Number of lines shown around those that differ."""
_hunk: Final = re.compile(r"@@ -(\d+)").match


def difference(snapshot: str, now: str) -> Iterator[str]:
    """Yield the lines that differ and those around them, below the number of the first line.

    ::

        line 9
          Write in this form:

        - Action: the tool to use
        + Step: the tool to use
          Action Input: the input for that tool

    In lines that differ, trailing white space is shown as middle dots.
    """
    if snapshot.endswith("\n") and now.endswith("\n"):
        snapshot, now = snapshot[:-1], now[:-1]
    lines = unified_diff(snapshot.split("\n"), now.split("\n"), n=_CONTEXT, lineterm="")
    for line in list(lines)[2:]:
        if found := _hunk(line):
            yield f"line {found[1]}"
        else:
            yield _shown(line)


def _shown(line: str) -> str:
    mark, text = line[0], line[1:]
    if mark == " ":
        return f"  {printable(text)}".rstrip()
    kept = text.rstrip()
    return f"{mark} {printable(kept)}{'·' * (len(text) - len(kept))}"
