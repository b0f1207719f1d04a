"""Sets of characters, as sorted ranges of code points."""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = [
    "ANY", "DIGITS", "SPACES", "Charset", "chars", "minus", "of_pattern", "spelt", "union",
]  # fmt: skip

Charset: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included, in order and apart."""

_LAST: Final = 0x10FFFF
ANY: Final[Charset] = ((1, 0xD7FF), (0xE000, _LAST))
"""Every character that a model can write, apart from NUL, which some engines refuse."""
SPACES: Final[Charset] = (
    (9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""All white space, and a few characters more for the sake of brevity."""
DIGITS: Final[Charset] = (
    (0x30, 0x39), (0x660, 0x1FFF), (0xA620, 0xABFF), (0xFF10, 0xFF19), (0x104A0, 0x1FBFF),
)  # fmt: skip
"""All digits, and all scripts between those that have digits of their own: exact ranges would make
grammars much longer."""


def union(sets: Iterable[Charset]) -> Charset:
    """Return the characters that are in any of *sets*."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(each for one in sets for each in one):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return tuple(merged)


def minus(one: Charset, other: Charset) -> Charset:
    """Return the characters of *one* that are not in *other*."""
    left: list[tuple[int, int]] = []
    for first, last in one:
        at = first
        for start, stop in other:
            if stop < at or start > last:
                continue
            if start > at:
                left.append((at, start - 1))
            at = stop + 1
        if at <= last:
            left.append((at, last))
    return tuple(left)


def chars(text: str) -> Charset:
    """Return the characters of *text*."""
    return union(((ord(char), ord(char)),) for char in text)


_RUN: Final = re.compile(r"(.*)\{0,\d+\}\+", re.DOTALL).fullmatch


@cache
def of_pattern(atom: str) -> tuple[Charset, bool]:
    """Return the characters that an atom of a marker matches, and whether it is a run of them."""
    run = _RUN(atom)
    pattern = run[1] if run else atom
    fits = re.compile(pattern).fullmatch
    found = [
        chars("".join(char for char in {*map(chr, range(128)), *pattern} if fits(char))),
        SPACES if r"\s" in pattern else (),
        DIGITS if r"\d" in pattern else (),
    ]
    return union(found), run is not None


def spelt(char: int, special: str) -> str:
    r"""Return a character as it stands in a class, *special* ones and blanks as ``\uXXXX``."""
    text = chr(char)
    if text in special:
        return f"\\{text}"
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if text in named:
        return named[text]
    if 0x20 <= char < 0x7F:
        return text
    # Never with ``\\x``, which some engines read with as many hexadecimal digits as follow.
    return f"\\u{char:04x}" if char < 0x10000 else f"\\U{char:08x}"
