"""Checks a document by docs/agent-parsers.schema.json, which uses only a few keywords."""

import json
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

FILE = Path(__file__).parents[2] / "docs" / "agent-parsers.schema.json"

TYPES: dict[str, Callable[[Any], bool]] = {
    "object": lambda value: isinstance(value, dict),
    "array": lambda value: isinstance(value, list),
    "string": lambda value: isinstance(value, str),
    "boolean": lambda value: isinstance(value, bool),
    "integer": lambda value: type(value) is int,
    "null": lambda value: value is None,
}


@cache
def schema() -> Any:
    return json.loads(FILE.read_text("utf-8"))


def faults(value: Any, part: Any = None, at: str = "$") -> list[str]:
    """Return where and how *value* differs from the schema, or from a *part* of it."""
    return [
        fault
        for keyword, said in (schema() if part is None else part).items()
        for fault in KEYWORDS[keyword](value, said, at)
    ]


def ref(value: Any, said: str, at: str) -> list[str]:
    return faults(value, schema()["$defs"][said.removeprefix("#/$defs/")], at)


def const(value: Any, said: Any, at: str) -> list[str]:
    is_same = value == said and type(value) is type(said)
    return [] if is_same else [f"{at}: expected {said!r}, found {value!r}"]


def types(value: Any, said: str | list[str], at: str) -> list[str]:
    names = [said] if isinstance(said, str) else said
    return [] if any(TYPES[name](value) for name in names) else [f"{at}: expected {said}"]


def any_of(value: Any, said: list[Any], at: str) -> list[str]:
    name = value.get("type") if isinstance(value, dict) else None
    named = [each for each in said if each.get("$ref") == f"#/$defs/{name}"]
    ways = [faults(value, each, at) for each in named or said]
    return min(ways, key=len) if all(ways) else []


def properties(value: Any, said: dict[str, Any], at: str) -> list[str]:
    inner = [name for name in said if isinstance(value, dict) and name in value]
    return [f for name in inner for f in faults(value[name], said[name], f"{at}.{name}")]


def required(value: Any, said: list[str], at: str) -> list[str]:
    names = said if isinstance(value, dict) else []
    return [f"{at}: expected {name}" for name in names if name not in value]


def items(value: Any, said: Any, at: str) -> list[str]:
    each = value if isinstance(value, list) else []
    return [f for number, item in enumerate(each) for f in faults(item, said, f"{at}[{number}]")]


def at_least(value: Any, said: int, at: str) -> list[str]:
    size = len(value) if isinstance(value, list) else value
    return [f"{at}: expected at least {said}"] if type(size) is int and size < said else []


def at_most(value: Any, said: int, at: str) -> list[str]:
    is_more = isinstance(value, list) and len(value) > said
    return [f"{at}: expected at most {said}"] if is_more else []


def nothing(_value: Any, _said: Any, _at: str) -> list[str]:
    return []


KEYWORDS: dict[str, Callable[[Any, Any, str], list[str]]] = {
    "$ref": ref, "const": const, "type": types, "anyOf": any_of, "properties": properties,
    "required": required, "items": items, "minimum": at_least, "minItems": at_least,
    "maxItems": at_most, "$schema": nothing, "$defs": nothing, "title": nothing,
    "description": nothing,
}  # fmt: skip
"""The faults of a value by each keyword; an unknown keyword is an error."""
