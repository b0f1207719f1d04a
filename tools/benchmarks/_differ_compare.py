"""Compares what two trees read of the same texts, reading by reading."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable
    from pathlib import Path

FIELDS: Final = (
    "crash", "outcome", "span", "observation", "thought", "content", "repairs", "events", "steps",
    "row",
)  # fmt: skip
"""What a reading may say. A crash is any exception that is not an `OutputParserException`."""
_CRASHED: Final = '"crash": '
"""Occurs in a line only if the reading crashed, since quotes within values are escaped."""
_MOST_CHARS: Final = 1000


class Example(NamedTuple):
    """A reading that differs."""

    kind: str
    """The field that differs."""
    dialect: str
    how: dict[str, Any]
    """The way, the mode, the tools, how the text ended, and the size of the chunks."""
    text: str
    old: Any
    new: Any

    def __str__(self) -> str:
        how = ", ".join(f"{key} {value}" for key, value in self.how.items() if key != "number")
        old, new = _apart(self.old, self.new)
        return (
            f"  {self.kind}: {self.dialect}, {how}\n"
            f"    text: {self.text!r}\n    old:  {_short(old)}\n    new:  {_short(new)}"
        )


def _apart(old: Any, new: Any) -> tuple[Any, Any]:
    """Return what differs: of two lists, the items that the other list does not have."""
    if not (isinstance(old, list) and isinstance(new, list)):
        return old, new
    only = [item for item in old if item not in new], [item for item in new if item not in old]
    return only if any(only) else (old, new)  # they may differ in their order alone


def _short(value: Any) -> str:
    said = value.replace("\n", "\\n") if isinstance(value, str) else repr(value)
    return said if len(said) <= _MOST_CHARS else f"{said[:_MOST_CHARS]}…"


@dataclass
class Tally:
    """How much was read, and what differed."""

    texts: int = 0
    readings: int = 0
    crashes: list[int] = field(default_factory=lambda: [0, 0])
    """Readings that crashed in the old tree, and in the new one."""
    kinds: Counter[str] = field(default_factory=Counter)
    """Readings that differ, by field."""
    examples: list[Example] = field(default_factory=list)

    def takes(self, kind: str, most: int) -> bool:
        """Return whether there are fewer than *most* examples of a kind."""
        return sum(example.kind == kind for example in self.examples) < most

    def add(self, other: Tally, most: int) -> list[Example]:
        """Add another tally, and return its examples, as long as no kind has more than *most*."""
        self.texts += other.texts
        self.readings += other.readings
        self.crashes = [mine + its for mine, its in zip(self.crashes, other.crashes, strict=True)]
        self.kinds += other.kinds
        before = len(self.examples)
        for example in other.examples:
            if self.takes(example.kind, most):
                self.examples.append(example)
        return self.examples[before:]


def compared(texts: Path, old: Iterable[str], new: Iterable[str], most: int = 0) -> Tally:
    """Compare the readings of two trees as they come, and return the tally.

    Args:
        texts: The file with the texts, a JSON array on each line.
        old: The readings of the old tree, as `_differ_reader.py` writes them.
        new: Those of the new tree.
        most: How many examples of each kind are kept.

    Raises:
        ValueError: The trees do not read the same texts in the same ways.
    """
    tally = Tally()
    with texts.open(encoding="utf-8") as lines:
        tally.texts = sum(1 for _ in lines)
    for old_line, new_line in zip(old, new, strict=True):
        tally.readings += 1
        tally.crashes[0] += _CRASHED in old_line
        tally.crashes[1] += _CRASHED in new_line
        if old_line == new_line:
            continue
        old_said, new_said = json.loads(old_line), json.loads(new_line)
        how = _how(old_said)
        if how != _how(new_said):
            raise ValueError(f"expected the same reading, found {how} and {_how(new_said)}")
        for kind in differing(old_said, new_said):
            tally.kinds[kind] += 1
            if tally.takes(kind, most):
                dialect, text = _text(texts, how["number"])
                each = Example(kind, dialect, how, text, *_values(kind, old_said, new_said))
                tally.examples.append(each)
    return tally


def differing(old: dict[str, Any], new: dict[str, Any]) -> list[str]:
    """Return the fields in which two readings differ.

    If only one of them crashed, that is all. A field that only one of them has, such as the span
    of an error, is part of another outcome and does not count.
    """
    if ("crash" in old) is not ("crash" in new):
        return ["crash"]
    return [kind for kind in FIELDS if kind in old and kind in new and old[kind] != new[kind]]


def _values(kind: str, old: dict[str, Any], new: dict[str, Any]) -> tuple[Any, Any]:
    """Return what differs, or all that a tree says where the other one crashed."""
    return old.get(kind, old.get("outcome")), new.get(kind, new.get("outcome"))


def _how(said: dict[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in said.items() if key not in FIELDS}


def _text(texts: Path, number: int) -> tuple[str, str]:
    """Return the dialect and the text of a line."""
    with texts.open(encoding="utf-8") as lines:
        dialect, _, text, _ = json.loads(next(islice(lines, number, None)))
    return dialect, text
