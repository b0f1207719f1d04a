"""Fits lists and objects to a JSON Schema."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from agent_parsers.toolset.problems.input_problem import NOTHING_FOUND, Fit, InputProblem, shown
from agent_parsers.toolset.schemas.scalars import frozen, size_faults
from agent_parsers.toolset.schemas.words import counted, expected_by

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent_parsers.toolset.problems.policy import Policy
    from agent_parsers.toolset.schemas.schema import Node, Schema

__all__ = ["fit_list", "fit_object"]

_MOST_NAMED = 12


class FitsValues(Protocol):
    """Fits the values in a list or an object; implemented by `Fitter`."""

    schema: Schema
    policy: Policy

    def run(self, value: Any, node: Node, *, convert: bool, inner: bool = ...) -> Fit:
        """Fit *value* to a part of the schema."""

    def fits(self, value: Any, node: Node, *, inner: bool = ...) -> bool:
        """Return whether *value* fits without conversion."""

    def matches(self, pattern: str, text: str) -> bool:
        """Return whether *pattern* is found in *text*."""

    def near(self, word: Any, words: Iterable[Any]) -> str:
        """Return a question that suggests the one of *words* closest to *word*, or ``""``."""


def fit_list(
    fitter: FitsValues,
    value: list[Any],
    node: dict[str, Any],
    problems: list[InputProblem],
    *,
    convert: bool,
) -> list[Any]:
    """Fit the items of a list; return the list, or a new one if an item had to be changed."""
    faults = size_faults(value, node, "minItems", "maxItems", "item")
    problems += (InputProblem((), fault, shown(value)) for fault in faults)
    items: list[Any] | None = None
    for index, (item, part) in enumerate(zip(value, _parts(node), strict=False)):
        found = fitter.run(item, part, convert=convert)
        problems += (problem.below(index) for problem in found.problems)
        if found.value is not item:
            items = value.copy() if items is None else items
            items[index] = found.value
    value = value if items is None else items
    if node.get("uniqueItems") is True and len(set(map(frozen, value))) < len(value):
        problems.append(InputProblem((), "items that are all different", shown(value)))
    if "contains" in node:
        count = sum(fitter.fits(item, node["contains"]) for item in value)
        least, most = node.get("minContains", 1), node.get("maxContains", count)
        if not least <= count <= most:
            item = expected_by(fitter.schema, node["contains"])
            limit, times = ("least", least) if count < least else ("most", most)
            expected = f"{item} in the list at {limit} {counted(times, 'time')}"
            problems.append(InputProblem((), expected, shown(value)))
    return value


def _parts(node: dict[str, Any]) -> Iterator[Node]:
    """Yield the schema of each item of a list, without end."""
    first, rest = node.get("prefixItems", ()), node.get("items", True)
    if isinstance(rest, list):  # as in drafts before 2020-12
        first, rest = rest, node.get("additionalItems", True)
    yield from first
    while True:
        yield rest


def fit_object(
    fitter: FitsValues,
    value: dict[Any, Any],
    node: dict[str, Any],
    problems: list[InputProblem],
    *,
    convert: bool,
    inner: bool,
) -> dict[str, Any]:
    """Fit the members of an object; return it, or a new one if a member had to be changed."""
    faults = size_faults(value, node, "minProperties", "maxProperties", "key")
    problems += (InputProblem((), fault, shown(value)) for fault in faults)
    known = _known_keys(fitter, node, inner=inner)
    members: dict[str, Any] | None = None
    for key, item in value.items():
        if not isinstance(key, str):
            problems.append(InputProblem((), "keys that are text", shown(key)))
            continue
        parts = _members(fitter, node, key)
        is_unknown = known is not None and key not in known
        if not parts and "additionalProperties" in node:
            parts = [node["additionalProperties"]]
            is_unknown = parts == [False]
        if is_unknown and convert and fitter.policy.unknown_keys == "drop":
            members = value.copy() if members is None else members
            del members[key]
            continue
        if is_unknown:
            problems.append(_unknown(fitter, node, key))
            continue
        if "propertyNames" in node and not fitter.fits(key, node["propertyNames"]):
            problems.append(InputProblem((key,), "a key with another name", shown(key)))
        new = item
        for part in parts:
            found = fitter.run(new, part, convert=convert)
            new = found.value
            problems += (problem.below(key) for problem in found.problems)
        if new is not item:
            members = value.copy() if members is None else members
            members[key] = new
    problems += _missing(fitter, node, value)
    return value if members is None else members


def _members(fitter: FitsValues, node: dict[str, Any], key: str) -> list[Node]:
    """Return the schemas that apply to the member *key*."""
    properties = node.get("properties", {})
    parts = [properties[key]] if key in properties else []
    patterns = node.get("patternProperties", {})
    return parts + [part for pattern, part in patterns.items() if fitter.matches(pattern, key)]


def _known_keys(fitter: FitsValues, node: dict[str, Any], *, inner: bool) -> dict[str, None] | None:
    """Return the allowed keys if the policy, not the schema, forbids others, or else `None`."""
    if inner or fitter.policy.unknown_keys == "keep":
        return None
    is_all = "properties" in node or fitter.schema.is_shared(node)
    return fitter.schema.known_keys(node) if is_all else None


def _unknown(fitter: FitsValues, node: dict[str, Any], key: str) -> InputProblem:
    keys = list(fitter.schema.known_keys(node) or node.get("properties", ()))
    if not keys:
        return InputProblem((key,), "no keys", f"the key {shown(key)}")
    listed = ", ".join(keys[:_MOST_NAMED]) + (", …" if len(keys) > _MOST_NAMED else "")
    hint = fitter.near(key, keys)
    what = "only the key" if len(keys) == 1 else "only the keys"
    return InputProblem((key,), f"{what} {listed}", f"the key {shown(key)}", hint)


def _missing(
    fitter: FitsValues, node: dict[str, Any], value: dict[Any, Any]
) -> Iterator[InputProblem]:
    if fitter.policy.missing_keys == "keep":
        return
    properties = node.get("properties", {})
    for key in node.get("required", ()):
        if key not in value:
            expected = expected_by(fitter.schema, properties.get(key, True))
            yield InputProblem((key,), expected, NOTHING_FOUND)
    for key, others in node.get("dependentRequired", {}).items():
        if key in value:
            yield from (
                InputProblem((other,), f"a value, as there is one of {key}", NOTHING_FOUND)
                for other in others
                if other not in value
            )
