"""Keys in a response that its schema does not name, and which validation would drop."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from copy import deepcopy
from typing import Any, TypeAlias

Path: TypeAlias = tuple[str | int, ...]


def dropped_key(
    read: Callable[[Any], Any], data: Any, response: Any, schema: dict[str, Any]
) -> Path | None:
    """Return the path of a key that had no effect when *data* was read, or `None`.

    A key that *schema* does not name may have an effect: it may be an alias, or a validator may
    use it. So what counts is whether the response is the same without it.

    Args:
        read: Returns the response in data of JSON; may raise anything.
        data: The data.
        response: What *read* returned for *data*.
        schema: The JSON Schema of the data.
    """
    alike: dict[Path, list[Path]] = {}  # those of all items of a list are tried at once
    for path in unknown_keys(data, schema, schema.get("$defs", {})):
        names = tuple(step if isinstance(step, str) else "" for step in path)
        alike.setdefault(names, []).append(path)
    for paths in alike.values():
        try:
            is_dropped = bool(read(_without(data, paths)) == response)
        except Exception:  # noqa: BLE001 - validators are the user's code
            continue
        if is_dropped:
            return paths[0]
    return None


def unknown_keys(data: Any, schema: Any, definitions: dict[str, Any]) -> Iterator[Path]:
    """Yield the path of each key in *data* that *schema* neither names nor explicitly allows.

    Args:
        data: Data of JSON.
        schema: The JSON Schema.
        definitions: Those that it refers to, by name.
    """
    schema = _resolved(schema, definitions)
    if not schema:
        return
    forms = [_resolved(form, definitions) for form in schema.get("anyOf", schema.get("oneOf", ()))]
    if forms:
        kind = "object" if isinstance(data, dict) else "array"
        forms = [form for form in forms if form.get("type") == kind]
        if forms:  # the one that names most; to try all takes exponential time
            nearest = min(forms, key=lambda form: len(_unnamed(data, form)))
            yield from unknown_keys(data, nearest, definitions)
    elif isinstance(data, dict):
        named = schema.get("properties", {})
        others = schema.get("additionalProperties")
        yield from ((key,) for key in _unnamed(data, schema))
        for key, value in data.items():
            for path in unknown_keys(value, named.get(key, others), definitions):
                yield (key, *path)
    elif isinstance(data, list):
        first = schema.get("prefixItems", ())
        for number, item in enumerate(data):
            form = first[number] if number < len(first) else schema.get("items")
            for path in unknown_keys(item, form, definitions):
                yield (number, *path)


def _unnamed(data: Any, schema: dict[str, Any]) -> list[str]:
    """Return the keys of *data*, if it is an object, that *schema* neither names nor allows."""
    named = schema.get("properties", {})
    if not isinstance(data, dict) or not named or "additionalProperties" in schema:
        return []
    return [key for key in data if key not in named]


def _resolved(schema: Any, definitions: dict[str, Any]) -> dict[str, Any]:
    """Return *schema*, or the definition that it refers to; an empty one if it is not an object."""
    if not isinstance(schema, dict):
        return {}
    name = str(schema.get("$ref", "")).removeprefix("#/$defs/")
    referred = definitions.get(name, schema)
    return referred if isinstance(referred, dict) else {}


def _without(data: Any, paths: list[Path]) -> Any:
    """Return a copy of *data* without the keys at *paths*."""
    copy = deepcopy(data)
    for *steps, key in paths:
        inner = copy
        for step in steps:
            inner = inner[step]
        inner.pop(key, None)  # data may hold an object twice
    return copy
