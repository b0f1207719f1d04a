import asyncio
import pickle
from enum import Enum, IntEnum
from typing import Any

import langchain_classic.output_parsers.enum as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.enum import EnumOutputParser
from outputs import AIMessage


class Colour(Enum):
    RED = "red"
    GREEN = "green"
    ROUGE = RED
    SKY = "sky blue"


PARSER = EnumOutputParser(enum=Colour)

texts = st.sampled_from(["red", "green", " red\n", "sky blue", "Red", "RED", "", "red, green"])


@given(texts | st.text())
def test_results_and_messages_are_those_of_langchain(text: str) -> None:
    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    assert described(PARSER) == described(lc.EnumOutputParser(enum=Colour))


def test_a_value_is_read_with_white_space_around_it() -> None:
    assert PARSER.parse("\n red ") is Colour.RED
    assert PARSER.invoke(AIMessage(content="red")) is Colour.RED
    assert asyncio.run(PARSER.ainvoke("sky blue")) is Colour.SKY
    assert list(PARSER.transform(iter("green"))) == [Colour.GREEN]


def test_another_value_is_an_error_that_lists_them() -> None:
    with pytest.raises(OutputParserException) as caught:
        PARSER.parse("pink")
    error = caught.value
    assert str(error) == (
        "Response 'pink' is not one of the expected values: ['red', 'green', 'sky blue']"
    )
    assert error.llm_output == "pink"
    assert error.observation == PARSER.get_format_instructions()


def test_values_that_are_not_text_are_the_callers_mistake() -> None:
    class Number(IntEnum):
        ONE = 1

    for parser in (EnumOutputParser, lc.EnumOutputParser):
        with pytest.raises(ValueError, match="Enum values must be strings"):
            parser(enum=Number)


def test_each_value_in_the_instructions_is_read() -> None:
    values = PARSER.get_format_instructions().partition("\n\n")[2].splitlines()
    assert [PARSER.parse(value) for value in values] == list(Colour)


def test_it_describes_itself() -> None:
    assert PARSER.OutputType is lc.EnumOutputParser(enum=Colour).OutputType is Colour
    assert PARSER._type == "enum"
    assert pickle.loads(pickle.dumps(PARSER)) == PARSER


def test_an_enum_without_members_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="Nothing has no members"):
        EnumOutputParser(enum=Enum("Nothing", {}))
