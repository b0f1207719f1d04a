"""Text that a model generated, whole or in pieces."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from outputs.messages.brief_repr import without_defaults
from outputs.messages.merging import merge_dicts

__all__ = ["Generation", "GenerationChunk"]

ChunkT = TypeVar("ChunkT")


class Generation(BaseModel):
    """Text that a model generated."""

    model_config = ConfigDict(defer_build=True)

    text: str
    """The text."""
    generation_info: dict[str, Any] | None = None
    """What the provider says about it: the stop reason, log probabilities."""
    type: Literal["Generation"] = "Generation"
    """Which class it is, so that it can be read back."""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return without_defaults(self, super().__repr_args__())


class GenerationChunk(Generation):
    """A piece of a `Generation`."""

    def __add__(self, other: Any) -> "GenerationChunk":
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Raises:
            TypeError: *other* is neither, or their ``generation_info`` does not add up.
        """
        chunks = [self, *chunk_list(self, other, GenerationChunk)]
        return GenerationChunk(
            text="".join(chunk.text for chunk in chunks), generation_info=sum_info(chunks)
        )


def chunk_list(left: Generation, other: Any, chunk_class: type[ChunkT]) -> list[ChunkT]:
    """Return *other* as a list of chunks of one class, or complain as an operator does."""
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if not all(isinstance(chunk, chunk_class) for chunk in others):
        raise TypeError(f"unsupported operand type(s) for +: '{type(left)}' and '{type(other)}'")
    return others


def sum_info(chunks: Sequence[Generation]) -> dict[str, Any] | None:
    """Return what the providers of *chunks* say, added up; `None` if they say nothing."""
    return merge_dicts({}, *(chunk.generation_info or {} for chunk in chunks)) or None
