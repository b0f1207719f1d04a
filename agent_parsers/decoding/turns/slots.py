"""What stands in the slots of turns for names, ids and numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.decoding.texts.charsets import chars, minus, union
from agent_parsers.decoding.tree.nodes import Chars, Repeat, sequence
from agent_parsers.decoding.turns.shapes import ID, NUMBER, SLOTS, TOOL

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.decoding.tree.nodes import Node

__all__ = ["tokens"]

_ALNUM: Final = chars("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS: Final = Repeat(Chars(((0x30, 0x39),)), 1, 3)
_NINE: Final = Repeat(Chars(_ALNUM), 9, 9)
_NAME: Final = sequence(
    Chars(minus(_ALNUM, ((0x30, 0x39),))), Repeat(Chars(union([_ALNUM, chars("_")])), 0, 63)
)


def tokens(text: str) -> Iterator[Node]:
    """Yield the parts of a turn in which slots stand for names, ids and numbers."""
    before = ""
    for token in SLOTS.split(text):
        if token == NUMBER:
            yield _DIGITS
        elif token == TOOL:
            yield _NAME
        elif token == ID:
            yield _DIGITS if before.endswith(":") else _NINE
        else:
            yield sequence(token)
        before = token
