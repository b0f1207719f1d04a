"""The two ends of the command: consoles on which no text of a model is taken for markup."""

from __future__ import annotations

from typing import NoReturn

from rich.console import Console
from rich.text import Text

from agent_parsers.cli._printable import excerpt, printable
from agent_parsers.cli._runs import STDIN, Trouble

__all__ = ["Screen", "name_of", "trouble_lines"]

_LEAST_WIDTH = 40
"""Excerpts are at least so wide, in cells, even if the terminal is not."""


class Screen(Console):
    """Standard output, or standard error, as plain text or with colours, as is right for it."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    @property
    def is_seen(self) -> bool:
        """Whether a person looks at it.

        Unlike `is_terminal` it heeds no environment variable: ``FORCE_COLOR`` asks for colours, not
        for another format.
        """
        return self.file.isatty()

    def on_broken_pipe(self) -> NoReturn:
        """Leave it to the command what happens when nobody reads on."""
        raise BrokenPipeError


def name_of(file: str) -> str:
    """Return the name of a file for people."""
    return "<stdin>" if file == STDIN else printable(file)


def trouble_lines(trouble: Trouble, width: int) -> Text:
    """Say what could not be read, and where.

    ::

        run.txt:12:1: expected an Action or a Final Answer (run 1, step 3)
           12 | Thought: I will just say it
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    place = f":{trouble.place.line}:{trouble.place.column}" if trouble.place else ""
    within = f" ({printable(trouble.within)})" if trouble.within else ""
    text = Text.assemble(
        (f"{name_of(trouble.file)}{place}: ", "bold"), printable(trouble.reason), within
    )
    if trouble.excerpt is not None:
        shown = trouble.excerpt
        gutter = f"{shown.number or '':>5} | "
        room = max(width, _LEAST_WIDTH) - len(gutter)
        line, mark = excerpt(shown.line, shown.start, shown.end, room)
        text.append(f"\n{gutter}", "dim")
        text.append(line)
        text.append("\n      | ".rjust(len(gutter) + 1), "dim")
        text.append(mark, "bold red")
    return text
