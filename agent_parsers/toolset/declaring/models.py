"""Pydantic models, dataclasses and typed dictionaries as tools."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, TypeAdapter
from typing_extensions import is_typeddict

from agent_parsers.toolset.declaring.functions import read_docstring
from agent_parsers.toolset.declaring.validation import problems_of, validated
from agent_parsers.toolset.schemas.spec import ToolSpec
from output_parsers.types.models import is_v1_model, schema_of, validate

if TYPE_CHECKING:
    from agent_parsers.toolset.problems.input_problem import InputProblem


def is_model(thing: object) -> bool:
    """Return whether *thing* is a pydantic model, a dataclass or a typed dictionary."""
    if is_typeddict(thing):
        return True
    if not isinstance(thing, type):
        return False
    return issubclass(thing, BaseModel) or is_v1_model(thing) or is_dataclass(thing)


def spec_from_model(model: Any, *, name: str | None = None) -> ToolSpec:
    """Return a tool whose input is a *model*.

    Its name is the ``title`` in the model's config, or else the name of the class. Running the tool
    returns an instance of the model.

    Raises:
        TypeError: A field is of a type that JSON does not have.
    """
    schema = parameters_of(model)
    description = schema.pop("description", "")
    title = getattr(model, "model_config", {}).get("title") if isinstance(model, type) else None
    schema.pop("title", None)
    doc = read_docstring(inspect.cleandoc(description))
    members = schema.get("properties", {})
    for key, text in doc.parameters.items():
        if isinstance(members.get(key), dict):
            members[key].setdefault("description", text)
    return ToolSpec(
        name or title or model.__name__, doc.description, schema, origin=ModelOrigin(model)
    )


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the JSON Schema of *model*.

    Raises:
        TypeError: The model has no JSON Schema.
    """
    from pydantic.errors import PydanticUserError

    try:
        if isinstance(model, type) and (issubclass(model, BaseModel) or is_v1_model(model)):
            return dict(schema_of(model))
        return _adapter(model).json_schema()
    except (PydanticUserError, NameError) as error:
        raise TypeError(f"{model.__name__} has no JSON Schema: {error}") from error


@dataclass(frozen=True, slots=True)
class ModelOrigin:
    """A model; running it returns an instance of the model."""

    model: Any

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield the problems that the model's validators find in *value*."""
        return problems_of(self.run, value)

    def run(self, value: Any) -> Any:
        """Return *value* as an instance of the model.

        Raises:
            pydantic.ValidationError: *value* does not fit the model.
        """
        if is_v1_model(self.model):
            return validate(self.model, value)
        return validated(_adapter(self.model), value)


@lru_cache(maxsize=256)
def _adapter(model: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(model)
