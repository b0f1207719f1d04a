"""The tools that a parser is told of, in any form, as one set."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from agent_parsers.tools import Tools, ToolSet

__all__ = ["known_tools"]


def known_tools(tools: Tools) -> ToolSet:
    """Return *tools* as a set; one that is there already, with its policies, as it is.

    Raises:
        TypeError: One of them is no tool.
        ValueError: Two have the same name, or one an empty name or no sound schema.
    """
    if hasattr(tools, "checks"):  # to import the class takes longer than to parse most turns
        return cast("ToolSet", tools)
    from agent_parsers.tools import ToolSet  # only who has tools needs it

    return ToolSet(tools)
