"""A model that answers in a structure."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from output_parsers.exceptions import OutputParserException
from output_parsers.format_instructions import only_json_instructions
from output_parsers.runnables.runnable import Runnable, RunnableLambda, RunnableSequence
from output_parsers.strategies.errors import StructuredOutputError
from output_parsers.strategies.loop import StructuredResponse, read_structured_output
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from output_parsers.tool_calls.refusal import ModelRefusalError, refusal_in
from outputs import AIMessage, from_any

if TYPE_CHECKING:
    from collections.abc import Callable

    from output_parsers.runnables.batching import RunnableConfig
    from output_parsers.runnables.runnable import RunnableLike
    from output_parsers.strategies.schema import SchemaSpec


def with_structured_output(
    model: Any, schema: Any, *, include_raw: bool = False
) -> Runnable[Any, Any]:
    """Return a runnable that asks *model* and gives its structured response.

    ::

        def model(question: str, **settings: Any) -> AIMessage: ...

        with_structured_output(model, Weather).invoke("How is the weather in Oslo?")
        # Weather(place='Oslo', celsius=-3)

    It asks once. To have a model correct itself, see `read_structured_output`.

    Args:
        model: A chat model of LangChain's, which is bound to the tools or the format, or any
            runnable or function, asynchronous or not. That is called with the input and, by
            keyword, with what OpenAI's API takes (``tools`` and ``tool_choice``, or
            ``response_format``), as far as it has such parameters. If it has none, and the input is
            a text, the request for JSON of the schema is appended to that, unless *schema* is a
            union or a `ToolStrategy`, whose answers are calls. It gives a text, a
            message, or what OpenAI's or Anthropic's API returns.
        schema: What the response looks like (see `SchemaSpec`), or a strategy. Without a strategy
            the response may come as a call or as text.
        include_raw: Give a dictionary of ``raw``, what the model gave, ``parsed``, the response,
            and ``parsing_error``, which is otherwise raised. One of the last two is `None`.

    Raises:
        StructuredOutputError: From the runnable: the model gave no response that can be used.
        ModelRefusalError: From the runnable: the model refused.
        ValueError: *schema* is none; see `SchemaSpec`.
    """
    if isinstance(schema, ToolStrategy | ProviderStrategy):
        asked: ToolStrategy[Any] | ProviderStrategy[Any] = schema
        either = [asked]
    else:
        auto = schema if isinstance(schema, AutoStrategy) else AutoStrategy(schema)
        asked = auto.resolve(has_provider=_has_provider(model))
        either = [auto.resolve(has_provider=False), auto.resolve(has_provider=True)]
    told = next((way.schema_spec for way in either if isinstance(way, ProviderStrategy)), None)
    return RunnableSequence(_bound(model, asked, told), _Reader(either, include_raw=include_raw))


class _Instructed(Runnable[Any, Any]):
    """Appends to a text the request for JSON of a schema; hands on anything else."""

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
    """Reads what a model gave, by the first of *strategies* that finds a response."""

    def __init__(self, strategies: list[Any], *, include_raw: bool) -> None:
        self.name = "StructuredOutput"
        self._strategies = [_raising(strategy) for strategy in strategies]
        self._include_raw = include_raw

    @override
    def invoke(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Any:
        if not self._include_raw:
            return self._read(input)
        try:
            return {"raw": input, "parsed": self._read(input), "parsing_error": None}
        except OutputParserException as error:
            return {"raw": input, "parsed": None, "parsing_error": error}

    @override
    async def ainvoke(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> Any:
        return self.invoke(input)

    def _read(self, given: Any) -> Any:
        message = AIMessage(given) if isinstance(given, str) else from_any(given)
        for strategy in self._strategies:
            found = read_structured_output(message, strategy)
            if isinstance(found, StructuredResponse):
                return found.structured_response
        if (refusal := refusal_in(message)) is not None:
            raise ModelRefusalError.saying(refusal)
        names = [name for strategy in self._strategies[:1] for name in _names_of(strategy)]
        raise StructuredOutputError(
            f"expected a structured response: {' or '.join(names)}", message, message.text
        )


def _raising(strategy: Any) -> Any:
    """Return *strategy* as one that raises all errors: here is nobody to tell the model."""
    if isinstance(strategy, ProviderStrategy):
        return strategy
    return ToolStrategy(strategy.schema, handle_errors=False)


def _names_of(strategy: Any) -> list[str]:
    if isinstance(strategy, ProviderStrategy):
        return [strategy.schema_spec.name]
    return list(strategy.bindings)


def _has_provider(model: Any) -> bool:
    """Tell whether *model* says that its provider can make it follow a schema."""
    profile = getattr(model, "profile", None)
    if isinstance(profile, Mapping):
        return bool(profile.get("structured_output"))
    names = _parameters(model)
    return "response_format" in names and "tools" not in names


def _bound(
    model: Any, strategy: ToolStrategy[Any] | ProviderStrategy[Any], told: SchemaSpec[Any] | None
) -> RunnableLike:
    """Return *model* as a step that is asked by *strategy*.

    Args:
        model: See `with_structured_output`.
        strategy: How it is asked.
        told: What it is told in words if it takes nothing by keyword, for an answer as text.
    """
    settings = strategy.to_model_kwargs()
    if isinstance(strategy, ToolStrategy) and hasattr(model, "bind_tools"):
        with suppress(NotImplementedError):  # Every chat model of LangChain's has the method.
            bound: RunnableLike = model.bind_tools(settings["tools"], tool_choice="any")
            return bound
    names = _parameters(model)
    accepted = {name: settings[name] for name in settings if "**" in names or name in names}
    step = _called_with(model, accepted)
    return step if accepted or told is None else RunnableSequence(_Instructed(told), step)


def _called_with(model: Any, accepted: dict[str, Any]) -> RunnableLike:
    """Return *model* as a step that is called with *accepted* by keyword."""
    if hasattr(model, "bind"):
        bound: RunnableLike = model.bind(**accepted)
        return bound
    invoke: Callable[..., Any] = getattr(model, "invoke", model)
    ainvoke: Callable[..., Any] | None = getattr(model, "ainvoke", None)
    asynchronous = None if ainvoke is None else partial(ainvoke, **accepted)
    return RunnableLambda(partial(invoke, **accepted), asynchronous)


def _parameters(model: Any) -> set[str]:
    """Return the names of what *model* takes by keyword, ``**`` for anything."""
    target = getattr(model, "func", None) or getattr(model, "afunc", None)
    target = target or getattr(model, "invoke", model)
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):  # It is no function, or one that does not tell.
        return set()
    names = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return names | {"**" for p in parameters if p.kind is p.VAR_KEYWORD}
