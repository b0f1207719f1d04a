"""Positions in a file: lines, columns, and offsets of the texts inside JSON."""

from __future__ import annotations

import json
import re
from functools import cached_property
from itertools import islice
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from agent_parsers.explain.places import Places

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Document", "Place"]

_TOKEN: Final = re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"|[\[\]{},]', re.DOTALL)
_CHAR: Final = re.compile(
    r"\\u[dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2}|\\u.{4}|\\.|.", re.DOTALL
)
"""One character inside a JSON string, possibly as an escape."""

_Key: TypeAlias = str | int | None


class Place(NamedTuple):
    """A line and a column of a file, both from 1; columns count characters."""

    line: int
    column: int


class Document:
    """The text of a file, or of one line of it, with the positions in it.

    Args:
        text: The text.
        first_line: Number of the line in the file at which the text begins.
    """

    def __init__(self, text: str, first_line: int = 1) -> None:
        self.text = text
        self._first_line = first_line

    def place(self, offset: int) -> Place:
        """Return the line and column of the character at *offset*."""
        line = self._first_line - 1 + self._lines.line(offset)
        return Place(line, self._lines.column(offset))

    def line_at(self, offset: int) -> tuple[str, int]:
        """Return the line that contains *offset*, without its line break, and its start."""
        start = self._lines.line_start(offset)
        stop = self.text.find("\n", start)
        line = self.text[start:] if stop < 0 else self.text[start:stop]
        return line.removesuffix("\r"), start

    def in_output(self, record: int, step: int, offset: int) -> int:
        """Return the offset of a character of a model's output in this text, which is valid JSON.

        Args:
            record: Index of the record in its list; 0 if the text is one record.
            step: Index of the step in the record.
            offset: Offset of the character in the output.
        """
        start = self._places.get((record, step))
        if start is None:
            return self.of_record(record)
        chars = _CHAR.finditer(self.text, start)
        return start + sum(len(char[0]) for char in islice(chars, offset))

    def of_record(self, record: int) -> int:
        """Return the offset of a record in this text, which is valid JSON."""
        return self._places.get((record, None), 0)

    @cached_property
    def _lines(self) -> Places:
        return Places(self.text)

    @cached_property
    def _places(self) -> dict[tuple[int, int | None], int]:
        """Offsets of each record and of the text of each output, by index of record and step."""
        places: dict[tuple[int, int | None], int] = {}
        for path, at in _walk(self.text):
            match path:
                case []:
                    places[0, None] = at
                case [int(record)]:
                    places[record, None] = at
                case ["steps", int(step), "output"]:
                    places[0, step] = at + 1
                case [int(record), "steps", int(step), "output"]:
                    places[record, step] = at + 1
        return places


def _walk(text: str) -> Iterator[tuple[list[_Key], int]]:
    """Yield path and offset of each object, list and string in *text*, which is valid JSON."""
    path: list[_Key] = []
    for token in _TOKEN.finditer(text):
        match token[0]:
            case "{" | "[" as opener:
                yield path, token.start()
                path.append(0 if opener == "[" else None)
            case "}" | "]":
                path.pop()
            case ",":
                key = path[-1]
                path[-1] = key + 1 if isinstance(key, int) else None
            case string:
                if path and path[-1] is None:  # a key, whose value follows
                    path[-1] = json.loads(string)
                else:
                    yield path, token.start()
