r"""Patterns that find markers, complete or still incomplete.

The atoms of all markers of a state form a trie, from which two patterns are built:

* *whole* finds the first marker;
* *growing* also finds the beginning of a marker at the very end of the text, which a later chunk
  may complete.

Runs are possessive and short, so a failing match backtracks over a bounded number of characters:
both patterns take linear time on any text.

Compiling *growing* takes as long as reading a thousand chunks, and most states see fewer of them.
So a `MarkerSearch` walks the trie at first, from each character that may begin a marker.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache
from re import Match
from typing import Final, Literal, Protocol, TypeAlias

from agent_parsers.engine.markers.kinds import Ahead, Atom

Kind: TypeAlias = Literal["whole", "growing"]
"""Which of the two patterns is meant."""

_FEW: Final = 12_000
"""How many searches take less than compiling a pattern does."""
_WALK: Final = 4
"""A walk through the trie takes as long as this many searches that find nothing to walk from."""


class Spelt(Hashable, Protocol):
    """Anything that can be found in a text: a marker or a tag."""

    @property
    def canonical(self) -> str:
        """The spelling that the dialect itself writes."""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""


class _Node:
    """A node of the trie, which grows as it is walked.

    Args:
        spellings: The spellings that come by here, each with the name of its marker.
        depth: How many of their atoms lead here.
    """

    def __init__(self, spellings: Sequence[tuple[str, tuple[Atom, ...]]], depth: int = 0) -> None:
        self._spellings, self._depth = spellings, depth

    @cached_property
    def next(self) -> dict[Atom, _Node]:
        """The atoms that may come next, each with the node to which it leads."""
        found: dict[Atom, list[tuple[str, tuple[Atom, ...]]]] = {}
        for each in self._spellings:
            if len(each[1]) > self._depth:
                found.setdefault(each[1][self._depth], []).append(each)
        return {atom: _Node(spellings, self._depth + 1) for atom, spellings in found.items()}

    @cached_property
    def marker(self) -> str | None:
        """The marker that ends here."""
        return next((name for name, atoms in self._spellings if len(atoms) == self._depth), None)

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
        self.markers = markers
        self._left = _FEW

    def match(self, text: str) -> Found | None:
        """Find the marker with which *text* begins; the pattern is compiled after many texts."""
        if self._left < 0:
            return self.whole.match(text)
        self._left -= _WALK
        walk = _walk(self.root, text, 0, growing=False)
        return None if walk is None else _Walked(text, 0, walk[0], None)

    @cached_property
    def root(self) -> _Node:
        """The trie of the markers."""
        return _Node(
            [
                (name, spelling)
                for name, marker in self.markers.items()
                for spelling in _spellings(marker)
            ]
        )

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
        settle: Called with the pattern once that is compiled.
    """

    __slots__ = ("_first", "_is_growing", "_left", "_numbers", "_patterns", "_settle")

    def __init__(
        self,
        patterns: Patterns,
        kind: Kind,
        settle: Callable[[re.Pattern[str]], object],
    ) -> None:
        self._patterns, self._settle = patterns, settle
        self._is_growing = kind == "growing"
        self._first = re.compile(_beginnings(patterns.root, self._is_growing)).finditer
        self._numbers = {name: -number for number, name in enumerate(patterns.markers, 1)}
        self._left = _FEW

    def compiled(self) -> re.Pattern[str]:
        """Put the pattern, compiled, in the place of this search."""
        pattern = self._patterns.growing if self._is_growing else self._patterns.whole
        self._settle(pattern)
        return pattern

    def __call__(self, text: str, start: int) -> Found | None:
        """Find the first marker in *text* from *start* on."""
        if self._left < 0:
            return self.compiled().search(text, start)
        self._left -= 1
        for first in self._first(text, start):
            self._left -= _WALK
            at = first.start()
            walk = _walk(self._patterns.root, text, at, growing=self._is_growing)
            if walk is not None:
                end, marker = walk
                return _Walked(text, at, end, None if marker is None else self._numbers[marker])
        return None


@dataclass(slots=True)
class _Walked:
    """What a walk found, with what is asked of a match."""

    string: str
    _start: int
    _end: int
    lastindex: int | None
    """-1 for the first of the markers, -2 for the second; `None` for the beginning of one."""

    def start(self) -> int:
        """Return where it begins."""
        return self._start

    def end(self) -> int:
        """Return where it ends."""
        return self._end

    def __getitem__(self, group: Literal[0]) -> str:
        return self.string[self._start : self._end]


Found: TypeAlias = Match[str] | _Walked
"""A marker in a text, or the beginning of one at the end (``lastindex`` is `None`)."""
Search: TypeAlias = Callable[[str, int], Found | None]
"""Finds the first marker in a text, from an offset on."""


def _beginnings(root: _Node, is_growing: bool) -> str:
    """Return a pattern for the first atom of a marker where the second may follow it."""
    branches = []
    for atom, child in root.next.items():
        seconds = list(child.next) if child.marker is None else []
        if seconds and is_growing:
            seconds += filter(None, [child.pending, "" if isinstance(atom, Ahead) else r"\Z"])
        branches.append(f"{atom}(?={'|'.join(seconds)})" if seconds else atom)
    return "|".join(branches)


def _walk(node: _Node, text: str, at: int, *, growing: bool) -> tuple[int, str | None] | None:
    """Go on from *node* in *text* at *at*, in the order of the patterns.

    Returns:
        Where the walk ended, and the marker that ends there; no marker at the end of the text.
    """
    end = len(text)
    if growing and node.pending and _matcher(node.pending)(text, at):
        return end, None
    for atom, child in node.next.items():
        step = _matcher(atom)(text, at)
        if step is None:
            continue
        if growing and step.end() == end and child.next and not isinstance(atom, Ahead):
            return end, None
        if (found := _walk(child, text, step.end(), growing=growing)) is not None:
            return found
    return None if node.marker is None else (at, node.marker)


@lru_cache(1 << 12)
def _spellings(marker: Spelt) -> tuple[tuple[Atom, ...], ...]:
    """Return the spellings of *marker*, which most states share with others."""
    return (*marker.spellings(),)


@cache
def _matcher(pattern: str) -> Callable[[str, int], Match[str] | None]:
    return re.compile(pattern).match


def check_markers(markers: Mapping[str, Spelt]) -> None:
    """Check that each of *markers* can be distinguished from the others.

    Raises:
        ValueError: Two markers are spelt alike, one is the beginning of another, or one is empty.
    """
    spelt: list[tuple[tuple[Atom, ...], int, str]] = []
    for name, marker in markers.items():
        if not marker.canonical.strip(":"):
            raise ValueError(f"marker {name!r} is empty")
        spelt += [(spelling, len(spelt), name) for spelling in _spellings(marker)]
    begun: list[tuple[tuple[Atom, ...], str]] = []  # what the next spelling may begin with
    for spelling, _, name in sorted(spelt):
        while begun and spelling[: len(begun[-1][0])] != begun[-1][0]:
            begun.pop()
        if begun:
            beginning, other = begun[-1]
            if beginning == spelling:
                raise ValueError(f"marker {other!r} is spelt as {name!r} is")
            if not isinstance(spelling[len(beginning)], Ahead):
                raise ValueError(f"marker {other!r} is the beginning of {name!r}")
        begun.append((spelling, name))


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
