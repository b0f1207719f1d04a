"""Pydantic models, dataclasses and typed dictionaries as tools."""

from __future__ import annotations

import inspect
from collections.abc import Iterator
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, TypeAdapter, create_model
from typing_extensions import is_typeddict

from agent_parsers.toolset.declaring.functions import read_docstring
from agent_parsers.toolset.declaring.input_schema import InputSchema
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


def spec_from_model(model: Any) -> ToolSpec:
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
    return ToolSpec(title or model.__name__, doc.description, schema, origin=ModelOrigin(model))


def with_aliases(shown: Any, model: Any) -> Any:
    """Return *shown*, which has some fields of *model*, with the aliases of *model* added.

    A field that *model* reads only by an alias does not get a value that is given by its name.
    """
    if not (_is_v2(model) and _is_v2(shown)):  # LangChain keeps the aliases of version 1
        return shown
    if model.model_config.get("validate_by_name") or model.model_config.get("populate_by_name"):
        return shown
    kept = {name: field for name, field in model.model_fields.items() if name in shown.model_fields}
    if not any(field.validation_alias not in (None, name) for name, field in kept.items()):
        return shown
    if len(kept) == len(model.model_fields):
        return model
    given: dict[str, Any] = {name: (field.annotation, field) for name, field in kept.items()}
    return create_model(shown.__name__, __config__=model.model_config, **given)


def _is_v2(thing: Any) -> bool:
    return isinstance(thing, type) and issubclass(thing, BaseModel)


def parameters_of(model: Any) -> dict[str, Any]:
    """Return the JSON Schema of *model*.

    Raises:
        TypeError: The model has no JSON Schema, or a field has no key of its own.
    """
    from pydantic.errors import PydanticUserError

    try:
        if _is_v2(model) or is_v1_model(model):
            return dict(schema_of(model, InputSchema))
        return _adapter(model).json_schema(schema_generator=InputSchema)
    except (PydanticUserError, NameError) as error:
        raise TypeError(f"{model.__name__} has no JSON Schema: {error}") from error


@dataclass(frozen=True, slots=True)
class ModelOrigin:
    """A model as a tool; running it returns an instance of the model."""

    model: Any

    takes_declared_only: ClassVar = True

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
