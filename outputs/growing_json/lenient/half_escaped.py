"""Strings that keep some backslashes as text, in JSON and in code; few do: import it lazily."""

from __future__ import annotations

import re
from typing import Final

_DRIVE: Final = re.compile(r"[A-Za-z]:(?:[\\\n\r\t]|\Z)").match


def may_keep_others(letters: set[str], begun: str) -> bool:
    """Return whether a string that keeps some backslashes as text may have to keep others as well.

    A line break or a tab does not belong into the path of a file, and a backspace or a form feed
    into no text.

    Args:
        letters: The letters behind the other backslashes, which were read as escapes.
        begun: The beginning of the string, as it is written or as it is read.
    """
    return not letters.isdisjoint("bf") or (bool(letters) and _DRIVE(begun) is not None)
