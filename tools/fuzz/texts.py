"""Fuzzed texts: realistic texts with parts removed, moved, repeated and inserted."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path
from random import Random
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.smallest import Case
from agent_laws.trials.pieces import (
    bodies,
    markers,
    sample_action,
    spellings,
    template_marks,
    written,
)
from agent_laws.trials.strategies import NOISE
from agent_parsers import get_dialect, list_dialects

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.authoring import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict

__all__ = ["Material", "case_for", "cut", "material_of", "spoilt"]

CASES: Final = Path(__file__).parents[2] / "tests" / "cases"
_MOST_CHARS: Final = 1_200
_POLICIES: Final[tuple[OnConflict, ...]] = ("error", "error", "error", "first", "action", "answer")


class Material(NamedTuple):
    """The material that texts are made of."""

    wholes: Sequence[str]
    """Realistic texts."""
    marks: Sequence[str]
    """Markers with a meaning in these texts."""
    foreign: Sequence[str]
    """Markers of other dialects, and noise."""


class Bytes(Random):
    """A source of random choices that are read from a fuzzer's *data*.

    Args:
        data: The bytes to draw from; once they are used up, all choices are the first one.
    """

    def __init__(self, data: bytes) -> None:
        super().__init__(0)
        self._data = data
        self._at = 0

    def getrandbits(self, k: int, /) -> int:
        size = (k + 7) // 8
        drawn = self._data[self._at : self._at + size]
        self._at += size
        return int.from_bytes(drawn, "little") & ((1 << k) - 1)

    def random(self) -> float:
        return self.getrandbits(53) / (1 << 53)


@cache
def material_of(name: str, mode: Mode) -> Material:
    """Return the material for texts of the dialect *name*."""
    dialect = get_dialect(name)
    folder = CASES / "transcripts" if mode == "transcript" else CASES
    wholes = [dialect.sample, *written(dialect), *bodies(dialect), *_texts_in(folder, name)]
    marks = [spelt for marker in markers(dialect) for spelt in spellings(marker)[:8]]
    return Material(wholes, [*marks, *template_marks(dialect)], _foreign())


@cache
def _foreign() -> tuple[str, ...]:
    dialects = [get_dialect(name) for name in list_dialects()]
    marks = (marker.canonical for dialect in dialects for marker in markers(dialect))
    turns = (text for dialect in dialects for text in written(dialect)[:1])
    return (*dict.fromkeys(marks), *turns, *NOISE, *NOISE)


def _texts_in(folder: Path, name: str) -> list[str]:
    path = folder / f"{name}.txt"
    if not path.exists():
        return []
    blocks = re.split(r"(?m)^\.\n", path.read_text(encoding="utf-8"))
    return [text.removesuffix("\n").translate({0x2423: " ", 0x2409: "\t"}) for text in blocks[1::3]]


def spoilt(random: Random, material: Material) -> str:
    """Return a text of *material* with up to five edits, of any kind."""
    text = random.choice(material.wholes)
    for _ in range(random.choice((0, 1, 1, 2, 2, 3, 5))):
        at = random.randrange(len(text) + 1)
        end = min(at + random.choice((0, 1, 1, 2, 5, 13, 40, 200)), len(text))
        kind = random.randrange(8)
        if kind == 0:
            new = ""
        elif kind == 1:
            new = 2 * text[at:end]
        elif kind == 2:
            text, new = text[:end], text[at:end]  # the rest is removed
        elif kind == 3:
            other = random.choice(material.wholes)
            begin = random.randrange(len(other) + 1)
            new = other[begin : begin + random.choice((1, 5, 40, 200, 1000))]
        elif kind == 4:
            to = random.randrange(len(text) + 1)
            part = text[at:end]
            text = text[:to] + part + text[to:]
            new = part
        else:
            new = random.choice(material.foreign if kind == 5 else material.marks)
        text = text[:at] + new + text[end if kind != 7 else at :]
    return text[:_MOST_CHARS]


def case_for(random: Random, dialect: Dialect, mode: Mode) -> Case:
    """Return a text for *dialect*, its cut, and the tools."""
    usual = sorted({"search", sample_action(dialect).tool, "word"})
    return Case(
        spoilt(random, material_of(dialect.name, mode)),
        _sizes(random),
        random.choice((None, None, None, ["other"], usual, usual)),
        random.choice(_POLICIES),
    )


def cut(random: Random, text: str) -> list[str]:
    """Cut *text* into chunks, some of which may be empty."""
    sizes = _sizes(random)
    chunks, at = [], 0
    while at < len(text):
        size = random.choice(sizes)
        chunks.append(text[at : at + size])
        at += size
    return chunks or [text]


def _sizes(random: Random) -> list[int]:
    return [random.choice((1, 2, 3, 5, 8, 20, 50)), *random.choices((0, 1, 2, 3, 7, 30), k=3)]
