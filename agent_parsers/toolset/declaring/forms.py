"""Tools in every form in which users and libraries have them."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.toolset.schemas.spec import ToolSpec

if TYPE_CHECKING:
    from agent_parsers.toolset.problems.input_problem import InputProblem

__all__ = ["Tools", "read_specs", "spec_from"]

Tools: TypeAlias = Mapping[str, Any] | Iterable[Any]
"""Tools as users have them: a list of any of

* names, and ``{name: description}`` in place of the list: such tools take any input;
* functions and methods, pydantic models, dataclasses, typed dictionaries;
* JSON Schemas with a title; OpenAI's tools and functions, Anthropic's tools, MCP's tools (and MCP's
  whole listing in place of the list);
* objects with a ``name``: LangChain's tools, MCP's, `ToolSpec`.
"""

_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema")
"""Where OpenAI, Anthropic and MCP have the schema."""


def read_specs(tools: Tools) -> tuple[ToolSpec, ...]:
    """Return *tools* in their order.

    Raises:
        TypeError: One of them is no tool.
        ValueError: Two have the same name, or one an empty name, or no schema that can be read.
    """
    if isinstance(tools, str):
        raise TypeError(f"tools are given as a list of names, not as the string {tools!r}")
    specs = tuple(_specs(tools))
    names: set[str] = set()
    for spec in specs:
        if spec.name in names:
            raise ValueError(f"two tools have the name {spec.name!r}")
        names.add(spec.name)
    return specs


def _specs(tools: Any) -> Iterator[ToolSpec]:
    listing = tools.get("tools") if isinstance(tools, Mapping) else getattr(tools, "tools", None)
    if isinstance(listing, list | tuple):
        yield from map(spec_from, listing)
    elif not isinstance(tools, Mapping):
        yield from map(spec_from, tools)
    elif _is_one_tool(tools):
        raise TypeError("one tool is given in a list, too")
    else:
        for name, tool in tools.items():
            if isinstance(tool, str):
                yield ToolSpec(name, tool)
            else:
                yield replace(spec_from(tool, name=name), name=name)


def _is_one_tool(tools: Mapping[str, Any]) -> bool:
    is_named = isinstance(tools.get("name"), str) and any(key in tools for key in _SCHEMA_KEYS)
    return is_named or tools.get("type") in ("function", "object")


def spec_from(tool: Any, *, name: str | None = None) -> ToolSpec:
    """Return one *tool* of any form; *name* is for a schema without one.

    Raises:
        TypeError: It is no tool.
        ValueError: It has no name, or no schema that can be read.
    """
    if isinstance(tool, ToolSpec):
        return tool
    if isinstance(tool, str):
        return ToolSpec(tool)
    if isinstance(tool, Mapping):
        return _from_mapping(tool, name)
    from agent_parsers.toolset.declaring.models import is_model, spec_from_model

    if is_model(tool):
        return spec_from_model(tool)
    if isinstance(getattr(tool, "name", None), str):
        return _from_object(tool)
    if inspect.isroutine(tool) and (name or tool.__name__ != "<lambda>"):
        from agent_parsers.toolset.declaring.functions import spec_from_function

        return spec_from_function(tool, name=name)
    raise TypeError(
        f"a tool is a name, a function or has a name of its own; {type(tool).__name__} has none"
    )


def _from_mapping(tool: Mapping[str, Any], name: str | None) -> ToolSpec:
    """Read a tool that is a dictionary, by the keys it has."""
    if tool.get("type") == "function" and isinstance(tool.get("function"), Mapping):
        tool = tool["function"]
    if isinstance(tool.get("name"), str) and "properties" not in tool:
        schema = next((tool[key] for key in _SCHEMA_KEYS if tool.get(key) is not None), None)
        strict = tool.get("strict")
        strict = strict if isinstance(strict, bool) else None
        return ToolSpec(tool["name"], tool.get("description") or "", schema, strict)
    if "properties" in tool or tool.get("type") == "object" or "$ref" in tool:
        title = name or tool.get("title")
        if not isinstance(title, str):
            raise ValueError("a JSON Schema that is a tool has its name as the title")
        schema = {key: tool[key] for key in tool if key not in ("title", "description")}
        return ToolSpec(title, tool.get("description") or "", schema)
    raise TypeError(
        "a tool that is a dictionary has a name and parameters (OpenAI), input_schema (Anthropic)"
        f" or inputSchema (MCP), or is a JSON Schema; this one has {', '.join(map(str, tool))}"
    )


def _from_object(tool: Any) -> ToolSpec:
    """Read an object with a name: a tool of LangChain or MCP, or one of the user's."""
    description = getattr(tool, "description", "")
    description = description if isinstance(description, str) else ""
    model = getattr(tool, "args_schema", None)
    if model is not None:
        # The schema for calls lacks what the program adds to the arguments.
        model = getattr(tool, "tool_call_schema", None) or model
    is_runnable = callable(getattr(tool, "invoke", None))
    origin = ObjectOrigin(tool, model) if is_runnable else None
    if model is not None:
        return ToolSpec(tool.name, description, _parameters(model), origin=origin)
    schemas = (getattr(tool, key, None) for key in _SCHEMA_KEYS)
    schema = next((dict(found) for found in schemas if isinstance(found, Mapping)), None)
    return ToolSpec(tool.name, description, schema, origin=origin)


def _parameters(model: Any) -> dict[str, Any]:
    if isinstance(model, Mapping):
        schema = dict(model)
    else:
        from agent_parsers.toolset.declaring.models import parameters_of

        schema = parameters_of(model)
    return {key: value for key, value in schema.items() if key not in ("title", "description")}


@dataclass(frozen=True, slots=True)
class ObjectOrigin:
    """A tool with an ``invoke`` method, such as LangChain's."""

    tool: Any
    model: Any = None
    """What validates its input, if that is a model."""

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield what the tool's model says against *value*."""
        from agent_parsers.toolset.declaring.models import ModelOrigin, is_model

        if is_model(self.model):
            yield from ModelOrigin(self.model).problems(value)

    def run(self, value: Any) -> Any:
        """Invoke the tool."""
        return self.tool.invoke(value)

    async def arun(self, value: Any) -> Any:
        """Invoke the tool, and wait for it."""
        ainvoke = getattr(self.tool, "ainvoke", None)
        return self.tool.invoke(value) if ainvoke is None else await ainvoke(value)
