"""Text that is nearly JSON: an object that is cut, JSON in quotes, a key that is there twice."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Final, cast

from outputs.growing_json.errors import JsonError, JsonIncompleteError, JsonSyntaxError
from outputs.growing_json.value import repeated

if TYPE_CHECKING:
    from outputs import JsonRepair

_COMMENT: Final = re.compile(r"\{\s*+[#/]").match
_single: Final = re.compile(r"'(?>(?:[^'\\]++|\\.)*)'", re.DOTALL).fullmatch
_TRAILS: Final = re.compile(r",\s*+[\]}]").search
_TO_TRAILING_COMMA: Final = re.compile(
    r"""(?>(?: [^",\[{]++ | "(?>(?:[^"\\]++|\\.)*)" | ,(?!\s*+[\]}]) | [\[{](?!\s*+,) )*)""",
    re.DOTALL | re.VERBOSE,
).match
_IN_SINGLE: Final = re.compile(r"\\(.)|\"", re.DOTALL)


def begins_object(text: str) -> bool:
    """Return whether *text* is the beginning of a JSON object, well-formed or nearly so."""
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
    """Return *text* without commas before closing brackets, and the offsets of these commas."""
    if _TRAILS(text) is None:
        return text, []
    pieces: list[str] = []
    commas: list[int] = []
    end = -1
    while (at := end + 1) <= len(text):
        end = cast("re.Match[str]", _TO_TRAILING_COMMA(text, at)).end()
        pieces.append(text[at:end])
        if end < len(text):
            if text[end] != ",":  # a string is not closed, or no value precedes a comma
                return text, []
            commas.append(end)
    return "".join(pieces), commas


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


# -- keys that are there twice ---------------------------------------------------------------------

_STRINGS: Final = re.compile(r'"((?>(?:[^"\\]++|\\.)*))"(\s*+:)?', re.DOTALL).findall


def may_repeat(text: str, value: Any) -> bool:
    """Return whether a key appears twice in one object of *text*, whose JSON value is *value*."""
    return _has_more_colons(text, value) and repeated_key(text) is not None


def check_repeated_keys(text: str, value: Any) -> str | None:
    """Return a key that appears twice in one object of *text*, with equal values, or `None`.

    Args:
        text: A text that begins with JSON as `LenientJsonReader` reads it.
        value: What it has read.

    Raises:
        JsonSyntaxError: A key has two different values; ``pos`` is 0.
    """
    if not _has_more_colons(text, value):
        return None
    # imported lazily: few replies need it
    from outputs.growing_json.lenient.lenient_reader import KeyReader

    reader = KeyReader()
    reader.feed(text)
    reader.close()
    if (key := reader.conflicting_key) is not None:
        reason = f"expected one value for the key {json.dumps(key[:60], ensure_ascii=False)}"
        raise JsonSyntaxError(f"{reason}, found different values", "", 0)
    return reader.repeated_key


def _has_more_colons(text: str, value: Any) -> bool:
    """Return whether *text* has more colons than *value*, which it describes, has members.

    Only then a key can be repeated, since every member has a colon, also one that was replaced.
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
    return left > 0


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
    from outputs.growing_json.lenient.lenient_reader import KeyReader

    is_around = first.kind == "surrounding_text" and first.span[0] == 0
    reader = KeyReader()
    reader.feed(text[first.span[1] if is_around else 0 :])
    return reader.repeated_key
