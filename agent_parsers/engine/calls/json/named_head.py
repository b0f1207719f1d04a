"""What precedes the JSON of a call that names the tool first."""

from __future__ import annotations

from typing import NamedTuple

__all__ = ["Head"]


class Head(NamedTuple):
    """The text before the JSON of a call, parsed."""

    start: int
    """Where the name of the tool begins."""
    stop: int
    """Where it ends."""
    id: str | None = None
    """The id that the model gave the call, if any."""
    odd: str = ""
    """Message of the repair, if the dialect writes the head otherwise."""
    kind: str = "head"
    """Kind of that repair."""
