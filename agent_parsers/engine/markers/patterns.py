r"""Patterns that find markers, complete or still incomplete.

The atoms of all markers of a state form a trie. Short texts are read by walking it. A state that
walks often gets the pattern *whole*, compiled from the trie: that takes as long as a thousand
walks, which most states never need. A text that goes on may also end in the beginning of a marker,
which a later chunk may complete: whether it does is always found by walking, so the pattern does
not have to allow for the end of the text behind each atom, which would make it four times as large.

Runs are possessive and short, so a failing match backtracks over a bounded number of characters,
and a marker has a bounded length: both take linear time on any text.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property, lru_cache, partial
from itertools import chain
from re import Match
from typing import Final, Literal, Protocol, TypeAlias

from agent_parsers.engine.markers.kinds import Ahead, Atom

_MOST_BEGUN, _SHORT = 256, 32
"""How many ends of texts a state remembers, and of how many characters."""
_MOST_WALKS, _LONG = 1 << 10, 1 << 12
"""How often a state walks before its pattern is compiled, and in texts of how many characters."""
_MOST_AHEAD: Final = 1024
"""Most characters that a lookahead waits for; it has a run of 256 at most, and words."""
_RUN: Final = re.compile(r".*\{\d+,(\d+)\}\+", re.DOTALL).fullmatch


class Spelt(Hashable, Protocol):
    """Something to be found in a text: a marker or a tag."""

    @property
    def canonical(self) -> str:
        """The spelling that the dialect itself writes."""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""


class Node:
    """A node of the trie, which grows as it is walked, *depth* atoms from its root.

    The *spellings* that lead through it have the names of their markers.
    """

    def __init__(self, spellings: Sequence[tuple[str, tuple[Atom, ...]]], depth: int = 0) -> None:
        self._spellings, self._depth = spellings, depth

    @cached_property
    def next(self) -> dict[Atom, Node]:
        """The atoms that may come next, and the node to which each leads."""
        found: dict[Atom, list[tuple[str, tuple[Atom, ...]]]] = {}
        for each in self._spellings:
            if len(each[1]) > self._depth:
                found.setdefault(each[1][self._depth], []).append(each)
        return {atom: Node(spellings, self._depth + 1) for atom, spellings in found.items()}

    @cached_property
    def marker(self) -> str | None:
        """Name of the marker that ends at this node, if any."""
        return next((name for name, atoms in self._spellings if len(atoms) == self._depth), None)

    @cached_property
    def pending(self) -> Atom:
        """Pattern for a text that ends before a lookahead is decided; empty without one."""
        ahead = [(a.pending, node.pending) for a, node in self.next.items() if isinstance(a, Ahead)]
        pending = "|".join(filter(None, chain.from_iterable(ahead)))
        return rf"(?:{pending})\Z" if pending else ""


class Patterns:
    """What finds the markers of one state: their trie, and patterns, compiled when needed."""

    def __init__(self, markers: Mapping[str, Spelt]) -> None:
        self.markers = markers
        self._walks = 0

    @staticmethod
    @lru_cache(1024)
    def of(marker: Spelt) -> Patterns:
        """Return the patterns of one *marker*; cached, since they are compiled when needed."""
        return Patterns({"": marker})

    def __reduce__(self) -> tuple[type[Patterns], tuple[Mapping[str, Spelt]]]:
        return Patterns, (self.markers,)

    @cached_property
    def root(self) -> Node:
        """The trie of the markers."""
        named = ((n, each) for n, marker in self.markers.items() for each in _spellings(marker))
        return Node([*named])

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Pattern that finds the first marker; its name is ``names[match.lastindex - 1]``."""
        return re.compile(_whole(self.root) if self.markers else "(?!)")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """Names of the markers, in the order of their groups."""
        return tuple(_leaves(self.root))

    def is_cold(self, size: int) -> bool:
        """Return whether *size* more characters are too few to compile a pattern for them."""
        return size <= _LONG and self._walks <= _MOST_WALKS

    def walk(self, text: str, start: int, *, is_last: bool) -> Found | None:
        """Find the first marker, or an incomplete one unless *is_last*, without *whole*."""
        for first in self._first(text, start):
            self._walks += 1
            if (found := self._marker_at(text, first.start(), is_last)) is not None:
                return found
        return None

    def match(self, text: str) -> Found | None:
        """Return the marker with which *text* begins."""
        self._walks += 1
        return self._marker_at(text, 0, True) if self.is_cold(0) else self.whole.match(text)

    def growing(self, text: str, start: int) -> Found | None:
        """Find the first marker, or an incomplete one at the end of *text*."""
        found = self.whole.search(text, start)
        last = len(text) if found is None else found.start()
        for first in self._first(text, max(start, len(text) - self._longest)):
            if (at := first.start()) > last:
                break
            is_short = len(text) - at <= _SHORT
            end = self._at_start(text[at:]) if is_short else self._marker_at(text, at)
            if end is not None and end.lastindex is None:
                return Walked(text, at, len(text))
        return found

    def growing_at(self, text: str, at: int) -> Walked | None:
        """Return the marker at an offset, or its beginning at the end of *text*."""
        if len(text) - at > _SHORT:
            return self._marker_at(text, at)
        found = self._at_start(text[at:])
        return found and Walked(text, at, at + len(found[0]), found.lastindex)

    @cached_property
    def _at_start(self) -> Callable[[str], Walked | None]:
        """Finds the marker with which a short text begins; cached, since the same few recur."""
        return lru_cache(_MOST_BEGUN)(partial(self._marker_at, start=0))

    def _marker_at(self, text: str, start: int, is_last: bool = False) -> Walked | None:
        """Return the marker at an offset, or its beginning at the end of *text* unless *is_last*.

        The branches are tried in the order of the pattern.
        """
        node, at, is_open = self.root, start, not is_last
        if is_open and node.pending and _matcher(node.pending)(text, at):
            return Walked(text, start, len(text))
        walk = [(node, at, iter(node.next.items()))]
        while walk:
            node, at, branches = walk[-1]
            for atom, child in branches:
                if (step := _matcher(atom)(text, at)) is None:
                    continue
                end = step.end()
                if is_open and (
                    (end == len(text) and child.next and not isinstance(atom, Ahead))
                    or (child.pending and _matcher(child.pending)(text, end))
                ):
                    return Walked(text, start, len(text))
                walk.append((child, end, iter(child.next.items())))
                break
            else:
                if node.marker is not None:
                    return Walked(text, start, at, node.marker)
                walk.pop()
        return None

    @cached_property
    def _first(self) -> Callable[[str, int], Iterator[Match[str]]]:
        """Finds the characters that may begin a marker."""
        return re.compile(_beginnings(self.root)).finditer

    @cached_property
    def _longest(self) -> int:
        """Most characters that the beginning of a marker may have."""
        spellings = (atoms for marker in self.markers.values() for atoms in _spellings(marker))
        return max((sum(map(_size, atoms)) for atoms in spellings), default=0)


def _size(atom: Atom) -> int:
    """Return most characters that an *atom* may match."""
    if isinstance(atom, Ahead):
        return _MOST_AHEAD
    run = _RUN(atom)
    return int(run[1]) if run is not None else 1


@dataclass(slots=True)
class Walked:
    """A marker found by walking, as a `re.Match`; ``lastindex`` is its name, or `None` if begun."""

    string: str
    _start: int
    _end: int
    lastindex: str | None = None

    def start(self) -> int:
        """Return where the marker begins."""
        return self._start

    def end(self) -> int:
        """Return where the marker ends."""
        return self._end

    def span(self) -> tuple[int, int]:
        """Return the span of the marker."""
        return self._start, self._end

    def __getitem__(self, group: Literal[0]) -> str:
        return self.string[self._start : self._end]


Found: TypeAlias = Match[str] | Walked
"""A marker in a text, or the beginning of one at the end (``lastindex`` is `None`)."""
Search: TypeAlias = Callable[[str, int], Found | None]
"""Finds the first marker in a text, from an offset on."""


def _beginnings(root: Node) -> str:
    """Return a pattern for the first atom of a marker where the second may follow it."""
    branches = []
    for atom, child in root.next.items():
        seconds = list(child.next) if child.marker is None else []
        if seconds:
            seconds += filter(None, [child.pending, "" if isinstance(atom, Ahead) else r"\Z"])
        branches.append(f"{atom}(?={'|'.join(seconds)})" if seconds else atom)
    return "|".join(branches)


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
                raise ValueError(f"markers {other!r} and {name!r} have the same spelling")
            if not isinstance(spelling[len(beginning)], Ahead):
                raise ValueError(f"marker {other!r} is a prefix of marker {name!r}")
        begun.append((spelling, name))


def _leaves(node: Node) -> Iterator[str]:
    """Yield the names of the markers, in the order of their groups in the pattern."""
    for child in node.next.values():
        yield from _leaves(child)
    if node.marker is not None:
        yield node.marker


def _whole(node: Node) -> str:
    """Return a pattern for the rest of a marker; the empty group at its end identifies it."""
    lead = ""
    while node.marker is None and len(node.next) == 1:
        [(atom, node)] = node.next.items()
        lead += atom
    branches = [atom + _whole(child) for atom, child in node.next.items()]
    if node.marker is not None:
        branches.append("()")  # tried last: markers with a lookahead come first
    return lead + (branches[0] if len(branches) == 1 else f"(?:{'|'.join(branches)})")
