"""Objects of clients and frameworks are read like the data that a server sends."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any

import anthropic
import langchain_core.messages as lc
import openai
import pytest
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from agent_parsers import Event, ToolsAgentOutputParser, merge_events
from tests.helpers.client_stories import assert_same_stream, assert_same_whole, said_by
from tests.helpers.effort import THOROUGH
from tests.helpers.native_corpus import Case, cases
from tests.helpers.recorded_client import Recorded
from tests.helpers.wire import (
    anthropic_events,
    anthropic_message,
    completion,
    completion_chunks,
    response,
    response_events,
)


def some_cases(first: int) -> Sequence[Case]:
    """Return a third of the cases, or all of them in thorough runs."""
    return cases() if THOROUGH else cases()[first::3]


# Objects of OpenAI's client are read like the data that a server sends.

ASK: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "?"}]}
ASK_RESPONSES: dict[str, Any] = {"model": "gpt-5", "input": "?"}


@pytest.fixture(scope="module")
def server() -> Recorded:
    return Recorded(openai)


@pytest.fixture(scope="module")
def client(server: Recorded) -> Any:
    return server.client(openai.OpenAI)


def test_completions(server: Recorded, client: Any) -> None:
    for case in some_cases(0):
        body, chunks = completion(case.message), completion_chunks(case.message)
        server.whole(body)
        given = client.chat.completions.create(**ASK)
        server.stream(chunks)
        pieces = [*client.chat.completions.create(**ASK, stream=True)]
        assert len(pieces) == len(chunks)
        for parser in case.parsers():
            assert_same_whole(parser, given, body)
            assert_same_whole(parser, given.choices[0].message, body["choices"][0]["message"])
            assert_same_stream(parser, pieces, chunks)
            assert said_by(parser, pieces) == said_by(parser, [given]), case.id


def test_responses(server: Recorded, client: Any) -> None:
    for case in some_cases(1):
        body, events = response(case.message), response_events(case.message)
        server.whole(body)
        given = client.responses.create(**ASK_RESPONSES)
        server.stream(events)
        pieces = [*client.responses.create(**ASK_RESPONSES, stream=True)]
        assert len(pieces) == len(events)
        for parser in case.parsers(by_function=False):
            assert_same_whole(parser, given, body)
            if given.output:
                assert_same_whole(parser, given.output, body["output"])
            assert_same_stream(parser, pieces, events)
            assert said_by(parser, pieces) == said_by(parser, [given]), case.id


def test_both_apis_say_the_same() -> None:
    for case in cases():
        if not case.is_function:
            parser = case.parsers()[-1]  # a lenient parser: its answer is text rather than blocks
            chat = said_by(parser, [completion(case.message)])
            assert said_by(parser, [response(case.message)]) == chat, case.id


def test_events_added_by_the_client_are_read_once(server: Recorded, client: Any) -> None:
    """Its helpers for streams yield events of their own among those of the server."""
    for case in cases()[:19]:
        server.stream(completion_chunks(case.message))
        with client.chat.completions.stream(**ASK) as stream:
            chat = [*stream]
        server.stream(response_events(case.message))
        with client.responses.stream(**ASK_RESPONSES) as stream:
            other = [*stream]
        for parser in case.parsers(by_function=False):
            assert said_by(parser, other) == said_by(parser, response_events(case.message))
        for parser in case.parsers():
            assert said_by(parser, chat) == said_by(parser, completion_chunks(case.message))


def test_a_stream_that_is_waited_for(server: Recorded) -> None:
    client = server.client(openai.AsyncOpenAI)

    async def events(stream: AsyncIterator[Any]) -> list[Event]:
        return [event async for event in ToolsAgentOutputParser().aevents(stream)]

    async def results(stream: AsyncIterator[Any]) -> list[Any]:
        return [result async for result in ToolsAgentOutputParser().atransform(stream)]

    async def run(case: Case) -> None:
        chunks = completion_chunks(case.message)
        server.stream(chunks)
        found = await events(await client.chat.completions.create(**ASK, stream=True))
        assert merge_events(found) == merge_events(ToolsAgentOutputParser().events(chunks))
        given = response_events(case.message)
        server.stream(given)
        stream = await client.responses.create(**ASK_RESPONSES, stream=True)
        assert await results(stream) == [*ToolsAgentOutputParser().transform(iter(given))]

    asyncio.run(run(next(case for case in cases() if case.id.startswith("tm-content-and-calls"))))


# Objects of Anthropic's client are read like the data that a server sends.

ANTHROPIC_ASK: dict[str, Any] = {
    "model": "claude-5",
    "max_tokens": 99,
    "messages": [{"role": "user", "content": "?"}],
}


@pytest.fixture(scope="module")
def anthropic_server() -> Recorded:
    return Recorded(anthropic)


@pytest.fixture(scope="module")
def anthropic_client(anthropic_server: Recorded) -> Any:
    return anthropic_server.client(anthropic.Anthropic)


def test_messages(anthropic_server: Recorded, anthropic_client: Any) -> None:
    said = 0
    for case in cases():
        if (body := anthropic_message(case.message)) is None:
            continue
        said += 1
        anthropic_server.whole(body)
        given = anthropic_client.messages.create(**ANTHROPIC_ASK)
        for parser in case.parsers(by_function=False):
            assert_same_whole(parser, given, body)
    assert said == len(cases()) - 9  # the arguments of the others are not JSON objects


def test_events(anthropic_server: Recorded, anthropic_client: Any) -> None:
    for case in some_cases(2):
        events = anthropic_events(case.message)
        anthropic_server.stream(events)
        pieces = [*anthropic_client.messages.create(**ANTHROPIC_ASK, stream=True)]
        assert len(pieces) == len([event for event in events if event["type"] != "ping"])
        for parser in case.parsers(by_function=False):
            assert_same_stream(parser, pieces, events)


def test_a_stream_says_what_the_whole_message_does() -> None:
    for case in cases():
        if (body := anthropic_message(case.message)) is None:
            continue
        for parser in case.parsers(by_function=False):
            streamed = said_by(parser, anthropic_events(case.message))
            whole = said_by(parser, [body])
            # Errors contain the arguments, which a stream keeps as they were written.
            assert streamed == whole or (isinstance(whole, tuple) and isinstance(streamed, tuple))


def test_arguments_are_repaired_like_those_of_other_apis() -> None:
    for case in cases():
        if not case.is_function:
            parser = case.parsers()[-1]  # a lenient parser: its answer is text rather than blocks
            chat = said_by(parser, [completion(case.message)])
            assert said_by(parser, anthropic_events(case.message)) == chat, case.id


def test_events_added_by_anthropics_client_are_read_once(
    anthropic_server: Recorded, anthropic_client: Any
) -> None:
    """Its helper for streams yields events of its own among those of the server."""
    for case in cases()[:19]:
        events = anthropic_events(case.message)
        anthropic_server.stream(events)
        if anthropic_message(case.message) is None:
            continue  # The helper itself fails to read the arguments.
        with anthropic_client.messages.stream(**ANTHROPIC_ASK) as stream:
            pieces = [*stream]
        assert len(pieces) > len(events) - 2
        for parser in case.parsers(by_function=False):
            assert said_by(parser, pieces) == said_by(parser, events)


def test_a_stream_of_anthropic_that_is_waited_for(anthropic_server: Recorded) -> None:
    anthropic_client = anthropic_server.client(anthropic.AsyncAnthropic)

    async def events_in(stream: AsyncIterator[Any]) -> list[Event]:
        return [event async for event in ToolsAgentOutputParser().aevents(stream)]

    async def run(case: Case) -> None:
        events = anthropic_events(case.message)
        anthropic_server.stream(events)
        stream = await anthropic_client.messages.create(**ANTHROPIC_ASK, stream=True)
        assert merge_events(await events_in(stream)) == merge_events(
            ToolsAgentOutputParser().events(events)
        )

    asyncio.run(run(next(case for case in cases() if case.id.startswith("tm-content-and-calls"))))


# Messages of langchain-core are read like the dictionaries that a server sends.


def whole(case: Case) -> lc.AIMessage:
    """Return a message as LangChain's model classes make it of that of a server."""
    calls: list[Any] = []
    invalid: list[Any] = []
    for raw in case.message.get("tool_calls") or ():
        try:
            call = parse_tool_call(raw, return_id=True)
        except LcOutputParserException as error:
            invalid.append(make_invalid_tool_call(raw, str(error)))
        else:
            (calls if isinstance(call["args"], dict) else invalid).append(
                call if isinstance(call["args"], dict) else make_invalid_tool_call(raw, None)
            )
    function = case.message.get("function_call")
    return lc.AIMessage(
        content=case.message.get("content") or "",
        additional_kwargs={"function_call": function} if function else {},
        tool_calls=calls,
        invalid_tool_calls=invalid,
    )


def pieces(case: Case) -> list[lc.AIMessageChunk]:
    """Return chunks as LangChain's model classes make them of those of a server."""
    chunks = []
    for chunk in completion_chunks(case.message):
        choice = chunk["choices"][0] if chunk["choices"] else {"delta": {}}
        delta = choice["delta"]
        calls = [
            {"index": call["index"], "id": call.get("id"), "name": call["function"].get("name"),
             "args": call["function"]["arguments"], "type": "tool_call_chunk"}
            for call in delta.get("tool_calls") or ()
        ]  # fmt: skip
        function, reason = delta.get("function_call"), choice.get("finish_reason")
        chunks.append(
            lc.AIMessageChunk(
                content=delta.get("content") or "",
                additional_kwargs={"function_call": function} if function else {},
                response_metadata={"finish_reason": reason} if reason else {},
                tool_call_chunks=calls,
            )
        )
    return chunks


def test_messages_of_langchain() -> None:
    for case in some_cases(0):
        message = whole(case)
        for parser in case.parsers():
            for form in (message.model_dump(), lc.message_to_dict(message)):
                assert_same_whole(parser, message, form)
            generation = ChatGeneration(message=message)
            assert_same_whole(parser, generation, message)
            chat = said_by(parser, [completion(case.message)])
            if not isinstance(chat, tuple):
                assert said_by(parser, [message]) == chat, case.id


def test_chunks() -> None:
    for case in some_cases(1):
        given = pieces(case)
        for parser in case.parsers():
            assert_same_stream(parser, given, [piece.model_dump() for piece in given])
            generations: Any = [ChatGenerationChunk(message=piece) for piece in given]
            assert_same_stream(parser, given, generations)
            said = said_by(parser, completion_chunks(case.message))
            assert said_by(parser, given) == said, case.id
