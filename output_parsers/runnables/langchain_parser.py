"""A LangChain output parser around one of our parsers, for LangChain's chains.

It has the events, the callbacks and the traces of LangChain's parsers, and its errors are of both
libraries. This module imports LangChain; `as_langchain` imports this module, and so does a parser
that LangChain runs in one of its pipelines.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from langchain_core import exceptions as theirs
from langchain_core.output_parsers import BaseTransformOutputParser
from pydantic import field_validator
from typing_extensions import override

from output_parsers.exceptions import ModelRefusalError, OutputParserException
from output_parsers.model_output import generation_of
from output_parsers.runnables.functions import aiter_of
from output_parsers.runnables.step import add_chunks
from outputs import BaseMessage
from outputs.messages.utils import as_langchains

if TYPE_CHECKING:
    from langchain_core.load.serializable import SerializedConstructor, SerializedNotImplemented
    from langchain_core.messages import BaseMessage as LangChainMessage
    from langchain_core.outputs import Generation
    from langchain_core.prompt_values import PromptValue
    from langchain_core.runnables import RunnableConfig


class LangChainOutputParser(BaseTransformOutputParser[Any]):
    """A LangChain output parser that wraps *parser*; `as_langchain` returns one.

    It returns what *parser* returns, and streams as *parser* does. Its exceptions are instances of
    LangChain's classes and of ours: an `OutputParserException` of both, whose cause is ours alone,
    or a `ModelRefusalError` of both, which LangChain does not take for an error of parsing.
    """

    parser: Any
    """Our parser, which reads the text or message."""

    @property
    @override
    def OutputType(self) -> Any:
        """The type of the results."""
        return self.parser.OutputType

    # -- one run of the parser, which LangChain traces ---------------------------------------------

    def run(self, read: Callable[[Any], Any], given: Any, config: Any) -> Any:
        """Return ``read(given)``, traced by LangChain as a run of this parser."""
        return self._call_with_config(partial(self._result, read), given, config, run_type="parser")

    async def arun(self, read: Callable[[Any], Awaitable[Any]], given: Any, config: Any) -> Any:
        """Return ``await read(given)``, traced by LangChain as a run of this parser."""
        run = partial(self._aresult, read)
        return await self._acall_with_config(run, given, config, run_type="parser")

    def run_whole(
        self, read: Callable[[Any], Iterator[Any]], chunks: Iterator[Any], config: Any
    ) -> Iterator[Any]:
        """Yield the one result of ``read(chunks)``, traced as a run that does not stream."""
        given = list(chunks)
        if given:
            yield self.run(lambda _: [*read(iter(given))][-1], add_chunks(given), config)

    async def arun_whole(
        self, read: Callable[[Any], AsyncIterator[Any]], chunks: AsyncIterator[Any], config: Any
    ) -> AsyncIterator[Any]:
        """Do the same as `run_whole` for asynchronous chunks."""
        given = [chunk async for chunk in chunks]

        async def again() -> AsyncIterator[Any]:
            for chunk in given:
                yield chunk

        async def result(_: Any) -> Any:
            return [each async for each in read(again())][-1]

        if given:
            yield await self.arun(result, add_chunks(given), config)

    def run_stream(
        self, read: Callable[[Any], Iterator[Any]], chunks: Iterator[Any], config: Any
    ) -> Iterator[Any]:
        """Yield what ``read(chunks)`` yields, traced by LangChain as a run of this parser."""
        run = partial(self._results, read)
        return self._transform_stream_with_config(chunks, run, config, run_type="parser")

    def arun_stream(
        self, read: Callable[[Any], AsyncIterator[Any]], chunks: AsyncIterator[Any], config: Any
    ) -> AsyncIterator[Any]:
        """Do the same as `run_stream` for asynchronous chunks."""
        run = partial(self._aresults, read)
        return self._atransform_stream_with_config(chunks, run, config, run_type="parser")

    def _result(self, read: Callable[[Any], Any], given: Any) -> Any:
        with errors_of_both():
            return self._of_langchain(read(given), given)

    async def _aresult(self, read: Callable[[Any], Awaitable[Any]], given: Any) -> Any:
        with errors_of_both():
            return self._of_langchain(await read(given), given)

    def _results(
        self, read: Callable[[Any], Iterator[Any]], chunks: Iterator[Any]
    ) -> Iterator[Any]:
        with errors_of_both():
            for result in read(chunks):
                yield self._of_langchain(result, None)

    async def _aresults(
        self, read: Callable[[Any], AsyncIterator[Any]], chunks: AsyncIterator[Any]
    ) -> AsyncIterator[Any]:
        with errors_of_both():
            async for result in read(chunks):
                yield self._of_langchain(result, None)

    def _of_langchain(self, result: Any, given: Any) -> Any:  # noqa: ARG002 - for subclasses
        """Return *result*, read in what was *given*, as LangChain takes it."""
        return result

    # -- the methods of LangChain's parsers --------------------------------------------------------

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Parse a text, a message or a generation, as our parser does.

        Raises:
            OutputParserException: Of both libraries; its cause is our own.
        """
        return self.run(self.parser.invoke, input, config)

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        """Do the same as `invoke`."""
        return await self.arun(self.parser.ainvoke, input, config)

    @override
    def stream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[Any]:
        """Yield the result, or what `stream` of our parser yields if a subclass overrides it."""
        if not self.parser._has_own("stream"):
            return super().stream(input, config, **kwargs)
        return self.transform(iter([input]), config, **kwargs)

    @override
    def astream(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[Any]:
        """Do the same as `stream`."""
        if not self.parser._has_own("astream"):
            return super().astream(input, config, **kwargs)
        return self.atransform(aiter_of(input), config, **kwargs)

    @override
    def parse(self, text: str) -> Any:
        """Parse *text*, as `parse` of our parser does, or `invoke` if it has none."""
        return self._result(getattr(self.parser, "parse", self.parser.invoke), text)

    @override
    async def aparse(self, text: str) -> Any:
        """Do the same as `parse`."""
        return await self._aresult(getattr(self.parser, "aparse", self.parser.ainvoke), text)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Parse what a model generated; see `invoke`.

        Args:
            result: The candidates for one prompt, the best first.
            partial: Whether more text may follow.
        """
        parse = self.parser.parse_result
        return self._result(
            lambda given: parse([*map(generation_of, given)], partial=partial), result
        )

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Do the same as `parse_result`."""
        parse = self.parser.aparse_result
        return await self._aresult(
            lambda given: parse([*map(generation_of, given)], partial=partial), result
        )

    @override
    def parse_with_prompt(self, completion: str, prompt: PromptValue) -> Any:
        """Parse *completion*; a parser that can ask again uses its *prompt*."""
        return self._result(lambda given: self.parser.parse_with_prompt(given, prompt), completion)

    @override
    def transform(
        self,
        input: Iterator[str | LangChainMessage],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Iterator[Any]:
        """Yield what our parser yields of a stream of text or of the chunks of a message."""
        if self.parser._streams:
            return super().transform(input, config, **kwargs)
        return self.run_whole(self.parser.transform, input, config)

    @override
    def atransform(
        self,
        input: AsyncIterator[str | LangChainMessage],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> AsyncIterator[Any]:
        """Do the same as `transform`."""
        if self.parser._streams:
            return super().atransform(input, config, **kwargs)
        return self.arun_whole(self.parser.atransform, input, config)

    @override
    def _transform(self, input: Iterator[str | LangChainMessage]) -> Iterator[Any]:
        return self._results(self.parser.transform, input)

    @override
    def _atransform(self, input: AsyncIterator[str | LangChainMessage]) -> AsyncIterator[Any]:
        return self._aresults(self.parser.atransform, input)

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model.

        Raises:
            NotImplementedError: The parser has no format instructions.
        """
        if not hasattr(self.parser, "get_format_instructions"):
            return super().get_format_instructions()
        instructions: str = self.parser.get_format_instructions()
        return instructions

    @property
    @override
    def _type(self) -> str:
        if not hasattr(type(self.parser), "_type"):
            return super()._type
        kind: str = self.parser._type
        return kind

    # -- LangChain's `dumpd` and `load` ------------------------------------------------------------

    @classmethod
    @override
    def is_lc_serializable(cls) -> bool:
        return True

    @override
    def to_json(self) -> SerializedConstructor | SerializedNotImplemented:
        """Return the class of our parser and its arguments, from which `load` makes it again.

        A parser of another class, or with arguments that are not data, such as a model or a
        function, is not implemented.
        """
        kind = type(self.parser)
        fields = {
            name: value
            for name, field in kind.model_fields.items()
            if (value := getattr(self.parser, name)) != field.default
        }
        named = f"{kind.__module__.partition('.')[0]}.{kind.__name__}"
        try:
            data = json.loads(json.dumps({"class": named, **fields}, default=self._as_data))
            is_same = self._from_data(data) == self.parser
        except (TypeError, ValueError, AttributeError, LookupError):
            is_same = False
        if not is_same:
            return self.to_json_not_implemented()
        kwargs = {"parser": data, "name": self.name}
        return {"lc": 1, "type": "constructor", "id": self.lc_id(), "kwargs": kwargs}

    @classmethod
    def _as_data(cls, value: Any) -> Any:
        raise TypeError(f"{value!r} cannot be written as JSON data")

    @field_validator("parser", mode="before")
    @classmethod
    def _from_data(cls, parser: Any) -> Any:
        """Return the parser that `to_json` has described."""
        if not isinstance(parser, dict):
            return parser
        room, _, name = str(parser.get("class")).partition(".")
        if room not in ("output_parsers", "agent_parsers"):
            raise ValueError(f"expected a parser of this library, found {parser!r}")
        package = import_module(room)
        kind: Any = getattr(package, name, None)
        if not hasattr(kind, "as_langchain"):
            raise ValueError(f"expected a parser of this library, found {parser!r}")
        data = {key: parser[key] for key in parser if key != "class"}
        return kind(**cls._arguments(package, data))

    @classmethod
    def _arguments(cls, package: Any, data: dict[str, Any]) -> dict[str, Any]:  # noqa: ARG003
        """Return the arguments of a parser of *package* that *data* stands for."""
        return data


# -- errors of both libraries ----------------------------------------------------------------------


@contextmanager
def errors_of_both() -> Iterator[None]:
    """Replace our exception by one that belongs to both libraries; see `of_both`."""
    try:
        yield
    except OutputParserException as error:
        both = of_both(error)
        if both is error:
            raise
        raise both from error


_REFUSAL: Final = getattr(theirs, "ModelRefusalError", None)
"""LangChain's class for refusals, which it has from langchain-core 1.7.5."""


def of_both(error: OutputParserException) -> OutputParserException:
    """Return *error* as one that is also LangChain's, with the fields that LangChain's agents read.

    A refusal does not become an `OutputParserException` of LangChain's, because LangChain would ask
    again: if LangChain has no class for refusals, it is returned unchanged.
    """
    if _their_kind(type(error)) is None or isinstance(error, theirs.LangChainException):
        return error
    said, text = error.observation, error.llm_output  # written now: the copy may be pickled
    is_sent = not isinstance(error, ModelRefusalError) and said is not None and text is not None
    fields = {**vars(error), "observation": said, "send_to_llm": is_sent}
    if isinstance(message := getattr(error, "raw_message", None), BaseMessage):
        fields["raw_message"] = as_langchains(message)
    return _restored(type(error), error.args, fields)


def _restored(kind: Any, args: tuple[Any, ...], fields: dict[str, Any]) -> OutputParserException:
    both = _kind_of_both(kind)
    error = both.__new__(both, *args)
    error.__dict__.update(fields)
    return error


def _their_kind(kind: type[OutputParserException]) -> type[Exception] | None:
    """Return LangChain's class for an exception of this *kind*; `None` if it has none."""
    return _REFUSAL if issubclass(kind, ModelRefusalError) else theirs.OutputParserException


@cache
def _kind_of_both(kind: Any) -> type[OutputParserException]:
    def reduce(error: Exception) -> Any:
        return _restored, (kind, error.args, vars(error))

    members = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": reduce}
    kinds: tuple[Any, Any] = (kind, _their_kind(kind))
    return type(kind.__name__, kinds, members)
