"""Reading the chunks of a turn with a stream parser, with an early end if it is over sooner."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol

from output_parsers import OutputParserException
from output_parsers.streams.readers import aclose, close

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from agent_parsers.events import Event
    from output_parsers import ModelOutput

__all__ = ["EventReader", "TurnReader"]


class EventReader(Protocol):
    """Reads one turn as it streams in: a `StreamParser` or a `MessageStreamParser`."""

    last_events: list[Event]

    @property
    def is_over(self) -> bool:
        """Whether nothing that follows can be part of the turn."""

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return the events it completes."""

    def close(self) -> list[Event]:
        """End the turn and return the last events."""


class TurnReader:
    """A stream parser that returns its last events before it raises."""

    def __init__(self, parser: EventReader) -> None:
        self._parser = parser

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return the events it completes."""
        return self._parser.feed(chunk)

    def close(self) -> Iterator[Event]:
        """Yield the last events.

        Raises:
            OutputParserException: The turn cannot be read.
        """
        try:
            yield from self._parser.close()
        except OutputParserException:
            yield from self._parser.last_events
            raise

    def until_over(self, chunks: Iterable[ModelOutput]) -> Iterator[ModelOutput]:
        """Yield *chunks* until the turn is over, then close their source."""
        source = iter(chunks)
        try:
            for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:  # at once, not only after the last events
            close(source, chunks)

    async def auntil_over(self, chunks: AsyncIterable[ModelOutput]) -> AsyncIterator[ModelOutput]:
        """Do the same as `until_over` for asynchronous chunks."""
        source = aiter(chunks)
        try:
            async for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:
            await aclose(source, chunks)
