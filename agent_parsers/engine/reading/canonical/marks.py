"""Splits a whole text at all markers of a table, in one scan."""

from __future__ import annotations

import re
from functools import cached_property
from operator import methodcaller
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.engine.markers.kinds import MOST, Label, Literal, numbered

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Sequence
    from re import Pattern

    from agent_parsers.engine.markers.kinds import Marker

_LONG: Final = 400
"""From this length on, one scan for each first character is faster than one scan for all."""
_WORN: Final = r" \t\xa0\u3000\u200b\ufeff*_\-•\d.)"
_DRESS: Final = rf"[{_WORN}]{{0,{4 * MOST}}}+"
_HASHES: Final = rf"#[#{_WORN}]{{0,{4 * MOST}}}+"
_JOINT: Final = rf"[\s_\-\d]{{0,{3 * MOST}}}+"
_TAIL: Final = rf"[\s\d*_]{{0,{8 * MOST}}}+"
"""What may stand before, between and after the words of a label; more than its spellings allow."""
OTHERWISE: Final = "\0"
"""Follows the key of a marker that is spelt otherwise than its dialect writes it."""
_NESTED: Final = 2
_start = methodcaller("start")


class _Spelling(NamedTuple):
    """One way to spell a marker."""

    key: str
    """See `key_of`; empty if only a stream can read it."""
    text: str
    """How it begins; not empty."""
    rest: str = ""
    """Pattern for the rest."""


def key_of(marker: Marker) -> str:
    """Return what two markers with the same canonical spelling at the same places share.

    It is empty if the text around has to show what the spelling means.
    """
    if isinstance(marker, Literal):
        return "" if marker.last or marker.unless or marker.place else marker.canonical
    if isinstance(marker, Label) and not marker.then and not marker.borrowed:
        return marker.canonical if marker.anywhere else f"\n{marker.canonical}"
    return ""


class Marks:
    """Finds the markers of a table, whether or not they count where they stand.

    Args:
        markers: The markers.
        lenient: Whether a marker may be spelt otherwise than the dialect writes it. Such spellings
            are found, and perhaps more, but not told apart.
    """

    def __init__(self, markers: Iterable[Marker], *, lenient: bool) -> None:
        found = _lenient(markers) if lenient else _strict(markers)
        # Of two that begin alike, the longer one counts.
        self._spellings = sorted(dict.fromkeys(found), key=lambda each: -len(each.text))
        self._patterns = dict(_by_first(self._spellings, 0))

    @property
    def keys(self) -> set[str]:
        """The keys of all spellings."""
        return {each.key for each in self._spellings}

    @cached_property
    def _split(self) -> Callable[[str], list[str]]:
        return re.compile(f"({'|'.join(self._patterns.values())})").split

    @cached_property
    def _searches(self) -> dict[str, Pattern[str]]:
        """A search for the markers that begin with each character."""
        return {char: re.compile(pattern) for char, pattern in self._patterns.items()}

    def split(self, text: str) -> list[str]:
        """Return *text* in pieces: every other one, from the second on, is spelt like a marker."""
        if len(text) < _LONG:
            return self._split(text)
        found = [
            match
            for char, search in self._searches.items()
            if char in text
            for match in search.finditer(text)
        ]
        found.sort(key=_start)
        pieces: list[str] = []
        at = 0
        for match in found:
            begin, end = match.span()
            if begin >= at:  # not within another
                pieces += (text[at:begin], match[0])
                at = end
        pieces.append(text[at:])
        return pieces

    def key(self, spelt: str) -> str:
        """Return the key of a marker that is *spelt* so."""
        for key, text, rest in self._spellings:
            if spelt.startswith(text) and re.fullmatch(rest, spelt[len(text) :]):
                return key
        return ""


def _by_first(spellings: Sequence[_Spelling], depth: int) -> Iterator[tuple[str, str]]:
    """Yield a pattern for all spellings with the same character at *depth*, and that character.

    `re` looks only at the first character of an alternative before it tries the next one.
    """
    by_char: dict[str, list[_Spelling]] = {}
    for each in spellings:
        by_char.setdefault(each.text[depth : depth + 1], []).append(each)
    for char, those in by_char.items():
        if char and depth < _NESTED:
            inner = "|".join(pattern for _, pattern in _by_first(those, depth + 1))
            yield char, f"{re.escape(char)}(?:{inner})"
        else:
            yield char, "|".join(f"{re.escape(text[depth:])}{rest}" for _, text, rest in those)


def _strict(markers: Iterable[Marker]) -> Iterator[_Spelling]:
    """Yield the spellings of *markers* as they count in strict mode."""
    for marker in markers:
        key = key_of(marker)
        if isinstance(marker, Literal):
            yield from _literal(marker, key, key)
            continue
        if key:
            yield _Spelling(key, key)
        yield from _as_declared(marker, key and key + OTHERWISE)


def _lenient(markers: Iterable[Marker]) -> Iterator[_Spelling]:
    """Yield the spellings of *markers* that their dialect writes, and patterns for all others."""
    lines: list[Label] = []
    for marker in markers:
        key = key_of(marker)
        if isinstance(marker, Literal):
            yield from _literal(marker, key, "")
            continue
        if isinstance(marker, Label) and not marker.anywhere:
            lines.append(marker)
            if key:
                first = re.escape(marker.words[0])
                pattern = numbered(marker.words, marker.colon[0])
                yield _Spelling(key, f"\n{marker.words[0]}", pattern.removeprefix(first))
        else:
            also = marker.also if isinstance(marker, Label) else ()
            for text in (marker.words, *also):
                words = _JOINT.join(map(re.escape, text.split()))
                rest = f"{words.removeprefix(re.escape(text[0]))}{_TAIL}{_any_of(marker.colon)}"
                yield _Spelling("", text[0], rest)
    if lines:
        yield _other_lines(lines)


def _other_lines(labels: Sequence[Label]) -> _Spelling:
    """Return a pattern for all that *labels* may look like at the beginning of a line."""
    texts = dict.fromkeys(words for label in labels for words in (label.words, *label.also))
    words = [
        _JOINT.join("".join(map(_in_any_case, word)) for word in text.split()) for text in texts
    ]
    any_words = f"(?:{'|'.join(words)})"
    colon = f"{_TAIL}{_any_of(''.join(label.colon for label in labels))}"
    heading = rf"[ \t\d]{{0,{3 * MOST}}}+\n"
    dresses = (
        *(f"{each}(?={colon})" for each in words),  # the first characters are soon seen
        rf"{_HASHES}{any_words}(?={colon}|{heading})",
        rf"[{_WORN}]{_DRESS}(?:{any_words}(?={colon})|{_HASHES}{any_words}(?={colon}|{heading}))",
    )
    return _Spelling("", "\n", f"(?:{'|'.join(dresses)})")


def _literal(marker: Literal, key: str, other: str) -> Iterator[_Spelling]:
    """Yield the spellings of a literal: the first has the *key*, each *other* one that key."""
    if type(marker) is not Literal:  # something has to follow
        yield from _as_declared(marker, key)
        return
    yield _Spelling(key, marker.canonical)
    for text in marker.variants:
        yield _Spelling(other, text)


def _as_declared(marker: Marker, key: str) -> Iterator[_Spelling]:
    """Yield the spellings that a *marker* itself declares."""
    for first, *atoms in marker.spellings():
        yield _Spelling(key, first.removeprefix("\\"), "".join(atoms))


def _any_of(colons: str) -> str:
    return f"[{re.escape(''.join(dict.fromkeys(f':：{colons}')))}]"


def _in_any_case(char: str) -> str:
    lower, upper = char.lower(), char.upper()
    return re.escape(char) if lower == upper else f"[{re.escape(lower)}{re.escape(upper)}]"
