"""The sum of chunks of any kind."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outputs import BaseMessageChunk

if TYPE_CHECKING:
    from collections.abc import Sequence


def add_chunks(chunks: Sequence[Any]) -> Any:
    """Return the sum of *chunks* by ``+``, or `None` if there are no chunks.

    A chunk that cannot be added replaces the sum before it, as in LangChain: of growing partial
    results, this leaves the last, most complete one.
    """
    if not chunks:
        return None
    # Text and messages are added in one go; adding them pairwise would take quadratic time.
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    first, *rest = chunks
    if rest and (isinstance(first, BaseMessageChunk) or _is_foreign_chunk(first)):
        with suppress(TypeError):  # some of them cannot be added
            return first + rest
    total = first
    for chunk in rest:
        try:
            total = total + chunk
        except TypeError:
            total = chunk
    return total


def _is_foreign_chunk(chunk: object) -> bool:
    """Return whether *chunk* is from LangChain, whose ``+`` also takes a list of chunks."""
    return hasattr(chunk, "content") and type(chunk).__name__.endswith("MessageChunk")
