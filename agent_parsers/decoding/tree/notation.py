"""How a dialect writes values that are not text."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

__all__ = ["JSON", "NAME", "Notation"]

NAME: Final = "\ue005"
"""What stands for a name in tags."""


@dataclass(frozen=True)
class Notation:
    """How values are written that are like those of JSON."""

    constants: tuple[str, str, str] = ("null", "true", "false")
    """How null, true and false are written."""
    quote: str = '"'
    """The mark at both ends of a string. If it is not that of JSON, strings have no escapes, names
    of members no quotes, and there is no white space."""
    element: tuple[str, str] = ("", "")
    """The tags around a member, with `NAME` in place of its name, if lists and objects are written
    as elements and everything else as text."""
    item: str = ""
    """The name of the elements in a list."""
    sorts: bool = False
    """Whether members are written in the order of their names, ignoring case."""

    @property
    def is_json(self) -> bool:
        """Whether strings are those of JSON."""
        return self.quote == '"'


JSON: Final = Notation()
