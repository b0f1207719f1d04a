"""The tools that a parser is told of, in any form, as one set."""

from __future__ import annotations

from typing import TYPE_CHECKING, cast

if TYPE_CHECKING:
    from agent_parsers.toolset import Tools, ToolSet

__all__ = ["known_tools"]


def known_tools(tools: Tools | None) -> ToolSet | None:
    """Return *tools* as a set; one that is there already, with its policies, as it is.

    `None` stays: then any tool will do.

    Raises:
        TypeError: One of them is no tool.
        ValueError: Two have the same name, or one an empty name or no sound schema.
    """
    if tools is None or hasattr(tools, "checks"):  # to import the class takes longer than a turn
        return cast("ToolSet | None", tools)
    from agent_parsers.toolset import ToolSet  # only who has tools needs it

    return ToolSet(tools)
