import asyncio
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

import pytest
from langchain_core.language_models import (
    FakeListChatModel,
    FakeListLLM,
    FakeStreamingListLLM,
    GenericFakeChatModel,
)
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import StrOutputParser as LangChainStrOutputParser
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import Runnable as LangChainRunnable
from langchain_core.runnables import RunnableLambda as LangChainLambda
from langchain_core.runnables import RunnableParallel
from langchain_core.runnables import RunnableSequence as LangChainSequence

from output_parsers import (
    BaseCumulativeTransformOutputParser,
    BaseGenerationOutputParser,
    BaseOutputParser,
    OutputParserException,
    RunnableSequence,
    StrOutputParser,
)

TEXT = "hello big world"


class PromptWords(BaseCumulativeTransformOutputParser[list[str]]):
    def parse(self, text: str) -> list[str]:
        return text.split()


class Numbered(BaseCumulativeTransformOutputParser[dict[int, str]]):
    """Snapshots that cannot be added, so that a function after it gets the last one."""

    def parse(self, text: str) -> dict[int, str]:
        return dict(enumerate(text.split()))


class Count(BaseOutputParser[int]):
    def parse(self, text: str) -> int:
        return len(text)


class Calls(BaseGenerationOutputParser[list[str]]):
    def parse_result(self, result: list[Any], *, partial: bool = False) -> list[str]:
        return [call["name"] for call in result[0].message.tool_calls]


class Fails(BaseOutputParser[int]):
    def parse(self, text: str) -> int:
        raise OutputParserException("no", llm_output=text)


def talk(text: str = TEXT) -> GenericFakeChatModel:
    def messages() -> Iterator[AIMessage]:
        while True:
            yield AIMessage(text)

    return GenericFakeChatModel(messages=messages())


async def collect(stream: Any) -> list[Any]:
    return [item async for item in stream]


@pytest.mark.parametrize(
    "model",
    [
        talk(),
        FakeListChatModel(responses=[TEXT]),
        FakeListLLM(responses=[TEXT]),
        FakeStreamingListLLM(responses=[TEXT]),
    ],
    ids=lambda model: type(model).__name__,
)
def test_a_model_pipes_into_our_parser_as_into_langchains(model: Any) -> None:
    ours, theirs = model | StrOutputParser(), model | LangChainStrOutputParser()
    assert isinstance(ours, LangChainSequence)
    assert ours.invoke("x") == theirs.invoke("x") == TEXT
    assert asyncio.run(ours.ainvoke("x")) == TEXT
    assert ours.batch(["x", "y"], {"max_concurrency": 2}) == theirs.batch(["x", "y"]) == [TEXT] * 2
    assert asyncio.run(ours.abatch(["x", "y"])) == [TEXT] * 2
    assert list(ours.stream("x")) == list(theirs.stream("x"))
    assert asyncio.run(collect(ours.astream("x"))) == asyncio.run(collect(theirs.astream("x")))


def test_chunks_reach_our_parser_as_the_model_makes_them() -> None:
    assert list((talk() | StrOutputParser()).stream("x")) == ["hello", " ", "big", " ", "world"]
    chain = talk() | PromptWords()
    expected = [["hello"], ["hello", "big"], ["hello", "big", "world"]]
    assert list(chain.stream("x")) == expected
    assert asyncio.run(collect(chain.astream("x"))) == expected


def test_a_parser_that_does_not_stream_gets_the_whole_message() -> None:
    chain = talk() | Count()
    assert list(chain.stream("x")) == asyncio.run(collect(chain.astream("x"))) == [len(TEXT)]


@pytest.mark.parametrize(
    "chain",
    [
        ChatPromptTemplate.from_messages([("human", "{x}")]) | talk() | Numbered() | len,
        talk() | (Numbered() | len),
        talk() | Numbered() | LangChainLambda(len),
        talk() | RunnableParallel(n=Numbered() | len) | (lambda results: results["n"]),
        (lambda given: given) | talk() | Numbered() | len,
    ],
)
def test_longer_chains_run_in_every_way(chain: Any) -> None:
    given = {"x": "hi"} if "ChatPromptTemplate" in repr(chain) else "hi"
    assert chain.invoke(given) == 3
    assert asyncio.run(chain.ainvoke(given)) == 3
    assert chain.batch([given, given]) == [3, 3]
    assert asyncio.run(chain.abatch([given, given])) == [3, 3]
    assert list(chain.stream(given))[-1] == 3
    assert asyncio.run(collect(chain.astream(given)))[-1] == 3


def test_our_parser_pipes_into_langchains_runnables() -> None:
    chain = StrOutputParser() | talk() | PromptWords()
    assert isinstance(chain, RunnableSequence)
    assert chain.invoke("x") == ["hello", "big", "world"]
    assert chain.batch(["x", "y"], return_exceptions=True) == [["hello", "big", "world"]] * 2
    assert list(chain.stream("x")) == [["hello"], ["hello", "big"], ["hello", "big", "world"]]
    assert asyncio.run(collect(chain.astream("x")))[0] == ["hello"]
    assert asyncio.run(chain.abatch(["x"], {"max_concurrency": 1})) == [["hello", "big", "world"]]


def test_tool_calls_of_langchains_messages_are_read() -> None:
    calls = [{"name": "search", "args": {}, "id": "1"}]
    model = GenericFakeChatModel(messages=iter([AIMessage("", tool_calls=calls)]))
    assert (model | Calls()).invoke("x") == ["search"]
    piece = {"name": "search", "args": "{}", "id": "1", "index": 0}
    chunks = [AIMessageChunk("", tool_call_chunks=[piece]), AIMessageChunk("a")]
    assert list(Calls().transform(iter(chunks))) == [["search"]]


def test_our_exceptions_cross_langchains_chains_unchanged() -> None:
    chain = talk() | Fails()
    for call in (
        lambda: chain.invoke("x"),
        lambda: list(chain.stream("x")),
        lambda: asyncio.run(chain.ainvoke("x")),
    ):
        with pytest.raises(OutputParserException) as caught:
            call()
        assert caught.value.llm_output == TEXT
    (result,) = chain.batch(["x"], return_exceptions=True)
    assert isinstance(result, OutputParserException)
    assert chain.with_fallbacks([LangChainLambda(lambda _: -1)]).invoke("x") == -1


def test_langchain_can_describe_a_chain_with_our_steps() -> None:
    chain = talk() | StrOutputParser() | (StrOutputParser() | len)
    assert isinstance(StrOutputParser(), LangChainRunnable)
    names = [node.name for node in chain.get_graph().nodes.values()]
    assert "StrOutputParser" in names
    assert chain.config_specs == []
    assert (talk() | StrOutputParser()).get_output_jsonschema()["type"] == "string"
    assert RunnableParallel(a=Count()).get_output_jsonschema()["properties"]["a"] is not None
    assert RunnableParallel(a=Count()).get_graph().nodes
    assert StrOutputParser().get_input_jsonschema() is not None


OLDER_THAN_LANGCHAIN = """
import asyncio, sys
from output_parsers import StrOutputParser
parser = StrOutputParser()
assert not any(name.startswith("langchain") for name in sys.modules)
try:
    parser.get_graph()
except RuntimeError as error:
    assert "import langchain_core first" in str(error)
else:
    raise AssertionError("LangChain answered without being there")

from langchain_core.language_models import FakeListChatModel
chain = FakeListChatModel(responses=["abc"]) | parser
assert chain.invoke("x") == "abc"
assert chain.batch(["x", "y"]) == ["abc"] * 2
assert list(chain.stream("x")) == ["abc"], "in one piece"
assert asyncio.run(chain.ainvoke("x")) == "abc"

chain = FakeListChatModel(responses=["abc"]) | StrOutputParser()
assert list(chain.stream("x")) == ["a", "b", "c"]
"""


def test_a_parser_older_than_langchains_import_is_a_step_too() -> None:
    subprocess.run([sys.executable, "-c", OLDER_THAN_LANGCHAIN], check=True)
