"""Splitting the lines of a console into its pieces."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_runs.splitting.ansi import without_codes

if TYPE_CHECKING:
    from agent_runs.reading.reader import Lines
    from agent_runs.tables.piece import ConsolePiece

_AHEAD: Final = 8
"""How many lines behind a title are looked at."""
_FENCE: Final = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)").match
_DEEPEST: Final = 1_000
"""How many lines a fence may have in which others stand."""


class Title(NamedTuple):
    """A title that fits a line."""

    piece: ConsolePiece
    groups: Mapping[str, str | None]
    title: str
    """What it matches."""


@dataclass
class Found:
    """A piece of a console."""

    kinds: Sequence[Title]
    """The kinds that its title fits; which of them it is shows its body."""
    line: int
    """The line of the file where it begins."""
    first: str = ""
    """The line with the title."""
    texts: list[str] = field(default_factory=list)
    """The text behind that line, in pieces."""
    has_text: bool = False
    """Whether more than the title has been seen."""
    is_open: bool = False
    """Whether the text that ends it is still to come."""
    is_first: bool = False
    """Whether it stands before the first title."""
    following: str = ""
    """The next line with text behind it."""
    is_last: bool = False

    @property
    def piece(self) -> ConsolePiece:
        """Its first kind."""
        return self.kinds[0].piece

    @property
    def title(self) -> str:
        """The title; empty if it has none."""
        return self.kinds[0].title

    def text_of(self, title: Title) -> str:
        """Return the text behind *title*."""
        return self.first[len(title.title) :] + "".join(self.texts)

    def add(self, text: str) -> None:
        """Add *text* to what stands behind the title."""
        self.texts.append(text)
        self.has_text = self.has_text or bool(text.strip())

    def chosen(self, drop: str) -> tuple[ConsolePiece, Mapping[str, str | None]] | None:
        """Return the kind that it is, and the groups of its title and its body; `None` if none.

        Args:
            drop: A pattern for what is taken out of the body.
        """
        for title in self.kinds:
            body = self.text_of(title)
            body = re.sub(drop, "", body) if drop else body
            match = title.piece.holds.fullmatch(body.strip("\n"))
            follows = re.match(title.piece.then, self.following)
            if match is not None and follows is not None:
                found = {key: value for key, value in match.groupdict().items() if value}
                return title.piece, {**match.groupdict(), **title.groups, **found}
        return None


class Splitter:
    """Splits consoles into pieces.

    Args:
        pieces: The kinds of pieces.
        before: What stands before the first title.
        rest: What stands behind a piece that has ended by itself.
        has_fences: Whether titles in fences are text.
    """

    def __init__(
        self,
        pieces: Sequence[ConsolePiece],
        before: ConsolePiece,
        rest: ConsolePiece,
        *,
        has_fences: bool = False,
    ) -> None:
        self._pieces = pieces
        self._before = before
        self._rest = rest
        self._has_fences = has_fences
        self._endless: set[str] = set()  # the patterns and marks that nothing more matches

    def titles_in(self, line: str) -> list[Title]:
        """Return the titles that may fit a *line*, whatever follows it."""
        found = ((piece, piece.begins.match(line)) for piece in self._pieces)
        return [Title(piece, match.groupdict(), match[0]) for piece, match in found if match]

    def begun(self, line: str, lines: Lines) -> list[Title]:
        """Return the titles that fit *line*, given the *lines* behind it."""
        titles = self.titles_in(line)
        if not any(title.piece.ahead for title in titles):
            return titles
        ahead = "".join(without_codes(lines.peek(index)) for index in range(_AHEAD))
        return [title for title in titles if re.match(title.piece.ahead, ahead)]

    def has_end(self, title: Title, line: str, lines: Lines) -> bool:
        """Return whether a piece that begins with *title* in *line* has the end that it needs."""
        until = title.piece.until
        if not until or re.search(until, line[len(title.title) :]):
            return True
        if until in self._endless:
            return False
        if any(re.search(until, each) for each in _ahead(lines)):
            return True
        self._endless.add(until)
        return False

    def split(self, lines: Lines) -> Iterator[Found]:
        """Yield the pieces in *lines*."""
        now = Found([Title(self._before, {}, "")], lines.number, is_first=True)
        waiting = hidden = 0
        for raw in lines:
            line = without_codes(raw)
            if hidden:
                hidden -= 1
                now.add(line)
                continue
            kinds = [] if now.is_open and now.has_text else self.begun(line, lines)
            if kinds and not _goes_on(now, kinds, line) and _is_title(now, kinds, waiting):
                yield _ended(now, line)
                waiting += _waits(now.piece)
                number = lines.number - 1
                now = Found(kinds, number, line)
                now.is_open = bool(now.piece.until) and self.has_end(kinds[0], line, lines)
                now.has_text = bool(line[len(now.title) :].strip())
                shown, line = line[len(kinds[0].title) :], ""
            else:
                shown = line
            piece = now.piece
            if now.is_open and (end := re.search(piece.until, shown)):
                rest = shown[end.end() :]
                kept = shown[: end.start()]
                if line:
                    now.add(kept)
                else:
                    now.first = now.title + kept
                yield _ended(now, _next_filled(rest, lines))
                waiting += _waits(piece)
                now = Found([Title(self._rest, {}, "")], lines.number - 1, texts=[rest])
            elif line and piece.more and not now.is_open:
                mark = re.match(piece.more, line)
                if mark is not None:
                    now.add(f"{line[mark.end() :].rstrip()}\n")
                    continue
                yield _ended(now, _next_filled(line, lines))
                waiting += _waits(piece)
                now = Found([Title(self._rest, {}, "")], lines.number - 1, texts=[line])
            elif line:
                now.add(line)
            if line and self._has_fences and not now.is_open and not now.piece.more:
                hidden = self._fenced(line, lines)
        now.is_last = True
        yield now

    def _fenced(self, line: str, lines: Lines) -> int:
        """Return how many lines belong to the fence that *line* opens; 0 if it opens none.

        A fence in which others stand ends behind them, if each of them ends; any other ends with
        the first line that has no more than its mark.
        """
        fence = _FENCE(line)
        if fence is None:
            return 0
        mark = fence[1]
        depth = 1
        for index in range(_DEEPEST):
            inner = _FENCE(lines.peek(index))
            if not lines.peek(index):
                break
            if inner is None or not inner[1].startswith(mark[:3]):
                continue
            depth += 1 if inner[2].strip() else -1
            if not depth:
                return index + 1
        if mark in self._endless:
            return 0
        for index, each in enumerate(_ahead(lines)):
            inner = _FENCE(each)
            if inner is not None and inner[1].startswith(mark) and not inner[2].strip():
                return index + 1
        self._endless.add(mark)
        return 0


def _ahead(lines: Lines) -> Iterator[str]:
    """Yield the lines that follow; none of them is taken."""
    index = 0
    while line := lines.peek(index):
        yield without_codes(line)
        index += 1


def _next_filled(line: str, lines: Lines) -> str:
    """Return *line*, or if it is blank the next one in *lines* with text."""
    following: Iterable[str] = _ahead(lines)
    return line if line.strip() else next((each for each in following if each.strip()), "")


def _ended(found: Found, following: str) -> Found:
    found.following = following
    return found


def _goes_on(now: Found, kinds: Sequence[Title], line: str) -> bool:
    """Return whether *line*, which has a title, is a further line of the same piece."""
    more = now.piece.more
    return bool(more) and kinds[0].piece is now.piece and re.match(more, line) is not None


def _is_title(now: Found, kinds: Sequence[Title], waiting: int) -> bool:
    """Return whether a title counts: that of a result in another does not if no call waits."""
    results = ("result", "results")
    is_result = kinds[0].piece.what in results
    return not (is_result and now.piece.what in results and waiting <= 1)


def _waits(piece: ConsolePiece) -> int:
    if "(?P<output>" in piece.body:
        return 0
    return {"call": 1, "calls": 1_000, "result": -1}.get(piece.what, 0)
