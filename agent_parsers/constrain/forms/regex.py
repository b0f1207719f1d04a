"""Regular expressions: of classes, groups and repeats alone, which every engine has."""

from __future__ import annotations

import re
from typing import Final

from agent_parsers.constrain.parts.automaton import ANY, Automaton, Charset, minus
from agent_parsers.constrain.parts.tree import (
    Chars,
    Choice,
    FixedText,
    Grammar,
    GrammarError,
    Node,
    Repeat,
    Rule,
    Sequence,
    Text,
)

_MOST_CHARS: Final = 250_000
_SPECIAL: Final = frozenset("\\.^$|?*+()[]{}")
_NAMED: Final = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
_ONE: Final = re.compile(r"\\?.|\[(?:\\.|[^\]\\])*\]|\((?:\\.|[^()\\])*\)", re.DOTALL).fullmatch


def write_regex(grammar: Grammar) -> str:
    """Return *grammar* as a regular expression that matches whole turns.

    Raises:
        GrammarError: The grammar is recursive, or the expression would be too long.
    """
    written = _Regex(grammar).node(grammar.start)
    if len(written) > _MOST_CHARS:
        raise GrammarError(
            f"the regular expression would have {len(written)} characters: use another grammar form"
        )
    return written


class _Regex:
    def __init__(self, grammar: Grammar) -> None:
        self._grammar = grammar
        self._open: list[str] = []
        self._texts: dict[Automaton, str] = {}
        self._rules: dict[str, str] = {}

    def node(self, node: Node) -> str:
        match node:
            case FixedText(text):
                return "".join(map(_char, text))
            case Chars(charset):
                return _class(charset)
            case Sequence(parts):
                return "".join(_grouped(self.node(part), "|") for part in parts)
            case Choice(options):
                return "|".join(map(self.node, options))
            case Repeat(part, least, most):
                return _repeated(self.node(part), least, most)
            case Text(automaton):
                if automaton not in self._texts:
                    self._texts[automaton] = _eliminated(automaton)
                return self._texts[automaton]
            case Rule(name):
                return self._rule(name)

    def _rule(self, name: str) -> str:
        if name in self._open:
            raise GrammarError(
                "a regular expression cannot be recursive: declare the tools with schemas that do"
                " not refer to themselves"
            )
        if name not in self._rules:
            self._open.append(name)
            self._rules[name] = self.node(self._grammar.rules[name])
            self._open.pop()
        if len(self._rules[name]) > _MOST_CHARS:
            raise GrammarError("the regular expression would be too long: use another grammar form")
        return self._rules[name]


def _char(char: str) -> str:
    return f"\\{char}" if char in _SPECIAL else _NAMED.get(char, char)


def _class(charset: Charset) -> str:
    if len(charset) == 1 and charset[0][0] == charset[0][1]:
        return _char(chr(charset[0][0]))
    others = minus(ANY, charset)
    is_negated = len(others) < len(charset)
    ranges = others if is_negated else charset

    def spelt(code: int) -> str:
        char = chr(code)
        return f"\\{char}" if char in "]\\^-[" else _NAMED.get(char, char)

    if not others:
        return "[^\\x00]"  # in xgrammar a dot or an empty class is something else
    inner = "".join(spelt(a) if a == b else f"{spelt(a)}-{spelt(b)}" for a, b in ranges)
    return f"[^{inner}]" if is_negated else f"[{inner}]"


def _grouped(pattern: str, when: str = "") -> str:
    """Return *pattern* as a unit, if it has the sign *when* or, without one, more than a unit."""
    if when and when not in pattern:
        return pattern
    return pattern if _ONE(pattern) else f"(?:{pattern})"


def _repeated(pattern: str, least: int, most: int | None) -> str:
    unit = _grouped(pattern)
    if (least, most) == (0, 1):
        return f"{unit}?"
    if most is None and least < 2:
        return f"{unit}{'+' if least else '*'}"
    return f"{unit}{{{least},{'' if most is None else most}}}"


def _eliminated(automaton: Automaton) -> str:
    """Return what *automaton* accepts: its states are removed, those with the fewest ways first."""
    first, last = -1, -2
    ways: dict[tuple[int, int], list[str]] = {(first, automaton.start): [""]}
    for state, row in enumerate(automaton.rows):
        for charset, to in row:
            ways.setdefault((state, to), []).append(_class(charset))
    ways |= {(state, last): [""] for state in automaton.accepting}
    made = {edge: "|".join(each) for edge, each in ways.items()}
    left = set(range(len(automaton.rows)))
    while left:
        state = min(left, key=lambda each: _cost(made, each))
        left.remove(state)
        loop = made.pop((state, state), None)
        around = "" if loop is None else f"{_grouped(loop)}*"
        into = {a: made.pop((a, b)) for a, b in list(made) if b == state}
        out = {b: made.pop((a, b)) for a, b in list(made) if a == state}
        for a, before in into.items():
            for b, after in out.items():
                way = _grouped(before, "|") + around + _grouped(after, "|")
                known = made.get((a, b))
                if known is None:
                    made[a, b] = way
                elif "" in (known, way):
                    made[a, b] = f"{_grouped(known or way)}?" if known or way else ""
                else:
                    made[a, b] = f"{known}|{way}"
    return made[first, last]


def _cost(made: dict[tuple[int, int], str], state: int) -> int:
    into = [len(way) for (a, b), way in made.items() if b == state != a]
    out = [len(way) for (a, b), way in made.items() if a == state != b]
    loop = len(made.get((state, state), ""))
    return len(into) * sum(out) + len(out) * sum(into) + loop * len(into) * len(out)
