"""Running one callable on many inputs, in order and with a concurrency limit.

A thread costs more than parsing a text, so a synchronous batch is a plain loop unless
`max_concurrency` is set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias, TypeVar, cast

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

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
