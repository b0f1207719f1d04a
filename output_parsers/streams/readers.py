"""Readers of streams, without I/O, and the two loops around any of them.

`feed` takes a chunk and returns what can be said after it, and `close` what the end of the stream
adds. `read` and `aread` are the loops.
"""

# ruff: noqa: A002 - `next` is the name of the argument in LangChain

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator

    from output_parsers.model_output import ModelOutput

__all__ = ["Changing", "ChunkReader", "NewResults", "aclose", "aread", "close", "read"]

Out = TypeVar("Out", covariant=True)


class ChunkReader(Protocol[Out]):
    """Takes the chunks of one stream and gives what can be said after each."""

    def feed(self, chunk: ModelOutput, /) -> Iterable[Out]:
        """Take *chunk* and return what it gives, often nothing."""

    def close(self) -> Iterable[Out]:
        """Return what is left to say when the stream has ended."""


def read(
    reader: ChunkReader[Out], chunks: Iterator[ModelOutput], origin: object = None
) -> Generator[Out, None, None]:
    """Yield what *reader* gives for *chunks*, as they arrive.

    *chunks* and their *origin* are closed however this ends: a caller who stops early lets go of
    the connection. A client's stream gives a new generator to each who iterates over it, and
    closing that does not close the stream, so both are closed.
    """
    try:
        for chunk in chunks:
            yield from reader.feed(chunk)
        yield from reader.close()
    finally:
        close(chunks, origin)


async def aread(
    reader: ChunkReader[Out], chunks: AsyncIterator[ModelOutput], origin: object = None
) -> AsyncGenerator[Out, None]:
    """Do the same as `read` for *chunks* that have to be waited for."""
    try:
        async for chunk in chunks:
            for output in reader.feed(chunk):
                yield output
        for output in reader.close():
            yield output
    finally:
        await aclose(chunks, origin)


def close(*sources: object) -> None:
    """Close those of *sources* that can be closed, each once."""
    for source in _each_once(sources):
        if (closer := getattr(source, "close", None)) is not None:
            closer()


def _each_once(sources: tuple[object, ...]) -> list[object]:
    return [*{id(source): source for source in sources}.values()]


async def aclose(*sources: object) -> None:
    """Close those of *sources* that can be closed, each once; wait for it where that is needed."""
    for source in _each_once(sources):
        closer = getattr(source, "aclose", None) or getattr(source, "close", None)
        if closer is not None and isawaitable(closing := closer()):
            await closing


class Changing(Protocol):
    """What `NewResults` asks of its parser."""

    diff: bool

    def _diff(self, prev: Any, next: Any) -> Any:
        """Return what changed."""


class NewResults:
    """Gives a result only if it is another than the one before, or what changed if `diff` is set.

    Args:
        parser: Says so, and tells what changed.
    """

    def __init__(self, parser: Changing) -> None:
        self._parser = parser
        self.last: Any = None
        """The result before."""

    def give(self, result: Any) -> Iterable[Any]:
        """Return what to give for *result*; it is nothing for None."""
        if result is None or result == self.last:
            return ()
        last, self.last = self.last, result
        return (self._parser._diff(last, result) if self._parser.diff else result,)
