"""Which dialects may have written a text: those of which a telling marker occurs in it.

This takes two looks at the text for all dialects together, so that few of them have to read it. The
signs of the shipped dialects are written down in `shipped.py`, so that few have to be loaded.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.detecting.shipped import SIGNS, OwnSigns
from agent_parsers.engine.markers.kinds import label_words, spelt_texts
from agent_parsers.engine.tables.reasoning import REASONING
from agent_parsers.engine.tables.rewritings import END_TOKENS
from agent_parsers.engine.tables.table import Part, Table
from agent_parsers.registry.dialects_by_name import get_dialect, list_dialects, registered

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect

_TELLING: Final = {Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.CONTENT}
"""The parts to which a telling marker leads; every format has questions, and ends."""
SHARED: Final = {*(text for pair in REASONING for text in pair)} | {
    token.canonical for token in END_TOKENS
}
"""Markers that dialects read whatever they write."""
_TAGS: Final = re.compile(r"<[^\s<>]{2,40}>").findall
_IS_MARK: Final = re.compile(r"[<\[][^<>\n]{2,40}[>\[\]]").fullmatch
_OPENS_CALLS: Final = re.compile(r"[\[{(]|<\w+:\w").search  # the last is an element with a prefix


class _Signs(NamedTuple):
    """The signs of some dialects, and the names of the dialects that have each."""

    find_labels: re.Pattern[str]
    find_labels_in_lines: re.Pattern[str]
    labels: Mapping[str, set[str]]
    """By the letters of the label, in lower case."""
    literals: Mapping[str, set[str]]
    """By the text without blanks."""
    frames: Mapping[str, set[str]]
    """Marks around answers and thoughts, which tell a dialect only if they begin a text."""
    bare: set[str]
    """Dialects that read calls without any marker."""


def dialects_with_signs(text: str) -> tuple[list[str], list[str]]:
    """Return the names of the dialects whose telling markers or bare calls *text* has.

    Returns:
        The likely ones, with those that have a mark around answers in the first line; and the
        others, which a dialect outdoes that has the same labels and more, or which have no sign but
        a bare call or such a mark.
    """
    likely, others = _marked(text)
    signs = _known_signs()
    bare = signs.bare if _OPENS_CALLS(text) else set()
    framing = {owner for mark, owners in signs.frames.items() if mark in text for owner in owners}
    first = first_line(text) if framing else ""
    likely = likely.union(*(who for mark, who in signs.frames.items() if mark in first)) or bare
    return sorted(likely), sorted((others | bare | framing) - likely)


def first_line(text: str) -> str:
    """Return the first line of *text*, after a block of reasoning that it may begin with."""
    text = text.lstrip()
    closes = next((closes for opens, closes in REASONING if text.startswith(opens)), "")
    return (text.partition(closes)[2] if closes else text).lstrip().partition("\n")[0]


def has_telling_marker(text: str) -> bool:
    """Return whether *text* has a telling marker of any registered dialect."""
    return bool(_marked(text)[0])


def _marked(text: str) -> tuple[set[str], set[str]]:
    """Return the dialects of which *text* has a telling marker; those that others outdo apart."""
    signs = _known_signs()
    labels: defaultdict[str, set[str]] = defaultdict(set)
    for label in {_letters(found[1]) for found in signs.find_labels.finditer(text)}:
        for dialect in signs.labels.get(label, ()):
            labels[dialect].add(label)
    marked: set[str] = set()
    squeezed = text.replace(" ", "")  # tags may have blanks in them
    for literal, owners in signs.literals.items():
        if not owners <= marked and literal in squeezed:
            marked |= owners
    likely = marked | {
        dialect
        for dialect, own in labels.items()
        if not any(own < more for more in labels.values())
    }
    return likely, labels.keys() - likely


def find_labels(text: str) -> Iterator[re.Match[str]]:
    """Find the telling labels of any dialect at the beginning of lines."""
    return _known_signs().find_labels_in_lines.finditer(text)


@cache
def telling_markers(dialect: Dialect) -> frozenset[str]:
    """Return the names of the markers that show that a text is written in *dialect*."""
    return frozenset(name.lstrip("\n") for name in _telling(dialect.lenient))


def _telling(table: Table) -> Iterator[str]:
    for (_, name), (to, *_) in table.transitions.items():
        may_be_text = to == table.initial or (to in table.begun and to not in table.ends)
        leads = table.parts[to] in _TELLING and not may_be_text
        if leads and table.markers[name].canonical not in SHARED:
            yield name


def signs_of(dialect: Dialect) -> OwnSigns:
    """Return the signs of one dialect.

    Returns:
        The words of its telling labels, its other telling markers, the marks around its answers and
        thoughts, and whether it reads calls without any marker.
    """
    table = dialect.lenient
    labels: set[str] = set()
    literals: set[str] = set()
    for marker in {table.markers[name] for name in _telling(table)}:
        if spelt := label_words(marker):
            labels.update(spelt)
        else:
            literals.update(filter(str.strip, spelt_texts(marker)))
    is_bare = table.parts[table.initial] is Part.CALL
    frames = _frames(dialect) - literals
    return (*sorted(labels),), (*sorted(literals),), (*sorted(frames),), is_bare


def _frames(dialect: Dialect) -> set[str]:
    """Return the marks of a *dialect* around answers and thoughts that others do not read.

    The end of an answer that opens with a word tells as much as a mark.
    """
    markers = (each for each in dialect.lenient.markers.values() if not label_words(each))
    texts = {text.strip() for marker in markers for text in spelt_texts(marker)}
    marks = {*filter(_IS_MARK, texts - SHARED)}
    if (form := dialect.form) is None:
        return marks
    answer = form.answer if isinstance(form.answer, tuple) else ()
    opened = {*_TAGS("".join((*answer[:1], form.around[0])))} - SHARED
    if not opened and answer and answer[0].strip():
        opened = {*_TAGS(answer[1])}
    return marks | opened


def _known_signs() -> _Signs:
    own = registered()
    names = {*list_dialects()} - {dialect.name for dialect in own}
    return _signs(frozenset(names), own)


@cache
def _signs(shipped: frozenset[str], own: tuple[Dialect, ...]) -> _Signs:
    """Return the signs of the *shipped* dialects with these names and of the users' *own*."""
    words: set[str] = set()
    labels: defaultdict[str, set[str]] = defaultdict(set)
    literals: defaultdict[str, set[str]] = defaultdict(set)
    frames: defaultdict[str, set[str]] = defaultdict(set)
    bare: set[str] = set()
    known = {name: SIGNS.get(name) or signs_of(get_dialect(name)) for name in shipped}
    known |= {dialect.name: signs_of(dialect) for dialect in own}
    for own_labels, *_ in known.values():
        words.update(own_labels)
    spelt = {f"{label}:" for label in words}
    for name, (own_labels, own_literals, own_frames, is_bare) in known.items():
        for label in own_labels:
            labels[_letters(label)].add(name)
        for literal in own_literals:
            if literal in spelt:  # a label, though it has one spelling only
                labels[_letters(literal)].add(name)
            else:
                literals[literal.replace(" ", "")].add(name)
        for mark in own_frames:
            frames[mark].add(name)
        if is_bare:
            bare.add(name)
    pattern = _labels_of(words)
    in_lines = re.compile(rf"^[ \t*_#]{{0,16}}+{pattern.pattern}", pattern.flags)
    return _Signs(pattern, in_lines, labels, literals, frames, bare)


def _labels_of(labels: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for each of *labels* before a colon or the end of a line, in group 1."""
    gap = r"[\s\d_-]{0,16}+"
    longest_first = sorted(labels, key=lambda label: (-len(label), label))
    words = "|".join(gap.join(map(re.escape, label.split())) for label in longest_first)
    end = r"[ \t\d]{0,16}+[*_]{0,2}+[ \t]{0,16}+(?:[:：]|$)"
    return re.compile(rf"({words}){end}", re.IGNORECASE | re.MULTILINE)


def _letters(words: str) -> str:
    return "".join(filter(str.isalpha, words.lower()))
