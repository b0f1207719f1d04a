"""Fast loading of whole JSON documents, with the same depth limit as the other readers."""

from __future__ import annotations

import json
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
        raise ValueError("expected one JSON document of at most 200 levels")
    return value
