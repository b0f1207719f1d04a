"""Keys that appear twice in one JSON object, which makes the intended value unclear."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from outputs.growing_json.value import repeated

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outputs import JsonRepair

__all__ = ["may_repeat", "repeated_key"]

_STRINGS: Final = re.compile(r'"((?:[^"\\]++|\\.)*+)"(\s*+:)?', re.DOTALL).findall


def may_repeat(text: str, value: Any) -> bool:
    """Return whether a key appears twice in *text*, JSON whose value is *value*.

    Most texts need no search: every member has a colon, including members that were replaced, so a
    key can be repeated only if there are more colons than members in *value*.
    """
    left = text.count(":")
    todo = [value]
    while todo and left > 0:
        each = todo.pop()
        if type(each) is dict:
            left -= len(each)
            todo.extend(each.values())
        elif type(each) is list:
            todo.extend(each)
    return left > 0 and repeated_key(text) is not None


def repeated_key(text: str, made: Sequence[JsonRepair] = ()) -> str | None:
    """Return a key that appears twice in one object of *text*, or `None`.

    Args:
        text: JSON that can be read.
        made: The repairs that `output_parsers.repair_json` made in it.
    """
    if made:
        return _by_reader(text, made[0])
    keys = [key for key, colon in _STRINGS(text) if colon]
    if len(set(keys)) == len(keys) and not any("\\" in key for key in keys):
        return None
    found: list[str] = []

    def look(pairs: list[tuple[str, Any]]) -> None:
        if (key := repeated(pairs)) is not None:
            found.append(key)

    json.loads(text, object_pairs_hook=look, strict=False)
    return found[0] if found else None


def _by_reader(text: str, first: JsonRepair) -> str | None:
    # imported lazily: few replies need it
    from outputs.growing_json.lenient.reader import KeyReader

    is_around = first.kind == "surrounding_text" and first.span[0] == 0
    reader = KeyReader()
    reader.feed(text[first.span[1] if is_around else 0 :])
    return reader.repeated_key
