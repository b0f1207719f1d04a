"""Text that grows in small chunks, kept in blocks of many of them."""

from __future__ import annotations

from bisect import bisect_right
from itertools import chain
from typing import Final

_CHUNKS: Final = 256
"""How many chunks are joined to a block: a string takes 50 bytes besides its characters."""


class KeptText:
    """The text so far; getting a part of it takes time proportional to the part's length."""

    __slots__ = ("_blocks", "_edges", "_recent")

    def __init__(self) -> None:
        self._blocks: list[str] = []
        self._edges: list[int] = [0]  # their offsets, and where the last one ends
        self._recent: list[str] = []  # the chunks after them

    def __str__(self) -> str:
        """Return the text, as far as it was not forgotten."""
        return "".join((*self._blocks, *self._recent))

    def __bool__(self) -> bool:
        """Return whether there is a text."""
        return bool(self._recent or self._blocks)

    def __len__(self) -> int:
        """Return how many characters were added since the last `clear`."""
        return self._edges[-1] + sum(map(len, self._recent))

    @property
    def last_char(self) -> str:
        """The last character; empty if there is none."""
        kept = chain(reversed(self._recent), reversed(self._blocks))
        return next((text[-1] for text in kept if text), "")

    def add(self, chunk: str) -> None:
        """Add a *chunk* at the end."""
        recent = self._recent
        recent.append(chunk)
        if len(recent) == _CHUNKS:
            self._join()

    def _join(self) -> None:
        block = "".join(self._recent)
        self._recent.clear()
        self._blocks.append(block)
        self._edges.append(self._edges[-1] + len(block))

    def slice(self, start: int, stop: int) -> str:
        """Return the text from offset *start* to *stop*, which may be past the end."""
        if self._recent:
            self._join()
        first = max(bisect_right(self._edges, start) - 1, 0)
        last = bisect_right(self._edges, stop)
        base = self._edges[first]
        return "".join(self._blocks[first:last])[start - base : max(stop - base, 0)]

    def tail(self, start: int) -> str:
        """Return the text from offset *start* to the end."""
        if start < self._edges[-1]:
            return self.slice(start, len(self))
        return "".join(self._recent)[start - self._edges[-1] :]

    def forget(self, start: int) -> None:
        """Forget the text before offset *start*, or most of it."""
        gone = min(bisect_right(self._edges, start) - 1, len(self._blocks) - 1)
        if gone > 0:
            del self._blocks[:gone], self._edges[:gone]

    def clear(self) -> None:
        """Forget all text and start a new one."""
        if self._blocks:
            self._blocks.clear()
            self._edges = [0]
        self._recent.clear()
