r"""Patterns that find markers, complete or still incomplete.

The atoms of all markers of a state form a trie, from which two patterns are built:

* *whole* finds the first marker;
* *growing* also finds the beginning of a marker at the very end of the text, which a later chunk
  may complete.

Runs are possessive and short, so a failing match backtracks over a bounded number of characters:
both patterns take linear time on any text.
"""

from __future__ import annotations

import re
from functools import cached_property
from typing import TYPE_CHECKING, Protocol

from agent_parsers.engine.markers.kinds import Ahead

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from agent_parsers.engine.markers.kinds import Atom

__all__ = ["Patterns", "check_markers"]


class Spelt(Protocol):
    """Anything that can be found in a text: a marker or a tag."""

    @property
    def canonical(self) -> str:
        """The spelling that the dialect itself writes."""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""


class _Node:
    """A node of the trie: the atoms that may come next, and the marker that ends here."""

    __slots__ = ("marker", "next")

    def __init__(self) -> None:
        self.next: dict[Atom, _Node] = {}
        self.marker: str | None = None


class Patterns:
    """The patterns that find the markers of one state; compiled at first use.

    Args:
        markers: The markers, by name; `check_markers` makes sure that those of a table differ.
    """

    def __init__(self, markers: Mapping[str, Spelt]) -> None:
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
        """Finds the first marker, or the beginning of one at the end (``lastindex`` is `None`)."""
        return re.compile(_growing(self._root))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the markers, in the order of their groups."""
        return tuple(_leaves(self._root))


def check_markers(markers: Mapping[str, Spelt]) -> None:
    """Check that each of *markers* can be distinguished from the others.

    Raises:
        ValueError: Two markers are spelt alike, one is the beginning of another, or one is empty.
    """
    _trie(markers)


def _trie(markers: Mapping[str, Spelt]) -> _Node:
    root = _Node()
    for name, marker in markers.items():
        if not marker.canonical.strip(":"):
            raise ValueError(f"marker {name!r} is empty")
        for spelling in marker.spellings():
            node = root
            for atom in spelling:
                if node.marker is not None and not isinstance(atom, Ahead):
                    raise ValueError(f"marker {node.marker!r} is the beginning of {name!r}")
                node = node.next.setdefault(atom, _Node())
            if node.marker is not None:
                raise ValueError(f"marker {node.marker!r} is spelt as {name!r} is")
            if not all(isinstance(atom, Ahead) for atom in node.next):
                raise ValueError(f"marker {name!r} is the beginning of another")
            node.marker = name
    return root


def _leaves(node: _Node) -> Iterator[str]:
    """Yield the names of the markers, in the order of their groups in the pattern."""
    for child in node.next.values():
        yield from _leaves(child)
    if node.marker is not None:
        yield node.marker


def _whole(node: _Node) -> str:
    """Return a pattern for the rest of a marker; the empty group at its end identifies it."""
    branches = [atom + _whole(child) for atom, child in node.next.items()]
    if node.marker is not None:
        branches.append("()")  # tried last: markers with a lookahead come first
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _growing(node: _Node) -> str:
    """Return a pattern for the rest of a marker, or for its beginning up to the end of the text."""
    pending = "|".join(filter(None, _pending(node)))
    branches = [rf"(?:{pending})\Z"] if pending else []
    for atom, child in node.next.items():
        may_go_on = not isinstance(atom, Ahead) and bool(child.next)
        rest = _growing(child)
        branches.append(rf"{atom}(?:\Z|{rest})" if may_go_on else atom + rest)
    if node.marker is not None:
        branches.append("()")  # tried last, as in `_whole`, since the groups are the same
    return branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})"


def _pending(node: _Node) -> Iterator[str]:
    """Yield what may stand at the end of the text where a lookahead has yet to be decided."""
    for atom, child in node.next.items():
        if isinstance(atom, Ahead):
            yield atom.pending
            yield from _pending(child)
