"""Values in JSON and in notations like it, by the JSON Schema of a tool or of any kind.

Members of objects stand in the order of the schema, which is that of `render`. What a grammar
cannot say is left out and noted: the check of the tool still knows it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.constrain.parts.automaton import chars, intersection, union
from agent_parsers.constrain.parts.markless import text_without
from agent_parsers.constrain.parts.tree import (
    JSON,
    NOTHING,
    Chars,
    Choice,
    GrammarError,
    NoValue,
    Repeat,
    Rule,
    Sequence,
    Text,
    choice,
    optional,
    repeat,
    sequence,
)
from agent_parsers.constrain.values.cases import Case, cases
from agent_parsers.constrain.values.members import declared, in_order
from agent_parsers.constrain.values.numbers import integer, number
from agent_parsers.constrain.values.patterns import of_pattern
from agent_parsers.constrain.values.strings import Strings, count_of
from agent_parsers.forms.form import write_json
from agent_parsers.toolset.schemas.plain import SAYING_NOTHING

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Node, Notation, Notes
    from agent_parsers.toolset.schemas.schema import Schema

_INDENT: Final = 40
_SPACE: Final = optional(sequence(" "))
_BLANK: Final = optional(choice([" ", sequence("\n", Repeat(Chars(chars(" \t")), 0, _INDENT))]))
"""White space as programs write it; with any of it, some models write nothing else."""
_KINDS: Final = ("object", "array", "string", "number", "boolean", "null")
_LETTERS: Final = union([chars("_"), ((65, 90), (97, 122))])
_BARE_KEY: Final = sequence(
    Chars(_LETTERS), Repeat(Chars(union([_LETTERS, chars("0123456789")])), 0, 63)
)


_OF_PARTS: Final = frozenset({"$ref", "allOf", "anyOf", "oneOf"})
"""Keywords of parts that may stand in several places, and in themselves."""


@dataclass(slots=True)
class _Part:
    """A part of a schema that may stand in several places."""

    node: Any
    """The part; it is kept, so that nothing else has its id."""
    made: Node = NOTHING
    """Its values, once they are made."""
    name: str = ""
    """The name of its rule, if it stands in a second place."""


_PartKey: TypeAlias = "tuple[Schema, str | int]"


class JsonValues:
    """Makes the grammar of JSON-like values, written in a *notation*.

    Named parts, whose names begin with *name*, are added to *rules*; what is left out, to *notes*.
    """

    def __init__(
        self,
        rules: dict[str, Node],
        name: str,
        strings: Strings,
        notes: Notes,
        notation: Notation = JSON,
    ) -> None:
        self._rules = rules
        self._name = name
        self._strings = strings
        self._notes = notes
        self._notation = notation
        self._parts: dict[_PartKey, _Part] = {}
        self._names = 0
        self._items: dict[Node, str] = {}

    @property
    def string(self) -> Node:
        """Any string."""
        return Rule(self._add("string", lambda: self._quoted(Text(self._strings.text))))

    @property
    def any_object(self) -> Node:
        """Any object."""
        return self._any("object")

    def _quoted(self, body: Node) -> Node:
        return sequence(self._notation.quote, body, self._notation.quote)

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
        null, *truths = self._notation.constants
        if kind == "null":
            return sequence(null)
        return choice(truths) if kind == "boolean" else number({}, self._notes)

    def _any_members(self) -> Node:
        return self._row("{", [self._member(self._any_key, self._any())], "}", 0, None)

    @property
    def _any_key(self) -> Node:
        """Any key; a mark in it might end a call in which the string before has no end."""
        if not self._notation.is_json:
            return _BARE_KEY

        def key() -> Node:
            made = intersection(self._strings.text, text_without(("<",))).smallest
            return self._quoted(Text(made))

        return Rule(self._add("key", key))

    def _member(self, key: Node, value: Node) -> Node:
        return sequence(key, ":", self._ws, value)

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
        last = self._shared(last)
        count = len(items)
        comma = sequence(",", self._ws)
        most = None if most is None else most - count
        more = repeat(sequence(comma, last), max(least - count, 0), most)
        inner = sequence(*(part for each in first for part in (each, comma)), last, more)
        whole = sequence(opens, self._ws, inner, self._ws, closes)
        return whole if least else choice([whole, sequence(opens, self._ws, closes)])

    def _shared(self, node: Node) -> Node:
        """Return *node*, as a part with a name if it has parts: lists have it twice."""
        if not isinstance(node, Sequence | Choice):
            return node
        name = self._items.setdefault(node, f"{self._name}-item-{len(self._items) + 1}")
        self._rules[name] = node
        return Rule(name)

    @property
    def _ws(self) -> Node:
        if not self._notation.is_json:
            return NOTHING
        name, blank = ("ws", _BLANK) if self._strings.may_hold("\n") else ("space", _SPACE)
        self._rules.setdefault(name, blank)
        return Rule(name)

    def value(self, schema: Schema, node: Any) -> Node:
        """Return the values that *node*, a part of *schema*, allows.

        Raises:
            NoValue: No value can be written.
        """
        if not isinstance(node, dict) or node.keys().isdisjoint(_OF_PARTS):
            return self._value(schema, node)
        key: _PartKey = (schema, id(node))
        if is_reference := node.keys() - SAYING_NOTHING == {"$ref"}:
            key = (schema, node["$ref"])
        if (part := self._parts.get(key)) is None:
            rules, parts = {**self._rules}, {**self._parts}
            self._parts[key] = part = _Part(node)
            try:
                part.made = self._value(schema, node)
            except NoValue:  # neither is there what refers to it
                self._rules.clear()
                self._rules.update(rules)
                self._parts = parts
                raise
            if not (part.name or is_reference):
                return part.made
        if not part.name:
            self._names += 1
            part.name = f"{self._name}-ref-{self._names}"
        self._rules[part.name] = part.made
        return Rule(part.name)

    def _value(self, schema: Schema, node: Any) -> Node:
        return self.one_of(schema, cases(schema, node, self._notes))

    def one_of(self, schema: Schema, found: list[Case]) -> Node:
        """Return the values of any of the cases that were *found* in a *schema*.

        Raises:
            NoValue: No value can be written.
        """
        made: list[Node] = []
        problem = "no value fits the schema"
        for case in found:
            try:
                made.append(self._case(schema, case))
            except NoValue as error:
                problem = str(error)
                kind = case.get("type", "enum")
                if len(found) > 1:
                    self._notes.add("enum" if kind == "enum" else "type", f"{kind}: {problem}")
        if not made:
            raise NoValue(problem)
        return choice(made)

    def _case(self, schema: Schema, case: Case) -> Node:
        if "enum" in case:
            return self._constants(case["enum"])
        match case.get("type"):
            case None:
                return self._any()
            case "object":
                return self._object(schema, case)
            case "array":
                return self._array(schema, case)
            case "string":
                return self._string(case)
            case "integer":
                return integer(case, self._notes)
            case "number":
                return number(case, self._notes)
            case kind:
                return self._any(kind)

    # -- objects -----------------------------------------------------------------------------------

    def _object(self, schema: Schema, case: Case) -> Node:
        if not case.get("properties") and not case.get("required"):
            return self._map(schema, case)
        found = declared(
            schema,
            case,
            lambda key, part: self._member(self._key(key), self.value(schema, part)),
            self._notes,
        )
        if self._notation.sorts:
            found.sort(key=lambda member: member[0].lower())
        parts = [(made, is_required) for _, made, is_required in found]
        empty = sequence("{", self._ws, "}")
        if not parts:
            return empty
        members, may_be_empty = in_order(parts, sequence(",", self._ws))
        whole = sequence("{", self._ws, members, self._ws, "}")
        return choice([whole, empty]) if may_be_empty and not case.get("minProperties") else whole

    def _key(self, key: str) -> Node:
        return self._literal(key) if self._notation.is_json else sequence(key)

    def _map(self, schema: Schema, case: Case) -> Node:
        """Return objects of which no member is declared."""
        more = case.get("additionalProperties", "properties" not in case)
        least = count_of(case, "minProperties", self._notes) or 0
        most = count_of(case, "maxProperties", self._notes)
        members = [*self._by_pattern(schema, case)]
        if not case.get("patternProperties") and more is not False:
            with self._notes.below(".*"):
                members = [self._member(self._key_of(schema, case), self.value(schema, more))]
        elif more is not False:
            self._notes.add(
                "additionalProperties",
                "a grammar cannot recognise keys that match none of the patterns",
            )
        if members:
            return self._row("{", [choice(members)], "}", least, most)
        if least:
            raise NoValue("the schema requires members in an object, but allows none")
        return sequence("{", self._ws, "}")

    def _by_pattern(self, schema: Schema, case: Case) -> Iterator[Node]:
        patterns = case.get("patternProperties", {})
        if not self._notation.is_json and patterns:
            self._notes.add("patternProperties", "a grammar cannot restrict keys without quotes")
            return
        made = []
        for pattern, part in patterns.items():
            if part is False:
                continue
            try:
                made.append(of_pattern(pattern))
            except GrammarError as error:
                self._notes.add(
                    "patternProperties", f"no grammar can be made from {pattern!r}: {error}"
                )
                continue
            with self._notes.below(".*"):
                key = self._string({"pattern": (pattern,)})
                yield self._member(key, self.value(schema, part))
        if any(intersection(one, other).accepting for one, other in combinations(made, 2)):
            self._notes.add(
                "patternProperties",
                "a key may match several patterns, and a grammar can apply only one",
            )

    def _key_of(self, schema: Schema, case: Case) -> Node:
        if "propertyNames" not in case:
            return self._any_key
        if not self._notation.is_json:
            self._notes.add("propertyNames", "a grammar cannot restrict keys without quotes")
            return self._any_key
        found = [
            {"enum": [text for text in each["enum"] if isinstance(text, str)]}
            if "enum" in each
            else each
            for each in cases(schema, case["propertyNames"], self._notes)
        ]
        texts = [
            each or {"type": "string"}
            for each in found
            if each.get("type", "string") == "string" and each.get("enum") != []
        ]
        return self.one_of(schema, texts)

    # -- lists, strings and constants --------------------------------------------------------------

    def _array(self, schema: Schema, case: Case) -> Node:
        items, least, most = self._items_of(schema, case)
        if not items:
            return sequence("[", self._ws, "]")
        return self._row("[", items, "]", least, most)

    def _items_of(self, schema: Schema, case: Case) -> tuple[list[Node], int, int | None]:
        """Return the items of a list, of which the last may stand more than once; least and most.

        Raises:
            NoValue: No list of an allowed length can be written.
        """
        first, rest = case.get("prefixItems", ()), case.get("items", True)
        least = count_of(case, "minItems", self._notes) or 0
        most = count_of(case, "maxItems", self._notes)
        if case.get("uniqueItems") and (most is None or most > 1):
            self._notes.add("uniqueItems", "a grammar cannot check that the items differ")
        with self._notes.below("[]"):
            items = [self.value(schema, part) for part in first[:most]]
            count = len(items)
            if rest is not False and (most is None or most > count):
                try:
                    items.append(self.value(schema, rest))
                except NoValue:
                    most = count
            elif most is None or most > count:
                most = count
        if most is not None and most < least:
            raise NoValue("no list of an allowed length can be written")
        return items, max(least, count), most  # shorter lists than the first items are left out

    def _string(self, case: Case) -> Node:
        body = self._strings.body(case, self._notes)
        return self.string if body == Text(self._strings.text) else self._quoted(body)

    def _constants(self, values: list[Any]) -> Node:
        made, problems = [], []
        for value in values:
            try:
                made.append(self._literal(value))
            except NoValue as error:
                problems.append(str(error))
        if not made:
            raise NoValue(problems[0])
        for problem in problems:
            self._notes.add("enum", problem)
        return choice(made)

    def _literal(self, value: Any) -> Node:
        written = self._written(value)
        if self._notation.is_json:  # the texts of others have been checked without their quotes
            self._strings.check(written, value)
        return sequence(written)

    def _written(self, value: Any) -> str:
        """Return *value* as `render` writes it."""
        null, true, false = self._notation.constants
        comma, colon = (", ", ": ") if self._notation.is_json else (",", ":")
        if value is None or isinstance(value, bool):
            return null if value is None else true if value else false
        if isinstance(value, list):
            return f"[{comma.join(map(self._written, value))}]"
        if isinstance(value, dict):
            keys = sorted(value, key=str.lower) if self._notation.sorts else value
            name = self._written if self._notation.is_json else self._checked
            return f"{{{comma.join(f'{name(k)}{colon}{self._written(value[k])}' for k in keys)}}}"
        if isinstance(value, str) and not self._notation.is_json:
            return f"{self._notation.quote}{self._checked(value)}{self._notation.quote}"
        return write_json(value)

    def _checked(self, text: str) -> str:
        self._strings.check(text, text)
        return text
