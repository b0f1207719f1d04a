"""Checks that each part of a JSON Schema is well-formed, so that using it cannot fail later."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

__all__ = ["KINDS", "MAX_SCHEMA_DEPTH", "check_shape", "compiled", "subschemas"]

KINDS: Final = ("null", "integer", "number", "boolean", "object", "array", "string")
"""The types of JSON Schema, in the order in which text is read as one of them."""

MAX_SCHEMA_DEPTH: Final = 100
"""How deep schemas may be nested."""

_ONE: Final = (
    "additionalItems", "additionalProperties", "contains", "else", "if", "items", "not",
    "propertyNames", "then",
)  # fmt: skip
_LIST: Final = ("allOf", "anyOf", "oneOf", "prefixItems")
_BY_NAME: Final = ("$defs", "definitions", "patternProperties", "properties")


def subschemas(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the schemas in *node*, each with its path in *node*."""
    for keyword in _ONE:
        part = node.get(keyword)
        if keyword == "items" and isinstance(part, list):
            yield from ((f"items/{index}", item) for index, item in enumerate(part))
        elif keyword in node:
            yield keyword, part
    for keyword in _LIST:
        yield from ((f"{keyword}/{i}", part) for i, part in enumerate(node.get(keyword, ())))
    for keyword in _BY_NAME:
        yield from ((f"{keyword}/{key}", part) for key, part in node.get(keyword, {}).items())


def check_shape(node: Any, path: str) -> None:
    """Raise a `ValueError` if the keywords of *node*, at *path*, are malformed."""
    if isinstance(node, bool):
        return
    if not isinstance(node, dict):
        what = "a schema is an object or a boolean"
        raise ValueError(f"{path}: {what}, not {node!r:.80}")  # noqa: TRY004 - it is data
    for keywords, is_right, what in _SHAPES:
        for keyword in keywords:
            if keyword in node and not is_right(node[keyword]):
                raise ValueError(f"{path}/{keyword}: expected {what}, not {node[keyword]!r:.80}")
    patterns = [node["pattern"]] if "pattern" in node else []
    for pattern in (*patterns, *node.get("patternProperties", ())):
        try:
            compiled(pattern)
        except ValueError as error:
            raise ValueError(f"{path}: {error}") from None


def compiled(pattern: str) -> Any:
    """Return *pattern*, compiled by the package `regex`, which supports time limits.

    Raises:
        ValueError: *pattern* is not a regular expression.
    """
    # Imported lazily: only schemas with patterns need it.
    from output_parsers.text.timed_regex import compiled

    return compiled(pattern)


def _is_kind(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and all(isinstance(name, str) and name in KINDS for name in names)


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_name_lists(value: Any) -> bool:
    return isinstance(value, dict) and all(map(_is_names, value.values()))


def _is_count(value: Any) -> bool:
    is_number = isinstance(value, int | float) and not isinstance(value, bool)
    return is_number and value >= 0 and value == value // 1


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _is_positive(value: Any) -> bool:
    return _is_number(value) and 0 < value < float("inf")


def _is_limit(value: Any) -> bool:
    return isinstance(value, bool) or _is_number(value)


def _is_text(value: Any) -> bool:
    return isinstance(value, str)


def _is_list(value: Any) -> bool:
    return isinstance(value, list)


def _is_object(value: Any) -> bool:
    return isinstance(value, dict) and all(isinstance(key, str) for key in value)


def _is_full_list(value: Any) -> bool:
    return isinstance(value, list) and bool(value)


_SHAPES: Final[tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...]] = (
    (("type",), _is_kind, f"one or several of {', '.join(KINDS)}"),
    (_BY_NAME, _is_object, "schemas by name"),
    (_LIST, _is_full_list, "a list of schemas"),
    (("enum",), _is_list, "a list of values"),
    (("required",), _is_names, "a list of names"),
    (("dependentRequired",), _is_name_lists, "lists of names by name"),
    (("$ref", "pattern", "format"), _is_text, "text"),
    (("minimum", "maximum"), _is_number, "a number"),
    (("exclusiveMinimum", "exclusiveMaximum"), _is_limit, "a number"),
    (("multipleOf",), _is_positive, "a number above 0"),
    (
        (
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
            "minContains", "maxContains",
        ),
        _is_count,
        "a number of things",
    ),
)  # fmt: skip
