"""Runs written as they come, in each of the formats."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, assert_never

import typer

from agent_parsers.cli._json_form import as_json
from agent_parsers.cli._table import print_run

if TYPE_CHECKING:
    from agent_parsers.cli._runs import Run
    from agent_parsers.cli._screen import Screen

__all__ = ["Format", "Writer", "echo_json", "writer_for"]


class Format(StrEnum):
    """How runs are written."""

    TABLE = "table"
    JSON = "json"
    JSONL = "jsonl"

    @classmethod
    def for_screen(cls, screen: Screen) -> Format:
        """Return the format that suits who reads *screen*: a person or a program."""
        return cls.TABLE if screen.is_seen else cls.JSON


class Writer(Protocol):
    """Writes runs to standard output, each as soon as it is there."""

    def write(self, run: Run) -> None:
        """Write one run."""
        ...

    def close(self) -> None:
        """Say that there are no more."""
        ...


def writer_for(form: Format, screen: Screen) -> Writer:
    """Return what writes runs in *form*."""
    match form:
        case Format.TABLE:
            return _Tables(screen)
        case Format.JSON:
            return _JsonList()
        case Format.JSONL:
            return _JsonLines()
        case _:
            assert_never(form)


def echo_json(text: str, *, end: str = "\n") -> None:
    """Write JSON to standard output: in UTF-8 whatever the locale says, and at once."""
    typer.echo((text + end).encode(), nl=False)


class _Tables:
    def __init__(self, screen: Screen) -> None:
        self._screen = screen

    def write(self, run: Run) -> None:
        print_run(self._screen, run)

    def close(self) -> None:
        pass


class _JsonLines:
    def write(self, run: Run) -> None:
        echo_json(as_json(run))

    def close(self) -> None:
        pass


class _JsonList:
    """One list, with a run on each line."""

    def __init__(self) -> None:
        self._before = "[\n"

    def write(self, run: Run) -> None:
        echo_json(self._before + as_json(run), end="")
        self._before = ",\n"

    def close(self) -> None:
        echo_json("[]" if self._before == "[\n" else "\n]")
