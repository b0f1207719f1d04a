"""The calls of tools with their inputs, as parts of the grammar of a turn."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.decoding.texts.automaton import Automaton, intersection
from agent_parsers.decoding.texts.charsets import ANY, SPACES, chars, minus, union
from agent_parsers.decoding.texts.marks import text_without
from agent_parsers.decoding.tree.nodes import Chars, Repeat, Text, choice, sequence
from agent_parsers.decoding.tree.problems import GrammarError
from agent_parsers.decoding.turns.shapes import (
    ID,
    INPUT,
    JSON_CONSTANTS,
    KEY,
    NUMBER,
    SLOTS,
    TEXT,
    TOOL,
)
from agent_parsers.decoding.values.json_values import JsonValues, words
from agent_parsers.decoding.values.members import in_order
from agent_parsers.decoding.values.strings import JSON_ESCAPES, Strings
from agent_parsers.toolset.schemas.plain import lone_key

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.decoding.texts.charsets import Charset
    from agent_parsers.decoding.texts.marks import Marks, Place
    from agent_parsers.decoding.tree.nodes import Node
    from agent_parsers.decoding.turns.shapes import Calls, Parameters, Shapes
    from agent_parsers.toolset import ToolSet
    from agent_parsers.toolset.schemas.schema import Schema

__all__ = ["NOT_BLANK", "PLAIN_TEXT", "Inputs", "last_chars", "tokens"]

_ALNUM: Final = chars("0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_DIGITS: Final = Repeat(Chars(((0x30, 0x39),)), 1, 3)
_NINE: Final = Repeat(Chars(_ALNUM), 9, 9)
_NAME: Final = sequence(
    Chars(minus(_ALNUM, ((0x30, 0x39),))), Repeat(Chars(union([_ALNUM, chars("_")])), 0, 63)
)
NOT_BLANK: Final = Automaton(
    (((minus(ANY, SPACES), 1), (SPACES, 0)), ((ANY, 1),)), 0, frozenset([1])
)
"""Texts of more than white space."""
_BEGINS: Final = minus(minus(ANY, SPACES), chars("{[(}]),;\"'`*_<\\\ufeff\u200b\u2060"))
PLAIN_TEXT: Final = Automaton((((_BEGINS, 1),), ((ANY, 1),)), 0, frozenset([1]))
"""Texts that are sure to be read as the value of the only parameter, not as an object."""
_PYTHON_ESCAPES: Final = JSON_ESCAPES.replace("/", "")


def tokens(text: str) -> Iterator[Node]:
    """Yield the parts of a turn in which slots stand for names, ids and numbers."""
    before = ""
    for token in SLOTS.split(text):
        if token == NUMBER:
            yield _DIGITS
        elif token == TOOL:
            yield _NAME
        elif token == ID:
            yield _DIGITS if before.endswith(":") else _NINE
        else:
            yield sequence(token)
        before = token


def variants(schema: Schema, node: Any) -> Iterator[dict[str, Any]]:
    """Yield parts of *schema* with one type each, which allow together what *node* allows."""
    flat = schema.flat(node)
    for keyword in ("anyOf", "oneOf"):
        if keyword in flat:
            for part in flat[keyword]:
                yield from variants(schema, part)
            return
    kinds = flat.get("type")
    if isinstance(kinds, list):
        for kind in kinds:
            yield {**flat, "type": kind}
    else:
        yield flat


class Inputs:
    """Makes the calls of tools.

    Args:
        tools: The tools; `None` for any, as are inputs without a schema.
        shapes: How the dialect spells its turns.
        marks: Its markers.
        rules: Collects the parts with names.
    """

    def __init__(
        self,
        tools: ToolSet | None,
        shapes: Shapes,
        marks: Marks,
        rules: dict[str, Node],
    ) -> None:
        self._tools = tools
        self._shapes = shapes
        self._marks = marks
        self._rules = rules
        self._known: dict[str | None, Calls] = {}
        self._made: list[tuple[Strings, tuple[str, str, str], JsonValues]] = []

    def shape(self, tool: str | None) -> Calls:
        """Return how calls of *tool* are spelt."""
        if tool not in self._known:
            self._known[tool] = self._shapes.of_tool(tool)
        return self._known[tool]

    def _schema(self, tool: str | None) -> Schema | None:
        return self._tools[tool].schema() if self._tools is not None and tool is not None else None

    # -- turns of one call -------------------------------------------------------------------------

    def rest(self, tool: str | None, rest: str, place: Place) -> Node:
        """Return the *rest* of a turn that is one call of *tool*, which begins at *place*."""
        if KEY in rest:
            return self.call(tool)
        before, slot, after = re.split(f"([{INPUT}{TEXT}])", rest, maxsplit=1)
        place = self._marks.follow(place, before.replace(TOOL, "tool"))
        made = self._raw(tool, place, after) if slot == TEXT else self._json(tool, place)
        return sequence(*tokens(before), made, *tokens(after))

    def text(self, place: Place, after: str) -> Automaton:
        """Return the texts that may stand at *place*, if *after* follows."""
        made = self._marks.text(place, after)
        if after.strip():
            made = intersection(made, text_without(self._closers(after), after))
        return made.smallest

    def _raw(self, tool: str | None, place: Place, after: str) -> Node:
        """Return the inputs of *tool* where text stands as it is."""
        schema = self._schema(tool)
        if schema is None:
            return Text(intersection(self.text(place, after), NOT_BLANK).smallest)
        whole, inner = self._raw_texts(place, after)
        values = self._values(inner)
        return choice([values.value(schema, schema.root), *self._lone(schema, whole, values)])

    def _raw_texts(self, place: Place, after: str) -> tuple[Strings, Strings]:
        """Return what may stand at *place* as text, and in JSON, if *after* follows."""
        inner = self._marks.in_json(place.state, after)
        if after.strip():
            inner = intersection(inner, text_without(self._closers(after), after))
        barred = self._marks.barred(place.state)
        if after.strip():
            barred = union([barred, last_chars(self._closers(after))])
        in_json = Strings(inner.smallest, JSON_ESCAPES, barred)
        return Strings(self.text(place, after), "", barred), in_json

    def _json(self, tool: str | None, place: Place) -> Node:
        """Return the inputs of *tool* where JSON stands."""
        strings = self.quoted(JSON_ESCAPES)
        if not self._marks.is_call(place):  # readers of calls know what a string is
            within = self._marks.text(self._marks.fresh(place.state)).smallest
            strings = Strings(within, JSON_ESCAPES, self._marks.barred(place.state))
        values, schema = self._values(strings), self._schema(tool)
        takes_texts = self._shapes.takes_texts
        if schema is None:
            return choice([values.any_object, *([values.string] if takes_texts else [])])
        options = [values.value(schema, schema.root)]
        if takes_texts:
            options += (sequence('"', each, '"') for each in self._lone(schema, strings, None))
        return choice(options)

    def answer(self, schema: Schema, place: Place, after: str, *, quoted: bool) -> Node:
        """Return the answers of a type with this *schema*, which stand at *place* before *after*.

        Args:
            schema: The schema of the type.
            place: Where they stand.
            after: What follows.
            quoted: Whether texts are strings in JSON.
        """
        if quoted:
            return self._values(self.quoted(JSON_ESCAPES)).value(schema, schema.root)
        whole, inner = self._raw_texts(place, after)
        values = self._values(inner, JSON_CONSTANTS)
        options: list[Node] = []
        for flat in variants(schema, schema.root):
            if "enum" in flat or "const" in flat:
                options += _texts(flat, whole)
                allowed = flat.get("enum", [flat.get("const")])
                if others := [each for each in allowed if not isinstance(each, str)]:
                    options.append(values.value(schema, {"enum": others}))
            elif flat.get("type", "string") == "string":
                values.value(schema, {"type": "string", **flat})  # it refuses what it cannot say
                options.append(whole.body(flat, PLAIN_TEXT, _BEGINS))
            else:
                options.append(values.value(schema, flat))
        return choice(options)

    def _lone(self, schema: Schema, strings: Strings, lists: JsonValues | None) -> Iterator[Node]:
        """Yield the values of the only parameter, written without its name.

        Args:
            schema: The schema of the input.
            strings: What may stand in a text.
            lists: Makes lists; `None` if they cannot be written.
        """
        key = lone_key(schema.flat(schema.root))
        if key is None:
            return
        for flat in variants(schema, schema.flat(schema.root)["properties"][key]):
            if "enum" in flat or "const" in flat:
                yield from _texts(flat, strings)
                if (others := self._others(flat)) is not None:
                    yield self._values(strings).value(schema, others)
            elif flat.get("type", "string") == "string":
                yield strings.body(flat, PLAIN_TEXT, _BEGINS)
            elif flat["type"] in ("integer", "number", "boolean", "null"):
                yield self._values(strings).value(schema, flat)
            elif flat["type"] == "array" and lists is not None:
                yield lists.value(schema, flat)

    # -- calls in turns of several -----------------------------------------------------------------

    def call(self, tool: str | None) -> Node:
        """Return one call of *tool*, without what stands around all calls."""
        shape = self.shape(tool)
        if shape.parameters is not None:
            return self._tagged(tool, shape.parameters)
        before, after = shape.call.split(INPUT)
        values, schema = self._values(self.quoted(JSON_ESCAPES)), self._schema(tool)
        made = values.any_object if schema is None else values.value(schema, schema.root)
        return sequence(*tokens(before), made, *tokens(after))

    def _tagged(self, tool: str | None, spelt: Parameters) -> Node:
        """Return a call whose parameters have marks of their own."""
        schema = self._schema(tool)
        if schema is None:
            which = "any tool" if tool is None else f"the tool {tool!r}"
            raise GrammarError(
                f"{which} has no schema, and a grammar cannot rule out that an unknown parameter"
                " stands twice"
            )
        none = sequence(*tokens(spelt.none))
        flat = schema.flat(schema.root)
        required = flat.get("required", ())
        properties = flat.get("properties", {}).items()
        parts = [
            (self._parameter(schema, key, part, spelt), key in required)
            for key, part in (sorted(properties) if self._shapes.sorts else properties)
        ]
        if not parts:
            return none
        made, may_be_empty = in_order(parts, sequence(spelt.between))
        whole = sequence(*tokens(spelt.opens), made, *tokens(spelt.closes))
        return choice([whole, none]) if may_be_empty else whole

    def _parameter(self, schema: Schema, key: str, part: Any, spelt: Parameters) -> Node:
        """Return a parameter with its value."""
        options: list[Node] = []
        for flat in variants(schema, part):
            kind, is_enum = flat.get("type"), "enum" in flat or "const" in flat
            if kind in ("string", None):
                equals, after = (text.replace(KEY, key) for text in spelt.text)
                strings = self._value_strings(spelt, after)
                texts = [*_texts(flat, strings)] if is_enum else [strings.body(flat)]
                options += (sequence(equals, each, after) for each in texts)
            if kind != "string" and (others := self._others(flat)) is not None:
                equals, after = (text.replace(KEY, key) for text in spelt.other)
                values = self._values(self._value_strings(spelt, "", JSON_ESCAPES))
                options.append(sequence(equals, values.value(schema, others), after))
        return sequence(key, choice(options))

    def _others(self, flat: dict[str, Any]) -> dict[str, Any] | None:
        """Return the values of *flat* that are not text, or `None`."""
        allowed = flat.get("enum", [flat["const"]] if "const" in flat else None)
        if allowed is not None:
            allowed = [value for value in allowed if not isinstance(value, str)]
            return {"enum": allowed} if allowed else None
        if not self._shapes.nests and flat.get("type") in ("object", "array", None):
            raise GrammarError("lists and objects in parameters are written without JSON")
        return flat or {"type": ["integer", "number", "boolean", "null"]}

    def _value_strings(self, spelt: Parameters, after: str, escapes: str = "") -> Strings:
        """Return what may stand in a parameter that is text, or in the strings within another.

        Args:
            spelt: How parameters are spelt; no value may have one of their tags.
            after: What follows a text.
            escapes: The escapes in a string.
        """
        if self._shapes.quotes_values:
            return self.quoted(_PYTHON_ESCAPES)
        any_tool = self.shape(None).parameters or spelt  # so that texts are the same for all tools
        closers = tuple(dict.fromkeys([*self._closers(after), *any_tool.tags, *self._marks.stop]))
        return Strings(text_without(closers, after), escapes, last_chars(closers))

    # ----------------------------------------------------------------------------------------------

    def _closers(self, after: str) -> tuple[str, ...]:
        """Return texts that a value may not contain if *after* follows it."""
        text = after.strip()
        closer = text[: text.find(">") + 1]
        closers = [closer] if closer else [text[:1], "\n"] if text else []  # such as a bracket
        return tuple(dict.fromkeys([*closers, *self._marks.literals, *self._marks.after(text)]))

    def quoted(self, escapes: str) -> Strings:
        """Return what may stand within quotes."""
        return Strings(self._marks.quoted, escapes, last_chars(self._marks.stop))

    def _values(
        self, strings: Strings, constants: tuple[str, str, str] | None = None
    ) -> JsonValues:
        """Return what makes values with such strings; *constants* are by default the dialect's."""
        constants = constants or self._shapes.constants
        for known, words_of, values in self._made:
            if (known.text, words_of) == (strings.text, constants):
                return values
        name = f"json{len(self._made) + 1}" if self._made else "json"
        made = JsonValues(self._rules, name, strings, constants)
        self._made.append((strings, constants, made))
        return made


def _texts(flat: dict[str, Any], strings: Strings) -> Iterator[Node]:
    """Yield the texts of an enumeration."""
    for value in flat["enum"] if "enum" in flat else [flat["const"]]:
        if isinstance(value, str):
            written = words(value)[1:-1] if strings.has_escapes else value
            strings.check(written)
            yield sequence(written)


def last_chars(parts: tuple[str, ...]) -> Charset:
    """Return characters without which none of *parts* can be written."""
    return chars("".join("<" if "<" in part else part[-1] for part in parts))
