r"""Patterns that find markers, complete or still incomplete.

The atoms of all markers of a state form a trie, from which two patterns are built:

* *whole* finds the first marker;
* *growing* also finds the beginning of a marker at the very end of the text, which a later chunk
  may complete.

Runs are possessive and short, so a failing match backtracks over a bounded number of characters:
both patterns take linear time on any text.

Compiling *growing* takes as long as reading a thousand chunks, and most states see fewer of them. So
a `MarkerSearch` walks the trie at first, from each character that may begin a marker.
"""

from __future__ import annotations

import re
from functools import cache, cached_property
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, Protocol, TypeAlias

from agent_parsers.engine.markers.kinds import Ahead

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping
    from re import Match

    from agent_parsers.engine.markers.kinds import Atom

__all__ = ["Kind", "MarkerSearch", "Patterns", "Search", "check_markers"]

Kind: TypeAlias = Literal["whole", "growing"]
Search: TypeAlias = "Callable[[str, int], Match[str] | None]"

_FEW: Final = 1_000
"""How many searches and walks take about as long as compiling a pattern."""


class Spelt(Protocol):
    """Anything that can be found in a text: a marker or a tag."""

    @property
    def canonical(self) -> str:
        """The spelling that the dialect itself writes."""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""


class _Node:
    """A node of the trie: the atoms that may come next, and the marker that ends here."""

    def __init__(self) -> None:
        self.next: dict[Atom, _Node] = {}
        self.marker: str | None = None

    @cached_property
    def pending(self) -> Atom:
        """Matches the end of a text where a lookahead has yet to be decided; empty for none."""
        pending = "|".join(filter(None, _pending(self)))
        return rf"(?:{pending})\Z" if pending else ""


class Patterns:
    """The patterns that find the markers of one state; compiled at first use.

    Args:
        markers: The markers, by name; `check_markers` makes sure that those of a table differ.
    """

    def __init__(self, markers: Mapping[str, Spelt]) -> None:
        self._markers = markers

    @cached_property
    def root(self) -> _Node:
        """The trie of the markers."""
        return _trie(self._markers)

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Finds the first marker; ``names[match.lastindex - 1]`` is its name."""
        return re.compile(_whole(self.root))

    @cached_property
    def growing(self) -> re.Pattern[str]:
        """Finds the first marker, or the beginning of one at the end (``lastindex`` is `None`)."""
        return re.compile(_growing(self.root))

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the markers, in the order of their groups."""
        return tuple(_leaves(self.root))


class MarkerSearch:
    """Finds what one of the patterns finds, and compiles the pattern only after many searches.

    Args:
        patterns: The patterns of the markers.
        kind: Which pattern it stands in for.
        settle: Called with the search of the pattern once that is compiled.
    """

    __slots__ = ("_first", "_is_growing", "_left", "_patterns", "_settle")

    def __init__(self, patterns: Patterns, kind: Kind, settle: Callable[[Search], object]) -> None:
        self._patterns, self._settle = patterns, settle
        self._is_growing = kind == "growing"
        self._first = re.compile("|".join(patterns.root.next)).finditer
        self._left = _FEW

    def __call__(self, text: str, start: int) -> Match[str] | None:
        """Find the first marker in *text* from *start* on."""
        patterns = self._patterns
        if self._left < 0:
            pattern = patterns.growing if self._is_growing else patterns.whole
            self._settle(pattern.search)
            return pattern.search(text, start)
        self._left -= 1
        for first in self._first(text, start):
            self._left -= 1
            at = first.start()
            if (found := _walk(patterns.root, text, at, growing=self._is_growing)) is not None:
                group = 0 if found.marker is None else patterns.names.index(found.marker) + 1
                return _matcher("(?s:.*)" + "()" * group)(text, at, found.end)
        return None


class _Found(NamedTuple):
    """Where the walk along a trie ended, and the marker that ends there; `None` for half of one."""

    end: int
    marker: str | None


def _walk(node: _Node, text: str, at: int, *, growing: bool) -> _Found | None:
    """Go on from *node* in *text* at *at*, in the order of the patterns."""
    end = len(text)
    if growing and node.pending and _matcher(node.pending)(text, at):
        return _Found(end, None)
    for atom, child in node.next.items():
        step = _matcher(atom)(text, at)
        if step is None:
            continue
        if growing and step.end() == end and child.next and not isinstance(atom, Ahead):
            return _Found(end, None)
        if (found := _walk(child, text, step.end(), growing=growing)) is not None:
            return found
    return None if node.marker is None else _Found(at, node.marker)


@cache
def _matcher(pattern: str) -> Callable[..., Match[str] | None]:
    return re.compile(pattern).match


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
    branches = [node.pending] if node.pending else []
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
