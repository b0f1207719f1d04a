"""The parser that finds labelled values with one regular expression."""

from __future__ import annotations

import re
from typing import Any, Self

from pydantic import Field, model_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

__all__ = ["RegexDictParser"]

_GAP = " " * 24
"""LangChain's messages contain the indentation of its source."""

_BRACES = re.compile(r"\{\{|\}\}|\{0?\}|[{}]")


class RegexDictParser(BaseOutputParser[dict[str, str]]):
    """Returns the values that follow given labels, each of which must occur once.

    ::

        parser = RegexDictParser(output_key_to_format={"do": "Action", "on": "Action Input"})
        parser.parse("Action: look up. Action Input: the weather.")
        # {'do': 'look up', 'on': 'the weather'}

    Raises:
        ValueError: At construction: *regex_pattern* with a label is not a regular expression.
    """

    regex_pattern: str = r"{}:\s?([^.'\n']*)\.?"
    """A regular expression in the syntax of the package `regex`, with ``{}`` for the label and
    doubled braces for literal braces. Its group is the value: by default the text after a colon, up
    to a full stop, a single quote or the end of the line."""
    output_key_to_format: dict[str, str]
    """For each key of the result, the label in the text."""
    no_update_value: str | None = None
    """A value that means “no value”: its key is left out of the result."""
    timeout_s: float = Field(default=1.0, gt=0)
    """How long one text may take, in seconds."""

    @model_validator(mode="after")
    def _patterns_are_valid(self) -> Self:
        from output_parsers.text.timed_regex import compiled

        for label in self.output_key_to_format.values():
            compiled(self._pattern(label))
        return self

    def parse(self, text: str) -> dict[str, str]:
        """Return the value of each label in *text*.

        Raises:
            OutputParserException: A label is missing or occurs more than once, or the search took
                too long.
        """
        from output_parsers.text.timed_regex import TimeLeft, compiled, value_of

        check_text(text)
        time_left = TimeLeft(self.timeout_s)
        result: dict[str, Any] = {}
        for key, label in self.output_key_to_format.items():
            found = time_left.matches(compiled(self._pattern(label)), text)
            if not found:
                raise self._failure(
                    f"No match found for output key: {key} with expected format {_GAP}{label} "
                    f"on text {text}",
                    f"The value of {label!r} is missing from your reply.",
                    text,
                )
            if len(found) > 1:
                raise self._failure(
                    f"Multiple matches found for output key: {key} with {_GAP}expected format "
                    f"{label} on text {text}",
                    f"Your reply has {len(found)} values of {label!r}.",
                    text,
                    found[1].span(),
                )
            value = value_of(found[0])
            if self.no_update_value is None or value != self.no_update_value:
                result[key] = value
        return result

    def get_format_instructions(self) -> str:
        """Return the format instructions for the model."""
        labels = self.output_key_to_format.values()
        if self.regex_pattern == type(self).model_fields["regex_pattern"].default:
            lines = "\n".join(f"{label}: <value>" for label in labels)
            return (
                f"Your reply must contain these lines, each once:\n\n{lines}\n\n"
                "A value is a short text without full stops, single quotes and line breaks."
            )
        patterns = "\n".join(map(self._pattern, labels))
        return f"Each of these regular expressions must match your reply once:\n\n{patterns}"

    def _pattern(self, label: str) -> str:
        """Return the regular expression for *label*.

        Raises:
            ValueError: There are braces in `regex_pattern` that are not doubled.
        """
        pieces = {"{{": "{", "}}": "}", "{}": re.escape(label), "{0}": re.escape(label)}
        if {"{", "}"} & set(_BRACES.findall(self.regex_pattern)):
            raise ValueError(
                f"regex_pattern {self.regex_pattern!r} contains single braces: double every "
                "brace that is not a placeholder"
            )
        return _BRACES.sub(lambda brace: pieces[brace[0]], self.regex_pattern)

    def _failure(
        self, message: str, reason: str, text: str, span: tuple[int, int] | None = None
    ) -> OutputParserException:
        observation = f"{reason} {self.get_format_instructions()}"
        return OutputParserException(message, observation=observation, llm_output=text, span=span)

    @property
    def _type(self) -> str:
        return "regex_dict_parser"
