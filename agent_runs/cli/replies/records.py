"""The records of tables: JSON lines or a list in JSON, CSV, and Parquet."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final, NamedTuple, cast

from agent_parsers.cli.options import fail
from agent_runs.cli.files import is_parquet, open_file, read_whole
from agent_runs.cli.replies.rows import KEYS
from agent_runs.cli.trouble import FilePlace, Trouble, unread_file
from agent_runs.reading.reader import Lines, NotJson
from agent_runs.sources import as_it_is, open_log, values_of_lines
from output_parsers.printable import kind_of

_SEPARATORS: Final = {".csv": ",", ".tsv": "\t"}
_LINES: Final = {".jsonl", ".ndjson"}
_PACKED: Final = {".gz", ".xz", ".zst"}
_KINDS: Final = {list: "a list", dict: "an object", type(None): "null"}
_LONGEST_FIELD: Final = (1 << 31) - 1


class Record(NamedTuple):
    """A record of a table, and the reply in it."""

    data: dict[str, Any]
    """All of it."""
    text: str | None
    """The reply; `None` if the record has none."""


def is_table(file: str) -> bool:
    """Return whether the extension of a file says that it is a table."""
    path = Path(file)
    if path.suffix.lower() in _PACKED:
        return path.with_suffix("").suffix.lower() in _LINES
    return path.suffix.lower() in {*_LINES, *_SEPARATORS, ".parquet"}


def records_in(file: str, column: str) -> Iterator[Record | Trouble]:
    """Yield the records of one file, and a report for each one that cannot be read.

    If there is something wrong with the first record, nothing else is read: it is the wrong file,
    or the wrong *column*.
    """
    found: Record | Trouble | None = None
    for data, line in _values_in(file):
        is_first = found is None
        found = _record(file, data, line, column, is_first=is_first)
        yield found
        if is_first and isinstance(found, Trouble):
            return
    if found is None:
        yield Trouble(file, "found nothing to read")


def _record(file: str, data: Any, line: int, column: str, *, is_first: bool) -> Record | Trouble:
    """Return the record in a value, or what is wrong with it."""
    if isinstance(data, Trouble):
        return data
    if isinstance(data, str) and not isinstance(data, NotJson):
        return Record({column: data}, data)
    if problem := _problem(data, column, is_first=is_first):
        return Trouble(file, problem, FilePlace(line, 0) if line else None)
    return Record(data, data[column])


def _problem(data: Any, column: str, *, is_first: bool) -> str:
    """Return what is wrong with a record, or ``""``."""
    if isinstance(data, NotJson):
        hint = ": a table is JSON lines, a JSON list, .csv or .parquet" if is_first else ""
        return data.reason + hint
    if not isinstance(data, dict):
        return f"expected an object or a string, found {_kind(data)}"
    if column not in data:
        return f"there is no column {column!r}: choose one of {', '.join(data)} with --column"
    if not isinstance(data[column], str | None):
        return f"expected a string in the column {column!r}, found {_kind(data[column])}"
    if taken := [key for key in KEYS if key in data]:
        return f"the table already has columns that this command adds: rename {', '.join(taken)}"
    return ""


def _kind(value: Any) -> str:
    """Return what a value is called in JSON."""
    if isinstance(value, bool | int | float):
        return json.dumps(value)
    return _KINDS.get(type(value)) or f"a value of the type {kind_of(value)}"


def _values_in(file: str) -> Iterator[tuple[Any, int]]:
    """Yield the values of one file, each with its line, or 0; and what is wrong with the file."""
    separator = _SEPARATORS.get(Path(file).suffix.lower())
    try:
        if is_parquet(file):
            yield from _rows_in(file)
        elif separator is not None:
            yield from _fields_in(file, separator)
        else:
            yield from _json_in(file)
    except (OSError, ValueError) as error:
        yield unread_file(file, error), 0


def _json_in(file: str) -> Iterator[tuple[Any, int]]:
    with open_file(file) as stream, open_log(cast("Any", stream)) as log:
        content = as_it_is(log.content)
        values = values_of_lines(content) if isinstance(content, Lines) else content
        for value in values:
            yield value.data, value.line


def _fields_in(file: str, separator: str) -> Iterator[tuple[Any, int]]:
    text = read_whole(file)
    if isinstance(text, Trouble):
        yield text, 0
        return
    csv.field_size_limit(_LONGEST_FIELD)
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=separator)
    try:
        names = next(rows, [])
        if twice := [name for name in names if names.count(name) > 1]:
            reason = f"two columns are named {twice[0]!r}: rename one"
            yield Trouble(file, reason, FilePlace(1, 0)), 1
            return
        line = rows.line_num + 1
        for fields in rows:
            if fields and len(fields) != len(names):
                reason = f"expected {len(names)} fields, as in the first line, found {len(fields)}"
                yield Trouble(file, reason, FilePlace(line, 0)), line
            elif fields:
                yield dict(zip(names, fields, strict=True)), line
            line = rows.line_num + 1
    except csv.Error as error:
        yield Trouble(file, f"not CSV: {error}", FilePlace(rows.line_num, 0)), rows.line_num


def _rows_in(file: str) -> Iterator[tuple[Any, int]]:
    parquet = with_parquet()
    try:
        for data in parquet.rows_in(file):
            yield data, 0
    except parquet.FileError as error:
        yield Trouble(error.file, error.reason), 0


def with_parquet() -> Any:
    """Return the module `agent_runs.bulk.files`; exit with an error if pyarrow is missing."""
    try:  # imported lazily: it needs an extra
        from agent_runs.bulk import files
    except ImportError:
        fail('Parquet needs pyarrow: pip install "agent-parsers[arrow]"')
    return files
