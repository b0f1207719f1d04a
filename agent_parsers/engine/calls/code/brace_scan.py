"""Arguments in Gemma's braces, chunk by chunk: ``{city:<|"|>Bern<|"|>,seats:2}``."""

from __future__ import annotations

import math
import re
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.code_arguments import Arguments
from agent_parsers.engine.calls.raw_values import finder
from agent_parsers.events import Repair, Span
from outputs.growing_json.lenient.json_text import unquoted
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from outputs.growing_json.kept_text import KeptText

_WORDS: Final = {"true": True, "false": False, "null": None}
_PLAIN: Final = ('"', "'")
"""Plain quotes, which models write for the mark of the dialect."""
_MARKS: Final = ("{", "}", "[", "]", "(", ")", ",", ":", *_PLAIN)
_number: Final = re.compile(r"-?(?:0|[1-9][0-9]*+)(\.[0-9]++)?([eE][-+]?[0-9]++)?").fullmatch
_MOST_DIGITS: Final = 4000
"""Longest integer, in digits; Python refuses to read slightly longer ones."""
_plain: Final = {quote: re.compile(rf"(?s:(?>(?:[^\\{quote}]++|\\.)*))").match for quote in _PLAIN}
"""Matches the text of a string in these quotes."""
_has_member: Final = re.compile(r",\s*+[\w.-]++\s*+:").search


class BraceArguments(Arguments):
    """Reads ``city:<|"|>Bern<|"|>,seats:2}`` up to the brace that closes it.

    Strings have no escapes and may contain anything but their *quote* mark. If a string has no end,
    the *closer* of the call ends it; a closer before the end of a string is text. Any other marker
    of the dialect is text as well, unless the closing braces and the closer stand before it.
    """

    def __init__(self, at: int, opener: str, *, quote: str, closer: str, lenient: bool) -> None:
        super().__init__(at, opener, lenient=lenient)
        self._mark, self._closer = quote, closer
        self._frames: list[Any] = [self.values]  # open objects and lists
        self._keys: list[str | None] = [None]  # name of the member that is read in each of them
        self._value: Any = NOTHING  # a string, an object or a list
        self._doubt: tuple[int, int] | None = None  # size and offset at which it may have ended
        self._is_over = False  # whether the braces may have ended there as well
        self._is_bare = False  # whether text without quotes has begun
        self._is_marked = False  # whether the last string has the mark of the dialect

    @property
    @override
    def is_quoting(self) -> bool:
        return bool(self._quote) and not self._is_over

    @property
    @override
    def known(self) -> int:
        if self._doubt is not None:
            return self._doubt[1]
        return self._at if self._open else self._end - 1

    @property
    def _marks(self) -> tuple[str, ...]:
        """What may end a string; some dialects have nothing behind a call."""
        return (self._mark, self._closer) if self._lenient and self._closer else (self._mark,)

    def _find(
        self, marks: tuple[str, ...], text: str, at: int, before: KeptText
    ) -> re.Match[str] | None:
        """Return the next of *marks* in *text*, if it is whole; add the text *before* it."""
        found = finder(marks)(text, at)
        stop = len(text) if found is None else found.start()
        before.add(text[at:stop])
        if found is not None and found[1] is not None:
            return found
        self._tail = text[stop:]
        return None

    # -- code -------------------------------------------------------------------------------------

    def _read_code(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next mark; return where that mark ends."""
        was_bare = bool(self._code) and self._is_bare
        found = self._find((self._mark, *_MARKS), text, at, self._code)
        stop = len(text) if found is None else found.start()
        self._is_bare = was_bare or bool(text[at:stop].strip())
        if found is None:
            return len(text)
        mark, start = found[0], found.start()
        if mark == "'" and self._is_bare:
            self._code.add(mark)  # as in: it's
        elif mark == self._mark or mark in _PLAIN:
            self._begin_value()
            self._quote = mark
            self._is_marked = mark == self._mark
            self._string_at = self._at + start
            self._body.clear()
        elif mark in "{[":
            self._begin_value()
            self._frames.append({} if mark == "{" else [])
            self._keys.append(None)
            self._open_bracket(mark)
        elif mark == ":" and isinstance(self._frames[-1], dict) and self._keys[-1] is None:
            self._take_key(start)
        elif mark == ",":
            self._end_member(start)
            self._value_at = self._at + start + 1
        elif mark in ":(" or (mark == ")" and self._open != [")"]):
            self._code.add(mark)
            self._is_bare = True
        elif self._is_closer(mark):
            while self._end_container(start) != mark:
                pass
        return found.end()

    def _begin_value(self) -> None:
        is_wanted = isinstance(self._frames[-1], list) or self._keys[-1] is not None
        is_key = not is_wanted and self._lenient  # a name in quotes, if a colon follows
        if self._value is not NOTHING or str(self._code).strip() or not (is_wanted or is_key):
            self._wrong(self._torn(self._value) if is_wanted else "no_key")
        self._code.clear()

    def _torn(self, value: Any) -> str:
        return "inner_mark" if isinstance(value, str) and self._is_marked else "odd_brackets"

    def _take_key(self, at: int) -> None:
        key, span = self._take_value(at)
        if isinstance(key, str):
            self._repaired(Repair("quoted_key", span, "read a name in quotes"))
        elif key is NOTHING:
            key = self._take_bare()
        if not isinstance(key, str) or not key:
            self._wrong("no_key")
        elif key in self._frames[-1]:
            self._wrong("repeated_key")
        self._keys[-1] = str(key)
        self._value_at = self._at + at + 1

    def _end_container(self, at: int) -> str:
        """End the innermost container at *at* in the current text; return what closes it."""
        if self._value is NOTHING and self._keys[-1] is None and not str(self._code).strip():
            self._code.clear()
            if self._frames[-1]:
                comma = (self._value_at - 1, self._value_at)
                self._repaired(Repair("comma", comma, "dropped a trailing comma"))
        else:
            self._end_member(at)
        self._keys.pop()
        self._value = self._frames.pop()
        return self._open.close()

    def _end_member(self, at: int) -> None:
        """Add the value that ends at *at* in the current text to the innermost container."""
        frame, key = self._frames[-1], self._keys[-1]
        self._keys[-1] = None
        value, span = self._take_value(at)
        if value is NOTHING and (bare := self._take_bare()):
            value = self._read_bare(bare, span)
            if key is not None and len(self._frames) == 1 and value is not None:
                self.written[key] = bare
        if value is NOTHING:
            self._wrong("no_value" if key is not None else "odd_brackets")
        elif isinstance(frame, list):
            frame.append(value)
        elif key is not None:
            frame[key] = value
        else:
            self._wrong("no_key")

    def _take_value(self, at: int) -> tuple[Any, Span]:
        """Return the string or container that was read, if any, and where it stands."""
        value, self._value = self._value, NOTHING
        if value is not NOTHING and self._take_bare():
            self._wrong(self._torn(value))
        return value, (self._value_at, self._at + at)

    def _take_bare(self) -> str:
        bare = str(self._code).strip()
        self._code.clear()
        return bare

    def _read_bare(self, text: str, span: Span) -> Any:
        """Return the value of the unquoted *text* at *span*."""
        if text in _WORDS:
            return _WORDS[text]
        found = _number(text)
        if found is None:
            self._repaired(Repair("bare_text", span, "read text without quotes as a string"))
            return text
        value: float = math.inf
        if found[1] or found[2]:
            value = float(text)
        elif len(text) <= _MOST_DIGITS:
            value = int(text)
        if abs(value) == math.inf:  # an int may be too large for `math.isfinite`
            self._wrong("bad_value")
        return value

    # -- strings ----------------------------------------------------------------------------------

    def _read_string(self, text: str, at: int) -> int:
        """Read *text* from *at* to the end of the string; return where it ends."""
        if self._quote in _PLAIN:
            return self._read_plain(text, at)
        found = self._find(self._marks, text, at, self._body)
        if found is None:
            return len(text)
        if found[0] != self._quote:
            if self._doubt is None:
                self._doubt = (len(self._body), self._at + found.start())
                self._is_over = str(self._body).rstrip().endswith("".join(reversed(self._open)))
            self._body.add(found[0])
            return found.end()
        self._doubt, self._is_over = None, False
        self._value = str(self._body)
        self._quote = ""
        return found.end()

    def _read_plain(self, text: str, at: int) -> int:
        quote = self._quote
        found = _plain[quote](text, at)
        assert found is not None, "the pattern matches any text"
        stop = found.end()
        self._body.add(found[0])
        if text[stop : stop + 1] != quote:
            self._tail = text[stop:]
            return len(text)
        body = str(self._body)
        value = unquoted(f"{quote}{body}{quote}")
        self._value = body if value is None else value
        span = (self._string_at, self._at + stop + 1)
        self._repaired(Repair("plain_quotes", span, "read a string in plain quotes"))
        self._quote = ""
        return stop + 1

    def close_string(self) -> bool:
        """End an unclosed string where the call ends; return whether that was possible."""
        if self._doubt is None:
            return False
        size, end = self._doubt
        body, closers = self._body.slice(0, size).rstrip(), "".join(reversed(self._open))
        if not body.endswith(closers):
            return False
        body = body.removesuffix(closers)
        # imported lazily: it is rare
        from agent_parsers.engine.calls.other_closers import ends_in_closer

        # It is unclear how much of it is text, or which of several calls it belongs to.
        is_twice = self._closer in self._body.tail(size + len(self._closer)) and not self._is_over
        if is_twice or _has_member(body) or ends_in_closer(body, [self._mark]):
            self._wrong("ambiguous_end")
        self._repaired(
            Repair(
                "unclosed", (self._string_at, end), "supplied the missing closing quote of a string"
            )
        )
        self._quote, self._value = "", body
        while self._open:
            self._end_container(0)
        return True
