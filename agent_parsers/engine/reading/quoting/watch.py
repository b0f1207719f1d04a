"""Watches text for quotations, in which a marker is text."""

from __future__ import annotations

import re
from typing import Final

_FENCE: Final = "```"
TRIPLE: Final = ('"""', "'''")
"""Quotes of Python around text of several lines, in which labels do not count."""
# By the beginning of a text: what opens or closes a quotation, and what may be half of that.
_MARKS: Final = {
    "": (re.compile(_FENCE), re.compile(r"`{1,2}\Z")),
    '"': (re.compile(rf'{_FENCE}|\\.|"', re.DOTALL), re.compile(r"(?:`{1,2}|\\)\Z")),
    **{
        mark: (re.compile(f"{_FENCE}|{mark}"), re.compile(rf"(?:`{{1,2}}|{mark[0]}{{1,2}})\Z"))
        for mark in TRIPLE
    },
}


_sign: Final = re.compile(r"""[`"'\\]""").search
"""Finds a character that a quotation mark may begin with, or a backslash."""


class QuoteWatch:
    """Finds open fences in a text in chunks, and open quotes if the text begins with one.

    A fence opens at the beginning of a line, and closes anywhere.

    Double quotes come in pairs in a text that begins with a quote, or looks like JSON. Triple
    quotes come in pairs in a text that begins with them. In any other text, and with *fences_only*
    in all, quotes are data. The text may stand *at* an offset in a longer one.
    """

    __slots__ = (
        "_at", "_held", "_is_line_begun", "_kind", "has_marker", "hides_marker", "mark",
        "opened_at",
    )  # fmt: skip

    def __init__(self, *, fences_only: bool = False, at: int = 0) -> None:
        self._at = at
        self._kind: str | None = "" if fences_only else None  # unknown before the text begins
        self._held = ""
        self._is_line_begun = False  # whether the last line has more than white space
        self.mark: str = ""
        """What closes the quotation in which the text ends; ``""`` if it does not end in one."""
        self.opened_at: int = at
        """Where that quotation was opened."""
        self.has_marker: bool = False
        """Whether that quotation contains a marker."""
        self.hides_marker: bool = False
        """Whether any quotes, closed or not, contain a marker."""

    def feed(self, text: str) -> None:
        """Read more of the text."""
        self._at += len(text)
        if self._kind is not None and not self._held and _sign(text) is None:
            if not self._is_line_begun or "\n" in text:  # most chunks only go on with a line
                self._go_on(text, 0, len(text))
            return
        text = self._held + text
        if self._kind is None:
            begin = text.lstrip()[:3]
            if len(begin) < 3 and not begin.strip("\"'"):  # it may become three quotes
                self._held = text
                return
        self._read(text)

    def holds_marker(self) -> bool:
        """Return whether the next marker is inside a quotation; record that there is a marker."""
        if self._kind is None:
            self._read(self._held)
        self.has_marker = self.has_marker or bool(self.mark)
        self.hides_marker = self.hides_marker or self.mark not in ("", _FENCE)
        return bool(self.mark)

    def _read(self, text: str) -> None:
        self._held = ""
        if self._kind is None:
            begin = text.lstrip()[:3]
            if begin in TRIPLE:
                self._kind = begin
            else:
                self._kind = '"' if begin[:1] in ('"', "{", "[") else ""
        marks, half = _MARKS[self._kind]
        end = 0
        for found in marks.finditer(text):
            mark = found[0]
            self._go_on(text, end, found.start())
            end = found.end()
            if mark == self.mark:
                self.mark = ""
                self.has_marker = False
            elif not self.mark and mark[0] != "\\" and not (mark == _FENCE and self._is_line_begun):
                self.mark = mark
                self.opened_at = self._at - len(text) + found.start()
            self._is_line_begun = True
        if (held := half.search(text, max(end, len(text) - 2))) is not None:
            self._held = held[0]
        self._go_on(text, end, len(text) - len(self._held))

    def _go_on(self, text: str, start: int, stop: int) -> None:
        """Track whether the line has text, given a part of *text* without quotation marks."""
        line = text.rfind("\n", start, stop)
        if line >= 0:
            self._is_line_begun = False
            start = line
        if not self._is_line_begun:
            self._is_line_begun = bool(text[start:stop].strip())


class CodeWatch:
    """Finds out whether a text from offset *at* on ends in a fence, or in backticks on a line."""

    __slots__ = ("_fences", "_ticks", "at")

    def __init__(self, at: int = 0) -> None:
        self._fences = QuoteWatch(fences_only=True, at=at)
        self._ticks = 0  # runs of one or two backticks on the line so far
        self.at: int = at
        """Where the text read so far ends."""

    @property
    def is_open(self) -> bool:
        """Whether the text ends in code."""
        return bool(self._fences.mark or self._ticks % 2)

    def feed(self, text: str) -> None:
        """Read more of the text, which must not end between two backticks."""
        self._fences.feed(text)
        self.at += len(text)
        line = text.rpartition("\n")
        self._ticks = len(_TICKS(line[2])) + (0 if line[1] else self._ticks)


_TICKS: Final = re.compile("(?<!`)`{1,2}(?!`)").findall
