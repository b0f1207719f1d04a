"""Answers that a console printed in a colour: they end where it does."""

from __future__ import annotations

import re
from typing import Final

from agent_runs.splitting.ansi import ENDS_OF_STYLE
from agent_runs.splitting.labels import begins_answer, begins_any, may_begin_question
from agent_runs.splitting.runs_of_log import FRAMES

_CODE: Final = r"\x1b\[([\d;]{0,30})m"
_codes: Final = re.compile(_CODE).findall
_FRAMES: Final = tuple(FRAMES.values())
_AT_EDGES: Final = re.compile(
    rf"(?P<lead>(?>(?:{_CODE})*))(?P<text>.*?)(?P<end>(?>(?:{_CODE})*)\s*)\Z", re.DOTALL
).match


def _begins_more(text: str) -> bool:
    """Return whether something of a run begins with *text*."""
    return begins_any(text) or may_begin_question(text) or any(f.match(text) for f in _FRAMES)


class ColouredAnswers:
    """Tells, line by line, which lines stand behind an answer and its colour.

    The colour has to begin before the label of the answer, and end at an edge of a line.
    """

    def __init__(self) -> None:
        self._is_coloured = False
        self._has_answer = False  # in this colour
        self._has_text = False  # behind the label of the answer
        self._is_behind = False

    def precede(self, line: str, text: str) -> bool:
        """Return whether *line*, the next one with its codes, stands behind such an answer.

        *text* is what it says, without codes, as it is read.
        """
        if "\x1b" not in line and not (self._is_coloured or self._is_behind):
            return False
        edges = _AT_EDGES(line)
        assert edges is not None, "the pattern matches any line"
        self._switch(edges["lead"])
        if self._is_coloured or _begins_more(text):
            self._is_behind = False
        is_behind = self._is_behind
        if begins_any(text) or begins_answer(text):
            self._has_answer = self._is_coloured and begins_answer(text)
            self._has_text = bool(re.split("[:：]", text)[-1].strip())
        elif text.strip():
            self._has_text = True
        if _codes(edges["text"]):
            self._has_answer = False
            self._switch(edges["text"])
        self._switch(edges["end"])
        return is_behind

    def _switch(self, text: str) -> None:
        """Take the codes in *text*."""
        for code in _codes(text):
            was_coloured, self._is_coloured = self._is_coloured, code not in ENDS_OF_STYLE
            if was_coloured and not self._is_coloured:
                self._is_behind = self._has_answer and self._has_text
                self._has_answer = False
