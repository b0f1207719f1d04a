import asyncio
from collections.abc import Callable
from typing import Any

import langchain_classic.output_parsers.fix as lc
import langchain_core.exceptions as lc_exceptions
import langchain_core.language_models as lc_models
import langchain_core.messages as lc_messages
import langchain_core.output_parsers as lc_parsers
import langchain_core.prompts as lc_prompts
import langchain_core.runnables as lc_runnables
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from output_parsers import (
    BaseOutputParser,
    OutputParserException,
    PydanticOutputParser,
    Runnable,
    RunnableLambda,
    StrOutputParser,
)
from output_parsers.fix import OutputFixingParser
from output_parsers.prompts import NAIVE_FIX_PROMPT, PromptTemplate
from outputs import AIMessage


class Number(BaseOutputParser[int]):
    """Reads digits, and counts its calls."""

    reads: list[str] = Field(default_factory=list)

    def parse(self, text: str) -> int:
        self.reads.append(text)
        if not text.isdigit():
            raise OutputParserException(f"no number: {text}", llm_output=text)
        return int(text)

    def get_format_instructions(self) -> str:
        return "Write digits."


class Bare(Number):
    def get_format_instructions(self) -> str:
        raise NotImplementedError


class TheirNumber(lc_parsers.BaseOutputParser[int]):
    reads: list[str] = Field(default_factory=list)

    def parse(self, text: str) -> int:
        self.reads.append(text)
        if not text.isdigit():
            raise lc_exceptions.OutputParserException(f"no number: {text}")
        return int(text)

    def get_format_instructions(self) -> str:
        return "Write digits."


class Chain:
    """A fake chain: returns replies in turn and records its inputs."""

    def __init__(self, *replies: Any) -> None:
        self.replies = list(replies)
        self.asked: list[Any] = []

    def __call__(self, values: Any) -> Any:
        self.asked.append(values)
        return self.replies.pop(0)


def run(parser: Any, text: str, *, is_async: bool) -> Any:
    return asyncio.run(parser.aparse(text)) if is_async else parser.parse(text)


def outcome(parser: Any, text: str, *, is_async: bool) -> Any:
    """Return the result, or the error's text without LangChain's link."""
    try:
        return run(parser, text, is_async=is_async)
    except (OutputParserException, lc_exceptions.OutputParserException) as error:
        return str(error).partition("\nFor troubleshooting")[0]


BOTH = pytest.mark.parametrize("is_async", [False, True], ids=["sync", "async"])


@BOTH
@given(
    texts=st.lists(st.sampled_from(["one", "two", "3", "44"]), min_size=5, max_size=5),
    retries=st.integers(0, 4),
)
def test_a_reply_is_mended_as_langchain_mends_it(
    is_async: bool, texts: list[str], retries: int
) -> None:
    reply, *better = texts
    theirs, chain = Chain(*better), Chain(*better)
    reference = lc.OutputFixingParser(
        parser=TheirNumber(),
        retry_chain=lc_runnables.RunnableLambda(theirs),
        max_retries=retries,
    )
    parser = OutputFixingParser(parser=Number(), retry_chain=chain, max_retries=retries)
    expected = outcome(reference, reply, is_async=is_async)
    assert outcome(parser, reply, is_async=is_async) == expected
    assert parser.parser.reads == reference.parser.reads
    assert [asked["completion"] for asked in chain.asked] == parser.parser.reads[: len(chain.asked)]
    assert [set(asked) for asked in chain.asked] == [set(asked) for asked in theirs.asked]


@BOTH
def test_the_chain_gets_the_reply_the_error_and_the_instructions(is_async: bool) -> None:
    chain = Chain("4")
    run(OutputFixingParser(parser=Number(), retry_chain=chain), "four", is_async=is_async)
    assert chain.asked == [
        {
            "instructions": "Write digits.",
            "completion": "four",
            "error": "OutputParserException('no number: four')",
        }
    ]


@BOTH
def test_instructions_are_left_out_if_there_are_none(is_async: bool) -> None:
    chain = Chain("4")
    run(OutputFixingParser(parser=Bare(), retry_chain=chain), "four", is_async=is_async)
    assert set(chain.asked[0]) == {"completion", "error"}
    prompts: list[str] = []
    parser = OutputFixingParser.from_llm(lambda prompt: prompts.append(prompt) or "4", Bare())
    assert run(parser, "four", is_async=is_async) == 4
    assert "no number: four" in prompts[0]


@BOTH
def test_the_last_error_is_raised_and_keeps_those_before(is_async: bool) -> None:
    parser = OutputFixingParser(parser=Number(), retry_chain=Chain("two", "three"), max_retries=2)
    with pytest.raises(OutputParserException, match="no number: three") as caught:
        run(parser, "one", is_async=is_async)
    assert str(caught.value.__cause__) == "no number: two"
    assert caught.value.llm_output == "three"


def test_an_errors_own_cause_is_kept() -> None:
    class Wrapped(Number):
        def parse(self, text: str) -> int:
            try:
                return int(text)
            except ValueError as error:
                raise OutputParserException("no number") from error

    parser = OutputFixingParser(parser=Wrapped(), retry_chain=Chain("two"))
    with pytest.raises(OutputParserException) as caught:
        parser.parse("one")
    assert "literal" in str(caught.value.__cause__)


def test_the_same_error_twice_is_not_its_own_cause() -> None:
    error = OutputParserException("no")

    class Stubborn(Number):
        def parse(self, text: str) -> int:
            raise error

    with pytest.raises(OutputParserException) as caught:
        OutputFixingParser(parser=Stubborn(), retry_chain=Chain("a", "b"), max_retries=2).parse("")
    assert caught.value is error
    assert error.__cause__ is None


@BOTH
def test_an_error_of_the_model_is_not_swallowed(is_async: bool) -> None:
    def fail(prompt: str) -> str:
        raise ConnectionError("no network")

    parser = OutputFixingParser.from_llm(fail, Number(), max_retries=3)
    with pytest.raises(ConnectionError) as caught:
        run(parser, "one", is_async=is_async)
    assert str(caught.value.__context__) == "no number: one"


async def answer(prompt: str) -> str:
    return "7" if "Write digits." in prompt else "no"


class OurModel(Runnable[str, AIMessage]):
    def invoke(self, input: str, config: Any = None, **kwargs: Any) -> AIMessage:  # noqa: A002
        return AIMessage("7" if "Write digits." in input else "no")


MODELS: dict[str, Callable[[], Any]] = {
    "function": lambda: lambda prompt: "7" if "Write digits." in prompt else "no",
    "function that gives a message": lambda: lambda prompt: AIMessage("7"),
    "function that gives their message": lambda: lambda prompt: lc_messages.AIMessage("7"),
    "runnable": OurModel,
    "sequence": lambda: OurModel() | StrOutputParser(),
    "their runnable": lambda: lc_runnables.RunnableLambda(lambda prompt: "7"),
    "their chat model": lambda: lc_models.FakeListChatModel(responses=["7"]),
    "their text model": lambda: lc_models.FakeListLLM(responses=["7"]),
    "object with both methods": lambda: RunnableLambda(lambda prompt: "7", afunc=answer),
}


@pytest.mark.parametrize("model", MODELS)
@BOTH
def test_any_model_can_be_asked(model: str, is_async: bool) -> None:
    parser = OutputFixingParser.from_llm(MODELS[model](), Number())
    assert run(parser, "seven", is_async=is_async) == 7


class Later:
    """An awaitable that is not a coroutine."""

    def __await__(self) -> Any:
        return answer("Write digits.").__await__()


@pytest.mark.parametrize(
    "chain", [answer, lambda prompt: answer("Write digits."), lambda prompt: Later()]
)
def test_an_asynchronous_model_is_for_asynchronous_callers(chain: Any) -> None:
    parser = OutputFixingParser.from_llm(chain, Number())
    assert asyncio.run(parser.aparse("seven")) == 7
    with pytest.raises(TypeError, match="ainvoke"):
        parser.parse("seven")


def test_a_model_is_callable() -> None:
    with pytest.raises(TypeError, match="callable"):
        OutputFixingParser.from_llm(5, Number())
    with pytest.raises(TypeError, match="the model to return a string or a message, got dict"):
        OutputFixingParser.from_llm(lambda prompt: {"text": "7"}, Number()).parse("x")


@BOTH
@pytest.mark.parametrize(
    "prompt",
    [
        PromptTemplate.from_template("Fix {completion}: {error}"),
        lc_prompts.PromptTemplate.from_template("Fix {completion}: {error}"),
        lc_prompts.ChatPromptTemplate.from_template("Fix {completion}: {error}"),
    ],
)
def test_the_prompt_may_be_another(prompt: Any, is_async: bool) -> None:
    prompts: list[str] = []
    parser = OutputFixingParser.from_llm(
        lambda prompt: prompts.append(prompt) or "7", Number(), prompt=prompt
    )
    assert run(parser, "seven", is_async=is_async) == 7
    assert "Fix seven: no number: seven" in prompts[0]
    theirs = lc_models.FakeListChatModel(responses=["7"])
    parser = OutputFixingParser.from_llm(theirs, Number(), prompt=prompt)
    assert run(parser, "seven", is_async=is_async) == 7


@BOTH
@pytest.mark.parametrize(
    "prompt", [NAIVE_FIX_PROMPT, PromptTemplate.from_template("{completion}\n{error}")]
)
def test_the_chain_may_be_composed(prompt: PromptTemplate, is_async: bool) -> None:
    for step in (RunnableLambda(lambda _: "7"), lc_runnables.RunnableLambda(lambda _: "7")):
        parser = OutputFixingParser(parser=Number(), retry_chain=prompt | step)
        assert run(parser, "seven", is_async=is_async) == 7


@BOTH
def test_the_chain_may_give_what_the_parser_alone_understands(is_async: bool) -> None:
    class Length(BaseOutputParser[int]):
        def parse(self, text: Any) -> int:
            if isinstance(text, str):
                raise OutputParserException("a list is wanted")
            return len(text)

    parser = OutputFixingParser(parser=Length(), retry_chain=Chain([1, 2, 3]))
    assert run(parser, "", is_async=is_async) == 3


class Legacy:
    """A legacy chain, which has `run`."""

    def run(self, **values: Any) -> str:
        return str(len(values))

    async def arun(self, **values: Any) -> str:
        return str(len(values))

    def invoke(self, values: Any) -> str:
        return "100"

    async def ainvoke(self, values: Any) -> str:
        return "100"


@BOTH
def test_a_chain_of_old_is_run(is_async: bool) -> None:
    parser = OutputFixingParser(parser=Number(), retry_chain=Legacy())
    assert run(parser, "x", is_async=is_async) == 3
    parser = OutputFixingParser(parser=Number(), retry_chain=Legacy(), legacy=False)
    assert run(parser, "x", is_async=is_async) == 100


def test_the_wrapper_looks_like_the_parser() -> None:
    parser = OutputFixingParser(parser=Number(), retry_chain=Chain())
    assert parser.OutputType is int
    assert parser.get_format_instructions() == "Write digits."
    assert parser.asdict()["_type"] == "output_fixing"
    assert OutputFixingParser[int](parser=Number(), retry_chain=Chain()).OutputType is int


def test_the_wrapper_is_a_step() -> None:
    def parser() -> OutputFixingParser[int]:
        return OutputFixingParser.from_llm(lambda prompt: "7", Number())

    assert parser().invoke(AIMessage("seven")) == 7
    assert asyncio.run(parser().ainvoke(lc_messages.AIMessage("seven"))) == 7
    assert parser().batch(["seven", "8"]) == [7, 8]
    assert asyncio.run(parser().abatch(["seven", "8"])) == [7, 8]
    assert list(parser().transform(iter(["sev", "en"]))) == [7]


def test_retries_are_counted_from_zero() -> None:
    with pytest.raises(ValueError, match=r"max_retries should be .* not -1$"):
        OutputFixingParser(parser=Number(), retry_chain=Chain(), max_retries=-1)


@BOTH
def test_a_parser_of_langchains_is_helped_too(is_async: bool) -> None:
    parser = OutputFixingParser.from_llm(lambda question: "3", TheirNumber())
    assert run(parser, "three", is_async=is_async) == 3
    failing = OutputFixingParser.from_llm(lambda question: "four", TheirNumber())
    with pytest.raises(lc_exceptions.OutputParserException, match="no number: four") as caught:
        run(failing, "three", is_async=is_async)
    assert "no number: three" in str(caught.value.__cause__)


def test_a_prompt_may_be_plain_text() -> None:
    asked: list[Any] = []
    parser = OutputFixingParser.from_llm(
        lambda question: asked.append(question) or "3", Number(), prompt="In digits: {completion}"
    )
    assert parser.parse("three") == 3
    assert asked == ["In digits: three"]


def test_what_is_no_prompt_or_no_parser_is_refused_when_made() -> None:
    with pytest.raises(TypeError, match="expected a string or a prompt template, not int"):
        OutputFixingParser.from_llm(str, Number(), prompt=5)
    no_parser: Any = 5
    with pytest.raises(TypeError, match="expected a parser, not int"):
        OutputFixingParser.from_llm(str, no_parser)
    with pytest.raises(ValueError, match="expected a parser, not int"):
        OutputFixingParser(parser=no_parser, retry_chain=str)


def test_a_parser_and_a_model_that_changed_places_are_told() -> None:
    parser: Any = Number()
    model: Any = str
    with pytest.raises(TypeError, match="not type; pass the model first, then the parser"):
        OutputFixingParser.from_llm(parser, model)


class Shelf(BaseModel):
    books: int


@BOTH
def test_the_model_is_told_what_is_wrong_and_not_the_reply_again(is_async: bool) -> None:
    asked: list[str] = []
    parser: Any = OutputFixingParser.from_llm(
        lambda prompt: asked.append(prompt) or '{"books": 1}',
        PydanticOutputParser(pydantic_object=Shelf),
    )
    run(parser, '{"books": "many"}', is_async=is_async)
    run(parser, '{"books": oops}', is_async=is_async)
    assert "not a valid Shelf: books: Input should be a valid integer" in asked[0]
    assert "not valid JSON: Expecting value, at line 1, column 11" in asked[1]
    for reply, prompt in zip(('{"books": "many"}', '{"books": oops}'), asked, strict=True):
        assert prompt.count(reply) == 1
        assert "OutputParserException" not in prompt
        assert "errors.pydantic.dev" not in prompt


def test_no_addresses_go_to_the_model() -> None:
    asked: list[str] = []
    their: Any = lc_parsers.PydanticOutputParser(pydantic_object=Shelf)
    parser = OutputFixingParser.from_llm(
        lambda prompt: asked.append(prompt) or '{"books": 1}', their
    )
    assert parser.parse("{}") == Shelf(books=1)
    assert "Field required" in asked[0]
    assert "https://" not in asked[0]
