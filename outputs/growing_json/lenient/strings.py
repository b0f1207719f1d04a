"""Strings as models write them: other quotes, inner quotes, raw line breaks, invalid escapes."""

from __future__ import annotations

import re
import string
from dataclasses import dataclass
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from typing_extensions import override

from outputs.growing_json import scalars as scalars
from outputs.growing_json.errors import JsonLimitError, JsonSyntaxError
from outputs.growing_json.lenient.ahead import CLOSERS, Follows, what_follows
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import NOTHING, Matcher

RepairKind: TypeAlias = Literal[
    "comment",
    "control_characters",
    "doubled_brace",
    "escape",
    "inner_quote",
    "literal",
    "missing_closer",
    "missing_comma",
    "missing_quote",
    "quotes",
    "repeated_key",
    "surrounding_text",
    "trailing_comma",
    "unquoted_key",
]


class JsonRepair(NamedTuple):
    """A repair of text that is not valid JSON."""

    kind: RepairKind
    """What was wrong."""
    span: tuple[int, int]
    """Where, in `str` characters from the start of the text; empty where something was missing."""
    message: str
    """What the repair did, for people to read."""


@dataclass(frozen=True, slots=True)
class _Style:
    """How a string is quoted."""

    closers: str
    marks: str
    """All quotes that count as inner quotes if they do not end the string."""
    plain: Matcher
    """Matches text without quotes, escapes or control characters."""


@cache
def _style_of(opener: str) -> _Style:
    closers = CLOSERS[opener]
    plain = scalars.matcher(rf"[^\\\x00-\x1f{closers}{opener}]*+")
    return _Style(closers, closers + opener, plain)


_NEVER_QUOTED_FIRST: Final = frozenset(" \t\r\n,:;.")
_BEFORE_QUOTES: Final = frozenset(" \t\r\n([{=:,")
_APOSTROPHES: Final = frozenset("'’")
_control_run = scalars.matcher(r"[\x00-\x1f]++")
_escapes = scalars.matcher(rf"(?>(?: {scalars.ESCAPE} )*)")
_cut_hex = re.compile(r"\\x[0-9a-fA-F]?\Z").match
_hex = re.compile(r"\\x([0-9a-fA-F]{2})").match

_letters = re.compile(r"\\([bfnrt])").finditer
_HALF_ESCAPED: Final = "expected a string in which either all backslashes are escaped or none"

# No language that models imitate has these escapes, so they come from regular expressions or LaTeX.
# Markdown's escapes (`\_`, `\*`) are not here: the backslash may or may not belong to the text.
_KEEPS_BACKSLASH: Final = frozenset(string.ascii_letters) - frozenset("abfnrtuvxNU") | frozenset(
    "()[]{}.?+|^%&"
)


class LenientStrings(JsonReader):
    """Reads strings in any quotes; an inner quote is text if JSON cannot continue after it.

    Inner quotes come in pairs, and the quoted text starts right after the first. If JSON could
    continue after the second quote of a pair, the text is ambiguous and so an error, unless the
    string has opened a bracket that only one reading closes: ``"args": "{"a": "b", "c": "d"}"``.
    After inner quotes, the end of the text or a fence does not show that a string has ended.
    """

    _READS_REMAINS = False

    __slots__ = (
        "_brackets",
        "_controls",
        "_ended",
        "_escaped",
        "_inner",
        "_left",
        "_repairs",
        "_segment",
        "_start",
        "_style",
    )

    def __init__(self, *, max_depth: int, max_chars: int | None) -> None:
        # Strict, so that the fast path reads only containers that need no repair.
        super().__init__(strict=True, max_depth=max_depth, max_chars=max_chars)
        self._repairs: list[JsonRepair] = []
        self._ended = False  # whether no more text will arrive
        self._left: Any = NOTHING  # the partial value when reading failed
        self._style = _style_of('"')
        self._start = 0  # of the open string
        self._controls = False  # whether it has raw control characters
        self._escaped: set[str] = set()  # its escapes, and a backslash if one was kept as text
        self._inner = 0  # how many inner quotes it has
        self._brackets = 0  # how many brackets are open in its text, inner quotes left out
        self._segment = 0  # where its text since the last inner quote begins

    def _repair(self, kind: RepairKind, start: int, end: int, message: str) -> None:
        """Report a repair; *start* and *end* are positions in the current chunk."""
        span = (self._offset + start, self._offset + end)
        self._repairs.append(JsonRepair(kind, span, message))

    @override
    def _begin_text(self, chunk: str, pos: int) -> None:
        self._style = _style_of(chunk[pos])
        self._start = self._offset + pos
        self._string.clear()
        self._segment = 0
        self._controls = False
        self._escaped.clear()
        self._inner = self._brackets = 0

    @override
    def _read_text(self, chunk: str, pos: int) -> int:
        size = len(chunk)
        plain = self._style.plain
        while True:
            stop = plain(chunk, pos).end()
            if stop > pos:
                self._string.add(chunk[pos:stop])
            if stop == size:
                return size
            char = chunk[stop]
            if char == "\\":
                pos = self._escape(chunk, stop)
            elif char < " ":
                pos = _control_run(chunk, stop).end()
                self._controls = True
                self._string.add(chunk[stop:pos])
            else:
                pos = self._quote(chunk, stop)
                if self._inside is None:
                    return pos

    def _escape(self, chunk: str, pos: int) -> int:
        """Read the escapes at *pos*."""
        stop = _escapes(chunk, pos).end()
        if stop > pos:
            for letter in _letters(chunk, pos, stop):
                self._escaped.add(letter[1])
                if self._is_half_escaped():
                    self._string.add(scalars.unescape(chunk[pos : letter.start()]))
                    return self._break(chunk, letter.start(), _HALF_ESCAPED, in_string=True)
            self._string.add(scalars.unescape(chunk[pos:stop]))
            return stop
        if scalars.cut_escape(chunk, pos) or _cut_hex(chunk, pos):
            self._held = chunk[pos:]
            return len(chunk)
        after = chunk[pos + 1]
        code = _hex(chunk, pos)
        if code is not None:
            text, stop = chr(int(code.group(1), 16)), code.end()
            message = "read a Python or JavaScript escape"
        elif after == "'":
            text, stop, message = after, pos + 2, "read a Python or JavaScript escape"
        elif after == "_" and self._inside is LenientStrings._key_text:
            text, stop, message = after, pos + 2, "read a Markdown escape"
        elif after in _KEEPS_BACKSLASH:
            text, stop, message = chunk[pos : pos + 2], pos + 2, "kept a backslash as text"
            self._escaped.add("\\")
            if self._is_half_escaped():
                return self._break(chunk, pos, _HALF_ESCAPED, in_string=True)
        else:
            return self._break(
                chunk, pos, "expected a valid escape after the backslash", in_string=True
            )
        self._repair("escape", pos, stop, message)
        self._string.add(text)
        return stop

    def _is_half_escaped(self) -> bool:
        """Return whether the string keeps some of its backslashes and may have to keep others."""
        others = self._escaped - {"\\"}
        if len(others) == len(self._escaped):
            return False
        from outputs.growing_json.lenient.half_escaped import may_keep_others  # lazily: it is rare

        return may_keep_others(others, self._string.slice(0, 3))

    def _quote(self, chunk: str, pos: int) -> int:
        """Decide what the quote at *pos* is, and read it."""
        char = chunk[pos]
        if char in _APOSTROPHES and char in self._style.marks and self._last_char().isalnum():
            if pos + 1 == len(chunk) and not self._ended:
                self._held = char
                return len(chunk)
            if chunk[pos + 1 : pos + 2].isalnum():
                return self._inner_quote(pos, char)
        if self._inside is LenientStrings._key_text:
            return self._end_text(pos)
        in_doubt = self._inner % 2 == 1
        if char not in self._style.closers:
            self._count_brackets(inside_quotes=in_doubt)
            self._inner += 1
            return self._inner_quote(pos, char)
        follows = what_follows(
            chunk,
            pos + 1,
            self._grown,
            in_doubt=in_doubt,
            ended=self._ended,
            end_counts=not self._grown.depth or not self._may_open_quotes(),
        )
        if follows is Follows.UNKNOWN:
            self._held = chunk[pos:]
            return len(chunk)
        if in_doubt:
            self._count_brackets(inside_quotes=True)
            is_text = follows is not Follows.JSON or self._brackets > 0
        elif follows in (Follows.JSON, Follows.PERHAPS_JSON):
            return self._end_text(pos)
        else:
            self._count_brackets(inside_quotes=False)
            is_text = follows is Follows.TEXT and chunk[pos + 1] not in _NEVER_QUOTED_FIRST
        if not is_text:
            reason = "expected ',' or a closing bracket after a string, or escaped quotes inside it"
            return self._break(chunk, pos, reason, in_string=True)
        self._inner += 1
        return self._inner_quote(pos, char)

    def _may_open_quotes(self) -> bool:
        """Return whether a quote at the end of the text may be an inner, opening quote."""
        return self._inner > 0 or self._last_char() in _BEFORE_QUOTES

    def _inner_quote(self, pos: int, char: str) -> int:
        self._repair("inner_quote", pos, pos + 1, "read an unescaped quote as part of the string")
        self._string.add(char)
        return pos + 1

    def _last_char(self) -> str:
        return self._string.last_char

    def _count_brackets(self, *, inside_quotes: bool) -> None:
        """Count the brackets since the last inner quote."""
        if not inside_quotes:
            text = self._string.tail(self._segment)
            opened, closed = (sum(map(text.count, brackets)) for brackets in ("([{", ")]}"))
            self._brackets = max(0, self._brackets + opened - closed)
        self._segment = len(self._string)

    def _end_text(self, pos: int) -> int:
        """End the string by the quote at *pos*."""
        self._inside = None
        span = (self._start, self._offset + pos + 1)
        if self._style.closers != '"':
            self._repairs.append(
                JsonRepair("quotes", span, "read a string in quotes that JSON does not allow")
            )
        if self._controls:
            message = "read unescaped control characters or line breaks in a string"
            self._repairs.append(JsonRepair("control_characters", span, message))
        return pos + 1

    @override
    def _partial(self) -> Any:
        return self._left if self.error is not None else super()._partial()

    @override
    def _break(self, chunk: str, pos: int, reason: str, *, in_string: bool = False) -> int:
        """Set the error at *pos*; the value no longer changes."""
        self._left = self._partial()
        self._broke_at = chunk[pos : pos + 1] if in_string else ""
        self.error: JsonSyntaxError | JsonLimitError | None = JsonSyntaxError(
            reason, "", self._offset + pos
        )
        self.end: int | None = None
        self._inside = LenientStrings._ignore
        return len(chunk)

    def _ignore(self, chunk: str, _pos: int) -> int:
        return len(chunk)
