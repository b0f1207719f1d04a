"""A common interface to pydantic and ``pydantic.v1`` models."""

from __future__ import annotations

import json
import re
from typing import Any

from pydantic import BaseModel


def is_v1_model(thing: object) -> bool:
    """Return whether *thing* is a ``pydantic.v1`` model, without importing ``pydantic.v1``."""
    return isinstance(thing, type) and any(
        base.__name__ == "BaseModel" and base.__module__ == "pydantic.v1.main"
        for base in thing.__mro__
    )


def schema_of(model: type[Any]) -> dict[str, Any]:
    """Return the JSON Schema of *model*."""
    schema: dict[str, Any]
    schema = model.schema() if is_v1_model(model) else model.model_json_schema()
    return schema


def validate(model: type[Any], value: Any) -> Any:
    """Return *value* as an object of *model*.

    Raises:
        ValueError: *value* is not valid: the ``ValidationError`` of pydantic or ``pydantic.v1``.
        TypeError: *model* is not a pydantic or ``pydantic.v1`` model.
    """
    if issubclass(model, BaseModel):
        return model.model_validate(value)
    if is_v1_model(model):
        return model.parse_obj(value)
    raise TypeError(f"expected a pydantic model, not {model.__name__}")


def dump(thing: Any) -> Any:
    """Return an object of a pydantic model as JSON data, and anything else unchanged."""
    if isinstance(thing, BaseModel):
        return thing.model_dump(mode="json")
    return json.loads(thing.json()) if is_v1_model(type(thing)) else thing


_address = re.compile(
    r"\n {0,8}For (?:further information visit https://errors\.pydantic\.dev/"
    r"|troubleshooting, visit: https://)\S+"
)


def without_addresses(message: str) -> str:
    """Return *message* without the links that pydantic and LangChain add to their messages."""
    return _address.sub("", message)
