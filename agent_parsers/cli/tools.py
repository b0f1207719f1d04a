"""The tools that a user names on the command line."""

from __future__ import annotations

import json
from pathlib import Path

from agent_parsers import ToolSet

__all__ = ["read_tools"]


def read_tools(given: str) -> ToolSet:
    """Return the tools that the option ``--tools`` means.

    Args:
        given: Names, separated by commas; or the path of a JSON file with a list of tools in any
            form that `ToolSet` takes, or an object with such a list under ``"tools"``.

    Raises:
        OSError: The file cannot be read.
        TypeError: The file has something that is not a tool.
        ValueError: The file is not JSON, or two tools have the same name.
    """
    if not given.endswith(".json"):
        return ToolSet([name.strip() for name in given.split(",") if name.strip()])
    data = json.loads(Path(given).read_text(encoding="utf-8"))
    tools = data.get("tools", data) if isinstance(data, dict) else data
    if not isinstance(tools, list):
        raise TypeError(f"expected a list of tools in {given}, found {type(tools).__name__}")
    return ToolSet(tools)
