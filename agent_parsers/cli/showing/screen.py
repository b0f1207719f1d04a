"""Output of the command: consoles that never interpret the text of a model as markup."""

from __future__ import annotations

from typing import Final, NoReturn

import typer
from rich.cells import cell_len
from rich.console import Console
from rich.text import Text

from agent_parsers.cli.showing.runs import STDIN, Trouble
from output_parsers.printable import printable

_LEAST_WIDTH: Final = 40
"""Least width of excerpts in cells, even if the terminal is narrower."""
_CONTEXT_CHARS: Final = 30
"""How much of a long line remains visible before the mark, in characters."""


class Screen(Console):
    """Standard output or standard error, with colours if it supports them."""

    def __init__(self, *, stderr: bool = False) -> None:
        super().__init__(stderr=stderr, markup=False, highlight=False, emoji=False)

    @property
    def is_seen(self) -> bool:
        """Whether the output goes to a terminal.

        Unlike `is_terminal` it ignores environment variables: ``FORCE_COLOR`` asks for colours, not
        for another format.
        """
        return self.file.isatty()

    @property
    def has_color(self) -> bool:
        """Whether to use colours."""
        return self.color_system is not None and not self.no_color

    def print_piece(self, text: str) -> None:
        """Print *text*, which may have ANSI colours, at once; it may end within a line."""
        first, *rest = text.split("\n")
        self.print(Text.from_ansi(first), end="", soft_wrap=True)
        for line in rest:
            self.print()
            self.print(Text.from_ansi(line), end="", soft_wrap=True)
        self.file.flush()

    def on_broken_pipe(self) -> NoReturn:
        """Raise, so that the command handles the closed pipe."""
        raise BrokenPipeError


def name_of(file: str) -> str:
    """Return the name of a file as shown to people."""
    return "<stdin>" if file == STDIN else printable(file)


def trouble_lines(trouble: Trouble, width: int) -> Text:
    """Return what could not be read, where and why, as text for a person.

    ::

        run.txt:12:1: expected an Action or a Final Answer (run 1, step 3)
           12 | Thought: I will just say it
              | ^^^^^^^^^^^^^^^^^^^^^^^^^^^
    """
    place = "".join(f":{number}" for number in trouble.place or () if number)
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


def excerpt(line: str, start: int, end: int, width: int) -> tuple[str, str]:
    """Cut *line* to fit around ``line[start:end]``, and draw the mark below it.

    Args:
        line: A line of the text, without its line break.
        start: Where the mark begins.
        end: Where the mark ends; it is at least one character wide, and ends with the line.
        width: Width of the terminal in cells.

    Returns:
        The visible part of the line, and the mark, which is aligned with wide characters too.
    """
    cut = 0
    if start >= width or cell_len(printable(line[: start + 1])) > width:
        cut = max(start - min(_CONTEXT_CHARS, width // 3), 0)
    shown = printable(line[cut : cut + width + 1])
    if cut:
        shown = "…" + shown[1:]
    if cell_len(shown) > width:
        while cell_len(shown) > width - 1:
            shown = shown[:-1]
        shown += "…"
    start, end = start - cut, end - cut
    mark = "^" * max(cell_len(shown[start:end]), 1)
    return shown.rstrip(), " " * cell_len(shown[:start]) + mark


def echo_json(text: str, *, end: str = "\n") -> None:
    """Write JSON to standard output at once, in UTF-8 regardless of the locale."""
    typer.echo((text + end).encode(), nl=False)
