"""Every parser in a pipeline that LangChain runs: its events, callbacks, traces and errors."""

from __future__ import annotations

import asyncio
import pickle
import threading
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from typing import Any, ClassVar

import langchain_classic.agents.output_parsers as lc_agents
import langchain_classic.output_parsers as lc
import pytest
from langchain_core.callbacks import AsyncCallbackHandler, BaseCallbackHandler
from langchain_core.exceptions import ModelRefusalError as LcModelRefusalError
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.output_parsers import JsonOutputParser as LcJsonOutputParser
from langchain_core.output_parsers import StrOutputParser as LcStrOutputParser
from langchain_core.runnables import RunnableGenerator, RunnableLambda, RunnableParallel

import output_parsers as op
import outputs
from agent_parsers import ReActSingleInputOutputParser, ToolsAgentOutputParser, get_parser

from ...helpers.public_parsers import SUBJECTS, Subject

ANSWER = "Final Answer: 7"
SUM = '{"total": 12, "tip": [1, 2]}'


def text_for(subject: Subject) -> str | None:
    """Return a text in which the parser finds something."""
    for text in subject.texts:
        with suppress(op.OutputParserException):
            if subject.reads not in ("text", "xml") or subject.parser.parse(text):
                return text
    return None


def given_to(subject: Subject) -> Any:
    """Return a reply that the parser reads."""
    text = text_for(subject)
    if subject.reads == "tools":
        function = {"name": "City", "arguments": text}
        calls = [{"id": "1", "type": "function", "function": function}]
        return AIMessage("", additional_kwargs={"tool_calls": calls})
    if subject.reads == "function":
        call = {"name": "City", "arguments": text}
        return AIMessage("", additional_kwargs={"function_call": call})
    return text


class Runs(BaseCallbackHandler):
    """Records the runs of parsers that LangChain reports."""

    def __init__(self) -> None:
        self.seen: list[Any] = []
        self.open: dict[Any, str] = {}

    def on_chain_start(self, serialized: Any, inputs: Any, *, run_id: Any, **rest: Any) -> None:
        if rest.get("run_type") == "parser":
            self.open[run_id] = rest["name"]

    def on_chain_end(self, outputs: Any, *, run_id: Any, **_: Any) -> None:
        if run_id in self.open:
            self.seen.append((self.open.pop(run_id), outputs))

    def on_chain_error(self, error: BaseException, *, run_id: Any, **_: Any) -> None:
        if run_id in self.open:
            self.seen.append((self.open.pop(run_id), error))


def ways(chain: Any) -> Iterator[Any]:
    yield lambda config: chain.invoke("?", config)
    yield lambda config: asyncio.run(chain.ainvoke("?", config))
    yield lambda config: chain.batch(["?"], config)[0]
    yield lambda config: asyncio.run(chain.abatch(["?"], config))[0]
    yield lambda config: [*chain.stream("?", config)][-1]

    async def last(config: Any) -> Any:
        return [each async for each in chain.astream("?", config)][-1]

    yield lambda config: asyncio.run(last(config))


READ = [subject for subject in SUBJECTS if text_for(subject) is not None]


@pytest.mark.parametrize("subject", READ, ids=lambda subject: type(subject.parser).__name__)
def test_each_run_is_reported_once_as_a_parser(subject: Subject) -> None:
    chain = RunnableLambda(lambda _: given_to(subject)) | subject.parser
    for way in ways(chain):
        runs = Runs()
        result = way({"callbacks": [runs]})
        assert [name for name, _ in runs.seen] == [subject.parser.get_name()]
        assert not runs.open
        assert not isinstance(runs.seen[0][1], Exception) or result is None


def test_runs_in_an_asynchronous_pipeline_are_reported_to_asynchronous_callbacks() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "City", "arguments": "{}"}}
    message = AIMessage("", additional_kwargs={"tool_calls": [call]})

    class Seen(AsyncCallbackHandler):
        threads: ClassVar[list[Any]] = []

        async def on_chain_start(self, serialized: Any, inputs: Any, **rest: Any) -> None:
            if rest.get("run_type") == "parser":
                self.threads.append(threading.current_thread())

    for parser in (op.JsonOutputToolsParser(), get_parser("tools"), op.OutputFunctionsParser()):
        chain = RunnableLambda(lambda _: message) | parser
        with suppress(op.OutputParserException):
            asyncio.run(chain.ainvoke("?", {"callbacks": [Seen()]}))
        with suppress(op.OutputParserException):
            asyncio.run(chain.abatch(["?"], {"callbacks": [Seen()]}))
    assert Seen.threads == [threading.main_thread()] * 6


async def events(chain: Any) -> list[tuple[str, str, Any, Any]]:
    """Return the events of the parser: their kind, its name, the text it got and the chunk."""

    def text_of(given: Any) -> Any:  # a message has another id in each run
        return getattr(given, "content", given)

    return [
        (event["event"], event["name"], text_of(data.get("input")), data.get("chunk"))
        async for event in chain.astream_events("?", version="v2")
        if "parser" in event["event"] and (data := event["data"]) is not None
    ]


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (op.StrOutputParser(), LcStrOutputParser()),
        (op.JsonOutputParser(), LcJsonOutputParser()),
    ],
    ids=["text", "json"],
)
def test_the_events_are_those_of_langchains_own_parser(ours: Any, theirs: Any) -> None:
    model = FakeListChatModel(responses=[SUM])
    found = asyncio.run(events(model | ours))
    assert found == asyncio.run(events(model | theirs))
    assert found[0][0] == "on_parser_start"
    assert len(found) > 5


@pytest.mark.parametrize(
    ("ours", "theirs", "reply"),
    [
        (op.BooleanOutputParser(), lc.BooleanOutputParser(), "YES"),
        (op.DatetimeOutputParser(), lc.DatetimeOutputParser(), "2026-12-01T00:00:00.000000Z"),
        (
            ReActSingleInputOutputParser(),
            lc_agents.ReActSingleInputOutputParser(),
            "Final Answer: 7",
        ),
        (ToolsAgentOutputParser(), lc_agents.ToolsAgentOutputParser(), "7"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_a_parser_without_chunks_of_its_own_has_none_in_the_events(
    ours: Any, theirs: Any, reply: str
) -> None:
    model = FakeListChatModel(responses=[reply])
    expected = asyncio.run(events(model | theirs))
    assert [each[0] for each in expected] == ["on_parser_start", "on_parser_end"]
    for parser in (ours, ours.as_langchain()):
        assert asyncio.run(events(model | parser)) == expected


BAD = "nothing of the kind"
FAILING: list[Any] = [
    op.JsonOutputParser(),
    op.JsonOutputToolsParser(),
    op.OutputFunctionsParser(),
    op.DatetimeOutputParser(),
]


@pytest.mark.parametrize("parser", FAILING, ids=lambda parser: type(parser).__name__)
def test_an_error_is_of_both_libraries(parser: Any) -> None:
    with pytest.raises(op.OutputParserException) as alone:
        parser.invoke(BAD)
    assert not isinstance(alone.value, LcOutputParserException)
    for way in ways(RunnableLambda(lambda _: BAD) | parser):
        with pytest.raises(op.OutputParserException) as raised:
            way(None)
        error: Any = raised.value
        assert isinstance(error, LcOutputParserException)
        assert (str(error), error.span, error.reason) == (
            str(alone.value), alone.value.span, alone.value.reason
        )  # fmt: skip
        again = pickle.loads(pickle.dumps(error))
        assert isinstance(again, LcOutputParserException)
        assert isinstance(again, op.OutputParserException)


def test_langchain_tries_again_and_falls_back_on_our_errors() -> None:
    replies = iter([BAD, BAD, SUM])
    chain = RunnableLambda(lambda _: next(replies)) | op.JsonOutputParser()
    again = chain.with_retry(
        retry_if_exception_type=(LcOutputParserException,),
        stop_after_attempt=3,
        wait_exponential_jitter=False,
    )
    assert again.invoke("?")["total"] == 12
    broken = RunnableLambda(lambda _: BAD) | op.JsonOutputParser()
    spare = broken.with_fallbacks(
        [RunnableLambda(lambda _: {})], exceptions_to_handle=(LcOutputParserException,)
    )
    assert spare.invoke("?") == {}


def test_a_refusal_is_a_refusal_of_both_and_no_error_of_parsing() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "Not this."})
    for step in (op.JsonOutputToolsParser(), op.JsonOutputToolsParser().as_langchain()):
        with pytest.raises(op.ModelRefusalError) as raised:
            (RunnableLambda(lambda _: refusal) | step).invoke("?")
        error: Any = raised.value
        assert isinstance(error, LcModelRefusalError)
        assert not isinstance(error, LcOutputParserException)
        assert not error.send_to_llm


def test_what_a_subclass_does_around_a_run_is_done_once() -> None:
    class Counted(op.JsonOutputParser[Any]):
        def invoke(self, given: Any, config: Any = None, **kwargs: Any) -> Any:
            found = super().invoke(given, config, **kwargs)
            return {"times": found.get("times", 0) + 1}

        def transform(self, chunks: Any, config: Any = None, **kwargs: Any) -> Any:
            for found in super().transform(chunks, config, **kwargs):
                yield {"times": found.get("times", 0) + 1}

    chain = RunnableLambda(lambda _: "{}") | Counted()
    runs = Runs()
    assert chain.invoke("?", {"callbacks": [runs]}) == {"times": 1}
    assert [*chain.stream("?")] == [{"times": 1}]
    assert len(runs.seen) == 1


def test_what_our_parsers_take_they_take_in_a_pipeline_too() -> None:
    reply = {"choices": [{"message": {"role": "assistant", "content": SUM}}]}
    chain = RunnableLambda(lambda _: reply) | op.JsonOutputParser()
    assert chain.invoke("?") == op.JsonOutputParser().invoke(reply)

    async def later() -> AsyncIterator[str]:
        for at in range(0, len(SUM), 5):
            yield SUM[at : at + 5]

    async def listed(stream: Any) -> list[Any]:
        return [each async for each in stream]

    parser = op.JsonOutputParser()
    found = asyncio.run(listed((RunnableLambda(lambda text: text) | parser).atransform(later())))
    assert found[-1] == parser.parse(SUM)


def test_a_class_without_a_type_has_a_schema_and_a_graph() -> None:
    class Loud(op.BaseOutputParser):  # type: ignore[type-arg]  # as many write it
        def parse(self, text: str) -> Any:
            return text.upper()

    chain = FakeListChatModel(responses=["x"]) | Loud()
    assert Loud().OutputType is Any
    assert len(RunnableParallel(x=chain).get_graph().nodes) == 4
    assert chain.get_output_jsonschema() is not None


# A step before the parser may yield anything that has a text.


def said_in(way: str) -> list[Any]:
    """Return "YES" in two pieces."""
    kinds: dict[str, Any] = {
        "text": str, "dictionaries": _openai_chunk, "ours": outputs.AIMessageChunk,
        "theirs": AIMessageChunk, "whole messages of ours": outputs.AIMessage,
        "whole messages of theirs": AIMessage,
    }  # fmt: skip
    return [kinds[way](piece) for piece in ("Y", "ES")]


def _openai_chunk(text: str) -> dict[str, Any]:
    choice = {"index": 0, "delta": {"role": "assistant", "content": text}, "finish_reason": None}
    about = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    return {**about, "choices": [choice]}


@pytest.mark.parametrize(
    "parser", [op.BooleanOutputParser(), get_parser("tools"), get_parser("auto")]
)
@pytest.mark.parametrize(
    "way",
    [
        "text", "dictionaries", "ours", "theirs", "whole messages of ours",
        "whole messages of theirs",
    ],
)  # fmt: skip
def test_no_piece_is_lost(parser: Any, way: str) -> None:
    def given(_: Any) -> Iterator[Any]:
        yield from said_in(way)

    async def agiven(_: Any) -> AsyncIterator[Any]:
        for piece in said_in(way):
            yield piece

    async def last(chain: Any) -> Any:
        return [each async for each in chain.astream("?")][-1]

    found = [[*parser.transform(given(None))][-1]]
    for it in (parser, parser.as_langchain()):
        found += [
            [*(RunnableGenerator(given) | it).stream("?")][-1],
            asyncio.run(last(RunnableGenerator(agiven) | it)),
        ]
    for each in found:
        assert each is True or each.return_values["output"] == "YES"


# A stream of a user's own.


class Words(op.BaseOutputParser[str]):
    def parse(self, text: str) -> str:
        return text

    def stream(self, input: Any, config: Any = None, **_kwargs: Any) -> Any:  # noqa: A002
        yield from self.invoke(input, config).split()


class AsyncWords(op.BaseOutputParser[str]):
    def parse(self, text: str) -> str:
        return text

    async def astream(self, input: Any, config: Any = None, **_kwargs: Any) -> Any:  # noqa: A002
        for word in (await self.ainvoke(input, config)).split():
            yield word


class Transforms(op.BaseOutputParser[str]):
    def parse(self, text: str) -> str:
        return text

    def transform(self, input: Any, config: Any = None, **_kwargs: Any) -> Any:  # noqa: A002
        for text in super().transform(input, config):
            yield from text.split()


class OfGenerations(op.BaseGenerationOutputParser[str]):
    def parse_result(self, result: Any, *, partial: bool = False) -> str:
        text: str = result[0].text
        return text

    def stream(self, input: Any, config: Any = None, **_kwargs: Any) -> Any:  # noqa: A002
        yield from self.invoke(input, config).split()


async def all_of(stream: Any) -> list[Any]:
    return [each async for each in stream]


@pytest.mark.parametrize("kind", [Words, AsyncWords, Transforms, OfGenerations])
def test_a_stream_of_ones_own_yields_all_of_its_pieces(kind: Any) -> None:
    parser = kind()
    piped, theirs = RunnableLambda(lambda _: "one two three") | parser, parser.as_langchain()
    words, whole = ["one", "two", "three"], ["one two three"]
    expected = [*parser.transform(iter(whole))]
    assert expected == (whole if kind is AsyncWords else words)
    assert [*piped.stream("")] == [*theirs.transform(iter(whole))] == expected
    waited = words if kind is AsyncWords else whole
    assert asyncio.run(all_of(piped.astream(""))) == waited
    if kind is not Transforms:
        assert [*theirs.stream(*whole)] == expected
        assert asyncio.run(all_of(theirs.astream(*whole))) == waited
    assert piped.invoke("") == theirs.invoke(*whole) == whole[0]
