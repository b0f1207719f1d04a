"""Splitting the lines of a console into its pieces."""

from __future__ import annotations

import re
from collections.abc import Generator, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.transcripts import Notice
from agent_runs.splitting.ansi import without_codes
from agent_runs.splitting.ends import DOUBT, GAP, end_of
from agent_runs.splitting.quoted import closes_fence, opened_fence
from agent_runs.splitting.separators import LOGGED, is_logged
from agent_runs.splitting.wrapping import Wrapping

if TYPE_CHECKING:
    from agent_parsers.core import NoticeKind
    from agent_runs.reading.reader import Lines
    from agent_runs.splitting.wrapping import Joint
    from agent_runs.tables.piece import ConsolePiece, Shown

_AHEAD: Final = 8
"""How many lines behind a title are looked at."""
_BETWEEN: Final = (
    "dropped lines between two texts: the program may have printed them, or one of the texts may "
    "quote them"
)
_ASKED: Final = "an empty result is followed by a question, which may be part of the result"
_DEEPEST: Final = 1_000
"""How many lines a fence may have in which others stand."""


class Title(NamedTuple):
    """What the pattern of a title matched at the beginning of a line."""

    piece: ConsolePiece
    groups: Mapping[str, str | None]
    title: str
    """What it matches."""


@dataclass
class Found:
    """A piece of a console log."""

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
    notices: list[Notice] = field(default_factory=list)
    """What is to be said about lines that were taken out of it, or may not belong to it."""
    _fence: str = ""
    """The mark of the fence that is open behind the texts that have been looked at."""
    _looked_at: int = 0
    """How many texts these are."""

    @property
    def piece(self) -> ConsolePiece:
        """The first of the kinds that the piece may have."""
        return self.kinds[0].piece

    @property
    def title(self) -> str:
        """The title, or ``""``."""
        return self.kinds[0].title

    @property
    def says_something(self) -> bool:
        """Whether the piece has a title, or text that is not dropped."""
        is_frame = self.piece.what == "nothing"
        return bool(self.title) or (self.has_text and not is_frame)

    @property
    def is_passed_over(self) -> bool:
        """Whether what stands behind it stands behind the piece before it."""
        return self.piece.is_aside or not self.says_something

    def text_of(self, title: Title) -> str:
        """Return the text after *title*."""
        return self.first[len(title.title) :] + "".join(self.texts)

    @property
    def blank_lines(self) -> tuple[int, int]:
        """The numbers of line breaks before and after the text of the piece."""
        text = self.text_of(self.kinds[0])
        start = text[: len(text) - len(text.lstrip())]
        return start.count("\n"), text[len(text.rstrip()) :].count("\n")

    def add(self, text: str) -> None:
        """Add *text* after the title."""
        self.texts.append(text)
        self.has_text = self.has_text or bool(text.strip())

    def join(self, joint: Joint) -> None:
        """Add *joint* before the next text."""
        if not self.texts and not self.has_text:
            return  # it is the first
        if joint.gap != "\n" and self.texts:
            self.texts[-1] = self.texts[-1].removesuffix("\n") + joint.gap
        elif joint.gap != "\n":
            self.first = self.first.removesuffix("\n") + joint.gap
        is_said = any(each.message == joint.message for each in self.notices)
        if joint.message and not is_said and self.piece.what != "nothing":
            self.notices.append(Notice("altered_text", joint.message, line=self.line))

    def open_fence(self) -> str:
        """Return the mark of a fence that is still open at the end of the texts, or ``""``."""
        for line in islice(self.texts, self._looked_at, None):
            if self._fence:
                self._fence = "" if closes_fence(line, self._fence) else self._fence
            else:
                self._fence = opened_fence(line)
        self._looked_at = len(self.texts)
        last = next((line for line in reversed(self.texts) if line.strip()), "")
        is_bare = len(self.texts) > 1 and last.strip() == self._fence
        return "" if is_bare else self._fence

    def cut_end(self, *, is_end: bool) -> None:
        """Remove the lines at the end of a run that belong to none; with *is_end*, the log ends."""
        head = self.first[len(self.title) :]
        texts = "".join(self.texts).splitlines(keepends=True)
        found = end_of([head, *texts], is_end=is_end)
        self.texts = [*found.kept[1:]]
        line = self.line + len(found.kept) - (not self.first)
        self._note("unowned_text", GAP, found.cut, line)
        self._note("unclear_end", DOUBT, found.doubtful, line - len(found.doubtful))

    def _note(self, kind: NoticeKind, message: str, lines: Sequence[str], line: int) -> None:
        if text := "".join(lines).strip("\r\n"):
            line += next(at for at, each in enumerate(lines) if each.strip())
            line += sum(each.message == LOGGED and each.line <= line for each in self.notices)
            self.notices.append(Notice(kind, message, text=text, line=line))

    def doubt_next(self, following: Found) -> None:
        """Add a notice that the question *following* may be part of this result, which is empty."""
        title = following.first.rstrip("\r\n")
        self.notices.append(Notice("unclear_end", _ASKED, text=title, line=following.line))

    def doubt_frame(self, frame: Found) -> None:
        """Add a notice that *frame* may belong to this text or to the one before it."""
        text = frame.first + "".join(frame.texts)
        self.notices.append(Notice("unowned_text", _BETWEEN, text=text.strip(), line=frame.line))

    def chosen(self, drop: str) -> tuple[ConsolePiece, Mapping[str, str | None]] | None:
        """Return the kind of the piece, and the groups of its title and body; `None` if none fits.

        Text that the pattern *drop* matches is removed from the body.
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


class _InFence(NamedTuple):
    """Whether the ends of a piece stand in a fence."""

    piece: Found
    mark: str
    """The mark of the fence."""
    until: int
    """The line before which all ends do, or do not."""
    is_inside: bool


class Splitter:
    """Splits consoles into *pieces*; the options are those of `Console`.

    The text *before* the first title is a piece, and so is the *rest* behind one that has ended by
    itself.
    """

    def __init__(
        self,
        pieces: Sequence[ConsolePiece],
        before: ConsolePiece,
        rest: ConsolePiece,
        *,
        has_fences: bool = False,
        is_paired: bool = False,
        wraps: bool = False,
    ) -> None:
        self._pieces = pieces
        self._before = before
        self._rest_kind = rest
        self._has_fences = has_fences
        self._is_paired = is_paired
        self._wrapping = Wrapping() if wraps else None
        self._now = Found([Title(before, {}, "")], 0)
        self._before_blank: Shown = "nothing"  # the last piece that says something
        self._waiting = 0  # calls for their results
        self._ends: dict[str, int] = {}  # the line of the next end, by its pattern
        self._closers: dict[int, int] = {}  # the line that ends a fence, by the line that begins it
        self._matched = 0  # the last line up to which fences have been matched
        self._endless: set[str] = set()  # the marks of fences that nothing more ends
        self._known = _InFence(self._now, "", 0, is_inside=False)  # looked up last

    def titles_in(self, line: str) -> list[Title]:
        """Return the titles that may match *line*, whatever follows it."""
        found = ((piece, piece.begins.match(line)) for piece in self._pieces)
        return [Title(piece, match.groupdict(), match[0]) for piece, match in found if match]

    def begun(self, line: str, lines: Lines) -> list[Title]:
        """Return the titles that match *line*, given the *lines* after it."""
        before = self._before_blank if self._now.is_passed_over else self._now.piece.what
        titles = [
            title
            for title in self.titles_in(line)
            if not title.piece.behind or before in title.piece.behind
        ]
        if not any(title.piece.ahead for title in titles):
            return titles
        ahead = "".join(without_codes(lines.peek(index)) for index in range(_AHEAD))
        return [title for title in titles if re.match(title.piece.ahead, ahead)]

    def has_end(self, title: Title, line: str, lines: Lines) -> bool:
        """Return whether a piece that begins with *title* in *line* has the end that it needs."""
        until = title.piece.until
        if not until or re.search(until, line[len(title.title) :]):
            return True
        number = lines.number
        if self._ends.get(until, 0) < number:
            ends = (index for index, each in enumerate(_ahead(lines)) if re.search(until, each))
            self._ends[until] = number + next(ends, _NEVER)
        return self._ends[until] < _NEVER

    def split(self, lines: Lines) -> Iterator[Found]:
        """Yield the pieces in *lines*."""
        self._now = Found([Title(self._before, {}, "")], lines.number, is_first=True)
        hidden, is_whole = 0, False  # how many lines of a fence follow; whether a piece ends then
        for raw in lines:
            line = whole = without_codes(raw)
            if not self._has_fences and not self._now.piece.more and is_logged(line):
                text = line.rstrip("\r\n")
                notice = Notice("unowned_text", LOGGED, text=text, line=lines.number - 1)
                self._now.notices.append(notice)
                continue
            if hidden:
                hidden -= 1
                self._now.add(line)
                if is_whole and not hidden:
                    yield from self._rest("", lines)
                continue
            now, is_whole = self._now, not self._now.has_text
            while line:  # what ends a piece may begin the next
                line = yield from self._take(line, lines)
            if self._has_fences and _may_have_fences(self._now):
                hidden = self._fenced(whole, lines)
                is_whole = is_whole and self._now is now and now.piece.ends_with_fence
        yield self._now

    def _take(self, line: str, lines: Lines) -> Generator[Found, None, str]:
        """Take a *line*, yield the pieces that it ends, and return what of it is left to take."""
        now = self._now
        is_repeated = not now.has_text and line == now.first  # a program may begin it twice
        is_inside = now.is_open or (bool(now.piece.until) and not now.has_text)
        kinds = [] if is_inside and not is_repeated else self.begun(line, lines)
        if kinds and not _goes_on(now, kinds, line) and _is_title(now, kinds, self._waiting):
            now.following = line
            yield from self._end(Found(kinds, lines.number - 1, line))
            now, title = self._now, kinds[0]
            now.is_open = bool(title.piece.until) and self.has_end(title, line, lines)
            now.has_text = bool(line[len(title.title) :].strip())
            end = re.search(title.piece.until, line[len(title.title) :]) if now.is_open else None
            if title.piece.more:
                if self._wrapping is not None:
                    self._wrapping.begin(line)
                now.first = f"{line.rstrip()}\n"
            if end is None:
                return ""
            line, now.first = now.first[len(title.title) :], title.title
        else:
            end = re.search(now.piece.until, line) if now.is_open else None
            if end is not None and self._is_in_fence(now, lines):
                end = None
        if end is not None:
            now.add(line[: end.start()])
            return (yield from self._rest(line[end.end() :], lines))
        if now.piece.more and not now.is_open:
            mark = re.match(now.piece.more, line)
            if mark is None:
                return (yield from self._rest(line, lines))
            whole, line = line, f"{line[mark.end() :].rstrip()}\n"
            if self._wrapping is not None:
                now.join(self._wrapping.go_on(whole, line))
        now.add(line)
        return ""

    def _is_in_fence(self, now: Found, lines: Lines) -> bool:
        """Return whether the end of a piece stands in a fence, behind which another one ends it.

        No other piece of its kind may begin before that, in the fence or not.
        """
        if not self._has_fences or not (mark := now.open_fence()):
            return False
        known = self._known
        if known.piece is not now or known.mark != mark or known.until <= lines.number:
            self._known = known = self._ended_behind(now, mark, lines)
        return known.is_inside

    def _ended_behind(self, now: Found, mark: str, lines: Lines) -> _InFence:
        """Return whether an end of a piece stands in a fence, and up to which line that holds."""
        before, index = "", 0
        for index, each in enumerate(_ahead(lines)):
            if now.piece.begins.match(each):
                return _InFence(now, mark, lines.number + index, is_inside=False)
            if re.search(now.piece.until, each) and closes_fence(before, mark):
                return _InFence(now, mark, lines.number + index, is_inside=True)
            before = each if each.strip() else before
        return _InFence(now, mark, lines.number + index + 1, is_inside=False)

    def _rest(self, line: str, lines: Lines) -> Generator[Found, None, str]:
        """End the piece that is open before *line*, which is left to take."""
        filled = (each for each in chain([line], _ahead(lines)) if each.strip())
        self._now.following = next(filled, "")
        rest = Found([Title(self._rest_kind, {}, "")], lines.number - bool(line))
        yield from self._end(rest)
        return line

    def _end(self, following: Found) -> Iterator[Found]:
        """End the piece that is open; *following* is open then."""
        if not self._now.is_passed_over:
            self._before_blank = self._now.piece.what
        yield self._now
        waits = _waits(self._now.piece)
        self._waiting = waits if waits > 0 and self._is_paired else self._waiting + waits
        self._now = following

    def _fenced(self, line: str, lines: Lines) -> int:
        """Return how many lines belong to the fence that *line* opens; 0 if it opens none.

        A fence in which others stand ends behind them, if each of them ends; any other ends with
        the first line that has no more than its mark.
        """
        mark = opened_fence(line)
        if not mark:
            return 0
        number = lines.number  # of the line behind it
        if number > self._matched:
            self._match_fences(mark, lines)
        if (end := self._closers.pop(number - 1, 0)) or mark in self._endless:
            return max(end - number + 1, 0)
        for index, each in enumerate(_ahead(lines)):
            if closes_fence(each, mark):
                return index + 1
        self._endless.add(mark)
        return 0

    def _match_fences(self, mark: str, lines: Lines) -> None:
        """Find the ends of the fence that has just begun with *mark*, and of those inside it."""
        self._closers.clear()
        begun = [(lines.number - 1, mark)]
        for index, each in enumerate(islice(_ahead(lines), _DEEPEST)):
            self._matched = lines.number + index
            inner = opened_fence(each) if mark[:3] in each else ""
            if not inner:
                continue
            if not closes_fence(each, begun[-1][1]):
                begun.append((self._matched, inner))
            else:
                self._closers[begun.pop()[0]] = self._matched
            if not begun:
                return


_NEVER: Final = 1 << 62


def _ahead(lines: Lines) -> Iterator[str]:
    """Yield the lines that follow; none of them is taken."""
    index = 0
    while line := lines.peek(index):
        yield without_codes(line)
        index += 1


def _may_have_fences(found: Found) -> bool:
    """Return whether fences count in a piece: values of tools may have half of one."""
    is_text = found.piece.what in ("text", "nothing")
    return not found.piece.more and (is_text or not found.is_open)


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
