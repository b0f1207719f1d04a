"""The shapes of tools with which the laws read calls.

A tool with a required parameter hides half a call, since `{}` does not pass its check. Each law
therefore holds with tools of every shape.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset import ToolSet, ToolSpec

if TYPE_CHECKING:
    from agent_parsers.authoring import WrittenCall

SHAPES: Final = {
    "undeclared": "nothing is known about the tools",
    "no_tools": "there are no tools",
    "names": "only the names of the tools are known",
    "required": "every parameter is required; the tool of a call with text has one parameter",
    "optional": "the last parameter, and another one that the call does not use, have defaults",
    "defaults": "every parameter has a default, so no argument is required",
    "beginnings": "each tool has a companion without parameters, named like its beginning",
    "beginnings_with_defaults": "as in 'beginnings', and every parameter has a default",
}
"""The shapes of tools, each with what it means. A call without parameters makes its tool one that
has none, in each of the last five shapes."""
DECLARED: Final = ("required", "optional", "defaults", "beginnings", "beginnings_with_defaults")
"""The shapes whose tools have parameters."""


def tool_sets(calls: Sequence[WrittenCall]) -> dict[str, ToolSet | None]:
    """Return the tools that a parser may have for these *calls*, by shape.

    Tools have parameters only if no two calls are of the same tool.
    """
    names = list(dict.fromkeys(call.tool for call in calls))
    found: dict[str, ToolSet | None] = {
        "undeclared": None,
        "no_tools": ToolSet([]),
        "names": ToolSet(names),
    }
    if len(names) == len(calls):
        found |= {shape: ToolSet(_specs(calls, shape)) for shape in DECLARED}
    return found


def beginning_of(name: str) -> str:
    """Return a shorter tool name with which *name* begins."""
    return name[: len(name) // 2]


def _specs(calls: Sequence[WrittenCall], shape: str) -> list[ToolSpec]:
    has_defaults = shape in ("defaults", "beginnings_with_defaults")
    specs = []
    for call in calls:
        specs.append(ToolSpec(call.tool, "", _schema(call.tool_input, shape)))
        if shape.startswith("beginnings"):
            given = call.tool_input if has_defaults else {}
            specs.append(ToolSpec(beginning_of(call.tool), "", _schema(given, shape)))
    return specs


def _schema(tool_input: str | dict[str, Any], shape: str) -> dict[str, Any]:
    """Return the schema of an input for a tool of this *shape*."""
    given = {"query": tool_input} if isinstance(tool_input, str) else tool_input
    properties = {key: _typed(value) for key, value in given.items()}
    required = list(properties)
    if shape == "optional" and not isinstance(tool_input, str):
        required = required[:-1]
        properties["spare"] = {"type": "string"}
    if shape in ("defaults", "beginnings_with_defaults"):
        required = []
        properties = {key: typed | {"default": None} for key, typed in properties.items()}
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _typed(value: Any) -> dict[str, Any]:
    """Return the schema of a *value*; for null, a string is allowed as well."""
    if value is None:
        return {"type": ["string", "null"]}
    if isinstance(value, list):
        return {"type": "array"}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object"}
    return {"type": names[type(value)]}
