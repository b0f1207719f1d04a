"""Fast loading of whole JSON documents, with the same depth limit as the other readers."""

from __future__ import annotations

import json
from collections.abc import Hashable
from math import isnan
from typing import Any, Final

_SURELY_SHALLOW: Final = 200
"""A text with at most this many brackets cannot be nested too deeply, so needs no check."""


def load_json(text: str) -> Any:
    """Return the value of *text*, one JSON document.

    Unlike that of `json.loads`, the depth limit does not depend on the Python version or the stack.

    Raises:
        ValueError: *text* is not JSON, is nested deeper than 200 levels, or has too long a number.
    """
    if text.count("[") + text.count("{") <= _SURELY_SHALLOW:
        return json.loads(text)
    from outputs.growing_json.scalars import NOTHING
    from outputs.growing_json.whole import MAX_DEPTH, parse_whole  # imported lazily

    value = parse_whole(text, MAX_DEPTH)
    if value is NOTHING:
        raise ValueError("expected a single JSON document, nested at most 200 levels deep")
    return value


def value_key(value: Any) -> Hashable:
    """Return a key that is the same for equal JSON values, whatever the order of their members.

    Raises:
        RecursionError: *value* is nested too deeply.
        TypeError: *value* is not a JSON value.
    """
    if isinstance(value, dict):
        return "object", frozenset((name, value_key(part)) for name, part in value.items())
    if isinstance(value, list | tuple):
        return "array", tuple(map(value_key, value))
    kind = "boolean" if isinstance(value, bool) else "number"  # True is equal to 1, too
    if isinstance(value, float) and isnan(value):
        return kind, "NaN"  # the value is not equal to itself
    found: Hashable = (kind, value) if isinstance(value, int | float) else value
    hash(found)
    return found
