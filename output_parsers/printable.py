"""Making a model's text safe for a terminal."""

from __future__ import annotations

from typing import Final

__all__ = ["printable"]

_JOINERS: Final = "\u200c\u200d"
"""Not printable by themselves, but needed in Persian, Hindi and some emoji."""


def printable(text: str) -> str:
    """Return *text* without control characters, each replaced by one character.

    Any white space becomes a space; escape characters, direction marks and lone surrogates become
    U+FFFD.
    """
    return text if text.isprintable() else "".join(map(_printable, text))


def _printable(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return " " if char.isspace() else "\ufffd"
