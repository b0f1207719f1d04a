"""The text of a turn beside its calls: content, thoughts and markers."""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from operator import itemgetter
from typing import TYPE_CHECKING

from agent_parsers.engine.repairs.payloads import BadPayload

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.events import Span


@dataclass(slots=True)
class TextBeside:
    """Where the text outside the calls of a turn is."""

    content: list[Span] = field(default_factory=list)
    """The content."""
    asides: list[Span] = field(default_factory=list)
    """Text for the user that is not the answer."""
    thoughts: list[Span] = field(default_factory=list)
    """The thoughts."""
    hidden: list[Span] = field(default_factory=list)
    """What holds no call of another dialect: thoughts with their marks, and quoted calls."""
    marks: list[Span] = field(default_factory=list)
    """The markers."""
    skipped_at: int = -1
    """Where the text after the end of the turn begins; -1 without such text."""
    opener: Span | None = None
    """The first marker that the text only mentions and that opens a thought."""
    closer: Span | None = None
    """The last marker that the text only mentions and that closes a thought."""

    @property
    def last(self) -> int:
        """Where the last text begins; -1 if there is no text."""
        starts = (start for start, _ in (*self.content, *self.thoughts))
        return max((self.skipped_at, *starts))

    @property
    def answer(self) -> list[Span]:
        """The content that may be the answer."""
        return [span for span in self.content if not self._is_aside(span[0])]

    def _is_aside(self, at: int) -> bool:
        number = bisect_right(self.asides, at, key=itemgetter(0)) - 1
        return number >= 0 and at < self.asides[number][1]

    def add_content(self, span: Span, *, is_aside: bool = False) -> None:
        """Record that any text at *span* is content; an aside is never the answer."""
        if span[0] < span[1]:
            self.content.append(span)
            if is_aside:
                self.asides.append(span)

    def add_thought(self, span: Span) -> None:
        """Record that the text at *span*, unless it is empty, is a thought, or continues one."""
        if self.thoughts and self.thoughts[-1][1] == span[0]:
            span = self.thoughts.pop()[0], span[1]
        if span[0] < span[1]:
            self.thoughts.append(span)

    def mention(self, span: Span, *, opens: bool) -> None:
        """Record that the marker of a thought at *span* is only mentioned."""
        if opens:
            self.opener = self.opener or span
        else:
            self.opener, self.closer = None, span

    def enclosed(self, calls: Sequence[Span]) -> BadPayload | None:
        """Return the problem if one of *calls* is in a thought whose mark is only mentioned."""
        if not calls:
            return None
        if self.closer is not None and calls[0][0] < self.closer[0]:
            return BadPayload("call_in_thought", self.closer)
        if self.opener is not None and self.opener[0] < calls[-1][0]:
            return BadPayload("open_reasoning", self.opener)
        return None

    def restart(self, span: Span) -> None:
        """Treat all text up to the end of *span* as a thought."""
        self.thoughts = [(0, span[1])] if span[1] else []
        self.content, self.asides, self.marks, self.hidden = [], [], [], []
        self.opener = self.closer = None
