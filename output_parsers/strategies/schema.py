"""The schema of a structured response, and how a tool call or a text is read by it.

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
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass, is_dataclass
from functools import lru_cache
from types import UnionType
from typing import (
    TYPE_CHECKING,
    Any,
    Final,
    Generic,
    Literal,
    TypeAlias,
    Union,
    get_args,
    get_origin,
)
from zlib import crc32

from pydantic import BaseModel, TypeAdapter
from typing_extensions import TypeVar, is_typeddict

from output_parsers.exceptions import OutputParserException
from output_parsers.strategies.unknown_keys import dropped_key
from output_parsers.text.thoughts import after_thoughts, is_in_thought
from output_parsers.tool_calls.refusal import check_refusal
from output_parsers.types.models import without_addresses
from outputs.growing_json.arguments import read_arguments

if TYPE_CHECKING:
    from typing import Self

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
        return _validator(schema, kind)(data)
    except Exception as error:
        # Validators are the user's code and may raise any exception.
        raise _unfit(schema, data, without_addresses(str(error)), str(error)) from error


def check_nothing_dropped(schema: Any, kind: SchemaKind, data: Any, response: Any) -> None:
    """Check that *response*, which `read_data` made from *data*, has all keys of *data*.

    Raises:
        OutputParserException: The data have a key that the schema lacks.
    """
    if kind == "json_schema":
        return
    shape = _validated_schema_of(schema, kind)
    path = dropped_key(_validator(schema, kind), data, response, shape)
    if path is not None:
        where = ".".join(map(str, path))
        raise _unfit(schema, data, f"the schema has no key {where}")


def _validator(schema: Any, kind: SchemaKind) -> Callable[[Any], Any]:
    if kind == "pydantic":
        validate: Callable[[Any], Any] = schema.model_validate
        return validate
    return _adapter(schema).validate_python


def _unfit(schema: Any, data: Any, reason: str, message: str = "") -> OutputParserException:
    return OutputParserException(
        f"Failed to parse data to {schema.__name__}: {message or reason}",
        llm_output=json.dumps(data, ensure_ascii=False, skipkeys=True, default=str),
        observation=f"The data do not fit {schema.__name__}: {reason}",
    )


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


@lru_cache(maxsize=64)
def _validated_schema_of(schema: Any, kind: SchemaKind) -> dict[str, Any]:
    return _json_schema_of(schema, kind)


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


# -- reading a response ----------------------------------------------------------------------------


class OutputTool(dict[str, Any]):
    """A tool that is never run: the model calls it with its response as the arguments.

    It is the tool in the format of OpenAI's API, which clients and ``bind_tools`` of LangChain's
    models take::

        {"type": "function", "function": {"name": …, "description": …, "parameters": …}}

    Args:
        name: The tool's name.
        description: What the tool is for, in words for the model.
        args_schema: The JSON Schema of the arguments.
    """

    name: str
    """The tool's name."""
    description: str
    """What the tool is for, in words for the model."""
    args_schema: dict[str, Any]
    """The JSON Schema of the arguments."""

    def __init__(self, name: str, description: str, args_schema: dict[str, Any]) -> None:
        shown = {key: args_schema[key] for key in args_schema if key not in _BESIDE_PARAMETERS}
        function = {"name": name, "description": description, "parameters": shown}
        super().__init__(type="function", function=function)
        self.name, self.description, self.args_schema = name, description, args_schema

    def __repr__(self) -> str:
        return (
            f"OutputTool(name={self.name!r}, description={self.description!r},"
            f" args_schema={self.args_schema!r})"
        )

    def __reduce__(self) -> tuple[Any, ...]:
        return OutputTool, (self.name, self.description, self.args_schema)

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name, each with its JSON Schema."""
        properties: dict[str, Any] = self.args_schema.get("properties", {})
        return properties

    def to_openai(self) -> dict[str, Any]:
        """Return the tool as a plain dictionary, in the format of OpenAI's API."""
        return {**self}


_BESIDE_PARAMETERS: Final = ("title", "description")
"""What a schema says of the tool, which the tool says itself."""


@dataclass
class OutputToolBinding(Generic[SchemaT]):
    """A schema, and the tool that a model calls with a response of that schema."""

    schema: type[SchemaT] | dict[str, Any]
    """The schema as passed by the caller."""
    schema_kind: SchemaKind
    """The kind of schema."""
    tool: OutputTool
    """The tool."""

    @classmethod
    def from_schema_spec(cls, schema_spec: SchemaSpec[SchemaT]) -> Self:
        """Return the binding for *schema_spec*."""
        tool = OutputTool(schema_spec.name, schema_spec.description, schema_spec.json_schema)
        return cls(schema_spec.schema, schema_spec.schema_kind, tool)

    def parse(self, tool_args: dict[str, Any]) -> SchemaT | dict[str, Any]:
        """Return the response in the arguments of a call.

        Raises:
            OutputParserException: The arguments do not fit the schema.
        """
        response: SchemaT | dict[str, Any] = read_data(self.schema, self.schema_kind, tool_args)
        return response


@dataclass
class ProviderStrategyBinding(Generic[SchemaT]):
    """A schema that the provider enforces for the text of a message."""

    schema: type[SchemaT] | dict[str, Any]
    """The schema as passed by the caller."""
    schema_kind: SchemaKind
    """The kind of schema."""

    @classmethod
    def from_schema_spec(cls, schema_spec: SchemaSpec[SchemaT]) -> Self:
        """Return the binding for *schema_spec*."""
        return cls(schema_spec.schema, schema_spec.schema_kind)

    def parse(self, response: Any) -> SchemaT | dict[str, Any]:
        """Return the response in the text of a message.

        Args:
            response: An AI message of any library. Its text is JSON, or has JSON in a code fence.
                A thought at its beginning is not read.

        Raises:
            OutputParserException: The text is not JSON, or does not fit the schema.
            ModelRefusalError: The model refused.
        """
        check_refusal(response)
        _, data = data_in(response, self.schema)
        found: SchemaT | dict[str, Any] = read_data(self.schema, self.schema_kind, data)
        return found


def data_in(response: Any, schema: Any) -> tuple[str, Any]:
    """Return the JSON in the text of a message, and its value.

    Args:
        response: An AI message of any library.
        schema: The schema that it is meant for, which the error names.

    Raises:
        OutputParserException: The text is not JSON.
    """
    text = _text_of(response.content)
    try:
        return _read_json(text)
    except json.JSONDecodeError as error:
        name = getattr(schema, "__name__", "response_format")
        raise OutputParserException(
            f"Native structured output expected valid JSON for {name},"
            f" but parsing failed: {error}.",
            llm_output=text,
            span=(error.pos, len(text)),
            observation=f"Your reply is not valid JSON: {error}. Reply with JSON alone.",
        ) from error


# Up to the last fence, since a string may contain one.
_in_fence = re.compile(r"```(?:json)?\s*+(?=[\[{])(.*)```", re.DOTALL | re.IGNORECASE).search


def _read_json(text: str) -> tuple[str, Any]:
    """Return *text* after its thoughts, or the text in its code fence, and its value.

    Raises:
        json.JSONDecodeError: *text* is not JSON and has no JSON in a fence.
    """
    text = text[after_thoughts(text) :]
    try:
        return text, read_arguments(text, strict=True)
    except json.JSONDecodeError as error:
        fenced = _in_fence(text)
        if fenced is None or is_in_thought(text, fenced.end()):
            raise
        try:
            return fenced[1], read_arguments(fenced[1], strict=True)
        except json.JSONDecodeError:
            raise error from None


def _text_of(content: Any) -> str:
    """Return the text of a message's *content*, including untyped blocks and nested content."""
    if isinstance(content, str):
        return content
    return "".join(_text_in(block) for block in content or ())


def _text_in(block: Any) -> str:
    if not isinstance(block, dict):
        return str(block)
    if block.get("type") == "text" and "text" in block:
        return str(block["text"])
    inner = block.get("content")
    return inner if isinstance(inner, str) else ""
