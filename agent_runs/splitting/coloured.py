"""Text without its colours. An answer that a console printed in one ends where it does."""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_runs.splitting.ansi import ENDS_OF_STYLE
from agent_runs.splitting.labels import begins_answer, begins_any, may_begin_question
from agent_runs.splitting.runs_of_log import FRAMES

if TYPE_CHECKING:
    from agent_runs.reading.reader import Lines

COLOURS: Final = re.compile(r"\x1b\[[\d;?]{0,30}[A-Za-z]")
"""The escape sequences of a terminal, which belong to no value."""
_styles: Final = re.compile(r"\x1b\[([\d;]{0,30})m").finditer
_FRAMES: Final = tuple(FRAMES.values())


def _begins_more(text: str) -> bool:
    """Return whether something of a run begins with *text*."""
    return begins_any(text) or may_begin_question(text) or any(f.match(text) for f in _FRAMES)


class _Styles(NamedTuple):
    """The codes of styles in a line: before its text, in it, and behind it."""

    before: list[str]
    inside: list[str]
    behind: list[str]


def _styles_in(line: str) -> _Styles:
    found = deque(_styles(line))
    before: list[str] = []
    behind: list[str] = []
    at, end = 0, len(line.rstrip())
    while found and found[0].start() == at:
        at = found[0].end()
        before.append(found.popleft()[1])
    while found and found[-1].end() == end:
        end = found[-1].start()
        behind.append(found.pop()[1])
    return _Styles(before, [style[1] for style in found], behind[::-1])


class ColouredAnswers:
    """Tells, line by line, which lines stand behind an answer and its colour.

    The colour has to begin before the label of the answer, and end at an edge of a line.
    """

    def __init__(self) -> None:
        self._is_coloured = False
        self._has_answer = False  # in this colour
        self._has_text = False  # behind the label of the answer
        self._is_behind = False

    def is_behind(self, line: str, text: str) -> bool:
        """Return whether *line*, the next one with its codes, stands behind such an answer.

        *text* is what it says, without codes, as it is read.
        """
        if "\x1b" not in line and not (self._is_coloured or self._is_behind):
            return False
        styles = _styles_in(line)
        self._switch(styles.before)
        if self._is_coloured or _begins_more(text):
            self._is_behind = False
        is_behind = self._is_behind
        if begins_any(text) or begins_answer(text):
            self._has_answer = self._is_coloured and begins_answer(text)
            self._has_text = bool(re.split("[:：]", text, maxsplit=1)[-1].strip())
        elif text.strip():
            self._has_text = True
        if styles.inside:
            self._has_answer = False
            self._switch(styles.inside)
        self._switch(styles.behind)
        return is_behind

    def _switch(self, styles: Iterable[str]) -> None:
        for style in styles:
            was_coloured, self._is_coloured = self._is_coloured, style not in ENDS_OF_STYLE
            if was_coloured and not self._is_coloured:
                self._is_behind = self._has_answer and self._has_text
                self._has_answer = False


def plain_lines(
    lines: Lines, spelt: Callable[[str], str], behind: set[int]
) -> Iterator[tuple[int, str]]:
    """Yield the *lines* without colours, as they are *spelt*, with their numbers.

    The numbers of those behind an answer and its colour are added to *behind*.
    """
    answers = ColouredAnswers()
    while line := lines.peek():
        text = spelt(COLOURS.sub("", line) if "\x1b" in line else line)
        if answers.is_behind(line, text):
            behind.add(lines.number)
        yield lines.number, text
        next(lines)
