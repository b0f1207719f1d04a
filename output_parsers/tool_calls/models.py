"""Building objects of pydantic models from tool calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import BaseModel

from output_parsers.exceptions import OutputParserException
from output_parsers.tool_calls.calls import no_object
from output_parsers.types.models import is_v1_model, validate

if TYPE_CHECKING:
    from output_parsers.tool_calls.streams import ParsedCall


def check_model(thing: Any) -> None:
    """Raise a `ValueError` unless *thing* is a pydantic or ``pydantic.v1`` model."""
    if not (is_v1_model(thing) or (isinstance(thing, type) and issubclass(thing, BaseModel))):
        raise ValueError(f"expected a pydantic model, not {thing!r}")


def name_of(tool: type[Any]) -> str:
    """Return the name of the tool that *tool*, a model, describes."""
    title = tool.model_config.get("title") if issubclass(tool, BaseModel) else None
    return title or tool.__name__


def build(call: ParsedCall, models: dict[str, type[Any]], *, partial: bool) -> Any:
    """Return the object for *call*; with *partial*, `None` while it is not valid."""
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
    except ValueError:  # the base of `ValidationError` in pydantic and pydantic.v1
        if partial:
            return None
        raise
