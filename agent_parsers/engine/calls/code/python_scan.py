"""The arguments of a Python call, chunk by chunk: where they and the strings in them end."""

from __future__ import annotations

import re
from typing import Any, Final

from typing_extensions import override

from agent_parsers.engine.calls.code.code_arguments import Arguments
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.repairs.python_values import Source, is_half_escaped, python_string
from agent_parsers.events import Repair

_OUTER: Final = re.compile(r"""[()\[\]{}'"#,=]""").search
_INNER: Final = re.compile(r"""[()\[\]{}'"#]""").search
_IN_STRING: Final = {
    '"': re.compile(r'(?s:(?>(?:[^\\"]++|\\.)*))').match,
    "'": re.compile(r"(?s:(?>(?:[^\\']++|\\.)*))").match,
    '"""': re.compile(r'(?s:(?>(?:[^\\"]++|\\.|"{1,2}+(?=[^"]))*))').match,
    "'''": re.compile(r"(?s:(?>(?:[^\\']++|\\.|'{1,2}+(?=[^']))*))").match,
}
"""Match as much of a string as is certain: up to its end, or to an incomplete escape."""
_NEVER_AFTER_STRING: Final = "_$?~`{"
_blank: Final = re.compile(r"\s*+").match
_has_argument: Final = re.compile(r",\s*+\w++\s*+=").search
_REPAIRS: Final = {
    "\n": ("line_break", "read an unescaped line break in a string"),
    "\r": ("line_break", "read an unescaped line break in a string"),
    "\0": ("nul", "read a NUL character in a string"),
}


class PythonArguments(Arguments):
    """Reads ``city="Bern", seats=2)`` up to the parenthesis that closes it.

    Names may be any words, even keywords; a value is read as soon as it is complete. Lenient mode
    repairs what only models take for Python. In it, unescaped quotes in a string are part of it if
    the text has no other reading: a letter follows the first quote, no comma or bracket follows the
    others, the quotes are paired (those between letters are apostrophes), and no other argument can
    stand among them.
    """

    def __init__(self, at: int, *, lenient: bool) -> None:
        super().__init__(at, "(", lenient=lenient)
        self._key: str | None = None
        self._source = Source()  # of the current argument
        self._is_raw = False
        self._quotes = 0  # number of unescaped quotes in the open string
        self._unpaired = 0  # of these, the ones that are not apostrophes

    @property
    @override
    def is_quoting(self) -> bool:
        if not self._quote:
            return len(self._tail) == 1
        return not self._tail.startswith(self._quote)

    @property
    @override
    def known(self) -> int:
        return self._at + len(self._tail) if self._open else self._end - 1

    # -- code -------------------------------------------------------------------------------------

    def _read_code(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next mark; return where that mark ends."""
        found = (_OUTER if len(self._open) == 1 else _INNER)(text, at)
        if found is None:
            self._code.add(text[at:])
            return len(text)
        mark, stop = found[0], found.start()
        self._code.add(text[at:stop])
        if mark in "'\"":
            return self._open_string(text, stop)
        if mark == "=":
            self._take_key(stop + 1)
        elif mark == ",":
            self._end_argument(stop, is_last=False)
        elif mark == "#":
            self._wrong("stray_text")
        elif mark in "([{":
            self._code.add(mark)
            self._open_bracket(mark)
        elif self._is_closer(mark):
            self._open.close_to(mark)
            if self._open:
                self._code.add(mark)
            else:
                self._end_argument(stop, is_last=True)
        return stop + 1

    def _take_key(self, at: int) -> None:
        key = str(self._code).strip()
        if self._key is not None or self._source.strings or not key.isidentifier():
            self._wrong("no_key")
        self._key = key
        self._code.clear()
        self._value_at = self._at + at

    def _end_argument(self, at: int, *, is_last: bool) -> None:
        """Read the argument that ends at *at* in the current text."""
        source, self._source = self._source, Source()
        source.code.append(str(self._code))
        self._code.clear()
        key, self._key = self._key, None
        span = (self._value_at, self._at + at)
        self._value_at = span[1] + 1
        if key is None and source.is_blank:
            if not is_last:
                self._wrong("odd_brackets")
            return
        if key is None and self.values:
            self._wrong("positional")
        elif key in self.values:
            self._wrong("repeated_key")
        if self.problem:
            return
        try:
            value, notes = source.value()
        except BadPayload as bad:
            self._wrong("positional" if key is None else bad.problem)
            return
        if key is None:
            self.unnamed.append(value)
        else:
            self.values[key] = value
        self._repaired(*(Repair(kind, span, message) for kind, message in notes))

    # -- strings ----------------------------------------------------------------------------------

    def _open_string(self, text: str, at: int) -> int:
        mark, quotes = text[at], text[at : at + 3]
        if quotes == mark * len(quotes) and len(quotes) < 3:  # it may become a triple quote
            self._tail = quotes
            return len(text)
        self._quote = quotes if quotes == mark * 3 else mark
        code = str(self._code)
        self._code.clear()
        prefix = code[-1:].lower()
        self._is_raw = prefix == "r"
        if prefix in ("r", "u") and not (code[-2:-1].isalnum() or code[-2:-1] == "_"):
            code = code[:-1]
        self._source.code.append(code)
        self._string_at = self._at + at
        self._body.clear()
        self._quotes = self._unpaired = 0
        return at + len(self._quote)

    def _read_string(self, text: str, at: int) -> int:
        """Read *text* from *at* through the next quote; return where that quote ends."""
        found = _IN_STRING[self._quote](text, at)
        assert found is not None, "the pattern matches any text"
        stop = found.end()
        self._body.add(found[0])
        if stop == len(text):
            return stop
        end = stop + len(self._quote)
        if text[stop] == "\\" or (len(self._quote) == 3 and end > len(text)):
            self._tail = text[stop:]
            return len(text)
        closes = len(self._quote) == 3 or not self._lenient or self._closes(text, end)
        if closes is None:
            self._tail = text[stop:]
            return len(text)
        if closes:
            self._close_string(end)
        else:
            self._take_quote(text[end])
        return end

    def _closes(self, text: str, end: int) -> bool | None:
        """Return whether the quote before *end* ends the string; `None` if *text* is too short."""
        if not self._quotes:
            after = text[end : end + 1]
            return not (after.isalnum() or after in _NEVER_AFTER_STRING) if after else None
        blank = _blank(text, end)
        assert blank is not None, "the pattern also matches empty text"
        after = text[blank.end() : blank.end() + 1]
        closer = self._open[-1]
        return after in (",", closer, ":" if closer == "}" else ",") if after else None

    def _take_quote(self, after: str) -> None:
        """Take a quote as part of the string; *after* is the character after it."""
        before = self._body.last_char
        if before == self._quote:  # other languages escape a quote by doubling it
            self._wrong("ambiguous_end")
        self._body.add(self._quote)
        self._quotes += 1
        if not (before.isalnum() and after.isalnum()):
            self._unpaired += 1

    def _close_string(self, end: int) -> None:
        is_line = len(self._quote) == 1
        self._quote = ""
        span = (self._string_at, self._at + end)
        string, seen = python_string(str(self._body), is_raw=self._is_raw)
        self._source.strings.append(string)
        if not self._is_raw and "\\" in string and is_half_escaped(str(self._body)):
            self._wrong("bad_escape")
        if self._unpaired % 2 or (self._quotes and _has_argument(str(self._body))):
            self._wrong("ambiguous_end")
        elif self._quotes:
            self._repaired(Repair("quotes", span, "read unescaped quotes in a string"))
        lenient = {_REPAIRS[char] for char in seen if is_line or char == "\0"}
        self._repaired(*(Repair(kind, span, message) for kind, message in sorted(lenient)))


def read_literal(text: str) -> Any:
    """Return the value of *text*, a Python literal.

    Raises:
        BadPayload: The text is not a literal, or is too large.
    """
    before = "value="
    arguments = PythonArguments(0, lenient=False)
    is_whole = arguments.feed(f"{before}{text})") == len(before + text) + 1
    if not is_whole or arguments.problem or arguments.unnamed or len(arguments.values) != 1:
        raise BadPayload(arguments.problem or "computed_value", (0, len(text)))
    return arguments.values["value"]
