"""A unit of work: invoked for one input, for many, or while its input arrives.

Only `invoke` must be written; the other methods follow from it.
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
    """Turns an input into an output.

    *config* may set ``max_concurrency`` for batches. A sequence hands it to all its steps, some of
    which may be another library's; nothing else in it is read here.
    """

    name: str | None
    """What to call it; its class's name if None or missing."""

    @abstractmethod
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Turn *input* into an output."""

    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Turn *input* into an output; by default `invoke` in a thread, since it may block."""
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
        """Turn each of *inputs* into an output, in order.

        A plain loop, unless *config* has a ``max_concurrency`` above 1: then that many threads.

        Args:
            inputs: The inputs.
            config: One config for all inputs, or a list with one for each.
            return_exceptions: Put an exception in the place of its output instead of raising it.
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
        """Turn each of *inputs* into an output: all at once, or ``max_concurrency`` at a time.

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
        """Yield the output in pieces as they come; by default in one."""
        yield self.invoke(input, config, **kwargs)

    async def astream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output in pieces as they come; by default in one."""
        yield await self.ainvoke(input, config, **kwargs)

    def transform(
        self, input: Iterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield output while input arrives; by default `stream` the sum of all input chunks.

        Without any input there is no output.
        """
        chunks = list(input)
        if chunks:
            yield from self.stream(add_chunks(chunks), config, **kwargs)

    async def atransform(
        self, input: AsyncIterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield output while input arrives; by default `astream` the sum of all input chunks."""
        chunks = [chunk async for chunk in input]
        if chunks:
            async for output in self.astream(add_chunks(chunks), config, **kwargs):
                yield output
