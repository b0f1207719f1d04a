"""Output of the command: consoles that never interpret the text of a model as markup."""

from __future__ import annotations

from typing import NoReturn

import typer
from rich.console import Console
from rich.text import Text


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
        """Raise `BrokenPipeError`, so that the command handles the closed pipe."""
        raise BrokenPipeError


def echo_json(text: str, *, end: str = "\n") -> None:
    """Write JSON to standard output at once, in UTF-8 regardless of the locale."""
    typer.echo((text + end).encode(), nl=False)


class JsonOutput:
    """Writes values as JSON to standard output: one on each line, or with *as_list* as a list."""

    def __init__(self, *, as_list: bool) -> None:
        self._as_list = as_list
        self._is_first = True

    def write(self, text: str) -> None:
        """Write one value, given as a line of JSON, at once."""
        if not self._as_list:
            echo_json(text)
        else:
            echo_json(("[\n" if self._is_first else ",\n") + text, end="")
        self._is_first = False

    def close(self) -> None:
        """End the output after the last value."""
        if self._as_list:
            echo_json("[]" if self._is_first else "\n]")
