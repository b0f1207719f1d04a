"""A stream in colours, as it arrives."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_parsers.events import Event, MarkerSeen
from agent_parsers.explain.explanation import PARTS_OF_EVENTS
from agent_parsers.explain.screen import painted
from output_parsers.exceptions import OutputParserException
from output_parsers.printable import printable

if TYPE_CHECKING:
    from agent_parsers.engine.stream_parser import StreamParser


class Following:
    """The text of one turn, piece by piece, in colours (ANSI escape sequences) if *color* is true.

    Text is held back only while a later chunk may change what it means. Control characters are
    replaced.
    """

    def __init__(self, parser: StreamParser, *, color: bool) -> None:
        self._parser = parser
        self._color = color
        self._chunks: list[str] = []
        self._is_too_long = False
        self._held = ""
        self._at = 0  # the offset of the text that is held

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._chunks)

    def feed(self, chunk: str) -> str:
        """Return what can be shown after this *chunk*."""
        self._chunks.append(chunk)
        self._held += chunk
        if self._is_too_long:
            return ""
        try:
            return self._shown(self._parser.feed(chunk))
        except OutputParserException:
            self._is_too_long = True
            return ""

    def close(self) -> str:
        """Return the rest of the text. Use `explain` to see whether the turn can be read."""
        events: Iterable[Event] = ()
        try:
            if not self._is_too_long:
                events = self._parser.close()
        except OutputParserException:
            events = self._parser.last_events
        return self._shown(events) + self._drawn(self._held, "skipped")

    def _shown(self, events: Iterable[Event]) -> str:
        shown = []
        tiles = (event for event in events if type(event) in PARTS_OF_EVENTS)
        for event in sorted(tiles, key=lambda event: event.span):
            size = event.span[1] - self._at
            if size > 0:
                part = "marker" if isinstance(event, MarkerSeen) else PARTS_OF_EVENTS[type(event)]
                shown.append(self._drawn(self._held[:size], part))
                self._held = self._held[size:]
                self._at += size
        return "".join(shown)

    def _drawn(self, text: str, part: str) -> str:
        lines = map(printable, text.split("\n"))
        return "\n".join(painted(line, part) if self._color else line for line in lines)
