"""Parses Parquet files, one row group at a time, in as many processes as one likes.

A process is sent a path and the number of a row group, and writes the result to a file of its own,
a part. The parts are in a folder beside the output until that is whole, so an interrupted run
continues where it was: only parts that are missing or damaged are made again.
"""

from __future__ import annotations

import json
import os
import signal
import sys
import threading
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from multiprocessing import get_context, parent_process
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pyarrow.parquet as pq

import agent_parsers
from agent_runs.bulk.arrow import pa

if sys.platform != "win32":
    import fcntl

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agent_runs.bulk.table_parser import TableParser


class Parsed(NamedTuple):
    """How many rows were parsed, and how many of them have errors."""

    rows: int
    errors: int


class FileError(ValueError):
    """Raised if a file cannot be parsed, or does not have the same columns as the others."""

    def __init__(self, file: str, reason: str) -> None:
        super().__init__(file, reason)
        self.file: str = file
        self.reason: str = reason

    def __str__(self) -> str:
        return f"{self.file}: {self.reason}"


class _Group(NamedTuple):
    """A row group, and where its result goes."""

    file: str
    number: int
    rows: int
    size: int
    """The number of bytes that it takes up in the file."""
    part: Path


def parse_files(
    files: Sequence[str],
    out: str,
    parser: TableParser,
    jobs: int = 1,
    advance: Callable[[int], None] = lambda _size: None,
) -> Parsed:
    """Parse the rows of *files* and write them all to one file, in order.

    The output has the row groups of the files. It appears only when it is complete.

    Args:
        files: Paths of Parquet files with the same columns.
        out: Path of the Parquet file to write; it is replaced if it exists.
        parser: Parses the row groups.
        jobs: Number of processes; with 1, this one does all the work.
        advance: Called with the number of bytes that were parsed since the last call.

    Raises:
        FileError: A file cannot be read, has other columns than the first, or columns that the
            parser does not take; the output is one of the files, or a folder, or another run
            writes it; or a process was killed.
        OSError: The output cannot be written.
    """
    target = Path(out)
    if target.is_dir():
        raise FileError(out, "the output is a folder; give the name of a file")
    if not target.parent.is_dir():
        raise FileError(out, f"the folder {target.parent} does not exist")
    folder = target.with_name(f"{target.name}.parts")
    schema, groups = _plan(files, target, folder, parser)
    rows = errors = 0
    with _locked(folder, out):
        _prepare(folder, _description(files, parser))
        whole = folder / "whole"
        with pq.ParquetWriter(whole, schema) as writer:
            for group, table in zip(groups, _tables(groups, parser, jobs), strict=True):
                writer.write_table(table, max(group.rows, 1))
                rows += group.rows
                errors += group.rows - table["error"].null_count
                advance(group.size)
        whole.replace(target)
        _remove_parts(folder)
        folder.rmdir()
    return Parsed(rows, errors)


def rows_in(file: str) -> Iterator[dict[str, Any]]:
    """Yield the rows of a Parquet file.

    Raises:
        FileError: It cannot be read.
    """
    with _reading(file), pq.ParquetFile(file) as opened:
        for batch in opened.iter_batches():
            yield from batch.to_pylist()


def first_texts(files: Sequence[str], column: str, count: int) -> list[str]:
    """Return the first texts in a column of Parquet files, or ``[]`` if there is no such column.

    Raises:
        FileError: A file cannot be read.
    """
    texts: list[str] = []
    for file in files:
        with _reading(file), pq.ParquetFile(file) as opened:
            if column in opened.schema_arrow.names:
                for batch in opened.iter_batches(batch_size=count, columns=[column]):
                    found = batch.column(0).to_pylist()
                    texts += (text for text in found if isinstance(text, str))
                    if len(texts) >= count:
                        return texts[:count]
    return texts


def write_rows(rows: Sequence[dict[str, Any]], out: str, parser: TableParser) -> Parsed:
    """Parse the texts in *rows*, which need not have the same keys, and write a Parquet file.

    Raises:
        FileError: The values of a key are of several types; or the parser does not take them.
        OSError: The file cannot be written.
    """
    columns: dict[str, Any] = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        try:
            columns[name] = pa.array([row.get(name) for row in rows])
        except (pa.ArrowException, OverflowError, UnicodeError) as error:
            said = str(error).partition("\n")[0]
            raise FileError(out, f"Parquet cannot store the column {name!r}: {said}") from error
    with _reading(out):
        table = parser(pa.table(columns))
    pq.write_table(table, out)
    return Parsed(table.num_rows, table.num_rows - table["error"].null_count)


# -- what is to be done --------------------------------------------------------------------------


def _plan(
    files: Sequence[str], target: Path, folder: Path, parser: TableParser
) -> tuple[Any, list[_Group]]:
    """Return the schema of the output, and the row groups to parse."""
    schema = None
    groups: list[_Group] = []
    for file in files:
        with _reading(file), pq.ParquetFile(file) as opened:
            if target.exists() and target.samefile(file):
                raise ValueError("an input file cannot also be the output file")
            parsed = parser.schema(opened.schema_arrow)
            schema = parsed if schema is None else schema
            if not parsed.equals(schema):
                raise ValueError(_difference(parsed, schema, files[0]))
            for number in range(opened.num_row_groups):
                found = opened.metadata.row_group(number)
                columns = map(found.column, range(found.num_columns))
                size = sum(column.total_compressed_size for column in columns)
                part = folder / f"{len(groups):06}.parquet"
                groups.append(_Group(file, number, found.num_rows, size, part))
    return schema, groups


def _difference(found: Any, first: Any, file: str) -> str:
    """Say how the schema *found* differs from the *first* one, which is that of *file*."""
    if found.names != first.names:
        ours, theirs = ", ".join(found.names), ", ".join(first.names)
        return f"the columns are {ours}, but those of {file} are {theirs}"
    for one, other in zip(found, first, strict=True):
        if not one.equals(other):
            return f"the column {one.name!r} is {one.type}, but in {file} it is {other.type}"
    return f"the columns differ from those of {file}"


@contextmanager
def _reading(file: str) -> Iterator[None]:
    """Name the file in errors."""
    try:
        yield
    except (OSError, ValueError, TypeError, pa.ArrowException) as error:
        number = getattr(error, "errno", None)
        reason = os.strerror(number) if number else str(error).partition("\n")[0]
        raise FileError(file, reason) from error


def _description(files: Sequence[str], parser: TableParser) -> str:
    """Return what the parts depend on: if it is another one, they are made again."""
    stats = [(str(path.resolve()), path.stat()) for path in map(Path, files)]
    read = [[name, stat.st_size, stat.st_mtime_ns] for name, stat in stats]
    made = {"version": agent_parsers.__version__, "parser": parser.description(), "files": read}
    return json.dumps(made, indent=1, default=repr)


_PLAN: Final = "plan.json"


@contextmanager
def _locked(folder: Path, out: str) -> Iterator[None]:
    """Make the folder of the parts, which no other run may use at the same time."""
    folder.mkdir(exist_ok=True)
    if sys.platform == "win32":  # it has no locks for folders
        yield
        return
    opened = os.open(folder, os.O_RDONLY)
    try:
        fcntl.flock(opened, fcntl.LOCK_EX | fcntl.LOCK_NB)
        yield
    except BlockingIOError:
        raise FileError(out, "another process is writing this file") from None
    finally:
        os.close(opened)


def _prepare(folder: Path, description: str) -> None:
    """Write the plan of the parts; those that are there are kept if they are of the same plan."""
    plan = folder / _PLAN
    if any(folder.iterdir()):
        if not plan.exists():
            reason = (
                "this folder is needed for temporary files, but contains other files: remove it, or"
                " choose another output"
            )
            raise FileError(str(folder), reason)
        if plan.read_bytes() == description.encode():
            return
        _remove_parts(folder)
    plan.write_bytes(description.encode())


def _remove_parts(folder: Path) -> None:
    """Remove all files of a run; the plan last, since it tells whose they are."""
    for path in sorted(folder.iterdir(), key=lambda path: path.name == _PLAN):
        path.unlink()


# -- doing it ------------------------------------------------------------------------------------


def _tables(groups: Sequence[_Group], parser: TableParser, jobs: int) -> Iterator[Any]:
    """Yield the results of *groups* in order; those of other processes are read from parts."""
    if jobs == 1:
        for group in groups:
            yield _parsed(group, parser)
        return
    pool = ProcessPoolExecutor(jobs, mp_context=get_context("spawn"), initializer=_begin)
    try:
        made = [pool.submit(_make_part, group, parser) for group in groups]
        for group, each in zip(groups, made, strict=True):
            each.result()
            if (table := _finished(group)) is None:
                raise FileError(str(group.part), "this file cannot be read back; is the disk full?")
            yield table
    except BrokenProcessPool as error:
        reason = (
            "the process that was parsing this file ended, perhaps because it ran out of memory:"
            " run the same command again to continue, perhaps with fewer processes"
        )
        raise FileError(group.file, reason) from error
    finally:
        pool.shutdown(cancel_futures=True)


def _begin() -> None:
    """Prepare a process: it has one core, and ends if it is interrupted, or with its parent."""
    pa.set_cpu_count(1)
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = parent_process()
    if parent is not None:
        parent.join()
        os._exit(1)


def _make_part(group: _Group, parser: TableParser) -> None:
    """Parse a row group, in another process, which need not send the result."""
    _parsed(group, parser)


def _parsed(group: _Group, parser: TableParser) -> Any:
    """Parse a row group and write the result, unless that was done before; return it."""
    if (finished := _finished(group)) is not None:
        return finished
    with _reading(group.file), pq.ParquetFile(group.file) as opened:
        table = opened.read_row_group(group.number)
    begun = group.part.with_suffix(f".{os.getpid()}")
    parsed = parser(table)
    pq.write_table(parsed, begun, write_page_checksum=True)
    begun.replace(group.part)
    return parsed


def _finished(group: _Group) -> Any:
    """Return the result of a row group; `None` if there is none, or a damaged one."""
    try:
        with pq.ParquetFile(group.part, page_checksum_verification=True) as opened:
            table = opened.read()
    except (OSError, pa.ArrowException):
        return None
    return table if table.num_rows == group.rows else None
