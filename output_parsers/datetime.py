"""The parser of a date and time."""

from __future__ import annotations

import re
from contextlib import suppress
from datetime import UTC, datetime

from pydantic import field_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

__all__ = ["DatetimeOutputParser"]

_EXAMPLES = (
    datetime(2023, 7, 4, 14, 30, tzinfo=UTC),
    datetime(1999, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    datetime(2025, 1, 1, tzinfo=UTC),
)


class DatetimeOutputParser(BaseOutputParser[datetime]):
    """Reads a text as a date and time in a given format.

    ::

        DatetimeOutputParser(format="%d %B %Y").parse("4 July 2023")
        # datetime.datetime(2023, 7, 4, 0, 0)

    Raises:
        ValueError: At construction: *format* is invalid.
    """

    format: str = "%Y-%m-%dT%H:%M:%S.%fZ"
    """The format of the text, in the directives of `datetime.strptime`. The result has a time zone
    only if the format has ``%z``; the ``Z`` in the default is an ordinary letter."""

    @field_validator("format")
    @classmethod
    def _can_be_read(cls, format: str) -> str:  # noqa: A002 - the field's name
        try:
            datetime.strptime("", format)
        except re.error as error:
            raise ValueError(
                f"the datetime format {format!r} contains the same directive twice: remove "
                "one of them"
            ) from error
        except ValueError as error:
            # The empty text never matches; any other error means that the format is invalid.
            if "does not match" not in str(error):
                raise
        return format

    def parse(self, text: str) -> datetime:
        """Return the date and time in *text*, ignoring white space around it.

        Raises:
            OutputParserException: *text* does not match `format`, or is not a date (30 February).
        """
        check_text(text)
        try:
            return datetime.strptime(text.strip(), self.format)
        except ValueError as error:
            raise OutputParserException(
                f"Could not parse datetime string: {text}",
                observation=f"Your reply is not a date and time in the required form: {error}. "
                + self.get_format_instructions(),
                llm_output=text,
            ) from error

    def get_format_instructions(self) -> str:
        """Return the format instructions for the model, with examples if possible."""
        form = f"Write one date and time, and nothing else, in the form {self.format}."
        examples = dict.fromkeys(filter(None, map(self._example, _EXAMPLES)))
        return f"{form} For example:\n\n" + "\n".join(examples) if examples else form

    def _example(self, moment: datetime) -> str | None:
        """Return *moment* in this parser's format, or `None` if it cannot be read back."""
        with suppress(ValueError):
            written = moment.strftime(self.format)
            datetime.strptime(written.strip(), self.format)
            return written
        return None

    @property
    def _type(self) -> str:
        return "datetime"
