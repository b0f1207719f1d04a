"""Cuts what a template writes into marks: tags and tokens in brackets, words, and blanks."""

from __future__ import annotations

import re
from itertools import takewhile
from typing import Final

__all__ = [
    "first_mark", "is_mark", "last_mark", "pieces", "pieces_at_end", "same_beginning",
    "same_end", "without_open_mark",
]  # fmt: skip

_BRACKETS: Final = (
    "<>", "[]", "{}", "⟦⟧", "⟨⟩", "⟪⟫", "«»", "‹›",
    "〈〉", "《》", "「」", "『』", "【】", "〔〕", "〖〗",
)  # fmt: skip
_MARK: Final = "|".join(
    rf"{re.escape(opens)}(?:(?![{re.escape(opens + closes)}\n]).)+{re.escape(closes)}"
    for opens, closes in _BRACKETS
)
_find_pieces: Final = re.compile(rf"{_MARK}|\w+|\s|.", re.DOTALL).findall
_match_mark: Final = re.compile(rf"(?:{_MARK})\Z").match
_find_open: Final = re.compile(r"[<\[][^<>\[\]\s]*\Z").search


def pieces(text: str) -> list[str]:
    """Return the marks, words and blanks of *text*."""
    return _find_pieces(text)


def pieces_at_end(text: str) -> str:
    """Return the words and signs at the end of *text*, behind its last mark or blank."""
    rest = takewhile(lambda piece: piece.strip() and not is_mark(piece), reversed(pieces(text)))
    return "".join(reversed([*rest]))


def same_beginning(*texts: str) -> str:
    """Return the longest beginning that all *texts* share, in whole pieces."""
    rows = zip(*map(pieces, texts), strict=False)
    return "".join(row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows))


def same_end(*texts: str) -> str:
    """Return the longest end that all *texts* share, in whole pieces."""
    rows = zip(*(reversed(pieces(text)) for text in texts), strict=False)
    same = [row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows)]
    return "".join(reversed(same))


def without_open_mark(*texts: str) -> str:
    """Return the longest beginning of all *texts*, without a mark that is only begun."""
    rows = zip(*texts, strict=False)
    begun = "".join(row[0] for row in takewhile(lambda row: len(set(row)) == 1, rows))
    found = _find_open(begun)
    return begun[: found.start()] if found else begun


def is_mark(piece: str) -> bool:
    """Return whether a *piece* is in brackets."""
    return _match_mark(piece) is not None


def first_mark(text: str) -> str:
    """Return the mark in brackets with which *text* begins, else the word; `""` if it is blank."""
    return next((piece for piece in pieces(text) if piece.strip()), "")


def last_mark(text: str) -> str:
    """Return the mark in brackets with which *text* ends, and the blanks behind it; or ``""``."""
    *_, mark = pieces(text.rstrip()) or [""]
    return text[text.rindex(mark) :] if mark and is_mark(mark) else ""
