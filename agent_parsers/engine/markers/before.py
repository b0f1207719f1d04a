"""The text before a marker, as far as that decides what the marker means."""

from __future__ import annotations

import re
from typing import Final

from agent_parsers.engine.markers.kinds import LONGEST_LEAD

__all__ = ["TextBefore"]


class TextBefore:
    """The text of a state before the next marker, as far as that decides what the marker means."""

    __slots__ = (
        "_ends_in_tick", "_ticks", "blank", "depth", "has_thought", "is_first", "last", "lead",
    )  # fmt: skip

    def __init__(self) -> None:
        self.is_first: bool = True
        """Whether there is no text but white space."""
        self.last: str = ""
        """Its last character that is not white space."""
        self.lead: str = ""
        """Its end, without the white space."""
        self.blank: list[str] = []
        """The white space at its end."""
        self.has_thought: bool = False
        """Whether a thought was closed before it."""
        self.depth: int = 0
        """How many thoughts are open within the thought that it belongs to."""
        self._ticks = 0  # runs of backticks on the line so far
        self._ends_in_tick = False  # whether the last run may go on

    def begin(self) -> None:
        """Begin the text of a state."""
        self.is_first = False
        self.lead = ""

    def add(self, body: str) -> None:
        """Take more text, which does not end in white space."""
        self.last = body[-1]
        self.lead = (self.lead + body)[-LONGEST_LEAD:]
        if self._ticks or self._ends_in_tick or "`" in body:
            self.count_ticks(body)

    def count_ticks(self, text: str) -> None:
        """Count the runs of backticks on the line, of which *text* is the next part."""
        if "\n" in text:
            text = text[text.rfind("\n") :]
            self._ticks = 0
        if "`" in text:
            goes_on = self._ends_in_tick and text[0] == "`"
            self._ticks += len(_runs_of_ticks(text)) - goes_on
        self._ends_in_tick = text[-1:] == "`"

    @property
    def ends_line(self) -> bool:
        """Whether a line has ended since the last text."""
        return any("\n" in blank for blank in self.blank)

    @property
    def opens_backticks(self) -> bool:
        """Whether a backtick on the line is not closed."""
        return bool(self._ticks % 2)


_runs_of_ticks: Final = re.compile("`++").findall
