"""The tools that a model calls to give an answer of a type; they are never run."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, Never, NoReturn, TypeVar

from agent_parsers.toolset.declaring.forms import spec_from
from agent_parsers.toolset.output_type import OutputType
from agent_parsers.toolset.problems.errors import AnswerError, as_json
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
    sent_to_model,
)
from output_parsers.strategies.loop import structured_output_error_message
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from output_parsers.types.models import is_v1_model

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.toolset.schemas.spec import ToolSpec
    from output_parsers import OutputParserException

_Wrong = TypeVar("_Wrong", AnswerError, StructuredOutputError)

_WRAPPED: Final = "answer"
"""The tool, and its only argument, for an answer that is not an object."""


class AnswerTools:
    """The tools that a model calls to answer with a type: for a union, one for each member.

    Args:
        output_type: A `ToolStrategy`, or a type. If the type is not an object, but for example
            ``list[str]``, the answer is the argument ``answer`` of a tool of that name.

    Raises:
        TypeError: The type has no JSON Schema.
        ValueError: Two members of a union have the same name.
    """

    def __init__(self, output_type: Any) -> None:
        made = None
        if isinstance(output_type, ToolStrategy):
            made, output_type = (output_type, _specs(output_type)), output_type.schema
        elif not isinstance(output_type, dict) or _is_object(output_type):
            with suppress(TypeError, ValueError):
                made = _made_of(output_type)
        self._is_wrapped: Final = made is None
        strategy, specs = made or _made_of(_wrapped(output_type))
        self.strategy: Final[ToolStrategy[Any]] = strategy
        """What to do with answers that cannot be used."""
        self.specs: Final[dict[str, ToolSpec]] = specs
        """The tools, by name."""
        self.output_type: Final = OutputType(output_type)
        """The type; an answer may also be given as text."""

    def read_calls(self, calls: Sequence[AgentAction]) -> Any:
        """Return the answer that the single call in *calls* gives; its input has been checked.

        Raises:
            AnswerError: The answer does not fit the whole JSON Schema.
            MultipleStructuredOutputsError: There are several calls.
        """
        if len(calls) > 1:
            several = MultipleStructuredOutputsError([each.tool for each in calls], None)
            raise _placed(several, calls[0])
        call = calls[0]
        origin = self.specs[call.tool].origin
        value = call.tool_input if origin is None else origin.run(call.tool_input)
        if self._is_wrapped:
            value = value[_WRAPPED] if isinstance(value, dict) else getattr(value, _WRAPPED)
        if not isinstance(self.output_type.type, dict):
            return value
        try:
            return self.output_type.read(value).value
        except AnswerError as error:
            _placed(error, call)
            raise

    def partial(self, value: Any) -> Any:
        """Return the part of the answer in *value*: the arguments so far, or the data of a text."""
        return value.get(_WRAPPED) if self._is_wrapped and isinstance(value, dict) else value

    def read_text(self, finish: AgentFinish, *, lenient: bool, is_cut: bool) -> Any:
        """Return the answer that is given as text, which may go on if *is_cut*.

        Raises:
            AnswerError: It is not of the type.
        """
        try:
            return self.output_type.read(finish.output, lenient=lenient, is_cut=is_cut).value
        except AnswerError as error:
            names = " or ".join(self.specs)
            error.observation = f"{error.advice}\nGive your final answer by calling {names}."
            _placed(error, finish)
            raise

    def handle(self, error: OutputParserException) -> None:
        """Set the message for the model about an *error* in an answer, as the strategy says.

        Raises:
            StructuredOutputError: The model should not be asked again.
        """
        name = getattr(error, "tool", None)
        wrong: StructuredOutputError
        if isinstance(error, StructuredOutputError):
            wrong = error
        elif isinstance(error, AnswerError):
            name = " or ".join(self.specs)
            wrong = StructuredOutputValidationError(name, error, error.ai_message, is_text=True)
        elif name in self.specs:
            wrong = StructuredOutputValidationError(name, error, error.ai_message)
        else:
            return
        told = structured_output_error_message(wrong, self.strategy.handle_errors)
        if told is None:
            raise wrong from (None if wrong is error else error)
        if told != sent_to_model(wrong):  # else what is known of the error says more
            error.observation = told


def _specs(strategy: ToolStrategy[Any]) -> dict[str, ToolSpec]:
    """Return the tools of a *strategy*, by name.

    Raises:
        ValueError: Two have the same name, or a schema is not that of an object.
    """
    specs: dict[str, ToolSpec] = {}
    for given, binding in strategy.bindings.items():
        name = _name_for_apis(given)
        if name in specs:
            raise ValueError(f"two schemas make a tool {name!r}; give one of them another title")
        specs[name] = replace(spec_from(binding.schema, name=given), name=name)
    return specs


def _name_for_apis(name: str) -> str:
    """Return a name of a tool that all APIs take."""
    return re.sub(r"[^a-zA-Z0-9_-]+", "_", name).strip("_")[:64] or _WRAPPED


def _made_of(output_type: Any) -> tuple[ToolStrategy[Any], dict[str, ToolSpec]]:
    """Return the strategy for a type, and its tools; for errors see `_specs`."""
    strategy = ToolStrategy(output_type)
    return strategy, _specs(strategy)


def _placed(error: _Wrong, result: AgentAction | AgentFinish) -> _Wrong:
    """Return *error* with what it is in: all that was written for the *result*."""
    error.llm_output, error.span = result.log, (0, len(result.log))
    error.ai_message = next(iter(getattr(result, "message_log", ())), None)
    return error


def _is_object(schema: dict[str, Any]) -> bool:
    """Return whether a JSON Schema is that of an object, or of one of several and nothing else."""
    if "oneOf" not in schema:
        return schema.get("type") == "object" or "properties" in schema
    # What stands beside the parts counts for each of them.
    return _BESIDE_PARTS.issuperset(schema) and '"$ref": "#"' not in as_json(schema)


_BESIDE_PARTS: Final = frozenset(("oneOf", "$defs", "title", "description", "$schema", "$id"))


def _wrapped(output_type: Any) -> Any:
    """Return an object whose only member is of the type."""
    if isinstance(output_type, dict):
        shared = {name: output_type[name] for name in _SHARED if name in output_type}
        inner = {name: value for name, value in output_type.items() if name not in shared}
        whole = {
            "title": _WRAPPED,
            "type": "object",
            "properties": {_WRAPPED: inner},
            "required": [_WRAPPED],
            **shared,
        }
        return _moved(whole)
    from pydantic import create_model

    return create_model(_WRAPPED, answer=(output_type, ...))


_SHARED: Final = ("$defs", "definitions")
_DATA: Final = ("const", "enum", "default", "examples")


def _moved(node: Any) -> Any:
    """Return a schema whose references to the root lead to where that is now."""
    if isinstance(node, list):
        return [*map(_moved, node)]
    if not isinstance(node, dict):
        return node
    moved = {key: value if key in _DATA else _moved(value) for key, value in node.items()}
    ref = moved.get("$ref")
    if isinstance(ref, str) and ref[:1] == "#":
        is_shared = ref.startswith(tuple(f"#/{name}/" for name in _SHARED))
        moved["$ref"] = ref if is_shared else f"#/properties/{_WRAPPED}{ref[1:]}"
    return moved


def strategy_of(output_type: Any, *, is_native: bool, has_provider: bool) -> Any:
    """Return how a model is asked for an answer of the type.

    Args:
        output_type: A type, a JSON Schema, or a strategy.
        is_native: Whether the model's calls are read from messages.
        has_provider: Whether the provider can enforce a schema.

    Returns:
        `AnswerTools`, a `ProviderStrategy`, or the type itself, which the prompt describes.

    Raises:
        TypeError: The type has no JSON Schema, or the strategy only works with native calls.
    """
    output_type = _own(output_type)
    if isinstance(output_type, ToolStrategy):
        return AnswerTools(output_type)
    if isinstance(output_type, ProviderStrategy):
        if not is_native:
            raise TypeError(
                "a ProviderStrategy only works with native calls, since it makes the whole reply"
                ' JSON: use a parser such as get_parser("tools"), a ToolStrategy, or the type'
                " itself"
            )
        return output_type
    if isinstance(output_type, AutoStrategy):
        output_type = output_type.schema
    if not is_native or output_type in (Never, NoReturn) or is_v1_model(output_type):
        return output_type
    if OutputType(output_type).takes_text:
        return output_type
    if has_provider:
        with suppress(ValueError):
            resolved = AutoStrategy(output_type).resolve(has_provider=True)
            if isinstance(resolved, ProviderStrategy):
                return resolved
    return AnswerTools(output_type)


def _own(strategy: Any) -> Any:
    """Return our strategy for one of LangChain's; anything else unchanged."""
    kind = type(strategy)
    if kind.__module__.partition(".")[0] != "langchain":
        return strategy
    if kind.__name__ == "ToolStrategy":
        return ToolStrategy(
            strategy.schema,
            tool_message_content=strategy.tool_message_content,
            handle_errors=strategy.handle_errors,
        )
    if kind.__name__ == "ProviderStrategy":
        return ProviderStrategy(strategy.schema, strict=getattr(strategy, "strict", None))
    return AutoStrategy(strategy.schema) if kind.__name__ == "AutoStrategy" else strategy
