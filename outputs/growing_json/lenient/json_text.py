"""Text that is nearly JSON: an object that is cut, or JSON inside a quoted string."""

from __future__ import annotations

import json
import re
from itertools import pairwise
from typing import Final

from outputs.growing_json.errors import JsonError, JsonIncompleteError

__all__ = ["begins_object", "unquoted", "without_trailing_commas"]

_COMMENT: Final = re.compile(r"\{\s*+[#/]").match
_single: Final = re.compile(r"'(?:[^'\\]++|\\.)*+'", re.DOTALL).fullmatch
_TRAILS: Final = re.compile(r",\s*+[\]}]").search
_STRINGS_AND_COMMAS: Final = re.compile(
    r'"(?:[^"\\]++|\\.)*+(?P<end>"?)|(?P<comma>,)\s*+[\]}]|[\[{]\s*+,', re.DOTALL
).finditer
_IN_SINGLE: Final = re.compile(r"\\(.)|\"", re.DOTALL)


def begins_object(text: str) -> bool:
    """Return whether *text* is a JSON object that is cut, or nearly one, rather than prose."""
    text = text.lstrip()
    if not text.startswith("{") or _COMMENT(text):
        return False
    from outputs import LenientJsonReader  # imported lazily: few texts begin with a brace

    reader = LenientJsonReader()
    try:
        reader.feed(text)
        reader.close(supply_closers=False)
    except JsonIncompleteError:
        return True
    except JsonError:
        return False
    return False


def without_trailing_commas(text: str) -> tuple[str, list[int]]:
    """Return *text* without commas before closing brackets, and where they stand in it."""
    if _TRAILS(text) is None:
        return text, []
    commas: list[int] = []
    for found in _STRINGS_AND_COMMAS(text):
        if found["comma"]:
            commas.append(found.start())
        elif not found["end"]:  # a string is not closed, or no value precedes a comma
            return text, []
    edges = [-1, *commas, len(text)]
    return "".join(text[start + 1 : stop] for start, stop in pairwise(edges)), commas


def unquoted(text: str) -> str | None:
    """Return the content of *text* if all of it is one string in double or single quotes.

    Returns `None` otherwise. Escapes are those of JSON; an escaped single quote is allowed too.
    """
    if not text.startswith(('"', "'")):
        return None
    if text[0] == "'":
        if _single(text) is None:
            return None
        text = f'"{_IN_SINGLE.sub(_in_double, text[1:-1])}"'
    try:
        value = json.loads(text, strict=False)
    except ValueError:
        return None
    return value if isinstance(value, str) else None


def _in_double(found: re.Match[str]) -> str:
    """Return an escape or quote of a single-quoted string as a double-quoted string has it."""
    if found[1] == "'":
        return "'"
    return found[0] if found[1] else '\\"'
