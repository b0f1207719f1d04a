"""Tables with a reply in each record: read, and written with what is in the replies."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import chain, islice
from typing import TYPE_CHECKING, Any, Final

from rich.text import Text

from agent_parsers import OutputParserException, get_parser
from agent_parsers.cli.options import AUTO, Format
from agent_parsers.cli.output import check_is_not_read, is_folder, write_out
from agent_parsers.cli.screen import JsonOutput, Screen
from agent_runs import detect
from agent_runs.cli.bar import ProgressBar
from agent_runs.cli.files import is_parquet, total_size
from agent_runs.cli.replies.records import Record, records_in, with_parquet
from agent_runs.cli.replies.rows import HowToReadReplies, row_of, row_text, table_of
from agent_runs.cli.trouble import Trouble, counted, name_of, trouble_lines

if TYPE_CHECKING:
    from agent_parsers import Turn

_SAMPLE: Final = 100
"""How many replies show their dialect."""
_ANY: Final = "react"
"""A dialect for no replies."""


def read_tables(
    files: Sequence[str], options: HowToReadReplies, form: Format, out: str | None, jobs: int
) -> bool:
    """Read the replies in tables, and write each record with the parts of its reply.

    Where input and output are Parquet, *jobs* processes do it. Return whether all records and
    replies could be read.
    """
    reading = _Reading(options)
    if out is not None and is_parquet(out) and not is_folder(out):
        check_is_not_read(out, files)
        if all(map(is_parquet, files)):
            reading.copy_parquet(files, out, jobs)
        else:
            reading.write_parquet(files, out)
        return reading.report()

    def write(files: Sequence[str]) -> bool:
        reading = _Reading(options)
        reading.write(files, form)
        return reading.report()

    return write_out(out, files, form.suffix, write)


class _Reading:
    """Reads the replies of some files, and counts what could not be read."""

    def __init__(self, options: HowToReadReplies) -> None:
        self._options = options
        self._err = Screen(stderr=True)
        self._rows = 0
        self._errors = 0
        self._unread = 0

    def report(self) -> bool:
        """Report what could not be read, and return whether everything was read."""
        bad = []
        if self._errors:
            bad.append(f"{counted(self._errors, 'row')} (see the column 'error')")
        if self._unread:
            bad.append(counted(self._unread, "file or record", "files or records"))
        if bad and self._rows:
            said = (
                f"not read: {' and '.join(bad)}; read: {counted(self._rows - self._errors, 'row')}"
            )
            self._err.print(Text(said, "bold"), soft_wrap=True)
        return not bad

    def write(self, files: Sequence[str], form: Format) -> None:
        """Write the records of *files* to standard output."""
        dialect, records = self._open(files)
        if not dialect:
            return
        options = self._options
        parser: Any = get_parser(dialect, tools=options.tools, lenient=options.lenient)
        output = JsonOutput(as_list=form is Format.JSON)
        shown: list[dict[str, Any]] = []
        for record in records:
            row = row_of(_read(parser, record.text))
            self._rows += 1
            self._errors += row["kind"] == "error"
            if form is Format.TABLE:
                shown.append(row)
            else:
                output.write(row_text({**record.data, **row}))
        if form is not Format.TABLE:
            output.close()
        elif shown:
            Screen().print(table_of(shown))

    def write_parquet(self, files: Sequence[str], out: str) -> None:
        """Write the records of *files*, in whatever format, to one Parquet file."""
        parquet = with_parquet()
        dialect, records = self._open(files)
        if dialect and (data := [record.data for record in records]):
            with self._reporting(parquet.FileError):
                parser = self._table_parser(dialect)
                self._rows, self._errors = parquet.write_rows(data, out, parser)

    def copy_parquet(self, files: Sequence[str], out: str, jobs: int) -> None:
        """Write the rows of Parquet files to one Parquet file, with *jobs* processes."""
        parquet = with_parquet()
        dialect = self._options.dialect
        with self._reporting(parquet.FileError):
            if dialect == AUTO:
                texts = parquet.first_texts(files, self._options.column, _SAMPLE)
                dialect = self._detected(files[0], texts)
            if dialect:
                parser = self._table_parser(dialect)
                with ProgressBar(self._err, total_size(files)) as bar:
                    parsed = parquet.parse_files(files, out, parser, jobs, bar.advance)
                self._rows, self._errors = parsed

    @contextmanager
    def _reporting(self, kind: type[Exception]) -> Iterator[None]:
        """Report an error of a Parquet file."""
        try:
            yield
        except kind as error:
            self._report(Trouble(*error.args))

    def _report(self, trouble: Trouble) -> None:
        self._unread += 1
        self._err.print(trouble_lines(trouble, self._err.width), soft_wrap=True)

    def _table_parser(self, dialect: str) -> Any:
        from agent_runs.bulk import TableParser  # lazily: it needs an extra

        options = self._options
        return TableParser(
            dialect, column=options.column, tools=options.tools, lenient=options.lenient
        )

    def _open(self, files: Sequence[str]) -> tuple[str, Iterator[Record]]:
        """Return the dialect of the replies in *files*, or ``""``, and the records."""
        records = self._records(files)
        if self._options.dialect != AUTO:
            return self._options.dialect, records
        head = [*islice(records, _SAMPLE)]
        texts = [record.text for record in head if record.text is not None]
        return self._detected(files[0], texts), chain(head, records)

    def _records(self, files: Sequence[str]) -> Iterator[Record]:
        """Yield the records of *files*, and report those that have no reply."""
        for file in files:
            for found in records_in(file, self._options.column):
                if isinstance(found, Trouble):
                    self._report(found)
                else:
                    yield found

    def _detected(self, file: str, texts: list[str]) -> str:
        """Return the dialect of the first replies, and say which it is; ``""`` if it is unclear."""
        if not texts:
            return _ANY
        found = detect(texts, tools=self._options.tools)
        replies = counted(len(texts), "reply", "replies")
        if not found.candidates:
            self._report(
                Trouble(file, f"no sign of a dialect in {replies}: choose one with --dialect")
            )
        elif found.is_ambiguous:
            self._report(Trouble(file, f"{found}: choose one with --dialect"))
        else:
            said = (
                f"read as {found.dialect}, detected in {replies}; use --dialect to choose another"
            )
            self._err.print(Text(f"{name_of(file)}: {said}"), soft_wrap=True)
            return found.dialect
        return ""


def _read(parser: Any, text: str | None) -> Turn[Any] | OutputParserException | None:
    """Return what is in a reply, or why it cannot be read; `None` if there is none."""
    try:
        turn: Turn[Any] | None = None if text is None else parser.read(text)
    except OutputParserException as error:
        return error
    return turn
