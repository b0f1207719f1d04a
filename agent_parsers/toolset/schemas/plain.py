"""Plain objects: inputs of which a look at the types of the members shows that they fit."""

from __future__ import annotations

from math import isfinite
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

__all__ = ["PlainObject", "plain_object"]

_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "string": frozenset([str]),
    "integer": frozenset([int]),
    "number": frozenset([int, float]),
    "boolean": frozenset([bool]),
    "null": frozenset([type(None)]),
}
_SAY_NOTHING: Final = {"title", "description", "default", "examples", "deprecated"}
"""The keywords that restrict no value."""
_OF_OBJECTS: Final = _SAY_NOTHING | {"type", "properties", "required", "additionalProperties"}


class PlainObject(NamedTuple):
    """What the members of an object are, if each may be any value of some types."""

    types: Mapping[str, frozenset[type]]
    """The types of the members, by key; none of them has parts."""
    required: frozenset[str]
    """The keys that must be there."""

    def fits(self, value: Any) -> bool:
        """Return whether *value* is sure to fit as it is."""
        if type(value) is not dict:
            return False
        for key, item in value.items():
            types = self.types.get(key)
            if types is None or type(item) not in types:
                return False
            if type(item) is float and not isfinite(item):
                return False
        return self.required <= value.keys()

    def are_texts(self, keys: Iterable[str]) -> bool:
        """Return whether the members with these *keys* can only be texts."""
        return all(self.types.get(key) == _TYPES["string"] for key in keys)


def plain_object(root: Mapping[str, Any]) -> PlainObject | None:
    """Return the types of the members of objects; `None` if the schema *root* says more of them."""
    properties = root.get("properties")
    if root.get("type") != "object" or not (root.keys() <= _OF_OBJECTS) or properties is None:
        return None
    types = {key: _types(node) for key, node in properties.items()}
    known = {key: found for key, found in types.items() if found is not None}
    return PlainObject(known, frozenset(root.get("required", ())))


def _types(node: object) -> frozenset[type] | None:
    """Return the types of all values that fit *node*; `None` if it says more of them."""
    if not isinstance(node, dict):
        return None
    keywords = node.keys() - _SAY_NOTHING
    if keywords == {"anyOf"}:
        parts = [_types(part) for part in node["anyOf"]]
        return frozenset().union(*(part or () for part in parts)) if all(parts) else None
    kind = node.get("type")
    return _TYPES.get(kind) if keywords == {"type"} and isinstance(kind, str) else None
