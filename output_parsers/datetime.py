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
    """The date and time that a text is, in a format of your choice.

    ::

        DatetimeOutputParser(format="%d %B %Y").parse("4 July 2023")
        # datetime.datetime(2023, 7, 4, 0, 0)

    Raises:
        ValueError: When made: nothing can be read by *format*.
    """

    format: str = "%Y-%m-%dT%H:%M:%S.%fZ"
    """The form of the text, in the directives of `datetime.strptime`. The result has a time zone
    only if ``%z`` is among them; the ``Z`` in the default is a letter like others."""

    @field_validator("format")
    @classmethod
    def _can_be_read(cls, format: str) -> str:  # noqa: A002 - the field's name
        try:
            datetime.strptime("", format)
        except re.error as error:
            raise ValueError(f"a directive is repeated in {format!r}") from error
        except ValueError as error:
            # That the empty text is no date is nothing against the format.
            if "does not match" not in str(error):
                raise
        return format

    def parse(self, text: str) -> datetime:
        """Return the date and time that *text* is; white space around it does not count.

        Raises:
            OutputParserException: It has not the form of `format`, or is none, as 30 February.
        """
        check_text(text)
        try:
            return datetime.strptime(text.strip(), self.format)
        except ValueError as error:
            raise OutputParserException(
                f"Could not parse datetime string: {text}",
                observation=f"Your reply was not such a date and time: {error}. "
                + self.get_format_instructions(),
                llm_output=text,
            ) from error

    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its reply, with examples if possible."""
        form = f"Write one date and time, and nothing else, in the form {self.format}."
        examples = dict.fromkeys(filter(None, map(self._example, _EXAMPLES)))
        return f"{form} For example:\n\n" + "\n".join(examples) if examples else form

    def _example(self, moment: datetime) -> str | None:
        """Return *moment* as this parser reads it, None if it does not."""
        with suppress(ValueError):
            written = moment.strftime(self.format)
            datetime.strptime(written.strip(), self.format)
            return written
        return None

    @property
    def _type(self) -> str:
        return "datetime"
