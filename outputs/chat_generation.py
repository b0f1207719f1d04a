"""A message that a chat model generated, whole or in pieces."""

from typing import Any, Literal, Self

from pydantic import model_validator

from outputs.generation import Generation, chunk_list, sum_info
from outputs.messages.base import text_of
from outputs.messages.utils import AnyMessage, AnyMessageChunk

__all__ = ["ChatGeneration", "ChatGenerationChunk", "merge_chat_generation_chunks"]


class ChatGeneration(Generation):
    """A message that a chat model generated."""

    text: str = ""
    """The text of the message, always set from `message`. Unlike ``message.text``, it includes
    blocks that have a ``text`` but no ``type``."""
    message: AnyMessage
    """The message."""
    # Each subclass, here and below, narrows the type to its own name; type checkers forbid that.
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
            TypeError: *other* is neither a chunk nor a list of chunks, or the messages or their
                ``generation_info`` cannot be added.
        """
        others = chunk_list(self, other, ChatGenerationChunk)
        return ChatGenerationChunk(
            message=self.message + [chunk.message for chunk in others],
            generation_info=sum_info([self, *others]),
        )


def merge_chat_generation_chunks(chunks: list[ChatGenerationChunk]) -> ChatGenerationChunk | None:
    """Return the sum of *chunks*: a single chunk unchanged, `None` if there are no chunks."""
    if len(chunks) < 2:
        return chunks[0] if chunks else None
    return chunks[0] + chunks[1:]
