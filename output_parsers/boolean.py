"""The parser of yes and no."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Literal

from pydantic import Field, model_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

if TYPE_CHECKING:
    from typing import Self

__all__ = ["BooleanOutputParser"]


class BooleanOutputParser(BaseOutputParser[bool]):
    """Whether a text says yes or no, each of which is a word of your choice.

    ::

        BooleanOutputParser().parse("Yes, it does.")  # True
        BooleanOutputParser(true_val="是", false_val="否").parse("否。")  # False

    The words count in upper and lower case, anywhere in the text, as often as they like, but not as
    parts of other words: “not” and “know” say nothing about “no”. An accent may be a character of
    its own or not.

    Where a script has no spaces between words, a word counts where a clause begins, and all may
    follow: 是的 says 是, but 不是 and 但是 do not. (Kana end where another script begins.)

    Raises:
        ValueError: When made: both words are the same.
    """

    true_val: str = Field(default="YES", min_length=1)
    """The word for True."""
    false_val: str = Field(default="NO", min_length=1)
    """The word for False."""

    @model_validator(mode="after")
    def _words_differ(self) -> Self:
        if _composed(self.true_val).casefold() == _composed(self.false_val).casefold():
            raise ValueError(f"true_val and false_val are the same word, {self.true_val!r}")
        return self

    def parse(self, text: str) -> bool:
        """Return which of the two words is in *text*.

        Raises:
            OutputParserException: Neither is, or both are.
        """
        check_text(text)
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
    # The longer comes first: where one is “OK” and the other “OK not”, the text “OK not” is that.
    words = sorted((("true", true_val), ("false", false_val)), key=lambda word: -len(word[1]))
    either = "|".join(f"(?P<{name}>{_word(word)})" for name, word in words)
    values = (true_val, false_val)
    others = [
        re.escape(phrase)
        for phrase in _NO_ANSWERS
        if phrase.startswith(values) and not any(value.startswith(phrase) for value in values)
    ]
    no_answer = f"(?!{'|'.join(others)})" if others else ""
    return re.compile(rf"(?<!\w){no_answer}(?:{either})", re.IGNORECASE)


def _word(word: str) -> str:
    """Return a pattern of *word*, however its accents are written, up to its end."""
    spellings = sorted({word, _composed(word), _decomposed(word)}, key=len, reverse=True)
    either = "|".join(map(re.escape, spellings))
    return rf"(?:{either})(?!{_goes_on_after(word[-1])})"


_NO_ANSWERS = ("是否", "是不是", "是非", "否则", "否則", "否认", "否認")
"""What only begins like an answer: whether, is it so, right and wrong, otherwise, to deny."""

_COMBINING = "\u0300-\u036f"

_NO_SPACES = (
    ("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]", "(?!)"),  # Han
    ("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]", "(?!)"),  # Thai, Lao, Burmese, Khmer
    ("[\u3041-\u309f]", "[\u3041-\u309fー]"),  # Hiragana
    ("[\u30a0-\u30ff]", "[\u30a0-\u30ff]"),  # Katakana
)
"""What the last character of a word may be in scripts that have no spaces between words, and what
would go on with it then; it is never so if the pattern matches nothing."""


def _goes_on_after(last: str) -> str:
    """Return a pattern of what, after the character *last*, belongs to the same word."""
    for script, more in _NO_SPACES:
        if re.match(script, last):
            return more
    return rf"[\w{_COMBINING}]"


def _composed(text: str) -> str:
    return _normal("NFC", text)


def _decomposed(text: str) -> str:
    return _normal("NFD", text)


def _normal(form: Literal["NFC", "NFD"], text: str) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize(form, text)
