"""Markers: literals, labels at the beginning of a line, and labels in the middle of one.

A marker is made of atoms: one character that must be there, or a run of characters that may be
there. Runs are bounded, so that what has to be held back is bounded too.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import chain
from typing import TYPE_CHECKING, Final, NamedTuple, Self, TypeAlias
from typing import Literal as Choice

if TYPE_CHECKING:
    from collections.abc import Container, Iterator

MOST: Final = 16
"""Longest run of white space, digits or dressing inside a label."""

Atom: TypeAlias = str
"""A pattern for one character that must be there, or for a run of them (it ends in ``+``); see also
`Ahead`."""


def _run(chars: str) -> Atom:
    return f"[{chars}]{{0,{MOST}}}+"


SPACE, BLANK, DIGITS = _run(r"\s"), _run(r" \t"), _run(r"\d")
HASHES, SPACED = _run("#"), r"\ "
JOINT, INDENT = _run(r" \t_\-"), _run(r" \t\xa0\u3000\u200b\ufeff#")


def _any_of(chars: str) -> Atom:
    return re.escape(chars) if len(chars) == 1 else f"[{re.escape(chars)}]"


class Ahead(str):
    """An atom that takes no characters, but wants some to follow; it stands at a marker's end.

    Args:
        pattern: A lookahead.
        pending: What may follow at the end of the text while that is not decided; bounded.
        sample: Something that follows.
    """

    __slots__ = ("pending", "sample")

    pending: str
    sample: str

    def __new__(cls, pattern: str, *, pending: str = "", sample: str) -> Self:
        """Make an atom of a *pattern*."""
        atom = super().__new__(cls, pattern)
        atom.pending, atom.sample = pending, sample
        return atom


LINE_END = Ahead(r"(?=\n)", sample="\n")
TEXT_END = Ahead(rf"(?={SPACE}\Z)", pending=SPACE, sample="")


BOLD = (r"\*", r"\*")


def _unless(edge: tuple[Atom, ...]) -> Ahead:
    """Return an atom that wants no mark to follow whose characters match *edge*."""
    return Ahead(
        rf"(?!{BLANK}{''.join(edge)})",
        pending="".join((BLANK, *(f"(?:{char})?" for char in edge[:-1]))),
        sample="",
    )


def _followed_by(label: str) -> tuple[Ahead, ...]:
    """Return an atom for a short text and then *label*, on the same line or the next with text."""
    if not label:
        return ()
    words, end = re.escape(label), rf"[ \d]{{0,{MOST}}}+[*_]{{0,2}}+ ?+"
    line, gap = r"[^\n]{0,200}+", rf"\n[\s*_\-•\d.)]{{0,{MOST}}}+"
    begun = "".join(f"(?:{re.escape(char)}" for char in label) + ")?" * len(label)
    return (
        Ahead(
            rf"(?=(?:[^\n:：]{{0,80}}+(?<={words})[*_]{{0,2}}+|{line}{gap}{words}{end})[:：])",
            pending=rf"{line}(?:{gap}{begun}{end})?",
            sample=f" x\n{label}:",
        ),
    )


@dataclass(frozen=True, slots=True)
class Literal:
    """Text that counts wherever it stands, in one or several spellings; the first is canonical.

    Of two spellings that begin alike, the longer counts where both stand. With *last* it counts
    only where nothing but white space follows, and not in a text that holds *unless*, which it may
    close. With a *place* it counts only there: where a line or another state begins, or where the
    whole text does.
    """

    canonical: str
    variants: tuple[str, ...] = ()
    last: bool = False
    unless: str = ""
    place: Choice["", "line", "text"] = ""

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        ahead = (TEXT_END,) if self.last else ()
        texts = self.canonical, *self.variants
        for text in texts:
            rests = (other.removeprefix(text) for other in texts if other.startswith(text))
            longer = (Ahead(f"(?!{re.escape(rest)})", sample="") for rest in rests if rest)
            yield (*map(re.escape, text), *longer, *ahead)

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this marker."""
        return seen == self.canonical


@dataclass(frozen=True, slots=True)
class Label:
    """Words before a colon, each of which may carry a number: ``Action 1:``, ``Action 1 Input:``.

    A label stands at the beginning of a line, in exactly these words. With *anywhere* it counts in
    the middle of a line too, and any white space may join it, as LangChain has it. A *loose* label
    may be indented, a heading (``#``, which needs no colon) or emphasised (``**`` may also end with
    the line), in any case, joined by ``_`` or ``-``, and may end in a full-width colon.
    With *firm* it may only be emphasised and end so: where any text may stand, a line such as
    ``# action:`` is more likely a part of it. With *alike* it is such a label, or one that is
    dressed as the label that opened the text. A *listed* label may be an item of a list. A
    *borrowed* label is that of another format, which it is a repair to read. With *then* the label
    of these words has to follow, as for `Inline`.
    """

    words: str
    anywhere: bool = False
    loose: bool = False
    firm: bool = False
    alike: bool = False
    listed: bool = False
    borrowed: bool = False
    then: str = ""
    colon: str = ":"
    """What ends it, instead of a colon: any of these characters, of which the first is written."""
    also: tuple[str, ...] = ()
    """Other words that are read for these."""

    @property
    def canonical(self) -> str:
        """The label as the dialect writes it."""
        return f"{self.words}{self.colon[0]}"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
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
        if not self.firm:  # a heading has its line to itself
            yield "\n", "#", HASHES, BLANK, *label, LINE_END

    def counts(self, spelt: str, opener: str) -> bool:
        """Tell whether an *alike* label counts as it is *spelt*, in a text that *opener* opened."""
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
        """Tell whether *seen* is how the dialect writes this marker, numbered or not."""
        if self.anywhere or self.borrowed:
            return False
        words = r"(?: \d+)? ".join(map(re.escape, self.words.split()))
        return re.fullmatch(rf"\n?{words}(?: \d+)?{re.escape(self.colon[0])}", seen) is not None


class _Dress(NamedTuple):
    """How a label is written."""

    indent: str
    """What stands before it on its line; in the middle of one it has none."""
    item: str
    """The marks of a heading, of its level; ``-`` or ``1`` for an item of a list."""
    letters: str
    """Its letters as they are spelt."""


_dressed: Final = re.compile(
    r"(?:\n[\u200b\ufeff]*([ \t\xa0\u3000]*))?(?:(#+)|([-•])|(\d)\d*[.)])?"
).match


def _dress(spelt: str) -> _Dress:
    """Tell how a label that is *spelt* so is written; emphasis does not count."""
    found = _dressed(spelt)
    assert found is not None, "it may match nothing"
    indent, heading, item, number = found.groups("")
    return _Dress(indent, heading or item or (number and "1"), _letters(spelt[found.end() :]))


def _letters(text: str) -> str:
    return "".join(filter(str.isalpha, text))


@dataclass(frozen=True, slots=True)
class Inline:
    """A label in the middle of a line, in exactly these words, perhaps emphasised.

    Text may speak of labels, so it needs evidence: with *begins* it has to begin a sentence, or to
    name one of the tools there are, and the label *then* has to follow what it names, on the same
    line or the next.
    """

    words: str
    then: str = ""
    begins: bool = False
    colon: str = ":"
    """What ends it; see `Label`."""

    @property
    def canonical(self) -> str:
        """The label as the dialect writes it."""
        return f"{self.words}{self.colon[0]}"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        label = *map(re.escape, self.words), BLANK
        then, colon = _followed_by(self.then), _any_of(self.colon)
        yield SPACED, *label, colon, *then
        yield SPACED, *BOLD, *label, colon, BLANK, *BOLD, *then
        yield SPACED, *BOLD, *label, *BOLD, BLANK, colon, *then

    def is_canonical(self, _seen: str) -> bool:
        """Tell that it is a repair to read this."""
        return False

    def names_one_of(self, names: Container[str] | None, text: str, at: int) -> bool:
        """Tell whether *text* names one of *names* from *at* on, up to the label *then*."""
        if names is None or not self.then:
            return False
        stop = text.find(self.then, at, at + _LONGEST_NAMED)
        return stop > at and text[at:stop].strip(_AROUND_NAME) in names


LONGEST_LEAD: Final = 400
"""Longest text before a label that is looked at, in characters."""
_HEDGES: Final = re.compile(
    r"\A\s*>|n['’]t\b|\b(?:not|no|never|cannot|avoid|instead|could|would|might|if|unless|example"
    r"|e\.g|writ(?:e|es|ing|ten)|wrote)\b",
    re.IGNORECASE,
).search


def is_hedged(lead: str) -> bool:
    """Tell whether what *lead* says before a label only speaks of it, or denies it."""
    return _HEDGES(lead.rpartition("\n")[2]) is not None


_LONGEST_NAMED: Final = 300
_AROUND_NAME: Final = " \t\r\n*_`\"'"
Marker: TypeAlias = Literal | Label | Inline

ENDS_SENTENCE: Final = frozenset(".!?…。！？-•*")
"""What a sentence may end with, or an item of a list begin."""


def begins_sentence(text: str, start: int, stop: int) -> bool | None:
    """Tell whether a sentence begins at *stop* in a text that begins at *start*.

    Behind a colon that is not known: it may be that of a label, where another text begins.
    """
    while stop > start and text[stop - 1].isspace():
        stop -= 1
    if stop <= start or text[stop - 1] in ENDS_SENTENCE:
        return True
    return None if text[stop - 1] in ":：" else False


def spelt_texts(marker: Marker) -> tuple[str, ...]:
    """Return how a *marker* is written, first as the dialect writes it; a label only so."""
    return (marker.canonical, *(marker.variants if isinstance(marker, Literal) else ()))


_MARK: Final = re.compile(r"\s*+(\*\*?+|__)").match


def open_mark(spelt: str) -> str:
    """Return the mark of the emphasis that the label *spelt* begins and does not end, or ``""``."""
    mark = _MARK(spelt)
    return mark[1] if mark is not None and mark[1] not in spelt[mark.end() :] else ""
