"""The tree of a grammar: what a turn is, in the few parts that each form can write."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.automaton import Automaton, Charset


class GrammarError(ValueError):
    """Raised if a grammar cannot express a dialect or a tool; the message says why."""


class NoValue(GrammarError):  # noqa: N818 - internal: what has no value is left out
    """Raised for a part of a schema if none of its values can be written; it is dropped."""


# -- how a dialect writes values that are not text -------------------------------------------------

NAME: Final = "\ue005"
"""What stands for a name in tags."""


@dataclass(frozen=True)
class Notation:
    """How JSON-like values are written."""

    constants: tuple[str, str, str] = ("null", "true", "false")
    """How null, true and false are written."""
    quote: str = '"'
    """The mark at both ends of a string. If it is not that of JSON, strings have no escapes, names
    of members no quotes, and there is no white space."""
    element: tuple[str, str] = ("", "")
    """The tags around a member, with `NAME` in place of its name, if lists and objects are written
    as elements and everything else as text."""
    item: str = ""
    """The name of the elements in a list; of elements with types, the tag before an item."""
    sorts: bool = False
    """Whether members are written in the order of their names, ignoring case."""

    @property
    def is_json(self) -> bool:
        """Whether strings are written as in JSON."""
        return self.quote == '"'


@dataclass(frozen=True)
class TypedNotation(Notation):
    """How values are written as elements that state the type of their value.

    The first tag of *element*, and *item*, end where the name of the type stands.
    """

    after_type: str = ""
    """What stands between the name of the type and the value."""
    types: tuple[tuple[str, str], ...] = ()
    """The types of values as schemas name them, each with its name in the tags."""


JSON: Final = Notation()


# -- the tree of a grammar -------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class FixedText:
    """A fixed text."""

    text: str


@dataclass(frozen=True, slots=True)
class Chars:
    """One character of a set."""

    charset: Charset


@dataclass(frozen=True, slots=True)
class Sequence:
    """Several parts, one after another."""

    parts: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several options."""

    options: tuple[Node, ...]


@dataclass(frozen=True, slots=True)
class Repeat:
    """A part that is repeated."""

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
    """A named part, which is written once and may contain itself."""

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
    """The parts of the tools' schemas that the grammar does not enforce."""


def _parts_of(node: Node) -> tuple[Node, ...]:
    """Return the parts of a sequence, and any other node as the only one."""
    return node.parts if isinstance(node, Sequence) else (node,)


def sequence(*parts: Node | str) -> Node:
    """Return *parts* in a row, with neighbouring texts joined."""
    flat: list[Node] = []
    for part in parts:
        each: Node = FixedText(part) if isinstance(part, str) else part
        for one in _parts_of(each):
            if isinstance(one, FixedText) and flat and isinstance(flat[-1], FixedText):
                flat[-1] = FixedText(flat[-1].text + one.text)
            elif one != NOTHING:
                flat.append(one)
    return flat[0] if len(flat) == 1 else Sequence(tuple(flat)) if flat else NOTHING


def choice(options: Iterable[Node | str]) -> Node:
    """Return a choice between *options*, without duplicates."""
    nodes = (FixedText(each) if isinstance(each, str) else each for each in options)
    flat = (
        one for node in nodes for one in (node.options if isinstance(node, Choice) else (node,))
    )
    once = tuple(dict.fromkeys(flat))
    assert once, "a choice has options"
    return once[0] if len(once) == 1 else Choice(once)


def factored(options: Iterable[Node]) -> Node:
    """Return a choice between *options*, with common first parts written once."""
    by_first: dict[Node, list[Node]] = {}
    for option in dict.fromkeys(options):
        first, *rest = _parts_of(option)
        by_first.setdefault(first, []).append(Sequence(tuple(rest)) if rest else NOTHING)
    return choice(
        sequence(first, factored(rests) if len(rests) > 1 else rests[0])
        for first, rests in by_first.items()
    )


def begun_alike(options: Iterable[Node]) -> Node:
    """Return a choice between *options*, with the text that begins all of them written once.

    Otherwise an engine would follow as many texts at once as there are calls to begin with.
    """
    made = choice(options)
    if not isinstance(made, Choice):
        return made
    parts = [_parts_of(each) for each in made.options]
    texts = [first.text if isinstance(first := each[0], FixedText) else "" for each in parts]
    start = commonprefix(texts)
    rests = (
        sequence(text[len(start) :], *each[1:]) for text, each in zip(texts, parts, strict=True)
    )
    return sequence(start, choice(rests)) if start else made


def repeat(part: Node, least: int, most: int | None) -> Node:
    """Return *part* repeated *least* to *most* times; the empty text if *most* is 0."""
    return NOTHING if most == 0 else Repeat(part, least, most)


def optional(part: Node) -> Node:
    """Return *part* or nothing."""
    return Repeat(part, 0, 1)


# -- what a grammar leaves out of schemas ----------------------------------------------------------


class GrammarNote(NamedTuple):
    """A part of a tool's schema that a grammar does not enforce.

    ::

        search: 'uniqueItems' of tags is dropped: a grammar cannot check that the items differ
    """

    tool: str
    """Name of the tool; ``""`` for the type of answers."""
    path: str
    """Where in the input it is, such as ``filter.tags[]``; ``""`` for the input itself."""
    keyword: str
    """The keyword of the schema; ``""`` if the whole tool is dropped, since no input can be
    written for it."""
    reason: str
    """Why it is dropped."""

    def __str__(self) -> str:
        """Return the note as a sentence."""
        tool, path = self.tool or "the answer", self.path or "the whole value"
        if not self.keyword:
            return f"{tool} is dropped: {self.reason}"
        return f"{tool}: {self.keyword!r} of {path} is dropped: {self.reason}"


class GrammarText(str):  # noqa: SLOT000 - it has its notes
    """A grammar as text."""

    notes: tuple[GrammarNote, ...] = ()
    """The parts of the tools' schemas that the grammar does not enforce; the parser still does."""


class GrammarTree(dict[str, Any]):
    """A grammar as JSON."""

    notes: tuple[GrammarNote, ...] = ()
    """The parts of the tools' schemas that the grammar does not enforce; the parser still does."""


class Notes:
    """Collects notes, each for the part of a schema that is being read."""

    def __init__(self) -> None:
        self.found: dict[GrammarNote, None] = {}
        self._tool = ""
        self._path: list[str] = []

    @contextmanager
    def of_tool(self, tool: str | None) -> Iterator[None]:
        """Within the context, add notes for *tool*."""
        before, self._tool = self._tool, tool or ""
        yield
        self._tool = before

    @contextmanager
    def below(self, part: str) -> Iterator[None]:
        """Within the context, add notes for a *part*: ``.key``, or ``[]`` for items of a list."""
        self._path.append(part)
        try:
            yield
        finally:
            self._path.pop()

    def add(self, keyword: str, reason: str) -> None:
        """Add a note."""
        path = "".join(self._path).removeprefix(".")
        self.found[GrammarNote(self._tool, path, keyword, reason)] = None

    def forget(self, known: Iterable[GrammarNote]) -> None:
        """Forget all notes but those that were *known* before."""
        self.found = dict.fromkeys(known)
