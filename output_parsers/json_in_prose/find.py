"""JSON in a model's reply: bare, in a fence, or in a fence after prose.

The end of the value is found by reading it, so a fence may occur inside its strings, be left open,
be doubled, have a language tag or follow a space.

The rule is LangChain's: a text that begins with a value is that value, whatever comes after it;
otherwise the value is the text after the first fence. `LenientJsonFinder` has a different rule.
"""

from __future__ import annotations

import json
from typing import Final

from typing_extensions import override

from output_parsers.json_in_prose.search import (
    FENCE,
    STRIP,
    CandidateSearch,
    FoundJson,
    PossibleJson,
    skip_blank,
)
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import matcher, read_number

_MAX_TAG_CHARS: Final = 32
_stripped = frozenset(STRIP)
_starts_scalar = frozenset('"-0123456789tfnNI')
_literals = frozenset(("true", "false", "null", "NaN", "Infinity"))
_tag = matcher(rf"[\w+#.]{{0,{_MAX_TAG_CHARS}}}+")


class JsonFinder(CandidateSearch["_Candidate"]):
    r"""Reads the JSON value in a text that arrives in chunks.

    ::

        finder = JsonFinder()
        finder.feed('Sure:\n```json\n{"a": "b')
        finder.reader.value          # {"a": "b"}

    White space and backticks at the end of the text so far are held back: if nothing follows, they
    are not part of the value, not even in an open string.
    """

    def __init__(self) -> None:
        super().__init__()
        self._step = self._begin
        self._lead: _Candidate | None = None  # at the start of the text
        self._scalar: _Candidate | None = None  # after the first fence, if that has no brackets
        self._container: _Candidate | None = None  # after a fence
        self._blank: list[str] = []  # the blank text at the start
        self._fences = 0  # how many fences were found
        self._new_line = False  # whether a new line follows the last fence
        self._tag = ""  # the tag after the last fence
        self._is_5 = False  # whether the first tag may be JSON instead, as in "```json5"

    @property
    @override
    def reader(self) -> JsonReader | None:
        lead = self._lead
        if lead is not None and lead.is_container and lead.reader.error is None:
            return lead.reader  # the usual case
        best = self._best()
        return self._word() if best is None else best.reader

    def _word(self) -> JsonReader | None:
        """Return a reader of the word after the first fence, which may be a value or a tag."""
        word = "5" if self._is_5 else self._held.removeprefix("json")
        if not (self._is_5 or (self._fences == 1 and _is_scalar(word))):
            return None
        reader = JsonReader()
        reader.feed(word)
        return reader

    @property
    def span(self) -> tuple[int, int] | None:
        """Where the value begins and ends in the text; `None` until it has ended."""
        return _span_of(self._best())

    def _best(self) -> _Candidate | None:
        lead = self._lead
        if lead is not None and lead.is_container and (lead.reader.error is None or lead.has_value):
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

    @override
    def close(self) -> FoundJson:
        """Return the value, which may be cut short.

        Raises:
            json.JSONDecodeError: There is no value, or an array or object breaks before it ends.
        """
        best = self._best()
        reader = self._word() if best is None else best.reader
        if reader is None:
            rest = text_of_value(self.text)
            json.loads(rest)  # Raises the familiar error.
            raise json.JSONDecodeError("Expecting a JSON value", rest, 0)
        # A word after a fence does not replace a broken object before it.
        first = best if best is None or best.is_container else self._lead
        if first is not None and first.is_container and (error := first.reader.error) is not None:
            raise error.moved(first.start)
        if best is not None and not best.is_container and self._goes_on(best):
            raise json.JSONDecodeError(
                "Expecting a JSON value without other text", self.text, best.start
            )
        return FoundJson(reader.value, _span_of(best))

    def _goes_on(self, scalar: _Candidate) -> bool:
        """Return whether text continues a number, a string or a word, which then is no value."""
        reader = scalar.reader
        if reader.error is not None:
            return True
        text = self.text[scalar.start if reader.end is None else scalar.end :]
        if scalar is self._scalar:
            text = text.partition(FENCE)[0]
        text = text.strip(STRIP)
        if reader.end is not None:
            return bool(text)
        return text[:1].isdecimal() and not read_number(text)[1]  # such as 1.2.3

    @override
    def _leave(self, candidate: _Candidate) -> None:
        reader = candidate.reader
        if reader.error is None:
            is_value = candidate is not self._lead or candidate.is_container
        else:
            is_value = candidate is self._container
            if not reader.nothing_read:
                self._broken.append(candidate)
            self._skip_rest(reader)
        if is_value:
            self._step = self._ignore

    def _begin(self, pos: int) -> int:
        """Find the first text that is not blank."""
        start = skip_blank(self._text, pos).end()
        if start == len(self._text):
            self._blank.append(self._text)
            return start
        first, blank = self._text[start], "".join(self._blank)
        if first in "{[" or first in _starts_scalar:
            lead = _Candidate(self._start + start, is_container=first in "{[")
            if lead.is_container or FENCE not in blank + self._text[:start]:
                self._lead = lead
            else:
                self._scalar = lead
            return self._try(lead, start)
        self._start -= len(blank)  # It may contain a fence.
        self._text = blank + self._text
        self._step = self._find
        return 0

    @override
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
            return self._try(self._container, pos)
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
        return self._try(self._scalar, pos)


def _span_of(candidate: _Candidate | None) -> tuple[int, int] | None:
    if candidate is None or candidate.reader.end is None:
        return None
    return candidate.start, candidate.end


def text_of_value(text: str) -> str:
    """Return the text after the first fence of *text*; the whole text if it has no fence."""
    start = text.find(FENCE)
    if start >= 0:
        text = text[start + len(FENCE) :].removeprefix("json")
    return text.strip(STRIP)


def _is_scalar(word: str) -> bool:
    return word in _literals or word[:1].isdecimal()


class _Candidate(PossibleJson):
    """A possible value; characters at its end that may have to be stripped are held back.

    Args:
        start: Where it begins.
        is_container: Whether it starts with a bracket.
    """

    def __init__(self, start: int, *, is_container: bool) -> None:
        super().__init__(start, JsonReader())
        self.is_container = is_container
        self._held: list[str] = []

    @property
    def has_value(self) -> bool:
        """Whether there is a value; the `None` after an unmatched bracket is not one."""
        reader = self.reader
        return reader.has_value and (reader.error is None or reader.value is not None)

    @override
    def feed(self, text: str) -> None:
        if self._held or text[-1:] in _stripped:
            stripped = text.rstrip(STRIP)
            if not stripped:
                self._held.append(text)
                return
            text, more = "".join(self._held) + stripped, text[len(stripped) :]
            self._held = [more] if more else []
        self.reader.feed(text)
