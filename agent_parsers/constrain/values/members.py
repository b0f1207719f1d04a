"""The members of an object: those that its schema declares, in a fixed order."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any

from agent_parsers.constrain.parts.tree import NOTHING, NoValue, choice, optional, sequence
from agent_parsers.toolset.problems.errors import Policy
from agent_parsers.toolset.schemas.fit import Fitter
from agent_parsers.toolset.schemas.schema import Schema, compiled

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Node, Notes
    from agent_parsers.constrain.values.cases import Case


def declared(
    schema: Schema, case: Case, make: Callable[[str, Any], Node], notes: Notes
) -> list[tuple[str, Node, bool]]:
    """Return each member that *case* declares: its name, its grammar, and whether it is required.

    *make* makes a member, given its name and a part of the schema.

    Raises:
        NoValue: A required member has no value.
    """
    required, names = case.get("required", ()), case.get("propertyNames", True)
    parts = {**case.get("properties", {})}
    more = case.get("additionalProperties", "properties" not in case)
    patterns = case.get("patternProperties", {})
    for keyword, others in (
        ("additionalProperties", more),
        ("patternProperties", patterns or False),
    ):
        if others is not False:
            notes.add(keyword, "a grammar only allows members that are declared")
    for key in required:
        parts.setdefault(key, True if _matching(patterns, key) else more)
    for keyword, is_said in (
        ("minProperties", case.get("minProperties", 0) <= max(len(required), 1)),
        ("maxProperties", case.get("maxProperties", len(parts)) >= len(parts)),
    ):
        if not is_said:
            notes.add(keyword, "a grammar cannot count optional members")
    fitter = Fitter(schema, Policy())
    found: list[tuple[str, Node, bool]] = []
    for key, part in parts.items():
        also = _matching(patterns, key)
        allowed = {"allOf": [part, *also]} if also else part
        with notes.below(f".{key}"):
            try:
                made = make(key, allowed if fitter.fits(key, names) else False)
                found.append((key, made, key in required))
            except NoValue as error:
                if key in required:
                    raise
                if part is not False:
                    notes.add("properties", str(error))
    return found


def _matching(patterns: dict[str, Any], key: str) -> list[Any]:
    return [part for pattern, part in patterns.items() if compiled(pattern).search(key)]


def in_order(parts: Sequence[tuple[Node, bool]], between: Node) -> tuple[Node, bool]:
    """Return a sequence of one or more of *parts*, and whether all of them are optional.

    Each part comes with whether it is required; *between* separates two.
    """
    required = [at for at, (_, is_required) in enumerate(parts) if is_required]
    if required:
        first = required[0]
        before = (optional(sequence(part, between)) for part, _ in parts[:first])
        return sequence(*before, parts[first][0], *_rest(parts[first + 1 :], between)), False
    options = [
        sequence(part, *_rest(parts[at + 1 :], between)) for at, (part, _) in enumerate(parts)
    ]
    return (choice(options) if options else NOTHING), True


def _rest(parts: Sequence[tuple[Node, bool]], between: Node) -> list[Node]:
    each = (sequence(between, part) for part, _ in parts)
    return [
        part if is_required else optional(part)
        for part, (_, is_required) in zip(each, parts, strict=True)
    ]
