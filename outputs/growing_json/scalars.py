"""JSON strings, numbers and literals, whole or cut by the end of a chunk."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

NOTHING: Final[Any] = object()
"""Means “no value yet”. `None` cannot, because it is JSON's ``null``."""

WORDS: Final[dict[str, tuple[str, Any]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
    "N": ("NaN", float("nan")),
    "I": ("Infinity", float("inf")),
    "-": ("-Infinity", float("-inf")),
}
"""The literals and their values, by first character. The last three are Python's, not JSON's."""

MAX_NUMBER_CHARS: Final = 4300
"""The longest number allowed: by default, Python refuses to convert more digits."""

Matcher: TypeAlias = Callable[[str, int], "re.Match[str]"]
"""Matches at a position. The patterns here always match, if only the empty string."""
Search: TypeAlias = Callable[[str, int], "re.Match[str] | None"]
"""Matches at a position, or does not."""


def matcher(pattern: str) -> Matcher:
    """Compile *pattern* in verbose mode and return its ``match``."""
    return cast("Matcher", re.compile(pattern, re.VERBOSE).match)


# An escaped high surrogate may pair with the escape right after it, so it is read only when enough
# text has arrived to decide.
ESCAPE: Final = r"""
    \\ (?: ["\\/bfnrt]
         | u (?! [dD][89abAB] ) [0-9a-fA-F]{4}
         | u [dD][89abAB][0-9a-fA-F]{2} (?! \Z | \\\Z | \\u[0-9a-fA-F]{0,3}\Z )
       )
"""
"""A complete escape."""
# There is no backtracking, so matching is linear on any input: loops over one character are
# possessive (`*+`), those over a group are atomic, since Python before 3.11.5 reads a possessive
# group wrongly (it keeps half of an alternative that failed).
skip_space: Matcher = matcher(r"[\ \t\n\r]*+")
to_bracket: Matcher = matcher(r'[^"\[\]{}]*+')
to_quote: Matcher = matcher(r'(?>(?s: [^"\\]++ | \\. )*)')
number_run: Matcher = matcher(r"[-+.0-9eE]*+")

cut_escape: Search = re.compile(
    r"""
    \\ (?: u (?: [0-9a-fA-F]{0,3}
               | [dD][89abAB][0-9a-fA-F]{2} (?: \\ (?: u[0-9a-fA-F]{0,3} )? )?
             )
       )? \Z
    """,
    re.VERBOSE,
).match
_decoder = json.JSONDecoder(strict=False)
_number = re.compile(r"(-?(?:0|[1-9][0-9]*+))(\.[0-9]++)?([eE][-+]?[0-9]++)?").match
_readable_escape = re.compile(r"(\\u[0-9a-fA-F]{4})?\\?\Z").match


def unescape(body: str) -> str:
    """Decode the escapes in *body*, the inside of a JSON string."""
    text: str = _decoder.raw_decode(f'"{body}"')[0]
    return text


def read_cut_escape(held: str) -> str | None:
    r"""Return the readable part of *held*, an escape that the end of the text cuts off.

    A lone backslash adds nothing and a high surrogate stands for itself, but ``\u12`` makes the
    whole string unreadable, so `None` is returned.
    """
    whole = _readable_escape(held)
    if whole is None:
        return None
    return unescape(whole.group(1) or "")


def read_number(text: str) -> tuple[Any, bool]:
    """Return the number at the start of *text*, or `NOTHING`, and whether it is all of *text*."""
    whole = _number(text)
    if whole is None:
        return NOTHING, False
    integer, fraction, exponent = whole.groups()
    if fraction is None and exponent is None:
        return int(integer), whole.end() == len(text)
    return float(whole.group()), whole.end() == len(text)


def max_number_chars() -> int:
    """Return the most characters that a number may have in this process, without its sign."""
    limit = sys.get_int_max_str_digits()
    return limit if 0 < limit < MAX_NUMBER_CHARS else MAX_NUMBER_CHARS
