r"""Markers, and the patterns that find them whole or still growing.

A marker is made of atoms: one character that must be there, or a run of characters that may be
there. Runs are bounded, so that what has to be held back is bounded too. The atoms of all markers
of a state make a trie, and the trie makes two patterns:

* *whole* finds the first marker;
* *growing* finds, besides, the beginning of one at the very end of the text, which a later chunk
  may complete.

Runs are possessive and short, so a match that fails has gone back over a bounded number of
characters: both patterns are linear on any text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import TYPE_CHECKING, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

MOST: Final = 16
"""Longest run of white space, digits or dressing inside a label."""

Atom: TypeAlias = str
"""A pattern for one character that must be there or, in a lookahead, must follow; or for a run of
characters (it ends in ``+``)."""


def _run(chars: str) -> Atom:
    return f"[{chars}]{{0,{MOST}}}+"


SPACE, BLANK, DIGITS = _run(r"\s"), _run(r" \t"), _run(r"\d")
HASHES, LINE_END = _run("#"), r"(?=\n)"
JOINT, INDENT = _run(r" \t_\-"), _run(r" \t>#")


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that counts wherever it stands, in one or several spellings; the first is canonical."""

    canonical: str
    variants: tuple[str, ...] = ()

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        for text in (self.canonical, *self.variants):
            yield tuple(map(re.escape, text))

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this marker."""
        return seen == self.canonical


@dataclass(frozen=True, slots=True)
class Label:
    """Words before a colon, each of which may carry a number: ``Action 1:``, ``Action 1 Input:``.

    A label stands at the beginning of a line, in exactly these words. With *anywhere* it counts in
    the middle of a line too, and any white space may join it, as LangChain has it. A *loose* label
    may be indented, quoted (``>``), a heading (``#``, which needs no colon) or emphasised (``**``),
    in any case, joined by ``_`` or ``-``, and may end in a full-width colon. With *firm* it may
    only be emphasised and end so: where any text may stand, a line such as ``# action:`` is more
    likely a part of it. A *borrowed* label is that of another format, which it is a repair to read.
    """

    words: str
    anywhere: bool = False
    loose: bool = False
    firm: bool = False
    borrowed: bool = False

    @property
    def canonical(self) -> str:
        """The label as the dialect writes it."""
        return f"{self.words}:"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        words = self.words.split()
        if not self.loose and not self.firm:
            label = (
                *chain.from_iterable((*map(re.escape, w), SPACE, DIGITS, SPACE) for w in words),
                ":",
            )
            yield label if self.anywhere else ("\n", *label)
            return
        letters = [[self._letter(char) for char in word] for word in words]
        start = ("\n",) if self.firm else ("\n", INDENT)
        label = (*chain.from_iterable((*w, JOINT, DIGITS, JOINT) for w in letters[:-1]),)
        label = *label, *letters[-1], BLANK, DIGITS, BLANK
        colon = "[:：]"
        yield *start, *label, colon
        for mark in (r"\*", r"\*\*", "__"):
            edge = re.findall(r"\\?.", mark)
            yield *start, *edge, *label, colon, BLANK, *edge
            yield *start, *edge, *label, *edge, BLANK, colon
        if not self.firm:  # a heading has its line to itself
            yield "\n", "#", HASHES, BLANK, *label, LINE_END

    def _letter(self, char: str) -> Atom:
        if self.firm:
            return re.escape(char)
        return f"[{re.escape(char.lower())}{re.escape(char.upper())}]"

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this marker, numbered or not."""
        if self.anywhere or self.borrowed:
            return False
        words = r"(?: \d+)? ".join(map(re.escape, self.words.split()))
        return re.fullmatch(rf"\n?{words}(?: \d+)?:", seen) is not None


Marker: TypeAlias = Literal | Label


class _Node:
    """A place in the trie: what may come next, and the marker that is complete here."""

    __slots__ = ("marker", "next")

    def __init__(self) -> None:
        self.next: dict[Atom, _Node] = {}
        self.marker: str | None = None


class Patterns:
    """What finds the markers of one state; made at first use.

    Args:
        markers: The markers, by name; those of a table are known to differ, see `check_markers`.
    """

    def __init__(self, markers: Mapping[str, Marker]) -> None:
        self._markers = markers

    @cached_property
    def _root(self) -> _Node:
        return _trie(self._markers)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Finds the first marker; ``names[match.lastindex - 1]`` is its name."""
        return re.compile(_whole(self._root))

    @cached_property
    def growing(self) -> re.Pattern[str]:
        """Does so too, or finds the beginning of one at the end; ``lastindex`` is `None` then."""
        begun = "|".join(_begun(self._root))
        return re.compile(rf"(?:{begun})\Z|{self.whole.pattern}" if begun else self.whole.pattern)

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the markers by number of the group that matched, less one."""
        return tuple(_leaves(self._root))


def check_markers(markers: Mapping[str, Marker]) -> None:
    """Make sure that each of *markers* can be told from the others.

    Raises:
        ValueError: Two are spelt alike, one is the beginning of another, or one is empty.
    """
    _trie(markers)


def _trie(markers: Mapping[str, Marker]) -> _Node:
    root = _Node()
    for name, marker in markers.items():
        if not marker.canonical.strip(":"):
            raise ValueError(f"marker {name!r} is empty")
        for spelling in marker.spellings():
            node = root
            for atom in spelling:
                node = node.next.setdefault(atom, _Node())
                if node.marker is not None:
                    raise ValueError(f"marker {node.marker!r} is the beginning of {name!r}")
            if node.next:
                raise ValueError(f"marker {name!r} is the beginning of another")
            node.marker = name
    return root


def _leaves(node: _Node) -> Iterator[str]:
    """Names of the markers in the order of their groups in the pattern."""
    if node.marker is not None:
        yield node.marker
    for child in node.next.values():
        yield from _leaves(child)


def _whole(node: _Node) -> str:
    """Pattern for the rest of a marker; an empty group at its end tells which one it was."""
    if node.marker is not None:
        return "()"
    branches = [atom + _whole(child) for atom, child in node.next.items()]
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _begun(node: _Node) -> Iterator[str]:
    """Patterns for what may stand at the end of the text and go on to be a marker."""
    for atom, child in node.next.items():
        if child.marker is None:
            rest = "|".join(_begun(child))
            yield f"{atom}(?:{rest})?" if rest else atom
