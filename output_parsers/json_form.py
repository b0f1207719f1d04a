"""The JSON form of errors: a table of their fields."""

from __future__ import annotations

from typing import Any, Final

from output_parsers.exceptions import ModelRefusalError, OutputParserException
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from outputs.json_form.kinds import (
    FLAG,
    MESSAGE,
    NUMBER,
    SPAN,
    TEXT,
    JsonField,
    Kind,
    a,
    either,
    many,
    maybe,
)

__all__ = ["error_kind"]

_FIELDS: Final = {
    "message": TEXT,
    "problem": TEXT,
    "reason": TEXT,
    "observation": maybe(TEXT),
    "llm_output": maybe(TEXT),
    "send_to_llm": FLAG,
    "span": maybe(SPAN),
}
_LATER: Final = {"begins_at": SPAN, "ai_message": maybe(MESSAGE), "call_at": maybe(NUMBER)}
_PLACE: Final = {"line": maybe(NUMBER), "column": maybe(NUMBER)}


def _get(error: OutputParserException, key: str) -> Any:
    return str(error) if key == "message" else getattr(error, key)


def _make(cls: type[OutputParserException], fields: dict[str, Any]) -> OutputParserException:
    """Return an error with these fields; those of its own class are attributes."""
    message, problem = fields.pop("message"), fields.pop("problem")
    begins_at = fields.pop("begins_at", cls.begins_at)
    common = {key: fields.pop(key) for key in _FIELDS if key in fields}
    error = cls.__new__(cls, message)
    for key, value in fields.items():
        setattr(error, key, value)
    OutputParserException.__init__(error, message, **common)
    if problem != error.problem:  # that of its class
        error.problem = problem
    if begins_at != error.begins_at:
        error.begins_at = begins_at
    return error


def error_kind(cls: type[OutputParserException], **fields: JsonField) -> Kind:
    """Return the kind of an error, given the *fields* that not every error has."""
    later = {name: field for name, field in _LATER.items() if name not in fields}
    return Kind(cls, {**_FIELDS, **fields}, _get, _make, _PLACE, later)


_TEXT_OF: Final = JsonField(
    lambda error, document: TEXT.write(str(error), document),
    lambda data, document: ValueError(TEXT.read(data, document)),
    TEXT.schema,
)
_SOURCE: Final = either(
    a(OutputParserException),
    _TEXT_OF,
    lambda value: isinstance(value, OutputParserException | dict),
)
"""The error in a response; of an error that is none of ours, only the text."""

KINDS: Final = (
    error_kind(OutputParserException),
    error_kind(ModelRefusalError),
    error_kind(StructuredOutputError, ai_message=maybe(MESSAGE)),
    error_kind(
        MultipleStructuredOutputsError, ai_message=maybe(MESSAGE), tool_names=many(TEXT, of=list)
    ),
    error_kind(
        StructuredOutputValidationError,
        ai_message=maybe(MESSAGE),
        tool_name=TEXT,
        source=_SOURCE,
        is_text=FLAG,
    ),
)
"""The errors of this package."""
