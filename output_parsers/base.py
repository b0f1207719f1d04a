"""The base classes of parsers: generic pydantic models that are runnables."""

from __future__ import annotations

import builtins  # noqa: TC003 - `typing.get_type_hints(BaseOutputParser.asdict)` looks here
from abc import ABC, abstractmethod
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext, suppress
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeVar, cast

from pydantic import ConfigDict
from typing_extensions import deprecated, override

from output_parsers.model_output import (
    ModelOutput,
    adds_up,
    content_of,
    end_of,
    generation_of,
    part_of,
    reading,
    text_of,
)
from output_parsers.runnables.langchain import check_not_langchains, is_langchains, needs_langchain
from output_parsers.runnables.runnable import Runnable
from output_parsers.runnables.step import BatchConfig, RunnableConfig, configs_for, run_batch
from output_parsers.streams.accumulator import Accumulator
from output_parsers.tool_calls.refusal import check_refusal
from output_parsers.types.models import CheckedModel, output_type_of
from outputs import AnyMessage, Generation
from outputs.messages.brief_repr import without_defaults

if TYPE_CHECKING:
    from output_parsers.runnables.langchain_parser import LangChainOutputParser
    from outputs.messages.ended import Ended

__all__ = ["BaseGenerationOutputParser", "BaseLLMOutputParser", "BaseOutputParser"]

T = TypeVar("T")


class BaseLLMOutputParser(ABC, Generic[T]):
    """Turns model output into a value of type `T`."""

    @abstractmethod
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> T:
        """Parse what a model generated.

        Args:
            result: The candidates for one prompt, the best first.
            partial: Whether more text may follow, so that incomplete text is not an error.

        Raises:
            OutputParserException: The model did not write what was expected.
        """

    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> T:
        """Do the same as `parse_result`, directly in this thread; see `BaseOutputParser`."""
        return self.parse_result(result, partial=partial)


class BaseGenerationOutputParser(CheckedModel, BaseLLMOutputParser[T], Runnable[ModelOutput, T]):
    """A parser that needs more than the text of a generation: its message, or several candidates.

    A subclass implements `parse_result` and declares its options as annotated fields::

        class CountToolCalls(BaseGenerationOutputParser[int]):
            def parse_result(self, result, *, partial=False):
                return len(result[0].message.tool_calls)
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(
        extra="ignore", protected_namespaces=(), defer_build=True
    )

    _calls_others: ClassVar[bool] = False
    """Whether a parser of this package has others parse the text; one of a user's may have."""

    name: str | None = None
    """The parser's name; `None` for the name of its class."""

    @property
    @override
    def InputType(self) -> Any:
        """The input type of `invoke`."""
        return str | AnyMessage

    @property
    @override
    def OutputType(self) -> Any:
        """The return type of `invoke`: the type argument of the parser or a parent, or `Any`."""
        return output_type_of(type(self), BaseGenerationOutputParser)

    @override
    def invoke(self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any) -> T:
        """Parse a string, a message or a generation.

        Args:
            input: A `str`, a message (of any kind that `outputs.from_any` takes, or any object with
                a ``content``) or a `Generation`.
            config: Ignored.
            kwargs: Ignored.

        Raises:
            OutputParserException: The model did not write what was expected.
            TypeError: *input* has another type.
        """
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseGenerationOutputParser.invoke, self)
            return cast("T", theirs.run(read, input, config))
        with self._reads(input, **kwargs):
            return self.parse_result([generation_of(input)])

    @override
    async def ainvoke(
        self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> T:
        """Do the same as `invoke`, with `aparse_result`."""
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseGenerationOutputParser.ainvoke, self)
            return cast("T", await theirs.arun(read, input, config))
        with self._reads(input, **kwargs):
            return await self.aparse_result([generation_of(input)])

    @override
    def transform(
        self, input: Iterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[T]:
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseGenerationOutputParser.transform, self)
            run = theirs.run_stream if self._has_own("stream") else theirs.run_whole
            result: Iterator[T] = run(read, input, config)
            return result
        return super().transform(iter(_addable([*input])), config, **kwargs)

    @override
    def atransform(
        self, input: AsyncIterator[ModelOutput], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[T]:
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseGenerationOutputParser.atransform, self)
            run = theirs.arun_stream if self._has_own("astream") else theirs.arun_whole
            result: AsyncIterator[T] = run(read, input, config)
            return result
        return super().atransform(_addable_chunks(input), config, **kwargs)

    @override
    def batch(
        self,
        inputs: Sequence[ModelOutput],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[T]:
        """Parse each of *inputs*, in order and one at a time, whatever ``max_concurrency`` is.

        The arguments are those of `Runnable.batch`.
        """
        if isinstance(inputs, str):
            raise TypeError("batch takes a list of strings or messages, not a single string")
        configs = configs_for(config, len(inputs))
        return run_batch(
            lambda value, config: self.invoke(value, config, **kwargs),
            inputs,
            configs,
            threads=1,
            return_exceptions=return_exceptions,
        )

    @override
    async def abatch(
        self,
        inputs: Sequence[ModelOutput],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[T]:
        """Do the same as `batch`, or as `Step.abatch` if the parser awaits or LangChain runs it."""
        given = config if isinstance(config, Sequence) else [config]
        if self._waits() or any(map(is_langchains, given)):
            return await super().abatch(
                inputs, config, return_exceptions=return_exceptions, **kwargs
            )
        return self.batch(inputs, config, return_exceptions=return_exceptions, **kwargs)

    def as_langchain(self) -> LangChainOutputParser:
        """Return this parser as a LangChain output parser, for LangChain's chains.

        It has all the methods of LangChain's runnables. Its exceptions are instances of LangChain's
        classes and of ours: a refusal is a `ModelRefusalError` of both, and no
        `OutputParserException` of LangChain's, since asking again does not help.

        Raises:
            ImportError: LangChain is not installed.
        """
        with needs_langchain():
            from output_parsers.runnables.langchain_parser import LangChainOutputParser

        return LangChainOutputParser(parser=self, name=self.get_name())

    def _in_langchain(self, config: RunnableConfig | None) -> LangChainOutputParser | None:
        """Return what runs in place of this parser if *config* is of a LangChain pipeline.

        It is what `as_langchain` returns. Its runs are given the method that reads, as it is
        without a pipeline, since a subclass may override it.
        """
        return self.as_langchain() if is_langchains(config) else None

    if not TYPE_CHECKING:  # a type checker would take any name for an attribute

        def __getattr__(self, name: str) -> Any:
            check_not_langchains(self, name)
            return super().__getattr__(name)

    @property
    def _streams(self) -> bool:
        """Whether a stream may yield results before its end."""
        return any(map(self._has_own, ("transform", "stream", "astream")))

    def _has_own(self, method: str) -> bool:
        """Return whether *method* is overridden."""
        return not is_default(getattr(self, method))

    def _reads(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> AbstractContextManager[None]:
        """Return a context in which `known_end` knows that *output* was cut, if it was."""
        if not self._calls_others and type(self).__module__.startswith("output_parsers."):
            return nullcontext()  # it takes longer to find out than to parse a short text
        part = part_of(output)
        if (end_of(output, part) if ended == "unknown" else ended) != "length":
            return nullcontext()
        return reading(self, text_of(part), "length")

    def _waits(self) -> bool:
        """Return whether asynchronous methods do more than call the synchronous ones."""
        return not (is_default(self.ainvoke) and is_default(self.aparse_result))

    @classmethod
    @override
    def model_rebuild(
        cls,
        *,
        force: bool = False,
        raise_errors: bool = True,
        _parent_namespace_depth: int = 2,
        _types_namespace: Any = None,
    ) -> bool | None:
        # With a namespace, the caller is pydantic, which handles a type argument at import. A
        # validator takes milliseconds to build, and a class that is only a base does not need one.
        is_base = cls.__abstractmethods__ or cls.__pydantic_generic_metadata__["parameters"]
        if _types_namespace is not None and is_base:
            return False
        return super().model_rebuild(
            force=force,
            raise_errors=raise_errors,
            _parent_namespace_depth=_parent_namespace_depth + 1,
            _types_namespace=_types_namespace,
        )

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        return without_defaults(self, super().__repr_args__())


class BaseOutputParser(BaseGenerationOutputParser[T]):
    """A parser of text.

    A subclass implements `parse` and declares its options as annotated fields::

        class YesNo(BaseOutputParser[bool]):
            yes: str = "YES"

            def parse(self, text: str) -> bool:
                return text.strip().upper() == self.yes

    The asynchronous methods parse in the caller's thread: parsing takes microseconds, and using
    a thread would take a hundred. A parser that has to wait for something overrides `aparse`.
    """

    _checks_refusal: ClassVar[bool] = True
    """Whether a message that refuses is an error; if not, its text is parsed."""

    _is_fixed_if_cut: ClassVar[bool] = True
    """Whether a model may be asked to fix a text that was cut, and so to write the rest."""

    @abstractmethod
    def parse(self, text: str) -> T:
        """Parse what a model wrote.

        Raises:
            OutputParserException: The model did not write what was expected.
        """

    async def aparse(self, text: str) -> T:
        """Do the same as `parse`."""
        return self.parse(text)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> T:
        """Parse the text of the first generation in *result*; *partial* is ignored by default."""
        return self._parse_output(result[0])

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> T:
        """Do the same as `parse_result`; uses `aparse` if only that is overridden."""
        if is_default(self.parse_result) and not is_default(self.aparse):
            return await self._aparse_output(result[0])
        return self.parse_result(result, partial=partial)

    @override
    def invoke(self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any) -> T:
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseOutputParser.invoke, self)
            return cast("T", theirs.run(read, input, config))
        # A parser that does not override `parse_result` needs no generation, and building one often
        # takes longer than parsing.
        if getattr(self.parse_result, "__func__", None) is not _PARSE_RESULT:
            with self._reads(input, **kwargs):
                return self.parse_result([generation_of(input)])
        if isinstance(input, str) and not kwargs:
            return self.parse(input)
        return self._parse_output(input, **kwargs)

    @override
    async def ainvoke(
        self, input: ModelOutput, config: RunnableConfig | None = None, **kwargs: Any
    ) -> T:
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(BaseOutputParser.ainvoke, self)
            return cast("T", await theirs.arun(read, input, config))
        if not is_default(self.aparse_result):
            with self._reads(input, **kwargs):
                return await self.aparse_result([generation_of(input)])
        if is_default(self.parse_result) and not is_default(self.aparse):
            return await self._aparse_output(input, **kwargs)
        return BaseOutputParser.invoke(self, input, config, **kwargs)

    @override
    def batch(
        self,
        inputs: Sequence[ModelOutput],
        config: BatchConfig = None,
        *,
        return_exceptions: bool = False,
        **kwargs: Any,
    ) -> list[T]:
        is_plain = config is None and not (return_exceptions or kwargs or isinstance(inputs, str))
        if not is_plain or not self._invokes_parse():
            return super().batch(inputs, config, return_exceptions=return_exceptions, **kwargs)
        parse, invoke = self.parse, self.invoke
        return [parse(value) if isinstance(value, str) else invoke(value) for value in inputs]

    def _invokes_parse(self) -> bool:
        """Return whether `invoke` only calls `parse` for a text."""
        return is_default(self.invoke) and is_default(self.parse_result)

    @override
    def _waits(self) -> bool:
        return super()._waits() or not is_default(self.aparse)

    def _parse_output(self, output: ModelOutput, **_kwargs: Any) -> T:
        """Parse the text of *output*; *_kwargs* are the other arguments of `invoke`."""
        with self._reads(output):
            return self.parse(self._text_in(output))

    async def _aparse_output(self, output: ModelOutput, **_kwargs: Any) -> T:
        """Do the same as `_parse_output`, with `aparse`."""
        with self._reads(output):
            return await self.aparse(self._text_in(output))

    def _text_in(self, output: ModelOutput) -> str:
        """Return the text of *output*; a subclass may refuse other content.

        Raises:
            ModelRefusalError: It is a message that refuses.
        """
        part = part_of(output)
        if self._checks_refusal and not isinstance(part, str):
            check_refusal(part)
        content = content_of(part)
        return content if isinstance(content, str) else text_of(part)

    def parse_with_prompt(
        self,
        completion: str,
        prompt: Any,  # noqa: ARG002 - for subclasses
    ) -> Any:
        """Parse *completion*; a parser that can ask again may use its *prompt*."""
        return self.parse(completion)

    def get_format_instructions(self) -> str:
        """Return the format instructions for the model.

        Raises:
            NotImplementedError: The parser has no format instructions.
        """
        raise NotImplementedError(f"{type(self).__name__} has no format instructions")

    @property
    def _type(self) -> str:
        """The parser's type name, for `asdict`."""
        raise NotImplementedError(
            f"_type property is not implemented in class {type(self).__name__}."
            " This is required for serialization."
        )

    def asdict(self, **kwargs: Any) -> builtins.dict[str, Any]:
        """Return the fields, as ``model_dump(**kwargs)`` does, and ``_type`` if there is one."""
        fields = self.model_dump(**kwargs)
        with suppress(NotImplementedError):
            fields["_type"] = self._type
        return fields

    @deprecated("dict() is deprecated; use asdict()")
    def dict(self, **kwargs: Any) -> builtins.dict[str, Any]:
        """Do the same as `asdict`."""
        return self.asdict(**kwargs)


_PARSE_RESULT = BaseOutputParser.parse_result
_DEFAULTS = frozenset(
    {
        BaseLLMOutputParser.aparse_result,
        BaseGenerationOutputParser.ainvoke,
        BaseGenerationOutputParser.astream,
        BaseGenerationOutputParser.stream,
        BaseGenerationOutputParser.transform,
        BaseOutputParser.ainvoke,
        BaseOutputParser.aparse,
        BaseOutputParser.aparse_result,
        BaseOutputParser.invoke,
        BaseOutputParser.parse_result,
    }
)


async def _addable_chunks(chunks: AsyncIterator[ModelOutput]) -> AsyncIterator[ModelOutput]:
    for chunk in _addable([chunk async for chunk in chunks]):
        yield chunk


def _addable(chunks: list[ModelOutput]) -> list[ModelOutput]:
    """Return *chunks* as they can be added.

    If each is a message, as Ollama sends them, they are the pieces of one. A message behind chunks
    is the whole of which they are the pieces, and replaces them when they are added.
    """
    chunks = [adds_up(chunk) for chunk in chunks]
    if len(chunks) < 2 or any(map(_is_chunk, chunks)):
        return chunks
    so_far = Accumulator()
    for chunk in chunks:
        so_far.add(chunk)
    generation = so_far.generation()
    return [getattr(generation, "message", generation.text)]


def _is_chunk(output: ModelOutput) -> bool:
    return isinstance(output, str) or str(getattr(output, "type", "")).endswith("Chunk")


def is_default(method: object) -> bool:
    """Return whether a parser's bound *method* is inherited from these base classes."""
    return getattr(method, "__func__", None) in _DEFAULTS
