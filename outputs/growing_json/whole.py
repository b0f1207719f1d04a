"""Fast parsing of whole values in C, for texts that the Python reader would read the same way.

The Python reader takes about twenty times as long per character. It has the last word: it reads
whatever is refused here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import Any, Final

from pydantic_core import from_json

from outputs.growing_json.scalars import NOTHING, matcher, max_number_chars, number_run

MAX_DEPTH: Final = 200
"""How many arrays and objects may be open at once by default.

Deeper values make ``==``, ``repr`` and ``json.dumps`` fail.
"""

MIN_CHARS: Final = 64
"""The fast parser is not tried on less text than this, where it does not pay."""

_MAX_WASTE: Final = 16
"""How many times the length of the text may be scanned in vain."""

_HARMLESS_CHARS: Final = 600
"""A text of this length has no number that is too long; Python's limit is at least 640 digits."""

_containers = frozenset((list, dict))
_STRING = r'"(?>(?:[^"\\]++|\\.)*)"'
_strings = re.compile(_STRING, re.DOTALL)
_to_open_string = matcher(rf'(?s:(?>(?: [^"]++ | {_STRING} )*))')
_brackets = re.compile(r"[\[\]{}]").findall
_has_half = re.compile(
    r"(?<!\\u[dD][89abAB][0-9a-fA-F]{2})\\u[dD][c-fC-F]"
    r"|\\u[dD][89abAB][0-9a-fA-F]{2}(?!\\u[dD][c-fC-F])"
    r"|\\\\u[dD]"  # an escaped backslash: half a character may seem to be whole
).search
_scan_container = json.JSONDecoder(strict=False).raw_decode


def parse_whole(text: str, max_depth: int) -> Any:
    """Return the value of *text* if it is strictly valid JSON, else `NOTHING`."""
    if max_depth < MAX_DEPTH and text.count("[") + text.count("{") > max_depth:
        return NOTHING
    if _has_long_number(text, 0, len(text)):
        return NOTHING
    try:
        # The parser allows 201 levels. Inside one more array that makes 200, the limit here.
        items = from_json(f"[{text}]")
    except (ValueError, TypeError):  # A TypeError means surrogates in *text*.
        return NOTHING
    return items[0] if len(items) == 1 else NOTHING


def parse_container(text: str, start: int, max_depth: int) -> tuple[Any, int]:
    """Return the array or object that begins at *start*, and where it ends, or `NOTHING`.

    Text after it is ignored. Control characters in strings are accepted.
    """
    try:
        value, end = _scan_container(text, start)
    except (ValueError, RecursionError):
        return NOTHING, start
    if not _is_safe(value, max_depth, text, start, end):
        return NOTHING, start
    return value, end


def _once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("the object contains the same key twice")
    return members


def _refuse(constant: str) -> Any:
    raise ValueError(f"{constant} is not JSON")


# `raw_decode` wraps `scan_once`.
_scan: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(parse_constant=_refuse).scan_once  # type: ignore[attr-defined]
_scan_strictly: Callable[[str, int], tuple[Any, int]] = json.JSONDecoder(
    object_pairs_hook=_once, parse_constant=_refuse
).scan_once  # type: ignore[attr-defined]


def scan_object(text: str, start: int, max_depth: int) -> tuple[Any, int]:
    """Return the object that begins at *start*, and where it ends, or `NOTHING` and *start*.

    Text after it is ignored. It is strictly valid JSON, in which no key appears twice and no escape
    is half a character.
    """
    try:
        value, end = _scan(text, start)
    except (ValueError, RecursionError, StopIteration):
        return NOTHING, start
    return (value, end) if _is_sound(value, max_depth, text, start, end) else (NOTHING, start)


def whole_object(text: str, max_depth: int) -> Any:
    """Return the object if the whole *text* is one, read as by `scan_object`, or `NOTHING`."""
    try:
        value, end = _scan(text, 0)
    except (ValueError, RecursionError, StopIteration):
        return NOTHING
    if end != len(text):
        return NOTHING
    # Most objects are short and have no others inside; this takes less time than `_is_sound`.
    is_flat = type(value) is dict and text.count(":") == len(value) and "\\u" not in text
    is_harmless = is_flat and end <= _HARMLESS_CHARS and text.count("[") < max_depth
    return value if is_harmless or _is_sound(value, max_depth, text, 0, end) else NOTHING


def _is_sound(value: Any, max_depth: int, text: str, start: int, end: int) -> bool:
    """Return whether *value* is safe, and its *text* has no key twice and no half character."""
    # If each colon is that of a key, no key appears twice, and no object stands in another.
    if type(value) is not dict or text[start:end].count(":") != len(value):
        try:
            _scan_strictly(text, start)
        except (ValueError, RecursionError):
            return False
    if text.find("\\u", start, end) >= 0 and _has_half(text, start, end) is not None:
        return False
    return end - start <= max_depth or _is_safe(value, max_depth, text, start, end)


def supply_closers(text: str) -> str:
    """Return *text* with strings and brackets closed, and an incomplete key or last comma removed.

    This turns most text that was cut short into valid JSON; the reader handles the rest.
    """
    start = _to_open_string(text, 0).end()
    closers: list[str] = []
    for bracket in _brackets(_strings.sub("", text[:start])):
        if bracket in "[{":
            closers.append("]" if bracket == "[" else "}")
        elif not closers or closers.pop() != bracket:
            return text
    before = text[:start].rstrip(" \t\n\r")
    if start == len(text) or (closers[-1:] == ["}"] and before.endswith(("{", ","))):
        ending = before.removesuffix(",")
    else:
        cut = (len(text) - len(text.rstrip("\\"))) % 2  # a backslash without its escaped character
        ending = text[: len(text) - cut] + '"'
    return ending + "".join(reversed(closers))


class ContainerScanner:
    """Reads arrays and objects that are complete within one chunk.

    Args:
        strict: Refuse all control characters in strings.
        overwritten: Receives, by ``id``, the members of each object in which a key appeared twice.
            `None` is faster.
    """

    __slots__ = ("_found", "_overwritten", "_scan", "_waste")

    def __init__(
        self, *, strict: bool, overwritten: dict[int, list[tuple[str, Any]]] | None
    ) -> None:
        found: list[tuple[dict[str, Any], list[tuple[str, Any]]]] = []

        def build(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
            members = dict(pairs)
            if len(members) != len(pairs):
                found.append((members, pairs))
            return members

        self._found = found
        self._overwritten = {} if overwritten is None else overwritten
        hook = None if overwritten is None else build
        self._scan = json.JSONDecoder(strict=strict, object_pairs_hook=hook).raw_decode
        self._waste = 0

    def scan(self, chunk: str, pos: int, max_depth: int, offset: int) -> tuple[Any, int]:
        """Return the container at *pos* and where it ends, or `NOTHING` and *pos*.

        Args:
            chunk: The text.
            pos: Where a bracket opens.
            max_depth: How many levels the value may have.
            offset: How many characters came before *chunk*. The text scanned in vain is limited to
                a multiple of the whole text, to keep the time linear.
        """
        self._found.clear()
        left = len(chunk) - pos
        if self._waste > _MAX_WASTE * (offset + len(chunk)):
            return NOTHING, pos
        try:
            value, end = self._scan(chunk, pos)
        except (ValueError, RecursionError):
            self._waste += left
            return NOTHING, pos
        if not _is_safe(value, max_depth, chunk, pos, end):
            self._waste += left
            return NOTHING, pos
        for members, pairs in self._found:
            self._overwritten[id(members)] = pairs
        return value, end


def _is_safe(value: Any, max_depth: int, text: str, start: int, end: int) -> bool:
    """Return whether the reader would accept *value*, which was read from *text*."""
    return end - start <= min(2 * max_depth, _HARMLESS_CHARS) or not (
        _has_long_number(text, start, end) or _is_deeper(value, max_depth, text, start, end)
    )


def _has_long_number(text: str, start: int, end: int) -> bool:
    """Return whether there may be a number so long that the reader refuses it."""
    stride = max_number_chars() // 2
    # A number twice as long as the stride covers a whole stride between two of these positions.
    return end - start > stride and any(
        number_run(text, pos).end() - pos >= stride for pos in range(start, end, stride)
    )


def _is_deeper(value: Any, max_depth: int, text: str, start: int, end: int) -> bool:
    """Return whether *value*, read from *text*, has more than *max_depth* levels."""
    if text.count("[", start, end) + text.count("{", start, end) <= max_depth:
        return False
    level = [value]
    for _ in range(max_depth):
        level = [
            item
            for outer in level
            for item in (outer if type(outer) is list else outer.values())
            if type(item) in _containers
        ]
        if not level:
            return False
    return True
