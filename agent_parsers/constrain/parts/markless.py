"""Texts without the markers that count in a state, made of the markers' own spellings.

Where a marker counts depends on what follows it and where it stands; here it counts everywhere,
and its runs are unbounded. So a text that is accepted has no marker, while some that have none are
refused, such as a word of prose that would be a marker before a list.

A call is only text behind a sign such as ``>`` on its line, in an indented block, in a fence that
the text before it opens, and after a sentence such as "Do not do this:". What closes a quotation
may not stand behind a call; see `cautious`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache, cached_property, lru_cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.constrain.parts.automaton import (
    ANY,
    SPACES,
    Automaton,
    Nfa,
    chars,
    intersection,
    minus,
    of_pattern,
    union,
)
from agent_parsers.constrain.parts.slots import SLOTS
from agent_parsers.engine.markers.kinds import Ahead, Literal, Marker, spelt_texts
from agent_parsers.engine.tables.rewritings import table_for
from agent_parsers.engine.tables.table import Note, Part, Table

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.automaton import Charset
    from agent_parsers.engine.tables.dialect import Dialect


def chain(nfa: Nfa, at: int, spelling: tuple[str, ...]) -> int:
    """Add the atoms of a *spelling* after the state *at*, and return the last state."""
    for atom in spelling:
        charset, is_run = of_pattern(atom)
        after = nfa.state()
        if is_run:
            nfa.skip(at, after)
        nfa.edge(after if is_run else at, charset, after)
        at = after
    return at


@cache
def text_without(parts: tuple[str, ...], then: str = "") -> Automaton:
    """Return the automaton of texts that contain none of *parts*.

    If *then* follows the text, a part in it must be the first one.
    """
    nfa = Nfa()
    home = nfa.state()
    nfa.edge(home, ANY, home)
    ends = {chain(nfa, home, tuple(map(re.escape, part))): part for part in parts}
    made, known = nfa.automaton([home], bad=ends)

    def first(states: frozenset[int]) -> int:
        for at, char in enumerate(then):
            states = nfa.step(states, char)
            if not states.isdisjoint(ends):
                return at
        return -1

    expected = first(nfa.closure([home]))
    fits = {number for states, number in known.items() if first(states) == expected}
    return made.where(fits.__contains__).smallest


@cache
def no_half_mark(parts: tuple[str, ...]) -> Automaton:
    """Return the automaton of texts that do not end in the beginning of one of *parts*."""
    nfa = Nfa()
    home = nfa.state()
    nfa.edge(home, ANY, home)
    halves = (part[:size] for part in parts for size in range(1, len(part)))
    ends = {chain(nfa, home, tuple(map(re.escape, half))) for half in halves}
    return nfa.automaton([home], bad=(), bad_ends=ends)[0].smallest


@lru_cache(maxsize=64)
def none_of(words: tuple[str, ...]) -> Automaton:
    """Return the automaton of all texts except *words*, even with white space around them."""
    nfa = Nfa()
    home, other = nfa.state(), nfa.state()
    nfa.edge(home, SPACES, home)
    nfa.edge(home, ANY, other)
    nfa.edge(other, ANY, other)
    ends = {chain(nfa, home, tuple(map(re.escape, word))) for word in words}
    for end in ends:
        nfa.edge(end, SPACES, end)
    return nfa.automaton([home], bad=(), bad_ends=ends)[0].smallest


@cache
def no_objects() -> Automaton:
    """Return the automaton of texts with no brace and no line that begins with a bracket."""
    nfa = Nfa()
    home, line, bad = nfa.state(), nfa.state(), nfa.state()
    nfa.edge(home, ANY, home)
    nfa.edge(home, chars("\n"), line)
    nfa.edge(line, union([SPACES, chars("`")]), line)
    nfa.edge(line, chars("[("), bad)
    nfa.edge(home, chars("{"), bad)
    return nfa.automaton([home, line], bad=[bad])[0].smallest


def _literals(table: Table) -> tuple[str, ...]:
    found = (marker for marker in table.markers.values() if isinstance(marker, Literal))
    return tuple(text for marker in found for text in spelt_texts(marker))


class Place(NamedTuple):
    """A place in a turn."""

    state: str
    """The state of the table."""
    reached: frozenset[int]
    """The states of the scanner, which say what part of a marker comes just before."""


def spellings(marker: Marker) -> Iterator[tuple[tuple[str, ...], tuple[Ahead, ...]]]:
    """Yield the spellings of *marker*, each with the conditions on what may follow it.

    A spelling that is only the beginning of the canonical text, and needs more after it, is
    yielded as the whole canonical text.
    """
    whole = tuple(map(re.escape, marker.canonical))
    for spelling in marker.spellings():
        atoms = tuple(atom for atom in spelling if not isinstance(atom, Ahead))
        aheads = tuple(atom for atom in spelling if isinstance(atom, Ahead))
        needs = any(atom.startswith("(?=") for atom in aheads)
        if needs and len(whole) > len(atoms) and whole[: len(atoms)] == atoms:
            yield whole, ()
        else:
            yield atoms, aheads


class _Scanner:
    """Finds the markers that count in one state of a table, and those that notes add."""

    def __init__(self, table: Table, state: str) -> None:
        self.nfa = Nfa()
        self.ends: dict[int, str] = {}
        """The states in which a marker that ends the text is complete, and the next state."""
        self._aheads: dict[int, tuple[Ahead, ...]] = {}
        """What has to follow the markers that are complete in these states."""
        self._table = table
        self.homes: dict[str, int] = {}
        """The states in which no marker has begun, by the states of the table."""
        self.home = self._home(state)

    def _home(self, state: str) -> int:
        """Return the state in which no marker has begun, in a *state* of the table."""
        if state in self.homes:
            return self.homes[state]
        home = self.homes[state] = self.nfa.state()
        self.nfa.edge(home, ANY, home)
        for (source, name), transition in self._table.transitions.items():
            if source != state:
                continue
            is_note = isinstance(transition, Note) and transition.to not in self._table.ends
            for spelling, aheads in spellings(self._table.markers[name]):
                end = chain(self.nfa, home, spelling)
                self._aheads[end] = aheads
                if is_note:
                    self.nfa.skip(end, self._home(transition.to))
                else:
                    self.ends[end] = transition.to
        return home

    def may_end(self, state: int, then: str) -> bool:
        """Return whether a marker that is complete in *state* may count if *then* follows."""
        if state not in self.ends:
            return False
        then = SLOTS.split(then)[0]
        aheads = self._aheads[state]
        return all(re.match(each, then) or re.fullmatch(each.pending, then) for each in aheads)


class CountingMarks:
    """The markers of a dialect, where they count in strict mode.

    No text contains a stop sequence of the dialect.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.table: Table = table_for(dialect, "strict")
        self.dialect = dialect
        self.stop: tuple[str, ...] = dialect.stop
        self._scanners: dict[str, _Scanner] = {}
        self._texts: dict[tuple[Place, str], Automaton] = {}
        self._in_json: dict[tuple[str, str], Automaton] = {}

    @property
    def begin(self) -> Place:
        """The beginning of a turn, which also begins a line."""
        return self.follow(self.fresh(self.table.initial), "\n")

    def fresh(self, state: str) -> Place:
        """Return a place in a *state* of the table at which no marker has begun."""
        scanner = self._scanner(state)
        return Place(state, scanner.nfa.closure([scanner.home]))

    def follow(self, place: Place, text: str) -> Place:
        """Return the place after *text*, which begins at *place*."""
        return self._met(place, text)[0]

    def _met(self, place: Place, text: str) -> tuple[Place, list[tuple[int, bool]]]:
        """Return the place after *text*, and its markers: their ends, and whether turns may end."""
        met = []
        for at, char in enumerate(text):
            scanner = self._scanner(place.state)
            reached = scanner.nfa.step(place.reached, char)
            rest = text[at + 1 :]
            ends = [scanner.ends[end] for end in sorted(reached) if scanner.may_end(end, rest)]
            if ends:
                place = self.fresh(ends[0])
                met.append((at, ends[0] in self.table.ends))
            else:
                place = Place(place.state, reached)
        return place, met

    def ends_in_mark(self, place: Place, text: str) -> bool:
        """Return whether *text*, which begins at *place*, ends with its first marker."""
        met = self._met(place, text)[1]
        return bool(met) and met[0][0] == len(text) - 1

    def text(self, place: Place, then: str = "") -> Automaton:
        """Return the smallest automaton of texts at *place* with no marker and no stop sequence.

        Args:
            place: Where they begin.
            then: What follows them; its markers, if it has any, must be the first.
        """
        if (place, then) not in self._texts:
            self._texts[place, then] = self._text(place, then).smallest
        return self._texts[place, then]

    def _text(self, place: Place, then: str) -> Automaton:
        scanner = self._scanner(place.state)
        made, known = scanner.nfa.automaton(place.reached, bad=scanner.ends)
        if then:
            expected = self._met(self.fresh(place.state), then)[1]
            odd = {
                home
                for state, home in scanner.homes.items()
                if self._met(self.fresh(state), then)[1] != expected
            }
            fits = {
                number
                for states, number in known.items()
                if states.isdisjoint(odd)
                and self._met(Place(place.state, states), then)[1] == expected
            }
            made = made.where(fits.__contains__)
        if self.stop:
            made = intersection(made, text_without(self.stop, then))
        if not self.is_call(place):
            return made
        if self.table.several:  # the reader of calls may go on to another state
            made = intersection(made, text_without(self.literals, then))
        elif place.state in self.table.begun:  # a call may begin behind any fence
            made = intersection(made, text_without(("```",)))
        else:
            return made
        return intersection(made, no_objects())

    def in_json(self, state: str, then: str) -> Automaton:
        """Return the automaton of texts that a JSON string may be in a *state*, before *then*.

        A string may begin a line. The next string may not complete a marker that it begins.
        """
        if (state, then) not in self._in_json:
            self._in_json[state, then] = self._strings(state, then)
        return self._in_json[state, then]

    def _strings(self, state: str, then: str) -> Automaton:
        scanner = self._scanner(state)
        place = self.follow(self.fresh(state), '\n"')
        made, known = scanner.nfa.automaton(place.reached, bad=scanner.ends)
        others = {*scanner.homes.values()} - {scanner.home}
        fits = {number for states, number in known.items() if states.isdisjoint(others)}
        return intersection(made.where(fits.__contains__), self.text(self.fresh(state), then))

    @cached_property
    def quoted(self) -> Automaton | None:
        """The texts that may be in quotes: those without a stop sequence; `None` for any text."""
        return text_without(self.stop) if self.stop else None

    @cached_property
    def literals(self) -> tuple[str, ...]:
        """The spellings of all markers that are literals."""
        return _literals(self.table)

    def after(self, closer: str) -> tuple[str, ...]:
        """Return further texts that must not occur before *closer*.

        If a server stops the model there, the text is not closed, and it may contain no tag at all.
        """
        return _literals(self.dialect.lenient) if closer.startswith(self.stop) else ()

    def is_call(self, place: Place) -> bool:
        """Return whether the text at *place* is read by the reader of a call."""
        return self.table.parts[place.state] is Part.CALL

    def barred(self, state: str) -> Charset:
        """Return the last characters of the markers that end a text in *state*."""
        scanner = self._scanner(state)
        into = (edge for edges in scanner.nfa.edges for edge in edges if edge[1] in scanner.ends)
        return union(charset for charset, _ in into)

    def _scanner(self, state: str) -> _Scanner:
        if state not in self._scanners:
            self._scanners[state] = _Scanner(self.table, state)
        return self._scanners[state]


@lru_cache(maxsize=256)
def marks_of(dialect: Dialect) -> CountingMarks:
    """Return the markers of *dialect*; they are cached for all of its parsers and tools."""
    return CountingMarks(dialect)


# -- content before calls --------------------------------------------------------------------------

_LINE: Final = chars("\n")
_WORD: Final = union([chars("_0123456789"), ((65, 90), (97, 122))])
_NOT_WORD: Final = minus(ANY, _WORD)
_COLON: Final = chars(":：")
_ENDS: Final = union([chars(".!?。！？\n"), _COLON])
_BLANKS: Final = union([SPACES, chars("[](),;}\ufeff\u200b")])
"""Characters between a sentence and a call, all that the reader skips."""
_TICKS: Final = chars("`~")
_LINE_SIGNS: Final = chars("+%;!$&~/-")
"""Characters that quote the rest of a line if nothing else stands before it."""
_TAG: Final = union([_WORD, chars("+#.-")])
_LEADS: Final = ("please", "you", "should", "must", "may")
_FORBIDS: Final = ("do not", "don't", "don’t", "not", "never", "avoid")


@cache
def content_before_calls(gap: str, *, has_fence: bool, brief: bool = False) -> Automaton:
    """Return the automaton of the texts after which a call may come.

    Args:
        gap: The text between the content and the calls.
        has_fence: Whether calls are in a fence, which would close a fence before them.
        brief: Whether to refuse all texts that end in a colon, which needs far fewer states.
    """
    nfa = Nfa()
    home, line = nfa.state(), nfa.state()
    nfa.edge(home, ANY, home)
    nfa.edge(home, _LINE, line)
    bad, bad_ends = set(), set()
    if "\n" not in gap:
        quoted = nfa.state()  # on earlier lines it does no harm, but to allow it doubles the states
        nfa.edge(home, chars("|│┃"), quoted)
        nfa.edge(line, union([minus(SPACES, _LINE), chars(">＞»›❯")]), quoted)
        signs = nfa.state()
        nfa.edge(signs, SPACES, signs)
        for state in (line, signs):
            nfa.edge(state, _LINE_SIGNS, signs)
        bad.add(quoted)
        bad_ends.add(signs)
    else:
        quoted = nfa.state()  # a fence may open behind the sign
        nfa.edge(line, chars(" \t"), line)
        nfa.edge(line, chars(">"), quoted)
        bad.add(quoted)
    if has_fence:
        bad |= {_word(nfa, home, "```"), _word(nfa, home, "~~~")}
    sentence = nfa.state()
    nfa.edge(home, _ENDS, sentence)
    if brief:
        colon = nfa.state()
        nfa.edge(home, _COLON, colon)
        bad_ends |= _lead(nfa, colon)
    else:
        bad_ends |= _denial(nfa, sentence)
    made, _ = nfa.automaton([home, line, sentence], bad=bad, bad_ends=bad_ends)
    return made.smallest


def _denial(nfa: Nfa, sentence: int) -> set[int]:
    """Add sentences that forbid what follows them; return the states in which one ends."""
    nfa.edge(sentence, minus(_NOT_WORD, _ENDS), sentence)
    for word in _LEADS:
        gap = nfa.state()
        nfa.edge(_word(nfa, sentence, word), _NOT_WORD, gap)
        nfa.skip(gap, sentence)
    forbidden, ended = nfa.state(), nfa.state()
    for word in _FORBIDS:
        end = _word(nfa, sentence, word)
        nfa.edge(end, minus(_NOT_WORD, _ENDS), forbidden)
        nfa.edge(end, _COLON, ended)
    nfa.edge(forbidden, minus(ANY, _ENDS), forbidden)
    nfa.edge(forbidden, _COLON, ended)
    return _lead(nfa, ended)


def _lead(nfa: Nfa, ended: int) -> set[int]:
    """Add what may stand between the colon in the state *ended* and a call; return its states."""
    ticks, tag = nfa.state(), nfa.state()
    for state in (ended, tag):
        nfa.edge(state, _BLANKS, ended)
    nfa.edge(ended, _TICKS, ticks)
    nfa.edge(ticks, _TICKS, ticks)
    nfa.skip(ticks, tag)
    nfa.edge(tag, _TAG, tag)
    return {ended, tag}


def _word(nfa: Nfa, start: int, word: str) -> int:
    """Add *word* in upper and lower case, and return its last state."""
    for char in word:
        after = nfa.state()
        nfa.edge(start, chars(char.lower() + char.upper()), after)
        start = after
    return start
