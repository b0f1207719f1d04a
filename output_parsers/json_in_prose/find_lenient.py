"""JSON in a model's reply, repaired where it is not quite JSON.

The value is the array or object

* at the start of the text,
* or after a fence, with or without a language tag,
* or anywhere in prose, if there is only one.

A bracket in prose that JSON does not follow (``[sic]``, ``{name}``) is prose, and so is text that
looks like code (``df["a"]``, ``[1, 2].sort()``). If JSON follows and then breaks off, it is skipped
up to its last bracket, and so is a broken value at the start of the text or after a fence: a part
of a broken value is never the value. Ambiguous text is an error, and so is a value that is cut in
the middle.
"""

from __future__ import annotations

import re
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from output_parsers.json_in_prose.attempt import JsonAttempt, is_json
from output_parsers.json_in_prose.skip import STRIP, BracketSkipper
from outputs.growing_json.errors import JsonError, JsonLimitError, JsonSyntaxError
from outputs.growing_json.lenient.reader import LenientJsonReader
from outputs.growing_json.lenient.strings import JsonRepair
from outputs.growing_json.reader import JsonReader

if TYPE_CHECKING:
    from collections.abc import Callable

_WINDOW_CHARS: Final = 256
_TAIL_CHARS: Final = 80
_find_bracket = re.compile(r"[\[{]").search
_ends_name = re.compile(r"""[\w\])"']\Z""").search
_is_called = re.compile(r"\.\w|[\[(]").match
# A fence may be written with two backticks, or with spaces between them.
_opens_fence = re.compile(
    r"` ?`[` ]*(?:(?:json)?|[\w+#.]{0,32}[ \t]*\n)\s*\Z", re.IGNORECASE
).search
_is_member = re.compile(r"""["'”’]\s*:\s*\Z""").search
_goes_on = re.compile(
    r"""\s* (?: , \s* (?: "[^"\n]*" | '[^'\n]*' | [\w$-]++ ) \s* : | ["'] \s* [],:}] )""",
    re.VERBOSE,
).match
# A quote followed by text that prose does not have: the supposed value is only part of another.
_is_inside = re.compile(
    r"""
    ["'”’»] \s*+ (?:
        []}]
        | , \s*+ (?: "[^"\n]*" | '[^'\n]*' | [\w$-]++ ) \s*+ :
        | (?: , \s*+ (?: "[^"\n]*+" | '[^'\n]*+' | [\w.+-]++ ) \s*+ ){1,16} []}]
    )""",
    re.VERBOSE,
).search
_next_value = re.compile(r"[\s,]*+(?=[\[{])").match


@dataclass(frozen=True, slots=True)
class FoundJson:
    """A value and its position."""

    value: Any
    span: tuple[int, int]
    repairs: tuple[JsonRepair, ...]
    """The repairs, in the order of the text, including any text around the value."""


class LenientJsonFinder:
    """Reads the JSON value in a text that arrives in chunks; `close` returns it.

    However the text is cut into chunks, the result or the error is the same, and so is the value
    after any prefix.
    """

    def __init__(self) -> None:
        self._texts: list[str] = []
        self._text = ""  # the text being searched
        self._start = 0  # where it begins in the whole text
        self._has_text = False  # whether there was more than white space and backticks
        self._is_quoted = False  # whether the text begins with a quote
        self._step: Callable[[int], int] = self._find
        self._attempt: JsonAttempt | None = None  # the current attempt
        self._window = 0  # how much more of it is read at once
        self._copied = 0  # how much text was copied for attempts
        self._skipper: BracketSkipper | None = None
        self._found: list[JsonAttempt] = []
        self._settled = False  # whether the last value found, or the error, is the result
        self._error: JsonError | None = None

    @property
    def reader(self) -> LenientJsonReader | None:
        """The reader of the value so far; `None` while there is no value."""
        if self._is_quoted:
            return None  # If the whole text is a string, text inside it is not the value.
        attempt = self._attempt
        if attempt is not None and (attempt.is_certain or not (self._found or self._error)):
            # Empty brackets may be prose.
            return attempt.reader if attempt.reader.value or attempt.reader.complete else None
        if self._found and (self._settled or self._error is None):
            return self._found[-1 if self._settled else 0].reader
        return None

    def feed(self, text: str) -> None:
        """Read the next piece of text. Errors are raised by `close`."""
        self._texts.append(text)
        self._text = text
        pos = 0
        while pos < len(self._text) and not self._settled:
            pos = self._step(pos)
        self._start += len(self._text)
        self._text = ""

    def close(self) -> FoundJson:
        """End the text and return the value.

        Raises:
            JsonError: There is no value, or it is ambiguous; ``pos`` has the place.
        """
        if self._is_quoted:
            text = "".join(self._texts)
            start, end = len(text) - len(text.lstrip()), len(text.rstrip())
            whole = JsonReader(strict=True)
            is_read = "\n" not in text[start:end] and whole.feed(text[start:end]) == end - start
            if is_read and whole.complete:
                return FoundJson(whole.value, (start, end), ())
        attempt = self._attempt
        if attempt is not None:
            self._attempt = None
            try:
                attempt.reader.close()
            except JsonError as error:
                if attempt.is_begun(self._start):
                    self._error = self._error or error.moved(attempt.start)
            else:
                self._add(attempt)
        found = self._found
        if not self._settled:
            text = "".join(self._texts)
            found = [attempt for attempt in found if not _is_called(text, attempt.end)]
        if self._error is not None and not (self._settled and found):
            raise self._error
        if not found:
            return self._read_scalar()
        if not self._settled and len(found) > 1:
            raise JsonSyntaxError("expected one JSON value, found another", "", found[1].start)
        return self._result(found[-1] if self._settled else found[0])

    def _find(self, pos: int) -> int:
        """Find where a value may begin."""
        text = self._text
        bracket = _find_bracket(text, pos)
        stop = len(text) if bracket is None else bracket.start()
        if not self._has_text:
            before = text[pos:stop].strip(STRIP)
            self._has_text = before != ""
            self._is_quoted = before.startswith('"')
        if bracket is None:
            return stop
        before = self._text_before(self._start + stop)
        is_fenced = _opens_fence(before) is not None
        is_certain = is_fenced or not self._has_text
        self._has_text = True
        if not is_certain and text[stop] == "[" and _ends_name(before):
            return stop + 1
        self._attempt = JsonAttempt(
            self._start + stop,
            is_fenced=is_fenced,
            is_certain=is_certain,
            is_member=not is_certain and _is_member(before) is not None,
        )
        # At first the whole rest is read at once, which is fastest. If that fails again and again,
        # it is read in growing windows, to keep the time linear.
        rest = len(text) - stop
        self._copied += rest
        self._window = rest if self._copied <= 4 * (self._start + len(text)) else _WINDOW_CHARS
        self._step = self._read
        return stop

    def _text_before(self, stop: int) -> str:
        """Return the end of the text before *stop*, a position in the whole text."""
        first, start = stop - _TAIL_CHARS, self._start + len(self._text)
        pieces = []
        for text in reversed(self._texts):
            start -= len(text)
            pieces.append(text[max(0, first - start) : max(0, stop - start)])
            if start <= first:
                break
        return "".join(reversed(pieces))

    def _read(self, pos: int) -> int:
        """Read the current attempt."""
        attempt = self._attempt
        assert attempt is not None
        piece = self._text[pos : pos + self._window]
        self._window = min(max(4 * self._window, _WINDOW_CHARS), sys.maxsize)
        try:
            attempt.feed(piece)
        except JsonLimitError as error:
            self._attempt = None
            self._error = error.moved(attempt.start)
            self._settled = True
            self._found.clear()
            return len(self._text)
        reader = attempt.reader
        if reader.error is not None:
            stop = self._leave(attempt, reader.error)
        elif reader.end is not None:
            stop = reader.end
            self._add(attempt)
        else:
            return pos + len(piece)
        self._attempt = None
        return self._back_to(attempt, stop)

    def _leave(self, attempt: JsonAttempt, error: JsonError) -> int:
        """Give up *attempt*; return the position of its error."""
        self._step = self._find
        is_begun = attempt.is_begun(attempt.start + error.pos)
        if is_begun:
            self._error = self._error or error.moved(attempt.start)
            self._settled = attempt.is_fenced
        if is_begun or attempt.is_certain:
            reader = attempt.reader
            self._skipper = BracketSkipper(reader.depth, in_string=reader.broke_in_string)
            self._step = self._skip
        return error.pos

    def _add(self, attempt: JsonAttempt) -> None:
        """Add a value that was found."""
        self._step = self._find
        self._settled = attempt.is_certain
        if attempt.is_member and self._error is None:
            self._error = JsonSyntaxError("expected a brace before the key", "", attempt.start)
        if self._settled or not self._found or self._found[0].reader.value != attempt.reader.value:
            self._found.append(attempt)

    def _back_to(self, attempt: JsonAttempt, stop: int) -> int:
        """Return the position in the current text for *stop*, a position in *attempt*."""
        start = attempt.start + stop
        if start < self._start:  # Reading ended in an earlier chunk, but only now this is known.
            read = "".join(attempt.read)
            self._text = read[stop : self._start - attempt.start] + self._text
            self._start = start
        return start - self._start

    def _skip(self, pos: int) -> int:
        """Skip the rest of a broken value, to its last bracket."""
        assert self._skipper is not None
        pos = self._skipper.skip(self._text, pos)
        if self._skipper.is_done:
            self._step = self._find
        return pos

    def _read_scalar(self) -> FoundJson:
        """Read the whole text as a string, number or literal."""
        text = "".join(self._texts)
        start = len(text) - len(text.lstrip(STRIP))
        reader = LenientJsonReader()
        text = text.strip(STRIP)
        try:
            reader.feed(text)
            value = reader.close()
        except JsonSyntaxError as error:
            raise JsonSyntaxError("expected a JSON value", "", start + error.pos) from None
        except JsonError as error:
            raise error.moved(start) from None
        assert reader.end is not None
        if reader.end < len(text):
            raise JsonSyntaxError("expected the end of the text", "", start + reader.end)
        return self._found_json(value, start, reader)

    def _result(self, attempt: JsonAttempt) -> FoundJson:
        text = "".join(self._texts)
        end = attempt.end
        bracket = _find_bracket(text, end)
        until = len(text) if bracket is None else bracket.start()
        if _goes_on(text, end) or _is_inside(text, end, until):
            raise JsonSyntaxError("expected the end of the value; JSON goes on after it", "", end)
        another = _next_value(text, end)
        if another is not None and is_json(text[another.end() :]):
            pos = another.end()
            raise JsonSyntaxError("expected one JSON value, found another", "", pos)
        return self._found_json(attempt.reader.value, attempt.start, attempt.reader)

    def _found_json(self, value: Any, start: int, reader: LenientJsonReader) -> FoundJson:
        text = "".join(self._texts)
        span = (start, start + (reader.end or 0))
        repairs = [
            JsonRepair(kind, (start + first, start + last), message)
            for kind, (first, last), message in reader.repairs
        ]
        message = "left out the text around the value"
        if text[: span[0]].strip():
            repairs.insert(0, JsonRepair("surrounding_text", (0, span[0]), message))
        if text[span[1] :].strip():
            repairs.append(JsonRepair("surrounding_text", (span[1], len(text)), message))
        return FoundJson(value, span, tuple(repairs))
