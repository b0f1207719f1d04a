"""The messages of a log, and the logs of those who wrote them."""

from __future__ import annotations

import json
from collections import Counter
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from agent_parsers import get_dialect
from agent_parsers.authoring import escape
from agent_parsers.runs.detecting.detect import detect
from agent_parsers.runs.reading.reader import NumberedLines
from agent_parsers.runs.splitting.labels import size_of_observation_label

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent_parsers import Dialect
    from agent_parsers.runs.reading.reader import Reading
    from agent_parsers.runs.reading.transcript import Transcript

__all__ = ["Message", "runs_of_messages_in"]

_HEAD: Final = 1_000
"""How many messages are looked at, to see who wrote runs."""
_PART: Final = 1 << 13
"""How much is looked at together, in characters."""
_IN_MEMORY: Final = 1 << 20
"""How much of the other logs is kept in memory, in bytes; the rest is put into a file."""


class Message(NamedTuple):
    """One message of a logger."""

    line: int
    """The line of the file where it begins."""
    owner: str
    """Who wrote it: the names in its prefix."""
    lines: list[str]
    """Its lines, each with its end."""


def runs_of_messages_in(messages: Iterable[Message], reading: Reading) -> Iterator[Transcript]:
    """Yield the runs in the *messages* of loggers.

    Each owner has a log of its own. That of the first one who wrote runs is read while it comes in;
    the others are put aside. An owner whose messages have no runs is another logger, and its
    messages belong to no value.

    Args:
        messages: The messages, in order.
        reading: How they are read.
    """
    messages = iter(messages)
    head = [*islice(messages, _HEAD)]
    messages = chain(head, messages)
    writers = _writers(head, reading)
    if not writers:  # perhaps a run has several owners
        yield from _read(messages, reading)
        return
    with SpooledTemporaryFile(_IN_MEMORY, "w+", encoding="utf-8", errors="surrogatepass") as file:
        aside = cast("IO[str]", file)
        yield from _read(_put_aside(messages, writers[0], aside), reading)
        for writer in _writers(_again(aside), reading):
            own = (message for message in _again(aside) if message.owner == writer)
            yield from _read(own, reading)


def _writers(messages: Iterable[Message], reading: Reading) -> list[str]:
    """Return the owners of *messages* with a part that looks like a log of runs."""
    writers: dict[str, bool] = {}
    parts: dict[str, list[Message]] = {}
    sizes: Counter[str] = Counter()

    def look(owner: str) -> None:
        part = parts.pop(owner, [])
        sizes[owner] = 0
        writers[owner] = writers.get(owner, False) or reading.has_form(_as_log(part, reading))

    for message in messages:
        owner = message.owner
        if not writers.get(owner, False):
            parts.setdefault(owner, []).append(message)
            sizes[owner] += sum(map(len, message.lines))
            if sizes[owner] >= _PART:
                look(owner)
    for owner in [*parts]:
        look(owner)
    return [owner for owner, is_one in writers.items() if is_one]


def _put_aside(messages: Iterable[Message], owner: str, file: IO[str]) -> Iterator[Message]:
    """Yield the messages of *owner*, and write all others to *file*."""
    for message in messages:
        if message.owner == owner:
            yield message
        else:
            file.write(f"{json.dumps(message)}\n")


def _again(file: IO[str]) -> Iterator[Message]:
    """Yield the messages in *file*."""
    file.seek(0)
    return (Message(*json.loads(line)) for line in file)


def _read(messages: Iterable[Message], reading: Reading) -> Iterator[Transcript]:
    return reading.inside(_as_log(messages, reading))


def _as_log(messages: Iterable[Message], reading: Reading) -> NumberedLines:
    """Return the lines of *messages*."""
    messages = iter(messages)
    head: list[Message] = []
    size = 0
    while size < _PART and (message := next(messages, None)) is not None:
        head.append(message)
        size += sum(map(len, message.lines))
    dialect = reading.dialect
    if dialect is None and any(len(message.lines) > 1 for message in head):
        dialect = _dialect_of("".join(line for message in head for line in message.lines))
    whole = (_shielded(message, dialect) for message in chain(head, messages))
    return NumberedLines(
        (number, line)
        for message in whole
        for number, line in enumerate(message.lines, message.line)
    )


def _dialect_of(text: str) -> Dialect | None:
    found = detect(text)
    if found.is_ambiguous or not found.candidates:
        return None
    return get_dialect(found.candidates[0].dialect)


def _shielded(message: Message, dialect: Dialect | None) -> Message:
    """Return a *message* that begins with an observation, so that all of it is read as one."""
    if dialect is None or len(message.lines) < 2 or not dialect.lenient.transcript_start:
        return message
    text = "".join(message.lines)
    size = size_of_observation_label(dialect, text)
    if not size:
        return message
    shielded = text[:size] + escape(dialect, text[size:])
    return message._replace(lines=shielded.splitlines(keepends=True))
