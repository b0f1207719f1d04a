"""Runnables, which are composed with ``|``, and sequences of runnables.

A sequence passes on each chunk as it arrives, through every step's `transform`. The caller gets the
exceptions of steps unchanged.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from typing import TYPE_CHECKING, Any, Protocol, Self, TypeAlias, TypeVar, cast, overload

from typing_extensions import override

from output_parsers.runnables.functions import Function, Generator, aiter_of, is_generator_function
from output_parsers.runnables.langchain import LangChainStep, check_not_langchains, runnable_class
from output_parsers.runnables.step import Input, Output, Step, configs_for

if TYPE_CHECKING:
    from output_parsers.runnables.step import BatchConfig, RunnableConfig

Other = TypeVar("Other")


class ForeignRunnable(Protocol):
    """A runnable of another library, such as a LangChain chat model, recognised by two methods."""

    @property
    def invoke(self) -> Callable[..., Any]:
        """Convert an input to an output."""

    @property
    def transform(self) -> Callable[..., Any]:
        """Convert an iterator of input chunks to an iterator of output chunks."""


RunnableLike: TypeAlias = Step[Any, Any] | ForeignRunnable | Callable[..., Any]


class Runnable(Step[Input, Output], LangChainStep):
    """A step that composes with others: ``parser | function``, ``function | parser``."""

    def __new__(cls, *_args: Any, **_kwargs: Any) -> Self:
        """Create a step, which also counts as a LangChain `Runnable` if LangChain is imported."""
        if not Runnable._is_registered and (theirs := runnable_class()) is not None:
            theirs.register(Runnable)
            Runnable._is_registered = True
        return super().__new__(cls)

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            check_not_langchains(self, name)
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")

    def __call__(
        self,
        input: Input,  # noqa: A002 - LangChain's name for it
        config: RunnableConfig | None = None,
    ) -> Output:
        """Do the same as `invoke`."""
        return self.invoke(input, config)

    @overload
    def __or__(self, other: Runnable[Any, Other]) -> RunnableSequence[Input, Other]: ...
    @overload
    def __or__(self, other: RunnableLike) -> RunnableSequence[Input, Any]: ...
    def __or__(self, other: RunnableLike) -> RunnableSequence[Input, Any]:
        """Return the sequence of this and *other*, a runnable or a function."""
        step = _as_step(other)
        return NotImplemented if step is None else RunnableSequence(self, step)

    def __ror__(self, other: Callable[..., Any] | ForeignRunnable) -> RunnableSequence[Any, Output]:
        """Return the sequence of *other*, a function or a foreign runnable, and this."""
        step = _as_step(other)
        return NotImplemented if step is None else RunnableSequence(step, self)

    def pipe(self, *others: RunnableLike, name: str | None = None) -> RunnableSequence[Input, Any]:
        """Return the sequence of this step and all *others*, as ``|`` does."""
        return RunnableSequence(self, *others, name=name)

    def get_name(self, suffix: str | None = None, *, name: str | None = None) -> str:
        """Return *name*, by default that of the runnable or its class, with *suffix* appended."""
        generic: dict[str, Any] = getattr(type(self), "__pydantic_generic_metadata__", {})
        found = (
            name or getattr(self, "name", None) or (generic.get("origin") or type(self)).__name__
        )
        if not suffix:
            return found
        return found + suffix.title() if found[0].isupper() else f"{found}_{suffix.lower()}"


class RunnableSequence(Runnable[Input, Output]):
    """A sequence of steps, each of which takes the output of the previous one.

    Args:
        steps: Two or more runnables or functions. A sequence among them is replaced by its steps.
        name: See `Runnable.name`.

    Raises:
        TypeError: A step is neither a runnable nor callable.
        ValueError: There are fewer than two steps.
    """

    def __init__(self, *steps: RunnableLike, name: str | None = None) -> None:
        self.name = name
        self.steps: list[Any] = []
        for given in steps:
            step = _as_step(given)
            if step is None:
                raise TypeError(f"expected a runnable or a callable, got {type(given).__name__}")
            self.steps += step.steps if isinstance(step, RunnableSequence) else [step]
        if len(self.steps) < 2:
            raise ValueError(f"a runnable sequence needs at least 2 steps, got {len(self.steps)}")

    def __repr__(self) -> str:
        return " | ".join(map(repr, self.steps))

    @override
    def invoke(self, input: Input, config: RunnableConfig | None = None, **kwargs: Any) -> Output:
        """Return the output of the last step; *kwargs* are for the first step."""
        first, *rest = self.steps
        output: Output = first.invoke(input, config, **kwargs)
        for step in rest:
            output = step.invoke(output, config)
        return output

    @override
    async def ainvoke(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Output:
        """Return the output of the last step; *kwargs* are for the first step."""
        first, *rest = self.steps
        output: Output = await first.ainvoke(input, config, **kwargs)
        for step in rest:
            output = await step.ainvoke(output, config)
        return output

    @override
    def batch(
        self,
        inputs: Sequence[Input],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Output]:
        """Run all *inputs* through one step after the other, with the `batch` of each step."""
        rows = _Rows(inputs, config)
        for step in self.steps:
            values, configs = rows.pending()
            outputs = step.batch(values, configs, return_exceptions=return_exceptions, **kwargs)
            kwargs = {}
            if not rows.advance(outputs, drop_exceptions=return_exceptions):
                break
        return rows.values

    @override
    async def abatch(
        self,
        inputs: Sequence[Input],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[Output]:
        """Run all *inputs* through one step after the other, with the `abatch` of each step."""
        rows = _Rows(inputs, config)
        for step in self.steps:
            values, configs = rows.pending()
            outputs = await step.abatch(
                values, configs, return_exceptions=return_exceptions, **kwargs
            )
            kwargs = {}
            if not rows.advance(outputs, drop_exceptions=return_exceptions):
                break
        return rows.values

    @override
    def stream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield the output of the last step while the first processes *input*."""
        return self.transform(iter([input]), config, **kwargs)

    @override
    def astream(
        self, input: Input, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output of the last step while the first processes *input*."""
        return self.atransform(aiter_of(input), config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Output]:
        """Yield the output of the last step as input arrives at the first."""
        first, *rest = self.steps
        stream: Iterator[Output] = first.transform(input, config, **kwargs)
        for step in rest:
            stream = step.transform(stream, config)
        return stream

    @override
    def atransform(
        self, input: AsyncIterator[Input], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Output]:
        """Yield the output of the last step as input arrives at the first."""
        first, *rest = self.steps
        stream: AsyncIterator[Output] = first.atransform(input, config, **kwargs)
        for step in rest:
            stream = step.atransform(stream, config)
        return stream


class RunnableLambda(Function[Input, Output], Runnable[Input, Output]):
    """A function that can be composed with ``|``; see `Function` for its arguments."""


class RunnableGenerator(Generator[Input, Output], Runnable[Input, Output]):
    """A generator function that can be composed with ``|``; see `Generator` for its arguments."""


class _Rows:
    """The inputs of a batch on their way through the steps of a sequence."""

    def __init__(self, inputs: Sequence[Any], config: BatchConfig) -> None:
        self.values = list(inputs)
        self.configs = configs_for(config, len(self.values))
        self.live = list(range(len(self.values)))

    def pending(self) -> tuple[list[Any], list[Any]]:
        """Return the inputs of the next step, and the config of each."""
        return [self.values[row] for row in self.live], [self.configs[row] for row in self.live]

    def advance(self, outputs: Sequence[Any], *, drop_exceptions: bool) -> bool:
        """Store the outputs of a step for `pending`; return whether any rows are left.

        With *drop_exceptions*, rows that failed are dropped.
        """
        for row, output in zip(self.live, outputs, strict=True):
            self.values[row] = output
        if drop_exceptions:
            self.live = [r for r in self.live if not isinstance(self.values[r], Exception)]
        return bool(self.live)


def _as_step(thing: object) -> Any:
    """Return *thing*, a runnable or a function, as a step; `None` if it is neither."""
    if isinstance(thing, Step):
        return thing
    methods = (getattr(thing, "invoke", None), getattr(thing, "transform", None))
    if all(map(callable, methods)) and not isinstance(thing, type):
        return thing
    if is_generator_function(thing):
        return RunnableGenerator(cast("Callable[..., Any]", thing))
    return RunnableLambda(thing) if callable(thing) else None
