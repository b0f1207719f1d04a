"""Reads tools in all the forms that users and libraries declare them in."""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.toolset.schemas.spec import ToolSpec
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers.toolset.problems.input_problem import InputProblem

Tools: TypeAlias = Mapping[str, Any] | Iterable[Any]
"""Declarations of tools: a list that may mix

* names (a mapping ``{name: description}`` may replace the list); such tools take any input;
* functions, methods, `functools.partial` of them (the model does not give what is bound), and in a
  mapping ``{name: tool}`` any other object that can be called;
* pydantic models, dataclasses and typed dictionaries;
* JSON Schemas with a title, and tools as OpenAI, Anthropic, Gemini or MCP define them (MCP's
  response to ``tools/list`` may replace the list);
* objects with a ``name``, such as tools of LangChain, pydantic-ai and MCP, and `ToolSpec`.
"""

_SCHEMA_KEYS: Final = ("parameters", "input_schema", "inputSchema")
"""The keys under which OpenAI, Anthropic and MCP keep the schema."""
_DECLARATIONS: Final = ("function_declarations", "functionDeclarations")
"""The keys under which Gemini keeps a list of tools."""


def read_specs(tools: Tools) -> tuple[ToolSpec, ...]:
    """Return the specs of *tools*, in the same order.

    Raises:
        TypeError: One of *tools* is not a tool.
        ValueError: Two tools have the same name, a name is empty, or a schema is invalid.
    """
    if isinstance(tools, str):
        raise TypeError(f"pass tools as a list of names, not as the string {tools!r}")
    if not isinstance(tools, Iterable) and not hasattr(tools, "tools"):
        name = getattr(tools, "__name__", "")
        hint = f"as in [{name}]" if name else f"not as {kind_of(tools)}"
        raise TypeError(f"pass tools in a list, {hint}")
    specs = tuple(_specs(tools))
    names: set[str] = set()
    for spec in specs:
        if spec.name in names:
            raise ValueError(f"two tools have the name {spec.name!r}: rename one of them")
        names.add(spec.name)
    return specs


def _specs(tools: Any) -> Iterator[ToolSpec]:
    listing = tools.get("tools") if isinstance(tools, Mapping) else getattr(tools, "tools", None)
    if isinstance(listing, list | tuple):
        yield from _listed(listing)
    elif not isinstance(tools, Mapping):
        yield from _listed(tools)
    elif _is_one_tool(tools):
        raise TypeError("pass tools in a list, even a single one: [tool]")
    else:
        for name, tool in tools.items():
            if isinstance(tool, str):
                yield ToolSpec(name, tool)
            else:
                yield replace(spec_from(tool, name=name), name=name)


def _listed(tools: Iterable[Any]) -> Iterator[ToolSpec]:
    """Yield the specs of the *tools* in a list, in which Gemini has lists of its own."""
    for tool in tools:
        declared = _declarations(tool)
        yield from (spec_from(tool),) if declared is None else map(_from_gemini, declared)


def _declarations(tool: Any) -> list[Any] | None:
    """Return the tools that Gemini keeps in *tool*; `None` if it is of another kind."""
    if not isinstance(tool, Mapping):
        dump = getattr(tool, "model_dump", None)
        if dump is None or isinstance(tool, type) or not hasattr(tool, _DECLARATIONS[0]):
            return None
        tool = dump(mode="json", exclude_none=True)
    found = next((tool[key] for key in _DECLARATIONS if key in tool), None)
    return found if isinstance(found, list) else None


def _from_gemini(declared: Mapping[str, Any]) -> ToolSpec:
    """Read one of Gemini's declarations, whose types are in capital letters."""
    keys = ("parameters_json_schema", "parametersJsonSchema", "parameters")
    schema = next((declared[key] for key in keys if declared.get(key) is not None), None)
    parameters = _in_small_letters(schema) if schema else {"type": "object", "properties": {}}
    return spec_from({**declared, "parameters": parameters})


def _in_small_letters(schema: Any) -> Any:
    """Return *schema* with types as JSON Schema has them: ``nullable`` is the type null."""
    if isinstance(schema, list):
        return [*map(_in_small_letters, schema)]
    if not isinstance(schema, Mapping):
        return schema
    found: dict[str, Any] = {}
    for key, value in schema.items():
        name = "anyOf" if key == "any_of" else key
        if name in ("properties", "$defs"):
            found[name] = {each: _in_small_letters(part) for each, part in value.items()}
        else:
            found[name] = _in_small_letters(value) if name in ("items", "anyOf") else value
    if isinstance(kind := found.get("type"), str):
        found["type"] = [kind.lower(), "null"] if found.pop("nullable", False) else kind.lower()
    return found


def _is_one_tool(tools: Mapping[str, Any]) -> bool:
    is_named = isinstance(tools.get("name"), str) and any(key in tools for key in _SCHEMA_KEYS)
    is_list = any(key in tools for key in _DECLARATIONS)
    return is_named or is_list or tools.get("type") in ("function", "object")


def spec_from(tool: Any, *, name: str | None = None) -> ToolSpec:
    """Return the spec of one *tool*, an item of `Tools`; a schema without a title has this *name*.

    Raises:
        TypeError: *tool* is not a tool.
        ValueError: The tool has no name, or its schema is invalid.
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
    is_function = isinstance(tool, partial) or inspect.isroutine(tool)
    is_lambda = getattr(tool, "__name__", "") == "<lambda>"
    can_be_called = callable(tool) and not isinstance(tool, type)
    if (is_function and not is_lambda) or (name and can_be_called):
        from agent_parsers.toolset.declaring.functions import spec_from_function

        return spec_from_function(tool if is_function else tool.__call__, name=name)
    hint = ": give it a name, as in {'name': tool}" if can_be_called else ""
    raise TypeError(
        "a tool must be a name, a function with a name, a pydantic model, a JSON Schema or an"
        f" object with a name, not {'a lambda' if is_lambda else kind_of(tool)}{hint}"
    )


def _from_mapping(tool: Mapping[str, Any], name: str | None) -> ToolSpec:
    """Read a tool that is a dictionary; its keys show which form it has."""
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
            raise ValueError(
                "a JSON Schema for a tool needs a title, which is the name of the tool"
            )
        schema = {key: tool[key] for key in tool if key not in ("title", "description")}
        return ToolSpec(title, tool.get("description") or "", schema)
    raise TypeError(
        "a dictionary for a tool needs a name and parameters (OpenAI), input_schema (Anthropic) or"
        " inputSchema (MCP), or function_declarations (Gemini), or must be a JSON Schema; this one"
        f" has the keys {', '.join(map(str, tool))}"
    )


def _from_object(tool: Any) -> ToolSpec:
    """Read an object with a name, such as a tool of LangChain or MCP."""
    description = getattr(tool, "description", "")
    description = description if isinstance(description, str) else ""
    model = getattr(tool, "args_schema", None)
    if model is not None:
        from agent_parsers.toolset.declaring.models import with_aliases

        # `tool_call_schema` omits the arguments that the program injects, and all aliases.
        model = with_aliases(getattr(tool, "tool_call_schema", None) or model, model)
    is_runnable = callable(getattr(tool, "invoke", None))
    origin = ObjectOrigin(tool, model) if is_runnable else None
    if model is not None:
        return ToolSpec(tool.name, description, _parameters(model), origin=origin)
    if origin is None and callable(function := getattr(tool, "function", None)):  # pydantic-ai's
        from agent_parsers.toolset.declaring.functions import spec_from_function

        return spec_from_function(function, name=tool.name, description=description or None)
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
    """The model that validates the input, or `None`."""

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield the problems that the tool's model finds in *value*."""
        if self.takes_declared_only:
            from agent_parsers.toolset.declaring.models import ModelOrigin

            yield from ModelOrigin(self.model).problems(value)

    @property
    def takes_declared_only(self) -> bool:
        """Whether a key reaches the tool only where the schema names or allows it."""
        from agent_parsers.toolset.declaring.models import is_model

        return is_model(self.model)

    def run(self, value: Any) -> Any:
        """Invoke the tool."""
        return self.tool.invoke(value)

    async def arun(self, value: Any) -> Any:
        """Invoke the tool asynchronously."""
        ainvoke = getattr(self.tool, "ainvoke", None)
        return self.tool.invoke(value) if ainvoke is None else await ainvoke(value)
