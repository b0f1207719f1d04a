"""Reading the runs of files, and the whole text of one."""

from __future__ import annotations

import io
import sys
from codecs import getincrementaldecoder
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from pathlib import Path
from typing import Any, Final, cast

from agent_parsers import OutputParserException
from agent_parsers.cli.options import STDIN
from agent_runs import read_runs
from agent_runs.cli.shown_runs import HowToRead, ShownRun
from agent_runs.cli.trouble import FilePlace, Trouble, trouble_of, unread_file
from agent_runs.reading.reader import UnknownLogError

_BOM: Final = b"\xef\xbb\xbf"
_CHUNK: Final = 1 << 16
_ELSE: Final = (
    "; `agent-parsers readers --why FILE` shows where each reader stopped, and `agent-parsers reply"
    " FILE` reads a single reply, or a column of replies"
)


def size_of(file: str) -> int | None:
    """Return the size of a file in bytes; `None` if it cannot be known before reading."""
    path = Path(file)
    try:
        return path.stat().st_size if file != STDIN and path.is_file() else None
    except (OSError, ValueError):  # reading it will report why
        return None


def is_parquet(file: str) -> bool:
    """Return whether the name of a file says that it is a Parquet file."""
    return file.lower().endswith(".parquet")


def total_size(files: Sequence[str]) -> int | None:
    """Return the total size of *files* in bytes; `None` if the size of one is unknown."""
    sizes = [size_of(file) for file in files]
    known = [size for size in sizes if size is not None]
    return sum(known) if len(known) == len(sizes) else None


def read_file(
    file: str, options: HowToRead, advance: Callable[[int], None]
) -> Iterator[ShownRun | Trouble]:
    """Read one file and yield its runs, and reports of what could not be read, in order.

    It calls *advance* with the number of bytes read since the last call.
    """
    if is_parquet(file):
        yield Trouble(file, "this is a table of replies; `agent-parsers reply` reads it")
        return
    failed: list[OutputParserException] = []
    number = 0
    try:
        with open_file(file) as stream:
            counted = cast("Any", io.BufferedReader(_Counted(stream, advance)))
            for run in read_runs(
                counted,
                format=options.reader,
                dialect=options.dialect,
                tools=options.tools,
                on_error=failed.append,
                follow=options.follow,
                encoding=options.encoding,
            ):
                number += 1
                yield from _troubles(file, failed)
                yield ShownRun(file, number, run, options.fail_on_notices)
    except UnknownLogError as error:
        if not failed:  # as below
            yield Trouble(file, f"{error.reason}{_ELSE if error.llm_output else ''}")
    except OutputParserException as error:
        if not failed:  # they are the reason why there is no run
            failed.append(error)
    except (OSError, ValueError) as error:
        yield unread_file(file, error)
    yield from _troubles(file, failed)


def _troubles(file: str, failed: list[OutputParserException]) -> Iterator[Trouble]:
    """Yield what to report of the errors in *failed*, and clear it."""
    for error in failed:
        yield trouble_of(file, error)
    failed.clear()


def read_whole(file: str) -> str | Trouble:
    """Return the text of one file, whatever its name, or the reason why it cannot be read."""
    try:
        with open_file(file) as stream:
            return stream.read().removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return _not_utf8(file, error)
    except (OSError, ValueError) as error:
        return unread_file(file, error)


def read_chunks(file: str) -> Iterator[str | Trouble]:
    """Yield the text of one file as it arrives; if it cannot be read, the reason comes last."""
    decoder = getincrementaldecoder("utf-8-sig")()
    try:
        with open_file(file) as stream:
            while chunk := stream.read1(_CHUNK):
                yield decoder.decode(chunk)
            decoder.decode(b"", final=True)
    except UnicodeDecodeError as error:
        yield Trouble(file, f"not UTF-8: byte 0x{error.object[error.start]:02x}")
    except (OSError, ValueError) as error:
        yield unread_file(file, error)


def open_file(file: str) -> AbstractContextManager[io.BufferedReader]:
    """Open a file for reading; standard input stays open afterwards."""
    if file == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return nullcontext(cast("io.BufferedReader", sys.stdin.buffer))
    return Path(file).open("rb")


class _Counted(io.RawIOBase):
    """A file that reports how much of it was read."""

    def __init__(self, stream: io.BufferedReader, advance: Callable[[int], None]) -> None:
        self._stream, self._advance = stream, advance
        self._read = 0

    def readable(self) -> bool:
        """Return `True`, since the file is open for reading."""
        return True

    def fileno(self) -> int:
        """Return the file descriptor, which is needed to wait for more bytes."""
        return self._stream.fileno()

    def tell(self) -> int:
        """Return the number of bytes read so far."""
        return self._read

    def readinto(self, buffer: Any) -> int:
        """Read bytes into *buffer*, and return how many were read."""
        read = self._stream.read1(len(buffer))  # what a pipe has now
        buffer[: len(read)] = read
        self._read += len(read)
        self._advance(len(read))
        return len(read)


def _not_utf8(file: str, error: UnicodeDecodeError) -> Trouble:
    before = error.object[: error.start]
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    byte = error.object[error.start]
    place = FilePlace(1 + before.count(b"\n"), column)
    return Trouble(file, f"not UTF-8: byte 0x{byte:02x}", place)
