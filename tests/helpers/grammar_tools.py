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
KEYWORDS: dict[str, tuple[dict[str, Any], list[Any]]] = {
    "slug": ({"type": "string", "pattern": "^[a-z0-9-]{1,63}$"}, ["a", "to-do-12"]),
    "odd": ({"type": "string", "pattern": '^[^/]*["\\\\][a-c\\n]+$'}, ['x"ab', "x\\a\nb", '雪""c']),
    "code": ({"type": "string", "pattern": r"[A-Z]{2}\d"}, ["see AB1!", "XY0"]),
    "short": (
        {"type": "string", "pattern": r"^\w+( \w+)*$", "minLength": 2, "maxLength": 12},
        ["ab", "a b c", "abcdefghijkl"],
    ),
    "either": ({"type": "string", "pattern": "^(?:on|off)$|^auto:"}, ["on", "off", "auto: x"]),
    "mail": ({"type": "string", "format": "email"}, ["a.b@c.org"]),
    "site": ({"type": "string", "format": "uri"}, ["https://a.org/b?c=d"]),
    "v4": ({"type": "string", "format": "ipv4"}, ["127.0.0.1", "255.249.99.0"]),
    "v6": ({"type": "string", "format": "ipv6"}, ["::1", "fe80::1:2"]),
    "uid": ({"type": "string", "format": "uuid"}, ["123e4567-e89b-12d3-a456-426614174000"]),
    "when": ({"type": "string", "format": "time"}, ["23:59:00Z", "00:00:00"]),
    "tel": ({"type": "string", "format": "phone"}, ["any text"]),
    "fives": ({"type": "integer", "minimum": 0, "multipleOf": 5}, [0, 5, 1230]),
    "sixes": ({"type": "integer", "maximum": -6, "multipleOf": 6}, [-6, -600]),
    "price": ({"type": "number", "minimum": 0, "multipleOf": 0.01}, [0, 9.99, 12.5]),
    "part": ({"type": "number", "exclusiveMinimum": 0, "maximum": 0.75}, [0.001, 0.5, 0.75]),
    "cold": ({"type": "number", "minimum": -2.5, "exclusiveMaximum": 3.25}, [-2.5, 0, -0.1, 3.2]),
    "quarter": ({"type": "number", "minimum": 0, "maximum": 1, "multipleOf": 0.25}, [0.25, 1]),
    "ids": ({"type": "array", "items": {"type": "integer"}, "uniqueItems": True}, [[1, 2], [3]]),
    "no": ({"type": "string", "not": {"enum": ["x"]}}, ["y"]),
    "both": (
        {"allOf": [{"type": "string", "minLength": 2}, {"minLength": 1, "maxLength": 6}]},
        ["ab", "abcdef"],
    ),
    "least": ({"type": "integer", "allOf": [{"minimum": 5}, {"minimum": 3}]}, [5, 70]),
    "ways": (
        {"oneOf": [{"type": "string", "minLength": 3}, {"type": "string", "maxLength": 5}]},
        ["a", "abcdefg"],
    ),
    "version": ({"const": "v1"}, ["v1"]),
    "some": ({"type": "string", "enum": ["a", "b", 3, None]}, ["a", "b"]),
    "long": ({"type": "string", "minLength": 1, "maxLength": 50_000}, ["a long text"]),
    "target": (
        {
            "type": "object",
            "properties": {"url": {"type": "string"}, "path": {"type": "string"}},
            "anyOf": [{"required": ["url"]}, {"required": ["path"]}],
        },
        [{"url": "a"}, {"path": "b"}, {"url": "a", "path": "b"}],
    ),
    "card": (
        {
            "type": "object",
            "properties": {"number": {"type": "integer"}, "street": {"type": "string"}},
            "dependentRequired": {"number": ["street"]},
        },
        [{"street": "a"}, {"number": 3, "street": "a"}],
    ),
    "shape": (
        {
            "oneOf": [
                {
                    "type": "object",
                    "properties": {"kind": {"const": kind}, "size": {"type": size}},
                    "required": ["kind", "size"],
                    "additionalProperties": False,
                }
                for kind, size in (("dot", "integer"), ("name", "string"))
            ]
        },
        [{"kind": "dot", "size": 3}, {"kind": "name", "size": "a"}],
    ),
    "when_then": (
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
            "if": {"required": ["a"]},
            "then": {"required": ["b"]},
        },
        [{"b": 1}, {"a": 1, "b": 2}],
    ),
    "x_labels": (
        {
            "type": "object",
            "patternProperties": {"^x-[a-z]+$": {"type": "integer"}},
            "maxProperties": 1,
            "additionalProperties": False,
        },
        [{"x-a": 1}, {}],
    ),
    "x_env": (
        {
            "type": "object",
            "additionalProperties": {"type": "string"},
            "propertyNames": {"pattern": "^[A-Z_]+$"},
            "minProperties": 1,
            "maxProperties": 1,  # of more, two could have one name, which no grammar rules out
        },
        [{"HOME": "/root"}],
    ),
    "x_open": (
        {
            "type": "object",
            "properties": {"a": {"type": "integer"}},
            "additionalProperties": True,
        },
        [{"a": 1}],
    ),
    "x_row": (
        {
            "type": "array",
            "prefixItems": [{"type": "string"}, {"type": "integer"}],
            "items": False,
            "minItems": 2,
        },
        [["a", 1]],
    ),
}
"""The same with the other keywords that tools of servers have; ``x_`` begins the names of those
that only JSON can say."""
_ALL = PARAMETERS | KEYWORDS
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
NAMES = ("search", "plan", "get_weather", "ping")
SELF_ASK = "Intermediate Answer"


BRIEF = ("command_5", "functiongemma", "gemma4", "minimax_m3")
"""Dialects that write lists and objects in a way of their own."""
SETS = ("keywords", "hundred")
"""Sets of tools that are always tried: with all keywords, and with a hundred tools."""


def draw_tools(which: int | str, dialect: str) -> ToolSet:
    """Return tools with parameters drawn at random that *dialect* can write.

    Args:
        which: One of `SETS`, or a number for four tools with common keywords.
        dialect: Name of the dialect.
    """
    random = Random(f"{which} {dialect}")
    known = [key for key in _ALL if not (key.startswith("x_") and dialect in BRIEF)]
    if dialect == "self_ask":
        key = "short" if which == "keywords" else "query"
        return ToolSet([_tool(random, SELF_ASK, [key])])
    if which == "keywords":
        keys = [key for key in known if key in KEYWORDS]
        random.shuffle(keys)
        return ToolSet(
            [_tool(random, f"tool_{at}", keys[at : at + 4]) for at in range(0, len(keys), 4)]
        )
    if which == "hundred":
        names = [f"tool_{number}" for number in range(100)]
        return ToolSet(
            [_tool(random, n, random.sample(known, random.randint(3, 6))) for n in names]
        )
    counts = (0, 1, 1, 2, 4)
    return ToolSet(
        [_tool(random, name, random.sample([*PARAMETERS], random.choice(counts))) for name in NAMES]
    )


def _tool(random: Random, name: str, keys: list[str]) -> dict[str, Any]:
    schema: dict[str, Any] = {
        "type": "object",
        "properties": {key: _ALL[key][0] for key in keys},
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
            key: random.choice(_ALL[key][1])
            for key in schema.get("properties", {})
            if key in schema.get("required", ()) or random.random() < chance
        }
