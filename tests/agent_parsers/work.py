"""Counts the work that parsing takes, so that growth can be told without a clock."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

import agent_parsers
import output_parsers
import outputs
from agent_parsers.engine._markers import Patterns

_SOURCES = tuple(
    str(Path(next(iter(package.__path__)))) for package in (agent_parsers, output_parsers, outputs)
)
_COPYING = {
    *("lstrip", "rstrip", "strip", "lower", "upper", "casefold", "replace", "translate", "encode"),
    *("split", "rsplit", "splitlines", "partition", "rpartition", "count"),
}
"""Methods of `str` that look at, or copy, the whole of it."""


class Work:
    """Adds up calls, characters of new strings and characters searched for markers."""

    def __init__(self) -> None:
        self.total = 0
        self._strings: dict[int, str] = {}  # kept, so that no other string gets the same id

    def count(self, do: Callable[[], object]) -> int:
        """Return the work that *do* takes."""
        self.total = 0
        self._strings.clear()
        sys.setprofile(self._see)
        try:
            do()
        finally:
            sys.setprofile(None)
        return self.total

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        if not code.co_filename.startswith(_SOURCES):
            return
        self.total += 1
        if event == "call":
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            local = frame.f_locals
            for name in names:
                self._made(local.get(name))
        elif event == "return":
            self._made(arg)
        elif event == "c_call" and isinstance(getattr(arg, "__self__", None), str):
            self.total += len(arg.__self__) if arg.__name__ in _COPYING else 0

    def _made(self, value: object) -> None:
        if isinstance(value, str) and id(value) not in self._strings:
            self._strings[id(value)] = value
            self.total += len(value)

    def searched(self, characters: int) -> None:
        self.total += characters


class _CountedPattern:
    """A pattern that tells how far it looked."""

    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self.pattern = pattern.pattern
        self._pattern = pattern
        self._work = work

    def search(self, text: str, start: int) -> re.Match[str] | None:
        found = self._pattern.search(text, start)
        self._work.searched((found.end() if found else len(text)) - start)
        return found


@contextmanager
def counted_patterns(work: Work) -> Iterator[None]:
    """Make the patterns of machines that are built from now on tell *work* how far they look."""

    def counted(name: str) -> property:
        compiled = vars(Patterns)[name].func  # of the cached property
        return property(lambda patterns: _CountedPattern(compiled(patterns), work))

    with pytest.MonkeyPatch.context() as patch:
        for name in ("whole", "growing"):
            patch.setattr(Patterns, name, counted(name))
        yield
