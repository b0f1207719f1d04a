"""The parser that makes objects of tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, field_validator
from typing_extensions import override

from output_parsers.exceptions import OutputParserException
from output_parsers.openai_tools import JsonOutputToolsParser
from output_parsers.tool_calls.calls import no_object, raise_all
from output_parsers.types.pydantic_models import is_v1_model, validate

if TYPE_CHECKING:
    from output_parsers.tool_calls.tools_stream import ParsedCall


class PydanticToolsParser(JsonOutputToolsParser):
    """The tool calls of a message as objects, in order.

    ::

        class Search(BaseModel):
            query: str

        PydanticToolsParser(tools=[Search])  # gives [Search(query="rain")]

    A stream gives each object as soon as what has arrived of its arguments is valid, and again
    as they grow; if they hold many values, not after every chunk. It ends in the result for
    the whole message, or in its error.

    Raises:
        pydantic.ValidationError: The arguments of a call are not what its model says. If the
            model stopped because of ``max_tokens``, a note on the error and the log say so.
        OutputParserException: The message calls a tool that is not among `tools`; also as in
            `JsonOutputToolsParser`.
        ValueError: When made: one of the `tools` is no model.
    """

    tools: list[type[Any]]
    """Models of pydantic or ``pydantic.v1``. A tool is called by the ``title`` in its model's
    config, or else by the name of the class."""

    @field_validator("tools")
    @classmethod
    def _are_models(cls, tools: list[type[Any]]) -> list[type[Any]]:
        for tool in tools:
            check_model(tool)
        return tools

    @override
    def _result_of(self, calls: list[ParsedCall] | None, *, partial: bool) -> Any:
        calls = (calls or [])[:1] if self.first_tool_only else calls or []
        raise_all(call.error for call in calls)
        # Of two models with one name, that of pydantic.v1 counts, else the last.
        models = {_name_of(tool): tool for tool in sorted(self.tools, key=is_v1_model)}
        objects = []
        for call in calls:
            if call.is_due:
                call.is_due, call.built = False, _build(call, models, partial=partial)
            if call.built is not None:
                objects.append(call.built)
        if self.first_tool_only:
            return objects[0] if objects else None
        return objects


def check_model(thing: Any) -> None:
    """Raise a `ValueError` unless *thing* is a model of pydantic or ``pydantic.v1``."""
    if not (is_v1_model(thing) or (isinstance(thing, type) and issubclass(thing, BaseModel))):
        raise ValueError(f"expected a pydantic model, not {thing!r}")


def _name_of(tool: type[Any]) -> str:
    title = tool.model_config.get("title") if issubclass(tool, BaseModel) else None
    return title or tool.__name__


def _build(call: ParsedCall, models: dict[str, type[Any]], *, partial: bool) -> Any:
    """Return the object for *call*; with *partial*, `None` as long as it is not valid."""
    if not isinstance(call.args, dict):
        if partial:
            return None
        raise no_object(call.name, call.args)
    model = models.get(call.name)
    if model is None:
        if call.is_arriving:
            return None
        available = ", ".join(models) or "<no_tools>"
        raise OutputParserException(
            f"Unknown tool type: {call.name!r}. Available tools: {available}",
            llm_output=call.name,
            observation=f"There is no tool named {call.name!r}. Use one of these: {available}.",
        )
    try:
        return validate(model, dict(call.args))  # a copy: a validator may change what it is given
    except ValueError:  # That is what a `ValidationError` is, of pydantic and of pydantic.v1.
        if partial:
            return None
        raise
