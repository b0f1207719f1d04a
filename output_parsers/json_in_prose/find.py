"""JSON in a model's reply: bare, in a fence, or in a fence after prose.

The end of the value is found by reading it, so a fence may occur inside its strings, be left open,
be doubled, have a language tag or follow a space. Each character is read a bounded number of times,
however often a value seems to begin.

The rule is LangChain's: a text that begins with a value is that value, whatever comes after it;
otherwise the value is the text after the first fence. `LenientJsonFinder` has a different rule.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from output_parsers.json_in_prose.skip import FENCE, STRIP, BracketSkipper, skip_blank
from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import matcher

if TYPE_CHECKING:
    from collections.abc import Callable

    from outputs.growing_json.errors import JsonError

_MAX_TAG_CHARS: Final = 32
_stripped = frozenset(STRIP)
_starts_scalar = frozenset('"-0123456789tfnNI')
_literals = frozenset(("true", "false", "null", "NaN", "Infinity"))
_tag = matcher(rf"[\w+#.]{{0,{_MAX_TAG_CHARS}}}+")


class JsonFinder:
    r"""Reads the JSON value in a text that arrives in chunks.

    ::

        finder = JsonFinder()
        finder.feed('Sure:\n```json\n{"a": "b')
        finder.reader.value          # {"a": "b"}

    White space and backticks at the end of the text so far are held back: if nothing follows, they
    are not part of the value, not even in an open string.
    """

    def __init__(self) -> None:
        self._lead: _Candidate | None = None  # at the start of the text
        self._scalar: _Candidate | None = None  # after the first fence, if that has no brackets
        self._container: _Candidate | None = None  # after a fence
        self._reading: _Candidate | None = None  # the current one
        self._read: list[str] = []  # the text it has read
        self._followed: list[_Candidate] = []  # those that stopped being JSON
        self._step: Callable[[int], int] = self._begin
        self._text = ""  # the text being searched
        self._start = 0  # where it begins in the whole text
        self._blank: list[str] = []  # the blank text at the start
        self._held = ""
        self._fences = 0  # how many fences were found
        self._new_line = False  # whether a new line follows the last fence
        self._tag = ""  # the tag after the last fence
        self._is_5 = False  # whether the first tag may be JSON instead, as in "```json5"
        self._skipper: BracketSkipper | None = None

    @property
    def reader(self) -> JsonReader | None:
        """The reader of the value so far; `None` while there is no value."""
        reading = self._reading
        if reading is not None and reading is self._lead and reading.is_container:
            return reading.reader
        best = self._best()
        if best is not None:
            return best.reader
        word = "5" if self._is_5 else self._held.removeprefix("json")
        if self._is_5 or (self._fences == 1 and _is_scalar(word)):
            reader = JsonReader()
            reader.feed(word)
            return reader
        return None

    @property
    def span(self) -> tuple[int, int] | None:
        """Where the value begins and ends in the text; `None` until it has ended."""
        best = self._best()
        if best is None or best.reader.end is None:
            return None
        return best.start, best.start + best.reader.end

    @property
    def error(self) -> JsonError | None:
        """The error at which the value, an array or object, stopped being JSON; else `None`."""
        best = self._best()
        if best is not None and not best.is_container:
            best = self._lead  # A word after a fence does not replace a broken object before it.
        if best is None or not best.is_container or best.reader.end is not None:
            return None
        error = best.reader.error
        return None if error is None else error.moved(best.start)

    def _best(self) -> _Candidate | None:
        lead = self._lead
        if lead is not None and lead.is_container and (lead.is_sound or lead.has_value):
            return lead
        found = [
            candidate
            for candidate in (self._scalar, self._container, lead)
            if candidate is not None and candidate.has_value
        ]
        if found:
            # "1. Here it is:" and then a fence: the value is not the 1.
            return found[0] if found[0] is self._container else found[-1]
        # LangChain reads `{"a": 1]` as None.
        return lead if lead is not None and lead.is_container and lead.reader.has_value else None

    def feed(self, text: str) -> None:
        """Read the next piece of text.

        Raises:
            JsonLimitError: The value is nested too deeply, or has a number that is too long.
        """
        for candidate in self._followed:
            candidate.feed(text)  # Brackets may still change its value.
        reading = self._reading
        if reading is not None:
            reading.feed(text)
            if reading.is_sound:
                if reading.reader.end is None:
                    self._read.append(text)
                return
            self._text = self._leave(reading, text)
        else:
            self._text = self._held + text
        self._held = ""
        pos = 0
        while self._reading is None and pos < len(self._text):
            pos = self._step(pos)
        self._start += len(self._text) - len(self._held)

    def _leave(self, candidate: _Candidate, text: str) -> str:
        """Stop reading *candidate*; return the rest of the text."""
        reader = candidate.reader
        stop = reader.end if reader.error is None else reader.error.pos
        assert stop is not None
        rest = ("".join(self._read) + text)[stop:]
        self._start = candidate.start + stop
        self._reading = None
        self._read.clear()
        if not reader.nothing_read:
            self._followed.append(candidate)
        if candidate is self._container or (candidate is self._scalar and reader.error is None):
            self._step = self._ignore
        elif reader.error is not None and reader.depth:
            self._skipper = BracketSkipper(reader.depth, in_string=reader.broke_in_string)
            self._step = self._skip
        else:
            self._step = self._find
        return rest

    def _read_from(self, pos: int, candidate: _Candidate) -> int:
        """Start reading *candidate* at *pos*."""
        text = self._text[pos:]
        candidate.feed(text)
        if candidate.is_sound:
            self._reading = candidate
            self._read = [text]
            return len(self._text)
        self._text = self._leave(candidate, text)
        return 0

    def _begin(self, pos: int) -> int:
        """Find the first text that is not blank."""
        start = skip_blank(self._text, pos).end()
        if start == len(self._text):
            self._blank.append(self._text)
        elif self._text[start] in "{[" or self._text[start] in _starts_scalar:
            at = self._start + start
            lead = self._lead = _Candidate(at, is_container=self._text[start] in "{[")
            if not lead.is_container and FENCE in "".join(self._blank) + self._text[:start]:
                self._lead, self._scalar = None, lead
            return self._read_from(start, lead)
        else:
            blank = "".join(self._blank)  # It may contain a fence.
            self._start -= len(blank)
            self._text = blank + self._text
            self._step = self._find
            start = 0
        return start

    def _skip(self, pos: int) -> int:
        """Skip the rest of a broken value, to its last bracket."""
        assert self._skipper is not None
        pos = self._skipper.skip(self._text, pos)
        if self._skipper.is_done:
            self._step = self._find
        return pos

    def _find(self, pos: int) -> int:
        """Find a fence."""
        text = self._text
        found = text.find(FENCE, pos)
        if found < 0:
            self._held = text[max(pos, len(text) - 2, len(text.rstrip("`"))) :]
            return len(text)
        self._fences += 1
        self._tag = ""
        self._new_line = False
        self._step = self._open
        return found + len(FENCE)

    def _open(self, pos: int) -> int:
        """Read what follows a fence: a tag, a value or other text."""
        text = self._text
        start, pos = pos, skip_blank(text, pos).end()
        _, mark, blank = text[start:pos].rpartition("`")
        self._new_line = "\n" in blank or (self._new_line and not mark)
        if pos == len(text):
            return pos
        if text[pos] in "{[":
            self._container = _Candidate(self._start + pos, is_container=True)
            return self._read_from(pos, self._container)
        may_be_scalar = self._fences == 1 and self._tag in ("", "json")
        if may_be_scalar and text[pos] in '"-0123456789':
            return self._open_scalar(pos)
        end = _tag(text, pos).end()
        if end == len(text) and end - pos < _MAX_TAG_CHARS:
            self._held = text[pos:]
            return end
        word = text[pos:end]
        if may_be_scalar and word in _literals:
            return self._open_scalar(pos)
        if not self._tag and not self._new_line:
            scalar = word.removeprefix("json")
            ends_line = text[end : end + 1] in ("\n", "\r")
            self._is_5 = may_be_scalar and word == "json5" and ends_line
            if word.startswith("json") and _is_scalar(scalar) and not self._is_5:
                self._tag = "json"
                return pos + len("json")
            if word == "json" or (word and ends_line):
                self._tag = word
                return end
        self._step = self._find
        return pos

    def _open_scalar(self, pos: int) -> int:
        self._scalar = _Candidate(self._start + pos, is_container=False)
        return self._read_from(pos, self._scalar)

    def _ignore(self, _pos: int) -> int:
        return len(self._text)


def _is_scalar(word: str) -> bool:
    return word in _literals or word[:1].isdecimal()


class _Candidate:
    """A reader of a possible value.

    Args:
        start: Where it begins in the whole text.
        is_container: Whether it starts with a bracket.
    """

    def __init__(self, start: int, *, is_container: bool) -> None:
        self.reader = JsonReader()
        self.start = start
        self.is_container = is_container
        self._held: list[str] = []

    @property
    def is_sound(self) -> bool:
        """Whether the text so far is JSON, and no text has followed a scalar."""
        reader = self.reader
        return reader.error is None and (self.is_container or reader.end is None)

    @property
    def has_value(self) -> bool:
        """Whether there is a value, other than `None` because of an unmatched bracket."""
        reader = self.reader
        return reader.has_value and (reader.error is None or reader.value is not None)

    def feed(self, text: str) -> None:
        """Read *text*, but hold back characters at its end that may have to be stripped."""
        if self._held or text[-1:] in _stripped:
            stripped = text.rstrip(STRIP)
            if not stripped:
                self._held.append(text)
                return
            text, more = "".join(self._held) + stripped, text[len(stripped) :]
            self._held = [more] if more else []
        try:
            self.reader.feed(text)
        except JsonLimitError as error:
            raise error.moved(self.start) from None
