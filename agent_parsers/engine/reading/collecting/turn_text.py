"""The text of a turn so far, including its markers."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.engine.reading.quoting.watch import CodeWatch, QuoteWatch
from outputs.growing_json.kept_text import KeptText

if TYPE_CHECKING:
    from collections.abc import Callable


class TurnText:
    """The text of a turn so far, which may be kept; tells collectors whether it ends in code."""

    __slots__ = ("_code", "_counted", "_fences", "_fences_at", "_is_kept", "_text", "add")

    def __init__(self, *, is_kept: bool) -> None:
        self._text = KeptText()
        self._is_kept = is_kept
        # Sees code since the last thought, outside of blocks of calls; at first, where that begins.
        self._code: CodeWatch | int = 0
        self._fences: QuoteWatch | None = None  # sees the fences in a part of the text
        self._fences_at = 0, 0  # the span of that part
        self._counted = 0, 1, 1  # an offset, its line and its column
        self.add: Callable[[str], None] = self._text.add
        """Takes the next chunk."""

    @property
    def text(self) -> str:
        """All text so far; empty if it is not kept."""
        return str(self._text) if self._is_kept else ""

    def slice(self, start: int, stop: int) -> str:
        """Return the text from *start* to *stop*.

        If the text is not kept, *start* never decreases from call to call.
        """
        if not self._is_kept:
            self.place(start)
            self._text.forget(start)
        return self._text.slice(start, stop)

    def place(self, at: int) -> tuple[int, int]:
        """Return the line and column (from 1) of offset *at*, which must never decrease."""
        counted, line, column = self._counted
        if at > counted:
            text = self._text.slice(counted, at)
            begin = text.rfind("\n") + 1
            line, column = line + text.count("\n"), len(text) - begin + (1 if begin else column)
            self._counted = at, line, column
        return line, column

    def is_in_fence(self, start: int, stop: int) -> bool:
        """Return whether a fence opened at offset *start* or later is open at offset *stop*.

        The text between the two is read only once if *stop* never decreases.
        """
        if self._fences is None or self._fences_at[0] != start:
            self._fences, self._fences_at = QuoteWatch(fences_only=True), (start, start)
        self._fences.feed(self._text.slice(self._fences_at[1], stop))
        self._fences_at = start, stop
        return bool(self._fences.mark)

    def is_in_code(self, at: int) -> bool:
        """Return whether *at* is an offset in code; code in thoughts and calls is ignored."""
        return self._code_up_to(at).is_open

    def _code_up_to(self, at: int) -> CodeWatch:
        if isinstance(self._code, int):
            self._code = CodeWatch(self._code)
        self._code.feed(self.slice(self._code.at, at))
        return self._code

    def begin_code(self, at: int) -> None:
        """Record that a thought ends at offset *at*, where no code is open."""
        self._code = at

    def leave_out(self, start: int, stop: int) -> None:
        """Ignore code from *start* to *stop*, which is a block of calls."""
        self._code_up_to(start).at = stop
