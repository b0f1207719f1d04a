"""What a parser needs to know of the tools: their names, and what to tell the model about them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Tool", "Tools", "read_tools"]


@dataclass(frozen=True, slots=True)
class Tool:
    """A tool by name."""

    name: str
    """What the model calls it."""
    description: str = ""
    """What it is for, told to the model."""


Tools: TypeAlias = Mapping[str, str] | Iterable[Any]
"""Tools as users have them: names, ``{name: description}``, functions, or objects with a ``name``
and a ``description`` (LangChain's tools are such objects)."""


def read_tools(tools: Tools) -> tuple[Tool, ...]:
    """Return *tools* by name and description, in their order.

    Raises:
        TypeError: One of them has no name.
        ValueError: Two have the same name, or one an empty name.
    """
    if isinstance(tools, str):
        raise TypeError(f"tools are given as a list of names, not as the string {tools!r}")
    if isinstance(tools, Mapping):
        read = tuple(Tool(name, description) for name, description in tools.items())
    else:
        read = tuple(map(_read_tool, tools))
    names: set[str] = set()
    for tool in read:
        if not tool.name.strip():
            raise ValueError("a tool has an empty name")
        if tool.name in names:
            raise ValueError(f"two tools have the name {tool.name!r}")
        names.add(tool.name)
    return read


def _read_tool(tool: object) -> Tool:
    if isinstance(tool, Tool):
        return tool
    if isinstance(tool, str):
        return Tool(tool)
    name = getattr(tool, "name", None)
    if isinstance(name, str):
        description = getattr(tool, "description", "")
        return Tool(name, description if isinstance(description, str) else "")
    if inspect.isroutine(tool) and tool.__name__ != "<lambda>":
        return Tool(tool.__name__, inspect.getdoc(tool) or "")
    raise TypeError(
        f"a tool is a name, a function or has a name of its own; {type(tool).__name__} has none"
    )
