"""Paths into data of JSON."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias, Union

__all__ = ["Path", "at", "loaded"]

Path: TypeAlias = Union[str, Callable[[Any], Any]]  # noqa: UP007 - evaluated at import
"""Where a value stands.

``"a.b"`` is the key ``b`` of the key ``a``, ``"a.0"`` the first item of the list ``a``, ``"a[].b"``
the key ``b`` of each of its items, ``"a[].b[]"`` the items of all lists ``b`` in one list, ``""``
the value itself. ``"a|b"`` is the first of the two that
is there and not null. What no path says, a function does."""


def at(value: Any, path: Path) -> Any:
    """Return what stands at *path* of *value*; `None` if there is nothing."""
    if callable(path):
        return path(value)
    for alternative in path.split("|"):
        found = _at(value, alternative)
        if found is not None:
            return found
    return None


def _at(value: Any, path: str) -> Any:
    key, _, rest = path.partition(".")
    name = key.removesuffix("[]")
    if name and isinstance(value, list):
        value = value[int(name)] if name.isdecimal() and int(name) < len(value) else None
    elif name:
        value = value.get(name) if isinstance(value, Mapping) else None
    if key.endswith("[]"):
        if not isinstance(value, list):
            return None
        found = [_at(each, rest) for each in value]
        return [item for each in found for item in each or ()] if "[]" in rest else found
    return _at(value, rest) if rest and value is not None else value


def loaded(value: Any) -> Any:
    """Return *value*, or the list or object that it is as JSON text."""
    if isinstance(value, str) and value.lstrip().startswith(("[", "{")):
        try:
            return json.loads(value)
        except (ValueError, RecursionError):
            return value
    return value
