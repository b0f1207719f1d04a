"""The prefix that the lines of a log have in common, found by the shape that repeats."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, islice
from tempfile import SpooledTemporaryFile
from typing import IO, TYPE_CHECKING, Final, NamedTuple, cast

from agent_parsers import get_dialect
from agent_parsers.authoring import escape
from agent_parsers.transcripts import Notice, Transcript
from agent_runs.detecting.detect import detect_in_head
from agent_runs.detecting.prefix_fields import COLOURS, ESCAPE, FIELDS, Field, fields_of
from agent_runs.reading.reader import NumberedLines, Reading
from agent_runs.splitting.labels import begins_any, size_of_observation_label
from agent_runs.splitting.prompts import is_prompt
from agent_runs.splitting.separators import is_logged

if TYPE_CHECKING:
    from agent_parsers import Dialect

_HEAD: Final = 1_000
"""How many messages are looked at, to see who wrote runs."""
_PART: Final = 1 << 13
"""How much is looked at together, in characters."""
_MOST_TRIED: Final = 6
"""How many parts without a run are tried against the dialects."""
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
        messages: The messages, in order. Those that are prompts are notices of the next run.
        reading: How they are read.
    """
    prompts: list[Notice] = []
    for run in _runs_in(_without_prompts(messages, prompts), reading):
        yield replace(run, notices=(*prompts, *run.notices))
        prompts.clear()


def _without_prompts(messages: Iterable[Message], prompts: list[Notice]) -> Iterator[Message]:
    """Yield the *messages* that are no prompts, and add a notice of each other to *prompts*."""
    for message in messages:
        if len(message.lines) > 1 and is_prompt(message.lines):
            text = "".join(message.lines)
            prompts.append(Notice("unowned_text", "found a prompt", text=text, line=message.line))
        else:
            yield message


def _runs_in(messages: Iterator[Message], reading: Reading) -> Iterator[Transcript]:
    """Yield the runs in the *messages*; see `runs_of_messages_in`."""
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
    """Return the owners of *messages* with a part that looks like a log of runs.

    Few parts with labels are tried: those of the owners who wrote the most of them.
    """
    parts: dict[str, list[list[Message]]] = {}
    sizes: Counter[str] = Counter()
    labels: Counter[str] = Counter()
    for message in messages:
        owner = message.owner
        if sizes[owner] % _PART + sum(map(len, message.lines)) >= _PART or owner not in parts:
            parts.setdefault(owner, []).append([])
        parts[owner][-1].append(message)
        sizes[owner] += sum(map(len, message.lines))
        labels[owner] += sum(map(begins_any, message.lines))
    tried = 0
    writers = set()
    for owner in sorted(parts, key=lambda owner: -labels[owner]):
        for part in parts[owner]:
            is_labelled = any(begins_any(line) for message in part for line in message.lines)
            tried += is_labelled
            if is_labelled and tried > _MOST_TRIED:
                continue
            if reading.has_form(_as_log(part, reading)):
                writers.add(owner)
                tried -= is_labelled
                break
    return [owner for owner in parts if owner in writers]


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
    lines = [line for message in head for line in message.lines]
    if dialect is None and len(lines) > len(head) and any(map(begins_any, lines)):
        dialect = _dialect_of("".join(lines))
    whole = (_shielded(message, dialect) for message in chain(head, messages))
    return NumberedLines(
        (number, line)
        for message in whole
        for number, line in enumerate(message.lines, message.line)
    )


def _dialect_of(text: str) -> Dialect | None:
    found = detect_in_head(text)
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


_FEWEST_LINES: Final = 3
"""How many lines need the prefix, unless the log has fewer."""
_MOST_LINES: Final = 300
"""How many lines are looked at."""
_FIRST: Final = 5
"""The prefix has to begin in one of this many lines."""
_SHARE: Final = 0.9
"""The share of the prefixed lines in which a further field has to be the same."""
_may_be_prefix: Final = re.compile(
    rf"{COLOURS}(?:[\[(]?(?:{FIELDS['time']}|{FIELDS['level']}[:\s])|{FIELDS['cell']}|"
    rf"(?:\d+\|)?{FIELDS['name']}[ ]*{COLOURS}\||\[{FIELDS['name']}\])"
).match


@dataclass(frozen=True, slots=True)
class Prefix:
    """The prefix of the lines of a log."""

    kinds: tuple[str, ...]
    """The kinds of its fields."""
    pattern: re.Pattern[str]
    """Matches it at the beginning of a line. The groups are the names in it."""
    example: str
    """The first one."""

    def split(self, line: str) -> tuple[str, str] | None:
        """Return whose line this is, and its text; `None` if it has no prefix."""
        found = self.pattern.match(line)
        if found is None:
            return None
        names = (name.partition(".")[0] for name in found.groups())
        return " ".join(names), line[found.end() :]


def find_prefix(head: str) -> Prefix | None:
    """Return the prefix that lines of *head*, the beginning of a log, have in common.

    It has a time, or the name of a service and a bar, or a level and a name, or the path of a pod.
    The fields behind are those that nearly all of the prefixed lines have, with the same marks
    between them. Lines of known loggers count for nothing: they stand in any console.
    """
    lines = [
        line for line in head.split("\n")[:_MOST_LINES] if line.strip() and not is_logged(line)
    ]
    if not any(map(_may_be_prefix, lines[:_FIRST])):
        return None
    rows = [[*fields_of(line)] for line in lines]
    if (common := _common(rows)) is None:
        return None
    template, prefixed = common
    is_coloured = sum(line.startswith("\x1b") for line in lines) * 2 > len(lines)
    pattern = _pattern(template, prefixed, is_coloured=is_coloured)
    texts = [line[found.end() :] for line in lines if (found := pattern.match(line)) is not None]
    fewest = 1 if len(texts) >= _SHARE * len(lines) else len(texts) // 2 + 1
    if sum(map(bool, map(str.strip, texts))) < fewest:
        return None  # such as a line with only the time between two parts of a log
    first = next(found for line in lines if (found := pattern.match(line)) is not None)
    return Prefix(tuple(field.kind for field in template), pattern, first[0])


def _common(rows: Sequence[list[Field]]) -> tuple[list[Field], list[list[Field]]] | None:
    """Return the fields of the prefix that *rows* have in common, and the rows that have it.

    Lines without it may begin with fields too, and there may be more of them.
    """
    firsts = Counter((row[0].kind, row[0].mark) for row in rows if row)
    for (kind, mark), _ in firsts.most_common():
        begun = [row for row in rows if row and _fits(row[0], kind, mark)]
        template, prefixed = _template(begun, Field(kind, "", mark=mark))
        is_early = any(row in prefixed for row in rows[:_FIRST])
        if is_early and _is_prefix(template, prefixed, len(rows)):
            return template, prefixed
    return None


def _template(rows: list[list[Field]], first: Field) -> tuple[list[Field], list[list[Field]]]:
    """Return the fields that *rows* share, of which all have the *first*, and these rows."""
    template = [first]
    while True:
        at = len(template)
        longer = [row for row in rows if len(row) > at]
        counts = Counter((row[at].kind, row[at].mark) for row in longer)
        if not counts:
            break
        kind, mark = counts.most_common(1)[0][0]
        fitting = [row for row in longer if _fits(row[at], kind, mark)]
        if len(fitting) < _SHARE * len(rows):
            break
        if kind == "name" and not mark and not _are_names([row[at] for row in fitting]):
            break
        rows = fitting
        template.append(Field(kind, "", mark=mark))
    return template, rows


def _fits(field: Field, kind: str, mark: str) -> bool:
    """Return whether *field* is of this *kind*; behind blanks, any mark may begin the text."""
    return field.kind == kind and (field.mark == mark or (not mark and field.lead > 0))


def _are_names(fields: Sequence[Field]) -> bool:
    """Return whether *fields* are names that come again, not words of a text.

    Most have text behind them; a name that all lines have may have less, since lines may be empty.
    """
    values = {field.value for field in fields}
    with_text = sum(field.has_text for field in fields)
    share = 4 if len(values) == 1 else 2
    return len(values) <= max(1, len(fields) // 4) and with_text * share > len(fields)


def _is_prefix(template: Sequence[Field], rows: Sequence[Sequence[Field]], total: int) -> bool:
    """Return whether a *template* that some *rows* of *total* lines have is more than chance."""
    if len(rows) < min(_FEWEST_LINES, total):
        return False
    kinds = [field.kind for field in template]
    has_bar = any(field.kind == "name" and field.mark == "|" for field in template[:2])
    if "time" in kinds or has_bar:
        return True
    is_everywhere = len(rows) >= _SHARE * total
    if kinds[:1] == ["level"]:
        return "name" in kinds or is_everywhere
    is_bracketed = kinds == ["name"] and rows[0][0].value.startswith("[")
    return is_bracketed and len(rows) == total >= _FEWEST_LINES


def _pattern(
    template: Sequence[Field], rows: Sequence[Sequence[Field]], *, is_coloured: bool
) -> re.Pattern[str]:
    """Return a pattern for the prefix; behind it are as many blanks as all lines have."""
    parts = []
    is_inner = False  # a name behind another and a colon: a function, not whose line it is
    last = len(template) - 1
    with_text = [row[last] for row in rows if row[last].has_text]
    for at, (kind, _, _, mark, *_) in enumerate(template):
        is_owner = kind in ("name", "cell") and not is_inner
        parts.append(f"{COLOURS}({FIELDS[kind]})" if is_owner else f"{COLOURS}(?:{FIELDS[kind]})")
        is_inner = kind == "name" and mark in (":", "::")
        gap = rf"(?:[ ]|{ESCAPE})*"
        if at < last:
            parts.append(f"{gap}{re.escape(mark)}{gap}" if mark else f"{COLOURS}[ ]{gap}")
        elif mark:
            blanks = min((field.blanks for field in with_text), default=0)
            reset = r"(?:\x1b\[0?m)?" if is_coloured else ""
            parts.append(f"{gap}{re.escape(mark)}{reset}[ ]{{0,{blanks}}}{reset}")
        else:
            blanks = min((field.lead for field in with_text), default=1)
            parts.append(f"{COLOURS}(?:[ ]{{1,{max(blanks, 1)}}}|$)")
    return re.compile("".join(parts))
