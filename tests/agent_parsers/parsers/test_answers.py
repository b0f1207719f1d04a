"""Streaming the answer of a turn, and turns that end before the text does."""

import asyncio
from collections.abc import AsyncIterator, Generator, Iterator
from contextlib import aclosing, suppress
from typing import Any

import pytest

from agent_parsers import OutputParserException, answer_stream, get_parser
from agent_parsers.engine.writing.prompt import replies
from agent_parsers.events import Event

ACTION = "Thought: hm\nAction: search\nAction Input: Thun"
INVENTED = [ACTION, "\nObserv", "ation: 217 m\n", "Final Answer: 217 m"]
CALL = '<tool_call>\n{"name": "find", "arguments": {}}\n</tool_call>'


class Source:
    """Chunks that record whether their source was closed."""

    def __init__(self, *chunks: str) -> None:
        self.left = list(chunks)
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        try:
            while self.left:
                yield self.left.pop(0)
        finally:
            self.is_closed = True

    async def __aiter__(self) -> AsyncIterator[str]:
        try:
            while self.left:
                yield self.left.pop(0)
        finally:
            self.is_closed = True


def test_an_answer_streams_while_it_is_written() -> None:
    source = Source("Final Answer: It is ", "217 m", " deep.")
    said = answer_stream(get_parser("react").events(source))
    texts = iter(said)
    assert next(texts) == "It is"
    assert source.left
    assert [*texts] == [" 217 m", " deep."]
    assert said.finish is not None
    assert said.finish.return_values == {"output": "It is 217 m deep."}
    assert said.actions == []


def test_an_action_has_no_answer_text() -> None:
    said = answer_stream(get_parser("react").events([ACTION]))
    assert [*said] == []
    assert [action.tool for action in said.actions] == ["search"]
    assert said.finish is None


def test_content_beside_calls_is_yielded() -> None:
    said = answer_stream(get_parser("hermes").events(f"Both.\n{CALL}\n{CALL}"))
    assert "".join(said) == "Both."
    assert [action.tool for action in said.actions] == ["find", "find"]


def test_asynchronous_events_give_the_same() -> None:
    async def run() -> tuple[str, bool]:
        said = answer_stream(get_parser("react").aevents(Source("Final Answer: a", " b")))
        text = "".join([piece async for piece in said])
        return text, said.finish is not None

    assert asyncio.run(run()) == ("a b", True)


def test_a_text_that_is_not_a_turn_raises() -> None:
    with pytest.raises(OutputParserException):
        [*answer_stream(get_parser("react").events(["Let me see."]))]


def test_the_wrong_loop_raises() -> None:
    parser = get_parser("react")
    with pytest.raises(TypeError, match="async for"):
        [*answer_stream(parser.aevents(Source("a")))]

    async def run() -> None:
        async for _ in answer_stream(parser.events(["a"])):
            pass

    with pytest.raises(TypeError, match="use `for`"):
        asyncio.run(run())


def test_the_result_is_not_known_before_the_end() -> None:
    said = answer_stream(get_parser("react").events(["Final Answer: a", " b"]))
    with pytest.raises(RuntimeError, match="not known yet"):
        _ = said.finish
    for _ in said:
        with pytest.raises(RuntimeError, match="not known yet"):
            _ = said.actions
    assert said.actions == []
    assert said.finish is not None


def test_a_turn_that_was_left_has_no_result() -> None:
    said = answer_stream(get_parser("react").events(["Final Answer: a", " b"]))
    for _ in said:
        break
    assert [*said] == []
    with pytest.raises(RuntimeError, match="not known yet"):
        _ = said.finish


def test_a_turn_that_cannot_be_read_has_no_result() -> None:
    said = answer_stream(get_parser("hermes").events([CALL.replace("}}\n", "")]))
    with pytest.raises(OutputParserException):
        list(said)
    with pytest.raises(RuntimeError, match="the turn could not be read: "):
        _ = said.actions


def test_a_turn_is_said_once() -> None:
    said = answer_stream([*get_parser("hermes").events([CALL])])
    assert [*said, *said] == []
    assert len(said.actions) == 1


@pytest.mark.parametrize("events", ["Final Answer: a", ["Final Answer: a"], get_parser("react")])
def test_values_that_are_not_events_raise(events: Any) -> None:
    with pytest.raises(TypeError, match=r"parser\.events"):
        [*answer_stream(events)]


# -- stopping early -------------------------------------------------------------------------------


def test_a_turn_that_goes_on_is_ended() -> None:
    source = Source(*INVENTED)
    said = answer_stream(get_parser("react").events(source, stop_early=True))
    assert [*said] == []
    assert [action.tool_input for action in said.actions] == ["Thun"]
    assert source.left == ["Final Answer: 217 m"]
    assert source.is_closed


def test_a_turn_that_goes_on_is_ended_for_asynchronous_chunks() -> None:
    source = Source(*INVENTED)

    async def run() -> list[str]:
        said = answer_stream(get_parser("react").aevents(source, stop_early=True))
        assert [text async for text in said] == []
        return [action.tool for action in said.actions]

    assert asyncio.run(run()) == ["search"]
    assert source.left == ["Final Answer: 217 m"]
    assert source.is_closed


class ClientStream:
    """A stream of a client: its iterators are generators, but only it closes the connection."""

    def __init__(self) -> None:
        self.left = list(INVENTED)
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        while self.left:
            yield self.left.pop(0)

    def close(self) -> None:
        self.is_closed = True


class AsyncClientStream(ClientStream):
    async def __aiter__(self) -> AsyncIterator[str]:
        while self.left:
            yield self.left.pop(0)

    async def close(self) -> None:  # type: ignore[override]
        self.is_closed = True


def test_the_stream_of_a_client_is_closed_too() -> None:
    stream, later = ClientStream(), AsyncClientStream()
    assert [*get_parser("react").events(stream, stop_early=True)]

    async def run() -> None:
        assert [event async for event in get_parser("react").aevents(later, stop_early=True)]

    asyncio.run(run())
    for each in (stream, later):
        assert each.is_closed
        assert each.left == ["Final Answer: 217 m"]


def left_at_once(events: Generator[Event, None, None]) -> Any:
    for _ in events:
        break
    events.close()  # as Python does when the last reference is gone


def left_while_it_is_said(events: Iterator[Event]) -> Any:
    said = answer_stream(events)
    for _ in said:
        break
    return said  # and a reference to it does not keep the stream open


def left_by_an_error(events: Iterator[Event]) -> Any:
    said = answer_stream(events)
    with suppress(LookupError):
        for _ in said:
            raise LookupError
    return said


@pytest.mark.parametrize("stop_early", [True, False])
@pytest.mark.parametrize("leave", [left_at_once, left_while_it_is_said, left_by_an_error])
def test_it_is_closed_however_a_turn_is_left(leave: Any, stop_early: bool) -> None:
    stream = ClientStream()
    stream.left = ["Final Answer: a", " b"]
    said = leave(get_parser("react").events(stream, stop_early=stop_early))
    assert stream.is_closed, said
    assert stream.left == [" b"]


@pytest.mark.parametrize("stop_early", [True, False])
def test_asynchronous_events_are_closed_later_or_at_once(stop_early: bool) -> None:
    async def run() -> None:
        streams = [AsyncClientStream(), AsyncClientStream()]
        for stream in streams:
            stream.left = ["Final Answer: a", " b"]
        at_once, later = (
            get_parser("react").aevents(stream, stop_early=stop_early) for stream in streams
        )
        async with aclosing(at_once) as events:
            async for _ in answer_stream(events):
                break
        assert streams[0].is_closed
        async for _ in answer_stream(later):
            break
        await asyncio.sleep(0.1)
        assert streams[1].is_closed

    asyncio.run(run())


def test_without_it_all_is_read() -> None:
    source = Source(*INVENTED)
    assert [*get_parser("react").events(source)]
    assert source.left == []


def test_a_token_that_ends_the_turn_ends_it() -> None:
    source = Source(CALL, "<|im_end|>", "\n<|im_start|>user\nfour")
    said = answer_stream(get_parser("hermes").events(source, stop_early=True))
    assert [*said] == []
    assert [action.tool for action in said.actions] == ["find"]
    assert len(source.left) == 1


def test_strictly_an_invented_observation_is_an_error_at_once() -> None:
    source = Source(*INVENTED, "more")
    parser = get_parser("react_llamaindex", lenient=False)
    with pytest.raises(OutputParserException):
        [*parser.events(source, stop_early=True)]


@pytest.mark.parametrize("name", ["react", "hermes"])
def test_a_turn_that_ends_by_itself_is_the_same(name: str) -> None:
    parser = get_parser(name)
    text = replies(parser.dialect, ["search"])[0]
    assert [*parser.events([text], stop_early=True)] == [*parser.events([text])]
