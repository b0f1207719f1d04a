"""Reading a structured response from a tool call or from the text of a message."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Generic

from output_parsers.exceptions import OutputParserException
from output_parsers.strategies.schema import SchemaT, read_data
from output_parsers.tool_calls.refusal import ModelRefusalError, refusal_in
from outputs.growing_json.arguments import read_arguments

if TYPE_CHECKING:
    from typing import Self

    from output_parsers.strategies.schema import SchemaKind, SchemaSpec


@dataclass(frozen=True)
class OutputTool:
    """A tool that is never run: the model calls it with its response as the arguments."""

    name: str
    """The tool's name."""
    description: str
    """What the tool is for, in words for the model."""
    args_schema: dict[str, Any]
    """The JSON Schema of the arguments."""

    @property
    def args(self) -> dict[str, Any]:
        """The arguments by name, each with its JSON Schema."""
        properties: dict[str, Any] = self.args_schema.get("properties", {})
        return properties

    def to_openai(self) -> dict[str, Any]:
        """Return the tool in the format of OpenAI's API, which most libraries accept."""
        parameters = {
            key: value
            for key, value in self.args_schema.items()
            if key not in ("title", "description")
        }
        function = {"name": self.name, "description": self.description, "parameters": parameters}
        return {"type": "function", "function": function}


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

        Raises:
            OutputParserException: The text is not JSON, or does not fit the schema.
            ModelRefusalError: The model refused.
        """
        text = _text_of(response.content)
        try:
            data = _read_json(text)
        except json.JSONDecodeError as error:
            if (refusal := refusal_in(response)) is not None:
                raise ModelRefusalError.saying(refusal) from error
            name = getattr(self.schema, "__name__", "response_format")
            raise OutputParserException(
                f"Native structured output expected valid JSON for {name},"
                f" but parsing failed: {error}.",
                llm_output=text,
                span=(error.pos, len(text)),
                observation=f"Your reply is not valid JSON: {error}. Reply with JSON alone.",
            ) from error
        found: SchemaT | dict[str, Any] = read_data(self.schema, self.schema_kind, data)
        return found


# Up to the last fence, since a string may contain one.
_in_fence = re.compile(r"```(?:json)?\s*+(?=[\[{])(.*)```", re.DOTALL | re.IGNORECASE).search


def _read_json(text: str) -> Any:
    """Return the value of *text*, or of the text in its code fence.

    Raises:
        json.JSONDecodeError: *text* is not JSON and has no JSON in a fence.
    """
    try:
        return read_arguments(text, strict=True)
    except json.JSONDecodeError:
        fenced = _in_fence(text)
        if fenced is None:
            raise
        with suppress(json.JSONDecodeError):
            return read_arguments(fenced[1], strict=True)
        raise


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
