"""Text that a model generated, whole or in pieces."""

from collections.abc import Iterable, Sequence
from typing import Any, ClassVar, Literal, TypeVar

from pydantic import BaseModel, ConfigDict

from outputs.messages.brief_repr import without_defaults
from outputs.messages.merging import merge_dicts

__all__ = ["Generation", "GenerationChunk"]

ChunkT = TypeVar("ChunkT")


class Generation(BaseModel):
    """Text that a model generated."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    text: str
    """The text."""
    generation_info: dict[str, Any] | None = None
    """What the provider reports about the text, such as its stop reason or log probabilities."""
    type: Literal["Generation"] = "Generation"
    """The name of the class, by which serialized data is read back."""

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return without_defaults(self, super().__repr_args__())


class GenerationChunk(Generation):
    """A piece of a `Generation`."""

    def __add__(self, other: Any) -> "GenerationChunk":
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Raises:
            TypeError: *other* is neither a chunk nor a list of chunks, or their
                ``generation_info`` cannot be added.
        """
        chunks = [self, *chunk_list(self, other, GenerationChunk)]
        return GenerationChunk(
            text="".join(chunk.text for chunk in chunks), generation_info=sum_info(chunks)
        )


def chunk_list(left: Generation, other: Any, chunk_class: type[ChunkT]) -> list[ChunkT]:
    """Return *other* as a list of chunks.

    Raises:
        TypeError: *other* is neither a chunk of *chunk_class* nor a list of such chunks.
    """
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if not all(isinstance(chunk, chunk_class) for chunk in others):
        raise TypeError(f"unsupported operand type(s) for +: '{type(left)}' and '{type(other)}'")
    return others


def sum_info(chunks: Sequence[Generation]) -> dict[str, Any] | None:
    """Return the merged ``generation_info`` of *chunks*; `None` if it is empty."""
    return merge_dicts({}, *(chunk.generation_info or {} for chunk in chunks)) or None
