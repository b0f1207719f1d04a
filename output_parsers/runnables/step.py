"""A unit of work: invoked for one input, for many, or while its input arrives.

Subclasses must implement only `invoke`; the other methods are based on it.
"""

# ruff: noqa: A002 - `input` is the name of the argument in LangChain

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from output_parsers.runnables.batching import configs_for, max_concurrency, run_abatch, run_batch
from output_parsers.runnables.chunks import add_chunks

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from output_parsers.runnables.batching import BatchConfig, RunnableConfig

Input = TypeVar("Input", contravariant=True)
Output = TypeVar("Output", covariant=True)


class Step(ABC, Generic[Input, Output]):
    """Converts an input to an output.

    *config* may set ``max_concurrency`` for batches; its other entries are not read here. A
    sequence passes it to all steps, which may be from another library.
    """

    name: str | None
    """The step's name; if missing or `None`, the name of its class."""

    @abstractmethod
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Convert *input* to an output."""

    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Convert *input* to an output; by default, calls `invoke` in a thread, as it may block."""
        import asyncio

        return await asyncio.to_thread(self.invoke, input, config, **kwargs)

    def batch(
        self,
        inputs: Sequence[Input],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Output]:
        """Convert each of *inputs* to an output, in order.

        This is a plain loop unless *config* has a ``max_concurrency`` above 1, which is the number
        of threads.

        Args:
            inputs: The inputs.
            config: One config for all inputs, or a list with one for each.
            return_exceptions: Return exceptions in place of outputs instead of raising them.
            kwargs: Passed to each `invoke`.
        """
        configs = configs_for(config, len(inputs))
        return run_batch(
            lambda value, config: self.invoke(value, config, **kwargs),
            inputs,
            configs,
            threads=max_concurrency(configs) or 1,
            return_exceptions=return_exceptions,
        )

    async def abatch(
        self,
        inputs: Sequence[Input],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Output]:
        """Convert each of *inputs* to an output: all at once, or ``max_concurrency`` at a time.

        The arguments are those of `batch`.
        """
        configs = configs_for(config, len(inputs))
        return await run_abatch(
            lambda value, config: self.ainvoke(value, config, **kwargs),
            inputs,
            configs,
            limit=max_concurrency(configs),
            return_exceptions=return_exceptions,
        )

    def stream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield the output in pieces as they become available; by default, in one piece."""
        yield self.invoke(input, config, **kwargs)

    async def astream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output in pieces as they become available; by default, in one piece."""
        yield await self.ainvoke(input, config, **kwargs)

    def transform(
        self, input: Iterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield output while input arrives; by default, calls `stream` with the sum of all chunks.

        Without any input there is no output.
        """
        chunks = list(input)
        if chunks:
            yield from self.stream(add_chunks(chunks), config, **kwargs)

    async def atransform(
        self, input: AsyncIterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield output while input arrives; by default, calls `astream` with the sum of chunks."""
        chunks = [chunk async for chunk in input]
        if chunks:
            async for output in self.astream(add_chunks(chunks), config, **kwargs):
                yield output
