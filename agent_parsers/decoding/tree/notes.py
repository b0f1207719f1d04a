"""What a grammar leaves out of the schemas of its tools."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

__all__ = ["GrammarNote", "GrammarText", "GrammarTree", "Notes"]


class GrammarNote(NamedTuple):
    """Something in the schema of a tool that a grammar leaves out.

    ::

        search: 'uniqueItems' of tags is left out: a grammar does not know which items a list has
    """

    tool: str
    """Name of the tool; ``""`` for the type of answers."""
    path: str
    """Where in the input it is, such as ``filter.tags[]``; ``""`` for the input itself."""
    keyword: str
    """The keyword of the schema; ``""`` if the whole tool is left out, which has no value then."""
    reason: str
    """Why it is left out."""

    def __str__(self) -> str:
        """Return the note as a sentence."""
        tool, path = self.tool or "the answer", self.path or "the whole value"
        if not self.keyword:
            return f"{tool} is left out: {self.reason}"
        return f"{tool}: {self.keyword!r} of {path} is left out: {self.reason}"


class GrammarText(str):  # noqa: SLOT000 - it has its notes
    """A grammar as text."""

    notes: tuple[GrammarNote, ...] = ()
    """What it leaves out of the schemas of the tools; the parser still checks it."""


class GrammarTree(dict[str, Any]):
    """A grammar as JSON."""

    notes: tuple[GrammarNote, ...] = ()
    """What it leaves out of the schemas of the tools; the parser still checks it."""


class Notes:
    """Collects notes, each at the place where the schema is read just now."""

    def __init__(self) -> None:
        self.found: dict[GrammarNote, None] = {}
        self._tool = ""
        self._path: list[str] = []

    @contextmanager
    def of_tool(self, tool: str | None) -> Iterator[None]:
        """Collect notes on *tool*."""
        before, self._tool = self._tool, tool or ""
        yield
        self._tool = before

    @contextmanager
    def below(self, part: str) -> Iterator[None]:
        """Collect notes on a *part* of the value: ``.key``, or ``[]`` for the items of a list."""
        self._path.append(part)
        try:
            yield
        finally:
            self._path.pop()

    def add(self, keyword: str, reason: str) -> None:
        """Add a note."""
        path = "".join(self._path).removeprefix(".")
        self.found[GrammarNote(self._tool, path, keyword, reason)] = None

    def forget(self, known: Iterable[GrammarNote]) -> None:
        """Forget all notes but those that were *known* before."""
        self.found = dict.fromkeys(known)
