"""The sum of chunks of any kind."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from outputs import BaseMessageChunk

if TYPE_CHECKING:
    from collections.abc import Sequence


def add_chunks(chunks: Sequence[Any]) -> Any:
    """Return the sum of *chunks* by ``+``, or None if there are none.

    Chunks that do not add up replace what came before them, as in LangChain: of a stream of
    growing partial results, that leaves the last and most complete.
    """
    if not chunks:
        return None
    # Text and messages are added in one go: pairwise, the cost would be quadratic.
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    first, *rest = chunks
    if rest and (isinstance(first, BaseMessageChunk) or _is_foreign_chunk(first)):
        with suppress(TypeError):  # they do not all fit together
            return first + rest
    total = first
    for chunk in rest:
        try:
            total = total + chunk
        except TypeError:
            total = chunk
    return total


def _is_foreign_chunk(chunk: object) -> bool:
    """Tell whether *chunk* is one of LangChain's, which take a list of others to add as ours do."""
    return hasattr(chunk, "content") and type(chunk).__name__.endswith("MessageChunk")
