"""Parsers of a message's function call, the legacy form of tool calls.

::

    AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": '{"a": 1}'}})
"""

from __future__ import annotations

import copy
import json
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, SkipValidation, model_validator
from typing_extensions import TypeVar, override

from output_parsers.base import BaseGenerationOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.tool_calls.calls import message_in
from output_parsers.tool_calls.models import check_model
from output_parsers.tool_calls.refusal import check_refusal
from output_parsers.tool_calls.streams import FunctionReader
from output_parsers.transform import BaseCumulativeTransformOutputParser
from outputs.growing_json.arguments import read_arguments
from outputs.growing_json.reader import parse_partial_json

if TYPE_CHECKING:
    from output_parsers.streams.readers import ChunkReader
    from outputs import Generation

__all__ = [
    "JsonKeyOutputFunctionsParser",
    "JsonOutputFunctionsParser",
    "OutputFunctionsParser",
    "PydanticAttrOutputFunctionsParser",
    "PydanticOutputFunctionsParser",
]

Called = TypeVar("Called", default=Any)


class OutputFunctionsParser(BaseGenerationOutputParser[Called]):
    """Returns the arguments of a message's function call as JSON text, or the whole call.

    Raises:
        OutputParserException: There is no message, only text, or the message has no function call.
        ModelRefusalError: The model refused, whatever it called.
    """

    args_only: bool = True
    """Return only the arguments instead of a copy of the whole call."""

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the function call in the first generation of *result*, or its arguments alone.

        Args:
            result: What a chat model generated.
            partial: Ignored.
        """
        call = function_call_in(message_in(result))
        if self.args_only and "arguments" not in call:
            raise OutputParserException(
                "expected a function call with arguments",
                llm_output=json.dumps(call, ensure_ascii=False, skipkeys=True, default=str),
                observation="Your function call has no arguments. Write them as a JSON object.",
            )
        return copy.deepcopy(call["arguments"] if self.args_only else call)


class JsonOutputFunctionsParser(BaseCumulativeTransformOutputParser[Any]):
    """Returns the arguments of a message's function call, parsed from JSON.

    ::

        {"query": "rain"}

    A stream yields the arguments so far; with ``diff`` it yields what changed, as lists of JSON
    Patch operations (RFC 6902). It ends with the result or the error for the whole message.

    Raises:
        OutputParserException: There is no message, only text, or the message has no function call,
            or the call's arguments are not JSON text.
        ModelRefusalError: The model refused, whatever it called.
    """

    strict: bool = False
    """Refuse control characters, such as line breaks, in strings."""

    args_only: bool = True
    """Return only the arguments instead of the whole call with its arguments as data."""

    @property
    def _type(self) -> str:
        return "json_functions"

    @override
    def _diff(self, prev: Any, next: Any) -> Any:
        import jsonpatch

        return jsonpatch.make_patch(prev, next).patch

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the arguments in the message of *result*; see the class.

        Args:
            result: What a chat model generated: one candidate.
            partial: Whether more may follow; then the result is `None` until there is a value.
        """
        if len(result) != 1:
            raise OutputParserException(f"Expected exactly one result, but got {len(result)}")
        read = self._partial_call if partial else self._whole_call
        return self._result_of(read(message_in(result)), partial=partial)

    @override
    def parse(self, text: str) -> Any:
        """Not supported: function calls are in a message, not in its text.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "function calls are in a message, not in its text: pass the message to invoke"
        )

    def _whole_call(self, message: Any) -> Any:
        call = function_call_in(message)
        if "arguments" not in call:
            return None
        written = call["arguments"]
        if not isinstance(written, str):
            raise _unreadable(f"expected JSON text, found {type(written).__name__}", written)
        try:
            args = read_arguments(written, strict=self.strict)
        except json.JSONDecodeError as error:
            raise _unreadable(str(error), written, error.pos) from error
        return args if self.args_only else {**call, "arguments": args}

    def _partial_call(self, message: Any) -> Any:
        """Return the readable part of the call, or `None`; see `function_call_in` for refusals."""
        check_refusal(message)
        call = message.additional_kwargs.get("function_call")
        if not isinstance(call, dict) or not isinstance(call.get("arguments"), str):
            return None
        try:
            args = parse_partial_json(call["arguments"], strict=self.strict)
        except json.JSONDecodeError:
            return None
        return args if self.args_only else {**call, "arguments": args}

    def _result_of(self, call: Any, *, partial: bool) -> Any:  # noqa: ARG002
        """Return the parser's result for *call*, a call or its arguments.

        *call* is `None` if nothing can be read yet, or if the call has no arguments.
        """
        return call

    @override
    def _reader(self) -> ChunkReader[Any]:
        # A subclass that overrides `parse_result` gets the sum of all chunks each time.
        if getattr(self.parse_result, "__func__", None) is JsonOutputFunctionsParser.parse_result:
            return FunctionReader(self, reports_changes=self._reports_changes())
        return super()._reader()

    def _reports_changes(self) -> bool:
        """Return whether the results are the arguments, whose changes the reader reports."""
        cls = JsonOutputFunctionsParser
        same = type(self)._result_of is cls._result_of and type(self)._diff is cls._diff
        return self.diff and self.args_only and same


class JsonKeyOutputFunctionsParser(JsonOutputFunctionsParser):
    """Returns one argument of a message's function call, parsed from JSON.

    ::

        JsonKeyOutputFunctionsParser(key_name="query")  # returns "rain"

    Streams and errors are as in `JsonOutputFunctionsParser`.

    Raises:
        OutputParserException: Also if the argument is missing.
    """

    key_name: str
    """The argument's name."""

    @override
    def _result_of(self, call: Any, *, partial: bool) -> Any:
        if isinstance(call, dict) and (partial or self.key_name in call):
            return call.get(self.key_name)
        if partial:
            return None
        raise OutputParserException(
            f"expected a function call whose arguments include {self.key_name!r}",
            llm_output=json.dumps(call, ensure_ascii=False, default=str),
            observation=f"The argument {self.key_name!r} is missing. Call the function again, with "
            "this argument.",
        )


def function_call_in(message: Any) -> dict[str, Any]:
    """Return the function call of *message*.

    Raises:
        OutputParserException: There is no function call.
        ModelRefusalError: The model refused.
    """
    check_refusal(message)
    call = (message.additional_kwargs or {}).get("function_call")
    if isinstance(call, dict):
        return call
    hint = ""
    if getattr(message, "tool_calls", None) or message.additional_kwargs.get("tool_calls"):
        hint = "; the message has tool calls, which JsonOutputToolsParser reads"
    raise OutputParserException(
        f"Could not parse function call: 'function_call'{hint}",
        llm_output=message.text,
        observation="You did not call a function. Call one of the functions you were given.",
    )


def _unreadable(reason: str, written: Any, pos: int = 0) -> OutputParserException:
    text = written if isinstance(written, str) else repr(written)
    return OutputParserException(
        f"Could not parse function call data: {reason}",
        llm_output=text,
        span=(pos, len(text)),
        observation=f"The arguments of your call cannot be read: {reason}. Write a JSON object.",
    )


class PydanticOutputFunctionsParser(OutputFunctionsParser[Called]):
    """Returns the function call of a message as an object of a pydantic model.

    ::

        PydanticOutputFunctionsParser(pydantic_schema=Search)  # returns Search(query="rain")
        PydanticOutputFunctionsParser(pydantic_schema={"search": Search, "wait": Wait})

    Raises:
        pydantic.ValidationError: The arguments are not JSON, or not valid for the model.
        OutputParserException: The message calls a function without a model; also as in
            `OutputFunctionsParser`.
        ValueError: At construction: the schema is not as described.
    """

    pydantic_schema: SkipValidation[type[Called] | dict[str, type[Called]]]
    """A pydantic or ``pydantic.v1`` model, or a dictionary of models by function name."""

    @model_validator(mode="before")
    @classmethod
    def _set_args_only(cls, fields: Any) -> Any:
        """Check the schema and derive ``args_only`` from it."""
        if not isinstance(fields, dict) or "pydantic_schema" not in fields:
            return fields
        schema = fields["pydantic_schema"]
        has_many = isinstance(schema, dict)
        for model in schema.values() if has_many else [schema]:
            check_model(model)
        if has_many and fields.get("args_only"):
            raise ValueError(
                "If multiple pydantic schemas are provided then args_only should be False."
            )
        return {"args_only": not has_many, **fields}

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the function call in the first generation in *result* as an object.

        Args:
            result: What a chat model generated.
            partial: Ignored.
        """
        call = super().parse_result(result)
        schema = self.pydantic_schema
        if self.args_only:
            return _build(schema, call)
        if isinstance(schema, dict):
            schema = _model_for(call.get("name"), schema)
        return _build(schema, call.get("arguments"))


class PydanticAttrOutputFunctionsParser(PydanticOutputFunctionsParser[Any]):
    """Returns one attribute of the object that `PydanticOutputFunctionsParser` returns.

    ::

        PydanticAttrOutputFunctionsParser(pydantic_schema=Search, attr_name="query")  # "rain"
    """

    attr_name: str
    """The attribute's name."""

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        return getattr(super().parse_result(result), self.attr_name)


def _model_for(name: Any, models: dict[str, type[Any]]) -> type[Any]:
    if isinstance(name, str) and name in models:
        return models[name]
    available = ", ".join(models) or "none"
    raise OutputParserException(
        f"Unknown function: {name!r}. Available functions: {available}",
        llm_output=str(name),
        observation=f"There is no function named {name!r}. Use one of these: {available}.",
    )


def _build(model: Any, args: Any) -> Any:
    """Return *args*, JSON text, as an object of *model*."""
    if issubclass(model, BaseModel):
        return model.model_validate_json(args)
    try:
        return model.parse_raw(args)
    except RecursionError as error:
        raise OutputParserException(
            "the arguments of the function call are nested too deeply",
            llm_output=args,
            observation="The arguments of your call are nested too deeply. Use fewer levels.",
        ) from error
