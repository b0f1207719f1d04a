"""Parsers of streams.

What a stream parser does with a chunk is written once, as a reader without I/O: `feed` takes a
chunk and returns what it gives, `close` returns what the end of the stream gives. `read` and
`aread` are the two loops around any reader.
"""

# ruff: noqa: A002 - `input` is the name of the argument in LangChain

from __future__ import annotations

from inspect import isawaitable
from typing import TYPE_CHECKING, Any, Generic, Protocol, TypeVar

from typing_extensions import override

from output_parsers.base import BaseOutputParser, T, is_default
from output_parsers.tool_calls.accumulator import Accumulator

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterator, Generator, Iterable, Iterator

    from output_parsers.model_output import ModelOutput
    from output_parsers.runnables.batching import RunnableConfig

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


class BaseTransformOutputParser(BaseOutputParser[T]):
    """A parser that parses each chunk of a stream on its own.

    A subclass whose results depend on more than one chunk overrides `_reader`.
    """

    def _reader(self) -> ChunkReader[T]:
        """Return a reader for one stream."""
        return _EachChunk(self)

    def _transform(self, input: Iterator[ModelOutput]) -> Iterator[T]:
        return read(self._reader(), input)

    def _atransform(self, input: AsyncIterator[ModelOutput]) -> AsyncIterator[T]:
        return aread(self._reader(), input)

    @override
    def transform(
        self, input: Iterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[T]:
        """Yield results while *input*, an iterator of text or message chunks, arrives.

        Raises:
            OutputParserException: The model did not write what was expected.
            TypeError: A chunk is neither text nor a message nor a generation.
        """
        return self._transform(input)

    @override
    def atransform(
        self, input: AsyncIterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[T]:
        """Do the same as `transform`."""
        return self._atransform(input)


class BaseCumulativeTransformOutputParser(BaseTransformOutputParser[T]):
    """A parser that, after each chunk of a stream, parses all that has arrived.

    It gives a result only if it differs from the one before. `parse_result` is called with
    ``partial=True`` and the sum of the chunks, and returns None if nothing can be said yet.
    """

    diff: bool = False
    """Give what changed from one result to the next, in place of the results."""

    def _diff(self, prev: T | None, next: T) -> T:
        """Return what changed from *prev*, None at first, to *next*.

        Raises:
            NotImplementedError: The parser has no notion of a difference.
        """
        raise NotImplementedError(f"{type(self).__name__} cannot tell changes: leave diff unset")

    @override
    def _reader(self) -> ChunkReader[T]:
        return _AllSoFar(self)


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


class _EachChunk(Generic[T]):
    """Parses each chunk on its own."""

    def __init__(self, parser: BaseTransformOutputParser[T]) -> None:
        self._parser = parser

    def feed(self, chunk: ModelOutput, /) -> Iterable[T]:
        return (BaseOutputParser.invoke(self._parser, chunk),)

    def close(self) -> Iterable[T]:
        return ()


class _AllSoFar(Generic[T]):
    """Parses the sum of the chunks after each of them."""

    def __init__(self, parser: BaseCumulativeTransformOutputParser[T]) -> None:
        self._parser = parser
        self._sum = Accumulator()
        self._results = NewResults(parser)

    def feed(self, chunk: ModelOutput, /) -> Iterable[T]:
        parser = self._parser
        self._sum.add(chunk)
        # As in `BaseOutputParser.invoke`: messages add up only for those who look at them.
        if is_default(parser.parse_result):
            return self._results.give(parser.parse(self._sum.text()))
        return self._results.give(parser.parse_result([self._sum.generation()], partial=True))

    def close(self) -> Iterable[T]:
        return ()
