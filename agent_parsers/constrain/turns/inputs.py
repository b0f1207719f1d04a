"""The calls of tools with their inputs, as parts of the grammar of a turn."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.constrain.parts.automaton import (
    ANY,
    SPACES,
    Automaton,
    chars,
    intersection,
    minus,
)
from agent_parsers.constrain.parts.slots import Slot, tokens
from agent_parsers.constrain.parts.tree import (
    JSON,
    GrammarError,
    Notes,
    NoValue,
    Text,
    begun_alike,
    choice,
    sequence,
)
from agent_parsers.constrain.turns.shapes import ANY_TOOL
from agent_parsers.constrain.values.cases import Case, cases, of_types, without_texts
from agent_parsers.constrain.values.elements import Elements
from agent_parsers.constrain.values.members import declared, in_order
from agent_parsers.constrain.values.strings import JSON_ESCAPES, Strings, constants
from agent_parsers.toolset.schemas.plain import lone_key

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.markless import CountingMarks, Place
    from agent_parsers.constrain.parts.tree import Node
    from agent_parsers.constrain.turns.shapes import Parameters, Shapes, ToolShape
    from agent_parsers.constrain.turns.texts import Texts
    from agent_parsers.constrain.values.json_values import JsonValues
    from agent_parsers.toolset import ToolSet
    from agent_parsers.toolset.schemas.schema import Schema


class TaggedCall:
    """Makes the grammar of calls to one tool, given how its parameters are *spelt*."""

    def __init__(
        self, schema: Schema, spelt: Parameters, shapes: Shapes, texts: Texts, notes: Notes
    ) -> None:
        self._schema = schema
        self._spelt = spelt
        self._shapes = shapes
        self._texts = texts
        self._notes = notes

    def node(self) -> Node:
        """Return the grammar of a call.

        Raises:
            NoValue: No input for the tool can be written.
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
            raise NoValue("no input fits the schema")
        return choice(options)

    def _parameter(self, key: str, part: Any) -> Node:
        """Return a parameter with its value."""
        options: list[Node] = []
        problems: dict[str, str] = {}
        if not self._shapes.spells(ANY_TOOL, key):
            raise NoValue("the dialect writes the parameter's name with escapes")
        for case in cases(self._schema, part, self._notes):
            kind = case.get("type", "enum" if case else "string")
            try:
                options += self._written(key, case)
            except NoValue as error:
                problems[kind] = str(error)
        if not options:
            raise NoValue(next(iter(problems.values()), "no value fits the schema"))
        for kind, problem in problems.items():
            self._notes.add("enum" if kind == "enum" else "type", f"{kind}: {problem}")
        return sequence(key, choice(options))

    def _written(self, key: str, case: Case) -> Iterator[Node]:
        """Yield the values of *case* with the marks around them."""
        if "enum" in case or case.get("type", "string") == "string":
            equals, after = self._around(self._spelt.text, key, "string")
            yield from (sequence(equals, each, after) for each in self._text(case, after))
        others = without_texts(case) if case else case
        for kind, each in self._of_types(others):
            equals, after = self._around(self._spelt.other, key, kind)
            yield sequence(equals, self._other(each), after)

    def _around(self, marks: tuple[str, str], key: str, kind: str) -> tuple[str, str]:
        """Return the *marks* around the value of a parameter, which is of this *kind*."""
        named = self._shapes.type_name(kind) if Slot.TYPE in marks[0] else ""
        before, after = (each.replace(Slot.KEY, key).replace(Slot.TYPE, named) for each in marks)
        return before, after

    def _of_types(self, case: Case | None) -> Iterator[tuple[str, Case]]:
        """Yield the values of *case*, none of which is a text, and of which type they are.

        If the marks around a value do not name its type, they are not told apart.
        """
        if case is None:
            return
        if Slot.TYPE not in self._spelt.other[0]:
            yield "", case
        else:
            yield from (each for each in of_types(case) if each[0] != "string")

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


# -- all calls -------------------------------------------------------------------------------------

NOT_BLANK: Final = Automaton(
    (((minus(ANY, SPACES), 1), (SPACES, 0)), ((ANY, 1),)), 0, frozenset([1])
)
"""Texts of more than white space."""
_BEGINS: Final = minus(minus(ANY, SPACES), chars("{[(}]),;\"'`*_<\\\ufeff\u200b\u2060"))
PLAIN_TEXT: Final = Automaton((((_BEGINS, 1),), ((ANY, 1),)), 0, frozenset([1]))
"""Texts that are sure to be read as the value of the only parameter, not as an object."""


class Inputs:
    """Makes the grammar of calls to *tools*, or to any; inputs without a schema may be anything."""

    def __init__(
        self,
        tools: ToolSet | None,
        shapes: Shapes,
        marks: CountingMarks,
        texts: Texts,
        notes: Notes,
    ) -> None:
        self._tools = tools
        self._shapes = shapes
        self._marks = marks
        self._notes = notes
        self._texts = texts
        self._known: dict[str | None, ToolShape] = {}
        self._schemas: dict[str, Schema | None] = {}

    def shape(self, tool: str | None) -> ToolShape:
        """Return how calls to *tool* are written."""
        if tool not in self._known:
            self._known[tool] = self._shapes.of_tool(tool)
        return self._known[tool]

    def _schema(self, tool: str | None) -> Schema | None:
        if self._tools is None or tool is None:
            return None
        if tool not in self._schemas:
            self._schemas[tool] = self._tools[tool].schema()
        return self._schemas[tool]

    def any_of(self, calls: Iterable[tuple[str | None, Callable[[], Node]]]) -> Node:
        """Return a choice between *calls*: pairs of a tool's name and a function that makes a call.

        Tools that cannot be called are dropped, with a note.

        Raises:
            GrammarError: No tool is left.
        """
        options, problem = [], ""
        for tool, make in calls:
            with self._notes.of_tool(tool):
                try:
                    options.append(make())
                except NoValue as error:
                    problem = str(error)
                    self._notes.add("", problem)
        if not options:
            raise GrammarError(problem)
        return begun_alike(options)

    # -- turns of one call -------------------------------------------------------------------------

    def rest(self, tool: str | None, rest: str, place: Place) -> Node:
        """Return the *rest* of a turn with one call to *tool*; the rest begins at *place*."""
        if Slot.KEY in rest:
            return self.call(tool)
        before, slot, after = re.split(f"([{Slot.INPUT}{Slot.TEXT}])", rest, maxsplit=1)
        place = self._marks.follow(place, before.replace(Slot.TOOL, "tool"))
        made = self._raw(tool, place, after) if slot == Slot.TEXT else self._json(tool, place)
        return sequence(*tokens(before), made, *tokens(after))

    def _raw(self, tool: str | None, place: Place, after: str) -> Node:
        """Return the inputs of *tool* where text stands as it is."""
        schema = self._schema(tool)
        if schema is None:
            return Text(intersection(self._texts.any_input(place, after), NOT_BLANK).smallest)
        whole, inner = self._texts.raw(place, after)
        values = self._texts.values(inner)
        return choice([values.value(schema, schema.root), *self._lone(schema, whole, values)])

    def _json(self, tool: str | None, place: Place) -> Node:
        """Return the inputs of *tool* where JSON stands."""
        strings = self._texts.quoted(JSON_ESCAPES)
        if not self._marks.is_call(place):  # readers of calls know what a string is
            within = self._marks.text(self._marks.fresh(place.state)).smallest
            strings = Strings(within, JSON_ESCAPES, self._marks.barred(place.state))
        values, schema = self._texts.values(strings), self._schema(tool)
        takes_texts = self._shapes.takes_texts
        if schema is None:
            return choice([values.any_object, *([values.string] if takes_texts else [])])
        options = [values.value(schema, schema.root)]
        if takes_texts:
            options += (sequence('"', each, '"') for each in self._lone(schema, strings, None))
        return choice(options)

    def answer(self, schema: Schema, place: Place, after: str, *, quoted: bool) -> Node:
        """Return the answers that fit *schema*, at *place* and before *after*.

        With *quoted*, texts are written as JSON strings.
        """
        if quoted:
            return self._texts.values(self._texts.quoted(JSON_ESCAPES)).value(schema, schema.root)
        whole, inner = self._texts.raw(place, after)
        values = self._texts.values(inner, JSON)
        found = cases(schema, schema.root, self._notes)
        return self._options(found, whole, schema, values, values, self._notes)

    def _lone(self, schema: Schema, strings: Strings, lists: JsonValues | None) -> Iterator[Node]:
        """Yield the values of the only parameter, written without its name.

        The maker of *lists* is `None` if they cannot be written.
        """
        key = lone_key(schema.flat(schema.root))
        roots = cases(schema, schema.root, self._notes)
        if key is None or len(roots) != 1 or roots[0].get("minProperties", 0) > 1:
            return
        if not {*roots[0].get("required", ())} <= {key}:
            return
        part = roots[0].get("properties", {}).get(key, False)
        with self._notes.below(f".{key}"), suppress(NoValue):  # which are noted with its name
            found = [each for each in cases(schema, part, Notes()) if not _is_object(each)]
            values = self._texts.values(strings)
            yield self._options(found, strings, schema, values, lists, Notes())

    def _options(
        self,
        found: list[Case],
        texts: Strings,
        schema: Schema,
        values: JsonValues,
        lists: JsonValues | None,
        notes: Notes,
    ) -> Node:
        """Return the values of the cases *found*, of which texts stand as they are.

        *values* makes numbers and constants; *lists*, which makes lists and objects, is `None` if
        they cannot be written.
        """
        options: list[Node] = []
        for case in found:
            kind, others = case.get("type", "string"), without_texts(case)
            with suppress(NoValue):
                if "enum" in case:
                    options += constants(case, [("", texts, "")], notes)
                elif kind == "string":
                    options.append(texts.body(case, notes, PLAIN_TEXT, _BEGINS))
                if others is not None:
                    maker = lists if kind in ("array", "object") else values
                    options += [maker.one_of(schema, [others])] if maker is not None else []
        if not options:
            raise NoValue("no value fits the schema")
        return choice(options)

    # -- calls in turns of several -----------------------------------------------------------------

    def call(self, tool: str | None) -> Node:
        """Return one call to *tool*, without the marks around all calls."""
        shape, schema = self.shape(tool), self._schema(tool)
        if shape.parameters is not None:
            if schema is None:
                which = "a tool" if tool is None else f"the tool {tool!r}"
                raise GrammarError(
                    f"{which} has no schema, without which a grammar cannot stop a parameter from "
                    "being repeated"
                )
            call = TaggedCall(schema, shape.parameters, self._shapes, self._texts, self._notes)
            return call.node()
        before, after = shape.call.split(Slot.INPUT)
        values = self._texts.values(self._texts.quoted(JSON_ESCAPES))
        made = values.any_object if schema is None else values.value(schema, schema.root)
        return sequence(*tokens(before), made, *tokens(after))


def _is_object(case: Case) -> bool:
    return case.get("type") == "object" or any(
        isinstance(each, dict) for each in case.get("enum", ())
    )
