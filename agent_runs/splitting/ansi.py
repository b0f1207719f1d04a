r"""Escape codes of terminals: telling them from text, also where pasting dropped ``\x1b``."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from agent_runs.reading.reader import HEAD_CHARS, Lines

_CODES: Final = re.compile(
    r"\x1b(?:\[[0-?]*+[ -/]*+(?:[@-~]|\Z)"  # CSI: colours, cursor
    r"|\][^\x07\x1b\n]*+(?:\x07|\x1b\\)?"  # OSC: links, titles
    r"|[@-Z\\^_])?"
)
ESCAPE: Final = r"(?:\x1b|\u241b|\^\[|\\x1b|\\u001b|\\033|\\e)?"
"""The escape character in a pattern: as it is, shown as text, or lost in pasting."""
_PASTED_CODE: Final = re.compile(
    # Only codes that frameworks write, so that "[5m" (of a depth) stays text.
    rf"{ESCAPE}\[((?:0|00|[1-4]|2[2-4]|39|49|[349][0-7]|[0-9]{{1,3}}(?:;[0-9]{{1,3}})+)?)m"
)
ENDS_OF_STYLE: Final = frozenset(("", "0", "00", "22", "23", "24", "27", "39", "49"))
r"""The codes with which ``\x1b[CODEm`` ends a style without beginning another."""


def without_codes(text: str) -> str:
    """Return *text* without escape codes."""
    return _CODES.sub("", text) if "\x1b" in text else text


def with_codes(lines: Lines, sign: re.Pattern[str]) -> Lines:
    r"""Return *lines* with the ``\x1b`` of their codes put back, if pasting dropped it.

    A log has such codes if *sign* finds one.
    """
    head = lines.head(HEAD_CHARS)
    if "\x1b[" in head or not sign.search(head):
        return lines

    def repaired() -> Iterator[str]:
        for line in lines:
            yield _PASTED_CODE.sub("\x1b[\\1m", line)

    return Lines(repaired(), lines.number)
