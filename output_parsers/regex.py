"""The parser that takes values from the groups of a regular expression."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pydantic import Field, model_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

if TYPE_CHECKING:
    from typing import Self

__all__ = ["RegexParser"]


class RegexParser(BaseOutputParser[dict[str, str]]):
    r"""The groups of a regular expression, by name of your choice.

    ::

        parser = RegexParser(regex=r"Score: (\d+), because (.*)", output_keys=["score", "reason"])
        parser.parse("Score: 7, because it rhymes")  # {'score': '7', 'reason': 'it rhymes'}

    The first match counts. A group that is no part of it is None.

    Raises:
        ValueError: When made: *regex* is not a regular expression, or has fewer groups than there
            are *output_keys*.
    """

    regex: str
    """A regular expression, as the package `regex` understands it: as `re` does, and more."""
    output_keys: list[str]
    """The name of each group, in order."""
    default_output_key: str | None = None
    """The key that has the whole text if there is no match; the others are empty then. Without it,
    such a text is an error."""
    timeout_s: float = Field(default=1.0, gt=0)
    """How long one text may take, in seconds."""

    @model_validator(mode="after")
    def _groups_suffice(self) -> Self:
        from output_parsers.text.timed_regex import compiled

        groups = compiled(self.regex).groups
        if groups < len(self.output_keys):
            raise ValueError(
                f"{self.regex!r} has {groups} groups, and there are {len(self.output_keys)} "
                "output_keys"
            )
        return self

    def parse(self, text: str) -> dict[str, str]:
        """Return the groups of the first match in *text*.

        Raises:
            OutputParserException: There is no match, or it took too long to find out.
        """
        from output_parsers.text.timed_regex import TimeLeft, compiled

        check_text(text)
        match = TimeLeft(self.timeout_s).search(compiled(self.regex), text)
        if match is not None:
            return {key: match[number] for number, key in enumerate(self.output_keys, 1)}
        if self.default_output_key is None:
            raise OutputParserException(
                f"Could not parse output: {text}",
                observation=f"Your reply has not the form asked for. {self._form()}",
                llm_output=text,
            )
        return {key: text if key == self.default_output_key else "" for key in self.output_keys}

    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its reply."""
        return self._form()

    def _form(self) -> str:
        form = f"Your reply must match this regular expression:\n\n{self.regex}"
        if not self.output_keys:
            return form
        return f"{form}\n\nIts groups, in order, are: {', '.join(self.output_keys)}."

    @property
    def _type(self) -> str:
        return "regex_parser"
