"""JSON in a model's reply, repaired where it is not quite JSON.

A thought at the start of the text is left out. The value is the array or object

* at the start of the text,
* or after a fence, with or without a language tag,
* or anywhere in prose, if there is only one.

Another value in a later fence is an error.

A bracket in prose that JSON does not follow (``[sic]``, ``{name}``) is prose, and so is text that
looks like code (``df["a"]``, ``[1, 2].sort()``). If JSON follows and then breaks off, it is skipped
up to its last bracket, and so is a broken value at the start of the text or after a fence: a part
of a broken value is never the value. Ambiguous text is an error, and so is a value that is cut in
the middle.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any, Final, NamedTuple

from typing_extensions import override

from output_parsers.json_in_prose.search import STRIP, CandidateSearch, FoundJson, PossibleJson
from output_parsers.printable import kind_of
from output_parsers.text.thoughts import CLOSERS, begins_with_thought, is_in_thought
from outputs.growing_json.errors import (
    JsonError,
    JsonIncompleteError,
    JsonLimitError,
    JsonSyntaxError,
)
from outputs.growing_json.lenient.json_text import (
    check_repeated_keys,
    may_repeat,
    without_trailing_commas,
)
from outputs.growing_json.lenient.lenient_reader import LenientJsonReader
from outputs.growing_json.lenient.strings import JsonRepair
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import NOTHING, matcher
from outputs.growing_json.value import differ
from outputs.growing_json.whole import MAX_DEPTH, parse_whole, scan_object

_TAIL_CHARS: Final = 80
_skip_space = matcher(r"\s*+")
_find_bracket = re.compile(r"[\[{]").search
_ends_name = re.compile(r"""[\w\])"']\Z""").search
_is_called = re.compile(r"\.\w|[\[(]").match
# A fence may be written with two backticks, or with spaces between them.
_opens_fence = re.compile(
    r"` ?`[` ]*(?:(?:json)?|[\w+#.]{0,32}[ \t]*\n)\s*\Z", re.IGNORECASE
).search
_is_member = re.compile(r"""["'”’]\s*:\s*\Z""").search
_goes_on = re.compile(
    r"""
    [\s\]}]*+ , \s* (?: "[^"\n]*" | '[^'\n]*' | [\w$-]++ ) \s* :
    | \s* (?: [\]}][\s\]}]*+ [,"] | ["'] \s* [],:}] )
    """,
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
_fence_marks = re.compile(r"`{3,}(?P<tag>[\w+#.]{0,32})").finditer
_to_object = re.compile(r"[\s`]*+(?=\{)").match
_next_value = re.compile(r"[\s,]*+(?=[\[{])").match


class RepairedJson(NamedTuple):
    """A value and the repairs that were needed to read it."""

    value: Any
    repairs: tuple[JsonRepair, ...]
    """Every repair with its span, in the order of the text; empty if the text is JSON."""


def repair_json(text: str) -> RepairedJson:
    r"""Return the JSON value in a model's reply, repaired where it is not quite JSON.

    ::

        value, repairs = repair_json("Sure:\n{'tool': 'search', 'args': {limit: 3,}}")
        value       # {"tool": "search", "args": {"limit": 3}}
        repairs[0]  # JsonRepair("surrounding_text", (0, 6), "dropped the text around the value")

    It repairs missing closing brackets, also before a closing fence; trailing commas, and missing
    commas before a key on a new line; comments; Python and JavaScript literals; single and
    typographic quotes; quotes and line breaks inside strings; invalid escapes; keys without quotes
    or without the opening quote; doubled braces; text and fences around the value. A thought at the
    beginning (``<think>…</think>``, also ``thinking`` and ``reasoning``) is dropped; the value is
    never a part of it.

    Valid JSON is never changed. If the text begins with a value, or has one in a fence, that is the
    value, whatever prose follows: ``{"a": 1} or {"a": 2}`` is the first. Otherwise two values are
    an error, as are two adjacent values, fences with different values, a key with different values
    in one object, and any other ambiguous text. A member that is repeated as it was is dropped, and
    reported. A value that is cut is an error: ``{"path": "a.txt", "text": "Dear`` and
    ``{"amount": 1``.

    Raises:
        JsonSyntaxError: The text cannot be read, or is ambiguous; ``pos`` has the place.
        JsonIncompleteError: The value is cut in the middle.
        JsonLimitError: The value is nested too deeply or has too long a number. All three are
            subclasses of `json.JSONDecodeError`.
        TypeError: *text* is not a string.
    """
    if not isinstance(text, str):
        raise TypeError(f"expected a string, found {kind_of(text)}: decode bytes first")
    return _repaired(text, checks_keys=True)


def repaired_with_last_keys(text: str) -> RepairedJson:
    """Do the same as `repair_json`, except that the last value of a repeated key counts.

    For callers with an error of their own for a repeated key; see `repeated_key`.

    Raises:
        JsonError: As there.
    """
    return _repaired(text, checks_keys=False)


def _repaired(text: str, *, checks_keys: bool) -> RepairedJson:
    value, span, commas = _read_at_once(text, checks_keys=checks_keys)
    if value is not NOTHING:
        return RepairedJson(value, _repairs_in(text, span, [*map(_dropped, commas)]))
    finder = LenientJsonFinder(checks_keys=checks_keys)
    finder.feed(text)
    found = finder.close()
    return RepairedJson(found.value, found.repairs)


def repaired_value(text: str) -> Any:
    """Return the value that `repair_json` returns, and no list of repairs.

    Raises:
        JsonError: As there.
    """
    value = _read_at_once(text, checks_keys=True)[0]
    return repair_json(text).value if value is NOTHING else value


def _read_at_once(text: str, *, checks_keys: bool) -> tuple[Any, tuple[int, int], Sequence[int]]:
    """Return the value in *text*, its span and its trailing commas, or `NOTHING`.

    The value is all of the text, or is after the first fence and has no bracket before it. It is
    valid JSON, but for commas before its closing brackets, and with *checks_keys* repeats no key.
    """
    if begins_with_thought(text):
        return NOTHING, (0, 0), ()
    bracket = _find_bracket(text)
    start = 0 if bracket is None else bracket.start()
    before = text[max(0, start - _TAIL_CHARS) : start]
    if _opens_fence(before) is None:
        value = parse_whole(text, MAX_DEPTH)
        if checks_keys and value is not NOTHING and may_repeat(text, value):
            value = NOTHING
        return value, (0, len(text)), ()
    if text.lstrip(STRIP).startswith('"'):
        return NOTHING, (0, 0), ()
    commas: list[int] = []
    value, end = scan_object(text, start, MAX_DEPTH)
    if value is NOTHING:
        plain, commas = without_trailing_commas(text[start:])
        value, end = scan_object(plain, 0, MAX_DEPTH) if commas else (NOTHING, 0)
        if value is NOTHING:
            return NOTHING, (0, 0), ()
        commas = [start + comma for number, comma in enumerate(commas) if comma - number < end]
        end += start + len(commas)
    _check_end(text, end)
    _check_fences(text, end, value, is_fenced=True)
    return value, (start, end), commas


def _dropped(comma: int) -> JsonRepair:
    return JsonRepair("trailing_comma", (comma, comma + 1), "dropped a trailing comma")


class LenientJsonFinder(CandidateSearch["_Candidate"]):
    """Reads the JSON value in a text that arrives in chunks; `close` returns it.

    However the text is cut into chunks, the result or the error is the same, and so is the value
    after any prefix.

    Args:
        checks_keys: Whether a key with two different values is an error, and a repeated member a
            repair; if not, the last value counts.
    """

    def __init__(self, *, checks_keys: bool = True) -> None:
        super().__init__()
        self._checks_keys = checks_keys
        self._step = self._begin
        self._closer = ""  # the tag that closes the open thought
        self._thought_end = 0  # where the thoughts at the start end
        self._has_text = False  # whether there was more than white space and backticks
        self._is_quoted = False  # whether the text begins with a quote
        self._found: list[_Candidate] = []
        self._alike: list[_Candidate] = []  # values that say again what the first says
        self._settled = False  # whether the last value found, or the error, is the result
        self._error: JsonError | None = None

    @property
    @override
    def reader(self) -> JsonReader | None:
        if self._is_quoted:
            return None  # If the whole text is a string, text inside it is not the value.
        candidate = self._candidate
        if candidate is not None and (candidate.is_certain or not (self._found or self._error)):
            # Empty brackets may be prose.
            reader = candidate.reader
            return reader if reader.value or reader.complete else None
        if self._found and (self._settled or self._error is None):
            return self._found[-1 if self._settled else 0].reader
        return None

    @override
    def feed(self, text: str) -> None:
        """Read the next piece of text. Errors are raised by `close`."""
        try:
            super().feed(text)
        except JsonLimitError as error:
            self._candidate = None
            self._error = error
            self._settled = True
            self._found.clear()
            self._step = self._ignore

    @override
    def close(self) -> FoundJson:
        """End the text and return the value.

        Raises:
            JsonError: There is no value, or it is ambiguous; ``pos`` has the place.
        """
        text, begin = self.text, self._thought_end
        if self._closer or (begin and not text[begin:].strip()):
            raise JsonIncompleteError("expected a JSON value after the thought", "", len(text))
        if self._is_quoted:
            start, end = len(text) - len(text[begin:].lstrip()), len(text.rstrip())
            whole = JsonReader(strict=True)
            is_read = "\n" not in text[start:end] and whole.feed(text[start:end]) == end - start
            if is_read and whole.complete:
                return FoundJson(
                    whole.value, (start, end), _repairs_in(text, (start, end), (), begin)
                )
        candidate = self._candidate
        if candidate is not None:
            self._candidate = None
            try:
                candidate.reader.close()
            except JsonError as error:
                if candidate.is_begun(self._start):
                    self._error = self._error or error.moved(candidate.start)
            else:
                self._add(candidate)
        found = self._found
        if not self._settled:
            found = [candidate for candidate in found if not _is_called(text, candidate.end)]
        if self._error is not None and not (self._settled and found):
            raise self._error
        if not found:
            return self._read_scalar()
        if not self._settled and len(found) > 1:
            raise JsonSyntaxError("expected one JSON value, found a second one", "", found[1].start)
        return self._result(found[-1] if self._settled else found[0])

    def _begin(self, pos: int) -> int:
        """Skip white space; find out whether a thought begins the text."""
        text = self._text
        pos = _skip_space(text, pos).end()
        for opener, closer in CLOSERS.items():
            if text.startswith(opener, pos):
                self._closer, self._step = closer, self._think
                return pos + len(opener)
            if opener.startswith(text[pos : pos + len(opener)]):
                self._held = text[pos:]
                return len(text)
        self._step = self._find
        return pos

    def _think(self, pos: int) -> int:
        """Find the end of the thought."""
        end = self._text.find(self._closer, pos)
        if end < 0:
            self._held = self._text[max(pos, len(self._text) - len(self._closer) + 1) :]
            return len(self._text)
        end += len(self._closer)
        self._thought_end, self._closer, self._step = self._start + end, "", self._begin
        return end

    @override
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
        candidate = _Candidate(
            self._start + stop,
            is_fenced=is_fenced,
            is_certain=is_certain,
            is_member=not is_certain and _is_member(before) is not None,
        )
        return self._try(candidate, stop)

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

    @override
    def _leave(self, candidate: _Candidate) -> None:
        reader = candidate.reader
        if reader.error is None:
            self._add(candidate)
            return
        is_begun = candidate.is_begun(candidate.start + reader.error.pos)
        if is_begun or candidate.is_certain:
            self._skip_rest(reader)
        if is_begun:
            self._error = self._error or reader.error.moved(candidate.start)
            self._settle(is_certain=candidate.is_fenced)

    def _add(self, candidate: _Candidate) -> None:
        """Add a value that was found."""
        self._settle(is_certain=candidate.is_certain)
        if candidate.is_member and self._error is None:
            self._error = JsonSyntaxError("expected '{' before the key", "", candidate.start)
        found = self._found
        if self._settled or not found or differ(found[0].reader.value, candidate.reader.value):
            found.append(candidate)
        else:
            self._alike.append(candidate)

    def _settle(self, *, is_certain: bool) -> None:
        """Stop searching if what was found last, a value or an error, *is_certain*."""
        self._settled = is_certain
        if is_certain:
            self._step = self._ignore

    def _read_scalar(self) -> FoundJson:
        """Read the whole text as a string, number or literal."""
        text = self.text[self._thought_end :]
        start = len(self.text) - len(text.lstrip(STRIP))
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

    def _result(self, candidate: _Candidate) -> FoundJson:
        _check_end(self.text, candidate.end)
        value = candidate.reader.value
        _check_fences(self.text, candidate.end, value, is_fenced=candidate.is_fenced)
        repeated = self._repeated(candidate)
        for other in self._alike:
            self._repeated(other)
        return self._found_json(value, candidate.start, candidate.reader, repeated)

    def _repeated(self, candidate: _Candidate) -> list[JsonRepair]:
        """Return the repair of a repeated key in the value of *candidate*.

        Raises:
            JsonSyntaxError: A key has two different values.
        """
        if not self._checks_keys:
            return []
        try:
            key = check_repeated_keys(self.text[candidate.start :], candidate.reader.value)
        except JsonSyntaxError as error:
            raise error.moved(candidate.start) from None
        if key is None:
            return []
        written = json.dumps(key[:60], ensure_ascii=False)
        message = f"dropped a member that repeats the key {written}"
        return [JsonRepair("repeated_key", (0, candidate.end - candidate.start), message)]

    def _found_json(
        self, value: Any, start: int, reader: LenientJsonReader, more: Iterable[JsonRepair] = ()
    ) -> FoundJson:
        repairs = [
            JsonRepair(kind, (start + first, start + last), message)
            for kind, (first, last), message in (*more, *reader.repairs)
        ]
        span = (start, start + (reader.end or 0))
        return FoundJson(value, span, _repairs_in(self.text, span, repairs, self._thought_end))


def _check_end(text: str, end: int) -> None:
    """Check that the value that ends at *end* is not in a thought, and that no JSON goes on there.

    Raises:
        JsonSyntaxError: It is, or JSON does.
    """
    if is_in_thought(text, end):
        raise JsonSyntaxError(
            "expected a JSON value after the thought, found one inside it", "", end
        )
    bracket = _find_bracket(text, end)
    until = len(text) if bracket is None else bracket.start()
    if _goes_on(text, end) or _is_inside(text, end, until):
        raise JsonSyntaxError("expected no more JSON after the value", "", end)
    another = _next_value(text, end)
    if another is not None and _is_json(text[another.end() :]):
        raise JsonSyntaxError("expected one JSON value, found a second one", "", another.end())


def _check_fences(text: str, end: int, value: Any, *, is_fenced: bool) -> None:
    """Check that no other value follows *value*, which ends at *end*, in a fence or behind its own.

    Raises:
        JsonSyntaxError: One does, whole or cut.
    """
    blocks = _fences_after(text, end, is_open=is_fenced)
    follows = _to_object(text, end) if is_fenced else None
    for start, stop in ((follows.end(), len(text)), *blocks) if follows else blocks:
        block = text[start:stop].lstrip()
        if not block.startswith(("{", "[")):
            continue
        reader = LenientJsonReader()
        try:
            reader.feed(block)
            other = reader.close()
        except JsonIncompleteError:
            other = NOTHING
        except JsonError:
            continue
        if differ(other, value):
            place = stop - len(block)
            raise JsonSyntaxError("expected one JSON value, found a second one", "", place)


def _fences_after(text: str, end: int, *, is_open: bool) -> Iterator[tuple[int, int]]:
    """Yield the span of what stands in each fence of *text* that opens after *end*.

    Args:
        text: The whole text.
        end: Where to begin.
        is_open: Whether a fence is open there.
    """
    start = None
    for mark in _fence_marks(text, end):
        if start is not None:
            yield start, mark.start()
        is_open = not is_open or mark["tag"] != ""  # only a fence that opens has a tag
        start = mark.end() if is_open else None
    if start is not None:
        yield start, len(text)


def _repairs_in(
    text: str, span: tuple[int, int], repairs: Iterable[JsonRepair], thought_end: int = 0
) -> tuple[JsonRepair, ...]:
    """Return the *repairs* of a value at *span* in *text*, and that of the text around it.

    Args:
        text: The whole text.
        span: Where the value begins and ends.
        repairs: Those within the value.
        thought_end: Where a thought at the start of the text ends; 0 if there is none.
    """
    made = [*repairs]
    message = "dropped the text around the value"
    if text[: span[0]].strip():
        more = " and the text" if text[thought_end : span[0]].strip() else ""
        first = f"dropped the thought{more} before the value" if thought_end else message
        made.insert(0, JsonRepair("surrounding_text", (0, span[0]), first))
    if text[span[1] :].strip():
        made.append(JsonRepair("surrounding_text", (span[1], len(text)), message))
    return tuple(made)


class _Candidate(PossibleJson):
    """A possible value, read leniently.

    Args:
        start: Where it begins.
        is_fenced: Whether it follows a fence.
        is_certain: Whether it is the value unless it turns out to be prose.
        is_member: Whether a key and a colon precede it.
    """

    reader: LenientJsonReader

    def __init__(self, start: int, *, is_fenced: bool, is_certain: bool, is_member: bool) -> None:
        super().__init__(start, LenientJsonReader())
        self.is_fenced = is_fenced
        self.is_certain = is_certain
        self.is_member = is_member

    def is_begun(self, end: int) -> bool:
        """Return whether this value has more than its opening bracket before *end* in the text."""
        return bool("".join(self.pieces)[1 : end - self.start].strip())


def _is_json(text: str) -> bool:
    """Return whether *text* begins with a JSON value."""
    reader = LenientJsonReader()
    try:
        reader.feed(text)
        reader.close()
    except JsonError:
        return False
    return True
