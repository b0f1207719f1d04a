"""The slots of a spelt turn, and what stands in those of names, ids and numbers."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_parsers.constrain.parts.automaton import chars, minus, union
from agent_parsers.constrain.parts.tree import Chars, Node, Repeat, sequence


class Slot:
    """Placeholder characters for the parts that differ from turn to turn."""

    THOUGHT: Final = "\ue000"
    CONTENT: Final = "\ue001"
    ANSWER: Final = "\ue002"
    TEXT: Final = "\ue003"
    """An input that is text."""
    INPUT: Final = "\ue004"
    """An input in JSON."""
    KEY: Final = "\ue005"
    """The name of a parameter."""
    VALUE: Final = "\ue006"
    """The value of a parameter."""
    ID: Final = "\ue007"
    """A letter or digit of the id of a call."""
    NUMBER: Final = "\ue008"
    """The number of a step."""
    TOOL: Final = "\ue009"
    """The name of any tool."""
    TYPE: Final = "\ue00a"
    """The type of the value of a parameter."""


SLOTS: Final = re.compile(f"({Slot.ID}+|[{Slot.THOUGHT}-{Slot.TYPE}])")
"""Splits a text at its slots; an id is one slot."""

_ALNUM: Final = chars("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS: Final = Repeat(Chars(((0x30, 0x39),)), 1, 3)
_NAME: Final = sequence(
    Chars(minus(_ALNUM, ((0x30, 0x39),))), Repeat(Chars(union([_ALNUM, chars("_")])), 0, 63)
)


def tokens(text: str) -> Iterator[Node]:
    """Yield the parts of a turn; slots for names, ids and numbers become what they may contain."""
    for token in SLOTS.split(text):
        if token == Slot.NUMBER:
            yield _DIGITS
        elif token == Slot.TOOL:
            yield _NAME
        elif token.startswith(Slot.ID):
            yield Repeat(Chars(_ALNUM), len(token), len(token))
        else:
            yield sequence(token)
