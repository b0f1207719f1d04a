"""JSON read whole at the speed of C, within the depth that every reader here keeps to."""

from __future__ import annotations

import json
from typing import Any, Final

__all__ = ["load_json"]

_SURELY_SHALLOW: Final = 200
"""As many brackets are never nested too deep, and need no other reader."""


def load_json(text: str) -> Any:
    """Return the value of *text*, one JSON document.

    How deep `json.loads` goes depends on the version of Python, and on the stack.

    Raises:
        ValueError: It is no JSON, is nested deeper than 200 levels, or has too long a number.
    """
    if text.count("[") + text.count("{") <= _SURELY_SHALLOW:
        return json.loads(text)
    from outputs.growing_json.scalars import NOTHING
    from outputs.growing_json.whole import MAX_DEPTH, parse_whole  # few documents need it

    value = parse_whole(text, MAX_DEPTH)
    if value is NOTHING:
        raise ValueError("expected one JSON document of at most 200 levels")
    return value
