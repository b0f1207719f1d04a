"""Drawing an explanation for a terminal: the text in lines, with notes below what they mark."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction
from agent_parsers.explain.findings import Places, input_as_text, notes_of, outcome_of, reason_of
from output_parsers.printable import cells, fit, printable
from outputs.pieces import Piece, Remark, cut

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.explain.findings import Findings


def wrapped(text: str, room: int) -> Iterator[str]:
    """Yield *text* in lines of at most *room* cells, at least two, broken at spaces if possible."""
    text = printable(text)
    at = 0
    while True:
        end = at + fit(text[at : at + room], room)
        if end >= len(text):
            yield text[at:]
            return
        space = text.rfind(" ", at + 1, end + 1)
        if space < 0:
            yield text[at:end]
            at = end
        else:
            yield text[at:space]
            at = space + 1


# -- drawing ---------------------------------------------------------------------------------------

_LEAST_WIDTH: Final = 40

STYLES: Final = {
    "question": "34",
    "thought": "36",
    "tool": "1;35",
    "input": "32",
    "answer": "1;32",
    "content": "32",
    "observation": "34",
    "skipped": "2",
    "marker": "1",
    "error": "1;31",
    "repaired": "33",
    "ignored": "35",
    "dim": "2",
    "bold": "1",
}
"""Colours and other styles, as the numbers of ANSI escape sequences."""

_BESIDE: Final = {"marker", "space"}
"""Parts that do not need a row of their own."""


@dataclass(slots=True)
class _Row:
    """One line on the terminal."""

    start: int
    indent: int
    """How many cells to leave empty, below the earlier part of the same line of the text."""
    number: str = ""
    part: str = ""
    pieces: list[Piece] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.pieces[-1][1] if self.pieces else self.start


def draw(explanation: Findings, *, color: bool, width: int) -> str:
    """Return *explanation* as lines; see `Explanation.render`."""
    lines = Drawing(explanation, color=color, width=max(width, _LEAST_WIDTH)).lines()
    return "\n".join(lines if color else map(str.rstrip, lines))


def draw_outcome(explanation: Findings, *, color: bool, width: int) -> str:
    """Return the notes of *explanation*, each with its line, and the outcome of the turn."""
    drawing = Drawing(explanation, color=color, width=max(width, _LEAST_WIDTH))
    return "\n".join(chain(drawing.notes(), drawing.outcome()))


class Drawing:
    """The lines of an explanation, and the notes below them."""

    def __init__(self, explanation: Findings, *, color: bool, width: int) -> None:
        self._it = explanation
        self._color = color
        self._width = width
        self._text = explanation.text
        spans = explanation.spans
        self._unread = sum(len(span.text) for span in spans if span.part == "unread")
        self._size = len(self._text) - self._unread
        count = self._text.count("\n", 0, self._size) + 1
        self._digits = len(str(count))
        self._part = max((len(span.part) for span in spans), default=0)
        self._room = width - self._digits - self._part - len("  | ")

    def lines(self) -> Iterator[str]:
        """Yield the headline, the text with its notes, and the outcome."""
        for line in wrapped(self._headline(), self._width):
            yield self._painted(line, "bold")
        yield ""
        rows = list(self.rows())
        notes = notes_of(self._it)
        at = 0
        for row, after in zip(rows, [*rows[1:], None], strict=True):
            yield self._drawn(row)
            marked: Span | None = None
            while at < len(notes) and (after is None or notes[at].start < after.start):
                note = notes[at]
                yield from self._below(row, note, is_marked=marked == (note.start, note.end))
                marked = (note.start, note.end)
                at += 1
        if self._unread:
            unread = f"... {self._unread:,} more characters were not read"
            yield from (self._painted(line, "dim") for line in wrapped(unread, self._width))
        yield ""
        yield from self.outcome()

    def _headline(self) -> str:
        it = self._it
        facts = [outcome_of(it.result)]
        facts += [f"{len(it.repairs):,} repaired"] if it.repairs else []
        facts += [f"{len(it.ignored):,} ignored"] if it.ignored else []
        return f"{printable(it.dialect)}, {it.mode}: {', '.join(facts)}"

    # -- the text ---------------------------------------------------------------------------------

    def rows(self) -> Iterator[_Row]:
        """Yield the rows on the screen for the text; a long line takes several rows."""
        lines = list(_lines(self._text, self._size))
        parts = (Piece(*span.span, span.part) for span in self._it.spans)
        pieces = list(cut(parts, chain.from_iterable(lines)))
        at = 0
        for number, (start, end) in enumerate(lines, 1):
            at = bisect_left(pieces, (start,), at)
            after = bisect_left(pieces, (end,), at)
            here = pieces[at:after] or [Piece(start, end, it.part) for it in pieces[at : at + 1]]
            yield from self._rows_of_line(str(number), start, here)

    def _rows_of_line(self, number: str, line: int, pieces: Sequence[Piece]) -> Iterator[_Row]:
        cell = 0
        for group in _groups(pieces) or [[]]:
            first, last = (group[0][0], group[-1][1]) if group else (line, line)
            room = self._room - cell
            if room < self._room // 3 and self._fit(first, last, room) < last - first:
                cell = 0  # start a new row rather than squeeze it into the rest of the line
            row = _Row(first, cell, number, self._part_of(group))
            number = ""
            for start, end, part in group:
                at = start
                while at < end:
                    size = self._fit(at, end, self._room - cell)
                    if size:
                        row.pieces.append(Piece(at, at + size, part))
                        cell += cells(printable(self._text[at : at + size]))
                    at += size
                    if at < end:
                        yield row
                        cell = 0
                        row = _Row(at, cell)
            yield row

    def _fit(self, start: int, end: int, room: int) -> int:
        """Return how many characters from *start* on fit, breaking after a space if possible."""
        size = fit(printable(self._text[start : min(start + room, end)]), room)
        if start + size < end:
            space = self._text.rfind(" ", start + size // 2, start + size)
            return size if space < 0 else space + 1 - start
        return size

    def _part_of(self, group: Sequence[Piece]) -> str:
        """Return the part of a row; a row with only a visible marker is a marker."""
        for _, _, part in group:
            if part not in _BESIDE:
                return part
        is_seen = any(not self._text[start:end].isspace() for start, end, _ in group if start < end)
        return "marker" if is_seen else ""

    def _drawn(self, row: _Row) -> str:
        gutter = f"{row.number:>{self._digits}} {row.part:<{self._part}} | "
        text = "".join(
            self._painted(printable(self._text[start:end]), part) for start, end, part in row.pieces
        )
        return self._painted(gutter, "dim") + " " * row.indent + text

    def _below(self, row: _Row, note: Remark, *, is_marked: bool) -> Iterator[str]:
        """Mark the span of the note, unless it is marked, and write the note beside or below it."""
        start = min(note.start, row.end)
        cell = min(row.indent + cells(printable(self._text[row.start : start])), self._room - 1)
        mark = "^" * max(cells(printable(self._text[start : min(note.end, row.end)])), 1)
        message = printable(f"{note.kind}: {note.message}")
        room = self._room - cell - len(mark) - 1
        beside = cells(message) <= room and not is_marked
        if not is_marked:
            first = f"{mark} {message}" if beside else mark
            yield self._margin(cell) + self._painted(first, note.kind)
        if not beside:
            cell = cell if self._room - cell >= _LEAST_WIDTH else 0
            for line in wrapped(message, self._room - cell):
                yield self._margin(cell) + self._painted(line, note.kind)

    def _margin(self, cell: int) -> str:
        gutter = " " * (self._digits + self._part + 1) + " | "
        return self._painted(gutter, "dim") + " " * cell

    def notes(self) -> Iterator[str]:
        """Yield the notes with their line numbers, for use without the text above them."""
        places = Places(self._text)
        for note in notes_of(self._it):
            if note.kind != "error":  # which is the outcome
                message = f"line {places.line(note.start)}, {note.kind}: {note.message}"
                for line in wrapped(message, self._width):
                    yield self._painted(line, note.kind)

    # -- the outcome ------------------------------------------------------------------------------

    def outcome(self) -> Iterator[str]:
        """Yield the lines of the result or of the error."""
        it = self._it
        match it.result:
            case AgentAction(tool=tool, tool_input=tool_input):
                yield from self._field("tool", "tool", tool)
                yield from self._field("input", "input", input_as_text(tool_input))
            case list() as actions:
                for action in actions:
                    yield from self._field("tool", "tool", action.tool)
                    yield from self._field("input", "input", input_as_text(action.tool_input))
            case None:
                place = f" (line {it.error.line}, column {it.error.column})" if it.error else ""
                yield from self._field("error", "error", reason_of(it) + place)
                if it.error is not None and it.error.observation:
                    yield from self._field("observation", "", it.error.observation)
            case finish:
                yield from self._field("answer", "answer", str(finish.return_values.get("output")))

    def _field(self, label: str, style: str, text: str) -> Iterator[str]:
        before = f"{label}: "
        lines = (
            part
            for line in (text or "(empty)").split("\n")
            for part in wrapped(line, self._width - len(before))
        )
        for line in lines:
            yield self._painted(before, "bold") + self._painted(line, style)
            before = " " * len(before)

    def _painted(self, text: str, style: str) -> str:
        return painted(text, style) if self._color else text


def painted(text: str, style: str) -> str:
    """Return the printable *text* in one of the `STYLES`; blank text stays as it is."""
    code = STYLES.get(style) if text.strip() else None
    return f"\x1b[{code}m{text}\x1b[0m" if code else text


_LINE_BREAK: Final = re.compile("\n")


def _lines(text: str, size: int) -> Iterator[tuple[int, int]]:
    """Yield start and end of each line of *text* up to *size*; an empty last line is left out."""
    start = 0
    for found in _LINE_BREAK.finditer(text, 0, size):
        yield start, found.start()
        start = found.end()
    if start < size or not start:
        yield start, size


def _groups(pieces: Sequence[Piece]) -> list[list[Piece]]:
    """Group the pieces of a line by part; a marker joins the part that follows it."""
    groups: list[list[Piece]] = []
    beside: list[Piece] = []
    for piece in pieces:
        beside.append(piece)
        if piece[2] not in _BESIDE:
            groups.append(beside)
            beside = []
    if groups:
        groups[-1] += beside
    elif beside:
        groups.append(beside)
    return groups
