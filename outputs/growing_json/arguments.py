"""The arguments of tool and function calls: one whole JSON text."""

from __future__ import annotations

import json
from typing import Any

from outputs.growing_json.errors import JsonSyntaxError
from outputs.growing_json.reader import JsonReader
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

_SPACE = " \t\n\r"


def read_arguments(text: str, *, strict: bool = False) -> Any:
    """Return the value of *text*, like `json.loads` but within the limits of the reader.

    Args:
        text: One JSON document.
        strict: Refuse control characters in strings.

    Raises:
        json.JSONDecodeError: *text* is not JSON; the message is that of `json.loads`.
        JsonLimitError: *text* is nested too deeply, or has a number with too many digits.
    """
    value = parse_whole(text, MAX_DEPTH)
    if value is not NOTHING:
        return value
    is_shallow = text.count("[") + text.count("{") <= MAX_DEPTH
    try:
        value = json.loads(text, strict=strict)
    except json.JSONDecodeError:
        if not is_shallow:
            JsonReader(strict=strict).feed(text)  # An exceeded limit is the better error.
        raise
    except (ValueError, RecursionError):
        pass  # Too many digits or brackets, or a full stack: the reader decides.
    else:
        if is_shallow:
            return value
    reader = JsonReader(strict=strict)
    rest = text[reader.feed(text) :].strip(_SPACE)
    if rest:
        raise JsonSyntaxError("expected the end of the text", "", len(text) - len(rest))
    return reader.close()


def value_or_text(text: str) -> Any:
    """Return the value of *text* as `read_arguments` does, or *text* itself if it is not JSON."""
    try:
        return read_arguments(text)
    except ValueError:
        return text
