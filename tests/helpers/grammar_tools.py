"""Tools with parameters of all kinds, and inputs that they take, for the laws of grammars."""

from __future__ import annotations

from random import Random
from typing import TYPE_CHECKING, Any

from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Iterator

PARAMETERS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "query": ({"type": "string"}, ["oldest bridge", "Straße 1: «雪»", "a, b", 'say "hi"', ""]),
    "path": ({"type": "string", "minLength": 1, "maxLength": 20}, ["/a b", "x"]),
    "day": ({"type": "string", "format": "date"}, ["2024-02-28", "1999-12-31"]),
    "at": ({"type": "string", "format": "date-time"}, ["2024-01-31T23:59:00Z"]),
    "count": ({"type": "integer"}, [0, -7, 120]),
    "limit": ({"type": "integer", "minimum": 3, "maximum": 1250}, [3, 99, 1250]),
    "below": ({"type": "integer", "exclusiveMaximum": -9}, [-10, -312]),
    "rate": ({"type": "number"}, [0.25, -3, 1e20]),
    "share": ({"type": "number", "minimum": 0, "maximum": 1}, [0, 0.5, 1]),
    "deep": ({"type": "boolean"}, [True, False]),
    "mode": ({"enum": ["fast", "dark blue"]}, ["fast", "dark blue"]),
    "kind": ({"enum": ["a", 3, None]}, ["a", 3, None]),
    "note": ({"anyOf": [{"type": "string"}, {"type": "null"}]}, ["x", None]),
    "size": ({"type": ["integer", "boolean"]}, [5, True]),
    "tags": ({"type": "array", "items": {"type": "string"}, "maxItems": 3}, [[], ["a", "b"]]),
    "pair": (
        {"type": "array", "items": {"type": "integer"}, "minItems": 2, "maxItems": 2},
        [[1, 2]],
    ),
    "place": (
        {
            "type": "object",
            "properties": {"city": {"type": "string"}, "zip": {"type": "integer"}},
            "required": ["city"],
        },
        [{"city": "Thun"}, {"city": "Bern", "zip": 3000}],
    ),
    "tree": (
        {"$ref": "#/$defs/node"},
        [{"label": "a"}, {"label": "a", "kids": [{"label": "b", "kids": []}]}],
    ),
}
"""The schemas of parameters by name, and values that fit."""
_DEFINITIONS = {
    "node": {
        "type": "object",
        "properties": {
            "label": {"type": "string"},
            "kids": {"type": "array", "items": {"$ref": "#/$defs/node"}},
        },
        "required": ["label"],
        "additionalProperties": False,
    }
}
_FLAT = [key for key, (schema, _) in PARAMETERS.items() if schema.get("type") not in (
    "array", "object") and "$ref" not in schema]  # fmt: skip
NAMES = ("search", "plan", "get_weather", "ping")
SELF_ASK = "Intermediate Answer"


def draw_tools(seed: int, dialect: str) -> ToolSet:
    """Return tools with parameters drawn at random that *dialect* can write."""
    random = Random(f"{seed} {dialect}")
    known = _FLAT if dialect in ("functiongemma", "gemma4", "minimax_m3") else [*PARAMETERS]
    names = (SELF_ASK,) if dialect == "self_ask" else NAMES
    return ToolSet([_tool(random, name, known) for name in names])


def _tool(random: Random, name: str, known: list[str]) -> dict[str, Any]:
    keys = random.sample(known, random.choice((0, 1, 1, 2, 4)))
    if name == SELF_ASK:
        keys = ["query"]
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key: PARAMETERS[key][0] for key in keys},
        "required": [key for key in keys if random.random() < 0.6],
    }
    if "tree" in keys:
        schema["$defs"] = _DEFINITIONS
    return {"name": name, "description": f"Does {name}.", "parameters": schema}


def inputs_of(tools: ToolSet, tool: str, random: Random) -> Iterator[dict[str, Any]]:
    """Yield inputs that a tool takes, with the parameters in the order of its schema."""
    schema = tools[tool].parameters or {}
    for chance in (1.0, 0.5, 0.0):
        yield {
            key: random.choice(PARAMETERS[key][1])
            for key in schema.get("properties", {})
            if key in schema.get("required", ()) or random.random() < chance
        }
