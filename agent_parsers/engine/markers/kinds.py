"""Markers: literals, labels at the beginning of a line, and labels in the middle of one.

A marker is a sequence of atoms: one required character, or an optional run of characters. Runs are
bounded, so the text that has to be held back is bounded too.
"""

from __future__ import annotations

import re
from collections.abc import Container, Iterator
from dataclasses import dataclass
from functools import cache
from itertools import chain
from typing import Final, NamedTuple, Self, TypeAlias
from typing import Literal as Choice

MOST: Final = 16
"""Longest run of white space, digits or dressing inside a label."""

Atom: TypeAlias = str
"""A pattern for one required character, or for an optional run of characters (it ends in ``+``);
see also `Ahead`."""


def _run(chars: str) -> Atom:
    return f"[{chars}]{{0,{MOST}}}+"


SPACE, BLANK, DIGITS = _run(r"\s"), _run(r" \t"), _run(r"\d")
HASHES, SPACED = _run("#"), r"\ "
_SPACES: Final = r" \t\v\f\x1c-\x1f\x85\xa0\u1680\u2000-\u200b\u2028\u2029\u202f\u205f\u3000\ufeff"
"""All white space within a line, with what has no width."""
JOINT, INDENT = _run(r" \t_\-"), _run(f"{_SPACES}#")


def _any_of(chars: str) -> Atom:
    return re.escape(chars) if len(chars) == 1 else f"[{re.escape(chars)}]"


class Ahead(str):
    """A pattern atom at the end of a marker that restricts what may follow (a lookahead).

    Args:
        pattern: A lookahead.
        pending: Pattern for text at the end of the input that a later chunk may complete; bounded.
        sample: Text that may follow.
    """

    __slots__ = ("pending", "sample")

    pending: str
    sample: str

    def __new__(cls, pattern: str, *, pending: str = "", sample: str) -> Self:
        """Make an atom of a *pattern*."""
        atom = super().__new__(cls, pattern)
        atom.pending, atom.sample = pending, sample
        return atom

    def __getnewargs_ex__(self) -> tuple[tuple[str], dict[str, str]]:
        return (str(self),), {"pending": self.pending, "sample": self.sample}


LINE_END = Ahead(r"(?=\n)", sample="\n")
TEXT_END = Ahead(rf"(?={SPACE}\Z)", pending=SPACE, sample="")


BOLD = (r"\*", r"\*")


def _unless(edge: tuple[Atom, ...]) -> Ahead:
    """Return an atom that requires that no mark follows whose characters match *edge*."""
    return Ahead(
        rf"(?!{BLANK}{''.join(edge)})",
        pending="".join((BLANK, *(f"(?:{char})?" for char in edge[:-1]))),
        sample="",
    )


def _begun(text: str) -> str:
    """Return a pattern for any beginning of *text*, the empty one and all of it included."""
    return "".join(f"(?:{re.escape(char)}" for char in text) + ")?" * len(text)


def _followed_by(label: str) -> tuple[Ahead, ...]:
    """Return an atom that requires short text, then *label* on this or the next non-blank line."""
    if not label:
        return ()
    words, end = re.escape(label), rf"[ \d]{{0,{MOST}}}+[*_]{{0,2}}+ ?+"
    line, gap = r"[^\n]{0,200}+", rf"\n[\s*_\-•\d.)]{{0,{MOST}}}+"
    return (
        Ahead(
            rf"(?=(?:[^\n:：]{{0,80}}+(?<={words})[*_]{{0,2}}+|{line}{gap}{words}{end})[:：])",
            pending=rf"{line}(?:{gap}{_begun(label)}{end})?",
            sample=f" x\n{label}:",
        ),
    )


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that is a marker anywhere, in one or several spellings; the first is canonical.

    Where two spellings match, the longer one counts. With *last*, the marker counts only if nothing
    but white space follows, and not in a text that contains *unless*, since the marker may close
    that. With a *place*, it counts only at the beginning of a line or state (``"line"``) or of the
    whole text (``"text"``).
    """

    canonical: str
    variants: tuple[str, ...] = ()
    last: bool = False
    unless: str = ""
    place: Choice["", "line", "text"] = ""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        ahead = (TEXT_END,) if self.last else ()
        texts = self.canonical, *self.variants
        for text in texts:
            rests = (other.removeprefix(text) for other in texts if other.startswith(text))
            longer = (
                Ahead(f"(?!{re.escape(rest)})", pending=_begun(rest[:-1]), sample="")
                for rest in rests
                if rest
            )
            yield (*map(re.escape, text), *longer, *ahead)

    def followed_by(self, ahead: Ahead) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, the last of which is *ahead*."""
        for spelling in Literal.spellings(self):
            yield *spelling, ahead

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of this marker."""
        return seen == self.canonical


@dataclass(frozen=True, slots=True)
class Label:
    """Words before a colon, each of which may carry a number: ``Action 1:``, ``Action 1 Input:``.

    A label stands at the beginning of a line, in exactly these words. With *anywhere*, it also
    counts in the middle of a line, and any white space may join its words, as in LangChain. A
    *loose* label may be indented, a heading (``#``, which needs no colon) or emphasised (``**`` may
    also end with the line), in upper or lower case, joined by ``_`` or ``-``, and may end in a
    full-width colon. A *firm* label may only be emphasised or end in a full-width colon: where any
    text may stand, a line such as ``# action:`` is more likely part of that text. A *listed* label
    may be a list item. A *borrowed* label belongs to another format, and
    reading it is a repair. With *then*, the label with those words has to follow, as for `Inline`.
    """

    words: str
    anywhere: bool = False
    loose: bool = False
    firm: bool = False
    listed: bool = False
    borrowed: bool = False
    then: str = ""
    colon: str = ":"
    """Characters that end the label; the first one is written."""
    also: tuple[str, ...] = ()
    """Other words that are read as this label."""

    @property
    def canonical(self) -> str:
        """The label as the dialect writes it."""
        return f"{self.words}{self.colon[0]}"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        then = _followed_by(self.then)
        for words in (self.words, *self.also):
            for label in self._labels(words.split()):
                yield *label, *then

    def _labels(self, words: list[str]) -> Iterator[tuple[Atom, ...]]:
        if not self.loose and not self.firm:
            label = (
                *chain.from_iterable((*map(re.escape, w), SPACE, DIGITS, SPACE) for w in words),
                _any_of(self.colon),
            )
            yield label if self.anywhere else ("\n", *label)
            return
        letters = [[self._letter(char) for char in word] for word in words]
        start: tuple[Atom, ...] = ("\n",) if self.firm else ("\n", INDENT)
        label = (*chain.from_iterable((*w, JOINT, DIGITS, JOINT) for w in letters[:-1]),)
        label = *label, *letters[-1], BLANK, DIGITS, BLANK
        colon = _any_of("".join(dict.fromkeys(f":：{self.colon}")))
        yield *start, *label, colon
        for edge in ((r"\*",), BOLD, ("_", "_")):
            yield *start, *edge, *label, colon, BLANK, *edge
            yield *start, *edge, *label, *edge, BLANK, colon
        yield *start, *BOLD, *label, colon, _unless(BOLD)
        for item in (("[-•]", BLANK), (r"\d", DIGITS, "[.)]", BLANK)) if self.listed else ():
            yield *start, *item, *label, colon
            yield *start, *item, *BOLD, *label, colon, BLANK, *BOLD
        if not self.firm:  # a heading fills its line
            yield "\n", "#", HASHES, BLANK, *label, LINE_END

    def counts(self, spelt: str, opener: str) -> bool:
        """Return whether the label *spelt* ends the text that the label *opener* began.

        It does if it is exact and not indented, or has the same indent and list mark as *opener*.
        """
        dress = _dress(spelt)
        letters = dress.letters
        is_exact = any(letters == _letters(words) for words in (self.words, *self.also))
        if is_exact and not dress.indent and not dress.item:
            return True
        opened = _dress(opener)
        if (dress.indent, dress.item) != (opened.indent, opened.item):
            return False
        return is_exact or any(
            is_so(letters) and is_so(opened.letters) for is_so in (str.isupper, str.islower)
        )

    def _letter(self, char: str) -> Atom:
        if self.firm:
            return re.escape(char)
        return f"[{re.escape(char.lower())}{re.escape(char.upper())}]"

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling, with or without numbers."""
        if self.anywhere or self.borrowed:
            return False
        return _canonical(self.words, self.colon[0]).fullmatch(seen) is not None


@cache
def _canonical(words: str, colon: str) -> re.Pattern[str]:
    """Return a pattern for the dialect's own spelling of a label."""
    return re.compile(f"\n?{numbered(words, colon)}")


def numbered(words: str, colon: str) -> str:
    """Return a pattern for the *words* and *colon* of a label, with or without numbers."""
    return r"(?: \d+)? ".join(map(re.escape, words.split())) + rf"(?: \d+)?{re.escape(colon)}"


class _Dress(NamedTuple):
    """How a label is written."""

    indent: str
    """White space before the label on its line; ``""`` in the middle of a line."""
    item: str
    """The ``#`` marks of a heading; ``-``, ``•`` or ``1`` for a list item."""
    letters: str
    """Its letters, in their case."""


_dressed: Final = re.compile(
    r"(?:\n[\u200b\ufeff]*([ \t\xa0\u3000]*))?(?:(#+)|([-•])|(\d)\d*[.)])?"
).match


def _dress(spelt: str) -> _Dress:
    """Return how the label in *spelt* is dressed, apart from emphasis."""
    found = _dressed(spelt)
    assert found is not None, "the pattern also matches empty text"
    indent, heading, item, number = found.groups("")
    return _Dress(indent, heading or item or (number and "1"), _letters(spelt[found.end() :]))


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@dataclass(frozen=True, slots=True)
class Inline:
    """A label in the middle of a line, in exactly these words, with or without emphasis.

    Text may mention labels, so this one needs evidence: with *begins*, it has to begin a sentence
    or be followed by the name of a known tool; with *then*, that label has to follow on the same
    line or the next.
    """

    words: str
    then: str = ""
    begins: bool = False
    colon: str = ":"
    """Characters that end the label; see `Label`."""

    @property
    def canonical(self) -> str:
        """The label as the dialect writes it."""
        return f"{self.words}{self.colon[0]}"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        label = *map(re.escape, self.words), BLANK
        then, colon = _followed_by(self.then), _any_of(self.colon)
        yield SPACED, *label, colon, *then
        yield SPACED, *BOLD, *label, colon, BLANK, *BOLD, *then
        yield SPACED, *BOLD, *label, *BOLD, BLANK, colon, *then

    def is_canonical(self, _seen: str) -> bool:
        """Return `False`: reading an inline label is always a repair."""
        return False

    def names_one_of(self, names: Container[str] | None, text: str, at: int) -> bool:
        """Return whether *text*, from *at* to the label `then`, is one of *names*."""
        if names is None or not self.then:
            return False
        stop = text.find(self.then, at, at + _LONGEST_NAMED)
        return stop > at and text[at:stop].strip(_AROUND_NAME) in names


LONGEST_LEAD: Final = 400
"""Longest text before a label that is examined, in characters."""
_HEDGES: Final = re.compile(
    r"\A\s*>|n['’]t\b|\b(?:not|no|never|cannot|avoid|instead|could|would|might|if|unless|example"
    r"|e\.g|writ(?:e|es|ing|ten)|wrote)\b",
    re.IGNORECASE,
).search


def is_hedged(lead: str) -> bool:
    """Return whether *lead*, the text before a label, only mentions the label or denies it."""
    return _HEDGES(lead.rpartition("\n")[2]) is not None


_LONGEST_NAMED: Final = 300
_AROUND_NAME: Final = " \t\r\n*_`\"'"
Marker: TypeAlias = Literal | Label | Inline

ENDS_SENTENCE: Final = frozenset(".!?…。！？-•*")
"""Characters that may end a sentence or begin a list item."""


def spelt_texts(marker: Marker) -> tuple[str, ...]:
    """Return the canonical text of a *marker* and, for a `Literal`, the variants."""
    return (marker.canonical, *(marker.variants if isinstance(marker, Literal) else ()))


def label_words(marker: Marker) -> tuple[str, ...]:
    """Return the words of a label in each of its spellings; nothing for a `Literal`."""
    if isinstance(marker, Label):
        return (marker.words, *marker.also)
    return (marker.words,) if isinstance(marker, Inline) else ()


_MARK: Final = re.compile(r"\s*+(\*\*?+|__)").match


def open_mark(spelt: str) -> str:
    """Return the emphasis mark that the label *spelt* opens but does not close; else ``""``."""
    mark = _MARK(spelt)
    return mark[1] if mark is not None and mark[1] not in spelt[mark.end() :] else ""
