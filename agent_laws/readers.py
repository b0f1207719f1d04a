"""Checking the reader of a form against what all readers of logs keep."""

from __future__ import annotations

import io
import json
import random
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, OutputParserException
from agent_runs.read_log import read_runs
from agent_runs.readers.known import FormOfLog, reader_of, readers_of_data, readers_of_text
from agent_runs.reading.building import UNASKED
from agent_runs.reading.reader import (
    HEAD_CHARS,
    HEAD_VALUES,
    MALFORMED,
    DataReader,
    Lines,
    TextReader,
)
from agent_runs.recognition import LAST_RESORT
from agent_runs.sources import RunsFrom, as_it_is, open_log
from agent_runs.tables import part as of_part
from agent_runs.tables.console import Console
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart
from agent_runs.tables.piece import ConsolePiece

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript
    from agent_runs.reading.said import Said

_PLACES: Final = 20
_MOST_LINES: Final = 60
"""Of a longer log, so many line ends are cut at."""
_OTHERS: Final = (
    "Question: q\nThought: t\nAction: a\nAction Input: b\nObservation: c\nFinal Answer: d\n",
    '[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]',
    '{"a": 1}\n{"a": 2}\n', "Dear Ada,\n\nit rains.\n",
)  # fmt: skip
"""Texts of other forms, or of none."""


@dataclass(frozen=True)
class ReaderReport:
    """The result of `check_reader`; ``str`` lists what is wrong, or may be, one per line."""

    reader: str
    """Name of the reader."""
    runs: tuple[Transcript, ...]
    """The runs that it read, to compare with the logs."""
    failures: tuple[str, ...]
    """What is wrong, a sentence each."""
    doubts: tuple[str, ...] = ()
    """What may be wrong, a sentence each: parts that were dropped, and what no log has."""

    @property
    def ok(self) -> bool:
        """Whether there are no failures."""
        return not self.failures

    def raise_for_failures(self) -> None:
        """Raise an `AssertionError` if there are failures.

        Raises:
            AssertionError: There are failures; the message lists them and the doubts.
        """
        if self.failures:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        seen = (*self.failures, *self.doubts)
        found = "\n".join(f"- {each}" for each in seen) or "nothing is wrong"
        return f"{self.reader}, {len(self.runs)} runs:\n{found}"


def check_reader(form: FormOfLog, logs: Iterable[RunsFrom]) -> ReaderReport:
    """Check that the reader of a *form* of logs works on some *logs* in that form.

    Each log must be recognised as this form and no other, and contain a run with a step or an
    answer. Each result must have its call. A log that is cut anywhere must give no half value
    without a notice, and a malformed log must raise nothing but `OutputParserException`. Texts in
    other forms must not be recognised. If a row of a table of messages matches parts, each of its
    paths must find something in one of them. Doubts are parts that the runs drop, rows that match
    no part of any log, paths that find nothing where a log may have nothing, such as the name of
    the model, and pieces of a console that match nothing, or whose groups match no text.

    Args:
        form: A table or a reader; it need not be registered.
        logs: Whole logs, as `read_runs` takes them.
    """
    reader = reader_of(form)
    failures: list[str] = []
    doubts: list[str] = []
    runs: list[Transcript] = []
    watch = _Watch()
    watched = watch.form(form)
    for number, source in enumerate(logs, 1):
        failures += (f"log {number}: {each}" for each in _of_recognition(form, source))
        try:
            found = [*read_runs(source, format=watched)]
        except OutputParserException as error:
            failures.append(f"log {number} cannot be read: {error.reason}")
            continue
        if not any(run.steps for run in found):
            failures.append(f"log {number} has no run with a step or an answer")
        runs += found
        errors = (step.error for run in found for step in run.all_steps)
        if unasked := sum(error is not None and error.reason == UNASKED for error in errors):
            failures.append(f"log {number} has results that belong to no call: {unasked}")
        notices = dict.fromkeys(each.message for run in found for each in run.notices)
        doubts += (f"log {number}: {each}" for each in notices if each.startswith("dropped"))
        text = _text_of(source)
        for law in (_of_cuts, _of_malformed):
            failures += (f"log {number}, {each}" for each in _tried(law, text, form))
    for other in _OTHERS:
        if _evidence(reader, other):
            failures.append(f"the reader accepts a text in another form: {other[:40]!r}")
    doubts += watch.unseen.values()
    lacks_results = any(note.kind == "no_observation" for run in runs for note in run.notices)
    failures += (miss for miss, is_found in watch.needed.items() if not is_found)
    for miss in (miss for miss, is_found in watch.others.items() if not is_found):
        is_wrong = lacks_results and " at output=" in miss
        (failures if is_wrong else doubts).append(miss)
    return ReaderReport(reader.name, tuple(runs), tuple(failures), tuple(doubts))


class _Watch:
    """Which rows, paths and groups of a table find something in logs."""

    def __init__(self) -> None:
        self.unseen: dict[int, str] = {}
        """Rows that have matched no part or piece so far, described in words."""
        self.needed: dict[str, bool] = {}
        """What it means that a path of a row finds nothing, and whether it found something."""
        self.others: dict[str, bool] = {}
        """The same of paths that logs may lack."""

    def form(self, form: FormOfLog) -> FormOfLog:
        """Return a form that reads like *form*, and is watched if it is a table."""
        match form:
            case Messages():
                return self._messages(form)
            case Console():
                pieces = [self._piece(number, piece) for number, piece in enumerate(form.pieces)]
                return replace(form, pieces=pieces)
            case _:
                return form

    def _piece(self, number: int, piece: ConsolePiece) -> ConsolePiece:
        if piece.body == _NEVER:
            return piece
        what = f"row {number + 1}, {piece.what!r} with title={piece.title!r}"
        self.unseen[number] = f"no piece of the logs matches {what}"
        named = [re.compile(pattern) for pattern in (piece.title, piece.body, piece.each)]
        names = {name for pattern in named for name in pattern.groupindex}
        if piece.what in ("nothing", "start"):
            names.discard("text")  # nobody asks for it
        words = {name: f"the group {name!r} of {what} matches no text" for name in names}

        def see(groups: Mapping[str, str | None]) -> None:
            self.unseen.pop(number, None)
            for name, said in words.items():
                found = bool((groups.get(name) or "").strip())
                self.others[said] = self.others.get(said, False) or found

        watched = _WatchedPiece(**{each.name: getattr(piece, each.name) for each in fields(piece)})
        object.__setattr__(watched, "see", see)
        return watched

    def _messages(self, form: Messages) -> Messages:
        parts = [self._row(number, row) for number, row in enumerate(form.parts)]
        about = {name: self._path(f"about {name!r}", path) for name, path in form.about.items()}
        paths: dict[str, Any] = {name: self._path(name, getattr(form, name)) for name in _OF_TABLES}
        return replace(form, parts=parts, about=about, **paths)

    def _row(self, number: int, row: MessagePart) -> MessagePart:
        said = (f"{name}={getattr(row, name)!r}" for name in ("type", "key", "at"))
        words = f"row {number + 1}, {row.what!r} with {', '.join(said)}"
        self.unseen[number] = f"no part of the logs matches {words}"

        def where(part: Any) -> bool:
            fits = row.where is None or row.where(part)
            if fits and part is not None:
                self.unseen.pop(number, None)
            return fits

        paths: dict[str, Any] = {}
        for name in _OF_ROWS:
            path = getattr(row, name)
            is_own = path != getattr(MessagePart, name)
            if is_own and not (name == "name" and row.type.endswith("*")):
                is_needed = name != "failed" and (name, row.what) != ("output", "call")
                paths[name] = self._path(name, path, words, is_needed=is_needed)
        return replace(row, where=where, **paths)

    def _path(
        self, name: str, path: of_part.Path, row: str = "", *, is_needed: bool = False
    ) -> of_part.Path:
        if not isinstance(path, str) or not path or path.startswith("="):
            return path
        words = f"nothing in the logs is at {name}={path!r}{row and f' of {row}'}"

        def found(value: Any) -> Any:
            here = of_part.at(value, path)
            place = self.needed if is_needed else self.others
            place[words] = place.get(words, False) or here is not None
            return here

        return found


class _WatchedPiece(ConsolePiece):
    """A piece that records what its patterns have matched."""

    see: Callable[[Mapping[str, str | None]], None]

    def said(
        self, groups: Mapping[str, str | None], line: int, shortened: re.Pattern[str] | None
    ) -> Iterator[Said]:
        each = re.finditer(self.each, groups.get("text") or "", re.DOTALL) if self.each else ()
        for found in ({}, *(match.groupdict() for match in each)):
            self.see({**groups, **found})
        yield from super().said(groups, line, shortened)


_NEVER: Final = "(?!)"
"""The body of pieces that are always a notice."""
_OF_ROWS: Final = ("of", "name", "arguments", "id", "output", "failed")
_OF_TABLES: Final = (
    "system", "answer", "question", "stated", "piece", "caller", "key", "follows", "voids",
    "rewinds", "anew",
)  # fmt: skip


def _tried(
    law: Callable[[str, FormOfLog], Iterator[str]], text: str, form: FormOfLog
) -> Iterator[str]:
    try:
        yield from law(text, form)
    except Exception as error:  # noqa: BLE001 - a reader of a user may raise anything
        yield f"with a part missing: raises {type(error).__name__}: {error}"


def _of_cuts(text: str, form: FormOfLog) -> Iterator[str]:
    halves = {value: at for at, value in half_values(text, form)}
    for value, at in [*halves.items()][:3]:
        yield f"cut at character {at}: gives half of a value without a notice: {value[-60:]!r}"


def half_values(text: str, form: str | FormOfLog = "auto") -> Iterator[tuple[int, str]]:
    """Yield the half values without a notice in beginnings of a log, each with its offset."""
    try:
        known = {value for run in read_runs(io.StringIO(text), format=form) for value in _said(run)}
    except OutputParserException:
        return
    for at in _cuts(text):
        try:
            runs = [*read_runs(io.StringIO(text[:at]), format=form)]
        except OutputParserException:
            continue
        for run in runs:
            kinds = {notice.kind for notice in run.notices}
            if not run.failed and kinds.isdisjoint({"cut_value", "unclear_end"}):
                yield from ((at, each) for each in _said(run) if not _is_whole(each, known))


def _cuts(text: str) -> Iterator[int]:
    chance = random.Random(len(text))
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    yield from ends if len(ends) <= _MOST_LINES else chance.sample(ends, _MOST_LINES)
    yield from (chance.randrange(len(text)) for _ in range(_PLACES) if text)


def _leaves(value: Any) -> Iterator[str]:
    """Yield the texts in *value*, with single blanks for white space."""
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from _leaves(each)
    elif isinstance(value, str) and value.strip():
        yield " ".join(value.split())


def _said(run: Transcript) -> Iterator[str]:
    yield from _leaves(run.question)
    for step in run.all_steps:
        yield from _leaves([step.thought, step.content, step.observation])
        if isinstance(step.action, AgentAction):
            yield from _leaves([step.action.tool, step.action.tool_input])
        elif step.action is not None:
            yield from _leaves(step.action.return_values)


def _is_whole(value: str, known: set[str]) -> bool:
    """Return whether *value* is one of those *known*, or JSON of them."""
    if value in known:
        return True
    try:
        return known.issuperset(_leaves(json.loads(value)))
    except (ValueError, RecursionError):
        return False


def _text_of(source: RunsFrom) -> str:
    if isinstance(source, Mapping | list):
        return json.dumps(source)
    if isinstance(source, bytes):
        return source.decode("utf-8")
    if isinstance(source, str) and "\n" in source:
        return source
    if hasattr(source, "read"):
        raise TypeError("check_reader reads a log several times, so it needs a path or a string")
    try:
        is_file = Path(source).is_file()
    except OSError:  # a text that is too long for a name
        is_file = False
    return Path(source).read_text("utf-8") if is_file else str(source)


def _evidence(reader: Any, source: RunsFrom) -> bool:
    """Return whether a reader takes a log for its own."""
    with open_log(source) as log:
        content = as_it_is(log.content)
        is_text = isinstance(content, Lines)
        if is_text is not isinstance(reader, TextReader):
            return False
        size = HEAD_CHARS if is_text else HEAD_VALUES
        try:
            return bool(reader.evidence(content.head(size)))
        except MALFORMED:
            return False


def _of_recognition(form: FormOfLog, source: RunsFrom) -> Iterator[str]:
    reader = reader_of(form)
    if not _evidence(reader, source):
        yield "the log is not recognised: it contains no sign of this form"
    others: dict[str, TextReader | DataReader] = {**readers_of_text(), **readers_of_data()}
    for name, other in others.items():
        is_apart = name in (*reader.before, reader.name, LAST_RESORT)
        if not is_apart and reader.name not in other.before and _evidence(other, source):
            yield f"it is also recognised as {name!r}: pass before=({name!r},) if yours is better"


def _of_malformed(text: str, form: FormOfLog) -> Iterator[str]:
    """Yield what goes wrong where parts of a log are missing or are of another type."""
    chance = random.Random(len(text))
    lines = text.splitlines(keepends=True)
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    for _ in range(_PLACES):
        odd: Any
        if value is None:
            at = chance.randrange(len(lines))
            odd = io.StringIO("".join((*lines[:at], *lines[at + 1 :])))
        else:
            odd = _without_one(json.loads(text), chance)
        try:
            for _run in read_runs(odd, format=form, on_error=lambda _error: None):
                pass
        except OutputParserException:
            continue
    yield from ()


def _without_one(value: Any, chance: random.Random) -> Any:
    """Return *value* with one of its parts taken out or replaced."""
    within, key = value, None
    while isinstance(within, dict | list) and within:
        above = within
        key = chance.choice([*within] if isinstance(within, dict) else range(len(within)))
        within = above[key]
        if chance.random() < 0.3 and above is not value:
            break
    if key is not None:
        above[key] = chance.choice([None, 7, "x", [], {}, [{}]])
    return value
