"""One turn of a loop that ends in a structured response.

The loop belongs to the caller; these functions only read a message::

    while True:
        message = model(messages)
        match read_structured_output(message, strategy):
            case StructuredResponse(response, answers, calls):
                return response
            case StructuredRetry(error, answers, calls):
                messages += [message, *answers, *map(run, calls)]
            case None:
                ...  # no response yet: run the tools it calls, or use its text
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, Generic, overload

from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import part_of, text_of
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
    sent_to_model,
)
from output_parsers.strategies.schema import (
    OutputToolBinding,
    SchemaT,
    check_nothing_dropped,
    data_in,
    read_data,
)
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from output_parsers.text.thoughts import after_thoughts
from output_parsers.tool_calls.refusal import check_refusal
from outputs import AIMessage, ToolMessage
from outputs.growing_json.arguments import value_or_text
from outputs.growing_json.errors import JsonSyntaxError
from outputs.growing_json.lenient.json_text import check_repeated_keys
from outputs.messages.base import is_langchains
from outputs.messages.utils import as_langchains
from outputs.messages.wire_calls import written_arguments

if TYPE_CHECKING:
    from types import UnionType

    from typing_extensions import TypeForm

    from output_parsers.strategies.strategy import HandleErrors, ResponseFormat
    from outputs import ToolCall


@dataclass(frozen=True, slots=True)
class StructuredResponse(Generic[SchemaT]):
    """A response in a message that fits the schema."""

    structured_response: SchemaT
    """The response: an object of the schema, or a dictionary."""
    messages: list[ToolMessage]
    """The messages to append after it: an answer to the tool call, if there is one. They are
    LangChain's if the message is."""
    tool_calls: list[ToolCall] = field(default_factory=list)
    """Calls of other tools beside it, which are still to be run and answered."""


@dataclass(frozen=True, slots=True)
class StructuredRetry:
    """A response in a message that cannot be used: the model is to be asked again."""

    error: StructuredOutputError
    """What is wrong."""
    messages: list[ToolMessage]
    """The messages to append before the model is asked again; LangChain's if the message is."""
    tool_calls: list[ToolCall] = field(default_factory=list)
    """Calls of other tools beside it, which are still to be run and answered."""


@overload
def read_structured_output(
    message: Any, strategy: ResponseFormat[SchemaT] | type[SchemaT]
) -> StructuredResponse[SchemaT] | StructuredRetry | None: ...
@overload
def read_structured_output(
    message: Any, strategy: TypeForm[SchemaT]
) -> StructuredResponse[SchemaT] | StructuredRetry | None: ...
@overload
def read_structured_output(
    message: Any, strategy: UnionType | dict[str, Any]
) -> StructuredResponse[Any] | StructuredRetry | None: ...
def read_structured_output(
    message: Any, strategy: Any
) -> StructuredResponse[Any] | StructuredRetry | None:
    """Return the structured response in *message*, or `None` if there is no response yet.

    Args:
        message: A message of any library, a generation, a result of OpenAI's or Anthropic's API,
            or a text.
        strategy: How the model returns the response. With a `ToolStrategy`, calls of other tools
            are left to the caller. With a `ProviderStrategy`, a message that calls tools is not a
            response. With an `AutoStrategy`, or a schema alone (see `SchemaSpec`), the response is
            a tool call or the text of a message without calls, if that is JSON.

    Raises:
        StructuredOutputError: The response cannot be used, and `ToolStrategy.handle_errors` does
            not ask for a retry.
        ModelRefusalError: The model refused, whatever it called.
        TypeError: *message* is no message of a model.
        ValueError: *strategy* is neither a strategy nor a valid schema.
    """
    message = AIMessage(part) if isinstance(part := part_of(message), str) else part
    if getattr(message, "type", "ai") not in ("ai", "AIMessageChunk"):
        raise TypeError(f"expected a message from the model, not one of type {message.type!r}")
    check_refusal(message)
    if isinstance(strategy, ProviderStrategy):
        return None if _is_calling(message) else _read_text(message, strategy)
    if isinstance(strategy, ToolStrategy):
        return _in_kind_of(message, _read_calls(message, strategy))
    auto = strategy if isinstance(strategy, AutoStrategy) else AutoStrategy(strategy)
    found = _in_kind_of(message, _read_calls(message, ToolStrategy(auto.schema)))
    provider = auto.resolve(has_provider=True)
    if found is not None or isinstance(provider, ToolStrategy):
        return found
    text = "" if _is_calling(message) else text_of(message)
    is_json = text[after_thoughts(text) :].lstrip()[:1] in tuple("{[`")
    return read_structured_output(message, provider) if is_json else None


def _in_kind_of(
    message: Any, found: StructuredResponse[Any] | StructuredRetry | None
) -> StructuredResponse[Any] | StructuredRetry | None:
    """Return what was *found*, with LangChain's messages if it was found in one of LangChain."""
    if found is None or not is_langchains(message):
        return found
    return replace(found, messages=[*map(as_langchains, found.messages)])


_NOT_READ: Final = "The arguments of this call could not be read."


def _read_calls(
    message: Any, strategy: ToolStrategy[Any]
) -> StructuredResponse[Any] | StructuredRetry | None:
    """Return the response in the calls of *message*."""
    bindings = strategy.bindings
    others = [call for call in _calls_of(message) if call["name"] not in bindings]
    calls = [call for call in _calls_of(message) if call["name"] in bindings]
    broken = [call for call in _calls_of(message, "invalid_tool_calls") if call["name"] in bindings]
    if len(calls) == 1:
        found = _read_call(message, calls[0], others, strategy)
        found.messages.extend(_answer(call, _NOT_READ, status="error") for call in broken)
        return found
    if calls:
        calls += broken
        names = [call["name"] for call in calls]
        error: StructuredOutputError = MultipleStructuredOutputsError(names, message)
        return _retry(error, calls, others, strategy.handle_errors)
    if not broken:
        return None
    source = OutputParserException(
        broken[0].get("error") or "the arguments of the call are not a JSON object",
        llm_output=broken[0]["args"],
    )
    error = StructuredOutputValidationError(broken[0]["name"], source, message)
    return _retry(error, broken, others, strategy.handle_errors)


def structured_output_error_message(error: Exception, handle_errors: HandleErrors) -> str | None:
    """Return the message to the model about *error*, or `None` if *error* is to be raised.

    Args:
        error: The error in the model's response.
        handle_errors: See `ToolStrategy.handle_errors`.
    """
    if isinstance(handle_errors, str):
        return handle_errors
    if isinstance(handle_errors, bool):
        is_reported = handle_errors
    elif isinstance(handle_errors, type | tuple):
        is_reported = isinstance(error, handle_errors)
    else:
        return handle_errors(error)
    return sent_to_model(error) if is_reported else None


def _calls_of(message: Any, kind: str = "tool_calls") -> list[Any]:
    return getattr(message, kind, None) or []


def _is_calling(message: Any) -> bool:
    return bool(_calls_of(message) or _calls_of(message, "invalid_tool_calls"))


def _read_text(message: Any, strategy: ProviderStrategy[Any]) -> StructuredResponse[Any]:
    spec = strategy.schema_spec
    try:
        written, data = data_in(message, spec.schema)
        _check_keys(spec.name, written, data)
        response = read_data(spec.schema, spec.schema_kind, data)
        check_nothing_dropped(spec.schema, spec.schema_kind, data, response)
    except OutputParserException as error:
        name = getattr(spec.schema, "__name__", "response_format")
        raise StructuredOutputValidationError(name, error, message, is_text=True) from error
    return StructuredResponse(response, [])


def _read_call(
    message: Any, call: Any, others: list[Any], strategy: ToolStrategy[Any]
) -> StructuredResponse[Any] | StructuredRetry:
    binding: OutputToolBinding[Any] = strategy.bindings[call["name"]]
    try:
        for written in _written_for(message, call):
            _check_keys(call["name"], written, call["args"])
        response = binding.parse(call["args"])
        check_nothing_dropped(binding.schema, binding.schema_kind, call["args"], response)
    except OutputParserException as source:
        error = StructuredOutputValidationError(call["name"], source, message)
        error.__cause__ = source
        return _retry(error, [call], others, strategy.handle_errors)
    return StructuredResponse(response, [_answer(call, strategy.told(response))], others)


def _check_keys(name: str, written: str, data: Any) -> None:
    """Check that no key in *written*, the JSON of *data*, has two different values.

    Raises:
        OutputParserException: One has.
    """
    try:
        check_repeated_keys(written, data)
    except JsonSyntaxError as error:
        raise OutputParserException(
            f"Failed to parse the data for {name}: {error.msg}",
            llm_output=written,
            observation=f"The data for {name} are ambiguous: {error.msg}. Write each key only "
            "once.",
        ) from error


def _written_for(message: Any, call: Any) -> Iterator[str]:
    """Yield the JSON texts in *message* that may be the arguments of *call*."""
    wire = (getattr(message, "additional_kwargs", None) or {}).get("tool_calls")
    entries = [entry for entry in wire or () if isinstance(entry, dict)]
    texts = [(entry.get("id"), (entry.get("function") or {}).get("arguments")) for entry in entries]
    chunks = getattr(message, "tool_call_chunks", None) or ()
    texts += [(chunk.get("id"), chunk.get("args")) for chunk in chunks]
    for call_id, written in (*texts, (call.get("id"), written_arguments(message, call))):
        if not isinstance(written, str) or call_id != call.get("id"):
            continue
        if value_or_text(written) == call["args"]:
            yield written


def _retry(
    error: StructuredOutputError,
    calls: Sequence[Any],
    others: list[Any],
    handle_errors: HandleErrors,
) -> StructuredRetry:
    content = structured_output_error_message(error, handle_errors)
    if content is None:
        raise error
    answers = [_answer(call, content, status="error") for call in calls]
    return StructuredRetry(error, answers, others)


def _answer(call: Any, content: str, status: str = "success") -> ToolMessage:
    # Some models send no id; then the answers to several calls cannot be distinguished.
    call_id = call.get("id") or ""
    return ToolMessage(content, name=call["name"], tool_call_id=call_id, status=status)
