"""Plain objects: inputs of which a look at the types of the members shows that they fit."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from math import isfinite
from typing import Any, Final, NamedTuple

from agent_parsers.toolset.problems.errors import InputNote
from agent_parsers.toolset.problems.input_problem import MOST_EXACT
from outputs.growing_json.whole import MAX_DEPTH, scan_object

_TYPES: Final[Mapping[str, frozenset[type]]] = {
    "string": frozenset([str]),
    "integer": frozenset([int]),
    "number": frozenset([int, float]),
    "boolean": frozenset([bool]),
    "null": frozenset([type(None)]),
}
_is_integer: Final = re.compile(r"-?[1-9][0-9]{0,14}|0").fullmatch
_has_half: Final = re.compile("[\ud800-\udfff]").search
_BOOLEANS: Final = {"true": True, "false": False}
SAYING_NOTHING: Final = {"title", "description", "default", "examples", "deprecated"}
"""The keywords that restrict no value."""
_OF_OBJECTS: Final = SAYING_NOTHING | {"type", "properties", "required", "additionalProperties"}


class PlainObject(NamedTuple):
    """The types of an object's members, if the schema says nothing else about them."""

    types: Mapping[str, frozenset[type]]
    """The types of the members, by key; none of them has parts."""
    required: frozenset[str]
    """The keys that must be there."""
    lone: str
    """The key of the lone parameter, if that may be any text, or ``""``."""
    keys: tuple[str, ...] = ()
    """The names of all parameters; see `named_in`."""
    takes_halves: bool = True
    """Whether a text may have half a surrogate pair."""

    def read(self, tool_input: Any) -> tuple[dict[str, Any], tuple[InputNote, ...]] | None:
        """Return the input as an object, and the changes made; `None` if it is not sure to fit.

        Args:
            tool_input: An object, one in JSON and nothing else, or text for the lone parameter.
        """
        if type(tool_input) is not str:
            return (tool_input, ()) if self.fits(tool_input) else None
        if tool_input.startswith("{"):
            value, end = scan_object(tool_input, 0, MAX_DEPTH)
            return (value, ()) if end == len(tool_input) and self.fits(value) else None
        is_text = self.lone and tool_input[:1].isalnum() and self._takes(tool_input)
        if is_text and not named_in(tool_input, self.keys):
            return {self.lone: tool_input}, (
                InputNote(f"read the text as the value of {self.lone}"),
            )
        return None

    def fits(self, value: Any) -> bool:
        """Return whether *value* is sure to fit unchanged."""
        if type(value) is not dict:
            return False
        for key, item in value.items():
            kind = type(item)
            if kind not in self.types.get(key, ()):
                return False
            if kind is str:
                if not self._takes(item):
                    return False
            elif kind in (int, float) and float in self.types[key] and not _is_exact(item):
                return False
        return self.required <= value.keys()

    def _takes(self, text: str) -> bool:
        return self.takes_halves or text.isascii() or _has_half(text) is None

    def from_texts(self, given: Mapping[str, Any]) -> dict[str, Any] | None:
        """Return the values that the texts *given* are sure to mean; `None` if one is ambiguous.

        Other values are kept.
        """
        values: dict[str, Any] = {}
        for key, value in given.items():
            types = self.types.get(key)
            if type(value) is str and types != _TYPES["string"]:
                kind = int if _is_integer(value) else bool if value in _BOOLEANS else None
                if types is None or kind not in types or str in types:
                    return None
                value = _BOOLEANS[value] if kind is bool else int(value)  # noqa: PLW2901 - so typed
            values[key] = value
        return values


def _is_exact(number: float) -> bool:
    """Return whether a *number* is finite and, if it is an integer, a float can be the same."""
    return isfinite(number) if type(number) is float else abs(number) <= MOST_EXACT


def plain_object(root: Mapping[str, Any]) -> PlainObject | None:
    """Return the types of the members; `None` if the schema *root* says more than types."""
    properties = root.get("properties")
    if root.get("type") != "object" or not (root.keys() <= _OF_OBJECTS) or properties is None:
        return None
    types = {key: _types(node) for key, node in properties.items()}
    known = {key: found for key, found in types.items() if found is not None}
    required = frozenset(root.get("required", ()))
    lone = lone_key(root)
    takes_text = lone is not None and required <= {lone} and str in known.get(lone, ())
    return PlainObject(known, required, lone if lone and takes_text else "", tuple(properties))


def lone_key(root: Mapping[str, Any]) -> str | None:
    """Return the name of the one parameter that gets an input without names, or `None`.

    It is the only parameter, or else the only required one, of a schema without references.
    """
    properties = root.get("properties", {})
    if len(properties) == 1:
        return str(next(iter(properties)))
    required = [key for key in root.get("required", ()) if key in properties]
    return required[0] if len(required) == 1 else None


def named_in(text: str, names: Iterable[str]) -> list[str]:
    """Return the parameters among *names* to which *text* gives values by name, or ``[]``.

    These are ``to=A, amount=5``, lines of YAML, and a part of an object: the text begins with one
    name and a mark behind it, or has two of them. If there are several parameters, its end may also
    give one of them: ``A, amount=5``. Such a text is not the value of one parameter.
    """
    if not ("=" in text or ":" in text or "--" in text or "\uff1a" in text or "\uff1d" in text):
        return []
    known = {_plain(name): name for name in names}
    first, each, last = _keys_of(tuple(known.values()))
    begin = first(text)
    named = [] if begin is None else [begin[1] or begin[2]]
    named += (key[1] for key in each(text))
    found = dict.fromkeys(map(_plain, named))
    is_sure = begin is not None or len(found) > 1 or (len(known) > 1 and last(text) is not None)
    return [known[name] for name in found] if is_sure else []


_MARK: Final = r"""["'`*_]{0,3}[ \t]{0,8}(?:=(?![=~])|[:\uff1a\uff1d](?!//|[:=]))"""
"""What stands behind the name of a parameter whose value follows."""


@lru_cache(maxsize=256)
def _keys_of(names: tuple[str, ...]) -> tuple[Any, Any, Any]:
    """Return what finds one of *names* where a text begins, anywhere in it, and where it ends."""
    spelt = ["[ _-]?".join(map(re.escape, re.split(r"[ _-]+", name))) for name in names if name]
    one = "|".join(sorted(spelt, key=len, reverse=True)) or "(?!)"
    before = r"""(?:```\w*\s)?[\s"'`*_({\[\u2022-]{0,20}"""
    first = re.compile(rf"{before}(?:({one}){_MARK}|(?<=--)({one})\b)", re.IGNORECASE)
    each = re.compile(rf"(?<![\w.$/@?&-])({one}){_MARK}", re.IGNORECASE)
    last = re.compile(rf"[,;][ \t]{{0,8}}(?:{one}){_MARK}[^,;\n()]*\Z", re.IGNORECASE)
    return first.match, each.finditer, last.search


def _plain(name: str) -> str:
    return re.sub("[ _-]", "", name).casefold()


def _types(node: object) -> frozenset[type] | None:
    """Return the types of all values that fit *node*; `None` if it says more of them."""
    if not isinstance(node, dict):
        return None
    keywords = node.keys() - SAYING_NOTHING
    if keywords == {"anyOf"}:
        parts = [_types(part) for part in node["anyOf"]]
        return frozenset().union(*(part or () for part in parts)) if all(parts) else None
    kind = node.get("type")
    return _TYPES.get(kind) if keywords == {"type"} and isinstance(kind, str) else None
