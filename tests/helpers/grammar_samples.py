"""Sentences of grammars, drawn from their trees, with near misses of all markers in their texts."""

from __future__ import annotations

from collections import deque
from random import Random
from typing import TYPE_CHECKING

from agent_parsers.constrain.parts.tree import (
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
from agent_parsers.engine.markers.kinds import Ahead, Label, spelt_texts
from agent_parsers.forms.form import Written
from agent_parsers.registry.dialects_by_name import get_dialect

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers import Dialect
    from agent_parsers.constrain.parts.automaton import Automaton, Charset

PIECES = (
    "a", "the lake", " ", "\n", "\n\n", "\t", ":", ": ", ".", "!\n", "`", "```", "```json\n", "~~~",
    '"', "'", "''", '"""', "“x”", "> ", "\n> ", "<", ">", "</", "{", "}", "[", "]", "(", ")", ",",
    '{"a": 1}', '{"name": "search", "arguments": {"query": "a"}}', "search", "search(", "null",
    "5", "1.", "é", "ß", "\u3000", "\xa0", "１", "雪", "🙂", "\\", '\\"', "\\n",
    "Do not call this: ", "Never do this:\n", "I will look it up:\n", "- ", "**", "# ", "<b>",
    "<!--", "-->", "\u200b", "\ufeff", "\x1f", "\r\n", "|", "<|", "|>", "_", "</s>",
)  # fmt: skip
"""Parts of texts that some reader gives a meaning."""


class Sampler:
    """Draws sentences of a grammar.

    Args:
        dialect: The dialect, whose markers and near misses of them are in the texts.
        grammar: The grammar.
        seed: Makes the draws repeatable.
    """

    def __init__(self, dialect: Dialect, grammar: Grammar, seed: int | str) -> None:
        self._grammar = grammar
        self._random = Random(seed)
        self.pieces = [*PIECES, *near_misses(dialect), *own_calls(dialect)]
        self._depth = 0
        self._leaf: dict[int, bool] = {}

    def sentence(self) -> str:
        """Return a sentence."""
        return self._draw(self._grammar.start)

    def _draw(self, node: Node) -> str:
        match node:
            case FixedText(text):
                return text
            case Chars(charset):
                return self._char(charset)
            case Sequence(parts):
                return "".join(map(self._draw, parts))
            case Choice(options):
                if self._depth > 5:
                    options = tuple(filter(self._is_leaf, options)) or options
                return self._draw(self._random.choice(options))
            case Repeat(part, least, most):
                few = 0 if self._depth > 5 else self._random.choice((0, 0, 1, 1, 2, 3))
                count = least + few if most is None else min(least + few, most)
                return "".join(self._draw(part) for _ in range(count))
            case Text(automaton):
                return self._text(automaton)
            case Rule(name):
                self._depth += 1
                drawn = self._draw(self._grammar.rules[name])
                self._depth -= 1
                return drawn

    def _is_leaf(self, node: Node) -> bool:
        return not isinstance(node, Rule) and all(map(self._is_leaf, parts_of(node)))

    def _char(self, charset: Charset) -> str:
        usual = [char for char in map(chr, range(32, 127)) if holds(charset, char)]
        if usual and self._random.random() < 0.9:
            return self._random.choice(usual)
        low, high = self._random.choice(charset)
        return chr(self._random.choice((low, high, self._random.randint(low, high))))

    def _text(self, automaton: Automaton) -> str:
        state, drawn = automaton.start, []
        for _ in range(self._random.choice((0, 1, 2, 4, 8, 16))):
            for char in self._random.choice(self.pieces):
                after = automaton.step(state, char)
                if after < 0:
                    break
                state = after
                drawn.append(char)
        return "".join(drawn) + self._way_out(automaton, state)

    def _way_out(self, automaton: Automaton, state: int) -> str:
        """Return the shortest text after which *automaton* accepts."""
        todo, seen = deque([(state, "")]), {state}
        while todo:
            at, text = todo.popleft()
            if at in automaton.accepting:
                return text
            for charset, to in automaton.rows[at]:
                if to not in seen:
                    seen.add(to)
                    todo.append((to, text + self._char(charset)))
        raise AssertionError("from each state a text can be completed")


def parts_of(node: Node) -> Iterator[Node]:
    """Yield the parts directly below *node*."""
    if isinstance(node, Sequence):
        yield from node.parts
    elif isinstance(node, Choice):
        yield from node.options
    elif isinstance(node, Repeat):
        yield node.part


def holds(charset: Charset, char: str) -> bool:
    """Return whether *char* is in *charset*."""
    return any(low <= ord(char) <= high for low, high in charset)


def near_misses(dialect: Dialect | str) -> list[str]:
    """Return the markers of a dialect: whole, in parts, and with numbers and blanks."""
    dialect = get_dialect(dialect)
    found: list[str] = []
    for table in (dialect.strict, dialect.lenient):
        for marker in table.markers.values():
            texts = [*spelt_texts(marker)]
            if isinstance(marker, Label):
                texts += (_numbered(marker.words, blank) for blank in (" ", "\n", "  ", "\t"))
            for text in texts:
                found += (text, f"\n{text}", text[:-1], text[: len(text) // 2], f"{text[0]}{text}")
            for spelling in list(marker.spellings())[:3]:
                found.append("".join(a.sample if isinstance(a, Ahead) else "" for a in spelling))
    found += dialect.stop
    return list(dict.fromkeys(filter(None, found)))


def own_calls(dialect: Dialect) -> list[str]:
    """Return a call as the dialect writes it, and parts of it."""
    found = []
    for tool_input in ({"query": "a"}, "a"):
        try:
            call = dialect.write(Written(tool="search", tool_input=tool_input))
        except (TypeError, ValueError):
            continue
        half = len(call) // 2
        found += [call, f"\n{call}", call[:half], call[half:], call.strip("`\n ")]
    return found


def literals(grammar: Grammar) -> list[str]:
    """Return the texts of a grammar that are fixed."""
    found: dict[str, None] = {}
    todo = [grammar.start, *grammar.rules.values()]
    while todo:
        node = todo.pop()
        if isinstance(node, FixedText):
            found[node.text] = None
        todo.extend(parts_of(node))
    return [text for text in found if text]


def _numbered(words: str, blank: str) -> str:
    return "".join(f"{word}{blank}1{blank}" for word in words.split()) + ":"
