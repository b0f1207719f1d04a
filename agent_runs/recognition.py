"""Recognising the form of a log: each reader says what in the log shows that it is its own.

Signs of another form inside a log, as in what a tool returned: they make no log of that form.

A sign is one only if a run of its form can be read from it on, up to the next sign of the log in
which it stands. So a log that has two forms stays one that does.

For a log of an unknown form it says what was seen, and which form comes nearest.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from agent_parsers import OutputParserException
from agent_parsers.transcripts import RunSource
from agent_runs.readers.known import forms_of_messages, get_reader, readers_for, readers_of_data
from agent_runs.reading.reader import (
    HEAD_CHARS,
    HEAD_VALUES,
    MALFORMED,
    NEAREST,
    DataReader,
    Lines,
    NotJson,
    Reading,
    TextReader,
    UnknownLogError,
    Value,
    Values,
)
from agent_runs.sources import RunsFrom, as_it_is, check_encoding, open_log
from agent_runs.splitting.quoted import has_structure

if TYPE_CHECKING:
    from agent_parsers import Dialect

_MOST_SIGNS: Final = 20
LackOf: TypeAlias = Callable[[Any], tuple[int, str]]
"""Returns how much of a message of some form a value has, and the first thing it lacks."""


def _with_runs(names: Collection[str], head: str) -> list[str]:
    """Return those of *names*, of readers, whose forms a text that begins with *head* may have.

    Each of them has a sign in it.
    """
    lines = head.splitlines(keepends=True)
    readers = [cast("TextReader", get_reader(name)) for name in names]
    begins = [_sign_of(reader, lines).start for reader in readers]
    begin = min(begins)
    outer = readers[begins.index(begin)]
    return [
        reader.name
        for reader, at in zip(readers, begins, strict=True)
        if at == begin or _has_run_inside(reader, outer, lines, at)
    ]


def _has_run_inside(reader: TextReader, outer: TextReader, lines: Sequence[str], at: int) -> bool:
    """Return whether *reader* reads a run between signs of *outer*, from the line *at* on."""
    for _ in range(_MOST_SIGNS):
        if at >= len(lines):
            return False
        end = _sign_of(outer, lines, after=at).start
        if _has_run(reader, lines[at:end]):
            return True
        at = _sign_of(reader, lines, after=end).start
    return True  # so many signs are no chance


def _sign_of(reader: TextReader, lines: Sequence[str], *, after: int = -1) -> range:
    """Return which of the *lines* behind the line *after* are the first sign of a reader's form."""
    first = after + 1
    ends = range(first, len(lines) + 1)
    end = bisect_left(ends, True, key=lambda end: bool(reader.evidence("".join(lines[first:end]))))
    end += first
    if end > len(lines):
        return range(len(lines), end)  # there is none
    starts = range(first, end)
    start = bisect_left(
        starts, True, key=lambda start: not reader.evidence("".join(lines[start:end]))
    )
    return range(first + max(start, 1) - 1, end)


def _has_run(reader: TextReader, lines: Sequence[str]) -> bool:
    """Return whether *reader* reads a step or an answer from *lines*, or needs more to tell."""
    reading = Reading(RunSource(reader.name), on_error=lambda _error: None)
    try:
        runs = reader.read(Lines(lines), reading)
        return any(step.action is not None for run in runs for step in run.all_steps)
    except OutputParserException:
        return False
    except (AssertionError, *MALFORMED):
        return True


_MOST: Final = 8
"""How many keys or lines are named."""
_HEAD: Final = 4_000
_PAGE: Final = "docs/log-forms.md shows how to read a form of your own"
_TABLES: Final = "docs/bulk.md shows how to read a column of replies"


def _seen_in(log: Lines | Values) -> str:
    """Return what is known about a *log* of an unknown form, to be added to the error; or ``""``.

    The log is not consumed.
    """
    if isinstance(log, Values):
        seen = _seen_in_values(log.head(HEAD_VALUES))
        return f": {seen}; {_PAGE}" if seen else ""
    lines = [line.strip() for line in log.head(_HEAD).splitlines() if line.strip()]
    if log.has_nuls:
        return ": it has NUL characters, so it may not be text"
    if columns := _columns_in(lines):
        names = ", ".join(map(repr, columns[:_MOST]))
        return f": it is a table with the columns {names}; {_TABLES}"
    titles = [*dict.fromkeys(line[:40] for line in lines if has_structure(line))][:3]
    seen = f"lines begin like {', '.join(map(repr, titles))}" if titles else ""
    return f": {seen or f'the first line is {lines[0][:40]!r}'}; {_PAGE}" if lines else ""


def _columns_in(lines: Sequence[str]) -> list[str]:
    """Return the names in the first of *lines*, if they are a table in CSV or TSV."""
    for mark in ("\t", ",", ";"):
        names = [name.strip(' "') for name in lines[0].split(mark)] if lines else []
        is_even = all(line.count(mark) >= len(names) - 1 for line in lines[1:3])
        if len(names) > 1 and len(lines) > 1 and is_even and all(map(_is_name, names)):
            return names
    return []


_is_name: Final = re.compile(r"[^\W\d][\w .()/%-]{0,30}").fullmatch


def _seen_in_values(values: Sequence[Any]) -> str:
    if not values:
        return ""
    if isinstance(values[0], NotJson):
        return f"the first value is {values[0].reason}"
    best = Nearness(0, 1)
    near = ""
    for name, lack_of in forms_of_messages():
        found = nearness_to(lack_of, values)
        if found[:2] > best[:2] and (found.fits or found.passed > 1):
            best, near = found, f"; the closest form is {name!r}, but {found.lack}"
    places = dict(_messages_in(values))
    key = best.key if near else [*places][-1]
    where = f"the first of {key!r}" if key else "the first value"
    keys = ", ".join(map(repr, [*places[key][0]][:_MOST]))
    return f"{where} has the keys {keys}{near}" if keys else f"{where} is empty"


class Nearness(NamedTuple):
    """How closely values match a form of messages; higher is closer."""

    fits: int
    """How many messages fit."""
    passed: int
    """How much of the first message that does not fit is of the form."""
    lack: str = ""
    """What that message lacks."""
    key: str = ""
    """The key under which the messages stand; empty if they are the values."""


def nearness_to(lack_of: LackOf, values: Sequence[Any]) -> Nearness:
    """Return how closely the first *values* of a file, at least one, match a form of messages."""
    near = (_nearness(messages, lack_of, key) for key, messages in _messages_in(values))
    return max(near, key=lambda each: each[:2])


_FITS: Final = 4
"""How much of a message a value has that is one of the form, as `lack_of` counts it."""


def _nearness(messages: Sequence[Any], lack_of: LackOf, key: str) -> Nearness:
    """Return how closely *messages* match; one of which *lack_of* says nothing is no evidence."""
    fits, found = 0, (_FITS, "nothing in the messages is specific to this form")
    for number, message in enumerate(messages, 1):
        try:
            passed, why = lack_of(message)
        except MALFORMED:
            passed, why = 0, "it is in another form"
        if passed >= _FITS:
            fits += bool(why)
        elif found[0] == _FITS:
            found = passed, f"{why} (message {number})" if len(messages) > 1 else why
    if not fits and found[0] == _FITS:
        found = 0, found[1]  # none says anything
    return Nearness(fits, *found, key)


def _messages_in(values: Sequence[Any]) -> Iterator[tuple[str, Sequence[Any]]]:
    """Yield the lists in *values* that may be messages, each behind its key: of all, ``""``."""
    value = values[0]
    if isinstance(value, list):
        value = value[0] if value else {}
    if not isinstance(value, Mapping):
        value = {}
    yield "", [value, *(each for each in values[1:] if isinstance(each, Mapping))]
    for key, each in value.items():
        if isinstance(each, list) and each and isinstance(each[0], Mapping):
            yield key, each[:HEAD_VALUES]


_NOTHING: Final = "found nothing to read"
LAST_RESORT: Final = "plain"
"""The reader of text in a dialect, which is asked last: such text may stand in any other log."""


@dataclass(frozen=True, slots=True)
class LogForm:
    """The form of a log, with the evidence for it."""

    reader: str
    """Name of its reader."""
    evidence: tuple[str, ...]
    """What in the log shows it."""


def detect_log(source: RunsFrom, *, encoding: str | None = None) -> LogForm:
    """Return the form of the log in *source*, without reading its runs.

    Args:
        source: What `read_runs` reads from. An open file is read in part.
        encoding: As that of `read_runs`.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: No reader knows the form, or several do; the message names them.
        ValueError: There is no such encoding.
    """
    if encoding is not None:
        check_encoding(encoding)
    with open_log(source, encoding=encoding) as log:
        return form_of(as_it_is(log.content))


def form_of(log: Lines | Values, dialect: Dialect | None = None, within: str = "") -> LogForm:
    """Return the form of *log*, without consuming it.

    Args:
        log: The log.
        dialect: The dialect that the user named; a text in no other form is taken to be in it.
        within: The reader that has found this log in another, and what showed it.

    Raises:
        OutputParserException: No reader knows the form, or several do; the message names them.
    """
    forms = forms_of(log, dialect)
    if len(forms) == 1:
        return forms[0]
    shown = log.head(200)[:1000].strip() if isinstance(log, Lines) else repr(log.head(1))[:1000]
    advice = "Give a log in one of the forms that list_readers() returns, or name its dialect."
    if not forms:
        kind = "JSON" if isinstance(log, Values) else "text"
        where = f"the {kind} that {within} found in this log" if within else f"this {kind}"
        reason = f"found no run, and no known form of log, in {where}" if shown else _NOTHING
        if isinstance(log, Lines) and log.hint and shown:
            reason += f", {log.hint}"
        if shown:
            near = _near_to(log) if isinstance(log, Lines) else ""
            reason += near or _seen_in(log)
        raise UnknownLogError(reason, observation=advice, llm_output=shown)
    names = " or ".join(f"{form.reader!r} ({form.evidence[0]})" for form in forms)
    reason = f"this may be a log in the form {names}: pass the right form as format="
    raise OutputParserException(reason, observation=advice, llm_output=shown)


def _near_to(log: Lines) -> str:
    """Return which reader comes nearest to a text of an unknown form, and what stopped it."""
    head = log.head(HEAD_CHARS)
    for reader in (*readers_for(head), get_reader(LAST_RESORT)):
        asked = reader.lack if isinstance(reader, TextReader) else None
        if asked is not None and (lack := asked(head)):
            return f": {NEAREST}{reader.name!r}, but {lack}; {_PAGE}"
    return ""


def forms_of(log: Lines | Values, dialect: Dialect | None = None) -> list[LogForm]:
    """Return all forms that *log* may have, without consuming it; see `form_of`."""
    found: dict[str, Sequence[str]] = {}
    head = ""
    if isinstance(log, Lines):
        head = log.head(HEAD_CHARS)
        for reader in readers_for(head):
            if reader.name != LAST_RESORT and (evidence := reader.evidence(head)):
                found[reader.name] = evidence
        if not found and head.strip():
            if dialect is not None:
                found[LAST_RESORT] = (f"dialect={dialect.name!r}",)
            elif evidence := cast("TextReader", get_reader(LAST_RESORT)).evidence(head):
                found[LAST_RESORT] = evidence
    else:
        values = [value for value in log.head(HEAD_VALUES) if not isinstance(value, NotJson)]
        found = (
            _evidence_in(values) or _evidence_in(values[:1]) or _evidence_in(_keyed_in(values))
        )  # fmt: skip
    weaker = {name for winner in found for name in get_reader(winner).before}
    names = [name for name in found if name not in weaker]
    if isinstance(log, Lines) and len(names) > 1:
        names = _with_runs(names, head)
    return [LogForm(name, tuple(found[name])) for name in names]


def readers_of_log(log: Lines | Values, dialect: Dialect | None = None) -> list[str]:
    """Return the names of the readers that *log* may be for; see `form_of`."""
    return [form.reader for form in forms_of(log, dialect)]


def _evidence_in(values: Sequence[Any]) -> dict[str, Sequence[str]]:
    """Return what shows each form of data that *values* may have, by the reader's name."""
    found = {name: evidence_for(each, values) for name, each in readers_of_data().items()}
    return {name: evidence for name, evidence in found.items() if evidence}


def _keyed_in(values: Sequence[Any]) -> list[Any]:
    """Return the first values of the one object in *values*, if most are objects, or lists.

    The others, such as those of runs that failed, are refused as they are read.
    """
    if len(values) != 1 or not isinstance(values[0], Mapping):
        return []
    keyed = [each for each in values[0].values() if each is not None]
    lists = [each for each in keyed if isinstance(each, list)]
    objects = [each for each in keyed if isinstance(each, Mapping)]
    found: list[Any] = lists if len(lists) > len(objects) else objects
    is_most = len(found) == len(keyed) or len(found) > max(1, len(keyed) // 2)
    is_one_list = found is lists and len(keyed) == 1
    return found[:HEAD_VALUES] if is_most and not is_one_list else []


def unkeyed(log: Values, reader: DataReader) -> Values:
    """Return *log*, or the values of its only object if they have the form of *reader*.

    Results are often kept by their ids: ``{"6238": {"traj": […]}, …}`` is a list of records.
    """
    head = log.head(2)
    keyed = _keyed_in(head)
    if not keyed or evidence_for(reader, head) or not evidence_for(reader, keyed):
        return log
    value = next(log)
    found = (Value(data, value.line, str(key)) for key, data in value.data.items())
    return Values(found, are_items=True)


def evidence_for(reader: DataReader, values: Sequence[Any]) -> Sequence[str]:
    """Return what shows that *values* have the form of *reader*; nothing if they have another."""
    try:
        return reader.evidence(values)
    except MALFORMED:
        return ()


def check_kind(reader: TextReader | DataReader, log: Lines | Values) -> None:
    """Check that *reader* is for text if *log* is text, and for JSON if it is JSON.

    Raises:
        OutputParserException: It does not.
    """
    if isinstance(reader, DataReader) is not isinstance(log, Values):
        needs = "JSON" if isinstance(reader, DataReader) else "text"
        raise OutputParserException(
            f"expected {needs} for the reader {reader.name!r}, found other content",
            observation=f"Give {needs}, or choose another reader.",
        )
