"""Reading the runs of any log, whatever wrote it."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, cast

from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.registry.dialects_by_name import get_dialect
from agent_parsers.runs.readers.known import get_reader, reader_of
from agent_parsers.runs.reading.ends import with_open_end
from agent_parsers.runs.reading.reader import Lines, Reading
from agent_parsers.runs.reading.transcript import RunSource
from agent_parsers.runs.recognition import check_kind, form_of, forms_of
from agent_parsers.runs.sources import open_log
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.runs.readers.known import FormOfLog
    from agent_parsers.runs.reading.reader import DataReader, TextReader, Values
    from agent_parsers.runs.reading.transcript import Transcript
    from agent_parsers.runs.sources import RunsFrom
    from agent_parsers.toolset import Tools

__all__ = ["read_runs"]


def read_runs(
    source: RunsFrom,
    *,
    format: str | FormOfLog = "auto",  # noqa: A002 - the name that readers of data have
    dialect: str | Dialect | None = None,
    tools: Tools | None = None,
    on_error: Callable[[OutputParserException], None] | None = None,
) -> Iterator[Transcript]:
    """Read the runs in a log, each as soon as the log has shown its end.

    The log may be what a framework printed or dumped, messages of an API, a data set or a trace, or
    text in a dialect, also under the line prefixes of a logger; `list_readers` has the forms.
    Nothing is guessed silently: a form that is unclear is an error, which names the candidates, and
    what a log does not say is one of the `Transcript.notices`.

    Args:
        source: A path, an open file, a text, or data that was loaded already. A `str` of one line
            that names an existing file is a path.
        format: Name of the reader, or a form of your own, such as a table of `Messages`;
            ``"auto"`` recognises the form.
        dialect: The dialect in which the models wrote, or its name; `None` to recognise it.
        tools: The tools of the runs, in any form that `get_parser` takes. Steps with another tool
            or an invalid input are errors. `None` accepts any name and any input.
        on_error: Called with the error of a record that cannot be read; reading goes on behind it.
            `None` raises the error.

    Yields:
        The runs. `Transcript.source` says how each was recognised.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: The form is unclear, there is no run, or a record cannot be read.
        TypeError: *format* is no form.
        ValueError: There is no such reader or dialect.
    """
    if isinstance(dialect, str):
        dialect = get_dialect(dialect)
    known = known_tools(tools)
    with open_log(source) as log:
        origin = RunSource("", dialect=dialect.name if dialect else "", file=log.name)
        reading = Reading(origin, dialect, known, on_error=on_error, nested=_read, forms=forms_of)
        reader = get_reader(format) if isinstance(format, str) and format != "auto" else None
        if not isinstance(format, str):
            reader = reader_of(format)
        is_empty = True
        for run in _read(log.content, reading, reader):
            is_empty = False
            yield run
    if is_empty:
        raise OutputParserException(
            "found no run in the log", observation="Give a log with at least one step."
        )


def _read(
    log: Lines | Values, reading: Reading, reader: TextReader | DataReader | None = None
) -> Iterator[Transcript]:
    """Read the runs in *log*, which may stand inside another log; `None` finds its *reader*."""
    if reader is None:
        form = form_of(log, reading.dialect)
        reader, found = get_reader(form.reader), form.evidence
    else:
        found = (f"format={reader.name!r}",)
        check_kind(reader, log)
    outer = reading.source
    within = (*outer.within, outer.reader) if outer.reader else ()
    source = replace(outer, reader=reader.name, within=within, evidence=(*outer.evidence, *found))
    # The kind of the log is that of its reader.
    runs = reader.read(cast("Any", log), replace(reading, source=source))
    yield from with_open_end(runs, log) if isinstance(log, Lines) else runs
