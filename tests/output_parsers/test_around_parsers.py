"""Parsers around others: several at once, and another try."""

import asyncio
import pickle
from typing import Any

import langchain_classic.output_parsers as lc
import langchain_classic.output_parsers.retry as lc_retry
import langchain_core.exceptions as lc_exceptions
import langchain_core.language_models as lc_models
import langchain_core.output_parsers as lc_parsers
import langchain_core.prompt_values as lc_values
import langchain_core.runnables as lc_runnables
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel

from output_parsers import BaseOutputParser, OutputParserException, StrOutputParser
from output_parsers.boolean import BooleanOutputParser
from output_parsers.combining import CombiningOutputParser
from output_parsers.list import CommaSeparatedListOutputParser, ListOutputParser
from output_parsers.prompt_values import ChatPromptValue, StringPromptValue
from output_parsers.regex import RegexParser
from output_parsers.retry import RetryOutputParser, RetryWithErrorOutputParser
from outputs import AIMessage, HumanMessage, SystemMessage

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
        OutputParserException,
        match="expected output 2 to be a dictionary, because outputs are merged by key; got bool",
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


CLASSES = [
    (RetryOutputParser, lc_retry.RetryOutputParser),
    (RetryWithErrorOutputParser, lc_retry.RetryWithErrorOutputParser),
]
EACH = pytest.mark.parametrize("cls", [ours for ours, _ in CLASSES])
BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])
PROMPT = StringPromptValue(text="How many?")


class Number(BaseOutputParser[int]):
    def parse(self, text: str) -> int:
        if not text.isdigit():
            raise OutputParserException(f"no number: {text}", llm_output=text)
        return int(text)

    def get_format_instructions(self) -> str:
        return "Write digits."


class TheirNumber(lc_parsers.BaseOutputParser[int]):
    def parse(self, text: str) -> int:
        if not text.isdigit():
            raise lc_exceptions.OutputParserException(f"no number: {text}")
        return int(text)


class Chain:
    """A fake chain: returns replies in turn and records its inputs."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []

    def __call__(self, values: Any) -> Any:
        self.asked.append(values)
        return self.replies.pop(0)


def run(parser: Any, text: str, prompt: Any, *, is_async: bool) -> Any:
    if is_async:
        return asyncio.run(parser.aparse_with_prompt(text, prompt))
    return parser.parse_with_prompt(text, prompt)


def outcome(parser: Any, text: str, prompt: Any, *, is_async: bool) -> Any:
    """Return the result, or the error's text without LangChain's link."""
    try:
        return run(parser, text, prompt, is_async=is_async)
    except (OutputParserException, lc_exceptions.OutputParserException) as error:
        return str(error).partition("\nFor troubleshooting")[0]


@BOTH
@pytest.mark.parametrize(("cls", "reference"), CLASSES)
@given(
    texts=st.lists(st.sampled_from(["one", "two", "3", "44"]), min_size=5, max_size=5),
    retries=st.integers(0, 4),
)
def test_a_model_is_asked_again_as_langchain_asks_it(
    cls: Any, reference: Any, is_async: bool, texts: list[str], retries: int
) -> None:
    reply, *better = texts
    theirs, chain = Chain(*better), Chain(*better)
    their_chain = lc_runnables.RunnableLambda(theirs)
    reference = reference(parser=TheirNumber(), retry_chain=their_chain, max_retries=retries)
    parser = cls(parser=Number(), retry_chain=chain, max_retries=retries)
    prompt = lc_values.StringPromptValue(text="How many?")
    expected = outcome(reference, reply, prompt, is_async=is_async)
    assert outcome(parser, reply, prompt, is_async=is_async) == expected
    for asked in (*chain.asked, *theirs.asked):
        asked.pop("error", None)  # the link in theirs
    assert chain.asked == theirs.asked


@BOTH
@pytest.mark.parametrize(
    "prompt", [PROMPT, "How many?", lc_values.StringPromptValue(text="How many?")]
)
def test_the_chain_gets_the_prompt_and_the_reply(prompt: Any, is_async: bool) -> None:
    values = {"prompt": "How many?", "completion": "four"}
    chain = Chain("4")
    assert (
        run(
            RetryOutputParser(parser=Number(), retry_chain=chain), "four", prompt, is_async=is_async
        )
        == 4
    )
    assert chain.asked == [values]
    chain = Chain("4")
    run(
        RetryWithErrorOutputParser(parser=Number(), retry_chain=chain),
        "four",
        prompt,
        is_async=is_async,
    )
    assert chain.asked == [{**values, "error": "OutputParserException('no number: four')"}]


@BOTH
def test_a_prompt_of_messages_is_passed_on_as_text(is_async: bool) -> None:
    messages = [SystemMessage("Be brief."), HumanMessage("How many?")]
    chain = Chain("4")
    parser = RetryOutputParser(parser=Number(), retry_chain=chain)
    assert run(parser, "four", ChatPromptValue(messages), is_async=is_async) == 4
    assert chain.asked[0]["prompt"] == "System: Be brief.\nHuman: How many?"
    with pytest.raises(TypeError, match=r"such as ChatPromptValue\(messages=\[…\]\); found list"):
        run(parser, "four", messages, is_async=is_async)


class Legacy:
    """A legacy chain, which has `run`."""

    def run(self, **values: Any) -> str:
        return str(len(values))

    async def arun(self, **values: Any) -> str:
        return str(len(values))


@BOTH
def test_a_chain_of_old_is_run_with_the_same_values_for_all_callers(is_async: bool) -> None:
    parser: Any = RetryOutputParser(parser=Number(), retry_chain=Legacy())
    assert run(parser, "x", PROMPT, is_async=is_async) == 2
    parser = RetryWithErrorOutputParser(parser=Number(), retry_chain=Legacy())
    assert run(parser, "x", PROMPT, is_async=is_async) == 3


@EACH
@BOTH
def test_any_model_can_be_asked(cls: Any, is_async: bool) -> None:
    async def answer(prompt: str) -> AIMessage:
        return AIMessage("7" if "How many?" in prompt else "no")

    models = [lambda prompt: "7", lc_models.FakeListChatModel(responses=["7"])]
    for model in [*models, answer] if is_async else models:
        assert run(cls.from_llm(model, Number()), "seven", PROMPT, is_async=is_async) == 7


@EACH
def test_the_default_prompt_shows_what_was_asked_and_replied(cls: Any) -> None:
    prompts: list[str] = []
    parser = cls.from_llm(lambda prompt: prompts.append(prompt) or "7", Number(), max_retries=1)
    assert parser.parse_with_prompt("seven", PROMPT) == 7
    assert "How many?" in prompts[0]
    assert "seven" in prompts[0]
    assert ("no number" in prompts[0]) is (cls is RetryWithErrorOutputParser)


@EACH
@BOTH
def test_the_last_error_is_raised_and_keeps_those_before(cls: Any, is_async: bool) -> None:
    parser = cls(parser=Number(), retry_chain=Chain("two", "three"), max_retries=2)
    with pytest.raises(OutputParserException, match="no number: three") as caught:
        run(parser, "one", PROMPT, is_async=is_async)
    assert str(caught.value.__cause__) == "no number: two"


@EACH
def test_without_a_prompt_there_is_nothing_to_ask(cls: Any) -> None:
    parser = cls(parser=Number(), retry_chain=Chain())
    with pytest.raises(NotImplementedError, match="parse_with_prompt"):
        parser.parse("4")
    with pytest.raises(NotImplementedError):
        parser.invoke("4")
    with pytest.raises(NotImplementedError):
        asyncio.run(parser.aparse("4"))


@pytest.mark.parametrize(("cls", "reference"), CLASSES)
def test_the_wrapper_looks_like_the_parser(cls: Any, reference: Any) -> None:
    parser = cls(parser=Number(), retry_chain=Chain())
    assert parser.OutputType is int
    assert parser.get_format_instructions() == "Write digits."
    theirs = reference(parser=TheirNumber(), retry_chain=Chain())
    assert parser.asdict()["_type"] == theirs._type


@BOTH
@EACH
def test_a_parser_of_langchains_is_helped_too(cls: Any, is_async: bool) -> None:
    parser = cls.from_llm(lambda question: "3", TheirNumber())
    assert run(parser, "three", PROMPT, is_async=is_async) == 3
