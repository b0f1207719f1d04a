"""Arguments in Gemma's braces, chunk by chunk: ``{city:<|"|>Bern<|"|>,seats:2}``."""

from __future__ import annotations

import json
import math
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.code.python_values import MAX_DEPTH
from agent_parsers.engine.calls.raw_values import held_size
from agent_parsers.events import Repair

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.events import Span

__all__ = ["Members"]

_NOTHING: Final = object()
_CLOSERS: Final = {"(": ")", "{": "}", "[": "]"}
_WORDS: Final = {"true": True, "false": False, "null": None}
_number: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?").fullmatch
_MOST_DIGITS: Final = 4000
"""Longest integer, in digits; Python refuses to read slightly longer ones."""
_plain: Final = re.compile(r'(?s:(?:[^\\"]++|\\.)*+)').match
_has_member: Final = re.compile(r",\s*+[\w.-]++\s*+:").search


@cache
def _finder(*marks: str) -> Callable[[str, int], re.Match[str] | None]:
    """Return a search for the first of *marks*; a single mark is searched along with code marks."""
    code = r"|[{}\[\](),:\"]" if len(marks) == 1 else ""
    return re.compile("|".join(map(re.escape, marks)) + code).search


class Members:
    """Reads ``city:<|"|>Bern<|"|>,seats:2}`` up to the brace that closes it.

    Strings have no escapes and may contain anything but their quote mark. If a string has no end,
    the closer of the call ends it; a closer before the end of a string is text. Any other marker of
    the dialect is text as well, unless the closing braces and the closer stand before it.

    Args:
        at: Offset at which the members begin.
        opener: The brace before them.
        quote: The mark at both ends of a string.
        closer: The marker after the call.
        lenient: Whether to repair common mistakes of models.
    """

    __slots__ = (
        "_at",
        "_bare",
        "_body",
        "_closer",
        "_count",
        "_doubt",
        "_end",
        "_frames",
        "_is_over",
        "_key_of",
        "_lenient",
        "_mark",
        "_open",
        "_quote",
        "_string_at",
        "_tail",
        "_value",
        "_value_at",
        "members",
        "problem",
        "repairs",
        "written",
    )  # fmt: skip

    def __init__(self, at: int, opener: str, *, quote: str, closer: str, lenient: bool) -> None:
        self._at = at  # of what is read next
        self._quote, self._closer, self._lenient = quote, closer, lenient
        self._tail = ""  # text that may begin a quote or the closer
        self._end = at
        self.members: dict[str, Any] = {}
        """The arguments so far, by name."""
        self.written: dict[str, str] = {}
        """The arguments without quotes, as written."""
        self._frames: list[Any] = [self.members]  # open objects and lists
        self._key_of: list[str | None] = [None]  # name of the member that is read in each of them
        self._open = [_CLOSERS[opener]]  # their closers
        self._count = dict.fromkeys(_CLOSERS.values(), 0) | {_CLOSERS[opener]: 1}
        self._bare: list[str] = []  # text outside strings
        self._value: Any = _NOTHING  # a string, an object or a list
        self._value_at = at
        self._mark = ""  # quote mark of the open string
        self._string_at = at
        self._body: list[str] = []
        self._doubt: tuple[int, int] | None = None  # pieces and offset at which it may have ended
        self._is_over = False  # whether the braces may have ended there as well
        self.repairs: list[Repair] = []
        """The repairs that were made."""
        self.problem = ""
        """Name of the first problem found, or ``""``."""

    @property
    def is_quoting(self) -> bool:
        """Whether the next text is inside a string, as far as is known."""
        return bool(self._mark) and not self._is_over

    @property
    def _braces(self) -> str:
        """The closers of all open objects and lists."""
        return "".join(reversed(self._open))

    @property
    def known(self) -> int:
        """Offset up to which the text certainly belongs to the members; excludes the last brace."""
        if not self._open:
            return self._end - 1
        return self._at if self._doubt is None else self._doubt[1]

    def feed(self, text: str) -> int:
        """Read *text*; return how much of it belongs to the members if they end in it, else -1."""
        before = len(self._tail)
        buffer, self._tail = self._tail + text, ""
        at = 0
        while at < len(buffer) and self._open and not self._tail:
            at = (self._read_string if self._mark else self._read_code)(buffer, at)
        self._end = self._at + at
        self._at += len(buffer) - len(self._tail)
        return -1 if self._open else at - before

    # -- code -------------------------------------------------------------------------------------

    def _read_code(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next mark; return where that mark ends."""
        stop = len(text) - held_size(text[max(at, len(text) - len(self._quote)) :], self._quote)
        found = _finder(self._quote)(text, at)
        if found is None or found.start() >= stop:
            self._bare.append(text[at:stop])
            self._tail = text[stop:]
            return len(text)
        mark, start = found[0], found.start()
        self._bare.append(text[at:start])
        if mark in (self._quote, '"'):
            self._begin_value()
            self._mark = mark
            self._string_at = self._at + start
            self._body.clear()
        elif mark in "{[":
            self._begin_value()
            self._frames.append({} if mark == "{" else [])
            self._key_of.append(None)
            self._open.append(_CLOSERS[mark])
            self._count[_CLOSERS[mark]] += 1
            if len(self._open) > MAX_DEPTH + 1:
                self._wrong("deep_call")
        elif mark == ":" and isinstance(self._frames[-1], dict) and self._key_of[-1] is None:
            self._take_key(start)
        elif mark == ",":
            self._end_member(start)
            self._value_at = self._at + start + 1
        elif mark in ":(" or (mark == ")" and self._open != [")"]):
            self._bare.append(mark)
        else:
            self._close_bracket(mark, start)
        return found.end()

    def _begin_value(self) -> None:
        is_wanted = isinstance(self._frames[-1], list) or self._key_of[-1] is not None
        is_key = not is_wanted and self._lenient  # a name in quotes, if a colon follows
        if self._value is not _NOTHING or "".join(self._bare).strip() or not (is_wanted or is_key):
            self._wrong("odd_brackets" if is_wanted else "no_key")
        self._bare.clear()

    def _take_key(self, at: int) -> None:
        key, span = self._take_value(at)
        if isinstance(key, str):
            self._repaired("quoted_key", span, "read a name in quotes")
        elif key is _NOTHING:
            key = self._take_bare()
        if not isinstance(key, str) or not key:
            self._wrong("no_key")
        elif key in self._frames[-1]:
            self._wrong("two_values")
        self._key_of[-1] = str(key)
        self._value_at = self._at + at + 1

    def _close_bracket(self, mark: str, at: int) -> None:
        if self._open[-1] != mark:
            self._wrong("odd_brackets")
            if not self._count[mark]:
                return
        while True:
            closed = self._open[-1]
            self._end_member(at, is_last=True)
            if closed == mark:
                break

    def _end_member(self, at: int, *, is_last: bool = False) -> None:
        """Add the value that ends at *at* in the current text to the innermost container.

        If it *is_last*, the container ends too.
        """
        frame, key = self._frames[-1], self._key_of[-1]
        value, span = self._take_value(at)
        if value is _NOTHING and (bare := self._take_bare()):
            value = self._read_bare(bare, span)
            if key is not None and len(self._frames) == 1:
                self.written[key] = bare
        if value is _NOTHING:
            if not is_last or key is not None:
                self._wrong("no_value" if key is not None else "odd_brackets")
            elif frame:
                comma = (self._value_at - 1, self._value_at)
                self._repaired("comma", comma, "left out a comma at the end")
        elif isinstance(frame, list):
            frame.append(value)
        elif key is not None:
            frame[key] = value
        else:
            self._wrong("no_key")
        self._key_of[-1] = None
        if is_last:
            self._count[self._open.pop()] -= 1
            self._key_of.pop()
            self._value = self._frames.pop()

    def _take_value(self, at: int) -> tuple[Any, Span]:
        """Return the string or container that was read, if any, and where it stands."""
        value, self._value = self._value, _NOTHING
        if value is not _NOTHING and self._take_bare():
            self._wrong("odd_brackets")
        return value, (self._value_at, self._at + at)

    def _take_bare(self) -> str:
        bare = "".join(self._bare).strip()
        self._bare.clear()
        return bare

    def _read_bare(self, text: str, span: Span) -> Any:
        """Return the value of the unquoted *text* at *span*."""
        if text in _WORDS:
            return _WORDS[text]
        found = _number(text)
        if found is None:
            self._repaired("bare_text", span, "read text without quotes")
            return text
        value: float = math.inf
        if found[1] or found[2]:
            value = float(text)
        elif len(text) <= _MOST_DIGITS:
            value = int(text)
        if not math.isfinite(value):
            self._wrong("bad_value")
        return value

    # -- strings ----------------------------------------------------------------------------------

    def _read_string(self, text: str, at: int) -> int:
        """Read *text* from *at* to the end of the string; return where it ends."""
        if self._mark == '"':
            return self._read_plain(text, at)
        marks = (self._quote, self._closer) if self._lenient else (self._quote, self._quote)
        found = _finder(*marks)(text, at)
        if found is None:
            most = max(map(len, marks))
            end = text[max(at, len(text) - most) :]
            held = max(held_size(end, mark) for mark in marks)
            self._body.append(text[at : len(text) - held])
            self._tail = text[len(text) - held :]
            return len(text)
        self._body.append(text[at : found.start()])
        if found[0] != self._mark:
            if self._doubt is None:
                self._doubt = (len(self._body), self._at + found.start())
                self._is_over = "".join(self._body).rstrip().endswith(self._braces)
            self._body.append(found[0])
            return found.end()
        self._doubt, self._is_over = None, False
        self._value = "".join(self._body)
        self._mark = ""
        return found.end()

    def _read_plain(self, text: str, at: int) -> int:
        found = _plain(text, at)
        assert found is not None, "it matches anything"
        stop = found.end()
        self._body.append(found[0])
        if text[stop : stop + 1] != '"':
            self._tail = text[stop:]
            return len(text)
        body = "".join(self._body)
        try:
            self._value = json.loads(f'"{body}"', strict=False)
        except ValueError:
            self._value = body
        span = (self._string_at, self._at + stop + 1)
        self._repaired("plain_quotes", span, "read a string in plain quotes")
        self._mark = ""
        return stop + 1

    def close_string(self) -> bool:
        """End an unclosed string where the call is closed; return whether that was possible."""
        if self._doubt is None:
            return False
        pieces, end = self._doubt
        body = "".join(self._body[:pieces])
        if not body.rstrip().endswith(self._braces):
            return False
        body = body.rstrip().removesuffix(self._braces)
        # It is unclear how much of it is text, or which of several calls it belongs to.
        is_twice = self._closer in self._body[pieces + 1 :] and not self._is_over
        if is_twice or _has_member(body):
            self._wrong("two_ends")
        self._repaired("unclosed", (self._string_at, end), "ended a string with its call")
        self._mark, self._value = "", body
        while self._open:
            self._end_member(0, is_last=True)
        return True

    # -- problems and repairs ---------------------------------------------------------------------

    def _wrong(self, problem: str) -> None:
        self.problem = self.problem or problem

    def _repaired(self, kind: str, span: Span, message: str) -> None:
        self.repairs.append(Repair(kind, span, message))
        if not self._lenient:
            self._wrong("other_form")
