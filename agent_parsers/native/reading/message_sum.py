"""The message that chunks add up to, whoever streamed them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.native.reading.pieces import ai_message
from output_parsers.streams.accumulator import Accumulator
from outputs import AIMessage, AIMessageChunk, message_chunk_to_message, tool_call_chunk
from outputs.messages.ended import ended_of, sooner

if TYPE_CHECKING:
    from outputs.messages.ended import Ended

__all__ = ["MessageSum"]


class MessageSum:
    """Takes the chunks of one message, and gives the whole.

    Args:
        message: The message itself, where it is there as a whole.
    """

    def __init__(self, message: AIMessage | None) -> None:
        self._message = message
        self._sum = Accumulator()
        self._first: AIMessage | None = None  # the first chunk
        self._count = 0  # how many chunks have come
        self._texts: dict[int, None] = {}  # calls that take a text, which ends with the message
        self.served: set[int] = set()
        """Indexes of calls that the provider's server makes."""
        self.ended: Ended = "unknown"
        """How the message ended, as far as its chunks say."""

    def add(self, message: AIMessage) -> AIMessage:
        """Take the next chunk; return it with all its pieces of calls in their places."""
        if message.additional_kwargs or not isinstance(message.content, str):
            self._note(message)
        if message.response_metadata:
            self.ended = sooner(self.ended, ended_of(message.response_metadata))
        if self._message is not None:
            return message
        message = ai_message(self._sum.add(message))
        self._first = self._first or message
        self._count += 1
        return message

    def ending(self, *, but: int | None = None) -> AIMessageChunk | None:
        """Return the chunk that ends what only the end of the message does, if anything.

        Args:
            but: Index of a call that the message has not ended.
        """
        indexes = [index for index in self._texts if index != but]
        if not indexes:
            return None
        from outputs.clients.openai import TEXT_END

        pieces = [tool_call_chunk(args=TEXT_END, index=index) for index in indexes]
        return AIMessageChunk("", tool_call_chunks=pieces)

    def whole(self) -> AIMessage:
        """Return the message."""
        message = self._whole()
        if isinstance(message.content, str):
            return message
        from outputs.clients.streamed import finished

        return finished(message)

    def _whole(self) -> AIMessage:
        if self._message is not None:
            return self._message
        first = self._first
        if first is None:
            return AIMessage(content="")
        if self._count == 1 and not isinstance(first, AIMessageChunk):
            return first
        message = getattr(self._sum.generation(), "message", None)
        return ai_message(message_chunk_to_message(ai_message(message)))

    def _note(self, message: AIMessage) -> None:
        """Remember what is told in one chunk only, but matters for later ones."""
        for call in message.additional_kwargs.get("custom_tool_calls") or ():
            index = call.get("index") if isinstance(call, dict) else None
            if isinstance(index, int):
                self._texts[index] = None
        if not isinstance(message.content, str):
            from outputs.clients.streamed import served_indexes

            self.served |= served_indexes(message.content)
