"""Showing values in messages: the text of a model, safe for a terminal, and what a value is."""

from __future__ import annotations

from typing import Final

__all__ = ["kind_of", "printable"]

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


def kind_of(value: object) -> str:
    """Return what to call *value* in an error that says it is of the wrong type."""
    if isinstance(value, type):
        return f"the class {value.__name__}"
    return "None" if value is None else type(value).__name__
