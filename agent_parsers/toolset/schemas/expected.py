"""Describes in words what a schema expects."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.input_problem import shown
from agent_parsers.toolset.schemas.scalars import type_words, words_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.toolset.schemas.schema import Node, Schema

__all__ = ["counted", "expected_by", "one_of_words"]

_MOST_LISTED: Final = 12
_MOST_UNIONS: Final = 3


def expected_by(schema: Schema, node: Node, depth: int = 0) -> str:
    """Return what *node* expects, in words."""
    flat = schema.flat(node)
    for keyword in ("enum", "const"):
        if keyword in flat:
            return one_of_words(flat["enum"] if keyword == "enum" else [flat["const"]])
    if kinds := type_words(flat):
        return words_of(kinds)
    for keyword in ("anyOf", "oneOf"):
        if keyword in flat and depth < _MOST_UNIONS:
            words = [expected_by(schema, part, depth + 1) for part in flat[keyword]]
            return " or ".join(dict.fromkeys(words))
    return "an object" if "properties" in flat else "a value"


def counted(count: int, noun: str) -> str:
    """Return *count* and *noun*, in the plural unless *count* is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def one_of_words(values: Sequence[Any]) -> str:
    """Return ``one of``, followed by *values*; long lists are cut."""
    if len(values) == 1:
        return shown(values[0])
    listed = ", ".join(shown(value) for value in values[:_MOST_LISTED])
    return f"one of {listed}{', …' if len(values) > _MOST_LISTED else ''}"
