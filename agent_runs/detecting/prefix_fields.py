"""The fields that the prefix of a line may have: times, levels, names, numbers and cells."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from typing import Final, NamedTuple

from agent_parsers import get_dialect, list_dialects
from agent_parsers.core import label_words
from agent_runs.splitting.separators import DAY

_LEVELS: Final = (
    "trace|debug|dbug|dbg|verbose|info|information|notice|success|warning|warn|wrn|error|err"
    "|critical|crit|fatal|alert|emerg|panic"
)
ESCAPE: Final = r"\x1b\[[\d;]{0,20}[mK]"
COLOURS: Final = rf"\ufeff?(?:{ESCAPE})*"
"""Colours, and the byte order mark with which some tools begin each part of a log."""
FIELDS: Final = {
    "time": rf"[\[(]?(?:(?:{DAY}[T ,:]{{1,2}})?\d\d?:\d\d:\d\d(?:[.,]\d{{1,9}})?"
    r"(?: ?(?:Z|[AP]M|UTC|GMT|[+-]\d\d:?\d\d))?|\d{10}\.\d{1,9})[\])]?",
    "level": rf"[\[(<]?(?i:{_LEVELS})(?!\w)(?:[ ]*[\])>])?",
    "cell": r"[^\t\n\x1b]{1,120}(?=\t)",
    "number": r"[\[({]?\d+(?:[OE](?=[ +]))?\+?[\])}]?(?![\w.])",
    "name": r"[\[(<{]?[^\W\d][\w.@/+<>-]*(?:\[[\w.]+\]|\(\d+\))?[\])>}]?",
}
"""What a field of each kind looks like."""
_MOST_FIELDS: Final = 10
_separator: Final = re.compile(
    rf"((?:[ ]|{ESCAPE})*)((?:\||::?|-{{1,3}}(?!-)|–|»|>|\t)?)((?:{ESCAPE})*[ ]*)"
).match
_matchers: Final = {
    kind: re.compile(f"{COLOURS}({pattern})").match for kind, pattern in FIELDS.items()
}


class Field(NamedTuple):
    """One field of a prefix, and the separator after it."""

    kind: str
    value: str
    lead: int = 0
    """How many blanks stand before the mark."""
    mark: str = ""
    blanks: int = 0
    """How many blanks stand after the mark."""
    has_text: bool = False
    """Whether anything follows on the line."""


def fields_of(line: str) -> Iterator[Field]:
    """Yield the fields at the beginning of *line*, up to the label of a dialect."""
    at = 0
    for _ in range(_MOST_FIELDS):
        if at and _labels().match(line, at):
            return
        field, at = _field_at(line, at)
        if field is None:
            return
        yield field


def _field_at(line: str, at: int) -> tuple[Field | None, int]:
    """Return the field at *at* in *line*, if there is one, and where the next one begins."""
    for kind, match in _matchers.items():
        found = match(line, at)
        if found is None:
            continue
        separator = _separator(line, found.end())
        assert separator is not None, "the pattern also matches an empty string"
        has_text = separator.end() < len(line.rstrip())
        if separator[0] or not has_text:
            lead, blanks = separator[1].count(" "), separator[3].count(" ")
            field = Field(kind, found[1], lead, separator[2], blanks, has_text)
            return field, separator.end()
    return None, at


@cache
def _labels() -> re.Pattern[str]:
    """Return a pattern for the labels of all dialects, which are no part of a prefix."""
    words = {
        words
        for dialect in map(get_dialect, list_dialects())
        for marker in dialect.lenient.markers.values()
        for words in label_words(marker)
    }
    longest_first = sorted(words, key=lambda each: (-len(each), each))
    return re.compile(
        rf"\W{{0,3}}(?i:{'|'.join(map(re.escape, longest_first))})[ \d*_]{{0,8}}[:：]"
    )
