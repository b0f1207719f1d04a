"""The sum of a stream's chunks so far."""

from __future__ import annotations

from output_parsers.model_output import HasContent, ModelOutput, content_of, message_of, part_of
from outputs import (
    AIMessage,
    AIMessageChunk,
    BaseMessageChunk,
    ChatGenerationChunk,
    Generation,
    GenerationChunk,
)
from outputs.clients.late_fields import LateFields
from outputs.clients.streamed import finished, is_from_stream, served_indexes
from outputs.messages.utils import MESSAGE_CLASSES


class Accumulator:
    """Adds chunks; the sum is available as `text` or as a `generation` with the message.

    Messages are added only when `generation` needs them, and then all pending ones in one go. As
    long as all contents are plain text, `text` does not need the messages.
    """

    def __init__(self) -> None:
        self._texts: list[str] | None = []
        """The text in pieces; `None` once there are content blocks that have to be merged."""
        self._waiting: list[str | HasContent] = []
        self._has_messages = False
        self._message: BaseMessageChunk | None = None
        self.late = LateFields()
        """What the chunks say beside their pieces."""
        self.served: set[int] = set()
        """Indexes of the calls that the provider's server executes itself."""

    def __bool__(self) -> bool:
        """Return whether there was a chunk."""
        return bool(self._waiting) or self._message is not None

    def add(self, chunk: ModelOutput) -> str | HasContent:
        """Append *chunk*; return its text or message.

        Raises:
            TypeError: *chunk* is neither text nor a message nor a generation.
        """
        part = part_of(chunk)
        if not isinstance(part, str):
            part = self.late.with_late_fields(part)
        self._waiting.append(part)
        self._has_messages = self._has_messages or not isinstance(part, str)
        content = content_of(part)
        if not isinstance(content, str):
            self._texts = None
            if isinstance(content, list):
                self.served |= served_indexes(content)
        elif self._texts is not None:
            self._texts.append(content)
        return part

    def text(self) -> str:
        """Return the text of the sum."""
        if self._texts is None:
            return self.generation().text
        text = "".join(self._texts)
        self._texts = [text]
        return text

    def generation(self) -> Generation:
        """Return the sum: a `ChatGenerationChunk` if there are messages, else a `GenerationChunk`.

        Raises:
            TypeError, ValueError: The messages cannot be added; see `BaseMessageChunk`.
        """
        if not self._has_messages:
            return GenerationChunk(text=self.text())
        chunks = [_chunk_of(part) for part in self._waiting]
        self._waiting.clear()
        if self._message is None:
            self._message = chunks.pop(0)
        if chunks:
            self._message = self._message + chunks
        if isinstance(self._message, AIMessageChunk) and is_from_stream(self._message.content):
            return ChatGenerationChunk(message=finished(self._message))
        return ChatGenerationChunk(message=self._message)


def _chunk_of(part: str | HasContent) -> BaseMessageChunk:
    """Return a text or message as a message chunk with the same content."""
    message = AIMessage(content=part) if isinstance(part, str) else message_of(part)
    if isinstance(message, BaseMessageChunk):
        return message
    kind = MESSAGE_CLASSES.get(message.type, AIMessage).__name__
    fields = {name: value for name, value in message if name != "type"}
    if fields.get("invalid_tool_calls"):
        from outputs.messages.wire_calls import pieces_of  # imported lazily: rarely needed

        fields["tool_call_chunks"] = pieces_of(message)
    chunk = MESSAGE_CLASSES[f"{kind}Chunk"](**fields)
    assert isinstance(chunk, BaseMessageChunk)
    return chunk
