"""Prompts of DSPy 2.0 to 2.4: blocks between rulers, of which the last one is the question.

::

    Answer questions with short factoid answers.

    ---

    Question: Is it old?
    Answer: Yes.

    ---

    Follow the following format.

    Question: ${question}
    Answer: often between 1 and 5 words

    ---

    Question: Is it deep?
    Answer: It is.

Source: ``inspect_history`` of DSPy 2.0 to 2.4.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from agent_runs.splitting.instructions import MOST_LINES

_FORMAT: Final = "Follow the following format."


def is_block_ruler(line: str) -> bool:
    """Return whether *line* may stand between the blocks of such a prompt."""
    return line.rstrip() == "---"


def behind_blanks(ahead: Callable[[int], str], at: int) -> int:
    """Return which line is the first from *at* on that is not empty."""
    while (line := ahead(at)) and not line.strip():
        at += 1
    return at


class Blocks:
    """Finds such prompts in lines that are looked at in order.

    Args:
        ahead: Returns a line from the next on, given how far; empty behind the last.
    """

    def __init__(self, ahead: Callable[[int], str]) -> None:
        self._ahead = ahead
        self._plain_until = 0  # no line before this one begins a format

    def size_at(self, index: int, further: int = 0) -> int:
        """Return how many lines the blocks have up to the last ruler; 0 if there are none.

        They begin *further* lines on than the next one, whose number is *index*.
        """
        if not is_block_ruler(self._ahead(further)) or not self._has_format(index, further):
            return 0
        return _size_of(lambda at: self._ahead(further + at))

    def _has_format(self, index: int, further: int) -> bool:
        """Return whether a format is near; each line is looked at once."""
        at = max(self._plain_until - index, further)
        while at - further < MOST_LINES and (line := self._ahead(at)):
            if line.rstrip() == _FORMAT:
                return True
            at += 1
            self._plain_until = index + at
        return False


def _size_of(ahead: Callable[[int], str]) -> int:
    """Return how many lines the blocks have that begin with the next one; 0 without a format.

    Two empty lines stand behind a response, where another prompt may follow.
    """
    behind_format = 0
    end = at = 0
    while at - end < MOST_LINES and (at < MOST_LINES or behind_format):
        line = ahead(at)
        if not line or (not line.strip() and not ahead(at + 1).strip()):
            break
        at += 1
        if is_block_ruler(line):
            is_format = ahead(behind_blanks(ahead, end)).rstrip() == _FORMAT
            if end and is_format and behind_format:
                return behind_format  # it is that of another prompt
            behind_format = at if end and is_format else behind_format
            end = at
    return end if behind_format else 0
