"""Functions as steps: plain, coroutine, generator and asynchronous generator functions."""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from typing import Any

from typing_extensions import override

from output_parsers.printable import kind_of
from output_parsers.runnables.step import Input, Output, RunnableConfig, Step, add_chunks


def is_coroutine_function(func: object) -> bool:
    """Return whether calling *func*, a function or an object, returns a coroutine."""
    return inspect.iscoroutinefunction(func) or inspect.iscoroutinefunction(type(func).__call__)


def present(result: Any, problem: str) -> Any:
    """Return the *result* of a function; raise if it would have to be awaited.

    Raises:
        TypeError: It has to be awaited; *problem* is the message.
    """
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()  # it is never awaited
    raise TypeError(problem)


def check_value(result: Any) -> None:
    """Raise if *result* was not awaited, or is an iterator.

    Raises:
        TypeError: It is one of these.
    """
    present(result, "a result was not awaited: use `await`, as in `await tools.acall(…)`")
    if isinstance(result, Iterator | AsyncIterator):
        raise TypeError(f"a result must be a value, such as a list, not {kind_of(result)}")


def check_function(func: object, expected: str) -> None:
    """Raise if *func* is no function, or is asynchronous; *expected* begins the message.

    Raises:
        TypeError: It is one of these.
    """
    if not callable(func):
        raise TypeError(f"{expected}, not {kind_of(func)}")
    if is_coroutine_function(func):
        raise TypeError(f"{expected}, not an asynchronous one")


def is_generator_function(func: object) -> bool:
    """Return whether *func* is a generator function, asynchronous or not."""
    return inspect.isgeneratorfunction(func) or inspect.isasyncgenfunction(func)


async def aiter_of(value: Input) -> AsyncIterator[Input]:
    """Yield only *value*."""
    yield value


class Function(Step[Input, Output]):
    """A function as a step. In a stream it is called once, with the sum of all chunks.

    Args:
        func: A function of one argument, or a coroutine function.
        afunc: The function for asynchronous callers. Without it, a *func* that is not a coroutine
            function runs in a thread, since it may block.
        name: See `Step.name`; `None` for the function's name.

    Raises:
        TypeError: *func* is not callable, or is a coroutine function while *afunc* is given too.
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
            raise TypeError("pass either func or afunc: func is already a coroutine function")
        self.name: str | None = name or getattr(func, "__name__", None)
        self.func: Callable[..., Any] | None = None if is_async else func
        self.afunc: Callable[..., Awaitable[Any]] | None = func if is_async else afunc

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or '...'})"

    @override
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Return the result of the function.

        Raises:
            TypeError: There is only a coroutine function.
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
        """Return the result of the coroutine function or, in a thread, of the function."""
        if self.afunc is not None:
            output: Any = self.afunc(input, **kwargs)
        else:
            output = await super().ainvoke(input, config, **kwargs)
        # A plain function may also return a coroutine: ``lambda action: run_tool(action)``.
        result: Output = await output if inspect.isawaitable(output) else output
        return result


class _NotText:
    """The chunks passed to a generator function.

    They cannot be converted to `str`: a function that expects a text would otherwise put
    ``<list_iterator object at 0x…>`` in its prompt.
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
            "a generator function in a chain gets an iterator of chunks, not a string: loop over"
            " the chunks, or join them"
        )


class _Chunks(_NotText):
    __slots__ = ()

    def __iter__(self) -> Iterator[Any]:
        chunks: Iterator[Any] = iter(self._chunks)  # faster than passing each one on
        return chunks

    def __next__(self) -> Any:
        return next(self._chunks)


class _AsyncChunks(_NotText):
    __slots__ = ()

    def __aiter__(self) -> AsyncIterator[Any]:
        chunks: AsyncIterator[Any] = aiter(self._chunks)
        return chunks

    async def __anext__(self) -> Any:
        return await anext(self._chunks)


class Generator(Step[Input, Output]):
    """A generator function as a step: it takes an iterator of chunks and yields chunks.

    The iterator is not text: `str` and f-strings raise a `TypeError` for it.

    Args:
        transform: A generator function, or an asynchronous one.
        atransform: The function for asynchronous callers, if *transform* is not asynchronous.
        name: See `Step.name`; `None` for the function's name.
    """

    def __init__(
        self,
        transform: Callable[..., Any],
        atransform: Callable[..., AsyncIterator[Any]] | None = None,
        name: str | None = None,
    ) -> None:
        is_async = inspect.isasyncgenfunction(transform)
        self.name: str | None = name or getattr(transform, "__name__", None)
        self._transform = None if is_async else transform
        self._atransform = transform if is_async else atransform

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name or '...'})"

    @override
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Return the sum of the output for the single chunk *input*; `None` if there is none."""
        output: Output = add_chunks(list(self.stream(input, config, **kwargs)))
        return output

    @override
    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Return the sum of the output for the single chunk *input*; `None` if there is none."""
        chunks = [chunk async for chunk in self.astream(input, config, **kwargs)]
        output: Output = add_chunks(chunks)
        return output

    @override
    def stream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield the output of the function for the single chunk *input*."""
        return self.transform(iter([input]), config, **kwargs)

    @override
    def astream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output of the function for the single chunk *input*."""
        return self.atransform(aiter_of(input), config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield the output of the function.

        Raises:
            NotImplementedError: There is only an asynchronous generator function.
        """
        if self._transform is None:
            raise NotImplementedError(f"{self!r} only supports async methods.")
        stream: Iterator[Output] = self._transform(_Chunks(input), **kwargs)
        return stream

    @override
    def atransform(
        self, input: AsyncIterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output of the function.

        Raises:
            NotImplementedError: There is no asynchronous generator function.
        """
        if self._atransform is None:
            raise NotImplementedError(f"{self!r} only supports sync methods.")
        return self._atransform(_AsyncChunks(input), **kwargs)
