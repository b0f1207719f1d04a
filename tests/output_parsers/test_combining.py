import asyncio
import pickle
from typing import Any

import langchain_classic.output_parsers as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from output_parsers import BaseOutputParser, OutputParserException, StrOutputParser
from output_parsers.boolean import BooleanOutputParser
from output_parsers.combining import CombiningOutputParser
from output_parsers.list import CommaSeparatedListOutputParser, ListOutputParser
from output_parsers.regex import RegexParser
from outputs import AIMessage

CHOICE: dict[str, Any] = {"regex": "Choice: (.*)", "output_keys": ["choice"]}
REASON: dict[str, Any] = {"regex": "Because: (.*)", "output_keys": ["reason"]}
PARSER = CombiningOutputParser(parsers=[RegexParser(**CHOICE), RegexParser(**REASON)])

parts = st.sampled_from(["Choice: tea", "Because: x", " Choice: a\nBecause: b ", "", "\nChoice: c"])


@given(st.lists(parts, min_size=2, max_size=4), st.booleans())
def test_results_are_those_of_langchain(texts: list[str], lenient: bool) -> None:
    text = "\n\n".join(texts)
    last = {**REASON, "default_output_key": "reason"} if lenient else REASON

    def described(package: Any, combining: Any) -> Any:
        parser = combining(parsers=[package(**CHOICE), package(**last)])
        try:
            return parser.parse(text)
        except ValueError as error:
            return str(error)

    ours = described(RegexParser, CombiningOutputParser)
    assert ours == described(lc.RegexParser, lc.CombiningOutputParser)


def test_parts_are_separated_by_empty_lines_and_results_are_one_dictionary() -> None:
    text = "Choice: tea\n\nBecause: it rains\n\nAnything else?"
    result = {"choice": "tea", "reason": "it rains"}
    assert PARSER.parse(text) == PARSER.invoke(AIMessage(content=text)) == result
    assert asyncio.run(PARSER.aparse(text)) == asyncio.run(PARSER.ainvoke(text)) == result
    assert list(PARSER.transform(iter(text))) == [result]


class Waiting(BaseOutputParser[dict[str, str]]):
    def parse(self, text: str) -> dict[str, str]:
        raise NotImplementedError

    async def aparse(self, text: str) -> dict[str, str]:
        await asyncio.sleep(0)
        return {"waited": text}


def test_parsers_that_wait_are_waited_for() -> None:
    parser = CombiningOutputParser(parsers=[RegexParser(**CHOICE), Waiting()])
    result = {"choice": "tea", "waited": "x"}
    assert asyncio.run(parser.ainvoke("Choice: tea\n\nx")) == result
    assert asyncio.run(parser.abatch(["Choice: tea\n\nx"] * 2)) == [result] * 2


def test_a_missing_part_is_an_error() -> None:
    with pytest.raises(OutputParserException, match="expected 2 outputs") as caught:
        PARSER.parse("Choice: tea")
    assert caught.value.llm_output == "Choice: tea"
    assert "1 of 2 parts" in str(caught.value.observation)


def test_the_error_of_a_part_is_that_of_its_parser() -> None:
    with pytest.raises(OutputParserException, match="Could not parse output: so") as caught:
        PARSER.parse("Choice: tea\n\nso")
    assert caught.value.llm_output == "so"


class Point(BaseModel):
    x: int


class Points(BaseOutputParser[Point]):
    def parse(self, text: str) -> Point:
        return Point(x=int(text))


def test_a_model_is_as_good_as_a_dictionary() -> None:
    parser = CombiningOutputParser(parsers=[Points(), RegexParser(**CHOICE)])
    assert parser.parse("7\n\nChoice: tea") == {"x": 7, "choice": "tea"}


def test_a_result_without_names_is_an_error() -> None:
    parser = CombiningOutputParser(parsers=[RegexParser(**CHOICE), BooleanOutputParser()])
    with pytest.raises(
        OutputParserException, match="expected output 2 to be a dictionary, got bool"
    ):
        parser.parse("Choice: tea\n\nYES")


class OwnList(ListOutputParser):
    def parse(self, text: str) -> list[str]:
        return [text]


class NoKind(RegexParser):
    @property
    def _type(self) -> str:
        raise NotImplementedError


@pytest.mark.parametrize(
    ("parsers", "message"),
    [
        ([], "Must have at least two parsers"),
        ([StrOutputParser()], "Must have at least two parsers"),
        ([PARSER, RegexParser(**CHOICE)], "Cannot nest combining parsers"),
        ([RegexParser(**CHOICE), OwnList()], "Cannot combine list parsers"),
        ([RegexParser(**CHOICE), 5], "expected a parser, not int"),
        ([RegexParser(**CHOICE), CommaSeparatedListOutputParser()], "Cannot combine list parsers"),
    ],
)
def test_what_cannot_be_combined_is_the_callers_mistake(parsers: Any, message: str) -> None:
    with pytest.raises(ValueError, match=message):
        CombiningOutputParser(parsers=parsers)


def test_a_parser_without_a_kind_can_be_combined() -> None:
    parser = CombiningOutputParser(parsers=[NoKind(**CHOICE), NoKind(**REASON)])
    assert parser.parse("Choice: a\n\nBecause: b") == {"choice": "a", "reason": "b"}


def test_the_instructions_are_those_of_the_parsers_without_empty_parts() -> None:
    text = PARSER.get_format_instructions()
    assert text.index(CHOICE["regex"]) < text.index(REASON["regex"])
    assert text.count("Part ") == 2


def test_it_describes_itself_as_langchains_does() -> None:
    assert PARSER._type == "combining"
    assert PARSER.OutputType == dict[str, Any]
    assert pickle.loads(pickle.dumps(PARSER)) == PARSER


def test_an_empty_line_may_end_as_on_windows() -> None:
    text = "Choice: tea\r\n\r\nBecause: it rains"
    assert PARSER.parse(text)["reason"] == "it rains"


class Keys(BaseModel):
    keys: list[str]


class ReadsKeys(BaseOutputParser[Keys]):
    def parse(self, text: str) -> Keys:
        return Keys(keys=text.split())


def test_a_field_may_be_named_keys() -> None:
    parser = CombiningOutputParser(parsers=[ReadsKeys(), RegexParser(**CHOICE)])
    assert parser.parse("a b\n\nChoice: tea") == {"keys": ["a", "b"], "choice": "tea"}
