"""Chunks of a turn in, events out, and an early end where the turn has one."""

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Protocol

from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator

    from agent_parsers.engine import Event
    from output_parsers import ModelOutput

__all__ = ["EventReader", "TurnReader"]


class EventReader(Protocol):
    """What reads one turn as it comes in: a `StreamParser` or a `MessageStreamParser`."""

    last_events: list[Event]

    @property
    def is_over(self) -> bool:
        """Whether nothing that follows can be part of the turn."""

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return the events it completes."""

    def close(self) -> list[Event]:
        """Say that the turn has ended, and return the last events."""


class TurnReader:
    """A stream parser that tells its last events before it fails."""

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

    # A client's stream gives a new generator to each who iterates over it, and closing that does
    # not close the stream. So both are closed: what is iterated over, and what it came from.

    def until_over(self, chunks: Iterable[ModelOutput]) -> Iterator[ModelOutput]:
        """Yield *chunks* until the turn is over, and close what they come from."""
        source = iter(chunks)
        try:
            for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:
            for each in (source, chunks):
                if (close := getattr(each, "close", None)) is not None:
                    close()

    async def auntil_over(self, chunks: AsyncIterable[ModelOutput]) -> AsyncIterator[ModelOutput]:
        """Do the same for chunks that have to be waited for."""
        source = aiter(chunks)
        try:
            async for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:
            for each in (source, chunks):
                close = getattr(each, "aclose", None) or getattr(each, "close", None)
                if close is not None and isawaitable(closing := close()):
                    await closing
