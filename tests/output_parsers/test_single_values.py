"""Parsers of a single value: a boolean, a member of an enum, a time; compared with LangChain."""

import asyncio
import pickle
import re
import unicodedata
from contextlib import suppress
from datetime import datetime, timedelta
from enum import Enum, IntEnum
from typing import Any

import langchain_classic.output_parsers.boolean as lc
import langchain_classic.output_parsers.datetime as lc_datetime
import langchain_classic.output_parsers.enum as lc_enum
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.boolean import BooleanOutputParser
from output_parsers.datetime import DatetimeOutputParser
from output_parsers.enum import EnumOutputParser
from outputs import AIMessage

from ..helpers.growth import assert_linear

PAIRS = [("YES", "NO"), ("是", "否"), ("true", "false"), ("1", "0"), ("Ja", "Nein"), ("да", "нет")]

pairs = st.sampled_from([pair for pair in PAIRS if pair != ("是", "否")])
words = st.sampled_from([word for pair in PAIRS for word in pair])
signs = st.text(st.characters(exclude_categories=["Cs", "Mn"]), max_size=3)  # no accent alone
texts = st.lists(
    st.one_of(words, words.map(str.lower), words.map(str.upper), signs)
    | st.sampled_from([" ", ", ", "。", "\n", "not", "know", "yes_", "是的", "10"]),
    max_size=8,
).map("".join)


def outcome(parse: Any, text: str) -> Any:
    try:
        return parse(text)
    except ValueError as error:
        return str(error)


@given(pairs, texts)
def test_results_and_messages_are_those_of_langchain(pair: tuple[str, str], text: str) -> None:
    values = {"true_val": pair[0], "false_val": pair[1]}
    expected = outcome(lc.BooleanOutputParser(**values).parse, text)
    assert outcome(BooleanOutputParser(**values).parse, text) == expected


@pytest.mark.parametrize(
    ("pair", "text", "result"),
    [
        (0, "YES", True),
        (0, "no\nNO, no!", False),
        (0, " Not that I know, so: yes.", True),
        (1, "是。", True),
        (1, "答案：否", False),
        (2, "That is **True**.", True),
        (3, "0\n", False),
    ],
)
def test_a_word_counts_in_any_case_anywhere(pair: int, text: str, result: bool) -> None:
    parser = BooleanOutputParser(true_val=PAIRS[pair][0], false_val=PAIRS[pair][1])
    assert parser.parse(text) is result
    assert parser.invoke(AIMessage(content=text)) is result
    assert asyncio.run(parser.aparse(text)) is result
    assert list(parser.transform(iter(text))) == [result]


@pytest.mark.parametrize(
    ("pair", "text", "result"),
    [
        (("是", "否"), "是的，没错。", True),
        (("是", "否"), "我的回答是：是的。", True),
        (("是", "否"), "**否**，不会下雨", False),
        (("是", "否"), "不是", None),
        (("是", "否"), "但是我不知道，这是一个问题", None),
        (("是", "否"), "是否下雨？是不是？否则……", None),
        (("是否", "是不是"), "是否", True),
        (("はい", "いいえ"), "はい、そうです。", True),
        (("はい", "いいえ"), "いいえ違います", False),
        (("はい", "いいえ"), "はいりました", None),
        (("ハイ", "イイエ"), "ハイです", True),
        (("ハイ", "イイエ"), "ハイキング", None),
        (("ใช่", "ไม่ใช่"), "ใช่ครับ", True),
        (("ใช่", "ไม่ใช่"), "ไม่ใช่ค่ะ", False),
    ],
)
def test_a_word_counts_where_no_spaces_are_written(
    pair: tuple[str, str], text: str, result: bool | None
) -> None:
    parser = BooleanOutputParser(true_val=pair[0], false_val=pair[1])
    if result is None:
        with pytest.raises(OutputParserException, match="expected output value"):
            parser.parse(text)
    else:
        assert parser.parse(text) is result


@pytest.mark.parametrize("form", ["NFC", "NFD"])
@pytest.mark.parametrize("written", ["NFC", "NFD"])
def test_an_accent_may_be_a_character_of_its_own(form: Any, written: Any) -> None:
    yes = unicodedata.normalize(form, "sí")
    parser = BooleanOutputParser(true_val=yes, false_val="no")
    assert parser.parse(unicodedata.normalize(written, "SÍ, señor.")) is True
    with pytest.raises(OutputParserException):
        parser.parse(unicodedata.normalize(written, "nó"))
    with pytest.raises(ValueError, match="must be different words"):
        BooleanOutputParser(true_val=yes, false_val=unicodedata.normalize(written, "Sí"))


def test_both_words_are_an_error_that_points_at_the_second() -> None:
    with pytest.raises(OutputParserException, match=r"Ambiguous response\. Both YES and NO") as e:
        BooleanOutputParser().parse("Yes, yes, or no?")
    assert e.value.span == (13, 15)
    assert e.value.llm_output == "Yes, yes, or no?"
    assert e.value.observation == (
        "You wrote both YES and NO. Answer with one word, either YES or NO."
    )


def test_neither_word_is_an_error_that_asks_for_one() -> None:
    with pytest.raises(ValueError, match=r"include either YES or NO\. Received Perhaps\.") as e:
        BooleanOutputParser().parse("Perhaps")
    assert isinstance(e.value, OutputParserException)
    assert e.value.llm_output == "Perhaps"
    assert e.value.observation == "Answer with one word, either YES or NO."


def test_words_are_text_and_no_patterns() -> None:
    parser = BooleanOutputParser(true_val="+1", false_val="-1 (no)")
    assert parser.parse("I say +1.") is True
    assert parser.parse("-1 (NO)") is False
    assert parser.parse("+1, not +10") is True
    with pytest.raises(OutputParserException):
        parser.parse("+10")


def test_an_empty_word_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="true_val"):
        BooleanOutputParser(true_val="")


def test_hostile_text_takes_linear_time() -> None:
    def read(text: str) -> None:
        with suppress(OutputParserException):
            BooleanOutputParser().parse(text)

    for shape in ("YE", "YES_", "Y", " ", "YES "):
        assert_linear(read, lambda times, shape=shape: shape * times, 1_000)


def test_it_tells_the_model_what_it_reads() -> None:
    parser = BooleanOutputParser(true_val="Ja", false_val="Nein")
    ja, nein = re.findall(r"either (\w+) or (\w+)", parser.get_format_instructions())[0]
    assert (parser.parse(ja), parser.parse(nein)) == (True, False)


def test_it_describes_itself_as_langchains_does() -> None:
    assert BooleanOutputParser().asdict() == lc.BooleanOutputParser().asdict()
    assert BooleanOutputParser().OutputType is bool
    parser = BooleanOutputParser(true_val="a")
    assert pickle.loads(pickle.dumps(parser)) == parser


def test_of_two_words_that_begin_alike_the_longer_counts() -> None:
    parser = BooleanOutputParser(true_val="OK", false_val="OK not")
    assert parser.parse("OK.") is True
    assert parser.parse("ok not") is False


def test_both_words_must_differ() -> None:
    with pytest.raises(ValueError, match="both are 'Yes'"):
        BooleanOutputParser(true_val="Yes", false_val="YES")


class Colour(Enum):
    RED = "red"
    GREEN = "green"
    ROUGE = RED
    SKY = "sky blue"


PARSER = EnumOutputParser(enum=Colour)

colour_texts = st.sampled_from(
    ["red", "green", " red\n", "sky blue", "Red", "RED", "", "red, green"]
)


@given(colour_texts | st.text())
def test_enums_are_read_as_by_langchain(text: str) -> None:
    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    assert described(PARSER) == described(lc_enum.EnumOutputParser(enum=Colour))


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

    for parser in (EnumOutputParser, lc_enum.EnumOutputParser):
        with pytest.raises(ValueError, match="Enum values must be strings"):
            parser(enum=Number)


def test_each_value_in_the_instructions_is_read() -> None:
    values = PARSER.get_format_instructions().partition("\n\n")[2].splitlines()
    assert [PARSER.parse(value) for value in values] == list(Colour)


def test_it_describes_itself() -> None:
    assert PARSER.OutputType is lc_enum.EnumOutputParser(enum=Colour).OutputType is Colour
    assert PARSER._type == "enum"
    assert pickle.loads(pickle.dumps(PARSER)) == PARSER


def test_an_enum_without_members_is_the_callers_mistake() -> None:
    with pytest.raises(ValueError, match="Nothing has no members"):
        EnumOutputParser(enum=Enum("Nothing", {}))


DEFAULT = DatetimeOutputParser().format
FORMATS = [DEFAULT, "%Y-%m-%d", "%H:%M", "%d %B %Y, %I:%M %p", "%Y-%m-%dT%H:%M:%S%z", "%A %j/%Y"]

formats = st.sampled_from(FORMATS)
moments = st.datetimes(min_value=datetime(1000, 1, 1))  # a shorter year is written without zeros


@given(formats, moments, st.sampled_from(["", " ", "\n"]), st.sampled_from(["", " ", "x"]))
def test_times_are_read_as_by_langchain(
    form: str, moment: datetime, before: str, after: str
) -> None:
    text = before + moment.strftime(form) + after

    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    ours, theirs = DatetimeOutputParser(format=form), lc_datetime.DatetimeOutputParser(format=form)
    assert described(ours) == described(theirs)


@given(moments)
def test_what_the_default_format_writes_is_read(moment: datetime) -> None:
    assert DatetimeOutputParser().parse(moment.strftime(DEFAULT)) == moment


def test_a_time_zone_is_read_if_the_format_has_one() -> None:
    moment = DatetimeOutputParser(format="%Y-%m-%dT%H:%M%z").parse("2024-05-06T07:08+02:00")
    assert moment.utcoffset() == timedelta(hours=2)
    assert DatetimeOutputParser().parse("2024-05-06T07:08:09.1Z").tzinfo is None


def test_every_way_to_call_it_gives_the_same() -> None:
    parser = DatetimeOutputParser(format="%Y-%m-%d")
    day = datetime(2024, 2, 29)
    assert parser.invoke(AIMessage(content="2024-02-29")) == day
    assert asyncio.run(parser.aparse("2024-02-29")) == day
    assert list(parser.transform(iter("2024-02-29"))) == [day]
    parser.format = "%d.%m.%Y"
    assert parser.parse("29.02.2024") == day


@pytest.mark.parametrize("text", ["tomorrow", "", "2023-02-29", "2023-02-28 or so", "9" * 100_000])
def test_what_is_no_date_is_an_error_that_shows_examples(text: str) -> None:
    parser = DatetimeOutputParser(format="%Y-%m-%d")
    with pytest.raises(OutputParserException, match="Could not parse datetime string: ") as caught:
        parser.parse(text)
    assert caught.value.llm_output == text
    assert str(caught.value.observation).endswith(parser.get_format_instructions())


@pytest.mark.parametrize("form", FORMATS)
def test_every_example_in_the_instructions_is_read(form: str) -> None:
    parser = DatetimeOutputParser(format=form)
    instructions = parser.get_format_instructions()
    assert form in instructions
    examples = instructions.partition("For example:\n\n")[2].splitlines()
    assert len(examples) == 3
    for example in examples:
        parser.parse(example)
    assert instructions == parser.get_format_instructions()


def test_a_format_without_examples_has_instructions_too() -> None:
    parser = DatetimeOutputParser(format="%y\0")  # what follows the zero is not written
    assert parser.get_format_instructions().endswith("in the form %y\0.")
    with pytest.raises(OutputParserException):
        parser.parse("23")


@pytest.mark.parametrize("form", ["%Q", "50%", "%H %H"])
def test_a_format_by_which_nothing_is_read_is_the_callers_mistake(form: str) -> None:
    with pytest.raises(ValueError, match=r"format|directive"):
        DatetimeOutputParser(format=form)


def test_a_parser_of_times_describes_itself_as_langchains_does() -> None:
    parser = DatetimeOutputParser()
    assert parser.asdict() == lc_datetime.DatetimeOutputParser().asdict()
    assert parser.OutputType is datetime
    assert pickle.loads(pickle.dumps(parser)) == parser
