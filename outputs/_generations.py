"""What one model call generated: text, or a chat message, whole or in pieces."""

from collections.abc import Iterable, Sequence
from typing import Any, Literal, Self, TypeVar

from pydantic import BaseModel, ConfigDict, model_validator

from outputs._any_message import AnyMessage, AnyMessageChunk
from outputs._brief_repr import without_defaults
from outputs._content import text_of
from outputs._merging import merge_dicts

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
        chunks = [self, *_chunks(self, other, GenerationChunk)]
        return GenerationChunk(
            text="".join(chunk.text for chunk in chunks), generation_info=_sum_info(chunks)
        )


class ChatGeneration(Generation):
    """A message that a chat model generated."""

    text: str = ""
    """The text of the message; set from it, whatever is given. Blocks that have a ``text`` but
    no ``type`` count too, which they do not in ``message.text``."""
    message: AnyMessage
    """The message."""
    # Each class has a type of its own, though it is a kind of the one above: here and below.
    type: Literal["ChatGeneration"] = "ChatGeneration"  # type: ignore[assignment]

    @model_validator(mode="after")
    def _set_text(self) -> Self:
        self.text = text_of(self.message.content, untyped=True)
        return self


class ChatGenerationChunk(ChatGeneration):
    """A piece of a `ChatGeneration`."""

    message: AnyMessageChunk
    """The piece of the message."""
    type: Literal["ChatGenerationChunk"] = "ChatGenerationChunk"  # type: ignore[assignment]

    def __add__(self, other: Any) -> "ChatGenerationChunk":
        """Add a chunk, or a list of chunks in one go, in time linear in their size.

        Raises:
            TypeError: *other* is neither, or messages or ``generation_info`` do not add up.
        """
        others = _chunks(self, other, ChatGenerationChunk)
        return ChatGenerationChunk(
            message=self.message + [chunk.message for chunk in others],
            generation_info=_sum_info([self, *others]),
        )


def merge_chat_generation_chunks(chunks: list[ChatGenerationChunk]) -> ChatGenerationChunk | None:
    """Add up *chunks* in one go; a single one is returned itself, and `None` if there is none."""
    if len(chunks) < 2:
        return chunks[0] if chunks else None
    return chunks[0] + chunks[1:]


def _chunks(left: Generation, other: Any, chunk_class: type[ChunkT]) -> list[ChunkT]:
    """Return *other* as a list of chunks of one class, or complain as an operator does."""
    others = list(other) if isinstance(other, (list, tuple)) else [other]
    if not all(isinstance(chunk, chunk_class) for chunk in others):
        raise TypeError(f"unsupported operand type(s) for +: '{type(left)}' and '{type(other)}'")
    return others


def _sum_info(chunks: Sequence[Generation]) -> dict[str, Any] | None:
    return merge_dicts({}, *(chunk.generation_info or {} for chunk in chunks)) or None
