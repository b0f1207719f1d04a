"""Which dialects may have written a text: those of which a telling marker occurs in it.

This takes two looks at the text for all dialects together, so that few of them have to read it.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.engine.grammar.reasoning import REASONING
from agent_parsers.engine.grammar.rewritings import END_TOKENS
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.markers.kinds import label_words, spelt_texts
from agent_parsers.registry.dialects_by_name import get_dialect, list_dialects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.table import Table

__all__ = [
    "SHARED", "dialects_with_signs", "find_labels", "has_telling_marker", "telling_markers",
]  # fmt: skip

_TELLING: Final = {Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.CONTENT}
"""The parts to which a telling marker leads; every format has questions, and ends."""
SHARED: Final = {*(text for pair in REASONING for text in pair)} | {
    token.canonical for token in END_TOKENS
}
"""Markers that dialects read whatever they write."""
_OPENS_CALLS: Final = re.compile(r"[\[{(]").search


class _Signs(NamedTuple):
    """The signs of some dialects, and the dialects that have each."""

    find_labels: re.Pattern[str]
    find_labels_in_lines: re.Pattern[str]
    labels: Mapping[str, set[Dialect]]
    """By the letters of the label, in lower case."""
    literals: Mapping[str, set[Dialect]]
    """By the text without blanks."""
    bare: set[Dialect]
    """Dialects that read calls without any marker."""


def dialects_with_signs(text: str) -> tuple[list[Dialect], list[Dialect]]:
    """Return the registered dialects of which *text* has a telling marker, or a bare call.

    Returns:
        The likely ones; and the others, which a dialect outdoes that has the same labels in the
        text and more, or which have no sign but that of a bare call.
    """
    likely, others = _marked(text)
    bare = _signs(tuple(map(get_dialect, list_dialects()))).bare if _OPENS_CALLS(text) else set()
    likely = likely or bare
    return _by_name(likely), _by_name((others | bare) - likely)


def has_telling_marker(text: str) -> bool:
    """Return whether *text* has a telling marker of any registered dialect."""
    return bool(_marked(text)[0])


def _marked(text: str) -> tuple[set[Dialect], set[Dialect]]:
    """Return the dialects of which *text* has a telling marker; those that others outdo apart."""
    signs = _signs(tuple(map(get_dialect, list_dialects())))
    labels: defaultdict[Dialect, set[str]] = defaultdict(set)
    for label in {_letters(found[1]) for found in signs.find_labels.finditer(text)}:
        for dialect in signs.labels.get(label, ()):
            labels[dialect].add(label)
    marked: set[Dialect] = set()
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


def _by_name(dialects: Iterable[Dialect]) -> list[Dialect]:
    return sorted(dialects, key=lambda dialect: dialect.name)


def find_labels(text: str) -> Iterator[re.Match[str]]:
    """Find the telling labels of any dialect at the beginning of lines."""
    signs = _signs(tuple(map(get_dialect, list_dialects())))
    return signs.find_labels_in_lines.finditer(text)


@cache
def telling_markers(dialect: Dialect) -> frozenset[str]:
    """Return the names of the markers of *dialect* that show that a text is written in it."""
    return frozenset(name.lstrip("\n") for name in _telling(dialect.lenient))


def _telling(table: Table) -> Iterator[str]:
    for (_, name), (to, *_) in table.transitions.items():
        may_be_text = to == table.initial or (to in table.begun and to not in table.ends)
        leads = table.parts[to] in _TELLING and not may_be_text
        if leads and table.markers[name].canonical not in SHARED:
            yield name


@cache
def _signs(dialects: tuple[Dialect, ...]) -> _Signs:
    words: set[str] = set()
    labels: defaultdict[str, set[Dialect]] = defaultdict(set)
    literals: defaultdict[str, set[Dialect]] = defaultdict(set)
    bare: set[Dialect] = set()
    for dialect in dialects:
        table = dialect.lenient
        if table.parts[table.initial] is Part.CALL:
            bare.add(dialect)
        for marker in {table.markers[name] for name in _telling(table)}:
            if spelt := label_words(marker):
                words.update(spelt)
                for label in spelt:
                    labels[_letters(label)].add(dialect)
            else:
                for text in filter(str.strip, spelt_texts(marker)):
                    literals[text.replace(" ", "")].add(dialect)
    pattern = _labels_of(words)
    in_lines = re.compile(rf"^[ \t*_#]{{0,16}}+{pattern.pattern}", pattern.flags)
    return _Signs(pattern, in_lines, labels, literals, bare)


def _labels_of(labels: Iterable[str]) -> re.Pattern[str]:
    """Return a pattern for each of *labels* before a colon or the end of a line, in group 1."""
    gap = r"[\s\d_-]{0,16}+"
    longest_first = sorted(labels, key=lambda label: (-len(label), label))
    words = "|".join(gap.join(map(re.escape, label.split())) for label in longest_first)
    end = r"[ \t\d]{0,16}+[*_]{0,2}+[ \t]{0,16}+(?:[:：]|$)"
    return re.compile(rf"({words}){end}", re.IGNORECASE | re.MULTILINE)


def _letters(words: str) -> str:
    return "".join(filter(str.isalpha, words.lower()))
