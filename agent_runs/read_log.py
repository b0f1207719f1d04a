"""Reading the runs of any log, whatever wrote it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, cast

from agent_parsers import OutputParserException, get_dialect
from agent_parsers.core import known_tools
from agent_parsers.transcripts import Conversation, Notice, RunSource, Transcript
from agent_runs.detecting.records import is_about_records
from agent_runs.live import LiveText
from agent_runs.readers.known import FormOfLog, get_reader, reader_of
from agent_runs.reading.parts import is_open_end, with_open_end
from agent_runs.reading.reader import DataReader, Lines, Reading, UnknownLogError, Values
from agent_runs.recognition import check_kind, form_of, readers_of_log, unkeyed
from agent_runs.sources import RunsFrom, check_encoding, content_of, logs_in, open_log

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.toolset import Tools
    from agent_runs.reading.reader import TextReader


def read_runs(
    source: RunsFrom,
    *,
    format: str | FormOfLog = "auto",  # noqa: A002 - the name that readers of data have
    dialect: str | Dialect | None = None,
    tools: Tools | None = None,
    on_error: Callable[[OutputParserException], None] | None = None,
    follow: bool = False,
    encoding: str | None = None,
) -> Iterator[Transcript]:
    """Read the runs in a log, and yield each one as soon as its end is certain.

    The log may be what a framework printed or dumped, API messages, a data set, a trace, or text in
    a dialect, with or without the line prefixes of a logger; `list_readers` lists the forms.
    Nothing is guessed silently: if the form is unclear, the error names the candidates, and
    anything that a log does not say is one of the `Transcript.notices`.

    A pipe is read as its text arrives: a run is yielded once nothing has followed its answer for a
    second. It is an error if text that follows later changes the run.

    Args:
        source: A path, an open file, a text, or data that was loaded already. A `str` of one line
            that names an existing file is a path; so is a pattern, and both may stand for the
            files in a folder.
        format: Name of the reader, or a form of your own, such as a table of `Messages`;
            ``"auto"`` recognises the form.
        dialect: The dialect in which the models wrote, or its name; `None` to recognise it.
        tools: The tools of the runs, in any form that `get_parser` takes. Steps with another tool
            or an invalid input are errors. `None` accepts any name and any input.
        on_error: Called with the error of a record that cannot be read; reading goes on after it.
            `None` raises the error. Of several files, the others are read as well.
        follow: Whether to wait for more at the end of a file, like ``tail -f``.
        encoding: The encoding of a log that is bytes, such as ``"cp1252"``. `None` is UTF-8, and
            UTF-16 where the first bytes show it.

    Yields:
        The runs. `Transcript.source` says how each was recognised.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: The form is unclear, there is no run, or a record cannot be read.
        TypeError: *format* is no form.
        ValueError: There is no such reader, dialect or encoding.
    """
    if isinstance(dialect, str):
        dialect = get_dialect(dialect)
    origin = RunSource("", dialect=dialect.name if dialect else "")
    reading = Reading(
        origin, dialect, known_tools(tools), on_error=on_error, nested=_read, readers=readers_of_log
    )
    reader = get_reader(format) if isinstance(format, str) and format != "auto" else None
    if not isinstance(format, str):
        reader = reader_of(format)
    if encoding is not None:
        check_encoding(encoding)
    logs = logs_in(source)
    for each in logs:
        try:
            yield from _read_one(each, reading, reader, follow=follow, encoding=encoding)
        except OutputParserException as error:
            if on_error is None or len(logs) == 1:
                raise
            on_error(error)


def _read_one(
    source: RunsFrom,
    reading: Reading,
    reader: TextReader | DataReader | None,
    *,
    follow: bool,
    encoding: str | None,
) -> Iterator[Transcript]:
    """Read the runs in the one log of *source*."""
    is_empty = True
    used: list[str] = []
    with open_log(source, follow=follow, encoding=encoding) as log:
        reading = replace(reading, source=replace(reading.source, file=log.name))
        is_live = isinstance(log.content, LiveText)
        read = _read_live if is_live else _read
        for run in read(cast("Any", log.content), reading, reader, used):
            is_empty = False
            yield run
    if is_empty:
        said = f", which was read as {used[-1]}" if used else ""
        none = "it has no step and no answer outside of prompts and quotations"
        raise OutputParserException(
            f"found no run in the log{said}: {none}",
            observation="Give a log with at least one step, or name another reader.",
        )


def _read_live(
    text: LiveText,
    reading: Reading,
    reader: TextReader | DataReader | None,
    used: list[str] | None = None,
) -> Iterator[Transcript]:
    """Read a log that is still being written, from the last run that was given on.

    Where the log is quiet, it is read as if it ended there, and the runs are given, except for a
    last one without an answer. Then all of it that may go on is read again, with what follows.
    """
    told: set[str] = set()
    given: list[Transcript] = []  # the runs in the lines that are kept
    turns = Counter[str]()

    def tell(error: OutputParserException) -> None:
        if str(error) not in told and reading.on_error is not None:
            told.add(str(error))
            reading.on_error(error)

    once = replace(reading, on_error=tell if reading.on_error is not None else None)
    while True:
        known, late = [*given], cast("list[Transcript]", [])
        try:
            for run in _read(content_of(text), once, reader, used):
                if known:
                    _check_same(known.pop(0), run, once)
                elif text.is_quiet:
                    late.append(run)
                else:
                    given = _give(run, given, text)
                    yield _in_turn(run, turns)
        except OutputParserException as error:
            is_behind = text.has_ended and bool(given) and isinstance(error, UnknownLogError)
            if not (text.is_quiet or is_behind):  # what follows may explain it
                raise
        if late and late[-1].finish is None:
            late.pop()
        for run in late:
            given = _give(run, given, text)
            yield _in_turn(run, turns)
        if text.has_ended:
            return
        text.wait()
        text.restart()


def _give(run: Transcript, given: list[Transcript], text: LiveText) -> list[Transcript]:
    """Return the runs that are *given* in the lines that are kept, once *run* is given too."""
    line = run.source.line if run.source is not None else 0
    text.forget(line)
    return [each for each in (*given, run) if each.source and each.source.line >= text.number]


def _in_turn(run: Transcript, turns: Counter[str]) -> Transcript:
    """Return *run* with its turn in its conversation, whose beginning may not be kept any more."""
    place = run.conversation
    turns[run.id] += 1
    if place is None or place.turn == turns[run.id]:
        return run
    return replace(run, conversation=Conversation(place.id, turns[run.id]))


def _check_same(given: Transcript, run: Transcript, reading: Reading) -> None:
    """Report it if *run* is not what was *given* when it seemed to have ended."""
    if _as_given(given) != _as_given(run):
        line = run.source.line if run.source is not None else 0
        reading.refuse(
            "a run was already returned as finished, but the log continues it", line=line
        )


def _as_given(run: Transcript) -> str:
    """Return what of a *run* is the same wherever the log ends."""
    notices = tuple(
        each
        for each in run.notices
        if not (is_open_end(each) or is_about_records(each) or each.message.startswith(_NULS))
    )
    return repr(replace(run, notices=notices, source=None, conversation=None))


_NULS: Final = "dropped NUL characters, which are left in a file when writing it is interrupted"
_MOST_WITHIN: Final = 8
"""How deep logs may stand inside logs; a notebook of a logger's lines is two deep."""


def _read(
    log: Lines | Values,
    reading: Reading,
    reader: TextReader | DataReader | None = None,
    used: list[str] | None = None,
) -> Iterator[Transcript]:
    """Read the runs in *log*, which may stand inside another log; `None` finds its *reader*.

    What it was read as is added to *used*.
    """
    if reader is None:
        around = reading.source
        within = f"{around.reader!r} ({around.evidence[-1]})" if around.reader else ""
        form = form_of(log, reading.dialect, within)
        reader, found = get_reader(form.reader), form.evidence
    else:
        found = (f"format={reader.name!r}",)
        check_kind(reader, log)
    if used is not None:
        used.append(f"{reader.name!r} ({found[0]})")
    if isinstance(log, Values) and isinstance(reader, DataReader):
        log = unkeyed(log, reader)
    outer = reading.source
    outside = (*outer.within, outer.reader) if outer.reader else ()
    if len(outside) > _MOST_WITHIN:
        raise OutputParserException(
            f"logs are nested more than {_MOST_WITHIN} levels deep",
            observation="Give the innermost log.",
        )
    source = replace(outer, reader=reader.name, within=outside, evidence=(*outer.evidence, *found))
    # The kind of the log is that of its reader.
    runs = reader.read(cast("Any", log), replace(reading, source=source))
    if isinstance(log, Lines):
        runs = _with_nuls_told(with_open_end(runs, log), log, reading)
    yield from runs


def _with_nuls_told(
    runs: Iterator[Transcript], lines: Lines, reading: Reading
) -> Iterator[Transcript]:
    """Yield the *runs* in *lines*, with notices of the NULs that were left out up to their ends."""
    for run in runs:
        told = [
            Notice("altered_text", f"{_NULS}: {count}", line=line)
            for line, count in lines.take_nuls().items()
        ]
        yield replace(run, notices=(*run.notices, *told)) if told else run
    for line, count in lines.take_nuls().items():
        if reading.on_error is not None:
            reading.refuse(f"{_NULS}: {count} after the last run", line=line)
