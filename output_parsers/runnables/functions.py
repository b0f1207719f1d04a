"""Functions as steps: plain, coroutine, generator and asynchronous generator functions."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from output_parsers.runnables.chunks import add_chunks
from output_parsers.runnables.step import Input, Output, Step

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Awaitable, Callable, Iterator

    from output_parsers.runnables.batching import RunnableConfig


def is_coroutine_function(func: object) -> bool:
    """Tell whether calling *func*, a function or an object, gives a coroutine."""
    return inspect.iscoroutinefunction(func) or inspect.iscoroutinefunction(type(func).__call__)


def is_generator_function(func: object) -> bool:
    """Tell whether *func* is a generator function, asynchronous or not."""
    return inspect.isgeneratorfunction(func) or inspect.isasyncgenfunction(func)


async def aiter_of(value: Input) -> AsyncIterator[Input]:
    """Yield *value* alone."""
    yield value


class Function(Step[Input, Output]):
    """A function as a step. In a stream it is called once, with the sum of all chunks.

    Args:
        func: A function of one argument, or a coroutine function.
        afunc: What asynchronous callers use instead. Without it a function that is not a coroutine
            function runs in a thread then, since it may block.
        name: See `Step.name`; the function's name if None.

    Raises:
        TypeError: *func* is not callable, or is a coroutine function beside *afunc*.
    """

    def __init__(
        self,
        func: Callable[..., Any],
        afunc: Callable[..., Awaitable[Any]] | None = None,
        name: str | None = None,
    ) -> None:
        if not callable(func):
            raise TypeError(f"expected a callable, got {type(func).__name__}")
        is_async = is_coroutine_function(func)
        if is_async and afunc is not None:
            raise TypeError("func is a coroutine function already; afunc cannot be given as well")
        self.name = name or getattr(func, "__name__", None)
        self.func = None if is_async else func
        self.afunc = func if is_async else afunc

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or '...'})"

    @override
    def invoke(
        self,
        input: Input,
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Output:
        """Return what the function gives.

        Raises:
            TypeError: There is a coroutine function only.
        """
        if self.func is None:
            raise TypeError(
                "Cannot invoke a coroutine function synchronously. Use `ainvoke` instead."
            )
        output: Output = self.func(input, **kwargs)
        return output

    @override
    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Return what the coroutine function gives, or else the function, in a thread."""
        if self.afunc is not None:
            output: Any = self.afunc(input, **kwargs)
        else:
            output = await super().ainvoke(input, config, **kwargs)
        # A plain function may give a coroutine as well: ``lambda action: run_tool(action)``.
        result: Output = await output if inspect.isawaitable(output) else output
        return result


class _NoText:
    """The chunks that a generator function gets.

    One that expects a text would put ``<list_iterator object at 0x…>`` in its prompt.
    """

    __slots__ = ("_chunks",)

    def __init__(self, chunks: Any) -> None:
        self._chunks = chunks

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self._chunks, name)

    def __str__(self) -> str:
        raise TypeError(
            "a generator function in a chain gets an iterator of chunks, which is no text: take"
            " them one by one, or join them"
        )


class _Chunks(_NoText):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        chunks: Iterator[Any] = iter(self._chunks)  # That itself is faster than to pass each on.
        return chunks

    def __next__(self) -> Any:
        return next(self._chunks)


class _AsyncChunks(_NoText):
    __slots__ = ()

    def __aiter__(self) -> AsyncIterator[Any]:
        chunks: AsyncIterator[Any] = aiter(self._chunks)
        return chunks

    async def __anext__(self) -> Any:
        return await anext(self._chunks)


class Generator(Step[Input, Output]):
    """A generator function as a step: it gets an iterator of chunks and yields chunks.

    The iterator is no text: `str` and f-strings refuse it.

    Args:
        transform: A generator function, or an asynchronous one.
        atransform: What asynchronous callers use, if *transform* is not asynchronous.
        name: See `Step.name`; the function's name if None.
    """

    def __init__(
        self,
        transform: Callable[..., Any],
        atransform: Callable[..., AsyncIterator[Any]] | None = None,
        name: str | None = None,
    ) -> None:
        is_async = inspect.isasyncgenfunction(transform)
        self.name = name or getattr(transform, "__name__", None)
        self._transform = None if is_async else transform
        self._atransform = transform if is_async else atransform

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or '...'})"

    @override
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Return the sum of what is yielded for the one chunk *input*; None for nothing."""
        output: Output = add_chunks(list(self.stream(input, config, **kwargs)))
        return output

    @override
    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Return the sum of what is yielded for the one chunk *input*; None for nothing."""
        chunks = [chunk async for chunk in self.astream(input, config, **kwargs)]
        output: Output = add_chunks(chunks)
        return output

    @override
    def stream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield what the function yields for the one chunk *input*."""
        return self.transform(iter([input]), config, **kwargs)

    @override
    def astream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield what the function yields for the one chunk *input*."""
        return self.atransform(aiter_of(input), config, **kwargs)

    @override
    def transform(
        self,
        input: Iterator[Input],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Output]:
        """Yield what the function yields.

        Raises:
            NotImplementedError: There is an asynchronous generator function only.
        """
        if self._transform is None:
            raise NotImplementedError(f"{self!r} only supports async methods.")
        stream: Iterator[Output] = self._transform(_Chunks(input), **kwargs)
        return stream

    @override
    def atransform(
        self,
        input: AsyncIterator[Input],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Output]:
        """Yield what the function yields.

        Raises:
            NotImplementedError: There is no asynchronous generator function.
        """
        if self._atransform is None:
            raise NotImplementedError(f"{self!r} only supports sync methods.")
        return self._atransform(_AsyncChunks(input), **kwargs)
