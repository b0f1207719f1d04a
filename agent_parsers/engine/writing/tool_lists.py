"""Lists of tools for a prompt: with the JSON Schema of the input, or as Python functions.

`ToolSet.describe` returns a plain list.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset import ToolSpec

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet

__all__ = ["list_functions", "list_schemas"]

_PYTHON: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_INDENT: Final = " " * 4


def list_schemas(tools: ToolSet) -> str:
    """Return two lines for each tool: name and description, then the JSON Schema of its input.

    ::

        search: Looks up a name.
            input: {"type": "object", "properties": {"query": {"type": "string"}}}
    """
    lines: list[str] = []
    for tool in tools:
        lines.append(ToolSpec(tool.name, tool.description).describe())
        if tool.parameters is not None:
            lines.append(f"{_INDENT}input: {json.dumps(tool.parameters, ensure_ascii=False)}")
    return "\n".join(lines)


def list_functions(tools: ToolSet) -> str:
    """Return *tools* as Python functions; a tool without a schema is one line of text.

    ::

        def search(query: str, limit: int = 5):
            '''Looks up a name.'''
    """
    return "\n".join(map(_function, tools))


def _function(tool: ToolSpec) -> str:
    schema = tool.schema()
    if schema is None:
        return tool.describe()
    flat = schema.flat(schema.root)
    required = flat.get("required", ())
    parameters: list[str] = []
    about: list[str] = []
    for key, node in flat.get("properties", {}).items():
        part = schema.flat(node)
        default = "" if key in required else f" = {part.get('default')!r}"
        parameters.append(f"{key}: {_type(part)}{default}")
        if text := " ".join(str(part.get("description", "")).split()):
            about.append(f"{_INDENT}{key}: {text}")
    lines = [line.rstrip() for line in tool.description.strip().splitlines()]
    if about:
        lines += ["", "Args:", *about] if lines else ["Args:", *about]
    head = f"def {tool.name}({', '.join(parameters)}):"
    if not lines:
        return f"{head} ..."
    quoted = "\n".join(lines).replace('"""', "'''")
    body = f'"""{quoted}"""' if len(lines) == 1 else f'"""{quoted}\n"""'
    return "\n".join((head, *(f"{_INDENT}{line}".rstrip() for line in body.split("\n"))))


def _type(part: dict[str, Any]) -> str:
    """Return the Python type of a parameter."""
    if values := part.get("enum"):
        return f"Literal[{', '.join(map(repr, values))}]"
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    for form in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        if isinstance(form, dict) and isinstance(form.get("type"), str):
            kinds.append(form["type"])
    return " | ".join(dict.fromkeys(_PYTHON[kind] for kind in kinds)) or "Any"
