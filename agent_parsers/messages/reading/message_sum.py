"""Adding up message chunks, of any provider, to a message."""

from __future__ import annotations

from agent_parsers.messages.reading.pieces import ai_message
from output_parsers.streams.accumulator import Accumulator
from outputs import AIMessage, AIMessageChunk, message_chunk_to_message, tool_call_chunk
from outputs.messages.ended import Ended, ended_of, sooner


class MessageSum:
    """Adds up the chunks of one message.

    Args:
        message: The whole message, if it did not come in chunks.
    """

    def __init__(self, message: AIMessage | None) -> None:
        self._message = message
        self._sum = Accumulator()
        self._first: AIMessage | None = None  # the first chunk
        self._count = 0  # how many chunks have arrived
        self._texts: dict[int, None] = {}  # calls with a text input, which ends with the message
        self.served: set[int] = set()
        """Indexes of the calls that the provider's server makes itself."""
        self.ended: Ended = "unknown"
        """How the message ended, according to its chunks."""

    def add(self, message: AIMessage) -> AIMessage:
        """Add the next chunk; return it as one of our messages."""
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
        """Return a chunk that closes the text inputs, which only the end of the message ends.

        Args:
            but: Index of a call to leave open, since it may be cut.

        Returns:
            The chunk, or `None` if no call has a text input.
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
        """Remember what only one chunk says but later chunks depend on."""
        for call in message.additional_kwargs.get("custom_tool_calls") or ():
            index = call.get("index") if isinstance(call, dict) else None
            if isinstance(index, int):
                self._texts[index] = None
        if not isinstance(message.content, str):
            from outputs.clients.streamed import served_indexes

            self.served |= served_indexes(message.content)
