"""Strategies for structured responses: the provider's structured output, or a tool call."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, Generic, TypeAlias, TypedDict, overload

from output_parsers.strategies.schema import OutputToolBinding, SchemaSpec, SchemaT, variants_of

if TYPE_CHECKING:
    from types import UnionType

    from typing_extensions import TypeForm, Unpack

HandleErrors: TypeAlias = (
    bool | str | type[Exception] | tuple[type[Exception], ...] | Callable[[Exception], str]
)
"""How to handle an unusable response; see `ToolStrategy.handle_errors`."""


class ToolOptions(TypedDict, total=False):
    """The options of a `ToolStrategy` other than the schema; see its fields."""

    tool_message_content: str | None
    handle_errors: HandleErrors


class _Strategy:
    """The base of the strategies, which are for `read_structured_output` and not for LangChain."""

    if not TYPE_CHECKING:  # checkers would take any attribute to exist

        def __getattr__(self, name: str) -> Any:
            """Explain to LangChain's `create_agent`, which takes a strategy of ours for a schema.

            Raises:
                TypeError: Pydantic looks for the schema of a strategy.
            """
            ours = type(self).__name__
            if name == "__get_pydantic_core_schema__":
                raise TypeError(
                    f"LangChain's agents take only LangChain's own {ours}: use `from "
                    f"langchain.agents.structured_output import {ours}`"
                )
            raise AttributeError(f"{ours!r} object has no attribute {name!r}")


@dataclass(init=False)
class ToolStrategy(_Strategy, Generic[SchemaT]):
    """The model calls a tool whose arguments are the response; a union gets one tool per member."""

    schema: type[SchemaT] | UnionType | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict`, a JSON Schema, or a union of these."""
    schema_specs: list[SchemaSpec[Any]]
    """The schema, or the members of the union."""
    tool_message_content: str | None
    """The answer to the tool call; by default, it contains the response."""
    handle_errors: HandleErrors
    """How to handle an unusable response. ``True`` sends the error to the model, a string is sent
    instead of the error, and a function returns the text to send. With exception types, only errors
    of these types are sent; ``False`` sends nothing. Errors that are not sent are raised. Arguments
    for a JSON Schema are not checked."""

    # To a type checker, a union such as `Weather | Failure` is a `TypeForm`, and no `type`.
    @overload
    def __init__(self, schema: type[SchemaT], **options: Unpack[ToolOptions]) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT], **options: Unpack[ToolOptions]) -> None: ...
    @overload
    def __init__(
        self, schema: UnionType | dict[str, Any], **options: Unpack[ToolOptions]
    ) -> None: ...
    def __init__(
        self,
        schema: Any,
        *,
        tool_message_content: str | None = None,
        handle_errors: HandleErrors = True,
    ) -> None:
        is_known = isinstance(handle_errors, bool | str) or callable(handle_errors)
        if isinstance(handle_errors, tuple):
            is_known = all(isinstance(kind, type) for kind in handle_errors)
        if not is_known:
            raise TypeError(
                "handle_errors must be a bool, a text for the model, one or several classes of"
                f" exceptions, or a function, not {handle_errors!r:.100}"
            )
        self.schema = schema
        self.schema_specs = [SchemaSpec(member) for member in variants_of(schema)]
        self.tool_message_content = tool_message_content
        self.handle_errors = handle_errors

    @cached_property
    def bindings(self) -> dict[str, OutputToolBinding[Any]]:
        """The bindings of the tools, by name.

        Raises:
            ValueError: Two schemas have the same name.
        """
        found: dict[str, OutputToolBinding[Any]] = {}
        for spec in self.schema_specs:
            if spec.name in found:
                raise ValueError(f"two schemas have the name {spec.name!r}: rename one of them")
            found[spec.name] = OutputToolBinding.from_schema_spec(spec)
        return found

    def told(self, response: Any) -> str:
        """Return the answer to the tool call that gives *response*."""
        return self.tool_message_content or f"Returning structured response: {response}"

    def to_model_kwargs(self) -> dict[str, Any]:
        """Return the settings that make an OpenAI-compatible model call one of the tools."""
        tools = [binding.tool.to_openai() for binding in self.bindings.values()]
        return {"tools": tools, "tool_choice": "required"}


@dataclass(init=False)
class ProviderStrategy(_Strategy, Generic[SchemaT]):
    """The provider enforces the schema for the model's text.

    Args:
        schema: See the field.
        strict: Whether the provider enforces it strictly; `None` to let the provider decide.
    """

    schema: type[SchemaT] | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict` or a JSON Schema."""
    schema_spec: SchemaSpec[SchemaT]
    """The schema with its name and description for the model."""

    def __init__(
        self, schema: type[SchemaT] | dict[str, Any], *, strict: bool | None = None
    ) -> None:
        self.schema = schema
        self.schema_spec = SchemaSpec(schema, strict=strict)

    def to_model_kwargs(self) -> dict[str, Any]:
        """Return the settings that make an OpenAI-compatible model follow the schema."""
        spec = self.schema_spec
        schema: dict[str, Any] = {"name": spec.name, "schema": spec.json_schema}
        if spec.strict:
            schema["strict"] = True
        return {"response_format": {"type": "json_schema", "json_schema": schema}}


@dataclass(init=False)
class AutoStrategy(_Strategy, Generic[SchemaT]):
    """The best strategy for a model: the provider's structured output if available, else tools."""

    schema: type[SchemaT] | UnionType | dict[str, Any]
    """A pydantic model, a dataclass, a `TypedDict`, a JSON Schema, or a union of these."""

    @overload
    def __init__(self, schema: type[SchemaT]) -> None: ...
    @overload
    def __init__(self, schema: TypeForm[SchemaT]) -> None: ...
    @overload
    def __init__(self, schema: UnionType | dict[str, Any]) -> None: ...
    def __init__(self, schema: Any) -> None:
        self.schema = schema

    def resolve(self, *, has_provider: bool) -> ToolStrategy[SchemaT] | ProviderStrategy[SchemaT]:
        """Return the strategy for a model.

        Args:
            has_provider: Whether the model's provider supports structured output. A union always
                uses tools.
        """
        tools = ToolStrategy[SchemaT](self.schema)
        if has_provider and len(tools.schema_specs) == 1:
            return ProviderStrategy[SchemaT](tools.schema_specs[0].schema)
        return tools


ResponseFormat: TypeAlias = (
    ToolStrategy[SchemaT] | ProviderStrategy[SchemaT] | AutoStrategy[SchemaT]
)
"""Any strategy."""
