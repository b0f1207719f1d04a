"""The parser that returns the groups of a regular expression."""

from __future__ import annotations

from typing import Self

from pydantic import Field, model_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

__all__ = ["RegexParser"]


class RegexParser(BaseOutputParser[dict[str, str]]):
    r"""Returns the groups of a regular expression as a dictionary with given keys.

    ::

        parser = RegexParser(regex=r"Score: (\d+), because (.*)", output_keys=["score", "reason"])
        parser.parse("Score: 7, because it rhymes")  # {'score': '7', 'reason': 'it rhymes'}

    Only the first match is used. A group that does not take part in the match is `None`.

    Raises:
        ValueError: At construction: *regex* is not a regular expression, or has fewer groups than
            there are *output_keys*.
    """

    regex: str
    """A regular expression in the syntax of the package `regex`, an extension of `re`."""
    output_keys: list[str]
    """The key of each group, in order."""
    default_output_key: str | None = None
    """The key for the whole text if there is no match; the other values are empty then. Without it,
    such a text is an error."""
    timeout_s: float = Field(default=1.0, gt=0)
    """How long one text may take, in seconds."""

    @model_validator(mode="after")
    def _groups_suffice(self) -> Self:
        from output_parsers.text.timed_regex import compiled

        groups = compiled(self.regex).groups
        if groups < len(self.output_keys):
            raise ValueError(
                f"the regular expression {self.regex!r} has {groups} groups, but needs at least "
                f"{len(self.output_keys)}: one for each of output_keys"
            )
        return self

    def parse(self, text: str) -> dict[str, str]:
        """Return the groups of the first match in *text*.

        Raises:
            OutputParserException: There is no match, or the search took too long.
        """
        from output_parsers.text.timed_regex import TimeLeft, compiled

        check_text(text)
        match = TimeLeft(self.timeout_s).search(compiled(self.regex), text)
        if match is not None:
            return {key: match[number] for number, key in enumerate(self.output_keys, 1)}
        if self.default_output_key is None:
            raise OutputParserException(
                f"Could not parse output: {text}",
                observation=f"Your reply is not in the required format. {self._form()}",
                llm_output=text,
            )
        return {key: text if key == self.default_output_key else "" for key in self.output_keys}

    def get_format_instructions(self) -> str:
        """Return the format instructions for the model."""
        return self._form()

    def _form(self) -> str:
        form = f"Your reply must match this regular expression:\n\n{self.regex}"
        if not self.output_keys:
            return form
        return f"{form}\n\nIts groups, in order, are: {', '.join(self.output_keys)}."

    @property
    def _type(self) -> str:
        return "regex_parser"
