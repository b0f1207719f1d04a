"""What a reader of logs is, and what it reads from.

A reader knows one form of log: how to recognise it, and how to read its runs. There are two kinds.
A `TextReader` takes the lines of a text, a `DataReader` the values of a JSON file, one after
another, so that neither needs the whole file.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from typing_extensions import override

from agent_parsers import OutputParserException
from agent_parsers.core import OpenSource, shown
from agent_parsers.transcripts import RunSource, Transcript
from outputs.json_form import TABLES

if TYPE_CHECKING:
    from re import Match

    from agent_parsers import Dialect, ToolSet

TABLES["agent_runs.json_form"] = None

HEAD_CHARS: Final = 1 << 16
"""How much of a text is looked at, in characters."""
HEAD_VALUES: Final = 20
"""How many values of JSON are looked at."""

Runs: TypeAlias = Iterator[Transcript]
"""The runs that a reader yields, each as soon as it has ended."""
T = TypeVar("T")

MALFORMED: Final = (AttributeError, IndexError, KeyError, TypeError, ValueError)
"""What reading data of another form raises."""


def line_of(found: Match[str]) -> int:
    """Return the number of the line in which *found* begins in the searched text, from 1."""
    return found.string.count("\n", 0, found.start()) + 1


def texts_behind(matches: Iterable[Match[str]], text: str) -> Iterator[tuple[Match[str], str]]:
    """Yield each of *matches* in *text*, with the text behind it up to the next one."""
    found = [*matches]
    ends = [*(each.start() for each in found[1:]), len(text)]
    for each, end in zip(found, ends, strict=False):  # without matches there is one end
        yield each, text[each.end() : end]


_CODES: Final = re.compile(r"\x1b(?:\[[\d;?]{0,30}(?:[A-Za-z]|\Z))?")


def text_in_line(line: str) -> str:
    """Return *line* without colours, and without the edges of a box around it."""
    return (_CODES.sub("", line) if "\x1b" in line else line).strip(" \t\r\n│┃║|")


def squeezed(text: str) -> str:
    """Return *text* without white space, which consoles change where they wrap it."""
    return "".join(text.split())


class Lines:
    r"""The lines of a text, which can be looked at before they are consumed.

    Each line ends in ``\n``, except perhaps the last; ``\r\n`` counts as ``\n``.

    Args:
        lines: The lines, or pieces of text that end where a line ends.
        number: Number of the first line in its file.
    """

    hint: str = ""
    """What to add where no run is found in the text, as a clause."""

    def __init__(self, lines: Iterable[str], number: int = 1) -> None:
        self._lines = iter(lines)
        self._ahead: deque[str] = deque()
        self._check: Callable[[str, int], None] | None = None
        self._nuls: dict[int, int] | None = None
        self.number: int = number
        """Number of the next line in its file, from 1."""
        self.is_over: bool = False
        """Whether the last line has been looked at."""
        self.last: deque[str] = deque(maxlen=2)
        """The last two lines with text that have been looked at."""

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        line = self._ahead.popleft() if self._ahead else self._more()
        if not line:
            raise StopIteration
        self.number += 1
        return line

    def peek(self, index: int = 0) -> str:
        """Return the line *index* lines after the next one; ``""`` after the last line."""
        while len(self._ahead) <= index:
            line = self._more()
            if not line:
                return ""
            self._ahead.append(line)
        return self._ahead[index]

    def check_each(self, check: Callable[[str, int], None]) -> None:
        """Call *check* with each line and its number before the line is used."""
        self._check = check
        for number, line in enumerate(self._ahead, self.number):
            check(line, number)

    def drop_nuls(self) -> Lines:
        """Drop NUL characters, which an interrupted write leaves in a file, and return ``self``."""
        self._nuls = {}
        ahead = enumerate(self._ahead, self.number)
        self._ahead = deque(self._without_nuls(line, number) for number, line in ahead)
        return self

    @property
    def has_nuls(self) -> bool:
        """Whether NUL characters were dropped from the lines that were looked at."""
        return bool(self._nuls)

    def take_nuls(self) -> dict[int, int]:
        """Remove and return the numbers of dropped NUL characters, by the number of the line."""
        found = self._nuls or {}
        self._nuls = {} if self._nuls is not None else None
        return found

    def _without_nuls(self, line: str, number: int) -> str:
        kept = line.replace("\0", "")
        if self._nuls is not None and kept != line:
            self._nuls[number] = len(line) - len(kept)
        return kept

    def _more(self) -> str:
        """Return the next line that has not been looked at; ``""`` behind the last."""
        line = next(self._lines, "")
        if "\0" in line and self._nuls is not None:
            line = self._without_nuls(line, self.number + len(self._ahead))
        if not line:
            self.is_over = True
            return line
        if self._check is not None:
            self._check(line, self.number + len(self._ahead))
        if line[0].isalnum() or text_in_line(line):
            self.last.append(line)
        return line

    def head(self, max_chars: int) -> str:
        """Return the next lines, up to the one that reaches *max_chars*, without consuming them."""
        size = count = 0
        while size < max_chars and (line := self.peek(count)):
            size += len(line)
            count += 1
        return "".join(self._ahead[index] for index in range(count))


class NumberedLines(Lines):
    """Lines, given with their numbers, that are not consecutive in their file."""

    def __init__(self, lines: Iterable[tuple[int, str]]) -> None:
        self._numbers: deque[int] = deque()
        self._last = 0
        super().__init__(self._numbered(lines))

    def _numbered(self, lines: Iterable[tuple[int, str]]) -> Iterator[str]:
        for number, line in lines:
            self._numbers.append(number)
            yield line

    @property
    @override
    def number(self) -> int:
        self.peek()
        return self._numbers[0] if self._numbers else self._last + 1

    @number.setter
    def number(self, _number: int) -> None:
        """Do nothing, since the lines keep their own numbers."""

    @override
    def __next__(self) -> str:
        self.peek()
        line = super().__next__()
        self._last = self._numbers.popleft()
        return line


class UnknownLogError(OutputParserException):
    """Raised if no reader knows the form of a log."""

    problem = "unknown_log"


NEAREST: Final = "the closest reader is "
"""How such an error begins to say which reader knows most of the log, and what stopped it."""


class NotJson(str):
    """Text in a JSON file that is not valid JSON, such as one of its lines."""

    __slots__ = ("reason",)

    reason: str
    """Why it is not."""


class Value(NamedTuple):
    """One value of a JSON file: its only value, an item of its list, or one of its lines."""

    data: Any
    line: int = 0
    """The line of the file where it stands, from 1; 0 if it is unknown."""
    name: str = ""
    """The key under which it stands, if the file is an object of such values."""


class Values:
    """The values of a JSON file, which can be looked at before they are consumed.

    Args:
        values: The values.
        are_items: Whether they are the items of one list, or the lines of a file.
    """

    def __init__(self, values: Iterable[Value], *, are_items: bool = False) -> None:
        self._values = iter(values)
        self._ahead: deque[Value] = deque()
        self.are_items: bool = are_items

    def __iter__(self) -> Iterator[Value]:
        return self

    def __next__(self) -> Value:
        return self._ahead.popleft() if self._ahead else next(self._values)

    def head(self, count: int) -> list[Any]:
        """Return the data of the next values, at most *count*, without consuming them."""
        while len(self._ahead) < count:
            value = next(self._values, None)
            if value is None:
                break
            self._ahead.append(value)
        return [self._ahead[index].data for index in range(min(count, len(self._ahead)))]


@dataclass(frozen=True)
class Reading:
    """The settings with which a log is read."""

    source: RunSource
    """What its runs say of their source."""
    dialect: Dialect | None = None
    """The dialect that the user named; `None` to find it."""
    tools: ToolSet | None = None
    """The tools of the runs; `None` to accept any name and any input."""
    lenient: bool = True
    """Whether to repair common mistakes in the text of models."""
    on_error: Callable[[OutputParserException], None] | None = None
    """Takes the error of a record that cannot be read; `None` to raise it."""
    is_scripted: bool = False
    """Whether a program sent all messages, so that a file right after a result is the tool's."""
    nested: Callable[[Lines | Values, Reading], Runs] | None = None
    """Reads a log that stands inside this one, in whatever form; `read_runs` sets it."""
    readers: Callable[[Lines | Values, Dialect | None], Sequence[str]] | None = None
    """Returns the names of the readers that a log may be for, of which it takes nothing, given
    the dialect that a log in no other form is in; `read_runs` sets it."""

    def at(self, line: int) -> Reading:
        """Return the same settings for a run that begins at *line* of the file."""
        here = self.source
        source = OpenSource(here.reader, here.within, here.dialect, here.evidence, here.file, line)
        source.__class__ = RunSource
        reading = object.__new__(Reading)  # its constructor takes four times as long
        vars(reading).update(vars(self), source=source)
        return reading

    def in_dialect(self, dialect: Dialect, *evidence: str) -> Reading:
        """Return the same settings for models that write in *dialect*, with the *evidence*."""
        evidence = (*self.source.evidence, *evidence)
        source = replace(self.source, dialect=dialect.name, evidence=evidence)
        return replace(self, source=source, dialect=dialect)

    def refuse(self, reason: str, text: str = "", *, line: int = 0) -> OutputParserException:
        """Report that a record at *line* of the file cannot be read, and the *reason*.

        Returns:
            The error, if there is an `on_error` to call with it.

        Raises:
            OutputParserException: The same error, if there is none.
        """
        error = OutputParserException(
            f"{reason} (line {line} of the file)" if line else reason,
            observation="Give a log whose records are all in the same form.",
            llm_output=text,
        )
        if self.on_error is None:
            raise error
        self.on_error(error)
        return error

    def refuse_value(self, value: Value, reason: str | Exception) -> OutputParserException:
        """Report that a *value* cannot be read; *reason* may be the exception that was raised.

        Returns:
            The error, if there is an `on_error` to call with it.

        Raises:
            OutputParserException: The same error, if there is none.
        """
        if isinstance(value.data, NotJson):
            return self.refuse(value.data.reason, value.data, line=value.line)
        if isinstance(reason, Exception):
            reason = _reason_of(reason, value.data)
        if value.name:
            reason = f"under {value.name!r}: {reason}"
        return self.refuse(reason, repr(value.data)[:1000], line=value.line)

    def converted(
        self, convert: Callable[[Any], T], values: Iterable[Any], *, line: int = 0
    ) -> Iterator[T]:
        """Yield each of *values* converted; a malformed one is refused and skipped.

        They stand at *line* of the file, from 1, or 0 if it is unknown.
        """
        for value in values:
            try:
                yield convert(value)
            except MALFORMED as error:
                self.refuse_value(Value(value, line), error)

    def inside(
        self,
        log: Lines | Values,
        *,
        on_error: Callable[[OutputParserException], None] | None = None,
    ) -> Iterator[Transcript]:
        """Read a *log* that is inside this one, such as the console output of a notebook.

        The errors of its records go to *on_error*, by default that of the log around it.
        """
        assert self.nested is not None, "read_runs sets it"
        return self.nested(log, replace(self, on_error=on_error or self.on_error))

    def has_form(self, log: Lines | Values) -> bool:
        """Return whether the form of a *log* inside this one is known, without consuming it."""
        return bool(self.readers_of(log))

    def readers_of(self, log: Lines | Values, *, in_dialect: bool = False) -> Sequence[str]:
        """Return the readers that a *log* inside this one may be for, without consuming it.

        With *in_dialect*, a log in no other form is in the dialect that the user named.
        """
        assert self.readers is not None, "read_runs sets it"
        return self.readers(log, self.dialect if in_dialect else None)


def _reason_of(error: Exception, data: object) -> str:
    """Return what is wrong with *data*, of which reading raised *error*."""
    match error:
        case OutputParserException():
            return str(error)
        case _ if not isinstance(data, Mapping):
            return f"expected an object, found {shown(data)}"
        case KeyError(args=[key]):
            return f"expected an object with {key!r}"
        case ValueError():
            return str(error)
        case _:
            return f"a part of the object has an unexpected type: {error}"


@dataclass(frozen=True, kw_only=True)
class TextReader:
    """A reader of logs that are text."""

    name: str
    """Its name, that of its module."""
    summary: str
    """What it reads, in a few words, with versions."""
    evidence: Callable[[str], Sequence[str]]
    """Takes the beginning of a text, whole lines. Returns what shows that the text has this form,
    such as ``"'> Entering new AgentExecutor chain...' in line 3"``; nothing if it has not."""
    read: Callable[[Lines, Reading], Runs]
    """Yields the runs, each as soon as it has ended."""
    before: tuple[str, ...] = ()
    """Names of readers that recognise these logs too, but know less of them."""
    signs: tuple[str, ...] = ()
    """Casefolded texts: where none of them stands, nothing shows this form, so that this reader is
    not asked, nor loaded. Empty: it is asked about every log."""
    lack: Callable[[str], str] | None = None
    """Takes what *evidence* takes, where that found nothing. Returns which line is nearest to this
    form, and what stopped the reader there, as a clause; empty if no line is."""


@dataclass(frozen=True, kw_only=True)
class DataReader:
    """A reader of logs that are JSON: one object, a list, or one value per line."""

    name: str
    """Its name, that of its module."""
    summary: str
    """What it reads, in a few words, with versions."""
    evidence: Callable[[Sequence[Any]], Sequence[str]]
    """Takes the first values of a file, at most 20. Returns what shows that they have this form,
    such as ``"'role' and 'tool_calls' in value 2"``; nothing if they have not. It may fail as
    data of another form lets it."""
    read: Callable[[Values, Reading], Runs]
    """Yields the runs, each as soon as it has ended."""
    before: tuple[str, ...] = ()
    """Names of readers that recognise these values too, but know less of them."""
    lack_of: Callable[[Any], tuple[int, str]] | None = None
    """Of readers of messages: returns how much of a message of this form a value has, 4 if it is
    one, and the first thing it lacks. It may fail as data of another form lets it."""
