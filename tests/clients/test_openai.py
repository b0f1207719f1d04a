"""Objects of OpenAI's client are read like the data that a server sends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import openai
import pytest

from agent_parsers import Event, ToolsAgentOutputParser, merge_events

from ..helpers.client_stories import assert_same_stream, assert_same_whole, said_by
from ..helpers.native_corpus import Case, cases
from ..helpers.recorded_client import Recorded
from ..helpers.wire import completion, completion_chunks, response, response_events

ASK: dict[str, Any] = {"model": "gpt-5", "messages": [{"role": "user", "content": "?"}]}
ASK_RESPONSES: dict[str, Any] = {"model": "gpt-5", "input": "?"}


@pytest.fixture(scope="module")
def server() -> Recorded:
    return Recorded(openai)


@pytest.fixture(scope="module")
def client(server: Recorded) -> Any:
    return server.client(openai.OpenAI)


def test_completions(server: Recorded, client: Any) -> None:
    for case in cases():
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
    for case in cases():
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
