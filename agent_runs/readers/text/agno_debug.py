r"""What Agno logs of the messages of a run with ``debug_mode``, beside the panels.

::

    DEBUG   ======================== assistant =========================
    DEBUG   I look it up.
    DEBUG   Tool Calls:
      - ID: 'c1'
        Name: 'search'
        Arguments: 'query: fog'
    DEBUG   Running: search(query=fog)
    DEBUG   =========================== tool ===========================
    DEBUG   Tool call Id: c1
    DEBUG   November

A terminal shows one space behind the level, and wraps and indents what is below; a file does not,
so that a text may look like further records. So this is only taken if it agrees with the panels.

Source: `agno/models/message.py`, `agno/utils/log.py` (3.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Final

from agent_runs.splitting.wrapping import cells, joined

if TYPE_CHECKING:
    from agent_runs.readers.text.boxes import Loose

_RECORD: Final = re.compile(r"(DEBUG|INFO|WARNING|ERROR|CRITICAL) +")
_HEADER: Final = re.compile(r"=+ (system|developer|user|assistant|tool) =+")
_CALL: Final = re.compile(r"(?:  - ID: '(?P<id>[^\n]*)'\n)?    Name: '(?P<name>[^\n]*)'")
_CALLS: Final = re.compile(r"Tool Calls:\n(?=  - ID: | {4}Name: )")
_ID: Final = re.compile(r"Tool call Id: (\S+)")
_BEHIND: Final = re.compile(
    r"\W*(?:(?:TOOL )?METRICS\W*|(?:Async )?[\w. ]+ Response (?:Stream )?End\W*|Running: .*"
    r"|(?:Tokens|Duration|Tokens per second|Time to first token|Cost|Provider metrics): .*"
    r"|Added RunOutput to Agent Session|Creating new .* client for model .*)",
    re.DOTALL,
)
"""Matches the records that may follow those of a message."""


@dataclass
class Logged:
    """A message in the debug log."""

    role: str
    text: str = ""
    tools: list[str] = field(default_factory=list)
    """The tools that it calls."""
    ids: list[str] = field(default_factory=list)
    """The ids of these calls; of a result, that of its call."""
    is_clear: bool = True
    """Whether the log shows where its text ends."""


def begins_record(line: str) -> bool:
    """Return whether a *line* begins a record of the log."""
    return _RECORD.match(line) is not None


def turns_in(lines: Sequence[Loose]) -> list[Logged]:
    """Return the messages logged in *lines*, or ``[]`` unless every call ran and returned."""
    turns: list[Logged] = []
    is_open = False  # whether the next record may be of the last message
    running = 0
    for level, record in _records(lines):
        turn = turns[-1] if turns else Logged("")
        if header := _HEADER.fullmatch(record.strip()):
            turns.append(Logged(header[1]))
            is_open = True
        elif level == "DEBUG" and _BEHIND.fullmatch(record):
            is_open = False
            running += record.startswith("Running: ")
        elif not is_open or (record.startswith("<reasoning>\n") and not turn.text):
            pass  # no message, or a thought, which a panel shows too
        elif turn.role == "tool" and not turn.ids and (call := _ID.fullmatch(record)):
            turn.ids = [call[1]]
        elif turn.role == "assistant" and not turn.tools and _CALLS.match(record):
            calls = [*_CALL.finditer(record)]
            turn.tools = [call["name"] for call in calls]
            turn.ids = [call["id"] or "" for call in calls]
        elif turn.text or level != "DEBUG":
            turn.is_clear = False
        else:
            turn.text = record
    called = sum(len(turn.tools) for turn in turns)
    returned = sum(turn.role == "tool" for turn in turns)
    return turns if running == called == returned else []


def _records(lines: Sequence[Loose]) -> Iterator[tuple[str, str]]:
    """Yield the level and the text of each record."""
    level, indent, width = "", 0, 0
    text: list[str] = []
    for line in lines:
        if begun := _RECORD.match(line.text):
            if level:
                yield level, _text(text, width)
            level, text = begun[1], []
            in_file = line.text.startswith(level.ljust(8))
            indent = len(level.ljust(7)) + 1 if in_file else len(level) + 1
            width = 0 if in_file else cells(line.text) - indent
            text.append(line.text[indent:])
        elif level:
            text.append(line.text[indent:] if width else line.text)
    if level:
        yield level, _text(text, width)


def _text(lines: Sequence[str], width: int) -> str:
    bare = [line.rstrip() for line in lines] if width else lines
    return joined(bare, width) if width else "\n".join(bare).rstrip("\n")
