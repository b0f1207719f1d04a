import asyncio
import pickle
from datetime import datetime, timedelta
from typing import Any

import langchain_classic.output_parsers.datetime as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import OutputParserException
from output_parsers.datetime import DatetimeOutputParser
from outputs import AIMessage

DEFAULT = DatetimeOutputParser().format
FORMATS = [DEFAULT, "%Y-%m-%d", "%H:%M", "%d %B %Y, %I:%M %p", "%Y-%m-%dT%H:%M:%S%z", "%A %j/%Y"]

formats = st.sampled_from(FORMATS)
moments = st.datetimes(min_value=datetime(1000, 1, 1))  # a shorter year is written without zeros


@given(formats, moments, st.sampled_from(["", " ", "\n"]), st.sampled_from(["", " ", "x"]))
def test_results_and_messages_are_those_of_langchain(
    form: str, moment: datetime, before: str, after: str
) -> None:
    text = before + moment.strftime(form) + after

    def described(parser: Any) -> Any:
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error).partition("\nFor troubleshooting")[0]

    ours, theirs = DatetimeOutputParser(format=form), lc.DatetimeOutputParser(format=form)
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


def test_it_describes_itself_as_langchains_does() -> None:
    parser = DatetimeOutputParser()
    assert parser.asdict() == lc.DatetimeOutputParser().asdict()
    assert parser.OutputType is datetime
    assert pickle.loads(pickle.dumps(parser)) == parser
