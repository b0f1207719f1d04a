"""Automata that accept texts, made of sets of characters and of patterns that may not occur."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Collection, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import cache, cached_property, lru_cache
from itertools import pairwise
from typing import Final, TypeAlias

Charset: TypeAlias = tuple[tuple[int, int], ...]
"""Ranges of code points, both ends included, in order and apart."""

_LAST: Final = 0x10FFFF
ANY: Final[Charset] = ((1, 0xD7FF), (0xE000, _LAST))
"""Every character that a model can write, apart from NUL, which some engines refuse."""
SPACES: Final[Charset] = (
    (9, 13), (28, 32), (0x85, 0x85), (0xA0, 0xA0), (0x1680, 0x1680), (0x2000, 0x200A),
    (0x2028, 0x202F), (0x205F, 0x205F), (0x3000, 0x3000),
)  # fmt: skip
"""All white space, and a few characters more for the sake of brevity."""
DIGITS: Final[Charset] = (
    (0x30, 0x39), (0x660, 0x1FFF), (0xA620, 0xABFF), (0xFF10, 0xFF19), (0x104A0, 0x1FBFF),
)  # fmt: skip
"""All digits, and all scripts between those that have digits of their own: exact ranges would make
grammars much longer."""


def union(sets: Iterable[Charset]) -> Charset:
    """Return the characters that are in any of *sets*."""
    merged: list[tuple[int, int]] = []
    for low, high in sorted(each for one in sets for each in one):
        if merged and low <= merged[-1][1] + 1:
            merged[-1] = merged[-1][0], max(high, merged[-1][1])
        else:
            merged.append((low, high))
    return tuple(merged)


def minus(one: Charset, other: Charset) -> Charset:
    """Return the characters of *one* that are not in *other*."""
    left: list[tuple[int, int]] = []
    for first, last in one:
        at = first
        for start, stop in other:
            if stop < at or start > last:
                continue
            if start > at:
                left.append((at, start - 1))
            at = stop + 1
        if at <= last:
            left.append((at, last))
    return tuple(left)


def chars(text: str) -> Charset:
    """Return the characters of *text*."""
    return union(((ord(char), ord(char)),) for char in text)


_RUN: Final = re.compile(r"(.*)\{0,\d+\}\+", re.DOTALL).fullmatch


@cache
def of_pattern(atom: str) -> tuple[Charset, bool]:
    """Return the characters that an *atom* of a marker matches, and whether it matches a run."""
    run = _RUN(atom)
    pattern = run[1] if run else atom
    fits = re.compile(pattern).fullmatch
    found = [
        chars("".join(char for char in {*map(chr, range(128)), *pattern} if fits(char))),
        SPACES if r"\s" in pattern else (),
        DIGITS if r"\d" in pattern else (),
    ]
    return union(found), run is not None


def spelt(char: int, special: str) -> str:
    """Return a character as written in a character class, escaped if *special* or not ASCII."""
    text = chr(char)
    if text in special:
        return f"\\{text}"
    named = {"\n": "\\n", "\r": "\\r", "\t": "\\t"}
    if text in named:
        return named[text]
    if 0x20 <= char < 0x7F:
        return text
    # Never with ``\\x``, which some engines read with as many hexadecimal digits as follow.
    return f"\\u{char:04x}" if char < 0x10000 else f"\\U{char:08x}"


# -- automata --------------------------------------------------------------------------------------

Row: TypeAlias = "tuple[tuple[Charset, int], ...]"
"""The transitions of a state: the characters and the next state. Others end in a refusal."""
_Meeting: TypeAlias = tuple[int, int, tuple[int, int]]
_BEYOND: Final = 0x110000
"""More than any code point."""


class TooManyStates(Exception):  # noqa: N818 - internal: callers say what it means
    """Raised for an automaton that would have more states than are allowed."""


@dataclass(frozen=True)
class Automaton:
    """A deterministic automaton over characters, which accepts texts.

    Two that are the `smallest` are equal if they accept the same texts.
    """

    rows: tuple[Row, ...]
    """The transitions of each state."""
    start: int
    """The state in which a text begins."""
    accepting: frozenset[int]
    """The states in which a text may end."""

    def step(self, state: int, char: str) -> int:
        """Return the state after *char*; -1 if it is refused."""
        code, ranges = ord(char), self._ranges[state]
        at = bisect_right(ranges, (code, _BEYOND)) - 1
        return ranges[at][2] if at >= 0 and code <= ranges[at][1] else -1

    @cached_property
    def _ranges(self) -> list[list[tuple[int, int, int]]]:
        """For each state, the ranges of characters in order: their ends, and where they lead."""
        return [
            sorted((low, high, to) for charset, to in row for low, high in charset)
            for row in self.rows
        ]

    def meet(self, other: Automaton, state: int, beside: int) -> Iterator[_Meeting]:
        """Yield the characters with a transition from *state* here and from *beside* in *other*."""
        ours, theirs = self._ranges[state], other._ranges[beside]
        here = there = 0
        while here < len(ours) and there < len(theirs):
            (low, high, to), (first, last, goal) = ours[here], theirs[there]
            if max(low, first) <= min(high, last):
                yield max(low, first), min(high, last), (to, goal)
            if high < last:
                here += 1
            else:
                there += 1

    def run(self, text: str, state: int | None = None) -> int:
        """Return the state after *text*, starting in *state*; -1 if the text is refused."""
        at = self.start if state is None else state
        for char in text:
            if at >= 0:
                at = self.step(at, char)
        return at

    def accepts(self, text: str) -> bool:
        """Return whether the automaton accepts *text*."""
        return self.run(text) in self.accepting

    def __hash__(self) -> int:
        return self._hash

    @cached_property
    def _hash(self) -> int:
        return hash((self.rows, self.start, self.accepting))

    @cached_property
    def smallest(self) -> Automaton:
        """The smallest automaton that accepts the same texts."""
        live = self._live()
        moves = [[each for each in row if each[2] in live] for row in self._ranges]
        block = [int(state in self.accepting) for state in range(len(moves))]
        count = 0
        while count != len(set(block)):
            count = len(set(block))
            seen: dict[Hashable, int] = {}
            signs = [
                (own, _joined((low, high, block[to]) for low, high, to in row))
                for own, row in zip(block, moves, strict=True)
            ]
            block = [seen.setdefault(sign, len(seen)) for sign in signs]
        order = {block[self.start]: 0}
        rows: list[Row] = []
        todo = [self.start]
        for state in todo:
            reached = []
            for low, high, to in moves[state]:
                if block[to] not in order:
                    order[block[to]] = len(order)
                    todo.append(to)
                reached.append((low, high, order[block[to]]))
            rows.append(_row(reached))
        accepting = frozenset(
            order[block[state]] for state in self.accepting if block[state] in order
        )
        made = Automaton(tuple(rows), 0, accepting)
        made.__dict__["smallest"] = made
        return made

    def _live(self) -> set[int]:
        """Return the states from which a text may still be accepted."""
        before: defaultdict[int, set[int]] = defaultdict(set)
        for state, row in enumerate(self.rows):
            for _, to in row:
                before[to].add(state)
        live, todo = set(self.accepting), list(self.accepting)
        while todo:
            for state in before[todo.pop()] - live:
                live.add(state)
                todo.append(state)
        return live

    def where(self, is_end: Callable[[int], bool]) -> Automaton:
        """Return the automaton of the accepted texts that end in a state that *is_end* allows."""
        return Automaton(self.rows, self.start, frozenset(filter(is_end, self.accepting)))


@dataclass
class Nfa:
    """A nondeterministic automaton over characters; its states are numbers."""

    edges: list[list[tuple[Charset, int]]] = field(default_factory=list)
    skips: list[list[int]] = field(default_factory=list)

    def state(self) -> int:
        """Add a state and return it."""
        self.edges.append([])
        self.skips.append([])
        return len(self.edges) - 1

    def edge(self, start: int, charset: Charset, to: int) -> None:
        """Add a transition."""
        self.edges[start].append((charset, to))

    def skip(self, start: int, to: int) -> None:
        """Add a transition that reads no character."""
        self.skips[start].append(to)

    def closure(self, states: Iterable[int]) -> frozenset[int]:
        """Return *states* and all that are reached from them without reading a character."""
        found = set(states)
        todo = list(found)
        while todo:
            for to in self.skips[todo.pop()]:
                if to not in found:
                    found.add(to)
                    todo.append(to)
        return frozenset(found)

    def step(self, states: Iterable[int], char: str) -> frozenset[int]:
        """Return the states after *char*."""
        code = ord(char)
        return self.closure(
            to
            for state in states
            for charset, to in self.edges[state]
            if any(low <= code <= high for low, high in charset)
        )

    def automaton(
        self,
        start: Iterable[int],
        *,
        bad: Collection[int],
        bad_ends: Collection[int] = (),
        most: int | None = None,
    ) -> tuple[Automaton, Mapping[frozenset[int], int]]:
        """Return the deterministic automaton of the texts that reach no *bad* state.

        A text begins in the states *start*, and ends in none of *bad_ends*.

        Returns:
            The automaton, and its states by the sets of states here.

        Raises:
            TooManyStates: The automaton has more than *most* states.
        """
        used = {charset for edges in self.edges for charset, _ in edges}
        classes = partition(used)
        signs = [{charset for charset in used if not minus(each[:1], charset)} for each in classes]
        first = self.closure(start)
        known = {first: 0}
        todo = [first]
        rows: list[Row] = []
        for states in todo:
            if most is not None and len(known) > most:
                raise TooManyStates(f"its automaton would have more than {most} states")
            row: list[tuple[Charset, int]] = []
            for charset, sign in zip(classes, signs, strict=True):
                to = self.closure(
                    to for state in states for edge, to in self.edges[state] if edge in sign
                )
                if not to or not to.isdisjoint(bad):
                    continue
                if to not in known:
                    known[to] = len(known)
                    todo.append(to)
                row.append((charset, known[to]))
            rows.append(tuple(row))
        accepting = frozenset(n for states, n in known.items() if states.isdisjoint(bad_ends))
        return Automaton(tuple(rows), 0, accepting), known


def _joined(ranges: Iterable[tuple[int, int, int]]) -> tuple[tuple[int, int, int], ...]:
    """Return *ranges* that lead on, with those joined that touch and lead to the same state."""
    joined: list[tuple[int, int, int]] = []
    for low, high, to in ranges:
        if joined and joined[-1][1] + 1 == low and joined[-1][2] == to:
            joined[-1] = joined[-1][0], high, to
        else:
            joined.append((low, high, to))
    return tuple(joined)


def _row(ranges: Iterable[tuple[int, int, int]]) -> Row:
    """Return the transitions of a state, given *ranges* in order and where they lead."""
    by_target: dict[int, list[tuple[int, int]]] = {}
    for low, high, to in _joined(ranges):
        by_target.setdefault(to, []).append((low, high))
    return tuple((tuple(each), to) for to, each in by_target.items())


def partition(charsets: Iterable[Charset]) -> list[Charset]:
    """Return the largest sets of characters that are either all in or all outside each charset."""
    sets = sorted({*charsets, ANY})
    edges = sorted({edge for one in sets for low, high in one for edge in (low, high + 1)})
    groups: defaultdict[tuple[bool, ...], list[tuple[int, int]]] = defaultdict(list)
    for low, after in pairwise(edges):
        sign = tuple(any(a <= low <= b for a, b in one) for one in sets)
        if any(a <= low <= b for a, b in ANY):
            groups[sign].append((low, after - 1))
    return [union([tuple(ranges)]) for ranges in groups.values()]


@lru_cache(maxsize=1024)
def intersection(one: Automaton, other: Automaton) -> Automaton:
    """Return the smallest automaton of the texts that both automata accept.

    Those of a dialect are the same for all of its parsers and tools, so they are cached.
    """
    first = (one.start, other.start)
    known = {first: 0}
    todo = [first]
    rows: list[Row] = []
    for a, b in todo:
        reached = []
        for low, high, to in one.meet(other, a, b):
            if to not in known:
                known[to] = len(known)
                todo.append(to)
            reached.append((low, high, known[to]))
        rows.append(_row(reached))
    accepting = frozenset(
        number for (a, b), number in known.items() if a in one.accepting and b in other.accepting
    )
    return Automaton(tuple(rows), 0, accepting).smallest
