"""Elements: parts of a step between an opening and a closing tag, for `Steps`.

What an element may contain is nothing but text: no tag counts in it except its closer, and those
tags that are named because models leave the closer out.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_parsers.engine.grammar.table import Go
from agent_parsers.engine.markers.kinds import Literal

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.families.steps import Habit, Steps

__all__ = ["Element", "closed_by"]


@dataclass(frozen=True, slots=True)
class Element:
    """An element by its name; its tags are ``<name>`` and ``</name>``."""

    name: str

    @property
    def opener(self) -> Literal:
        """The opening tag."""
        return Literal(f"<{self.name}>")

    @property
    def closer(self) -> Literal:
        """The closing tag."""
        return Literal(f"</{self.name}>")

    def write(self, text: str) -> str:
        """Return *text* between the tags."""
        return f"<{self.name}>{text}</{self.name}>"


def closed_by(state: str, closer: Literal, *, then: str, counts: Collection[str] = ()) -> Habit:
    """Return a habit that reads the text of an element up to its *closer*.

    Args:
        state: The state in the element, named like the marker that opens it.
        closer: The closing tag.
        then: The state after the closing tag.
        counts: Markers that count even so, since the closing tag may be missing.
    """
    name = f"end of {state}"

    def closes(steps: Steps) -> Steps:
        kept = {(state, marker): steps.follows(state, marker) for marker in counts}
        rows = {**kept, (state, name): Go(then, closes=True)}
        return steps.adding(rows, markers={name: closer}, apart=[state])

    return closes
