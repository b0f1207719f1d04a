"""A model with structured output."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, Literal, TypedDict, overload

from typing_extensions import TypeForm, override

from output_parsers.exceptions import OutputParserException
from output_parsers.format_instructions import only_json_instructions
from output_parsers.runnables.runnable import Runnable, RunnableLambda, RunnableSequence
from output_parsers.strategies.errors import StructuredOutputError
from output_parsers.strategies.loop import StructuredResponse, read_structured_output
from output_parsers.strategies.provider import has_provider, parameters_of
from output_parsers.strategies.schema import SchemaSpec, SchemaT
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from outputs import AIMessage, from_any

if TYPE_CHECKING:
    from types import UnionType

    from output_parsers.runnables.runnable import RunnableLike
    from output_parsers.runnables.step import RunnableConfig
    from output_parsers.strategies.strategy import ResponseFormat


class RawAndParsed(TypedDict, Generic[SchemaT]):
    """What a model returned and what was parsed from it; see `with_structured_output`."""

    raw: Any
    """The model's result."""
    parsed: SchemaT | None
    """The response; `None` if there is a `parsing_error`."""
    parsing_error: OutputParserException | None
    """Why there is no response."""


@overload
def with_structured_output(
    model: Any,
    schema: type[SchemaT] | ResponseFormat[SchemaT],
    *,
    include_raw: Literal[False] = False,
) -> Runnable[Any, SchemaT]: ...
@overload
def with_structured_output(
    model: Any, schema: type[SchemaT] | ResponseFormat[SchemaT], *, include_raw: Literal[True]
) -> Runnable[Any, RawAndParsed[SchemaT]]: ...
@overload
def with_structured_output(
    model: Any, schema: dict[str, Any], *, include_raw: Literal[False] = False
) -> Runnable[Any, dict[str, Any]]: ...
@overload
def with_structured_output(
    model: Any, schema: dict[str, Any], *, include_raw: Literal[True]
) -> Runnable[Any, RawAndParsed[dict[str, Any]]]: ...
@overload
def with_structured_output(
    model: Any, schema: TypeForm[SchemaT], *, include_raw: Literal[False] = False
) -> Runnable[Any, SchemaT]: ...
@overload
def with_structured_output(
    model: Any, schema: TypeForm[SchemaT], *, include_raw: Literal[True]
) -> Runnable[Any, RawAndParsed[SchemaT]]: ...
@overload
def with_structured_output(
    model: Any, schema: type[Any] | UnionType, *, include_raw: bool = False
) -> Runnable[Any, Any]: ...
def with_structured_output(
    model: Any, schema: Any, *, include_raw: bool = False
) -> Runnable[Any, Any]:
    """Return a runnable that asks *model* and returns its structured response.

    ::

        def model(question: str, **settings: Any) -> AIMessage: ...

        with_structured_output(model, Weather).invoke("How is the weather in Oslo?")
        # Weather(place='Oslo', celsius=-3)

    It asks once. To let a model correct itself, see `read_structured_output`.

    Args:
        model: A LangChain chat model, which is bound to the tools or the format, or any runnable or
            function, asynchronous or not. A runnable or function is called with the input and the
            keyword arguments of OpenAI's API (``tools`` and ``tool_choice``, or
            ``response_format``) for which it has parameters. If it has no such parameters and the
            input is a text, the format instructions for JSON are appended to the text, unless
            *schema* is a union or a `ToolStrategy`, which require tool calls. It returns a text, a
            message, or a result of OpenAI's or Anthropic's API.
        schema: The schema of the response (see `SchemaSpec`), or a strategy. Without a strategy the
            response may be a tool call or text.
        include_raw: Return a `RawAndParsed`, with the error in it instead of raising it.

    Raises:
        StructuredOutputError: From the runnable: the model returned no usable response.
        ModelRefusalError: From the runnable: the model refused.
        ValueError: *schema* is not a valid schema; see `SchemaSpec`.
    """
    if isinstance(schema, ToolStrategy | ProviderStrategy):
        asked: ToolStrategy[Any] | ProviderStrategy[Any] = schema
        either = [asked]
    else:
        auto = schema if isinstance(schema, AutoStrategy) else AutoStrategy(schema)
        asked = auto.resolve(has_provider=has_provider(model))
        either = [auto.resolve(has_provider=False), auto.resolve(has_provider=True)]
    spec = next((way.schema_spec for way in either if isinstance(way, ProviderStrategy)), None)
    return RunnableSequence(_bound(model, asked, spec), _Reader(either, include_raw=include_raw))


class _Instructed(Runnable[Any, Any]):
    """Appends the format instructions for JSON to a text; passes on other input unchanged."""

    def __init__(self, spec: SchemaSpec[Any]) -> None:
        self.name = "FormatInstructions"
        self._instructions = only_json_instructions(spec.json_schema)

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return f"{input}\n\n{self._instructions}" if isinstance(input, str) else input

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self.invoke(input)


class _Reader(Runnable[Any, Any]):
    """Reads a model's result with the first of *strategies* that finds a response."""

    def __init__(self, strategies: list[Any], *, include_raw: bool) -> None:
        self.name = "StructuredOutput"
        self._strategies = [_raising(strategy) for strategy in strategies]
        self._include_raw = include_raw

    @override
    def invoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        if not self._include_raw:
            return self._read(input)
        try:
            return {"raw": input, "parsed": self._read(input), "parsing_error": None}
        except OutputParserException as error:
            return {"raw": input, "parsed": None, "parsing_error": error}

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> Any:
        return self.invoke(input)

    def _read(self, given: Any) -> Any:
        message = AIMessage(given) if isinstance(given, str) else from_any(given)
        for strategy in self._strategies:
            found = read_structured_output(message, strategy)
            if isinstance(found, StructuredResponse):
                return found.structured_response
        names = [name for strategy in self._strategies[:1] for name in _names_of(strategy)]
        raise StructuredOutputError(
            f"expected a structured response of the type {' or '.join(names)}",
            message,
            message.text,
        )


def _raising(strategy: Any) -> Any:
    """Return *strategy* as one that raises all errors, since there is no retry here."""
    if isinstance(strategy, ProviderStrategy):
        return strategy
    return ToolStrategy(strategy.schema, handle_errors=False)


def _names_of(strategy: Any) -> list[str]:
    if isinstance(strategy, ProviderStrategy):
        return [strategy.schema_spec.name]
    return list(strategy.bindings)


def _bound(
    model: Any, strategy: ToolStrategy[Any] | ProviderStrategy[Any], spec: SchemaSpec[Any] | None
) -> RunnableLike:
    """Return *model* as a step that is called with the settings of *strategy*.

    Args:
        model: See `with_structured_output`.
        strategy: Provides the model's settings.
        spec: The schema for format instructions, if the model takes no settings by keyword.
    """
    settings = strategy.to_model_kwargs()
    if isinstance(strategy, ToolStrategy) and hasattr(model, "bind_tools"):
        with suppress(NotImplementedError):  # All LangChain chat models have the method.
            bound: RunnableLike = model.bind_tools(settings["tools"], tool_choice="any")
            return bound
    names = parameters_of(model)
    accepted = {name: settings[name] for name in settings if "**" in names or name in names}
    step = _called_with(model, accepted)
    return step if accepted or spec is None else RunnableSequence(_Instructed(spec), step)


def _called_with(model: Any, accepted: dict[str, Any]) -> RunnableLike:
    """Return *model* as a step that is called with the keyword arguments *accepted*."""
    if hasattr(model, "bind"):
        bound: RunnableLike = model.bind(**accepted)
        return bound
    invoke: Callable[..., Any] = getattr(model, "invoke", model)
    ainvoke: Callable[..., Any] | None = getattr(model, "ainvoke", None)
    asynchronous = None if ainvoke is None else partial(ainvoke, **accepted)
    return RunnableLambda(partial(invoke, **accepted), asynchronous)
