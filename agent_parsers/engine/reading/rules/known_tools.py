"""Converts the tools given to a parser, in any form, to a `ToolSet`."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias, cast

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from agent_parsers.toolset import Tools, ToolSet
    from agent_parsers.toolset.output_type import OutputType

KnownTools: TypeAlias = "ToolSet | Collection[str] | None"
"""The available tools, or only their names; `None` accepts any tool."""


def names_of(tools: KnownTools) -> Collection[str]:
    """Return the names of *tools*; empty if the tools are not known."""
    if tools is None:
        return ()
    return tools.names if hasattr(tools, "names") else tools


def output_type_of(tools: object) -> OutputType | None:
    """Return the type of answers declared by *tools*; `None` if answers are text."""
    return getattr(tools, "output_type", None)


def known_tools(tools: Tools | None) -> ToolSet | None:
    """Return *tools* as a `ToolSet`; a `ToolSet` is returned unchanged, with its policies.

    `None`, which accepts any tool, is also returned unchanged.

    Raises:
        TypeError: One of them is not a tool.
        ValueError: Two tools have the same name, or one has an empty name or an invalid schema.
    """
    if tools is None or hasattr(tools, "checks"):  # importing the class takes longer than a turn
        return cast("ToolSet | None", tools)
    from agent_parsers.toolset import ToolSet  # imported lazily: only callers with tools need it

    return ToolSet(tools)


def with_called(tools: ToolSet | None, called: Iterable[str]) -> ToolSet | None:
    """Return *tools* plus the names of all other tools that were *called*."""
    others = () if tools is None else sorted(set(called).difference(tools.names))
    return known_tools([*(tools or ()), *others]) if others else tools
