"""The parser of a choice among the members of an enum."""

from __future__ import annotations

from enum import Enum
from typing import Any, TypeVar

from pydantic import field_validator
from typing_extensions import override

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

__all__ = ["EnumOutputParser"]

Choice = TypeVar("Choice", bound=Enum)


class EnumOutputParser(BaseOutputParser[Choice]):
    r"""Returns the enum member whose value is the text, ignoring white space around it.

    ::

        class Colour(Enum):
            RED = "red"
            BLUE = "blue"

        EnumOutputParser(enum=Colour).parse("red\n")  # <Colour.RED: 'red'>

    Raises:
        ValueError: At construction: a member's value is not text, or there are no members.
    """

    enum: type[Choice]
    """The enum, whose values are text."""

    @field_validator("enum")
    @classmethod
    def _values_are_text(cls, enum: type[Choice]) -> type[Choice]:
        if not list(enum):
            raise ValueError(f"the enum {enum.__name__} has no members to choose from")
        if not all(isinstance(member.value, str) for member in enum):
            raise ValueError("Enum values must be strings")
        return enum

    @property
    def _valid_values(self) -> list[str]:
        return [member.value for member in self.enum]

    def parse(self, text: str) -> Choice:
        """Return the member whose value is *text*.

        Raises:
            OutputParserException: There is no such member.
        """
        check_text(text)
        try:
            return self.enum(text.strip())
        except ValueError as error:
            raise OutputParserException(
                f"Response '{text}' is not one of the expected values: {self._valid_values}",
                observation=self.get_format_instructions(),
                llm_output=text,
            ) from error

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model, with the values."""
        values = "\n".join(self._valid_values)
        return f"Answer with one of these lines, exactly as it is here:\n\n{values}"

    @property
    @override
    def OutputType(self) -> Any:
        """The enum."""
        return self.enum

    @property
    def _type(self) -> str:
        return "enum"
