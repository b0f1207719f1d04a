"""What is open at a place in a text: brackets, or tags."""

from __future__ import annotations

from collections import Counter
from typing import TypeVar

What = TypeVar("What")


class Nesting(list[What]):
    """A stack of what is open, the *outermost* first; ``in`` takes constant time."""

    def __init__(self, *outermost: What) -> None:
        super().__init__(outermost)
        self._count: dict[object, int] = Counter(outermost)

    def __contains__(self, what: object) -> bool:
        return self._count.get(what, 0) > 0

    def open(self, what: What) -> None:
        """Open *what* inside the innermost one."""
        self.append(what)
        self._count[what] += 1

    def close(self) -> What:
        """Close and return the innermost one."""
        closed = self.pop()
        self._count[closed] -= 1
        return closed

    def close_to(self, what: What) -> None:
        """Close *what* and everything that is open inside it."""
        while self.close() != what:
            pass
