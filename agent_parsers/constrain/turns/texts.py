"""What may stand in the inputs of tools, and what makes values of it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.constrain.parts.automaton import Automaton, Charset, chars, intersection, union
from agent_parsers.constrain.parts.cautious import nothing_like_labels, nothing_like_tags
from agent_parsers.constrain.parts.markless import CountingMarks, Place, no_objects, text_without
from agent_parsers.constrain.parts.tree import TypedNotation
from agent_parsers.constrain.values.elements import Elements, TypedElements
from agent_parsers.constrain.values.json_values import JsonValues
from agent_parsers.constrain.values.strings import JSON_ESCAPES, Strings

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Node, Notation, Notes
    from agent_parsers.constrain.turns.shapes import Shapes

_PYTHON_ESCAPES: Final = JSON_ESCAPES.replace("/", "")


class Texts:
    """Knows which texts are allowed in each place of a turn.

    *rules* collects the parts with names, *notes* what is left out of the schemas. A *brief*
    grammar is short, even if it allows a little that is misread.
    """

    def __init__(
        self,
        shapes: Shapes,
        marks: CountingMarks,
        rules: dict[str, Node],
        notes: Notes,
        *,
        brief: bool = False,
    ) -> None:
        self._is_brief = brief
        self._shapes = shapes
        self._marks = marks
        self._rules = rules
        self._notes = notes
        self._made: dict[tuple[Automaton, Notation], JsonValues] = {}

    def bare(self, place: Place, after: str) -> Automaton:
        """Return the texts that are allowed at *place* if *after* follows."""
        made = self._marks.text(place, after)
        if after.strip():
            made = intersection(made, text_without(self._closers(after), after))
        return made.smallest

    def bare_input(self, place: Place, after: str) -> Automaton:
        """Return the inputs in text that are allowed at *place* if *after* follows."""
        bare = intersection(self.bare(place, after), text_without(("```",))).smallest
        if self._is_brief or self._shapes.own_tool:
            return bare
        return intersection(bare, nothing_like_labels(self._marks.dialect)).smallest

    def any_input(self, place: Place, after: str) -> Automaton:
        """Return the inputs of any tool: those of `bare_input` that do not begin like JSON."""
        return intersection(self.bare_input(place, after), no_objects()).smallest

    def raw(self, place: Place, after: str) -> tuple[Strings, Strings]:
        """Return the texts that are allowed at *place*, bare and in JSON, if *after* follows."""
        bare = self.bare_input(place, after)
        inner = self._marks.in_json(place.state, after)
        if after.strip():
            inner = intersection(inner, text_without(self._closers(after), after))
        if self._shapes.own_tool:  # any label ends a question
            unlike = nothing_like_labels(self._marks.dialect, anywhere=True)
            inner, bare = intersection(inner, unlike), intersection(bare, unlike).smallest
        barred = self._marks.barred(place.state)
        if after.strip():
            barred = union([barred, last_chars(self._closers(after))])
        in_json = Strings(inner.smallest, JSON_ESCAPES, barred)
        return Strings(bare, "", barred), in_json

    def in_tags(self, after: str, escapes: str = "") -> Strings:
        """Return what is allowed before *after*, in a text parameter or in strings of another."""
        if self._shapes.quotes_values:
            return self.quoted(_PYTHON_ESCAPES)
        found = [
            *self._closers(after),
            *self._shapes.tags,
            *self._marks.stop,
            self._shapes.enclosing[0],
        ]
        closers = tuple(dict.fromkeys(filter(None, found)))
        made = intersection(text_without(closers, after), nothing_like_tags(self._marks.dialect))
        return Strings(made.smallest, escapes, last_chars(closers))

    @property
    def enclosed(self) -> Strings:
        """What is allowed between the marks around a value of several lines."""
        closes = self._shapes.enclosing[1]
        ends = (closes, *self._marks.stop)
        return Strings(text_without(ends, closes), "", last_chars(ends))

    def _closers(self, after: str) -> tuple[str, ...]:
        """Return texts that a value may not contain if *after* follows it."""
        text = after.strip()
        closer = text[: text.find(">") + 1]
        closers = [closer] if closer else [text[:1], "\n"] if text else []  # such as a bracket
        return tuple(dict.fromkeys([*closers, *self._marks.literals, *self._marks.after(text)]))

    def quoted(self, escapes: str) -> Strings:
        """Return what is allowed in quotes."""
        return Strings(self._marks.quoted, escapes, last_chars(self._marks.stop))

    def values(self, strings: Strings, notation: Notation | None = None) -> JsonValues:
        """Return the `JsonValues` with these *strings*, by default in the dialect's notation."""
        notation = notation or self._shapes.notation
        key = strings.text, notation
        if key not in self._made:
            name = f"json{len(self._made) + 1}" if self._made else "json"
            is_typed = isinstance(notation, TypedNotation)
            make = TypedElements if is_typed else Elements if notation.item else JsonValues
            self._made[key] = make(self._rules, name, strings, self._notes, notation)
        return self._made[key]


def last_chars(parts: tuple[str, ...]) -> Charset:
    """Return characters such that each of *parts* contains at least one of them."""
    return chars("".join("<" if "<" in part else part[-1] for part in parts))
