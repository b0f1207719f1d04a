"""The parser of yes-or-no answers."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Literal, Self

from pydantic import Field, model_validator

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import check_text

__all__ = ["BooleanOutputParser"]


class BooleanOutputParser(BaseOutputParser[bool]):
    """Reads a yes-or-no answer, with configurable words for yes and no.

    ::

        BooleanOutputParser().parse("Yes, it does.")  # True
        BooleanOutputParser(true_val="是", false_val="否").parse("否。")  # False

    The words count in upper or lower case, anywhere in the text and any number of times, but not as
    parts of other words: “not” and “know” do not count as “no”. Accents may be precomposed or
    combining characters.

    In scripts without spaces between words, a word counts at the start of a clause, whatever
    follows: 是的 counts as 是, but 不是 and 但是 do not. (Kana end where another script begins.)

    Raises:
        ValueError: At construction: both words are the same.
    """

    true_val: str = Field(default="YES", min_length=1)
    """The word for True."""
    false_val: str = Field(default="NO", min_length=1)
    """The word for False."""

    @model_validator(mode="after")
    def _words_differ(self) -> Self:
        words = (_normalized("NFC", word).casefold() for word in (self.true_val, self.false_val))
        if len({*words}) == 1:
            raise ValueError(
                f"true_val and false_val must be different words, but both are {self.true_val!r}"
            )
        return self

    def parse(self, text: str) -> bool:
        """Return true if *text* contains `true_val`, false if it contains `false_val`.

        Raises:
            OutputParserException: The text has neither word, or both.
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
        """Return the format instructions for the model."""
        return f"Answer with one word, either {self.true_val} or {self.false_val}."

    @property
    def _type(self) -> str:
        return "boolean_output_parser"


@lru_cache(maxsize=64)
def _words(true_val: str, false_val: str) -> re.Pattern[str]:
    r"""Return a pattern for either word. Unlike with ``\b``, a word may start with a sign: +1."""
    # The longer word is first: with the words “OK” and “OK not”, the text “OK not” is the latter.
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
    """Return a pattern for the whole *word*, however its accents are encoded."""
    forms = {word, _normalized("NFC", word), _normalized("NFD", word)}
    spellings = sorted(forms, key=len, reverse=True)
    either = "|".join(map(re.escape, spellings))
    return rf"(?:{either})(?!{_goes_on_after(word[-1])})"


_NO_ANSWERS = ("是否", "是不是", "是非", "否则", "否則", "否认", "否認")
"""Words that only start like an answer: whether, is it so, right and wrong, otherwise, to deny."""

_COMBINING = "\u0300-\u036f"

_NO_SPACES = (
    ("[\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0003ffff]", "(?!)"),  # Han
    ("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff]", "(?!)"),  # Thai, Lao, Burmese, Khmer
    ("[\u3041-\u309f]", "[\u3041-\u309fー]"),  # Hiragana
    ("[\u30a0-\u30ff]", "[\u30a0-\u30ff]"),  # Katakana
)
"""For scripts without spaces between words: a pattern for the last character of a word, and one for
characters that would continue the word. ``(?!)`` matches nothing."""


def _goes_on_after(last: str) -> str:
    """Return a pattern for characters that continue a word after its character *last*."""
    for script, more in _NO_SPACES:
        if re.match(script, last):
            return more
    return rf"[\w{_COMBINING}]"


def _normalized(form: Literal["NFC", "NFD"], text: str) -> str:
    if text.isascii():
        return text
    import unicodedata

    return unicodedata.normalize(form, text)
