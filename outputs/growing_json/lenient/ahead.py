"""Lookahead that decides whether a quote inside a string can be its end.

Models write ``{"note": "the "warden" is away"}``. The second quote ends the string only if the text
after it could continue the JSON. Here it could not: a word is neither a comma nor a bracket. In a
valid document JSON continues after each string, so the lookahead does not change how it is read.
"""

from __future__ import annotations

import re
from enum import Enum, auto
from functools import cache
from typing import TYPE_CHECKING, Final

from outputs.growing_json.scalars import Matcher, Search, matcher, skip_space

if TYPE_CHECKING:
    from outputs.growing_json.value import GrowingValue

MAX_CHARS: Final = 512
"""How far the lookahead goes. This bounds the work for each quote and the text held back."""

CLOSERS: Final = {
    '"': '"',
    "'": "'",
    "“": "”",
    "”": "”",
    "„": "“”",
    "‘": "’",
    "’": "’",
    "‚": "‘’",
    "«": "»",
}
"""The quotes that open a string, each with the quotes that may close it."""

bare_key: Matcher = matcher(r"(?>(?: [\w$] [\w$-]*+ )?)")
closing_fence: Search = re.compile(r"`[` ]{0,15}+\r?+(?:\n|\Z)").match
"""Matches a fence with nothing after it on its line. Only such a fence ends a value."""
half_quoted_key: Matcher = matcher(r"""[^"'“”„‘’‚«»\x00-\x1f\\:,{}\[\]]{0,100}+""")
_VALUE_WORDS = frozenset(
    ("true", "false", "null", "NaN", "Infinity", "True", "False", "None", "undefined")
)
_without_apostrophes = re.compile(r"(?<=\w)['’](?=\w)").sub
ALL_CLOSERS = frozenset("".join(CLOSERS.values()))


@cache
def _key_text(opener: str) -> Matcher:
    return matcher(rf"(?>(?: [^\n\\{CLOSERS[opener]}]++ | \\. )*) \\?+")


class Follows(Enum):
    """What comes after a quote."""

    JSON = auto()
    """Text that may come after a value in JSON."""
    PERHAPS_JSON = auto()
    """A closing bracket, and then text that may be part of the value or surround it."""
    QUOTE = auto()
    """Another quote."""
    TEXT = auto()
    """Text that cannot come after a value."""
    UNKNOWN = auto()
    """More text is needed to decide."""


def what_follows(
    text: str, pos: int, grown: GrowingValue, *, in_doubt: bool, ended: bool, end_counts: bool
) -> Follows:
    """Return what comes after a quote that may end a value.

    Args:
        text: The text that has arrived.
        pos: The position after the quote.
        grown: The value around the string.
        in_doubt: Whether the text after a closing bracket matters. If not, any closing bracket
            returns `Follows.PERHAPS_JSON` at once.
        ended: Whether no more text will arrive.
        end_counts: Whether a fence or the end of the text may come after the value. If not, the
            end only shows that the text was cut.
    """
    ahead = _Ahead(text[pos : pos + MAX_CHARS], grown, in_doubt, ended, end_counts)
    try:
        follows = ahead.after_value()
    except _TextEndsError as cut:
        if len(ahead.text) == MAX_CHARS:
            return Follows.JSON
        # If the end of the text does not decide it, the text was cut and the rest is unknown.
        is_end = ended and end_counts and not cut.inside_token
        return Follows.JSON if is_end else Follows.UNKNOWN
    # With an odd number of quotes, what looks like a comment may be the rest of the string.
    in_comments = _without_apostrophes("", ahead.comments).count(text[pos - 1])
    return Follows.QUOTE if in_comments % 2 and follows is not Follows.TEXT else follows


class _TextEndsError(Exception):
    """The text ends before the lookahead can decide."""

    def __init__(self, *, inside_token: bool) -> None:
        self.inside_token = inside_token


class _Ahead:
    """A lookahead from the position after a quote."""

    def __init__(
        self, text: str, grown: GrowingValue, in_doubt: bool, ended: bool, end_counts: bool
    ) -> None:
        self.text = text
        self.pos = 0
        self.grown = grown
        self.in_doubt = in_doubt
        self.ended = ended
        self.end_counts = end_counts
        self.in_object = isinstance(grown.top, dict)
        self.new_line = False
        self.comments = ""
        """The text of skipped line comments."""

    def after_value(self) -> Follows:
        char = self.next_char()
        if char in "}]":
            return self.after_closer(char)
        if char in ALL_CLOSERS or char in CLOSERS:
            # Behind blanks it may open the next key or item, with only the comma missing.
            is_apart = self.pos > 0 and (self.new_line or not self.in_doubt)
            is_next = is_apart and (self.at_key() if self.in_object else self.at_item())
            return Follows.JSON if is_next else Follows.QUOTE
        if char == "`":
            fence = closing_fence(self.text, self.pos)
            if fence is None:
                return Follows.TEXT
            if fence.end() == len(self.text) and not self.ended:
                raise _TextEndsError(inside_token=False)
            return Follows.PERHAPS_JSON if self.end_counts else Follows.QUOTE
        if not self.grown.depth:
            return Follows.PERHAPS_JSON
        if char == ",":
            self.pos += 1
            return self.after_comma()
        return Follows.TEXT

    def after_comma(self) -> Follows:
        char = self.next_char()
        if char in "}]":
            return self.after_closer(char)
        if self.in_object:
            return Follows.JSON if self.at_key() else Follows.TEXT
        if char in CLOSERS or char in "-0123456789{[":
            return Follows.JSON
        end = self.expect_more(bare_key(self.text, self.pos))
        if self.text[self.pos : end] not in _VALUE_WORDS:
            return Follows.TEXT
        end = self.expect_more(skip_space(self.text, end))
        return Follows.JSON if self.text[end] in ",]/#" else Follows.TEXT

    def after_closer(self, closer: str) -> Follows:
        grown = self.grown
        if not grown.depth or closer != ("}" if self.in_object else "]"):
            wanted = dict if closer == "}" else list
            found = any(isinstance(container, wanted) for container, _ in grown.frames())
            return Follows.PERHAPS_JSON if found else Follows.TEXT
        if not self.in_doubt:
            return Follows.PERHAPS_JSON
        self.pos += 1
        self.new_line = False
        char = self.next_char()
        if grown.depth > 1:
            return Follows.JSON if char in ",]}" else Follows.PERHAPS_JSON
        return Follows.JSON if self.new_line or char in "}`<" else Follows.PERHAPS_JSON

    def at_key(self) -> bool:
        """Return whether a key and a colon come next."""
        text, start = self.text, self.pos
        if text[start] in CLOSERS:
            closers = CLOSERS[text[start]]
            end = self.expect_more(_key_text(text[start])(text, start + 1))
            return text[end] in closers and self.at_colon(end + 1)
        end = self.expect_more(bare_key(text, start))
        if end > start and self.at_colon(end):
            return True
        end = self.expect_more(half_quoted_key(text, start))
        return end > start and text[end] in ALL_CLOSERS and self.at_colon(end + 1)

    def at_item(self) -> bool:
        """Return whether a complete string comes next, then another item or the closing bracket."""
        text, start = self.text, self.pos
        if not self.grown.depth or text[start] not in CLOSERS:
            return False
        end = self.expect_more(_key_text(text[start])(text, start + 1))
        if text[end] not in CLOSERS[text[start]]:
            return False
        after = self.expect_more(skip_space(text, end + 1))
        return text[after] in ",]" or (after > end + 1 and text[after] in CLOSERS)

    def at_colon(self, pos: int) -> bool:
        return self.text[self.expect_more(skip_space(self.text, pos))] == ":"

    def expect_more(self, found: re.Match[str]) -> int:
        """Return where *found* ends; raise if that is the end of the text."""
        end = found.end()
        if end == len(self.text):
            raise _TextEndsError(inside_token=True)
        return end

    def next_char(self) -> str:
        """Skip white space and comments; return the next character."""
        text = self.text
        while True:
            end = skip_space(text, self.pos).end()
            self.new_line = self.new_line or "\n" in text[self.pos : end]
            self.pos = end
            if end == len(text):
                raise _TextEndsError(inside_token=False)
            if text.startswith(("#", "//", "/*"), end):
                self.pos = self.after_comment(end)
            elif text[end] == "/" and end + 1 == len(text):
                raise _TextEndsError(inside_token=True)
            else:
                return text[end]

    def after_comment(self, start: int) -> int:
        is_block = self.text.startswith("/*", start)
        end = self.text.find("*/", start + 2) if is_block else self.text.find("\n", start)
        if end < 0:
            raise _TextEndsError(inside_token=True)
        if is_block:
            return end + 2
        self.comments += self.text[start:end]
        return end
