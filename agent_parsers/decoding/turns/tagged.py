"""Calls whose parameters have marks of their own."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.decoding.tree.nodes import choice, sequence
from agent_parsers.decoding.tree.problems import NoValue
from agent_parsers.decoding.turns.slots import Slot, tokens
from agent_parsers.decoding.values.cases import cases, without_texts
from agent_parsers.decoding.values.elements import Elements
from agent_parsers.decoding.values.members import declared, in_order
from agent_parsers.decoding.values.strings import JSON_ESCAPES, constants

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.decoding.tree.nodes import Node
    from agent_parsers.decoding.tree.notes import Notes
    from agent_parsers.decoding.turns.shapes import Parameters, Shapes
    from agent_parsers.decoding.turns.texts import Texts
    from agent_parsers.decoding.values.cases import Case
    from agent_parsers.toolset.schemas.schema import Schema

__all__ = ["TaggedCall"]


class TaggedCall:
    """Makes the calls of one tool.

    Args:
        schema: The schema of its input.
        spelt: How its parameters are spelt.
        shapes: How the dialect spells its turns.
        texts: What may stand in values.
        notes: Collects what is left out of the schema.
    """

    def __init__(
        self, schema: Schema, spelt: Parameters, shapes: Shapes, texts: Texts, notes: Notes
    ) -> None:
        self._schema = schema
        self._spelt = spelt
        self._shapes = shapes
        self._texts = texts
        self._notes = notes

    def node(self) -> Node:
        """Return a call.

        Raises:
            NoValue: The tool has no input that can be written.
        """
        schema, spelt = self._schema, self._spelt
        none = sequence(*tokens(spelt.none))
        options: list[Node] = []
        for case in cases(schema, schema.root, self._notes):
            found = declared(schema, case, self._parameter, self._notes)
            if self._shapes.notation.sorts:
                found.sort(key=lambda member: member[0].lower())
            parts = [(made, is_required) for _, made, is_required in found]
            made, may_be_empty = in_order(parts, sequence(spelt.between))
            if parts:
                options.append(sequence(*tokens(spelt.opens), made, *tokens(spelt.closes)))
            if may_be_empty and not case.get("minProperties"):
                options.append(none)
        if not options:
            raise NoValue("no input fits")
        return choice(options)

    def _parameter(self, key: str, part: Any) -> Node:
        """Return a parameter with its value."""
        options: list[Node] = []
        problems: dict[str, str] = {}
        for case in cases(self._schema, part, self._notes):
            kind = case.get("type", "enum" if case else "string")
            try:
                options += self._written(key, case)
            except NoValue as error:
                problems[kind] = str(error)
        if not options:
            raise NoValue(next(iter(problems.values()), "no value fits"))
        for kind, problem in problems.items():
            self._notes.add("enum" if kind == "enum" else "type", f"{kind}: {problem}")
        return sequence(key, choice(options))

    def _written(self, key: str, case: Case) -> Iterator[Node]:
        """Yield the values of *case* with the marks around them."""
        if "enum" in case or case.get("type", "string") == "string":
            equals, after = (text.replace(Slot.KEY, key) for text in self._spelt.text)
            yield from (sequence(equals, each, after) for each in self._text(case, after))
        others = without_texts(case) if case else case
        if others is not None:
            equals, after = (text.replace(Slot.KEY, key) for text in self._spelt.other)
            yield sequence(equals, self._other(others), after)

    def _text(self, case: Case, after: str) -> Iterator[Node]:
        """Yield the texts of *case*, as they are or enclosed in marks."""
        opens, closes = self._shapes.enclosing
        ways = [("", self._texts.in_tags(after), "")]
        ways += [(opens, self._texts.enclosed, closes)] if opens else []
        if "enum" in case:
            yield from constants(case, ways, self._notes)
            return
        problem: NoValue | None = None
        made = []
        for before, strings, behind in ways:
            try:
                made.append(sequence(before, strings.body(case, self._notes), behind))
            except NoValue as error:
                problem = error
        if problem is not None and not made:
            raise problem
        yield from made

    def _other(self, case: Case) -> Node:
        """Return the values of *case*, none of which is a text."""
        notation, texts = self._shapes.notation, self._texts
        if notation.item:
            values = texts.values(texts.in_tags(self._spelt.text[1]))
            assert isinstance(values, Elements), "the dialect writes elements"
            return values.whole(self._schema, case)
        escapes, after = (JSON_ESCAPES, "") if notation.is_json else ("", notation.quote)
        return texts.values(texts.in_tags(after, escapes)).one_of(self._schema, [case])
