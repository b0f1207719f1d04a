"""The schema of a structured response: a pydantic model, dataclass, `TypedDict` or JSON Schema.

::

    class Weather(BaseModel):
        "The weather at a place."

        place: str
        celsius: float

    spec = SchemaSpec(Weather)
    spec.name, spec.description, spec.schema_kind   # 'Weather', 'The weather …', 'pydantic'
    spec.json_schema                                # {'title': 'Weather', 'type': 'object', …}
"""

from __future__ import annotations

import json
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Generic,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)
from zlib import crc32

from pydantic import BaseModel
from typing_extensions import TypeVar, is_typeddict

from output_parsers.exceptions import OutputParserException
from output_parsers.types.pydantic_models import without_addresses

if TYPE_CHECKING:
    from collections.abc import Iterator

    from pydantic import TypeAdapter

SchemaT = TypeVar("SchemaT", default=Any)

SchemaKind: TypeAlias = Literal["pydantic", "dataclass", "typeddict", "json_schema"]


@dataclass(init=False)
class SchemaSpec(Generic[SchemaT]):
    """A schema with its name and description for the model.

    Args:
        schema: A pydantic model, a dataclass, a `TypedDict` or a JSON Schema. Before Python 3.12,
            pydantic requires the `TypedDict` of ``typing_extensions``.
        name: See the field.
        description: See the field.
        strict: See the field.

    Raises:
        ValueError: *schema* has another type.
    """

    schema: type[SchemaT] | dict[str, Any]
    """The schema as passed by the caller."""
    name: str
    """The name for the model; by default the name of the class, or the schema's ``title``. A schema
    without a title gets a name derived from its contents."""
    description: str
    """What the schema is for; by default the docstring, or the schema's ``description``."""
    schema_kind: SchemaKind
    """The kind of schema."""
    json_schema: dict[str, Any]
    """The schema as JSON Schema."""
    strict: bool | None
    """Whether the provider enforces the schema strictly; `None` to let the provider decide."""

    def __init__(
        self,
        schema: type[SchemaT] | dict[str, Any],
        *,
        name: str | None = None,
        description: str | None = None,
        strict: bool | None = None,
    ) -> None:
        self.schema = schema
        self.schema_kind = _kind_of(schema)
        self.json_schema = _json_schema_of(schema, self.schema_kind)
        self.name = name or _name_of(schema)
        if isinstance(schema, dict):
            self.description = description or schema.get("description", "")
        else:
            self.description = description or schema.__doc__ or ""
        self.strict = strict


def variants_of(schema: Any) -> Iterator[Any]:
    """Yield the members of a union and of nested unions, or *schema* itself if it is not a union.

    A JSON Schema is a union if it has ``oneOf``; its definitions are copied to all members.
    """
    if get_origin(schema) in (UnionType, Union):
        for member in get_args(schema):
            yield from variants_of(member)
    elif isinstance(schema, dict) and isinstance(schema.get("oneOf"), list) and schema["oneOf"]:
        definitions = schema.get("$defs", {})
        for member in schema["oneOf"]:
            yield from variants_of(_with_definitions(member, definitions))
    else:
        yield schema


def read_data(schema: Any, kind: SchemaKind, data: Any) -> Any:
    """Return *data* as an object of *schema*; for a JSON Schema, unchanged and unchecked.

    Raises:
        OutputParserException: The data do not fit the schema.
    """
    if kind == "json_schema":
        return data
    try:
        if kind == "pydantic":
            return schema.model_validate(data)
        return _adapter(schema).validate_python(data)
    except Exception as error:
        # Validators are the user's code and may raise any exception.
        raise OutputParserException(
            f"Failed to parse data to {schema.__name__}: {error}",
            llm_output=json.dumps(data, ensure_ascii=False, skipkeys=True, default=str),
            observation=f"The data do not fit {schema.__name__}: {without_addresses(str(error))}",
        ) from error


@lru_cache(maxsize=64)
def _adapter(schema: Any) -> TypeAdapter[Any]:
    from pydantic import TypeAdapter

    return TypeAdapter(schema)


def _kind_of(schema: Any) -> SchemaKind:
    if isinstance(schema, dict):
        return "json_schema"
    if isinstance(schema, type):
        if issubclass(schema, BaseModel):
            return "pydantic"
        if is_dataclass(schema):
            return "dataclass"
    if is_typeddict(schema):
        return "typeddict"
    raise ValueError(
        f"Unsupported schema type: {type(schema)}. Supported types: Pydantic models, dataclasses,"
        f" TypedDicts, and JSON schema dicts. This is {schema!r:.100}."
    )


def _json_schema_of(schema: Any, kind: SchemaKind) -> dict[str, Any]:
    if kind == "json_schema":
        return dict(schema)
    if kind == "pydantic":
        found: dict[str, Any] = schema.model_json_schema()
        return found
    return _adapter(schema).json_schema()


def _name_of(schema: Any) -> str:
    if not isinstance(schema, dict):
        return str(schema.__name__)
    if "title" in schema:
        return str(schema["title"])
    written = json.dumps(schema, sort_keys=True, default=str)
    return f"response_format_{crc32(written.encode(errors='replace')):08x}"


def _with_definitions(schema: Any, definitions: dict[str, Any]) -> Any:
    """Return *schema*, or the definition it refers to, with *definitions* added."""
    if not definitions or not isinstance(schema, dict):
        return schema
    referred = definitions.get(str(schema.get("$ref", "")).removeprefix("#/$defs/"), schema)
    return {**referred, "$defs": definitions}
