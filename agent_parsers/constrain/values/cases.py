"""A part of a schema as cases of one type each, without alternatives and references.

What stands beside each other for one value (``$ref``, ``allOf``, ``anyOf`` and their neighbours) is
joined, so that a case has everything that is said of its values. Its numbers and lists of patterns
are those of all parts.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import product, zip_longest
from math import inf
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.errors import Policy
from agent_parsers.toolset.problems.input_problem import kind_of
from agent_parsers.toolset.schemas.fit import Fitter
from agent_parsers.toolset.schemas.scalars import frozen
from agent_parsers.toolset.schemas.schema import Node, Schema, compiled

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Notes

Case = dict[str, Any]
"""A part of a schema: of one type, or of any if there is no ``type``."""

_MOST_CASES: Final = 64
_UNSAID: Final = {
    "not": "a grammar can only say what a value may be, not what it may not be",
    "if": "a grammar cannot check a condition on other members",
    "contains": "a grammar cannot count the items that match",
}
"""Keywords that the check of a tool enforces and a grammar cannot say, with the reason."""
_LISTED: Final = ("pattern", "format", "multipleOf")
"""Keywords of which a case has a tuple: the values of all parts."""
_TYPES: Final = ("string", "null", "boolean", "number", "array", "object")
"""The types of values, as schemas name them."""
_OF_TYPES: Final = {
    "object": ("properties", "required", "additionalProperties", "patternProperties",
               "minProperties", "maxProperties", "propertyNames"),
    "array": ("items", "prefixItems", "minItems", "maxItems", "uniqueItems"),
    "string": ("minLength", "maxLength", "pattern", "format"),
    "number": ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum", "multipleOf"),
}  # fmt: skip
"""The keywords of each type; a case has no others, but for its type and its values."""
_KEPT: Final = frozenset({"type", "enum", *(key for keys in _OF_TYPES.values() for key in keys)})


def cases(schema: Schema, node: Node, notes: Notes) -> list[Case]:
    """Return the cases that together cover all values of *node*, a part of *schema*.

    There may be none. What they do not express of the schema is added to *notes*.
    """
    if isinstance(node, bool):
        return [{}] if node else []
    known = [*notes.found]
    found = [each for case in _cases(schema, node, notes, {}) for each in _typed(case)]
    values = [value for case in found if "enum" in case for value in case["enum"]]
    others = [case for case in found if "enum" not in case]
    if not others:  # all that the schema says is said of each value
        notes.forget(known)
    fitter = Fitter(schema, Policy())
    fitting = [value for value in values if fitter.fits(value, node)]
    return [*([{"enum": fitting}] if fitting else ()), *others]


def without_texts(case: Case) -> Case | None:
    """Return the values of *case* that are not text, or `None` if there are none."""
    if "enum" in case:
        allowed = [value for value in case["enum"] if not isinstance(value, str)]
        return {"enum": allowed} if allowed else None
    return None if case.get("type", "string") == "string" else case


def of_types(case: Case) -> Iterator[tuple[str, Case]]:
    """Yield the values of *case* by their type, as schemas name it."""
    if "enum" in case:
        for kind in dict.fromkeys(map(kind_of, case["enum"])):
            yield kind, {"enum": [each for each in case["enum"] if kind_of(each) == kind]}
    elif "type" in case:
        yield case["type"], case
    else:
        yield from ((kind, {"type": kind}) for kind in _TYPES)


def _typed(case: Case) -> Iterator[Case]:
    """Yield *case* for each of its types, as the only one."""
    if "enum" in case:
        yield case
        return
    kinds = case.get("type")
    if kinds is None:
        kinds = [kind for kind, keys in _OF_TYPES.items() if not case.keys().isdisjoint(keys)][:1]
        if not kinds:
            yield case
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        keys = _OF_TYPES.get("number" if kind == "integer" else kind, ())
        yield {"type": kind, **{key: case[key] for key in keys if key in case}}


def _cases(schema: Schema, node: Node, notes: Notes, known: dict[int, list[Case]]) -> list[Case]:
    """Return the cases of *node*; those of the parts that are *known* are not made again."""
    if isinstance(node, bool):
        return [{}] if node else []
    if id(node) not in known:
        known[id(node)] = []  # a part that is one of its own alternatives adds none
        known[id(node)] = _made_cases(schema, node, notes, known)
    return known[id(node)]


def _made_cases(
    schema: Schema, node: dict[str, Any], notes: Notes, known: dict[int, list[Case]]
) -> list[Case]:
    for keyword, reason in _UNSAID.items():
        if keyword in node:
            notes.add(keyword, reason)
    factors: list[list[Case]] = [[_own(node)]]
    musts = [schema.target(node)] if "$ref" in node else []
    factors += (_cases(schema, part, notes, known) for part in (*musts, *node.get("allOf", ())))
    for keyword in ("anyOf", "oneOf"):
        if keyword in node:
            several = [_cases(schema, part, notes, known) for part in node[keyword]]
            if keyword == "oneOf" and not _differ(several):
                notes.add("oneOf", "a grammar cannot rule out values that fit several alternatives")
            alike = {_parts_of(case): case for each in several for case in each}
            _add_factor(factors, [*alike.values()], keyword, notes)
    for key, others in node.get("dependentRequired", {}).items():
        either: list[Case] = [{"properties": {key: False}}, {"required": [key, *others]}]
        _add_factor(factors, either, "dependentRequired", notes)
    found = factors[0]
    for factor in factors[1:]:
        both = (_joined(one, other) for one, other in product(found, factor))
        found = [each for each in both if each is not None]
    return found


def _parts_of(case: Case) -> Iterable[tuple[str, int]]:
    """Return what *case* says, as the same objects: a definition may stand in several parts."""
    return tuple((key, id(value)) for key, value in case.items())


def _add_factor(factors: list[list[Case]], several: list[Case], keyword: str, notes: Notes) -> None:
    count = len(several)
    for factor in factors:
        count *= len(factor)
    if count > _MOST_CASES:
        notes.add(
            keyword,
            f"combined with the other alternatives, it would have more than {_MOST_CASES} cases",
        )
    else:
        factors.append(several)


def _own(node: dict[str, Any]) -> Case:
    """Return what *node* says by itself."""
    own = {key: value for key, value in node.items() if key in _KEPT}
    if "const" in node:
        own = _joined(own, {"enum": [node["const"]]}) or {"enum": []}
    if isinstance(own.get("items"), list):  # as in drafts before 2020-12
        own["prefixItems"] = own["items"]
        own["items"] = node.get("additionalItems", True)
    for edge, limit in (("exclusiveMinimum", "minimum"), ("exclusiveMaximum", "maximum")):
        if own.get(edge) is True and limit in own:  # as in draft 4
            own[edge] = own.pop(limit)
        for key in (edge, limit):
            if isinstance(own.get(key), bool) or own.get(key) in (inf, -inf):
                del own[key]
    own.update({key: (own[key],) for key in _LISTED if key in own})
    return own


def _joined(one: Case, other: Case) -> Case | None:
    """Return the case of values of both; `None` if there is none."""
    made = {**other, **one}
    for key in one.keys() & other.keys():
        made[key] = _BOTH[key](one[key], other[key])
    if made.get("enum") == [] or made.get("type") == []:
        return None
    if "enum" in made and "type" in made:
        made["enum"] = [each for each in made["enum"] if _is_of(each, made["type"])]
    _forbid_others(made, one, other)
    _forbid_others(made, other, one)
    return made


def _forbid_others(made: Case, one: Case, other: Case) -> None:
    """Say in *made* what *one* says of members that only *other* declares."""
    more = one.get("additionalProperties", True)
    if more is True or "properties" not in other:
        return
    patterns = [*one.get("patternProperties", ())]
    known = {*one.get("properties", ()), *(
        key for key in other["properties"] if any(compiled(each).search(key) for each in patterns)
    )}  # fmt: skip
    made["properties"] = {
        key: part if key in known else _all_of(part, more)
        for key, part in made["properties"].items()
    }


def _all_of(one: Node, other: Node) -> Node:
    if one is True or one == other:
        return other
    return one if other is True else False if False in (one, other) else {"allOf": [one, other]}


def _kinds(kinds: str | list[str], others: str | list[str]) -> list[str]:
    ours, theirs = ([each] if isinstance(each, str) else each for each in (kinds, others))
    both = [
        min(a, b) for a in ours for b in theirs if a == b or {a, b} == {"integer", "number"}
    ]  # of the two, "integer" is the lesser word
    return list(dict.fromkeys(both))


def _is_of(value: Any, kinds: str | list[str]) -> bool:
    named = [kinds] if isinstance(kinds, str) else kinds
    kind = kind_of(value)
    return kind in named or (kind == "integer" and "number" in named)


def _values(values: list[Any], others: list[Any]) -> list[Any]:
    known = {*map(frozen, others)}
    return [each for each in values if frozen(each) in known]


def _members(ours: dict[str, Node], theirs: dict[str, Node]) -> dict[str, Node]:
    keys = dict.fromkeys([*ours, *theirs])
    return {key: _all_of(ours.get(key, True), theirs.get(key, True)) for key in keys}


def _items(ours: list[Node], theirs: list[Node]) -> list[Node]:
    return [_all_of(one, other) for one, other in zip_longest(ours, theirs, fillvalue=True)]


_BOTH: Final[dict[str, Callable[[Any, Any], Any]]] = {
    "type": _kinds,
    "enum": _values,
    "properties": _members,
    "patternProperties": _members,
    "required": lambda ours, theirs: list(dict.fromkeys([*ours, *theirs])),
    "prefixItems": _items,
    "uniqueItems": lambda ours, theirs: ours or theirs,
    **dict.fromkeys(("additionalProperties", "propertyNames", "items"), _all_of),
    **dict.fromkeys(_LISTED, lambda ours, theirs: tuple(dict.fromkeys([*ours, *theirs]))),
    **dict.fromkeys(("minimum", "exclusiveMinimum", "minLength", "minItems", "minProperties"), max),
    **dict.fromkeys(("maximum", "exclusiveMaximum", "maxLength", "maxItems", "maxProperties"), min),
}
"""How what two parts say by each keyword is joined."""


def _differ(several: list[list[Case]]) -> bool:
    """Return whether no value can fit two of several parts, as their types or tags show."""
    signs = [{sign for case in cases for sign in _signs(case)} for cases in several]
    are_apart = all(
        signs[a] and signs[b] and signs[a].isdisjoint(signs[b])
        for a in range(len(several))
        for b in range(a)
    )
    return are_apart or _have_tag([case for cases in several for case in cases])


def _signs(case: Case) -> Iterable[str]:
    if "enum" in case:
        return {kind_of(value).replace("integer", "number") for value in case["enum"]}
    kinds = case.get("type", ())
    named = [kinds] if isinstance(kinds, str) else kinds
    return {kind.replace("integer", "number") for kind in named}


def _have_tag(found: list[Case]) -> bool:
    """Return whether objects have a member whose constants tell them apart."""
    members = [case.get("properties", {}) for case in found]
    for key in members[0] if members else ():
        tags = [_constants(each.get(key)) for each in members]
        required = all(key in case.get("required", ()) for case in found)
        if required and all(tags) and sum(map(len, tags)) == len(frozenset().union(*tags)):
            return True
    return False


def _constants(part: Node | None) -> frozenset[Any]:
    if not isinstance(part, dict):
        return frozenset()
    return frozenset(map(frozen, part.get("enum", [part["const"]] if "const" in part else ())))
