import asyncio
from typing import Any

import langchain_classic.output_parsers.retry as lc
import langchain_core.exceptions as lc_exceptions
import langchain_core.language_models as lc_models
import langchain_core.output_parsers as lc_parsers
import langchain_core.prompt_values as lc_values
import langchain_core.runnables as lc_runnables
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import BaseOutputParser, OutputParserException
from output_parsers.prompt_values import ChatPromptValue, StringPromptValue
from output_parsers.retry import RetryOutputParser, RetryWithErrorOutputParser
from outputs import AIMessage, HumanMessage, SystemMessage

CLASSES = [
    (RetryOutputParser, lc.RetryOutputParser),
    (RetryWithErrorOutputParser, lc.RetryWithErrorOutputParser),
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
