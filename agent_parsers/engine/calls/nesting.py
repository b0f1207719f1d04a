"""What is open at a place in a text: brackets, or tags."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Generic, TypeVar

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["Nesting"]

What = TypeVar("What")


class Nesting(Generic[What]):
    """What is open, outermost first; finding out whether something is open takes no search.

    Args:
        outermost: What is open from the beginning.
    """

    def __init__(self, *outermost: What) -> None:
        self._open = [*outermost]
        self._count = Counter(outermost)

    def __len__(self) -> int:
        return len(self._open)

    def __iter__(self) -> Iterator[What]:
        """Iterate over what is open, innermost first."""
        return reversed(self._open)

    def __contains__(self, what: What) -> bool:
        return self._count[what] > 0

    @property
    def innermost(self) -> What:
        """What was opened last."""
        return self._open[-1]

    def open(self, what: What) -> None:
        """Open *what* inside all that is open."""
        self._open.append(what)
        self._count[what] += 1

    def close(self) -> What:
        """Close and return what is innermost."""
        closed = self._open.pop()
        self._count[closed] -= 1
        return closed

    def close_to(self, what: What) -> None:
        """Close *what*, and all that is open inside it."""
        while self.close() != what:
            pass
