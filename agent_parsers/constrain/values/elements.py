"""Values as elements: one for each member of an object or item of a list, and text for the rest."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, Final

from typing_extensions import override

from agent_parsers.constrain.parts.tree import (
    NAME,
    NOTHING,
    NoValue,
    Repeat,
    Text,
    TypedNotation,
    choice,
    optional,
    sequence,
)
from agent_parsers.constrain.values.cases import of_types
from agent_parsers.constrain.values.json_values import JsonValues
from agent_parsers.constrain.values.members import declared, in_order
from agent_parsers.constrain.values.strings import count_of
from agent_parsers.forms.form import write_value

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Node
    from agent_parsers.constrain.values.cases import Case
    from agent_parsers.toolset.schemas.schema import Schema


class Elements(JsonValues):
    """Makes values that are written as elements; empty lists and objects look like empty texts."""

    shows_empty: ClassVar[bool] = False
    """Whether an empty list or object is not the same as an empty text."""

    def whole(self, schema: Schema, case: Case) -> Node:
        """Return the values of a whole parameter, where lists and objects may be empty.

        Raises:
            NoValue: No value can be written.
        """
        least = {"array": "minItems", "object": "minProperties"}.get(case.get("type", ""), "")
        may_be_empty = bool(least) and not case.get(least) and not case.get("required")
        try:
            made = self.one_of(schema, [case])
        except NoValue as error:
            if not may_be_empty:
                raise
            self._notes.add("additionalProperties", str(error))
            return NOTHING
        return optional(made) if may_be_empty else made

    def _any(self, kind: str = "value") -> Node:
        if kind in ("object", "array"):
            raise NoValue("a grammar cannot require the same name in an opening and a closing tag")
        return Text(self._strings.text) if kind in ("value", "string") else super()._any(kind)

    def _quoted(self, body: Node) -> Node:
        return body

    def _element(self, name: str, value: Node) -> Node:
        opens, closes = (tag.replace(NAME, name) for tag in self._notation.element)
        return sequence(opens, value, closes)

    def _object(self, schema: Schema, case: Case) -> Node:
        found = declared(
            schema,
            case,
            lambda key, part: self._element(key, self.value(schema, part)),
            self._notes,
        )
        if not found and not self.shows_empty:
            return self._any("object")
        if any(key == self._notation.item for key, *_ in found):
            raise NoValue(f"a member named {self._notation.item!r} looks like an item of a list")
        members = [(made, is_required) for _, made, is_required in found]
        made, may_be_empty = in_order(members, NOTHING)
        is_whole = self.shows_empty and may_be_empty and not case.get("minProperties")
        return optional(made) if is_whole else made

    def _array(self, schema: Schema, case: Case) -> Node:
        if case.get("uniqueItems"):
            self._notes.add("uniqueItems", "a grammar cannot check that the items differ")
        if "prefixItems" in case:
            self._notes.add("prefixItems", "all items of a list are written with the same tag")
        least = count_of(case, "minItems", self._notes) or 0
        most = count_of(case, "maxItems", self._notes)
        if most is not None and most < max(least, 1):
            raise NoValue("no list of an allowed length can be written")
        with self._notes.below("[]"):
            value = self.value(schema, case.get("items", True))
        return Repeat(self._element(self._notation.item, value), max(least, 1), most)

    def _written(self, value: Any) -> str:
        if isinstance(value, list | dict):
            raise NoValue("a constant list or object cannot be written as elements")
        return write_value(value)


class TypedElements(Elements):
    """Makes values that are written as elements which state their types."""

    shows_empty = True
    _notation: TypedNotation

    @override
    def whole(self, schema: Schema, case: Case) -> Node:
        return super()._case(schema, case)  # its type stands before it

    @override
    def _case(self, schema: Schema, case: Case) -> Node:
        """Return the values of *case*, after the name of their type."""
        if case.keys().isdisjoint(("enum", "type")):
            return self._any()
        made: list[Node] = []
        problem = "no value fits the schema"
        for kind, each in of_types(case):
            try:
                made.append(self._typed(kind, super()._case(schema, each)))
            except NoValue as error:
                problem = str(error)
        if not made:
            raise NoValue(problem)
        return choice(made)

    @override
    def _any(self, kind: str = "value") -> Node:
        make = super()._any
        if kind != "value":
            return make(kind)
        # A list may have any items, but without a schema not one that is a list or an object.
        return choice([self._typed(each, make(each)) for each in _SCALARS])

    def _typed(self, kind: str, value: Node) -> Node:
        return sequence(dict(self._notation.types)[kind], self._notation.after_type, value)

    @override
    def _element(self, name: str, value: Node) -> Node:
        if not _ESCAPED.isdisjoint(name):
            raise NoValue("the dialect writes the name with escapes")
        return super()._element(name, value)

    @override
    def _array(self, schema: Schema, case: Case) -> Node:
        values, least, most = self._items_of(schema, case)
        if not values:
            return NOTHING
        *first, last = (sequence(self._notation.item, v, self._notation.element[1]) for v in values)
        count = len(first)
        return sequence(*first, Repeat(last, least - count, None if most is None else most - count))


_SCALARS: Final = ("string", "null", "boolean", "number")
_ESCAPED: Final = frozenset('&<>"')
"""The characters that are escaped in the names of elements."""
