"""Grammars as named rules: GBNF, Lark, and the structural tags that hold one."""

from __future__ import annotations

from collections import defaultdict
from typing import Any, ClassVar, Final

from typing_extensions import override

from agent_parsers.constrain.parts.automaton import ANY, Automaton, Charset, minus, spelt
from agent_parsers.constrain.parts.tree import (
    NOTHING,
    Chars,
    Choice,
    FixedText,
    Grammar,
    Node,
    Repeat,
    Rule,
    Sequence,
    Text,
)

_SHORT: Final = 16
"""Classes that are spelt with fewer characters stand where they are used."""


class _Rules:
    """Makes the rules of a grammar as names and bodies; the first is the start rule."""

    def __init__(self, grammar: Grammar, notation: Gbnf) -> None:
        self._notation = notation
        self.rules: dict[str, str] = {notation.start: ""}
        self._texts: dict[Automaton, str] = {}
        self._classes: dict[str, str] = {}
        self.rules[notation.start] = self._alternatives(grammar.start)
        for name, node in grammar.rules.items():
            self.rules[notation.name(name)] = self._alternatives(node)

    def _alternatives(self, node: Node) -> str:
        options = node.options if isinstance(node, Choice) else (node,)
        return " | ".join(map(self._row, options))

    def _row(self, node: Node) -> str:
        parts = node.parts if isinstance(node, Sequence) else (node,)
        return " ".join(map(self._item, parts))

    def _item(self, node: Node) -> str:
        if isinstance(node, FixedText):
            return self._notation.literal(node.text)
        if isinstance(node, Chars):
            return self._class(node.charset)
        if isinstance(node, Rule):
            return self._notation.name(node.name)
        if isinstance(node, Text):
            return self._text(node.automaton)
        if isinstance(node, Repeat):
            return self._repeat(node)
        return f"({self._alternatives(node)})"

    def _repeat(self, node: Repeat) -> str:
        item = self._item(node.part)
        if " " in item or isinstance(node.part, Repeat):
            item = f"({item})"
        if (node.least, node.most) == (0, 1):
            return f"{item}?"
        if node.most is None and node.least < 2:
            return f"{item}{'+' if node.least else '*'}"
        return item + "{" + f"{node.least},{'' if node.most is None else node.most}" + "}"

    def _text(self, automaton: Automaton) -> str:
        """Return the name of the rule of a text; each state of the automaton is a rule."""
        known = self._texts.get(automaton)
        if known is None:
            known = self._texts[automaton] = f"t{len(self._texts) + 1}"
            add = self._text_from_right if self._notation.is_left else self._text_from_left
            add(known, automaton)
        return known

    def _text_from_left(self, name: str, automaton: Automaton) -> None:
        """Add rules, each of which is the rest of a text from a state on."""
        for state, row in enumerate(automaton.rows):
            options = [f"{self._class(charset)} {self._state(name, to)}" for charset, to in row]
            if state in automaton.accepting:
                options.append(self._item(NOTHING))
            self.rules[self._state(name, state)] = " | ".join(options)

    def _text_from_right(self, name: str, automaton: Automaton) -> None:
        """Add rules, each of which is the beginning of a text up to a state."""
        into: defaultdict[int, list[str]] = defaultdict(list)
        into[automaton.start].append(self._item(NOTHING))
        for state, row in enumerate(automaton.rows):
            for charset, to in row:
                into[to].append(f"{self._state(name, state, 1)} {self._class(charset)}")
        self.rules[name] = " | ".join(
            self._state(name, each, 1) for each in sorted(automaton.accepting)
        )
        for state, options in sorted(into.items()):
            self.rules[self._state(name, state, 1)] = " | ".join(options)

    def _state(self, text: str, state: int, first: int = 0) -> str:
        number = state + first
        return self._notation.name(f"{text}-{number}" if number else text)

    def _class(self, charset: Charset) -> str:
        """Return a class of characters; the longer ones have names, since many rules share them."""
        if len(charset) == 1 and charset[0][0] == charset[0][1]:
            return self._notation.literal(chr(charset[0][0]))
        others = minus(ANY, charset)
        is_negated = len(others) < len(charset)
        ranges = ((0, 0), *others) if is_negated else charset  # NUL is in no text
        spelt = "".join(
            self._notation.char(low)
            if low == high
            else f"{self._notation.char(low)}-{self._notation.char(high)}"
            for low, high in ranges
        )
        made = self._notation.one_of(spelt, negated=is_negated)
        if len(made) < _SHORT:
            return made
        name = self._classes.setdefault(made, self._notation.class_name(len(self._classes) + 1))
        self.rules[name] = made
        return name


# -- GBNF ------------------------------------------------------------------------------------------


class Gbnf:
    """How rules are written, in GBNF."""

    start: ClassVar[str] = "root"
    """The name of the first rule."""
    is_left: ClassVar[bool] = False  # llama.cpp refuses rules that begin with themselves
    """Whether repeating rules are left-recursive, not right-recursive."""

    def literal(self, text: str) -> str:
        """Return *text* in double quotes."""
        return f'"{"".join(spelt(ord(char), chr(34) + chr(92)) for char in text)}"'

    def one_of(self, ranges: str, *, negated: bool) -> str:
        """Return the character class with these *ranges*."""
        return f"[{'^' if negated else ''}{ranges}]"

    def char(self, code: int) -> str:
        """Return a character as it is written in a character class."""
        if chr(code) in "^-":  # llama.cpp takes no backslash before them
            return f"\\u{code:04x}"
        return spelt(code, "]\\")

    def name(self, name: str) -> str:
        """Return the *name* of a rule as it is written; it may have hyphens."""
        return name

    def class_name(self, number: int) -> str:
        """Return a name for the character class with this *number*."""
        return f"c{number}"


def write_gbnf(grammar: Grammar) -> str:
    """Return *grammar* in GBNF."""
    rules = _Rules(grammar, Gbnf()).rules
    return "".join(f"{name} ::= {body}\n" for name, body in rules.items())


# -- Lark ------------------------------------------------------------------------------------------


class Lark(Gbnf):
    """How rules are written in Lark, where that differs from GBNF."""

    start = "start"
    is_left = True  # with rules that end so, the work of llguidance would be quadratic

    @override
    def literal(self, text: str) -> str:
        # Each character apart: llguidance prefers the longest lexeme, so that of two texts that
        # begin alike it would only see the longer one.
        return " ".join(map(super().literal, text)) or '""'

    @override
    def one_of(self, ranges: str, *, negated: bool) -> str:
        return f"/{super().one_of(ranges, negated=negated)}/"

    @override
    def char(self, code: int) -> str:
        return spelt(code, "]\\^-[/")

    @override
    def name(self, name: str) -> str:
        return name.replace("-", "_")

    @override
    def class_name(self, number: int) -> str:
        return f"C{number}"


def write_lark(grammar: Grammar) -> str:
    """Return *grammar* in Lark."""
    rules = _Rules(grammar, Lark()).rules
    return "".join(f"{name}: {body}\n" for name, body in rules.items())


# -- structural tags -------------------------------------------------------------------------------


def write_structural_tag(grammar: Grammar) -> dict[str, Any]:
    """Return *grammar* as a structural tag.

    It is one EBNF grammar: an outline of tags, with a grammar for each text and call in it, says
    the same, but repeats what these have in common.
    """
    form = {"type": "grammar", "grammar": write_gbnf(grammar)}
    return {"type": "structural_tag", "format": form}
