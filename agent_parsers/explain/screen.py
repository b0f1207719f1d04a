"""Drawing an explanation for a terminal: the text in lines, with notes below what they mark."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.actions.agent import AgentAction
from agent_parsers.explain.cells import cells, fit, wrapped
from output_parsers.printable import printable

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.events import Span
    from agent_parsers.explain.findings import ExplainedRepair, Findings

__all__ = ["draw"]

_LEAST_WIDTH: Final = 40
_LONGEST_AFTER: Final = 40
"""Longest replacement that a note shows, in characters."""

_STYLES: Final = {
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

_Piece: TypeAlias = tuple[int, int, str]
"""Start, end and part of a span on one line."""


@dataclass(slots=True)
class _Row:
    """One line on the terminal."""

    start: int
    indent: int
    """How many cells to leave empty, below the earlier part of the same line of the text."""
    number: str = ""
    part: str = ""
    pieces: list[_Piece] = field(default_factory=list)

    @property
    def end(self) -> int:
        return self.pieces[-1][1] if self.pieces else self.start


@dataclass(frozen=True, slots=True)
class _Note:
    """A note below a span of the text."""

    start: int
    end: int
    kind: str
    message: str


def draw(explanation: Findings, *, color: bool, width: int) -> str:
    """Return *explanation* as lines; see `Explanation.render`."""
    lines = Drawing(explanation, color=color, width=max(width, _LEAST_WIDTH)).lines()
    return "\n".join(lines if color else map(str.rstrip, lines))


class Drawing:
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
        for line in wrapped(self._headline(), self._width):
            yield self._painted(line, "bold")
        yield ""
        rows = list(self.rows())
        notes = sorted(self._notes(), key=lambda note: (note.start, note.end))
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
        yield from self._outcome()

    def _headline(self) -> str:
        it = self._it
        outcome = "an error" if it.error else "an answer"
        if isinstance(it.result, AgentAction):
            outcome = "an action"
        elif isinstance(it.result, list):
            outcome = "1 action" if len(it.result) == 1 else f"{len(it.result)} actions"
        facts = [outcome]
        facts += [f"{len(it.repairs):,} repaired"] if it.repairs else []
        facts += [f"{len(it.ignored):,} ignored"] if it.ignored else []
        return f"{printable(it.dialect)}, {it.mode}: {', '.join(facts)}"

    def _notes(self) -> Iterator[_Note]:
        it = self._it
        for repair in it.repairs:
            yield _Note(*repair.span, "repaired", repair.message + _arrow(repair))
        for mark in it.ignored:
            yield _Note(*mark.span, "ignored", mark.reason)
        if it.error is not None and it.error.span is not None:
            yield _Note(*it.error.span, "error", self._reason())

    def _reason(self) -> str:
        """Return the reason of the error without the text, which some messages repeat."""
        reason = self._it.error.reason if self._it.error else ""
        return reason.replace(self._text, "...") if len(self._text) > 1 else reason

    # -- the text ---------------------------------------------------------------------------------

    def rows(self) -> Iterator[_Row]:
        """Yield the rows of the text; each line has as many rows as it needs."""
        spans, at = self._it.spans, 0
        for number, (start, end) in enumerate(_lines(self._text, self._size), 1):
            while at < len(spans) and spans[at].span[1] <= start:
                at += 1
            pieces: list[_Piece] = []
            here = at
            while here < len(spans) and spans[here].span[0] < end:
                span = spans[here].span
                pieces.append((max(span[0], start), min(span[1], end), spans[here].part))
                here += 1
            yield from self._rows_of_line(str(number), start, pieces)

    def _rows_of_line(self, number: str, line: int, pieces: Sequence[_Piece]) -> Iterator[_Row]:
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
                        row.pieces.append((at, at + size, part))
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

    def _part_of(self, group: Sequence[_Piece]) -> str:
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

    def _below(self, row: _Row, note: _Note, *, is_marked: bool) -> Iterator[str]:
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

    # -- the outcome ------------------------------------------------------------------------------

    def _outcome(self) -> Iterator[str]:
        it = self._it
        match it.result:
            case AgentAction(tool=tool, tool_input=tool_input):
                yield from self._field("tool", "tool", tool)
                yield from self._field("input", "input", _as_text(tool_input))
            case list() as actions:
                for action in actions:
                    yield from self._field("tool", "tool", action.tool)
                    yield from self._field("input", "input", _as_text(action.tool_input))
            case None:
                place = f" (line {it.error.line}, column {it.error.column})" if it.error else ""
                yield from self._field("error", "error", self._reason() + place)
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
        code = _STYLES.get(style) if self._color and text.strip() else None
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


def _groups(pieces: Sequence[_Piece]) -> list[list[_Piece]]:
    """Group the pieces of a line by part; a marker joins the part that follows it."""
    groups: list[list[_Piece]] = []
    beside: list[_Piece] = []
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


def _arrow(repair: ExplainedRepair) -> str:
    """Return the replacement of a repair, if it is short and not evident from the message."""
    after = repair.after
    if not after or after in repair.before or after in repair.message:
        return ""
    return f" -> {after}" if len(after) <= _LONGEST_AFTER else ""


def _as_text(tool_input: object) -> str:
    if isinstance(tool_input, str):
        return tool_input
    try:
        return json.dumps(tool_input, ensure_ascii=False, default=repr)
    except (TypeError, RecursionError):
        return repr(tool_input)
