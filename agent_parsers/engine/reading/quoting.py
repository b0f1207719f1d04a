"""Text that holds quotations: whether what comes next is inside one, so that it is no marker."""

from __future__ import annotations

import re
from typing import Final

__all__ = ["QuoteWatch", "may_quote"]

_FENCE: Final = "```"
_TRIPLE: Final = ('"""', "'''")
# By how a text begins: what opens or closes a quotation, and what may be half of that.
_MARKS: Final = {
    "": (re.compile(_FENCE), re.compile(r"`{1,2}\Z")),
    '"': (re.compile(rf'{_FENCE}|\\.|"', re.DOTALL), re.compile(r"(?:`{1,2}|\\)\Z")),
    **{
        mark: (re.compile(f"{_FENCE}|{mark}"), re.compile(rf"(?:`{{1,2}}|{mark[0]}{{1,2}})\Z"))
        for mark in _TRIPLE
    },
}


def may_quote(text: str) -> bool:
    """Tell whether a `QuoteWatch` may find a quotation in *text*."""
    return _FENCE in text or text.lstrip()[:1] in ('"', "'", "{", "[")


class QuoteWatch:
    """Watches a text as it comes in: fences, and quotes if it begins with one.

    A fence opens at the beginning of a line, and closes anywhere.

    A text that begins with a quote, or as JSON, has its double quotes in pairs; one that begins
    with three quotes has those. In any other text quotes are data.

    Args:
        fences_only: Whether quotes are data in any case.
        at: Where the text begins, in `str` characters of a longer one.
    """

    __slots__ = (
        "_at", "_held", "_is_line_begun", "_kind", "has_marker", "hides_marker", "mark",
        "opened_at",
    )  # fmt: skip

    def __init__(self, *, fences_only: bool = False, at: int = 0) -> None:
        self._at = at
        self._kind: str | None = "" if fences_only else None  # unknown before the text begins
        self._held = ""
        self._is_line_begun = False  # whether more than white space is in the last line
        self.mark = ""
        """What closes the quotation in which the text ends; ``""`` if it ends in none."""
        self.opened_at = at
        """Where that was opened."""
        self.has_marker = False
        """Whether it holds a marker."""
        self.hides_marker = False
        """Whether any quotes, be they closed, hold one."""

    def feed(self, text: str) -> None:
        """Take more of the text."""
        self._at += len(text)
        text = self._held + text
        if self._kind is None:
            begin = text.lstrip()[:3]
            if len(begin) < 3 and not begin.strip("\"'"):  # it may become three quotes
                self._held = text
                return
        self._read(text)

    def holds_marker(self) -> bool:
        """Tell whether a marker that comes next is inside a quotation."""
        if self._kind is None:
            self._read(self._held)
        self.has_marker = self.has_marker or bool(self.mark)
        self.hides_marker = self.hides_marker or self.mark not in ("", _FENCE)
        return bool(self.mark)

    def _read(self, text: str) -> None:
        self._held = ""
        if self._kind is None:
            begin = text.lstrip()[:3]
            if begin in _TRIPLE:
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
        """Note what the part of *text* between two marks does to the line."""
        line = text.rfind("\n", start, stop)
        if line >= 0:
            self._is_line_begun = False
            start = line
        self._is_line_begun = self._is_line_begun or bool(text[start:stop].strip())
