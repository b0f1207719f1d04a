"""What a parser needs to know of the tools; all of it is in `agent_parsers.tools`."""

from agent_parsers.tools import Tools, ToolSet
from agent_parsers.tools import ToolSpec as Tool

__all__ = ["Tool", "Tools", "read_tools"]


def read_tools(tools: Tools) -> tuple[Tool, ...]:
    """Return *tools* in their order; see `ToolSet`.

    Raises:
        TypeError: One of them is no tool.
        ValueError: Two have the same name, or one an empty name or no sound schema.
    """
    return tuple(ToolSet(tools))
