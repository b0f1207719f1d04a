"""Elements: parts of a step between an opening and a closing tag, for `Steps`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_parsers.engine.grammar.table import Go
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.steps import Steps

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine.grammar.table import Part

__all__ = ["TextElement"]


@dataclass(frozen=True, slots=True)
class TextElement:
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

    def read_as(self, part: Part, state: str, *, then: str, counts: Collection[str] = ()) -> Steps:
        """Return the state in the element, whose text is read up to the closing tag.

        Args:
            part: What the text is.
            state: Name of the state, and of the marker that begins it.
            then: The state after the closing tag.
            counts: Markers that count before the closing tag, since models may leave it out. Any
                other tag is text.
        """
        end = f"end of {state}"
        return Steps(
            parts={state: part},
            markers={state: self.opener, end: self.closer},
            rows={(state, end): Go(then, closes=True)},
            apart={state: counts},
        )
