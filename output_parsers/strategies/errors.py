"""Errors in structured responses.

::

    OutputParserException
    └── StructuredOutputError
        ├── MultipleStructuredOutputsError     there is more than one response
        └── StructuredOutputValidationError    the response does not fit its schema
"""

from __future__ import annotations

from functools import partial
from typing import Any

from output_parsers.exceptions import OutputParserException
from output_parsers.types.models import without_addresses


def sent_to_model(error: object) -> str:
    """Return the default message to the model about *error*."""
    return f"Error: {without_addresses(str(error))}\n Please fix your mistakes."


class StructuredOutputError(OutputParserException):
    """A model's message has no usable structured response.

    Args:
        error: The reason.
        ai_message: The message.
        llm_output: The part of the message at fault, as text.
    """

    ai_message: Any
    """The message."""

    def __init__(
        self, error: object, ai_message: Any = None, llm_output: str | None = None
    ) -> None:
        super().__init__(error, sent_to_model(error), llm_output)
        self.ai_message = ai_message


class MultipleStructuredOutputsError(StructuredOutputError):
    """A message has more than one structured response.

    Args:
        tool_names: The names of the responses' tools.
        ai_message: The message.
    """

    def __init__(self, tool_names: list[str], ai_message: Any) -> None:
        names = ", ".join(tool_names)
        super().__init__(
            f"Model incorrectly returned multiple structured responses ({names})"
            " when only one is expected.",
            ai_message,
            names,
        )
        self.tool_names = tool_names

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.tool_names, self.ai_message), self.__dict__


class StructuredOutputValidationError(StructuredOutputError):
    """A structured response does not fit its schema.

    Args:
        tool_name: The name of the response's tool or schema.
        source: The error in the response.
        ai_message: The message.
        is_text: Whether the response is the text of the message rather than a tool call.
    """

    def __init__(
        self, tool_name: str, source: Exception, ai_message: Any, *, is_text: bool = False
    ) -> None:
        name = tool_name if is_text else f"tool '{tool_name}'"
        super().__init__(
            f"Failed to parse structured output for {name}: {str(source).removesuffix('.')}.",
            ai_message,
            getattr(source, "llm_output", None),
        )
        self.tool_name = tool_name
        self.source = source
        self.is_text = is_text

    def __reduce__(self) -> tuple[Any, ...]:
        make = partial(type(self), is_text=self.is_text)
        return make, (self.tool_name, self.source, self.ai_message), self.__dict__
