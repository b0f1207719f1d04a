"""Opening what runs are read from: a path, a file, a text, or data that was loaded already."""

from __future__ import annotations

import io
import json
import re
from codecs import lookup
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from itertools import chain
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, cast

from agent_parsers import OutputParserException
from agent_runs.archives import MAGIC, samples_in, unpacking
from agent_runs.json_items import (
    ListItems,
    RepeatedKeyError,
    keyed_twice,
    load_json,
    not_json,
    value_at,
)
from agent_runs.live import LiveText, waiting_on
from agent_runs.reading.reader import Lines, NotJson, Value, Values

if TYPE_CHECKING:
    from os import PathLike

RunsFrom: TypeAlias = (
    "str | PathLike[str] | IO[str] | IO[bytes] | bytes | Mapping[str, Any] | list[Any]"
)
"""What runs are read from.

* A path: any `os.PathLike`, or a `str` of one line that names a file that exists. A folder, or a
  pattern such as ``"logs/**/*.jsonl"``, stands for its files. A file may be packed by gzip, xz or
  zstd.
* An open file, of text or of bytes.
* A text, as `str` or `bytes`.
* Data that was loaded already: an object, or a list.
"""

_LONGEST_PATH: Final = 4096
_WILD: Final = re.compile(r"[*?\[]").search
_HEAD: Final = 1 << 16
"""How much is looked at to tell JSON from text, in characters."""
_MARKS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
"""Byte order marks."""


class Log(NamedTuple):
    """A log that is open for reading."""

    name: str
    """Name of its file, if it is known."""
    content: Lines | Values | LiveText
    """Its lines, or its values if it is JSON; or a log that is still being written."""


def logs_in(source: RunsFrom) -> Sequence[RunsFrom]:
    """Return the files of a folder or a pattern, in order; for any other *source*, that one alone.

    Hidden files are skipped.
    """
    is_text = isinstance(source, str) and (len(source) > _LONGEST_PATH or "\n" in source)
    if is_text or not (isinstance(source, str) or hasattr(source, "__fspath__")):
        return (source,)
    path = Path(cast("str | PathLike[str]", source))
    base, pattern = Path(path.anchor or "."), str(path.relative_to(path.anchor))
    try:
        if not source or path.is_file():
            return (source,)
        if path.is_dir():
            base, pattern = path, "**/*"
        elif not _WILD(pattern):
            return (source,)
        found = sorted(each for each in base.glob(pattern) if each.is_file())
    except (OSError, ValueError, NotImplementedError):  # no name of a file
        return (source,)
    return [each for each in found if not _is_hidden(each.relative_to(base))] or (source,)


def _is_hidden(path: Path) -> bool:
    return any(part.startswith(".") and part != ".." for part in path.parts)


@contextmanager
def open_log(
    source: RunsFrom, *, follow: bool = False, encoding: str | None = None
) -> Iterator[Log]:
    """Open *source* in a ``with`` statement, and close it at the end if it was opened here.

    Args:
        source: A single log.
        follow: Whether a file may grow.
        encoding: The encoding of bytes; `None` for UTF-8, or what their beginning shows.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: The text is in another encoding.
        TypeError: Runs cannot be read from a *source* of this type.
    """
    with ExitStack() as stack, _decoding(encoding):
        if isinstance(source, Mapping):
            yield Log("", Values([Value(source)]))
        elif isinstance(source, list):
            yield Log("", Values(map(Value, source), are_items=True))
        elif isinstance(source, bytes):
            yield Log("", _content_of_bytes(io.BytesIO(source), stack, encoding))
        elif isinstance(source, str) and not _is_path(source):
            content = content_of(io.StringIO(source))
            if isinstance(content, Lines) and "\n" not in source and not content.hint:
                content.hint = "and there is no file with this name"
            yield Log("", content)
        elif hasattr(source, "read"):
            stream = cast("IO[Any]", source)
            name = getattr(stream, "name", "")
            is_text = isinstance(stream.read(0), str)
            if is_text:
                found: Lines | Values | LiveText = content_of(stream)
            else:
                found = _content_of_bytes(stream, stack, encoding, follow)
            yield Log(name if isinstance(name, str) else "", found)
        elif isinstance(source, str) or hasattr(source, "__fspath__"):
            file = stack.enter_context(Path(source).open("rb"))
            yield Log(str(source), _content_of_bytes(file, stack, encoding, follow))
        else:
            raise TypeError(
                "expected a path, an open file, a string, or JSON data to read runs from,"
                f" found {type(source).__name__}"
            )


def _is_path(text: str) -> bool:
    if not text or len(text) > _LONGEST_PATH or "\n" in text or "\0" in text:
        return False
    try:
        return Path(text).is_file()
    except (OSError, ValueError):
        return False


def check_encoding(name: str) -> str:
    """Return *name* if there is a text encoding with this name.

    Raises:
        ValueError: There is no such encoding.
    """
    try:
        "".encode(name)
    except (LookupError, ValueError):  # also of one that cannot be used, such as 'undefined'
        raise ValueError(
            f"there is no encoding {name!r}; Python knows utf-8, utf-16, cp1252, latin-1 and others"
        ) from None
    return name


@contextmanager
def _decoding(encoding: str | None) -> Iterator[None]:
    """Say of bytes that are no text which *encoding* they are not in."""
    try:
        yield
    except UnicodeDecodeError as error:
        byte = f"byte 0x{error.object[error.start]:02x}"
        raise OutputParserException(
            f"not {encoding or error.encoding}: {byte}{_ADVICE}", observation="Give a log in UTF-8."
        ) from error


def _content_of_bytes(
    stream: IO[bytes], stack: ExitStack, encoding: str | None = None, follow: bool = False
) -> Lines | Values | LiveText:
    """Return what *stream* has: a zip file, or text.

    Either may be packed. If the stream is a pipe, or if *follow* says that it grows, it is live.

    What is put around the stream is taken off again with *stack*, so that it closes nothing.
    """
    buffered = cast("Any", stream)
    if not hasattr(stream, "peek"):
        buffered = io.BufferedReader(buffered)
        stack.callback(buffered.detach)
    start = buffered.peek(_START)[:_START]
    if start[:4] == MAGIC:
        return samples_in(buffered)
    if (unpacked := unpacking(buffered, start)) is not None:
        return _content_of_bytes(unpacked, stack, encoding)
    encoding = _encoding_of(start, encoding)
    if encoding in _UTF_8 and b"\0" in start and _wrong_byte(start.decode("utf-8", _ERRORS)[:-4]):
        raise OutputParserException(
            "this is not text: it has NUL bytes, and bytes that are not valid UTF-8",
            observation="Give a log that is text or JSON.",
        )
    if (wait := waiting_on(buffered, grows=follow)) is not None:
        return LiveText(buffered, encoding, wait)
    errors = _ERRORS if encoding in _UTF_8 else "strict"
    text = io.TextIOWrapper(buffered, encoding, errors=errors, newline="\n")
    stack.callback(text.detach)
    return content_of(text)


_START: Final = 1024
"""How many bytes are looked at to find the encoding."""
_UTF_8: Final = ("utf-8", "utf-8-sig")
_ADVICE: Final = (
    "; if the log has another encoding, such as cp1252 on Windows, pass it as encoding="
)
_ERRORS: Final = "surrogateescape"
_WRONG_BYTE: Final = re.compile("[\udc80-\udcff]")
"""A byte that is not text, as it is decoded."""


def _encoding_of(start: bytes, named: str | None) -> str:
    """Return the encoding of a text that begins with *start*: UTF-8, or UTF-16 if it shows that.

    In UTF-16, each character of ASCII has a byte of 0 at its left or at its right. An encoding
    that the user *named* counts; of UTF-16, the order of bytes may be left open.
    """
    known = lookup(named).name if named else ""
    if known not in ("", "utf-8", "utf-16"):
        return known
    for mark, name in _MARKS:
        if start.startswith(mark):
            return name
    if known == "utf-8":
        return known
    first, second = start[::2].count(0), start[1::2].count(0)
    for name, zeros, others in (("utf-16-le", second, first), ("utf-16-be", first, second)):
        if not others and zeros * 8 > len(start) // 2:
            return name
    return "utf-16-le" if known else "utf-8"


def _wrong_byte(text: str) -> tuple[str, int, int] | None:
    """Return the first byte of *text* that is no UTF-8, as words, with its line and column."""
    found = None if text.isascii() else _WRONG_BYTE.search(text)
    if found is None:
        return None
    at = found.start()
    words = f"not UTF-8: byte 0x{ord(found[0]) - 0xDC00:02x}"
    return words, text.count("\n", 0, at) + 1, at - text.rfind("\n", 0, at)


def _check(text: str, line: int) -> None:
    """Check that *text*, which begins with *line* of the file, has no wrong byte.

    Raises:
        OutputParserException: It has one; the message says where.
    """
    if (wrong := _wrong_byte(text)) is not None:
        words, at, column = wrong
        raise OutputParserException(
            f"{words} (line {line + at - 1}, column {column} of the file){_ADVICE}",
            observation="Give a log in UTF-8.",
        )


def _as_text(lines: Lines, stream: IO[str] | LiveText) -> Lines:
    """Return *lines* without NULs, and checked when they are read if *stream* was decoded here."""
    return _checked(lines, stream).drop_nuls()


def _checked(lines: Lines, stream: IO[str] | LiveText) -> Lines:
    """Return *lines*, of which each is checked when it is read, if *stream* was decoded here."""
    if getattr(stream, "errors", None) == _ERRORS:
        lines.check_each(_check)
    return lines


def as_it_is(content: Lines | Values | LiveText) -> Lines | Values:
    """Return the *content* of a log; for a live one, the part that has arrived so far."""
    return content_of(content) if isinstance(content, LiveText) else content


def content_of(stream: IO[str] | LiveText) -> Lines | Values:
    """Return the values of *stream* if it is JSON, or else its lines."""
    number = stream.number if isinstance(stream, LiveText) else 1
    head = ""
    filled = 0  # two lines tell, and a pipe may not have more yet
    while filled < 2 and len(head) < _HEAD and (piece := stream.readline(_HEAD)):
        head += piece
        filled += bool(piece.strip()) and piece.endswith("\n")
    head = head.removeprefix("\ufeff")  # a byte order mark that whoever decoded the text left
    start = head.lstrip()
    if start[:1] == "[" and _may_be_json(start) and not _is_list_a_line(start):
        items = ListItems(head, stream.read)
        if items.is_list():
            return Values(items, are_items=True)
        return _as_text(Lines(_lines(items.text, stream), number), stream)
    lines = Lines(_lines(head, stream), number)
    if start[:1] not in ("{", "["):
        text = _as_text(lines, stream)
        return _cassette(text) if _begins_cassette(start) else text
    first = _next_filled(lines, 0)
    if _value_of(lines.peek(first)) is not _NO_VALUE and _is_one_a_line(lines, first):
        return Values(values_of_lines(lines), are_items=True)
    if not _may_be_json(start):
        return _as_text(lines, stream)
    whole = "".join(_checked(lines, stream))
    value = _value_or_text(whole)
    if isinstance(value, NotJson):
        if pairs := keyed_twice(whole):
            keyed = (Value(data, first + number, key) for key, data in pairs)
            return Values(keyed, are_items=True)
        if several := [*_values_behind_one_another(whole)]:
            return Values(several, are_items=True)
        text = Lines(io.StringIO(whole)).drop_nuls()
        text.hint = f"which is {value.reason}"
        return text
    return Values([Value(value, first + number)])


_begins_cassette: Final = re.compile(r"(?:---\s+)?(?:version: \d+\s+)?interactions:\s").match
"""Matches the beginning of a cassette of VCR, which is YAML."""


def _cassette(lines: Lines) -> Lines | Values:
    """Return the value of a cassette in *lines*; the lines again if it cannot be read."""
    text = "".join(lines)
    try:
        import yaml  # type: ignore[import-untyped]  # imported lazily: it is an extra

        return Values([Value(yaml.load(text, getattr(yaml, "CSafeLoader", yaml.SafeLoader)), 1)])
    except ImportError:
        hint = "which is a VCR cassette: to read it, pip install 'agent-parsers[yaml]'"
    except (yaml.YAMLError, RecursionError, ValueError) as error:
        hint = f"which begins like a VCR cassette, but is not YAML: {error}".partition("\n")[0]
    found = Lines(io.StringIO(text))
    found.hint = hint
    return found


_NO_VALUE: Final = object()
_BLANKS: Final = re.compile(r"\s*").match


def _lines(start: str, stream: IO[str] | LiveText) -> Iterator[str]:
    r"""Yield the lines of a *start* and of the *stream* behind, each with ``\n`` at its end."""
    for line in chain(io.StringIO(start, newline="\n"), iter(stream.readline, "")):
        whole = line if line.endswith("\n") else line + stream.readline()
        yield f"{whole[:-2]}\n" if whole.endswith("\r\n") else whole


def _is_list_a_line(start: str) -> bool:
    """Return whether a text that begins with *start* has a list on each of its lines."""
    line, _, rest = start.partition("\n")
    return rest.lstrip().startswith(("[", "{")) and _value_of(line) is not _NO_VALUE


def _next_filled(lines: Lines, index: int) -> int:
    """Return the index of the next line, from *index* on, that is not blank."""
    while (line := lines.peek(index)) and not line.strip():
        index += 1
    return index


def _is_one_a_line(lines: Lines, first: int) -> bool:
    """Return whether another value stands on the line after the *first* one."""
    line = lines.peek(_next_filled(lines, first + 1))
    if not line:  # one line: a list on it has the values
        return lines.peek(first).lstrip().startswith("{")
    return line.lstrip(" \t\r\n\0").startswith("{") or _is_value(line)  # or damaged


def _may_be_json(head: str) -> bool:
    """Return whether a text that begins with *head* may be one JSON value."""
    after = head[1:].lstrip()
    return after[:1] in ('"', "}") if head[:1] == "{" else after[:1] in ("{", "[", "]", '"')


def _is_value(text: str) -> bool:
    """Return whether *text* is JSON, though it may be nested too deeply to be read."""
    try:
        json.loads(text)
    except json.JSONDecodeError:
        return False
    except (RecursionError, ValueError):  # the latter: a number with thousands of digits
        pass
    return True


def _value_of(text: str) -> Any:
    """Return the object or list that *text* is, or `_NO_VALUE`."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _NO_VALUE
    return value if isinstance(value, dict | list) else _NO_VALUE


def values_of_lines(lines: Lines) -> Iterator[Value]:
    """Yield the JSON value of each line; a line that is not JSON is yielded as text.

    If the only line is an object with results by their ids, and an id appears twice, each result is
    yielded.
    """
    is_first = True
    for number, line in enumerate(lines, lines.number):
        if not line.strip():
            continue
        value = _value_or_text(line)
        is_only = is_first and isinstance(value, NotJson) and not lines.peek()
        if pairs := keyed_twice(line) if is_only else ():
            yield from (Value(data, number, key) for key, data in pairs)
        else:
            yield Value(value, number)
        is_first = False


def _values_behind_one_another(text: str) -> Iterator[Value]:
    """Yield the objects that *text* consists of, each on lines of its own; none if it does not."""
    found: list[Value] = []
    at, line = _past_blanks(text, 0, 1)
    while at < len(text):
        try:
            data, end = value_at(text, at)
        except (ValueError, RecursionError):
            return
        if not isinstance(data, dict | NotJson) or (end < len(text) and text[end] != "\n"):
            return
        found.append(Value(data, line))
        at, line = _past_blanks(text, end, line + text.count("\n", at, end))
    yield from found


def _past_blanks(text: str, at: int, line: int) -> tuple[int, int]:
    """Return where the blanks end that begin at an offset and *line*, and the line there."""
    blanks = _BLANKS(text, at)
    assert blanks is not None, "the pattern also matches an empty string"
    return blanks.end(), line + blanks[0].count("\n")


def _value_or_text(text: str) -> Any:
    """Return the value that *text* is, or the text with the reason why it is none."""
    try:
        if (wrong := _wrong_byte(text)) is None:
            return load_json(text)
        reason = f"{wrong[0]}, column {wrong[2]}{_ADVICE}"
    except json.JSONDecodeError as error:
        line = f"line {error.lineno}, " if error.lineno > 1 else ""
        reason = f"not JSON: {error.msg.removesuffix(' at')} at {line}column {error.colno}"
        if "\0" in text:
            reason += "; it has NUL characters, as are left in a file when writing is interrupted"
    except RecursionError:
        reason = "nested too deeply"
    except RepeatedKeyError as error:
        reason = f"JSON in which {error}"
    except ValueError as error:  # a number with thousands of digits
        reason = f"JSON that cannot be read: {error}"
    return not_json(text, reason)
