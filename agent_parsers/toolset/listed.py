"""Tools as people list them in a text: names, or JSON with their schemas."""

from __future__ import annotations

from pydantic_core import from_json

from agent_parsers.toolset.set import ToolSet


def listed_tools(text: str) -> ToolSet:
    """Return the tools that *text* lists.

    Args:
        text: Names, separated by commas or line breaks; or, if it begins with a bracket, JSON: a
            list of tools in any form that `ToolSet` takes, or an object with such a list under
            ``"tools"``.

    Raises:
        TypeError: The JSON has something that is not a tool.
        ValueError: It is not JSON, or two tools have the same name.
    """
    if not text.lstrip().startswith(("[", "{")):
        names = (name.strip() for line in text.splitlines() for name in line.split(","))
        return ToolSet([name for name in names if name])
    data = from_json(text)
    tools = data.get("tools", data) if isinstance(data, dict) else data
    if not isinstance(tools, list):
        raise TypeError(f"expected a list of tools, found {type(tools).__name__}")
    return ToolSet(tools)
