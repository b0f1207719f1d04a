"""Ways to a structured response: the provider's own, or the call of a tool."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeAlias

from output_parsers.strategies.bindings import OutputToolBinding
from output_parsers.strategies.schema import SchemaSpec, SchemaT, variants_of

if TYPE_CHECKING:
    from types import UnionType

HandleErrors: TypeAlias = (
    bool | str | type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], str]
)
"""What to do about a response that cannot be used; see `ToolStrategy.handle_errors`."""


@dataclass(init=False)
class ToolStrategy(Generic[SchemaT]):
    """The model calls a tool whose arguments are the response; of a union, one of several tools."""

    schema: type[SchemaT] | UnionType | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict`, a JSON Schema, or a union of such."""
    schema_specs: list[SchemaSpec[Any]]
    """The schema, or the members of the union."""
    tool_message_content: str | None
    """What to answer the call; by default, the response itself."""
    handle_errors: HandleErrors
    """What to do about a response that cannot be used. The model is told the error, or this text,
    or what this function gives for the error; or only errors of these types, or none (``False``),
    are told, and others raised. Arguments for a JSON Schema are not checked."""

    def __init__(
        self,
        schema: type[SchemaT] | UnionType | dict[str, Any],
        *,
        tool_message_content: str | None = None,
        handle_errors: HandleErrors = True,
    ) -> None:
        self.schema = schema
        self.schema_specs = [SchemaSpec(member) for member in variants_of(schema)]
        self.tool_message_content = tool_message_content
        self.handle_errors = handle_errors

    @cached_property
    def bindings(self) -> dict[str, OutputToolBinding[Any]]:
        """The tools by name, and how to read their arguments.

        Raises:
            ValueError: Two schemas have the same name.
        """
        found: dict[str, OutputToolBinding[Any]] = {}
        for spec in self.schema_specs:
            if spec.name in found:
                raise ValueError(
                    f"two schemas are named {spec.name!r}; the model has to choose one"
                )
            found[spec.name] = OutputToolBinding.from_schema_spec(spec)
        return found

    def to_model_kwargs(self) -> dict[str, Any]:
        """Return what makes a model in OpenAI's style call one of the tools."""
        tools = [binding.tool.to_openai() for binding in self.bindings.values()]
        return {"tools": tools, "tool_choice": "required"}


@dataclass(init=False)
class ProviderStrategy(Generic[SchemaT]):
    """The provider makes the model's text follow the schema.

    Args:
        schema: See the field.
        strict: Whether the provider shall enforce it strictly; `None` to leave that to it.
    """

    schema: type[SchemaT] | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict` or a JSON Schema."""
    schema_spec: SchemaSpec[SchemaT]
    """The same, and what the model is told about it."""

    def __init__(
        self, schema: type[SchemaT] | dict[str, Any], *, strict: bool | None = None
    ) -> None:
        self.schema = schema
        self.schema_spec = SchemaSpec(schema, strict=strict)

    def to_model_kwargs(self) -> dict[str, Any]:
        """Return what makes a model in OpenAI's style answer in the schema."""
        spec = self.schema_spec
        schema: dict[str, Any] = {"name": spec.name, "schema": spec.json_schema}
        if spec.strict:
            schema["strict"] = True
        return {"response_format": {"type": "json_schema", "json_schema": schema}}


@dataclass
class AutoStrategy(Generic[SchemaT]):
    """The better of both for a model: the provider's own way if it has one, else a tool."""

    schema: type[SchemaT] | UnionType | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict`, a JSON Schema, or a union of such."""

    def resolve(self, *, has_provider: bool) -> ToolStrategy[SchemaT] | ProviderStrategy[SchemaT]:
        """Return the strategy for a model.

        Args:
            has_provider: Whether its provider can make it follow a schema. A union is for tools
                even so.
        """
        tools = ToolStrategy[SchemaT](self.schema)
        if has_provider and len(tools.schema_specs) == 1:
            return ProviderStrategy[SchemaT](tools.schema_specs[0].schema)
        return tools


ResponseFormat: TypeAlias = (
    ToolStrategy[SchemaT] | ProviderStrategy[SchemaT] | AutoStrategy[SchemaT]
)
"""Any strategy."""
