"""The runs in the records of loggers, of which each has a log of its own.

A record of another logger belongs to no run, and one at another level ends the text before it::

    INFO  agent: Final Answer: 198 m
    INFO  db: pool is full             of another logger
    DEBUG agent: cache hit             at another level than the answer, and without a label
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from itertools import chain, islice
from math import inf
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from agent_parsers import get_dialect
from agent_parsers.authoring import escape
from agent_parsers.transcripts import Notice, Transcript
from agent_runs.detecting.detect import detect_in_head
from agent_runs.reading.reader import NumberedLines, Reading
from agent_runs.splitting.labels import (
    begins_answer,
    begins_any,
    begins_marked,
    begins_question,
    begins_result,
    may_begin_question,
    size_of_observation_label,
    spelling_of,
)
from agent_runs.splitting.prompts import is_prompt

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import NoticeKind

_HEAD: Final = 1_000
"""How many records are looked at, to see who wrote runs."""
_MOST_HEADS: Final = 3
"""How often so many are looked at, from a record with a label on, if nobody wrote runs before."""
_PART: Final = 1 << 13
"""How much is looked at together, in characters."""
_MOST_TRIED: Final = 6
"""How many parts without a run are tried against the dialects."""
_IN_MEMORY: Final = 1 << 20
"""How much of the other logs is kept in memory, in bytes; the rest is put into a file."""
_MOST_NOTICES: Final = 100
"""How many notices of a run are about records; the others are counted."""
_OTHER_LOGGER: Final = "found lines of another logger"
_OTHER_LEVEL: Final = "found a record at another log level than the text before it"
_BEHIND_LEVEL: Final = "found text after a record at another log level"
_MORE: Final = "found more log records that belong to no run"
_PLAIN: Final = "plain"
"""The reader of text in a dialect, where labels show which record goes on with another."""


class LogRecord(NamedTuple):
    """One record of a logger, which may span several lines."""

    line: int
    """The line of the file where it begins."""
    owner: str
    """Who wrote it: the names in its prefix."""
    lines: list[str]
    """Its lines, each with its end."""
    level: str = ""
    """Its level, in lower case; empty if it has none."""


def is_about_records(notice: Notice) -> bool:
    """Return whether a *notice* is about records that belong to no run."""
    return notice.message.startswith((_OTHER_LOGGER, _OTHER_LEVEL, _BEHIND_LEVEL, _MORE))


def runs_of_records(
    records: Iterable[LogRecord], reading: Reading, notices: list[Notice] | None = None
) -> Iterator[Transcript]:
    """Yield the runs in the *records* of loggers.

    Each owner has a log of its own. That of the first one who wrote runs is read while it comes in;
    the others are put aside. What belongs to no run is a notice of the run before it, or of the
    first one. Whoever yields the records adds *notices* about what stands between them.
    """
    notices = [] if notices is None else notices
    unowned = _Unowned(notices)
    held: Transcript | None = None
    for run in _runs_in(_without_prompts(records, notices), reading, unowned):
        if held is not None:
            line = run.source.line if run.source is not None else 0
            yield _with(held, unowned.take(line))
        held = run
    if held is not None:
        yield _with(held, unowned.take(inf))


def _with(run: Transcript, notices: Sequence[Notice]) -> Transcript:
    return replace(run, notices=(*notices, *run.notices)) if notices else run


class _Unowned:
    """Adds a notice for the records that belong to no run; one for those behind one another."""

    def __init__(self, notices: list[Notice]) -> None:
        self._notices = notices
        self._is_open = False  # whether the last notice may go on

    def add(self, what: str, record: LogRecord, kind: NoticeKind = "unowned_text") -> None:
        """Add a *record* that belongs, or may belong, to no run; *what* describes it."""
        text = "".join(record.lines).strip("\n")
        last = self._notices[-1] if self._notices and self._is_open else None
        if len(self._notices) >= _MOST_NOTICES:
            if not self._notices[-1].message.startswith(_MORE):
                self._notices.append(Notice("unowned_text", f"{_MORE}: 0", line=record.line))
            last = self._notices[-1]
            count = int(last.message.rpartition(" ")[2]) + 1
            self._notices[-1] = replace(last, message=f"{_MORE}: {count}")
        elif last is not None and last.message == what and len(last.text) < _PART:
            self._notices[-1] = replace(last, text=f"{last.text}\n{text}")
        else:
            self._notices.append(Notice(kind, what, text=text, line=record.line))
        self._is_open = True

    def separate(self) -> None:
        """Note that a record of a run has been read, so that the next notice is a new one."""
        self._is_open = False

    def take(self, line: float) -> list[Notice]:
        """Remove and return the notices about anything before a *line*."""
        taken = [each for each in self._notices if each.line < line]
        self._notices[:] = [each for each in self._notices if each.line >= line]
        self._is_open = False
        return taken


def _without_prompts(records: Iterable[LogRecord], notices: list[Notice]) -> Iterator[LogRecord]:
    """Yield the *records* that are no prompts, and add a notice of each other to *notices*."""
    for record in records:
        if len(record.lines) > 1 and is_prompt(record.lines):
            text = "".join(record.lines)
            notices.append(Notice("unowned_text", "found a prompt", text=text, line=record.line))
        else:
            yield record


def _runs_in(
    records: Iterator[LogRecord], reading: Reading, unowned: _Unowned
) -> Iterator[Transcript]:
    """Yield the runs in the *records*; see `runs_of_records`."""
    head = [*islice(records, _HEAD)]
    with _spool() as first, _spool() as aside:
        for _ in range(_MOST_HEADS):
            writers = _writers(head, reading)
            together = _together(head, writers, reading)
            if together or len(head) < _HEAD or reading.has_form(_as_log(head, reading)):
                break
            _keep(head, first)
            head = _from_first_label(records, first)
        records = chain(_again(first), head, records)
        if not together:  # perhaps a run has several owners
            yield from _read(records, reading, unowned)
            return
        own = _put_aside(records, together, writers, aside, unowned)
        yield from _read(own, reading, unowned)
        for writer in _writers(_again(aside), reading):
            own = (record for record in _again(aside) if record.owner == writer)
            yield from _read(own, reading, unowned)


@contextmanager
def _spool() -> Iterator[IO[str]]:
    """Open a file for records, which is in memory while it is small."""
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass") as file:
        yield cast("IO[str]", file)


def _from_first_label(records: Iterator[LogRecord], file: IO[str]) -> list[LogRecord]:
    """Write the *records* before the first with a label to *file*; return those from there on."""
    for record in records:
        if any(map(begins_any, record.lines)):
            return [record, *islice(records, _HEAD - 1)]
        _keep([record], file)
    return []


def _keep(records: Iterable[LogRecord], file: IO[str]) -> None:
    """Write *records* to *file*."""
    for record in records:
        file.write(f"{json.dumps(record)}\n")


def _writers(records: Iterable[LogRecord], reading: Reading) -> list[str]:
    """Return the owners of *records* with a part that looks like a log of runs.

    Few parts with labels are tried: those of the owners who wrote the most of them.
    """
    parts: dict[str, list[list[LogRecord]]] = {}
    sizes: Counter[str] = Counter()
    labels: dict[str, list[int]] = {}  # how many are in each part
    for record in records:
        owner = record.owner
        size = sum(map(len, record.lines))
        if sizes[owner] % _PART + size >= _PART or owner not in parts:
            parts.setdefault(owner, []).append([])
            labels.setdefault(owner, []).append(0)
        parts[owner][-1].append(record)
        sizes[owner] += size
        labels[owner][-1] += sum(map(begins_any, record.lines))
    tried = 0
    writers = set()
    for owner in sorted(parts, key=lambda owner: -sum(labels[owner])):
        for part, is_labelled in zip(parts[owner], map(bool, labels[owner]), strict=True):
            tried += is_labelled
            if is_labelled and tried > _MOST_TRIED:
                continue
            if reading.has_form(_as_log(part, reading)):
                writers.add(owner)
                tried -= is_labelled
                break
    return [owner for owner in parts if owner in writers]


def _together(head: Sequence[LogRecord], writers: Sequence[str], reading: Reading) -> set[str]:
    """Return the owners whose records are one log: the first writer, and who has what it lacks.

    So a logger may write only the results. If nobody wrote runs alone, they are all who wrote
    labels, provided that their records are a log; otherwise nobody.
    """
    labelled: dict[str, list[str]] = {}
    for record in head:
        first = [line for line in record.lines[:1] if begins_any(line)]
        labelled.setdefault(record.owner, []).extend(first)
    found = {owner for owner, lines in labelled.items() if lines}
    if not writers:
        own = [record for record in head if record.owner in found]
        is_log = len(found) < len(labelled) and reading.has_form(_as_log(own, reading))
        return found if is_log else set()
    writer = writers[0]
    others = found - {writer}
    if not others:
        return {writer}
    text = "".join(line for each in head if each.owner == writer for line in each.lines)
    dialect = reading.dialect or _dialect_of(text[:_PART])
    if dialect is None:
        return {writer}
    known = _parts_in(labelled[writer], dialect)
    return {writer, *(each for each in others if not known & _parts_in(labelled[each], dialect))}


def _parts_in(lines: Iterable[str], dialect: Dialect) -> set[str]:
    """Return which parts of runs *lines* with labels begin."""
    tests: dict[str, Callable[[str], bool]] = {
        "question": lambda line: begins_question(dialect, line),
        "answer": begins_answer,
        "result": lambda line: begins_result(dialect, line),
    }
    return {next((part for part, test in tests.items() if test(line)), "step") for line in lines}


def _put_aside(
    records: Iterable[LogRecord],
    owners: Collection[str],
    writers: Collection[str],
    file: IO[str],
    unowned: _Unowned,
) -> Iterator[LogRecord]:
    """Yield the records of *owners*, and write the others to *file*; tell those of no writer."""
    for record in records:
        if record.owner in owners:
            unowned.separate()
            yield record
            continue
        _keep([record], file)
        if record.owner not in writers:
            unowned.add(f"{_OTHER_LOGGER}: {record.owner!r}", record)


def _again(file: IO[str]) -> Iterator[LogRecord]:
    """Yield the records in *file*."""
    file.seek(0)
    return (LogRecord(*json.loads(line)) for line in file)


def _read(
    records: Iterable[LogRecord], reading: Reading, unowned: _Unowned
) -> Iterator[Transcript]:
    return reading.inside(_as_log(records, reading, unowned))


def _as_log(
    records: Iterable[LogRecord], reading: Reading, unowned: _Unowned | None = None
) -> NumberedLines:
    """Return the lines of *records*; without *unowned*, also of those at another level."""
    records = iter(records)
    head: list[LogRecord] = []
    size = 0
    while size < _PART and (record := next(records, None)) is not None:
        head.append(record)
        size += sum(map(len, record.lines))
    dialect = reading.dialect
    lines = [line for record in head for line in record.lines]
    if dialect is None and len(lines) > len(head) and any(map(begins_any, lines)):
        dialect = _dialect_of("".join(lines))
    records = chain(head, records)
    if unowned is not None:
        records = _at_one_level(records, head, dialect, reading, unowned)
    whole = (_shielded(record, dialect) for record in records)
    return NumberedLines(
        (number, line) for record in whole for number, line in enumerate(record.lines, record.line)
    )


def _at_one_level(
    records: Iterable[LogRecord],
    head: Sequence[LogRecord],
    dialect: Dialect | None,
    reading: Reading,
    unowned: _Unowned,
) -> Iterator[LogRecord]:
    """Yield those of *records* that go on with the text before them, or begin with a label.

    A record at another level than that which began the text ends it, and so belongs to nobody, with
    what follows up to the next label. Where a form has no labels, such records stay, with a notice.
    """
    begins = _beginning(head, dialect)
    level = head[0].level if head else ""  # of the record that began the text
    is_open = is_over = False  # whether a text has begun, or has ended before the next label
    is_plain: bool | None = None  # text in a dialect; not known while all records have one level
    usual = Counter(record.level for record in head).most_common(1)
    for record in records:
        if is_open and not is_over and record.level == level:
            pass  # it goes on, or it has a label
        elif begins(record.lines[0]):
            level, is_open, is_over = record.level, True, False
        elif (record.level != level or is_over) and any(map(str.strip, record.lines)):
            if is_plain is None:
                log = _as_log(head, reading)
                is_plain = _PLAIN in reading.readers_of(log, in_dialect=True)
            if is_plain and is_open:
                is_over = is_over or record.level != level
                unowned.add(_OTHER_LEVEL if record.level != level else _BEHIND_LEVEL, record)
                continue
            if not is_plain and record.level != usual[0][0]:
                unowned.add(_OTHER_LEVEL, record, "unclear_end")
        yield record


def _beginning(head: Sequence[LogRecord], dialect: Dialect | None) -> Callable[[str], bool]:
    """Return what tells whether a line may begin a part of a run, as *head* spells the labels."""
    spelling = spelling_of("".join(line for record in head for line in record.lines))

    def begins(line: str) -> bool:
        spelt = spelling[0](line) if spelling is not None else line
        return (
            begins_any(spelt)
            or may_begin_question(spelt)
            or (dialect is not None and begins_marked(dialect, spelt))
        )

    return begins


def _dialect_of(text: str) -> Dialect | None:
    found = detect_in_head(text)
    if found.is_ambiguous or not found.candidates:
        return None
    return get_dialect(found.candidates[0].dialect)


def _shielded(record: LogRecord, dialect: Dialect | None) -> LogRecord:
    """Return a *record* that begins with an observation, so that all of it is read as one."""
    if dialect is None or len(record.lines) < 2 or not dialect.lenient.transcript_start:
        return record
    text = "".join(record.lines)
    size = size_of_observation_label(dialect, text)
    if not size:
        return record
    shielded = text[:size] + escape(dialect, text[size:])
    return record._replace(lines=shielded.splitlines(keepends=True))
