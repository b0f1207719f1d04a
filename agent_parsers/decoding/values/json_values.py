"""Values in JSON, by the JSON Schema of a tool or of any kind.

Members of objects stand in the order of the schema, which is that of `render`. What a grammar
cannot say, such as ``pattern``, is refused, because a model that keeps to the grammar must not fail
the check of the tool.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.decoding.texts.charsets import chars
from agent_parsers.decoding.tree.nodes import (
    NOTHING,
    Chars,
    Repeat,
    Rule,
    Text,
    choice,
    optional,
    sequence,
)
from agent_parsers.decoding.tree.problems import GrammarError
from agent_parsers.decoding.values.members import in_order
from agent_parsers.decoding.values.numbers import integer, number

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.decoding.tree.nodes import Node
    from agent_parsers.decoding.values.strings import Strings
    from agent_parsers.toolset.schemas.schema import Schema

__all__ = ["JsonValues", "words"]

_UNSAID: Final = (
    "pattern", "not", "if", "patternProperties", "propertyNames", "minProperties", "maxProperties",
    "dependentRequired", "uniqueItems", "contains",
)  # fmt: skip
"""Keywords that the check of a tool enforces and a grammar cannot say."""
_INDENT: Final = 40
_SPACE: Final = optional(sequence(" "))
_BLANK: Final = optional(choice([" ", sequence("\n", Repeat(Chars(chars(" \t")), 0, _INDENT))]))
"""White space as programs write it; with any of it, some models write nothing else."""
_KINDS: Final = ("object", "array", "string", "number", "boolean", "null")


def words(value: Any) -> str:
    """Return *value* in JSON as `render` writes it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


class JsonValues:
    """Makes the values of tools; those with a name are added to `rules`.

    Args:
        rules: Collects the parts with names.
        name: Begins the names of the parts.
        strings: What may stand in strings.
        constants: How null, true and false are written.
    """

    def __init__(
        self,
        rules: dict[str, Node],
        name: str,
        strings: Strings,
        constants: tuple[str, str, str] = ("null", "true", "false"),
    ) -> None:
        self._rules = rules
        self._name = name
        self._strings = strings
        self._constants = constants
        self._refs: dict[tuple[str, str], str] = {}

    @property
    def string(self) -> Node:
        """Any string."""
        return Rule(self._add("string", lambda: sequence('"', Text(self._strings.text), '"')))

    @property
    def any_object(self) -> Node:
        """Any object."""
        return self._any("object")

    def _any(self, kind: str = "value") -> Node:
        """Return any value of a *kind*."""
        if kind == "value":
            return Rule(self._add(kind, lambda: choice(map(self._any, _KINDS))))
        if kind == "object":
            return Rule(self._add(kind, self._any_members))
        if kind == "array":
            return Rule(self._add(kind, lambda: self._row("[", [self._any()], "]", 0, None)))
        if kind == "string":
            return self.string
        null, *truths = self._constants
        if kind == "null":
            return sequence(null)
        return choice(truths) if kind == "boolean" else number({})

    def _any_members(self) -> Node:
        member = sequence(self.string, ":", self._ws, self._any())
        return self._row("{", [member], "}", 0, None)

    def _add(self, name: str, make: Callable[[], Node]) -> str:
        """Add a part under a *name*, if there is none, and return its whole name."""
        whole = f"{self._name}-{name}"
        if whole not in self._rules:
            self._rules[whole] = NOTHING  # the part may contain itself
            self._rules[whole] = make()
        return whole

    def _row(
        self, opens: str, items: list[Node], closes: str, least: int, most: int | None
    ) -> Node:
        """Return a list in brackets: *items*, of which the last may be repeated."""
        *first, last = items
        if most == 0:
            return sequence(opens, self._ws, closes)
        count = len(first)
        comma = sequence(",", self._ws)
        more = Repeat(sequence(comma, last), max(least - 1 - count, 0), _less(most, count + 1))
        inner = sequence(*(part for each in first for part in (each, comma)), last, more)
        whole = sequence(opens, self._ws, inner, self._ws, closes)
        return whole if least else choice([whole, sequence(opens, self._ws, closes)])

    def value(self, schema: Schema, node: Any) -> Node:
        """Return the values that *node*, a part of *schema*, allows.

        Raises:
            GrammarError: The schema has something that a grammar cannot say.
        """
        if isinstance(node, dict) and "$ref" in node:
            key = (words(schema.root), node["$ref"])
            if key not in self._refs:
                self._refs[key] = f"{self._name}-ref-{len(self._refs) + 1}"
                self._rules[self._refs[key]] = self._value(schema, node)
            return Rule(self._refs[key])
        return self._value(schema, node)

    def _value(self, schema: Schema, node: Any) -> Node:
        if isinstance(node, bool):
            if not node:
                raise GrammarError("a grammar cannot say that there is no value")
            return self._any()
        flat = schema.flat(node)
        for keyword in _UNSAID:
            if flat.get(keyword, False) is not False:
                raise GrammarError(f"a grammar cannot say {keyword!r}")
        if "enum" in flat or "const" in flat:
            allowed = flat["enum"] if "enum" in flat else [flat["const"]]
            return choice(self._literal(value) for value in allowed)
        for keyword in ("anyOf", "oneOf"):
            if keyword in flat:
                if keyword == "oneOf" and not _differ(schema, flat[keyword]):
                    raise GrammarError("a grammar cannot say that just one part of 'oneOf' fits")
                return choice(self.value(schema, part) for part in flat[keyword])
        kinds = flat.get("type", "object" if "properties" in flat else None)
        if kinds is None:
            return self._any()
        named = [kinds] if isinstance(kinds, str) else kinds
        return choice(self._of_kind(schema, flat, kind) for kind in named)

    def _of_kind(self, schema: Schema, flat: dict[str, Any], kind: str) -> Node:
        match kind:
            case "object":
                return self._object(schema, flat)
            case "array":
                return self._array(schema, flat)
            case "string":
                return self._string(flat)
            case "integer":
                return integer(flat)
            case "number":
                return number(flat)
            case _:
                return self._any(kind)

    def _object(self, schema: Schema, flat: dict[str, Any]) -> Node:
        properties, more = flat.get("properties", {}), flat.get("additionalProperties")
        required = flat.get("required", ())
        if missing := [key for key in required if key not in properties]:
            raise GrammarError(f"the required keys {missing} are no properties of the schema")
        if not properties:
            if more is False or (more is None and "properties" in flat):
                return sequence("{", self._ws, "}")
            member = sequence(
                self.string, ":", self._ws, self.value(schema, True if more is None else more)
            )
            return self._row("{", [member], "}", 0, None)
        parts = [
            (
                sequence(self._literal(key), ":", self._ws, self.value(schema, part)),
                key in required,
            )
            for key, part in properties.items()
            if part is not False
        ]
        members, may_be_empty = in_order(parts, sequence(",", self._ws))
        whole = sequence("{", self._ws, members, self._ws, "}")
        return choice([whole, sequence("{", self._ws, "}")]) if may_be_empty else whole

    @property
    def _ws(self) -> Node:
        if self._strings.may_hold("\n"):
            self._rules.setdefault("ws", _BLANK)
            return Rule("ws")
        self._rules.setdefault("space", _SPACE)
        return Rule("space")

    def _array(self, schema: Schema, flat: dict[str, Any]) -> Node:
        first, rest = flat.get("prefixItems", ()), flat.get("items", True)
        if isinstance(rest, list):  # as in drafts before 2020-12
            first, rest = rest, flat.get("additionalItems", True)
        items = [self.value(schema, part) for part in first]
        least, most = int(flat.get("minItems", 0)), flat.get("maxItems")
        if rest is not False and (most is None or most > len(items)):
            items.append(self.value(schema, rest))
        elif items and least < len(items):
            least = len(items)  # shorter lists are left out
        most = None if most is None else int(most)
        if not items:
            return sequence("[", self._ws, "]")
        return self._row("[", items, "]", max(least, len(first)), most)

    def _string(self, flat: dict[str, Any]) -> Node:
        body = self._strings.body(flat)
        return self.string if isinstance(body, Text) else sequence('"', body, '"')

    def _literal(self, value: Any) -> Node:
        if value is None or isinstance(value, bool):
            null, true, false = self._constants
            return sequence(null if value is None else true if value else false)
        written = words(value)
        self._strings.check(written)
        return sequence(written)


def _less(most: int | None, count: int) -> int | None:
    return None if most is None else most - count


def _differ(schema: Schema, parts: list[Any]) -> bool:
    """Return whether no value can fit two of *parts*, as their types or constants show."""
    signs = [set(_signs(schema.flat(part))) for part in parts]
    return all(
        signs[a] & signs[b] == set() and bool(signs[a]) and bool(signs[b])
        for a in range(len(parts))
        for b in range(a)
    ) or _have_tag(schema, parts)


def _signs(flat: dict[str, Any]) -> Iterator[str]:
    kinds = flat.get("type", ())
    for kind in [kinds] if isinstance(kinds, str) else kinds:
        yield "number" if kind == "integer" else kind


def _have_tag(schema: Schema, parts: list[Any]) -> bool:
    """Return whether objects have a member whose constants tell them apart."""
    members = [schema.flat(part).get("properties", {}) for part in parts]
    for key in members[0] if members else ():
        tags = [
            frozenset(map(words, flat.get("enum", [flat["const"]] if "const" in flat else ())))
            for flat in (schema.flat(each.get(key, {})) for each in members)
        ]
        required = all(key in schema.flat(part).get("required", ()) for part in parts)
        if required and all(tags) and sum(map(len, tags)) == len(frozenset().union(*tags)):
            return True
    return False
