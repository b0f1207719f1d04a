"""Texts beside calls that both modes read alike: nothing in them looks like a mark or encloses.

Strict mode makes no call that lenient mode refuses, so what a grammar allows may have nothing that
lenient mode takes for a mark in another spelling, for a thought or for the end of a quotation.
"""

from __future__ import annotations

from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from agent_parsers.constrain.parts.automaton import ANY, SPACES, Automaton, Nfa, chars, minus, union
from agent_parsers.engine.markers.kinds import Label, label_words, spelt_texts
from agent_parsers.engine.tables.rewritings import table_for

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping

    from agent_parsers.engine.tables.dialect import Dialect

_WORD: Final = 4
"""How many letters of a label are too many."""
_LETTERS: Final = 3
"""How many characters of a mark, behind its first, are too many."""
_LATIN: Final = union([((65, 90), (97, 122), (0xC0, 0x24F))])
_LETTER: Final = union([_LATIN, ((0x370, 0x1FFF), (0x2E80, 0x2FFF), (0x3005, 0xFEFE))])
_SIGN: Final = minus(ANY, _LETTER)


@lru_cache(maxsize=256)
def nothing_like_marks(dialect: Dialect, most: int = _LETTERS) -> Automaton:
    """Return the automaton of texts in which nothing looks like a mark of *dialect*.

    A sign looks like one if the first letters of the mark follow it, in any case, with white space
    or a slash between them. A line begins like a label if it begins with its first letters, perhaps
    behind signs; labels that count anywhere do so everywhere. The fewer letters are looked at, at
    *most* so many, the fewer texts are left, and states.
    """
    labels, signs = _spelt(dialect, most)
    if dialect.form is not None and dialect.form.own_tool:
        # Its labels count anywhere; with more than this there would be far too many states.
        return _without([], {sign: {each[:1] for each in begins} for sign, begins in signs.items()})
    return _without(labels, signs, most)


@lru_cache(maxsize=256)
def nothing_like_tags(dialect: Dialect) -> Automaton:
    """Return the automaton of values in which nothing looks like a tag of *dialect*."""
    return _without([], _spelt(dialect, _LETTERS)[1])


@lru_cache(maxsize=256)
def nothing_like_labels(dialect: Dialect, *, anywhere: bool = False) -> Automaton:
    """Return the automaton of inputs in which nothing looks like a label.

    No line begins like a label. With *anywhere*, only labels that count anywhere are excluded.
    """
    labels = _spelt(dialect, _LETTERS)[0]
    return _without([each for each in labels if each[1] or not anywhere], {})


@lru_cache(maxsize=256)
def nothing_like_ends_of_labels(dialect: Dialect) -> Automaton:
    """Return the automaton of texts without a colon after the last letters of a label.

    They are those of its last word, perhaps at the end of a longer word. No letter stands between
    them and the colon, but anything else may. So no label of *dialect* is in such a text, wherever
    labels count and however the words before are written.
    """
    nfa = Nfa()
    anywhere, ended = nfa.state(), nfa.state()
    nfa.edge(anywhere, ANY, anywhere)
    for word in {label.split()[-1] for label, _ in _spelt(dialect, 0)[0]}:
        at = anywhere
        for char in word:
            at = _after(nfa, at, char)
        nfa.skip(at, ended)
    nfa.edge(ended, _SIGN, ended)
    colon = nfa.state()
    nfa.edge(ended, chars(":："), colon)
    return nfa.automaton([anywhere], bad=[colon])[0].smallest


@cache
def nothing_like_colons() -> Automaton:
    """Return the automaton of texts without a colon."""
    no_colon = minus(ANY, chars(":：")), 0
    return Automaton(((no_colon,),), 0, frozenset([0]))


def _spelt(dialect: Dialect, most: int) -> tuple[list[tuple[str, bool]], dict[str, set[str]]]:
    """Return the words of the marks in lenient mode, and at *most* so many letters behind signs.

    With the words, whether they count anywhere.
    """
    labels: list[tuple[str, bool]] = []
    signs: dict[str, set[str]] = {}
    strict = table_for(dialect, "strict").markers.values()
    known = {text.strip() for marker in strict for text in spelt_texts(marker)}
    for marker in table_for(dialect, "lenient").markers.values():
        is_anywhere = isinstance(marker, Label) and marker.anywhere
        labels += ((text, is_anywhere) for text in label_words(marker))
        for text in () if label_words(marker) else map(str.strip, spelt_texts(marker)):
            if text[:1].isalnum() and text not in known:
                labels.append((text, True))
            elif text and not text[0].isalnum():
                begins = text[1:].lstrip().removeprefix("/").lstrip()[:most]
                signs.setdefault(text[0], set()).add(begins.lower())
    return labels, signs


def _without(
    labels: Collection[tuple[str, bool]], signs: Mapping[str, set[str]], most: int = _LETTERS
) -> Automaton:
    """Return the automaton of texts without these *labels* and *signs*; see `_spelt`.

    If *most* is 0, no line begins with the first letter of a label.
    """
    nfa = Nfa()
    line, anywhere = nfa.state(), nfa.state()
    nfa.edge(anywhere, ANY, anywhere)
    if not all(is_anywhere for _, is_anywhere in labels):
        nfa.edge(anywhere, chars("\n"), line)
        nfa.edge(line, _SIGN, line)
    bad: set[int] = set()
    half: set[int] = set()
    for label, is_anywhere in labels:
        start, size = (anywhere, 3 * _WORD) if is_anywhere else (line, _WORD if most else 1)
        bad.add(_label(nfa, start, label, size))
    for sign, begins in signs.items():
        start = nfa.state()
        nfa.edge(anywhere, chars(sign), start)
        nfa.edge(start, union([SPACES, chars("/")]), start)
        half.add(start)
        for letters in begins:
            at = start
            for char in letters:
                at = _after(nfa, at, char)
                half.add(at)
            bad.add(at)
    made, _ = nfa.automaton([line, anywhere], bad=bad, bad_ends=half - bad)
    return made.smallest


def _after(nfa: Nfa, at: int, char: str) -> int:
    """Add a letter in either case behind the state *at*, and return the state behind it."""
    after = nfa.state()
    nfa.edge(at, chars(char.lower()[:1] + char.upper()[:1]), after)
    return after


def _label(nfa: Nfa, start: int, text: str, most: int) -> int:
    """Add the first letters of a label, at *most* so many; return the state behind them.

    Any signs may join its words.
    """
    at, left = start, most
    for number, word in enumerate(text.split()):
        if number and left > 0:
            joint = nfa.state()
            nfa.skip(at, joint)
            nfa.edge(joint, _SIGN, joint)
            at = joint
        for char in word[: max(left, 0)]:
            at = _after(nfa, at, char)
        left -= len(word)
    return at


# -- content beside calls --------------------------------------------------------------------------

_QUOTES: Final = chars('"“”„‟＂〝〞〟‘‚‛＇«»‹›「」『』《》〈〉｢｣﹁﹂﹃﹄')
_CLOSERS: Final = union([_QUOTES, chars("`~<[]{}【】◁▷*|")])
_APOSTROPHES: Final = chars("'’")
_COMMENTS: Final = chars("!#%@?-")
_CODE: Final = minus(ANY, chars("`\n"))


@cache
def nothing_like_calls(begins: frozenset[str] | None) -> Automaton:
    """Return the automaton of texts in which nothing looks like a call in another form.

    A brace looks like one, which may open JSON, and so do a word right before `(` or `[`, a
    quotation mark before a colon, which may end a key, and `<` before a letter with which the name
    of a tool *begins*, in either case; `None` stands for any.
    """
    nfa = Nfa()
    home, named, key, element, called = (nfa.state() for _ in range(5))
    nfa.edge(home, ANY, home)
    nfa.edge(home, chars("{"), called)
    nfa.edge(home, union([_LETTER, chars("_")]), named)
    nfa.edge(named, chars("(["), called)
    nfa.edge(home, chars('"'), key)
    nfa.edge(key, SPACES, key)
    nfa.edge(key, chars(":"), called)
    letters = _LETTER if begins is None else chars("".join(begins))
    nfa.edge(home, chars("<"), element)
    nfa.edge(element, letters, called)
    return nfa.automaton([home], bad=[called])[0].smallest


@cache
def nothing_that_closes(*, is_line: bool) -> Automaton:
    """Return the automaton of texts that close no quotation; apostrophes in words are allowed.

    It may have code in backticks, but only begin with it if it begins a line (*is_line*).
    """
    nfa = Nfa()
    begun, home, letter, joined, comment, code, coded = (nfa.state() for _ in range(7))
    others = minus(ANY, union([_LATIN, _CLOSERS, _APOSTROPHES, _COMMENTS]))
    for state in (begun, home, letter, comment):
        nfa.edge(state, _LATIN, letter)
        nfa.edge(state, _COMMENTS, comment)
        nfa.edge(state, others if state != comment else minus(others, chars(")>")), home)
        if is_line or state != begun:
            nfa.edge(state, chars("`"), code)
    nfa.edge(letter, _APOSTROPHES, joined)
    nfa.edge(joined, _LATIN, letter)
    nfa.edge(code, _CODE, coded)
    nfa.edge(coded, _CODE, coded)
    nfa.edge(coded, chars("`"), letter)
    return nfa.automaton([begun], bad=(), bad_ends=[joined, code, coded])[0].smallest
