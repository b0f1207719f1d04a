"""Objects of Anthropic's client are read like the data that a server sends."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import anthropic
import pytest

from agent_parsers import Event, ToolsAgentOutputParser, merge_events

from ..helpers.client_stories import assert_same_stream, assert_same_whole, said_by
from ..helpers.native_corpus import Case, cases
from ..helpers.recorded_client import Recorded
from ..helpers.wire import anthropic_events, anthropic_message, completion

ASK: dict[str, Any] = {
    "model": "claude-5",
    "max_tokens": 99,
    "messages": [{"role": "user", "content": "?"}],
}


@pytest.fixture(scope="module")
def server() -> Recorded:
    return Recorded(anthropic)


@pytest.fixture(scope="module")
def client(server: Recorded) -> Any:
    return server.client(anthropic.Anthropic)


def test_messages(server: Recorded, client: Any) -> None:
    said = 0
    for case in cases():
        if (body := anthropic_message(case.message)) is None:
            continue
        said += 1
        server.whole(body)
        given = client.messages.create(**ASK)
        for parser in case.parsers(by_function=False):
            assert_same_whole(parser, given, body)
    assert said == len(cases()) - 9  # the arguments of the others are not JSON objects


def test_events(server: Recorded, client: Any) -> None:
    for case in cases():
        events = anthropic_events(case.message)
        server.stream(events)
        pieces = [*client.messages.create(**ASK, stream=True)]
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


def test_events_added_by_the_client_are_read_once(server: Recorded, client: Any) -> None:
    """Its helper for streams yields events of its own among those of the server."""
    for case in cases()[:19]:
        events = anthropic_events(case.message)
        server.stream(events)
        if anthropic_message(case.message) is None:
            continue  # The helper itself fails to read the arguments.
        with client.messages.stream(**ASK) as stream:
            pieces = [*stream]
        assert len(pieces) > len(events) - 2
        for parser in case.parsers(by_function=False):
            assert said_by(parser, pieces) == said_by(parser, events)


def test_a_stream_that_is_waited_for(server: Recorded) -> None:
    client = server.client(anthropic.AsyncAnthropic)

    async def events_in(stream: AsyncIterator[Any]) -> list[Event]:
        return [event async for event in ToolsAgentOutputParser().aevents(stream)]

    async def run(case: Case) -> None:
        events = anthropic_events(case.message)
        server.stream(events)
        stream = await client.messages.create(**ASK, stream=True)
        assert merge_events(await events_in(stream)) == merge_events(
            ToolsAgentOutputParser().events(events)
        )

    asyncio.run(run(next(case for case in cases() if case.id.startswith("tm-content-and-calls"))))
