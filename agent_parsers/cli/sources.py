"""Reading files with transcripts or records, and detecting which of them a file contains.

The suffix of the file name decides: ``.jsonl`` and ``.ndjson`` have one record per line, ``.json``
a record or a list of records, ``.txt``, ``.log`` and ``.md`` text. For other names and for standard
input the content decides: if the first line is a whole record, there is one record per line; if the
whole text is a JSON object or list, it contains records; anything else is text, so a transcript may
begin with a brace.
"""

from __future__ import annotations

import json
import sys
from contextlib import nullcontext
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, Final

from agent_parsers.cli.places import Document, Place
from agent_parsers.cli.runs import STDIN, Excerpt, Options, Run, Trouble, run_of_record
from agent_parsers.cli.texts import read_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator
    from contextlib import AbstractContextManager

__all__ = ["read_source", "read_whole", "size_of"]

_LINES: Final = {".jsonl", ".ndjson"}
_JSON: Final = {".json"}
_TEXT: Final = {".txt", ".log", ".md"}
_BOM: Final = b"\xef\xbb\xbf"
_BLOCK: Final = 1 << 20
"""Size of the blocks of a file that is not read line by line, in bytes."""


def size_of(file: str) -> int | None:
    """Return the size of a file in bytes; `None` if it cannot be known before reading."""
    path = Path(file)
    try:
        return path.stat().st_size if file != STDIN and path.is_file() else None
    except (OSError, ValueError):  # reading it will report why
        return None


def read_source(
    file: str, options: Options, advance: Callable[[int], None]
) -> Iterator[Run | Trouble]:
    """Read one file and yield its runs, and reports of what could not be read, in order.

    A file with one record per line is read line by line, any other as a whole.

    Args:
        file: Path of the file; ``-`` is standard input.
        options: How to read it.
        advance: Called with the number of bytes read since the last call.
    """
    try:
        with _open(file) as stream:
            yield from _read(file, stream, options, advance)
    except OSError as error:
        yield Trouble(file, error.strerror or str(error))
    except ValueError as error:  # an invalid file name
        yield Trouble(file, str(error))


def read_whole(file: str) -> str | Trouble:
    """Return the text of one file with any name, or the reason why it cannot be read."""
    try:
        with _open(file) as stream:
            return stream.read().removeprefix(_BOM).decode()
    except UnicodeDecodeError as error:
        return _not_utf8(file, error)
    except OSError as error:
        return Trouble(file, error.strerror or str(error))
    except ValueError as error:  # an invalid file name
        return Trouble(file, str(error))


def _open(file: str) -> AbstractContextManager[BinaryIO]:
    if file == STDIN:
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return nullcontext(sys.stdin.buffer)
    return Path(file).open("rb")


def _read(
    file: str, stream: BinaryIO, options: Options, advance: Callable[[int], None]
) -> Iterator[Run | Trouble]:
    suffix = Path(file).suffix.lower() if file != STDIN else ""
    head: list[bytes] = []
    if suffix not in _TEXT | _LINES:
        head = _head(stream)
        suffix = ".jsonl" if _is_record(b"".join(head)) else suffix
    if suffix in _LINES:
        yield from _read_lines(file, chain(head, stream), options, advance)
        return
    raw = b"".join(chain(head, iter(lambda: stream.read(_BLOCK), b""))).removeprefix(_BOM)
    try:
        text = raw.decode()
    except UnicodeDecodeError as error:
        yield _not_utf8(file, error)
        return
    document = Document(text)
    why_not_json = ""
    if suffix in _JSON or (suffix not in _TEXT and text.lstrip().startswith(("{", "["))):
        value, flaw = _load(file, document)
        if suffix in _JSON or isinstance(value, dict | list):
            advance(len(raw))
            if flaw:
                yield flaw
                return
            for index, record in enumerate(value if isinstance(value, list) else [value]):
                yield run_of_record(file, index + 1, record, options, document, index)
            return
        if flaw and flaw.place:
            why_not_json = f"{flaw.reason}, line {flaw.place.line} column {flaw.place.column}"
    share = _share(advance, len(raw), len(text))
    yield from read_text(file, document, options, share, why_not_json)


def _share(advance: Callable[[int], None], size: int, chars: int) -> Callable[[int], None]:
    """Return a function that takes a number of characters and passes bytes to *advance*."""
    return lambda read: advance(read * size // max(chars, 1))


def _head(stream: BinaryIO) -> list[bytes]:
    """Read up to and including the first line that is not blank."""
    head: list[bytes] = []
    for line in stream:
        head.append(line)
        if line.removeprefix(_BOM).strip():
            break
    return head


def _is_record(line: bytes) -> bool:
    """Return whether a line is a whole record."""
    line = line.removeprefix(_BOM).strip()
    if not line.startswith(b"{"):
        return False
    try:
        value = json.loads(line)
    except (ValueError, RecursionError):
        return False
    return isinstance(value, dict) and "steps" in value


def _read_lines(
    file: str, lines: Iterable[bytes], options: Options, advance: Callable[[int], None]
) -> Iterator[Run | Trouble]:
    number = 0
    for at, raw in enumerate(lines, 1):
        advance(len(raw))
        line = raw.removeprefix(_BOM) if at == 1 else raw
        if not line.strip():
            continue
        number += 1
        within = f"record {number}"
        try:
            document = Document(line.decode(), at)
        except UnicodeDecodeError as error:
            yield _not_utf8(file, error, at, within)
            if at == 1:  # not a damaged line, but another kind of file
                return
            continue
        record, flaw = _load(file, document, within)
        yield flaw or run_of_record(file, number, record, options, document)


def _load(file: str, document: Document, within: str = "") -> tuple[Any, Trouble | None]:
    """Return the value of a JSON text, or a report of what is wrong with it."""
    try:
        return json.loads(document.text), None
    except json.JSONDecodeError as error:
        place = document.place(error.pos)
        line, start = document.line_at(error.pos)
        shown = Excerpt(line, error.pos - start, error.pos - start + 1, place.line)
        return None, Trouble(file, f"not JSON: {error.msg}", place, within, shown)
    except RecursionError:
        reason = "nested too deeply"
    except ValueError as error:  # a number with thousands of digits
        reason = f"JSON that cannot be read: {error}"
    return None, Trouble(file, reason, document.place(0), within)


def _not_utf8(file: str, error: UnicodeDecodeError, line: int = 1, within: str = "") -> Trouble:
    before = error.object[: error.start]
    line += before.count(b"\n")
    column = len(before[before.rfind(b"\n") + 1 :].decode()) + 1
    byte = error.object[error.start]
    return Trouble(file, f"not UTF-8: byte 0x{byte:02x}", Place(line, column), within)
