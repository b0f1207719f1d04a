"""A unit of work: invoked for one input, for many at once, or while its input arrives.

A thread costs more than parsing a text, so a synchronous batch is a plain loop unless
`max_concurrency` is set.

Subclasses must implement only `invoke`; the other methods are based on it.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any, Generic, TypeAlias, TypeVar, cast

from outputs import BaseMessageChunk


def add_chunks(chunks: Sequence[Any]) -> Any:
    """Return the sum of *chunks* by ``+``, or `None` if there are no chunks.

    A chunk that cannot be added replaces the sum before it, as in LangChain: of growing partial
    results, this leaves the last, most complete one. Unlike there, a text among the chunks of a
    message is added to it.
    """
    if not chunks:
        return None
    # Text and messages are added in one go; adding them pairwise would take quadratic time.
    if all(isinstance(chunk, str) for chunk in chunks):
        return "".join(chunks)
    said = next((chunk for chunk in chunks if _is_message_chunk(chunk)), None)
    if said is not None and said.type == "AIMessageChunk":
        chunks = [type(said)(content=c) if isinstance(c, str) else c for c in chunks]
    first, *rest = chunks
    if rest and _is_message_chunk(first):
        with suppress(TypeError):  # some of them cannot be added
            return first + rest
    total = first
    for chunk in rest:
        try:
            total = total + chunk
        except TypeError:
            total = chunk
    return total


def _is_message_chunk(chunk: object) -> bool:
    """Return whether *chunk* is ours or LangChain's, whose ``+`` also takes a list of chunks."""
    is_theirs = type(chunk).__name__.endswith("MessageChunk") and hasattr(chunk, "content")
    return is_theirs or isinstance(chunk, BaseMessageChunk)


# -- many inputs -----------------------------------------------------------------------------------

Result = TypeVar("Result")

RunnableConfig: TypeAlias = Mapping[str, Any]
"""The options of a run. Only ``max_concurrency`` is read; the rest is passed on."""

BatchConfig: TypeAlias = RunnableConfig | Sequence[RunnableConfig] | None
"""One config for all inputs, or one for each input."""


def configs_for(config: BatchConfig, count: int) -> list[RunnableConfig | None]:
    """Return one config per input.

    Raises:
        ValueError: The length of a list of configs is not *count*.
    """
    if config is None or isinstance(config, Mapping):
        return [config] * count
    if len(config) != count:
        raise ValueError(
            "config must be a list of the same length as inputs, "
            f"but got {len(config)} configs for {count} inputs"
        )
    return list(config)


def max_concurrency(configs: Sequence[RunnableConfig | None]) -> int | None:
    """Return how many inputs may run at once, from the first config; `None` if there is no limit.

    Raises:
        ValueError: The limit is below 1.
    """
    limit: int | None = (configs[0] or {}).get("max_concurrency") if configs else None
    if limit is not None and limit < 1:
        raise ValueError(f"max_concurrency must be at least 1, but got {limit}")
    return limit


def run_batch(
    call: Callable[[Any, RunnableConfig | None], Result],
    inputs: Sequence[Any],
    configs: Sequence[RunnableConfig | None],
    *,
    threads: int,
    return_exceptions: bool,
) -> list[Result]:
    """Return ``call(input, config)`` for each input, in order.

    With more than one thread, each call sees a copy of the caller's context variables. With
    *return_exceptions*, exceptions are returned in place of results.
    """

    def one(value: Any, config: RunnableConfig | None) -> Result:
        try:
            return call(value, config)
        except Exception as error:
            if not return_exceptions:
                raise
            return cast("Result", error)

    threads = min(threads, len(inputs))
    if threads <= 1:
        return list(map(one, inputs, configs))

    from concurrent.futures import ThreadPoolExecutor
    from contextvars import copy_context

    contexts = [copy_context() for _ in inputs]
    with ThreadPoolExecutor(threads) as pool:
        return list(
            pool.map(
                lambda context, value, config: context.run(one, value, config),
                contexts,
                inputs,
                configs,
            )
        )


async def run_abatch(
    call: Callable[[Any, RunnableConfig | None], Awaitable[Result]],
    inputs: Sequence[Any],
    configs: Sequence[RunnableConfig | None],
    *,
    limit: int | None,
    return_exceptions: bool,
) -> list[Result]:
    """Return ``await call(input, config)`` for each input, in order.

    All inputs run at once, or at most *limit* of them. When one fails and *return_exceptions* is
    not set, the others are cancelled, and have ended when its exception is raised.
    """
    import asyncio
    from contextlib import nullcontext

    gate = nullcontext() if limit is None else asyncio.Semaphore(limit)

    async def one(value: Any, config: RunnableConfig | None) -> Result:
        async with gate:
            try:
                return await call(value, config)
            except Exception as error:
                if not return_exceptions:
                    raise
                return cast("Result", error)

    tasks = [
        asyncio.ensure_future(one(value, config))
        for value, config in zip(inputs, configs, strict=True)
    ]
    try:
        return await asyncio.gather(*tasks)
    finally:
        if not all(task.done() for task in tasks):
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)


# -- the unit of work ------------------------------------------------------------------------------

# ruff: noqa: A002 - `input` is the name of the argument in LangChain


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
