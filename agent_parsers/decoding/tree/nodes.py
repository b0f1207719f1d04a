"""The tree of a grammar: what a turn is, in the few parts that each form can write."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from agent_parsers.decoding.texts.automaton import Automaton
    from agent_parsers.decoding.texts.charsets import Charset
    from agent_parsers.decoding.tree.notes import GrammarNote

__all__ = [
    "NOTHING",
    "Chars",
    "Choice",
    "FixedText",
    "Grammar",
    "Node",
    "Repeat",
    "Rule",
    "Sequence",
    "Text",
    "choice",
    "factored",
    "optional",
    "repeat",
    "sequence",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class FixedText:
    """A text as it is."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    charset: Charset


@dataclass(frozen=True, slots=True)
class Sequence:
    """One part after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part several times."""

    part: Node
    least: int = 0
    most: int | None = None
    """`None` for any number."""


@dataclass(frozen=True, slots=True)
class Text:
    """A text that an automaton accepts."""

    automaton: Automaton


@dataclass(frozen=True, slots=True)
class Rule:
    """A part with a name, which is written once and may contain itself."""

    name: str


Node: TypeAlias = FixedText | Chars | Sequence | Choice | Repeat | Text | Rule
NOTHING: Final = FixedText("")
"""The empty text."""


@dataclass(frozen=True)
class Grammar:
    """The grammar of a turn."""

    start: Node
    """A turn."""
    rules: Mapping[str, Node] = field(default_factory=dict)
    """The parts with names."""
    notes: tuple[GrammarNote, ...] = ()
    """What it leaves out of the schemas of the tools."""


def sequence(*parts: Node | str) -> Node:
    """Return *parts* in a row, with neighbouring texts joined."""
    flat: list[Node] = []
    for part in parts:
        each: Node = FixedText(part) if isinstance(part, str) else part
        for one in each.parts if isinstance(each, Sequence) else (each,):
            if isinstance(one, FixedText) and flat and isinstance(flat[-1], FixedText):
                flat[-1] = FixedText(flat[-1].text + one.text)
            elif one != NOTHING:
                flat.append(one)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat)) if flat else NOTHING


def choice(options: Iterable[Node | str]) -> Node:
    """Return a choice between *options*, each of them once."""
    nodes = (FixedText(each) if isinstance(each, str) else each for each in options)
    flat = (
        one for node in nodes for one in (node.options if isinstance(node, Choice) else (node,))
    )
    once = tuple(dict.fromkeys(flat))
    assert once, "a choice has options"
    return once[0] if len(once) == 1 else Choice(once)


def factored(options: Iterable[Node]) -> Node:
    """Return a choice between *options*, with what they begin with alike written once."""
    by_first: dict[Node, list[Node]] = {}
    for option in dict.fromkeys(options):
        first, *rest = option.parts if isinstance(option, Sequence) else (option,)
        by_first.setdefault(first, []).append(Sequence(tuple(rest)) if rest else NOTHING)
    return choice(
        sequence(first, factored(rests) if len(rests) > 1 else rests[0])
        for first, rests in by_first.items()
    )


def repeat(part: Node, least: int, most: int | None) -> Node:
    """Return *part* from *least* to *most* times; engines refuse a repeat of no times."""
    return NOTHING if most == 0 else Repeat(part, least, most)


def optional(part: Node) -> Node:
    """Return *part* or nothing."""
    return Repeat(part, 0, 1)
