"""Strings, numbers and words of JSON, whole or cut by the end of a chunk."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from typing import Any, Final, TypeAlias, cast

NOTHING: Final[Any] = object()
"""Stands for “no value yet”, which `None` cannot: that is JSON's ``null``."""

WORDS: Final[dict[str, tuple[str, Any]]] = {
    "t": ("true", True),
    "f": ("false", False),
    "n": ("null", None),
    "N": ("NaN", float("nan")),
    "I": ("Infinity", float("inf")),
    "-": ("-Infinity", float("-inf")),
}
"""The words that are values, by their first character. The last three are Python's, not JSON's."""

MAX_NUMBER_CHARS: Final = 4300
"""No number may be longer: Python itself refuses to convert more digits than that."""

Matcher: TypeAlias = Callable[[str, int], "re.Match[str]"]
"""Matches at a position; for the patterns here that always succeeds, if only with nothing."""


def matcher(pattern: str) -> Matcher:
    """Compile *pattern*, in which white space does not count."""
    return cast("Matcher", re.compile(pattern, re.VERBOSE).match)


# An escaped high surrogate pairs with an escape right after it, so it is taken only when so much
# has arrived that we know.
ESCAPE: Final = r"""
    \\ (?: ["\\/bfnrt]
         | u (?! [dD][89abAB] ) [0-9a-fA-F]{4}
         | u [dD][89abAB][0-9a-fA-F]{2} (?! \Z | \\\Z | \\u[0-9a-fA-F]{0,3}\Z )
       )
"""
"""An escape that is whole."""
# Loops are possessive (`*+`): nothing is tried twice, so matching is linear on any input.
skip_space = matcher(r"[\ \t\n\r]*+")
plain_text = matcher(r'[^"\\]*+')
escaped_text = matcher(rf'(?: [^"\\]++ | {ESCAPE} )*+')
# Strict means no control characters but the newline.
strict_plain_text = matcher(r'[^"\\\x00-\x09\x0b-\x1f]*+')
strict_escaped_text = matcher(rf'(?: [^"\\\x00-\x09\x0b-\x1f]++ | {ESCAPE} )*+')
to_bracket = matcher(r'[^"\[\]{}]*+')
to_quote = matcher(r'(?s: [^"\\]++ | \\. )*+')
number_run = matcher(r"[-+.0-9eE]*+")

cut_escape = re.compile(
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
    """Return what *body*, the inside of a string with whole escapes, stands for."""
    text: str = _decoder.raw_decode(f'"{body}"')[0]
    return text


def read_cut_escape(held: str) -> str | None:
    r"""Return what can be read of *held*, an escape cut by the end of the text.

    A lone backslash adds nothing and a high surrogate stands for itself, but ``\u12`` makes the
    whole string unreadable, which is told by `None`.
    """
    whole = _readable_escape(held)
    if whole is None:
        return None
    return unescape(whole.group(1) or "")


def read_number(text: str) -> tuple[Any, bool]:
    """Return the number that *text* begins with, or `NOTHING`, and whether it is all of *text*."""
    whole = _number(text)
    if whole is None:
        return NOTHING, False
    integer, fraction, exponent = whole.groups()
    if fraction is None and exponent is None:
        return int(integer), whole.end() == len(text)
    return float(whole.group()), whole.end() == len(text)


def max_number_chars() -> int:
    """Return how long a number may be in this process, its sign not counted."""
    limit = sys.get_int_max_str_digits()
    return limit if 0 < limit < MAX_NUMBER_CHARS else MAX_NUMBER_CHARS
