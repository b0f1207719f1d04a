r"""A log under line prefixes: of a logger, of containers, of a CI, of the system.

::

    2026-01-05 09:00:00,260 INFO httpx HTTP Request: POST https://api.example.com
    2026-01-05 09:00:00,397 INFO agent Question: Which month has the most fog?
    2026-01-05 09:00:00,534 INFO agent Thought: I look it up.

The prefix is found by the shape that repeats: times, levels, names, numbers and the marks between
them; see `agent_runs.detecting.prefixes`. A line without it goes on with the one before.
What stands under the prefix is read as a log of its own, one for each name: each service, each
logger. The lines of a name that has no runs belong to no value: they are notices.

Frames are what GitHub Actions, GitLab and docker compose print themselves.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Final

from agent_parsers import OutputParserException
from agent_parsers.transcripts import Notice, Transcript
from agent_runs.detecting.prefixes import Prefix, find_prefix
from agent_runs.detecting.records import LogRecord, runs_of_records
from agent_runs.reading.reader import HEAD_CHARS, Lines, Reading, TextReader

_COMMAND: Final = re.compile(r"##\[(?:group|command)\]Run ").match
"""Begins the frame of a step of GitHub Actions, which shows its command and settings."""
_COMMAND_END: Final = "##[endgroup]"
FRAMES: Final = {
    "workflow": re.compile(
        r"##\[[a-z]+\].*|Cleaning up orphan processes|Post job cleanup\.|Complete job name: .*"
        r"|(?:\x1b\[0K)?section_(?:start|end):\d+:.*"
    ),
    "compose": re.compile(r"\S{1,100} exited with code \d+|Attaching to .*"),
}
"""What the programs that put the prefixes before the lines print themselves."""


def _evidence(head: str) -> Sequence[str]:
    prefix = find_prefix(head)
    if prefix is None:
        return ()
    return (f"lines begin like {prefix.example!r}",)


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    prefix = find_prefix(lines.head(HEAD_CHARS))
    if prefix is None:
        raise OutputParserException(
            "found no prefix that the lines have in common",
            observation="Choose another reader.",
            llm_output=lines.head(200)[:1000],
        )
    notices: list[Notice] = []
    yield from runs_of_records(_records(lines, prefix, notices), reading, notices)


def _records(lines: Lines, prefix: Prefix, notices: list[Notice]) -> Iterator[LogRecord]:
    """Yield the records in *lines* with a *prefix*; what has none before is a notice."""
    record: LogRecord | None = None
    frames: set[str] = set()  # the owners whose command is being shown
    while line := lines.peek():
        number = lines.number
        next(lines)
        split = prefix.split(line)
        if split is not None:
            if record is not None:
                yield record
            owner, text, level = split
            is_frame = _is_frame(text, owner, frames)
            record = None if is_frame else LogRecord(number, owner, [text], level)
        elif FRAMES["compose"].fullmatch(line.rstrip()):
            continue
        elif record is not None:
            record.lines.append(line)
        elif line.strip():
            what = "found text before the first line with a prefix"
            notices.append(Notice("unowned_text", what, text=line, line=number))
    if record is not None:
        yield record


def _is_frame(text: str, owner: str, commands: set[str]) -> bool:
    """Return whether *text* is a frame; *commands* has the owners whose command is shown."""
    line = text.rstrip()
    if owner in commands:
        if line.startswith(_COMMAND_END):
            commands.discard(owner)
        return True
    if _COMMAND(line):
        commands.add(owner)
        return True
    return any(frame.fullmatch(line) for frame in FRAMES.values())


READER: Final = TextReader(
    name="prefixed",
    summary="logs with line prefixes of logging, loguru, docker compose, GitHub Actions, journald",
    evidence=_evidence,
    read=_read,
)
