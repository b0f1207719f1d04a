"""Messages of the library, which speak Python, in the words of the command line."""

from __future__ import annotations

import re
from typing import Final

NAME: Final = "agent-parsers"
"""The name of the command."""
_OPTIONS: Final = {"format": "reader"}
"""The options that are not called what the arguments are."""
_LISTS: Final = {"dialects": "dialects", "readers": "forms", "writers": "forms"}
"""The commands that list what ``list_…()`` returns."""
_WORDS: Final = (
    (re.compile(r"; for another model [^,]*, or \"tools\" if its API returns tool calls"), ""),
    (re.compile(r"[:;] use get_parser\([^)]*\)(?: if its server returns them as tool calls)?"), ""),
    (re.compile(r"read it with get_parser\(\)"), f"`{NAME} reply FILE` reads it"),
    (re.compile(r"get_parser\((['\"])([^'\"]*)\1\)"), r"--dialect \2"),
    (re.compile(r"as (\w+)=(?!\w)"), lambda found: f"as --{_OPTIONS.get(found[1], found[1])}"),
    (
        re.compile(r"\b(format|dialect)='([^']*)'"),
        lambda found: f"--{_OPTIONS.get(found[1], found[1])} {found[2]}",
    ),
    (
        re.compile(r"list_(\w+)\(\) (?:has|returns)"),
        lambda found: f"`{NAME} {_LISTS[found[1]]}` lists",
    ),
    (
        re.compile(r"there is no column (.*) in the data \(columns: (.*)\)"),
        r"there is no column \1: choose one of \2 with --column",
    ),
    # of pydantic, through typer
    (re.compile(r"\AValue error, "), ""),
    (re.compile(r"\AInput should be ([^,]*).*"), r"it should be \1"),
)
"""What is replaced in a message, and by what."""


def on_command_line(message: str) -> str:
    """Return *message* with arguments and functions replaced by options and commands."""
    for words, others in _WORDS:
        message = words.sub(others, message)
    return message
