"""One search for JSON in a text that arrives in chunks: find a candidate, read it, skip it.

A candidate is a place where a value may begin. What follows is read until the value ends or stops
being JSON. If it stops, the rest of its brackets are skipped, because no part of a broken value is
another value, and the search goes on behind them. Each character is read a bounded number of times,
however often a value seems to begin.

Where a candidate may begin, and which one is the value, is the rule of each search:

* `JsonFinder`, LangChain's rule: the start of the text, or else a fence. The value may be cut.
* `LenientJsonFinder`: the start of the text, a fence, or the only bracket in prose that JSON
  follows. The value is repaired, and has to be whole.

Agents look for calls in the same way (`agent_parsers.engine.calls.json.search`), but pass on the
text before a call as it arrives, so that reader keeps its own text; it shares `BracketSkipper`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Generic, TypeVar

from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.scalars import Matcher, matcher, to_bracket, to_quote

if TYPE_CHECKING:
    from outputs.growing_json.lenient.strings import JsonRepair
    from outputs.growing_json.reader import JsonReader

FENCE: Final = "```"

STRIP: Final = "".join(char for char in map(chr, range(0x3001)) if char.isspace()) + "`"
"""Characters around a value that do not count as text: white space and backticks."""

skip_blank: Matcher = matcher(f"[{STRIP}]*+")
"""Matches any number of these characters."""


class BracketSkipper:
    """Finds the end of a broken value, so that no part of it is read as another value.

    Args:
        depth: How many brackets are open.
        in_string: Whether the value stopped being JSON inside a string.
    """

    def __init__(self, depth: int, *, in_string: bool) -> None:
        self._depth = depth
        self._in_string = in_string
        self._escaped = False

    @property
    def is_done(self) -> bool:
        """Whether all brackets are closed."""
        return self._depth <= 0

    def skip(self, text: str, pos: int) -> int:
        """Return the position in *text* where all brackets are closed, or its end."""
        size = len(text)
        if self._escaped and pos < size:
            self._escaped = False
            pos += 1
        while pos < size and self._depth > 0:
            pos = (to_quote if self._in_string else to_bracket)(text, pos).end() + 1
            if pos > size:
                return size
            char = text[pos - 1]
            if char == '"':
                self._in_string = not self._in_string
            elif char == "\\":
                self._escaped = True
            else:
                self._depth += 1 if char in "[{" else -1
        return pos


# -- the search ------------------------------------------------------------------------------------

_FIRST_WINDOW: Final = 256
"""In characters."""


@dataclass(frozen=True, slots=True)
class FoundJson:
    """A value and its position."""

    value: Any
    span: tuple[int, int] | None
    """Where it begins and ends; `None` if it is cut, or broken at its end."""
    repairs: tuple[JsonRepair, ...] = ()
    """The repairs, in the order of the text, including any text around the value."""


class PossibleJson:
    """A possible value.

    Args:
        start: Where it begins in the whole text.
        reader: Reads it.
    """

    def __init__(self, start: int, reader: JsonReader) -> None:
        self.start = start
        self.reader = reader
        self.pieces: list[str] = []
        """The text from its start on, as far as it was read."""

    @property
    def end(self) -> int:
        """The end of the value, as an offset in the whole text."""
        return self.start + (self.reader.end or 0)

    def feed(self, text: str) -> None:
        """Read the next piece of text."""
        self.reader.feed(text)


C = TypeVar("C", bound=PossibleJson)


class CandidateSearch(ABC, Generic[C]):
    """Finds a value in a text that arrives in chunks; a subclass says where a value may begin."""

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._step: Callable[[int], int] = self._find
        self._text = ""  # the text being searched
        self._start = 0  # where it begins in the whole text
        self._held = ""  # the end of it, if its meaning depends on what follows
        self._candidate: C | None = None  # the current one
        self._broken: list[C] = []  # those whose brackets may still change their value
        self._window = 0  # how much more of it is read at once; 0 for all text
        self._copied = 0  # how much text was copied for candidates
        self._skipper: BracketSkipper | None = None

    @property
    def text(self) -> str:
        """The whole text so far."""
        text = "".join(self._texts)
        self._texts = [text]
        return text

    @property
    @abstractmethod
    def reader(self) -> JsonReader | None:
        """The reader of the value so far; `None` while there is no value."""

    @abstractmethod
    def close(self) -> FoundJson:
        """End the text and return the value.

        Raises:
            json.JSONDecodeError: There is no value, or it cannot be read to its end.
        """

    def feed(self, text: str) -> None:
        """Read the next piece of text.

        Raises:
            JsonLimitError: The value is nested too deeply, or has a number that is too long.
        """
        self._texts.append(text)
        for candidate in self._broken:
            candidate.feed(text)
        if self._held:
            text, self._held = self._held + text, ""
        self._text = text
        pos = 0
        while pos < len(self._text):
            pos = self._step(pos)
        self._start += pos - len(self._held)

    @abstractmethod
    def _find(self, pos: int) -> int:
        """Look for a candidate from *pos* on; return where to continue.

        This and the other steps take and return positions in the text being searched.
        """

    @abstractmethod
    def _leave(self, candidate: C) -> None:
        """Note that *candidate* has ended or stopped being JSON, and set the next step."""

    def _try(self, candidate: C, pos: int) -> int:
        """Start reading *candidate*, which begins at *pos*."""
        self._candidate = candidate
        self._step = self._read
        # At first all text is read at once, which is fastest. If that fails again and again, it is
        # read in growing windows, to keep the time linear.
        self._copied += len(self._text) - pos
        is_rare = self._copied <= 4 * (self._start + len(self._text))
        self._window = 0 if is_rare else _FIRST_WINDOW
        return pos

    def _read(self, pos: int) -> int:
        """Read more of the current candidate."""
        candidate = self._candidate
        assert candidate is not None
        if self._window:
            piece = self._text[pos : pos + self._window]
            self._window *= 4
        else:
            piece = self._text[pos:]
        candidate.pieces.append(piece)
        try:
            candidate.feed(piece)
        except JsonLimitError as error:
            raise error.moved(candidate.start) from None
        reader = candidate.reader
        if reader.error is None and reader.end is None:
            return pos + len(piece)
        stop = reader.end if reader.error is None else reader.error.pos
        assert stop is not None
        self._candidate = None
        self._step = self._find
        self._leave(candidate)
        start = candidate.start + stop
        if start < self._start:  # Reading stopped in an earlier chunk, but only now this is known.
            read = "".join(candidate.pieces)
            self._text = read[stop : self._start - candidate.start] + self._text
            self._start = start
        return start - self._start

    def _skip_rest(self, reader: JsonReader) -> None:
        """Skip the rest of the broken value of *reader* next, up to its last bracket."""
        self._skipper = BracketSkipper(reader.depth, in_string=reader.broke_in_string)
        self._step = self._skip

    def _skip(self, pos: int) -> int:
        assert self._skipper is not None
        pos = self._skipper.skip(self._text, pos)
        if self._skipper.is_done:
            self._step = self._find
        return pos

    def _ignore(self, _pos: int) -> int:
        """Ignore the rest of the text."""
        return len(self._text)
