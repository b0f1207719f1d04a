"""Describes a tool for a prompt."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from agent_parsers.toolset.schemas.scalars import type_words

if TYPE_CHECKING:
    from agent_parsers.toolset.schemas.schema import Node, Schema

__all__ = ["describe", "describe_type"]

_MOST_LEVELS = 4


def describe(name: str, description: str, schema: Schema | None) -> str:
    """Return name, parameters and description of a tool.

    ::

        search(query: string, limit: integer = 5): Looks up a name.
            query: What to look for.

    Args:
        name: Name of the tool.
        description: Description of the tool.
        schema: Schema of its input; `None` if it takes any input.
    """
    head, lines = name, []
    if schema is not None:
        flat = schema.flat(schema.root)
        required = flat.get("required", ())
        parameters = []
        for key, node in flat.get("properties", {}).items():
            part = schema.flat(node)
            default = "" if key in required else f" = {_default(part)}"
            parameters.append(f"{key}: {_type(schema, node)}{default}")
            if text := _line(part.get("description", "")):
                lines.append(f"    {key}: {text}")
        head = f"{name}({', '.join(parameters)})"
    if description.strip():
        first, *more = (line.strip() for line in description.splitlines() if line.strip())
        head = f"{head}: {first}"
        lines = [f"    {line}" for line in more] + lines
    return "\n".join((head, *lines))


def describe_type(schema: Schema) -> str:
    """Return what a value of *schema* looks like.

    ::

        {city: string, days?: integer}
            city: Where the journey ends.
    """
    lines = [_type(schema, schema.root)]
    for key, node in schema.flat(schema.root).get("properties", {}).items():
        if text := _line(schema.flat(node).get("description", "")):
            lines.append(f"    {key}: {text}")
    return "\n".join(lines)


def _line(text: Any) -> str:
    return " ".join(str(text).split())


def _default(node: dict[str, Any]) -> str:
    return json.dumps(node["default"], ensure_ascii=False) if "default" in node else "…"


def _type(schema: Schema, node: Node, level: int = 0) -> str:
    """Return the type of *node* as one word or a few."""
    flat = schema.flat(node)
    for keyword in ("enum", "const"):
        if keyword in flat:
            values = flat["enum"] if keyword == "enum" else [flat["const"]]
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
    for keyword in ("anyOf", "oneOf"):
        if keyword in flat and "type" not in flat and level < _MOST_LEVELS:
            return " | ".join(
                dict.fromkeys(_type(schema, part, level + 1) for part in flat[keyword])
            )
    names = [_container(schema, flat, name, level) for name in type_words(flat)]
    return " | ".join(names) or "any"


def _container(schema: Schema, flat: dict[str, Any], name: str, level: int) -> str:
    if level >= _MOST_LEVELS:
        return name
    items = flat.get("items", True)
    if name == "array" and isinstance(items, dict):
        return f"array[{_type(schema, items, level + 1)}]"
    if name == "object" and flat.get("properties"):
        required = flat.get("required", ())
        members = (
            f"{key}{'' if key in required else '?'}: {_type(schema, part, level + 1)}"
            for key, part in flat["properties"].items()
        )
        return f"{{{', '.join(members)}}}"
    return name
