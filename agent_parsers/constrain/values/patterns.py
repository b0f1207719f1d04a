r"""Regular expressions of schemas as automata of the texts that they are found in.

Classes, groups, alternatives, repeats, ``^`` and ``$`` are read, and ``\d``, ``\w``, ``\s``. Where
these differ between engines, an automaton has the characters that all agree on: ``\d`` is
``[0-9]``, and ``\D`` is no digit of any script. Other expressions, such as those that look ahead,
are a `GrammarError`.
"""

from __future__ import annotations

from functools import lru_cache
from string import hexdigits
from typing import Final, NoReturn

from agent_parsers.constrain.parts.automaton import (
    ANY,
    DIGITS,
    SPACES,
    Automaton,
    Charset,
    Nfa,
    TooManyStates,
    chars,
    minus,
    union,
)
from agent_parsers.constrain.parts.tree import (
    Chars,
    Choice,
    FixedText,
    GrammarError,
    Node,
    Repeat,
    Sequence,
    choice,
    sequence,
)

_MOST_STATES: Final = 600
"""The most states of an automaton; grammars with more take engines too long."""
_MOST_REPEATS: Final = 2000
_MOST_DEEP: Final = 20

_ASCII: Final = ((0x01, 0x7F),)
_DIGIT: Final = chars("0123456789")
_WORD: Final = union([_DIGIT, chars("_"), ((65, 90), (97, 122))])
_SPACE: Final = chars(" \t\n\r\f\v")
_CLASSES: Final[dict[str, Charset]] = {
    "d": _DIGIT,
    "D": minus(ANY, DIGITS),
    "w": _WORD,
    "W": minus(_ASCII, _WORD),
    "s": _SPACE,
    "S": minus(ANY, SPACES),
}
_NEGATED: Final[dict[str, Charset]] = {
    "d": DIGITS,
    "D": minus(ANY, _DIGIT),
    "w": minus(ANY, minus(_ASCII, _WORD)),
    "W": minus(ANY, _WORD),
    "s": SPACES,
    "S": minus(ANY, _SPACE),
}
"""What the classes may be at most, for the classes that exclude them."""
_NAMED: Final = {"n": "\n", "r": "\r", "t": "\t", "f": "\f", "v": "\v", "0": "\0"}
_CODES: Final = {"x": 2, "u": 4}
_BOUNDS: Final[dict[str, tuple[int, int | None]]] = {"*": (0, None), "+": (1, None), "?": (0, 1)}


@lru_cache(maxsize=1024)
def of_pattern(pattern: str) -> Automaton:
    """Return the automaton of the texts in which *pattern* is found.

    Raises:
        GrammarError: The pattern has something that is not supported, or needs too many states.
    """
    nfa = Nfa()
    begin, inside, after = (nfa.state() for _ in range(3))
    nfa.skip(begin, inside)
    nfa.edge(inside, ANY, inside)
    nfa.edge(after, ANY, after)
    ends = {after}
    for is_first, node, is_last in _Reader(pattern).alternatives():
        end = _add(nfa, begin if is_first else inside, node)
        if is_last:
            ends.add(end)
        else:
            nfa.skip(end, after)
    return _determined(nfa, begin, ends)


def automaton_of(node: Node) -> Automaton:
    """Return the automaton of what *node* allows; it must not contain `Rule` or `Text`."""
    nfa = Nfa()
    begin = nfa.state()
    return _determined(nfa, begin, {_add(nfa, begin, node)})


def _determined(nfa: Nfa, begin: int, ends: set[int]) -> Automaton:
    try:
        made, known = nfa.automaton([begin], bad=(), most=_MOST_STATES)
    except TooManyStates as error:
        raise GrammarError(str(error)) from None
    fits = {number for states, number in known.items() if not states.isdisjoint(ends)}
    if not fits:
        raise GrammarError("no string matches the pattern")
    return made.where(fits.__contains__).smallest


def _add(nfa: Nfa, start: int, node: Node) -> int:
    """Add *node* from the state *start* on, and return the state after it."""
    match node:
        case FixedText(text):
            for char in text:
                start = _add(nfa, start, Chars(chars(char)))
            return start
        case Chars(charset):
            end = nfa.state()
            nfa.edge(start, charset, end)
            return end
        case Sequence(parts):
            for part in parts:
                start = _add(nfa, start, part)
            return start
        case Choice(options):
            end = nfa.state()
            for option in options:
                nfa.skip(_add(nfa, start, option), end)
            return end
        case Repeat(part, least, most):
            return _add_repeat(nfa, start, part, least, most)
    raise AssertionError(f"no automaton can be made from {node}")


def _add_repeat(nfa: Nfa, start: int, part: Node, least: int, most: int | None) -> int:
    if len(nfa.edges) > _MOST_REPEATS:
        raise GrammarError("the pattern has too many repeats")
    for _ in range(least):
        start = _add(nfa, start, part)
    if most is None:
        loop = nfa.state()
        nfa.skip(start, loop)
        nfa.skip(_add(nfa, loop, part), loop)
        return loop
    end = nfa.state()
    for _ in range(most - least):
        nfa.skip(start, end)
        start = _add(nfa, start, part)
        if len(nfa.edges) > _MOST_REPEATS:
            raise GrammarError("the pattern has too many repeats")
    nfa.skip(start, end)
    return end


class _Reader:
    """Reads a regular expression from left to right."""

    def __init__(self, pattern: str) -> None:
        self._pattern = pattern
        self._at = 0
        self._depth = 0

    def alternatives(self) -> list[tuple[bool, Node, bool]]:
        """Return the alternatives, and whether each is bound to the start and end of the text."""
        found = self._alternatives()
        if self._at < len(self._pattern):
            self._refuse("a closing bracket without an opening one")
        return found

    def _alternatives(self, *, within: bool = False) -> list[tuple[bool, Node, bool]]:
        found = [self._alternative(within=within)]
        while self._take("|"):
            found.append(self._alternative(within=within))
        return found

    def _alternative(self, *, within: bool) -> tuple[bool, Node, bool]:
        parts: list[Node] = []
        is_first = is_last = False
        while self._at < len(self._pattern) and self._next not in "|)":
            if is_last:
                self._refuse("'$' before the end")
            elif self._take("^") or self._take("\\A"):
                if parts or within:
                    self._refuse("'^' after the beginning")
                is_first = True
            elif self._take("$") or self._take("\\Z") or self._take("\\z"):
                if within:
                    self._refuse("'$' before the end")
                is_last = True
            else:
                parts.append(self._repeated(self._atom()))
        return is_first, sequence(*parts), is_last

    @property
    def _next(self) -> str:
        return self._pattern[self._at : self._at + 1]

    def _take(self, text: str) -> bool:
        is_there = self._pattern.startswith(text, self._at)
        self._at += len(text) * is_there
        return is_there

    def _refuse(self, what: str) -> NoReturn:
        raise GrammarError(f"it has {what}")

    def _repeated(self, atom: Node) -> Node:
        if self._next == "{":
            bounds = self._bounds()
        elif self._next and self._next in _BOUNDS:
            bounds = _BOUNDS[self._next]
            self._at += 1
        else:
            return atom
        self._take("?")  # which of several matches is found does not matter
        if self._next and self._next in "*+?{":
            self._refuse("a repeat of a repeat, or a possessive repeat")
        return Repeat(atom, *bounds)

    def _bounds(self) -> tuple[int, int | None]:
        inside, closer, _ = self._pattern[self._at + 1 :].partition("}")
        low, comma, high = inside.partition(",")
        is_count = bool(low or high) and all(not n or n.isdecimal() for n in (low, high))
        if not closer or not is_count or max(len(low), len(high)) > 5:
            self._refuse("'{' without a number of repeats")
        self._at += len(inside) + 2
        least = int(low or 0)
        most = (int(high) if high else None) if comma else least
        if most is not None and most < least:
            self._refuse("'{' without a number of repeats")
        return least, most

    def _atom(self) -> Node:
        if self._take("("):
            return self._group()
        if self._take("["):
            return Chars(self._class())
        if self._take("."):
            return Chars(minus(ANY, chars("\n")))
        if self._take("\\"):
            return Chars(self._escaped()[0])
        char = self._next
        if char in "*+?{":
            self._refuse(f"{char!r} with nothing to repeat")
        self._at += 1
        return Chars(self._char(char))

    def _group(self) -> Node:
        if self._take("?") and not self._take(":"):
            name, closer, _ = self._pattern[self._at :].partition(">")
            named = name.removeprefix("P").removeprefix("<")
            if not closer or named == name or not named.isidentifier():
                self._refuse("a special group, such as a lookahead")
            self._at += len(name) + 1
        self._depth += 1
        if self._depth > _MOST_DEEP:
            self._refuse(f"groups nested deeper than {_MOST_DEEP} levels")
        found = choice(node for _, node, _ in self._alternatives(within=True))
        self._depth -= 1
        if not self._take(")"):
            self._refuse("an opening bracket without a closing one")
        return found

    def _char(self, char: str) -> Charset:
        if char == "\0" or 0xD800 <= ord(char) <= 0xDFFF:
            self._refuse("a character that no grammar may contain")
        return chars(char)

    def _escaped(self) -> tuple[Charset, Charset]:
        """Return the characters of an escape, as they are for sure and as they may be at most."""
        char = self._next
        self._at += 1
        if char in _CLASSES and char:
            return _CLASSES[char], _NEGATED[char]
        if char in _NAMED and char and not (char == "0" and self._next.isdecimal()):
            found = self._char(_NAMED[char])
        elif char in _CODES and char:
            digits = self._pattern[self._at : self._at + _CODES[char]]
            if len(digits) < _CODES[char] or not set(digits) <= set(hexdigits):
                self._refuse(f"'\\{char}' without digits")
            self._at += len(digits)
            found = self._char(chr(int(digits, 16)))
        elif char and char.isascii() and not char.isalnum() and char not in "<>`'":
            found = self._char(char)
        else:
            self._refuse(f"'\\{char}'")
        return found, found

    def _class(self) -> Charset:
        is_negated = self._take("^")
        members = [self._member(is_first=True)]
        while not self._take("]"):
            members.append(self._member(is_first=False))
        sure, most = (union(each) for each in zip(*members, strict=True))
        return minus(ANY, most) if is_negated else sure

    def _member(self, *, is_first: bool) -> tuple[Charset, Charset]:
        first, largest = self._single(is_first=is_first)
        after = self._pattern[self._at : self._at + 2]
        if after[:1] != "-" or after in ("-", "-]"):
            return first, largest
        self._at += 1
        last, _ = self._single(is_first=False)
        (low, high), (start, stop) = first[0], last[0]
        if low != high or start != stop or len(first) > 1 or len(last) > 1 or low > start:
            self._refuse("an invalid range of characters")
        made = minus(((low, start),), ((0, 0), (0xD800, 0xDFFF)))
        return made, made

    def _single(self, *, is_first: bool) -> tuple[Charset, Charset]:
        char = self._next
        if not char:
            self._refuse("a character class that is not closed")
        self._at += 1
        if char == "\\":
            return self._escaped()
        twice = char + self._next
        if char == "[" or twice in ("--", "&&", "||", "~~"):
            self._refuse("a character class within another")
        if char == "]" and not is_first:
            self._refuse("a character class that is not closed")
        found = self._char(char)
        return found, found
