"""A console as a table of the titles of its pieces, and the one reader of all such tables."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agent_runs.reading.parts import call_of, result_of
from agent_runs.reading.reader import Lines, Reading, TextReader
from agent_runs.reading.reprs import value_of_repr
from agent_runs.reading.said import Said, SaidCall, runs_of_messages
from agent_runs.splitting.ansi import without_codes
from agent_runs.splitting.quoted import Quotations
from agent_runs.tables.part import Path, at

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

Shown: TypeAlias = Literal[
    "question", "thought", "text", "call", "calls", "result", "results", "system", "nothing"
]


@dataclass(frozen=True)
class ConsolePiece:
    """One kind of piece that a console shows: a title, and the text behind it up to the next."""

    what: Shown
    """What it is. ``"calls"`` and ``"results"`` are lists as Python shows them, ``"nothing"`` a
    frame, whose text is none of any run; what its *body* does not match is a notice."""
    title: str
    """A pattern for the beginning of its first line. Like *body* it may have the groups ``tool``,
    ``args``, ``id`` and ``text``."""
    body: str = r"(?P<text>.*)"
    """A pattern for all of the text behind the title. What its group ``after`` matches is text of
    the assistant that follows."""
    fields: Mapping[str, Path] = field(default_factory=dict)
    """Of lists: where each object has its ``name``, ``arguments``, ``id`` and ``output``."""
    is_sign: bool = False
    """Whether only this console has such a title."""

    @cached_property
    def begins(self) -> re.Pattern[str]:
        """The compiled pattern of the title."""
        return re.compile(self.title)

    @cached_property
    def holds(self) -> re.Pattern[str]:
        """The compiled pattern of the text behind it."""
        return re.compile(self.body, re.DOTALL)


@dataclass(frozen=True, kw_only=True)
class Console:
    """What a console shows, as pieces that begin with titles.

    `read_runs` takes such a table as ``format=``, and `register_reader` makes its form one that is
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
    drop: str = ""
    """A pattern for what may be printed behind the text of any piece."""
    before: tuple[str, ...] = ()
    """Names of readers that recognise such consoles too, but know less of them."""

    @cached_property
    def reader(self) -> TextReader:
        """The reader of this console."""
        return TextReader(
            name=self.name, summary=self.summary, evidence=self._evidence, read=self._read,
            before=self.before, signs=self._signs,
        )  # fmt: skip

    @property
    def _signs(self) -> tuple[str, ...]:
        """How the titles begin that are signs; nothing if one does not begin with plain text."""
        begins = [_plain_start(piece.title) for piece in self.pieces if piece.is_sign]
        return tuple(begins) if all(begins) else ()

    def _begun(self, line: str) -> tuple[ConsolePiece, re.Match[str]] | None:
        found = ((piece, piece.begins.match(line)) for piece in self.pieces)
        return next(((piece, match) for piece, match in found if match is not None), None)

    def _evidence(self, head: str) -> Sequence[str]:
        quotations = Quotations(lambda line: self._begun(line) is not None)
        lines = Lines(head.splitlines(keepends=True))
        for line in map(without_codes, lines):
            if quotations.has(line, lines.peek):
                continue
            begun = self._begun(line)
            if begun is not None and begun[0].is_sign:
                return (f"{begun[1][0].strip()!r} in line {lines.number - 1}",)
        return ()

    def _read(self, lines: Lines, reading: Reading) -> Iterator[Transcript]:
        return runs_of_messages(self._said(lines, reading), reading)

    def _said(self, lines: Lines, reading: Reading) -> Iterator[Said]:
        piece = ConsolePiece(self.first, "")
        groups: Mapping[str, str | None] = {}
        text: list[str] = []
        begin, waiting, is_begun = lines.number, 0, False
        for raw in lines:
            line = without_codes(raw)
            begun = self._begun(line)
            if begun is not None and _is_title(piece, begun[0], waiting):
                is_begun = True
                waiting += _waits(piece)
                yield from self._end(piece, groups, "".join(text), begin, reading)
                piece, match = begun
                groups, text, begin = match.groupdict(), [line[match.end() :]], lines.number - 1
            else:
                text.append(line)
        if not is_begun:
            reading.refuse(f"found no title that {self.name} knows", "".join(text)[:1000])
            return
        yield from self._end(piece, groups, "".join(text), begin, reading)

    def _end(
        self,
        piece: ConsolePiece,
        groups: Mapping[str, str | None],
        text: str,
        line: int,
        reading: Reading,
    ) -> Iterator[Said]:
        """Yield what a *piece* says, whose title has *groups* and begins at *line*."""
        body = re.sub(self.drop, "", text) if self.drop else text
        found = piece.holds.fullmatch(body.strip("\n"))
        if piece.what == "nothing":
            if not piece.title and body.strip():
                yield Said("tool", left_out=("text before the first title",), line=line)
            elif found is None:
                yield Said("tool", left_out=("text behind a frame",), line=line)
            return
        if found is None:
            reading.refuse(f"expected a {piece.what} as {self.name} shows it", text, line=line)
            return
        said = {**groups, **{key: value for key, value in found.groupdict().items() if value}}
        try:
            yield from _said_by(piece, said, line)
        except (AttributeError, KeyError, TypeError, ValueError) as error:
            reason = f"expected a {piece.what} as {self.name} shows it: {error}"
            yield Said("tool", error=reading.refuse(reason, text, line=line), line=line)
        if after := said.get("after"):
            yield Said("assistant", after, line=line)


def _plain_start(pattern: str) -> str:
    """Return the plain text, casefolded, with which all begins that *pattern* matches."""
    if "|" in pattern:
        return ""
    plain = re.match(r"(?:[^\\^$.*+?{}\[\]()](?![*?{]))*", pattern)
    assert plain is not None, "it matches the empty text"
    return plain[0].casefold()


def _is_title(inside: ConsolePiece, begun: ConsolePiece, waiting: int) -> bool:
    """Return whether a title counts: that of a result in another does not if no call waits."""
    is_result = begun.what in ("result", "results")
    return not (is_result and inside.what in ("result", "results") and waiting <= 1)


def _waits(piece: ConsolePiece) -> int:
    return {"call": 1, "calls": 1_000, "result": -1}.get(piece.what, 0)


def _said_by(piece: ConsolePiece, said: Mapping[str, str | None], line: int) -> Iterator[Said]:
    text, call_id, tool = said.get("text") or "", said.get("id") or "", said.get("tool") or ""
    match piece.what:
        case "question":
            yield Said("user", text, line=line)
        case "system":
            yield Said("system", text, line=line)
        case "thought":
            yield Said("assistant", thought=text, line=line)
        case "text":
            yield Said("assistant", text, line=line)
        case "call":
            given = said.get("args")
            value = _value(given) if given is not None else {}
            call = SaidCall(tool, value, call_id, has_input=given is not None)
            yield Said("assistant", calls=(call,), line=line)
        case "result":
            yield Said("tool", results=(result_of(text, call_id or None, tool or None),), line=line)
        case _:
            for each in value_of_repr(text):
                item = {ours: at(each, theirs) for ours, theirs in piece.fields.items()}
                if piece.what == "calls":
                    yield Said("assistant", calls=(call_of(item),), line=line)
                else:
                    result = result_of(item["output"], item.get("id"), item.get("name"))
                    yield Said("tool", results=(result,), line=line)


def _value(text: str) -> Any:
    """Return arguments as an object, if Python or JSON shows one; else they are a text."""
    try:
        value = value_of_repr(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text
