"""What each reader makes of a log: how many runs it reads, and where and why it stops.

The readers whose form the log shows read all of it. The others read its beginning, as if they had
been named.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterator, Sequence
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from agent_parsers import OutputParserException
from agent_parsers.transcripts import RunSource
from agent_runs.read_log import read_runs
from agent_runs.readers.known import readers_of_data, readers_of_text
from agent_runs.reading.reader import (
    HEAD_CHARS,
    HEAD_VALUES,
    MALFORMED,
    DataReader,
    Lines,
    NotJson,
    Reading,
    TextReader,
    Value,
    Values,
)
from agent_runs.recognition import LogForm, Nearness, evidence_for, forms_of, nearness_to
from agent_runs.sources import as_it_is, open_log
from agent_runs.splitting.ansi import without_codes

if TYPE_CHECKING:
    from pathlib import Path

    from agent_parsers.transcripts import Transcript

_QUOTED: Final = 60
"""How much of a line is quoted, in characters."""
_FRAME: Final = re.compile(r"\Aread as '\w+', but |; if another reader knows them, [^\n]*\Z")
"""What stands around the reason why messages are not read, and goes without saying here."""
_NO_RUN: Final = "found no step and no answer"
_NO_SIGN: Final = "found none of the words that every log in this form contains"


class Tried(NamedTuple):
    """The result of trying one reader on a log."""

    reader: str
    """Its name."""
    evidence: tuple[str, ...] = ()
    """What in the log shows its form; empty if nothing does."""
    runs: int = 0
    """How many runs it reads."""
    stopped: str = ""
    """Where it stopped first, and what stopped it; empty if it reads everything."""
    nearness: tuple[int, int] = (0, 0)
    """How much of its form the log has; more is nearer."""


class TriedLog(NamedTuple):
    """The results of trying the readers on a log."""

    kind: str
    """``"text"`` or ``"JSON"``, perhaps with a clause behind it; readers of the other kind are not
    asked."""
    forms: Sequence[LogForm]
    """The forms that it may have; if there is one, it is read as that."""
    tried: Sequence[Tried] = ()
    """The readers of this kind, the nearest first."""


def try_readers(
    source: Path | bytes, *, encoding: str | None = None, each: bool = True
) -> TriedLog:
    """Try the readers on the log in *source*, and return their results.

    Args:
        source: A path, or the bytes of a file.
        encoding: As that of `read_runs`.
        each: Whether to try each reader, and not only to find those that the log may be for.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: The log is text in another encoding.
        ValueError: There is no such encoding, or the path is no name of a file.
    """
    with open_log(source, encoding=encoding) as log:
        content = as_it_is(log.content)
        forms = {form.reader: form for form in forms_of(content)}
        kind = "text" if isinstance(content, Lines) else "JSON"
        if isinstance(content, Lines) and content.hint:
            kind += f", {content.hint}"
        tried = _tried(content) if each else []
    for at, one in enumerate(tried):
        evidence = forms[one.reader].evidence if one.reader in forms else one.evidence
        if evidence:
            whole = partial(read_runs, source, format=one.reader, encoding=encoding)
            runs, stopped = _outcome(whole)
            tried[at] = one._replace(evidence=evidence, runs=runs, stopped=stopped)
    tried.sort(key=partial(_distance, forms))
    return TriedLog(kind, [*forms.values()], tried)


def _tried(log: Lines | Values) -> list[Tried]:
    """Return what each reader makes of the beginning of a *log*."""
    if isinstance(log, Lines):
        head = log.head(HEAD_CHARS)
        return [_of_text(head, reader) for reader in readers_of_text().values()]
    values = [*islice(log, HEAD_VALUES)]
    return [_of_data(values, log.are_items, reader) for reader in readers_of_data().values()]


def _distance(forms: Container[str], tried: Tried) -> tuple[object, ...]:
    """Return how far a log with these *forms* is from that of a reader, as a key to sort by."""
    fits, passed = tried.nearness
    is_form = tried.reader in forms
    return not is_form, not tried.evidence, -fits, -passed, -tried.runs, tried.reader


def _outcome(read: Callable[..., Iterator[Transcript]]) -> tuple[int, str]:
    """Return how many runs *read* yields, and what stopped it first; empty if nothing did."""
    errors: list[OutputParserException] = []
    runs = 0
    try:
        for _ in read(on_error=errors.append):
            runs += 1
    except OutputParserException as error:
        errors.append(error)
    except MALFORMED:
        return runs, "the log is in another form"
    if not errors:
        return runs, "" if runs else _NO_RUN
    more = f"; {len(errors) - 1} more errors" if runs and len(errors) > 1 else ""
    reason = _FRAME.sub("", errors[0].reason)
    return runs, f"{reason}{more}"


def _as_named(reader: TextReader | DataReader, log: Lines | Values) -> tuple[int, str]:
    """Return what comes of a beginning of a *log* that *reader* reads, without logs inside it."""

    def read(on_error: Callable[[OutputParserException], None]) -> Iterator[Transcript]:
        reading = Reading(
            RunSource(reader.name),
            on_error=on_error,
            nested=lambda _log, _reading: iter(()),
            readers=lambda _log, _dialect: (),
        )
        return reader.read(cast("Any", log), reading)

    return _outcome(read)


def _of_text(head: str, reader: TextReader) -> Tried:
    """Return what *reader* makes of a text that begins with *head*, of which it reads no more."""
    if evidence := tuple(reader.evidence(head)):
        return Tried(reader.name, evidence)
    sign = _line_with_sign(reader, head)
    if reader.signs and not sign:
        return Tried(reader.name, stopped=_NO_SIGN, nearness=(-1, 0))
    runs, stopped = _as_named(reader, Lines(head.splitlines(keepends=True)))
    if reader.lack is not None and (lack := reader.lack(head)):
        return Tried(reader.name, (), runs, lack, (2, 0))
    stopped = "; ".join(filter(None, (sign, stopped)))
    return Tried(reader.name, (), runs, stopped, (int(bool(sign)), 0))


def _line_with_sign(reader: TextReader, head: str) -> str:
    """Return which line of *head* has a sign of *reader*, in words; empty if none has."""
    for number, line in enumerate(without_codes(head).splitlines(), 1):
        folded = line.casefold()
        if sign := next((each for each in reader.signs if each in folded), ""):
            return f"line {number}, {line.strip()[:_QUOTED]!r}, has {sign.strip()!r}"
    return ""


def _of_data(values: Sequence[Value], is_list: bool, reader: DataReader) -> Tried:
    """Return what *reader* makes of JSON with *values* at its beginning; it reads no more."""
    data = [value.data for value in values if not isinstance(value.data, NotJson)]
    if evidence := tuple(evidence_for(reader, data)):
        return Tried(reader.name, evidence)
    runs, stopped = _as_named(reader, Values(values, are_items=is_list))
    near = nearness_to(reader.lack_of, data) if reader.lack_of and data else Nearness(0, 0)
    if near.fits or near.passed:
        stopped = f"under {near.key!r}: {near.lack}" if near.key else near.lack
    return Tried(reader.name, (), runs, stopped, near[:2])
