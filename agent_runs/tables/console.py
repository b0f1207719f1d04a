"""A console as a table of the titles of its pieces, and the one reader of all such tables."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from typing import Final

from agent_runs.reading.reader import Lines, Reading, Runs, TextReader
from agent_runs.reading.said import OpenConversation, Said
from agent_runs.splitting.ansi import with_codes, without_codes
from agent_runs.splitting.quoted import Quotations
from agent_runs.tables.piece import ConsolePiece, Shown, left_out
from agent_runs.tables.split import Found, Splitter, Title

_PASTED: Final = re.compile(r"(?m:^)(?:\[[0-9]{1,2}m){1,3}[^\W\d_#]?")
"""A line that begins with colours whose escape character was lost in pasting."""


_ENDS: Final[tuple[Shown, ...]] = ("text", "answer", "call", "result")
"""The kinds of pieces with which a run ends."""


@dataclass(frozen=True, kw_only=True)
class Console:
    """A form of console logs, described by a table of pieces that each begin with a title.

    `read_runs` accepts such a table as ``format=``, and after `register_reader` its form is
    recognised.
    """

    name: str
    """Name of the reader."""
    summary: str
    """What it reads, in a few words."""
    pieces: Sequence[ConsolePiece]
    """The kinds of pieces; the first whose title fits counts."""
    first: Shown = "nothing"
    """What the text before the first title is."""
    rest: Shown = "nothing"
    """What the text is behind a piece that has ended by itself, with `until` or `more`."""
    drop: str = ""
    """A pattern for what may be printed behind the text of any piece."""
    shortened: str = ""
    """A pattern for what stands in place of what is left out of arguments and results: they have
    the notice ``cut_value``, and such arguments are left out."""
    wraps: bool = False
    """Whether it wraps the lines of pieces with `more` at its width. Lines that are padded to this
    width are joined; long lines without padding only get a notice. Both are ``altered_text``."""
    has_fences: bool = False
    """Whether titles in fences of Markdown are text."""
    nests: bool = False
    """Whether a question that is asked while a call waits for its result begins a run inside it,
    up to its ``"answer"``."""
    is_paired: bool = False
    """Whether a result stands right behind its call: of several calls in a row, the last has it."""
    is_echoing: bool = False
    """Whether a question that repeats the text before it is the program's, such as a plan."""
    signs: tuple[str, ...] = ()
    """Casefolded texts of which each such log has one; by default the beginnings of the titles
    that are signs, where these are plain text."""
    needs: tuple[Shown, ...] = ()
    """The kinds of pieces of which the beginning of each such log has one beside the sign."""
    before: tuple[str, ...] = ()
    """Names of readers that recognise such consoles too, but know less of them."""

    @cached_property
    def reader(self) -> TextReader:
        """The reader of this console."""
        return TextReader(
            name=self.name, summary=self.summary, evidence=self._evidence, read=self._read,
            before=self.before, signs=self.signs or self._plain_signs, lack=self._lack,
        )  # fmt: skip

    @property
    def _plain_signs(self) -> tuple[str, ...]:
        """How the titles begin that are signs; nothing if one does not begin with plain text."""
        begins = [_plain_start(piece.title) for piece in self.pieces if piece.is_sign]
        return tuple(dict.fromkeys(begins)) if all(begins) else ()

    @property
    def _splitter(self) -> Splitter:
        blank = (ConsolePiece(what, "") for what in (self.first, self.rest))
        return Splitter(
            self.pieces, *blank, has_fences=self.has_fences, is_paired=self.is_paired,
            wraps=self.wraps,
        )  # fmt: skip

    def _titles_in(self, head: str) -> Iterator[tuple[int, Title, bool]]:
        """Yield the titles in *head* that are not quoted: line, title, whether it is a sign."""
        splitter = self._splitter
        quotations = Quotations(lambda line: bool(splitter.titles_in(line)))
        lines = with_codes(Lines(head.splitlines(keepends=True)), _PASTED)
        has_sign = False
        for line in map(without_codes, lines):
            if quotations.has(line, lines.peek):
                continue
            for title in splitter.begun(line, lines):
                is_sign = title.piece.is_sign and not has_sign
                is_sign = is_sign and splitter.has_end(title, line, lines)
                has_sign = has_sign or is_sign
                yield lines.number - 1, title, is_sign

    def _evidence(self, head: str) -> Sequence[str]:
        missing = {*self.needs}
        sign: tuple[str, ...] = ()
        for number, title, is_sign in self._titles_in(head):
            missing.discard(title.piece.what)
            if is_sign:
                sign = (f"{title.title.strip()!r} in line {number}",)
            if sign and not missing:
                return sign
        return ()

    def _lack(self, head: str) -> str:
        """Return which line is nearest to this console, and what it lacks; empty if none is."""
        titles = [each for each in self._titles_in(head) if each[1].piece.what != "nothing"]
        if not titles:
            return ""
        number, title, _ = next((each for each in titles if each[2]), titles[0])
        found = {title.piece.what for _, title, _ in titles}
        missing = [what for what in self.needs if what not in found]
        lacks = (
            f"there is none of the kind {missing[0]!r}" if missing else "other logs may have it too"
        )
        shown, what = title.title.strip(), title.piece.what
        return f"line {number}, {shown!r}, is a title of the kind {what!r}, but {lacks}"

    def _read(self, lines: Lines, reading: Reading) -> Runs:
        runs = _Runs(self, reading)
        kinds: Counter[str] = Counter()
        lines = with_codes(lines, _PASTED)
        text = lines.head(1)[:1000]
        is_empty = True
        pieces = (runs.take(found) for found in self._ended(self._counted(lines, kinds)))
        for run in chain(chain.from_iterable(pieces), runs.close()):
            is_empty = False
            yield run
        if is_empty and not kinds:
            reading.refuse(f"found none of the titles of the form {self.name}", text)
        elif is_empty:
            found = ", ".join(f"{count} {what!r}" for what, count in kinds.items())
            reading.refuse(f"found no run in the pieces of the form {self.name}: {found}", text)

    def _ended(self, pieces: Iterable[Found]) -> Iterator[Found]:
        """Yield *pieces*, of which those that end a run lack what belongs to nobody."""
        held: list[Found] = []  # the last one that is no frame, and the frames behind it
        for found in pieces:
            what = found.piece.what
            if what != "nothing" and found.says_something:
                if held and what in ("question", "start"):
                    self._end_run(held[0], found)
                if held and what == held[0].piece.what == "text":
                    for frame in (each for each in held if each.piece.may_be_text):
                        found.doubt_frame(frame)
                yield from held
                held.clear()
            held.append(found)
        if held:
            self._end_run(held[0], None)
        yield from held

    def _end_run(self, last: Found, following: Found | None) -> None:
        piece = last.piece
        if self.has_fences or piece.until or piece.more or piece.what not in _ENDS:
            return
        last.cut_end(is_end=following is None)
        is_empty = piece.what == "result" and not last.has_text
        if is_empty and following is not None and following.piece.what == "question":
            last.doubt_next(following)

    def _counted(self, lines: Lines, kinds: Counter[str]) -> Iterator[Found]:
        """Yield the pieces in *lines*, and count them by what they are.

        None is yielded unless one shows that the lines are of this console. A result does not, nor
        does a place that no text marks: other logs have these too.
        """
        held: list[Found] = []
        is_shown = False
        for found in self._splitter.split(lines):
            if found.piece.title:
                kinds[found.piece.what] += 1
            is_result = found.piece.what in ("result", "results") and not found.piece.is_sign
            is_shown = is_shown or (bool(found.title) and not is_result)
            held.append(found)
            if is_shown:
                yield from held
                held.clear()


class _Runs:
    """The runs of a console that are open, by the agent whose they are."""

    def __init__(self, console: Console, reading: Reading) -> None:
        self._console = console
        self._reading = reading
        self._shortened = re.compile(console.shortened) if console.shortened else None
        self._agent: str | None = None  # nobody was named so far
        self._open: dict[str, list[OpenConversation]] = {}
        self._last: tuple[Said, Shown] | None = None  # a text, which may go on
        self._blank = 0  # how many line ends stand behind it
        self._held: list[Said] = []  # what is left out before the next run
        self._is_answered = False
        self._who: str | None = None  # spoke first
        self._text = ""  # of the assistant, the last one

    def take(self, found: Found) -> Runs:
        """Process a piece, and yield the runs that end there."""
        if found.title:
            yield from self._flush()
        if found.notices:
            self._held.append(Said("tool", notices=found.notices, line=found.line))
        for said, what in self._said(found):
            is_aside = not (said.text or said.thought or said.calls or said.results or said.error)
            if is_aside:
                yield from self._flush()
                self._held.append(said)
                continue
            is_text = said.role == "assistant" and not (said.thought or said.calls)
            if is_text and self._last is not None and what == self._last[1]:
                # It goes on behind what looks like a title.
                blank = "\n" * max(self._blank + found.blank_lines[0], 1)
                self._last[0].text += blank + said.text
                self._blank = found.blank_lines[1]
                continue
            yield from self._flush()
            if is_text:
                self._last, self._blank = (said, what), found.blank_lines[1]
            else:
                yield from self._route(said, what)

    def _flush(self) -> Runs:
        last, self._last = self._last, None
        if last is not None:
            yield from self._route(*last)

    def _route(self, said: Said, what: Shown) -> Runs:
        """Give what is *said* to the run that it belongs to, and yield the runs that it ends."""
        stack = self._open.setdefault(self._agent or "", [])
        if len(stack) > 1 and self._is_answered:
            yield from self._end(stack)
        is_nested = bool(stack) and what == "question" and self._console.nests
        if not stack or (is_nested and stack[-1].is_waiting):
            at, is_paired = self._reading.at(said.line), self._console.is_paired
            stack.append(OpenConversation(at, is_paired=is_paired))
        self._is_answered = what == "answer"
        for each in (*self._held, said):
            if (run := stack[-1].take(each)) is not None:
                yield run
        self._held.clear()

    def close(self) -> Runs:
        """Process the end of the log, and yield the last runs."""
        yield from self._flush()
        stacks = [stack for stack in self._open.values() if stack]
        for said in self._held if stacks else ():
            stacks[-1][-1].take(said)
        for stack in stacks:
            while stack:
                yield from self._end(stack)

    def _end(self, stack: list[OpenConversation]) -> Runs:
        if (run := stack.pop().end()) is not None:
            yield run

    def _said(self, found: Found) -> Iterator[tuple[Said, Shown]]:
        """Yield what a piece says, and what the piece is."""
        piece, line = found.piece, found.line
        text = found.text_of(found.kinds[0])
        chosen = found.chosen(self._console.drop)
        if chosen is None and piece.what == "nothing":
            whole = found.first + "".join(found.texts)
            yield left_out("a frame with text", whole, line), "nothing"
        elif chosen is None:
            error = self._reading.refuse(self._expected(piece), text, line=line)
            yield Said("tool", error=error, line=line), "text"
        elif chosen[0].what == "nothing" and not piece.title:
            if text.strip():
                where = "before the first title" if found.is_first else "under no title"
                yield left_out(f"text {where}", text, line), "nothing"
        else:
            yield from self._said_as(*chosen, text, line)

    def _said_as(
        self, piece: ConsolePiece, groups: Mapping[str, str | None], text: str, line: int
    ) -> Iterator[tuple[Said, Shown]]:
        """Yield what a *text* says as a kind of piece."""
        self._name(groups)
        if piece.what == "start":
            self._who = None
        what: Shown = piece.what
        if what == "spoken" and (groups.get("text") or "").strip():
            who = groups.get("who") or ""
            self._who = who if self._who is None else self._who
            what = "question" if who == self._who else "text"
        try:
            said = [*piece.said(groups, line, self._shortened)]
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            refused = self._reading.refuse(f"{self._expected(piece)}: {error}", text, line=line)
            said = [Said("tool", error=refused, line=line)]
        if piece.what == "question" and not said:
            yield left_out("a question without text", text or piece.what, line), "nothing"
        for each in said:
            if each.role == "user" and what == "text":
                each.role = "assistant"
            may_be_echo = each.role == "user" and self._console.is_echoing and bool(self._text)
            if may_be_echo and each.text.split() == self._text.split():
                continue
            if each.role == "assistant" and each.text:
                self._text = each.text
            yield each, what

    def _name(self, groups: Mapping[str, str | None]) -> None:
        """Take the name of the agent whose pieces follow, if *groups* have it."""
        if "agent" not in groups:
            return
        name = groups["agent"] or ""
        if self._agent is None and "" in self._open:
            self._open[name] = self._open.pop("")  # the log was cut before its name
        self._agent = name

    def _expected(self, piece: ConsolePiece) -> str:
        what = piece.what.removesuffix("s")
        article = "an" if what == "answer" else "a"
        return f"expected {article} {what} as {self._console.name} shows it"


def _plain_start(pattern: str) -> str:
    """Return the plain text, casefolded, with which all begins that *pattern* matches."""
    if "|" in pattern:
        return ""
    plain = re.match(r"(?:[^\\^$.*+?{}\[\]()](?![*?{]))*", pattern)
    assert plain is not None, "the pattern also matches an empty string"
    return plain[0].casefold()
