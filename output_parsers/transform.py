"""The base classes of streaming parsers."""

# ruff: noqa: A002 - `input` is the name of the argument in LangChain

from __future__ import annotations

from collections.abc import AsyncIterator, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Generic

from typing_extensions import override

from output_parsers.base import BaseOutputParser, T, is_default
from output_parsers.model_output import adds_up, generation_of, part_of, text_of
from output_parsers.streams.accumulator import Accumulator
from output_parsers.streams.readers import ChunkReader, NewResults, aclose, aread, read
from output_parsers.tool_calls.refusal import RefusalInChunks, check_refusal

if TYPE_CHECKING:
    from output_parsers.model_output import ModelOutput
    from output_parsers.runnables.step import RunnableConfig

__all__ = ["BaseCumulativeTransformOutputParser", "BaseTransformOutputParser"]


class BaseTransformOutputParser(BaseOutputParser[T]):
    """A parser that parses each chunk of a stream separately.

    A subclass whose results depend on more than one chunk overrides `_reader`.
    """

    def _reader(self) -> ChunkReader[T]:
        """Return a reader for one stream."""
        return _EachChunk(self)

    def _transform(self, input: Iterator[ModelOutput]) -> Iterator[T]:
        return read(self._checking_reader(), input)

    def _atransform(self, input: AsyncIterator[ModelOutput]) -> AsyncIterator[T]:
        return aread(self._checking_reader(), input)

    def _checking_reader(self) -> ChunkReader[T]:
        """Return a reader for one stream, which raises at its end if the message refuses."""
        reader = self._reader()
        if self._reads_only_text():
            reader = _Once(reader)
        return _Checking(reader) if self._checks_refusal else reader

    def _reads_only_text(self) -> bool:
        """Return whether `_reader` reads nothing of a message but its text."""
        return is_default(self.parse_result)

    @override
    def transform(
        self, input: Iterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[T]:
        """Yield results while *input*, an iterator of text or message chunks, arrives.

        Raises:
            OutputParserException: The model did not write what was expected.
            TypeError: A chunk is neither text nor a message nor a generation.
        """
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            stream: Iterator[T] = theirs.run_stream(self._transform, input, config)
            return stream
        return self._transform(input)

    @override
    def atransform(
        self, input: AsyncIterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[T]:
        """Do the same as `transform`."""
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            stream: AsyncIterator[T] = theirs.arun_stream(self._atransform, input, config)
            return stream
        return self._atransform(input)


class BaseCumulativeTransformOutputParser(BaseTransformOutputParser[T]):
    """A parser that, after each chunk of a stream, parses all chunks so far.

    A stream yields a result only if it differs from the previous one. `parse_result` is called with
    ``partial=True`` and the sum of the chunks, and returns `None` if there is no result yet.
    """

    diff: bool = False
    """Yield the changes between results instead of the results."""

    def _diff(self, prev: T | None, next: T) -> T:
        """Return what changed from *prev*, `None` at first, to *next*.

        Raises:
            NotImplementedError: The parser does not support differences.
        """
        raise NotImplementedError(
            f"{type(self).__name__} cannot report changes: remove the argument diff"
        )

    @override
    def _reader(self) -> ChunkReader[T]:
        return _AllSoFar(self)

    @override
    def _atransform(self, input: AsyncIterator[ModelOutput]) -> AsyncIterator[T]:
        if is_default(self.aparse_result):
            return super()._atransform(input)
        return self._by_aparse_result(input)  # a subclass defines its own results

    async def _by_aparse_result(self, input: AsyncIterator[ModelOutput]) -> AsyncIterator[T]:
        """Yield what `aparse_result` returns for all chunks so far, if it is new."""
        so_far, results = Accumulator(), NewResults(self)
        try:
            async for chunk in input:
                so_far.add(chunk)
                result = await self.aparse_result([so_far.generation()], partial=True)
                for each in results.give(result):
                    yield each
            if self._checks_refusal and so_far:
                check_refusal(getattr(so_far.generation(), "message", None))
            if results.last is None and so_far:  # it raises what is wrong with the whole
                for each in results.give(await self.aparse_result([so_far.generation()])):
                    yield each
        finally:
            await aclose(input)


class _Checking(Generic[T]):
    """Reads a stream with another reader, and raises at its end if the message refuses."""

    def __init__(self, reader: ChunkReader[T]) -> None:
        self._reader = reader
        self._refusal = RefusalInChunks()

    def feed(self, chunk: ModelOutput, /) -> Iterable[T]:
        if isinstance(chunk, str):
            self._refusal.texts.append(chunk)
        else:
            chunk = adds_up(chunk)  # once, for both
            self._refusal.take(chunk)
        return self._reader.feed(chunk)

    def close(self) -> Iterable[T]:
        self._refusal.check()
        return self._reader.close()


class _Once(Generic[T]):
    """Reads a stream with another reader, which gets no text of a whole message twice.

    A whole message behind its own chunks says again what they have said, and may add to it. One
    that differs from them is read like any other chunk, and so are those of Ollama, each a message.
    """

    def __init__(self, reader: ChunkReader[T]) -> None:
        self._reader = reader
        self._before: list[ModelOutput] = []
        self._has_wholes = False  # whether each chunk is a message

    def feed(self, chunk: ModelOutput, /) -> Iterable[T]:
        if not isinstance(chunk, str) and getattr(chunk, "type", "") != "AIMessageChunk":
            chunk = adds_up(chunk)  # once, for both
            if getattr(part_of(chunk), "type", "") == "ai":
                rest = self._rest_of(chunk)
                if rest == "":
                    return ()
                chunk = chunk if rest is None else rest
        self._before.append(chunk)
        return self._reader.feed(chunk)

    def _rest_of(self, whole: ModelOutput) -> str | None:
        """Return what a *whole* message adds to the chunks before it; `None` if it is another."""
        self._has_wholes = self._has_wholes or not self._before
        if self._has_wholes:
            return None
        said, text = "".join(map(text_of, self._before)), text_of(whole)
        are_messages = not all(isinstance(chunk, str) for chunk in self._before)
        is_again = said and text.startswith(said) and (are_messages or text == said)
        return text[len(said) :] if is_again else None

    def close(self) -> Iterable[T]:
        return self._reader.close()


class _EachChunk(Generic[T]):
    """Parses each chunk separately."""

    def __init__(self, parser: BaseTransformOutputParser[T]) -> None:
        self._parser = parser

    def feed(self, chunk: ModelOutput, /) -> Iterable[T]:
        parser = self._parser
        if is_default(parser.parse_result):  # a chunk that refuses is checked with the others
            return (parser.parse(text_of(chunk)),)
        return (parser.parse_result([generation_of(chunk)]),)

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
        # As in `BaseOutputParser.invoke`: messages are added only for parsers that use them.
        if is_default(parser.parse_result):
            return self._results.give(parser.parse(self._sum.text()))
        return self._results.give(parser.parse_result([self._sum.generation()], partial=True))

    def close(self) -> Iterable[T]:
        parser = self._parser
        if self._results.last is not None or is_default(parser.parse_result) or not self._sum:
            return ()
        return self._results.give(parser.parse_result([self._sum.generation()]))  # or it raises
