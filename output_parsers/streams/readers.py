"""Readers of streams, without I/O, and the loops that drive them.

`feed` takes a chunk and returns the output for it; `close` returns the output for the end of the
stream. `read` and `aread` are the loops.
"""

# ruff: noqa: A002 - `next` is the name of the argument in LangChain

from __future__ import annotations

from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator
from inspect import isawaitable
from typing import TYPE_CHECKING, Any, ClassVar, Protocol, TypeVar

if TYPE_CHECKING:
    from output_parsers.model_output import ModelOutput

Out = TypeVar("Out", covariant=True)


class ChunkReader(Protocol[Out]):
    """Reads the chunks of one stream and returns the output for each."""

    def feed(self, chunk: ModelOutput, /) -> Iterable[Out]:
        """Read *chunk* and return its output, which is often empty."""

    def close(self) -> Iterable[Out]:
        """Return the remaining output at the end of the stream."""


def read(
    reader: ChunkReader[Out], chunks: Iterator[ModelOutput], origin: object = None
) -> Generator[Out, None, None]:
    """Yield the output of *reader* for *chunks*, as they arrive.

    *chunks* and their *origin* are closed at the end, so that a caller who stops early releases the
    connection. Iterating over a client's stream creates a generator, and closing the generator does
    not close the stream, so both are closed.
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
    """Do the same as `read` for an asynchronous iterator."""
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
    """Close those of *sources* that can be closed, each once; await the closing if necessary."""
    for source in _each_once(sources):
        closer = getattr(source, "aclose", None) or getattr(source, "close", None)
        if closer is not None and isawaitable(closing := closer()):
            await closing


class Budget:
    """Says when to process a growing value again, so that the work is linear in its text.

    Each character that arrives pays for processing a few values. The whole value may be processed
    again once all of its values are paid for.
    """

    __slots__ = ("_paid", "_values")

    _VALUES_PER_CHAR: ClassVar = 4

    def __init__(self) -> None:
        self._values = 0  # about how many the value has
        self._paid = 0  # how many may be processed

    def add(self, text: str) -> None:
        """Add *text* that arrived."""
        self._values += text.count(",")  # one stands before each value but the first of a container
        self._paid += self._VALUES_PER_CHAR * len(text)

    @property
    def suffices(self) -> bool:
        """Whether the whole value may be processed now."""
        return self._paid >= self._values

    def spend(self) -> None:
        """Note that the whole value has been processed."""
        self._paid = 0


class Changing(Protocol):
    """The interface of a parser for `NewResults`."""

    diff: bool

    def _diff(self, prev: Any, next: Any) -> Any:
        """Return what changed."""


class NewResults:
    """Returns a result only if it differs from the previous one, or the difference with `diff`.

    Args:
        parser: Has the option `diff` and computes the differences.
    """

    def __init__(self, parser: Changing) -> None:
        self._parser = parser
        self.last: Any = None
        """The previous result."""

    def give(self, result: Any) -> Iterable[Any]:
        """Return the output for *result*, which is empty if *result* is `None` or unchanged."""
        if result is None or result == self.last:
            return ()
        last, self.last = self.last, result
        return (self._parser._diff(last, result) if self._parser.diff else result,)
