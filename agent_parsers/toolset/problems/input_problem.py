"""A problem with the input of a tool: where it is, what was expected, and what was found."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final, NamedTuple, TypeAlias

from agent_parsers.toolset.problems.names import folded, near_names

Path: TypeAlias = tuple[str | int, ...]
"""Keys and indexes that lead from the whole input to a value; ``()`` is the whole input."""

NOTHING_FOUND: Final = "nothing"
"""The value of `InputProblem.found` if a key is missing."""

_MOST_SHOWN: Final = 60
_LONGEST_PATH: Final = 200
_PLAIN_KEY: Final = r"[\w-]{1,60}"


@dataclass(frozen=True, slots=True)
class InputProblem:
    """One problem with an input."""

    path: Path
    """Where the problem is; for a missing value, where it should be."""
    expected: str
    """What the schema expects, such as ``an integer``."""
    found: str
    """What was found, such as ``"abc"``; ``nothing`` if a key is missing."""
    hint: str = ""
    """A suggestion, such as ``did you mean "query"?``; may be empty."""

    @property
    def where(self) -> str:
        """The path as text, such as ``filters[0].name``."""
        return where(self.path)

    def below(self, key: str | int) -> InputProblem:
        """Return the same problem with *key* in front of its path."""
        return InputProblem((key, *self.path), self.expected, self.found, self.hint)

    def __str__(self) -> str:
        text = f"{self.where}: expected {self.expected}, found {self.found}"
        return f"{text}; {self.hint}" if self.hint else text


class Fit(NamedTuple):
    """A value after it was fitted to a schema, and its problems."""

    value: Any
    """The value itself, or a new one if something had to be changed."""
    problems: tuple[InputProblem, ...] = ()
    """The problems; their paths start at this value."""


def where(path: Path) -> str:
    """Return *path* as text: ``filters[0].name``, or ``the input``; long paths are cut."""
    parts: list[str] = []
    for key in path:
        if isinstance(key, str) and re.fullmatch(_PLAIN_KEY, key):
            parts.append(f".{key}" if parts else key)
        else:
            parts.append(f"[{shown(key)}]")
    text = "".join(parts) or "the input"
    return text if len(text) <= _LONGEST_PATH else f"{text[: _LONGEST_PATH - 1]}…"


def shown(value: Any) -> str:
    """Return *value* on one line; long values are cut."""
    if isinstance(value, str):
        text = json.dumps(value[: _MOST_SHOWN + 1], ensure_ascii=False)
        return text if len(text) <= _MOST_SHOWN else text[: _MOST_SHOWN - 1] + "…"
    if isinstance(value, dict):
        if not value:
            return "an empty object"
        keys = ", ".join(str(key)[:_MOST_SHOWN] for key, _ in zip(value, range(3), strict=False))
        more = ", …" if len(value) > 3 else ""
        return f"an object with {'keys' if len(value) > 1 else 'the key'} {keys}{more}"
    if isinstance(value, list):
        if not value:
            return "an empty list"
        return f"a list of {len(value)} items" if len(value) > 1 else "a list of one item"
    if value is None or isinstance(value, bool | float):
        return json.dumps(value)
    if isinstance(value, int):
        return str(value) if value.bit_length() < 200 else "a number with too many digits"
    return f"a value of type {type(value).__name__}"


MOST_EXACT: Final = 2**53
"""The largest integer that all readers of JSON keep, since some have no integers."""


def kind_of(value: Any) -> str:
    """Return the JSON Schema type of *value*, or ``""`` if it is not a JSON value."""
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "boolean"
    if isinstance(value, int):
        return "integer"
    if isinstance(value, float):
        if value != value or value in (float("inf"), -float("inf")):  # the first is true of NaN
            return ""
        is_exact = abs(value) <= MOST_EXACT  # a larger one may have been another integer
        return "integer" if is_exact and value.is_integer() else "number"
    for kind, name in ((str, "string"), (dict, "object"), (list, "array")):
        if isinstance(value, kind):
            return name
    return ""


def near(word: str, words: Iterable[str]) -> str | None:
    """Return the one of *words* that is most similar to *word*, or `None`."""
    plain = {folded(other): other for other in words}
    word = folded(word[:_MOST_SHOWN])
    found = near_names(word, plain, 1)
    if not found and len(word) > 2:
        found = [other for other in plain if word in other or (len(other) > 2 and other in word)]
    return plain[found[0]] if len(found) == 1 else None
