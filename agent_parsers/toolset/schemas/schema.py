"""JSON Schemas that are validated, limited in depth, and have their references resolved."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any, Final, TypeAlias
from urllib.parse import unquote

from agent_parsers.toolset.schemas.plain import PlainObject, plain_object

Node: TypeAlias = dict[str, Any] | bool
"""A schema or a part of one."""

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

SAME_VALUE: Final = ("allOf", "anyOf", "oneOf")
"""Keywords with a list of schemas for the same value."""


_UNCHECKED: Final = frozenset((
    "dependentSchemas", "dependencies", "unevaluatedItems", "unevaluatedProperties", "$dynamicRef",
    "contentSchema",
))  # fmt: skip
"""Keywords of JSON Schema that limit values, and that are not checked."""


class Schema:
    """The JSON Schema of an input, which is not copied.

    References within the schema are supported (``#``, ``#/$defs/…``), recursive ones included.

    Raises:
        ValueError: *root* is not a schema, has a reference that is missing or leads outside, refers
            to itself without an object or a list in between, or is nested too deep.
    """

    def __init__(self, root: Mapping[str, Any], origin: Any = None) -> None:
        self.root: dict[str, Any] = dict(root)
        self._origin = origin
        self._targets: dict[str, Node] = {}
        self._known: dict[int, dict[str, None] | None] = {}
        self._heights: dict[int, int] = {}
        self._flat: dict[int, dict[str, Any]] = {}
        for node in self._read():
            self._height(node, ())

    @cached_property
    def plain(self) -> PlainObject | None:
        """The types of the members, if the schema says nothing else."""
        return plain_object(self.root)

    @cached_property
    def sure(self) -> PlainObject | None:
        """The types of the members with which the tool's own validators find no problems either.

        `None` if the schema does not show them.
        """
        if self.plain is None or self._origin is None:
            return self.plain
        narrow = getattr(self._origin, "narrowed", None)
        return None if narrow is None else narrow(self.plain)

    @property
    def takes_declared_only(self) -> bool:
        """Whether the tool loses any key that no part of the schema names or allows."""
        return getattr(self._origin, "takes_declared_only", False)

    def target(self, node: dict[str, Any]) -> Node:
        """Return the schema that the ``$ref`` of *node* refers to."""
        return self._targets[node["$ref"]]

    def same_value(self, node: Node) -> Iterator[Node]:
        """Yield the schemas in *node* that apply to the same value."""
        if isinstance(node, dict):
            if "$ref" in node:
                yield self.target(node)
            for keyword in SAME_VALUE:
                yield from node.get(keyword, ())
            for keyword in ("then", "else"):
                if keyword in node:
                    yield node[keyword]

    def is_shared(self, node: dict[str, Any]) -> bool:
        """Return whether several parts of *node* may declare keys of the same object."""
        shares = sum(key in node for key in ("properties", "$ref", "anyOf", "oneOf", "if"))
        return shares + len(node.get("allOf", ())) > 1

    def flat(self, node: Node) -> dict[str, Any]:
        """Return *node* with its ``$ref`` and ``allOf`` merged in."""
        if not isinstance(node, dict):
            return {}
        if id(node) not in self._flat:
            self._flat[id(node)] = self._merged(node)
        return self._flat[id(node)]

    def _merged(self, node: dict[str, Any]) -> dict[str, Any]:
        musts = [self.target(node)] if "$ref" in node else []
        parts = [self.flat(part) for part in (*musts, *node.get("allOf", ()))]
        if not parts:
            return node
        flat: dict[str, Any] = {}
        for part in (*parts, node):
            flat.update(
                (key, {**flat[key], **value} if key == "properties" and key in flat else value)
                for key, value in part.items()
                if key not in ("$ref", "allOf")
            )
        required = [key for part in (*parts, node) for key in part.get("required", ())]
        if required:
            flat["required"] = list(dict.fromkeys(required))
        return flat

    def has_list(self, path: Iterable[str]) -> bool:
        """Return whether there is a list at *path*, which is made of names of members."""
        node = self.flat(self.root)
        for key in path:
            while node.get("type") == "array":
                node = self.flat(node.get("items", True))
            node = self.flat(node.get("properties", {}).get(key, True))
        return node.get("type") == "array"

    def lists(self, text: str, node: Node) -> bool:
        """Return whether *text* is in an enum, or is a constant, of *node* or its parts."""
        parts, seen = [node], set[int]()
        while parts:
            part = parts.pop()
            if not isinstance(part, dict) or id(part) in seen:
                continue
            if text in part.get("enum", ()) or text == part.get("const"):
                return True
            seen.add(id(part))
            parts.extend(self.same_value(part))
        return False

    def known_keys(self, node: dict[str, Any]) -> dict[str, None] | None:
        """Return the keys that objects of *node* may have, in order; `None` if any are allowed."""
        if id(node) not in self._known:
            self._known[id(node)] = self._known_keys(node)
        return self._known[id(node)]

    def _known_keys(self, node: dict[str, Any]) -> dict[str, None] | None:
        keys: dict[str, None] = {}
        is_declared = False
        parts: list[Node] = [node]
        seen: set[int] = set()
        while parts:
            part = parts.pop()
            if not isinstance(part, dict) or id(part) in seen:
                continue
            seen.add(id(part))
            if part.get("additionalProperties", False) is not False or "patternProperties" in part:
                return None
            is_declared = is_declared or "properties" in part
            keys.update(dict.fromkeys(part.get("properties", ())))
            parts.extend(self.same_value(part))
        return keys if is_declared else None

    def _read(self) -> list[Node]:
        """Validate the schema and everything it refers to; return all parts."""
        todo: list[tuple[str, Node, int]] = [("#", self.root, 0)]
        read: dict[int, Node] = {}
        while todo:
            path, node, depth = todo.pop()
            if id(node) in read:
                continue
            if depth > MAX_SCHEMA_DEPTH:
                raise ValueError(f"the schema is nested deeper than {MAX_SCHEMA_DEPTH} levels")
            _check_shape(node, path)
            read[id(node)] = node
            if not isinstance(node, dict):
                continue
            if unchecked := _UNCHECKED.intersection(node):
                warnings.warn(
                    f"{min(unchecked)!r} at {path} of a JSON Schema is not checked",
                    stacklevel=2,
                )
            todo += ((f"{path}/{key}", part, depth + 1) for key, part in _subschemas(node))
            if "$ref" in node:
                target = self._targets[node["$ref"]] = self._find(node["$ref"], path)
                todo.append((node["$ref"], target, 0))
        return list(read.values())

    def _find(self, ref: str, path: str) -> Node:
        if ref != "#" and not ref.startswith("#/"):
            raise ValueError(
                f"{path}: only references within the schema are supported, not {ref!r}"
            )
        found: Any = self.root
        for part in unquote(ref).split("/")[1:]:
            key = part.replace("~1", "/").replace("~0", "~")
            try:
                found = found[int(key)] if isinstance(found, list) else found[key]
            except (KeyError, IndexError, TypeError, ValueError):
                raise ValueError(f"{path}: there is no {ref!r} in the schema") from None
        if not isinstance(found, dict | bool):
            raise ValueError(f"{path}: {ref!r} is not a schema")  # noqa: TRY004 - it is data
        return found

    def _height(self, node: Node, above: tuple[int, ...]) -> int:
        """Return how many schemas are nested that apply to the same value."""
        if not isinstance(node, dict):
            return 0
        if id(node) in above:
            raise ValueError(
                "a part of the schema refers to itself without an object or a list in between"
            )
        if len(above) > MAX_SCHEMA_DEPTH:
            raise ValueError(
                f"references in the schema are nested deeper than {MAX_SCHEMA_DEPTH} levels"
            )
        if id(node) not in self._heights:
            below = (*above, id(node))
            parts = [*self.same_value(node), *(node[key] for key in ("not", "if") if key in node)]
            self._heights[id(node)] = 1 + max((self._height(p, below) for p in parts), default=0)
        return self._heights[id(node)]


# -- what each part holds --------------------------------------------------------------------------


def _subschemas(node: dict[str, Any]) -> Iterator[tuple[str, Any]]:
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


def _check_shape(node: Any, path: str) -> None:
    """Raise a `ValueError` if the keywords of *node*, at *path*, are malformed."""
    if isinstance(node, bool):
        return
    if not isinstance(node, dict):
        what = "a schema must be an object or a boolean"
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


_DOLLAR: Final = re.compile(r"\\.|\[\^?\]?(?>(?:\\.|[^]\\])*)\]|\$", re.DOTALL)


def compiled(pattern: str) -> Any:
    """Return *pattern*, compiled by the package `regex`, which supports time limits.

    As in JSON Schema, ``$`` is only the very end, and not also before a last line break.

    Raises:
        ValueError: *pattern* is not a regular expression.
    """
    # Imported lazily: only schemas with patterns need it.
    from output_parsers.text.timed_regex import compiled

    if not pattern.startswith("(?"):  # it may have flags of its own
        pattern = _DOLLAR.sub(lambda found: r"\Z" if found[0] == "$" else found[0], pattern)
    return compiled(pattern)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


def _is_names(value: Any) -> bool:
    return isinstance(value, list) and all(isinstance(name, str) for name in value)


def _is_kind(value: Any) -> bool:
    names = value if isinstance(value, list) else [value]
    return bool(names) and _is_names(names) and all(name in KINDS for name in names)


def _is_by_name(value: Any) -> bool:
    return isinstance(value, dict) and _is_names([*value])


_SHAPES: Final[tuple[tuple[tuple[str, ...], Callable[[Any], bool], str], ...]] = (
    (("type",), _is_kind, f"one or more of {', '.join(KINDS)}"),
    (_BY_NAME, _is_by_name, "an object with schemas as values"),
    (_LIST, lambda value: isinstance(value, list) and bool(value), "a list of one or more schemas"),
    (("enum",), lambda value: isinstance(value, list), "a list of values"),
    (("required",), _is_names, "a list of names"),
    (
        ("dependentRequired",),
        lambda value: isinstance(value, dict) and all(map(_is_names, value.values())),
        "an object with lists of names as values",
    ),
    (("$ref", "pattern", "format"), lambda value: isinstance(value, str), "text"),
    (("minimum", "maximum"), _is_number, "a number"),
    (
        ("exclusiveMinimum", "exclusiveMaximum"),
        lambda value: isinstance(value, bool) or _is_number(value),
        "a number",
    ),
    (
        ("multipleOf",),
        lambda value: _is_number(value) and 0 < value < float("inf"),
        "a number above 0",
    ),
    (
        (
            "minLength", "maxLength", "minItems", "maxItems", "minProperties", "maxProperties",
            "minContains", "maxContains",
        ),
        lambda value: _is_number(value) and value >= 0 and value == value // 1,
        "a whole number that is not negative",
    ),
)  # fmt: skip
