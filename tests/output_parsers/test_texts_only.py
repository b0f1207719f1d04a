"""Errors for callers that pass arguments of the wrong type."""

from __future__ import annotations

from enum import Enum
from typing import Any

import pytest
from pydantic import BaseModel

import output_parsers
from output_parsers import (
    BaseOutputParser,
    JsonOutputParser,
    JsonOutputToolsParser,
    ListOutputParser,
)
from outputs import AIMessage, AIMessageChunk


class Shelf(BaseModel):
    books: int


class Colour(Enum):
    RED = "red"


OPTIONS: dict[str, dict[str, Any]] = {
    "BooleanOutputParser": {},
    "CombiningOutputParser": {"parsers": [JsonOutputParser(), JsonOutputParser()]},
    "CommaSeparatedListOutputParser": {},
    "DatetimeOutputParser": {},
    "EnumOutputParser": {"enum": Colour},
    "JsonOutputParser": {},
    "MarkdownListOutputParser": {},
    "NumberedListOutputParser": {},
    "PydanticOutputParser": {"pydantic_object": Shelf},
    "RegexDictParser": {"output_key_to_format": {"a": "b"}},
    "RegexParser": {"regex": "(a)", "output_keys": ["a"]},
    "StructuredOutputParser": {"response_schemas": []},
    "XMLOutputParser": {},
    "YamlOutputParser": {"pydantic_object": Shelf},
}


@pytest.mark.parametrize("name", OPTIONS)
def test_parse_takes_no_message_and_says_what_does(name: str) -> None:
    parser: BaseOutputParser[Any] = getattr(output_parsers, name)(**OPTIONS[name])
    message: Any = AIMessage("yes")
    with pytest.raises(TypeError, match="takes a text, not AIMessage; invoke takes a message"):
        parser.parse(message)


def test_what_a_provider_returns_is_a_message() -> None:
    reply: Any = {"role": "assistant", "content": "{}"}
    assert JsonOutputParser().invoke(reply) == {}
    with pytest.raises(TypeError, match=r"not dict; outputs\.from_any says what else counts"):
        JsonOutputParser().invoke({"content": "{}"})


class PromptWords(ListOutputParser):
    def parse(self, text: str) -> list[str]:
        return text.split()


def test_what_a_parser_does_not_have_is_told_by_name() -> None:
    with pytest.raises(NotImplementedError, match="Words cannot yield single items"):
        PromptWords().parse_iter("a b")
    with pytest.raises(NotImplementedError, match="Words has no format instructions"):
        PromptWords().get_format_instructions()
    with pytest.raises(NotImplementedError, match="JsonOutputToolsParser cannot report changes"):
        list(JsonOutputToolsParser(diff=True).transform(iter([AIMessageChunk("")])))
