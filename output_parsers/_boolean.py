"""The parser of yes and no."""

from __future__ import annotations

import re
from functools import lru_cache

from pydantic import Field

from output_parsers._base import BaseOutputParser
from output_parsers._errors import OutputParserException


class BooleanOutputParser(BaseOutputParser[bool]):
    """Whether a text says yes or no, each of which is a word of your choice.

    ::

        BooleanOutputParser().parse("Yes, it does.")  # True
        BooleanOutputParser(true_val="是", false_val="否").parse("否。")  # False

    The words count in upper and lower case, anywhere in the text, as often as they like, but not as
    parts of other words: “not” and “know” say nothing about “no”.
    """

    true_val: str = Field(default="YES", min_length=1)
    """The word for True."""
    false_val: str = Field(default="NO", min_length=1)
    """The word for False."""

    def parse(self, text: str) -> bool:
        """Return which of the two words is in *text*.

        Raises:
            OutputParserException: Neither is, or both are.
        """
        found: dict[str | None, tuple[int, int]] = {}
        for match in _words(self.true_val, self.false_val).finditer(text):
            found[match.lastgroup] = match.span()
            if len(found) > 1:
                raise OutputParserException(
                    f"Ambiguous response. Both {self.true_val} and {self.false_val} in received: "
                    f"{text}.",
                    observation=f"You wrote both {self.true_val} and {self.false_val}. "
                    + self.get_format_instructions(),
                    llm_output=text,
                    span=match.span(),
                )
        if not found:
            raise OutputParserException(
                "BooleanOutputParser expected output value to include either "
                f"{self.true_val} or {self.false_val}. Received {text}.",
                observation=self.get_format_instructions(),
                llm_output=text,
            )
        return "true" in found

    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its reply."""
        return f"Answer with one word, either {self.true_val} or {self.false_val}."

    @property
    def _type(self) -> str:
        return "boolean_output_parser"


@lru_cache(maxsize=64)
def _words(true_val: str, false_val: str) -> re.Pattern[str]:
    r"""Return what finds either word. Unlike ``\b`` it lets one begin or end with a sign, as +1."""
    either = f"(?P<true>{re.escape(true_val)})|(?P<false>{re.escape(false_val)})"
    return re.compile(rf"(?<!\w)(?:{either})(?!\w)", re.IGNORECASE)
