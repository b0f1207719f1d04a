"""Text parsers read the objects of clients like the text in them."""

import asyncio
from collections.abc import AsyncIterator
from functools import partial
from typing import Any
from unittest.mock import MagicMock, Mock

import anthropic
import langchain_core.messages as lc
import openai
import pytest
from pydantic import BaseModel

from agent_laws.trials.stories import outcome_of
from agent_parsers import AgentAction, OutputParserException, StreamParser, get_dialect, get_parser
from agent_parsers.testing import assert_same_events
from output_parsers import (
    JsonOutputParser,
    JsonOutputToolsParser,
    ModelRefusalError,
    PydanticToolsParser,
    StrOutputParser,
)
from outputs import AIMessage, AIMessageChunk, ProviderError
from tests.clients.test_recorded import client_events, recorded
from tests.helpers.recorded_client import Recorded
from tests.helpers.wire import (
    anthropic_events,
    anthropic_message,
    completion,
    completion_chunks,
    events_in,
    response,
    response_events,
)

TEXT = 'Thought: the wind\nAction: wind_at\nAction Input: {"port": "Ryde"}'
SAYS: dict[str, Any] = {"role": "assistant", "content": TEXT}
CALLS: dict[str, Any] = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "wind_at", "arguments": '{"a": 1}'}}
    ],
}
MODES = pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])


def wholes(message: dict[str, Any]) -> list[Any]:
    """Return a message in every form, as data and as objects."""
    given: Any = anthropic_message(message)
    server, other = Recorded(openai), Recorded(anthropic)
    client, theirs = server.client(openai.OpenAI), other.client(anthropic.Anthropic)
    ask: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    server.whole(completion(message))
    chat = client.chat.completions.create(**ask)
    server.whole(response(message))
    responses = client.responses.create(model="m", input="?")
    other.whole(given)
    return [
        message,
        completion(message),
        chat,
        chat.choices[0].message,
        response(message),
        responses,
        responses.output,
        given,
        theirs.messages.create(**ask, max_tokens=9),
        *lc.convert_to_messages([message]),
    ]


def streams(message: dict[str, Any]) -> list[list[Any]]:
    """Return the chunks of a message in every form, as data and as objects."""
    server, other = Recorded(openai), Recorded(anthropic)
    client, theirs = server.client(openai.OpenAI), other.client(anthropic.Anthropic)
    ask: Any = {"model": "m", "messages": [{"role": "user", "content": "?"}]}
    server.stream(completion_chunks(message))
    chat = [*client.chat.completions.create(**ask, stream=True)]
    server.stream(response_events(message))
    responses = [*client.responses.create(model="m", input="?", stream=True)]
    other.stream(anthropic_events(message))
    events = [*theirs.messages.create(**ask, max_tokens=9, stream=True)]
    other.stream(anthropic_events(message))
    with theirs.messages.stream(**ask, max_tokens=9) as stream:
        besides = [*stream]
    return [
        completion_chunks(message),
        chat,
        response_events(message),
        responses,
        anthropic_events(message),
        events,
        besides,
    ]


@MODES
def test_text_in_a_message_is_read_as_the_text(lenient: bool) -> None:
    parser = get_parser("react", lenient=lenient)
    action = parser.parse(TEXT)
    assert isinstance(action, AgentAction)
    forms = wholes(SAYS)
    for form in forms:
        assert parser.invoke(form) == action
        assert_same_events(parser.events([form]), parser.events([TEXT]))
        assert [*parser.stream(form)] == [action]
    assert parser.batch(forms) == [action] * len(forms)
    assert asyncio.run(parser.ainvoke(forms[1])) == action


@MODES
def test_text_in_a_stream_is_read_as_the_text(lenient: bool) -> None:
    parser = get_parser("react", lenient=lenient)
    action = parser.parse(TEXT)

    async def each(chunks: list[Any]) -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def waited_for(chunks: list[Any]) -> tuple[list[Any], list[Any]]:
        results = [result async for result in parser.atransform(each(chunks))]
        return results, [event async for event in parser.aevents(each(chunks))]

    for chunks in streams(SAYS):
        assert_same_events(parser.events(chunks), parser.events([TEXT]))
        assert [*parser.transform(iter(chunks))] == [action]
        results, events = asyncio.run(waited_for(chunks))
        assert results == [action]
        assert_same_events(events, parser.events([TEXT]))
        reader = parser.stream_parser()
        for chunk in chunks:
            reader.feed(chunk)
        reader.close()
        assert (reader.result, reader.text) == (action, TEXT)


def test_text_and_messages_may_come_in_turns() -> None:
    reader = StreamParser(get_dialect("react"))
    for chunk in [
        "Thought: hm\nFin",
        AIMessageChunk("al Ans"),
        {"role": "assistant", "content": "wer: 4"},
    ]:
        reader.feed(chunk)
    reader.feed("2")
    reader.close()
    assert reader.text == "Thought: hm\nFinal Answer: 42"


@MODES
@pytest.mark.parametrize("name", ["react", "structured_chat", "json", "xml", "self_ask"])
def test_a_call_is_an_error_and_no_empty_text(name: str, lenient: bool) -> None:
    parser = get_parser(name, lenient=lenient)
    for form in wholes(CALLS):
        error = outcome_of(partial(parser.invoke, form))
        assert "found a call to 'wind_at' in the message" in error.message
        assert "get_parser('tools')" in error.message
        assert error.observation.startswith("You called wind_at with a tool call, but only text")
        assert (error.llm_output, error.span, error.send_to_llm) == ("", (0, 0), True)
    for chunks in streams(CALLS):
        with pytest.raises(OutputParserException, match="found a call to 'wind_at'"):
            [*parser.events(chunks)]
        with pytest.raises(OutputParserException, match="found a call to 'wind_at'"):
            [*parser.transform(iter(chunks))]


def test_a_call_beside_text_is_an_error_too() -> None:
    parser = get_parser("react")
    message = {**CALLS, "content": "Final Answer: 42"}
    for form in wholes(message):
        with pytest.raises(OutputParserException, match="found a call") as caught:
            parser.invoke(form)
        assert caught.value.llm_output == "Final Answer: 42"
    for chunks in streams(message):
        reader = parser.stream_parser()
        for chunk in chunks:
            reader.feed(chunk)
        with pytest.raises(OutputParserException, match="found a call") as caught:
            reader.close()
        assert caught.value.llm_output == reader.text == "Final Answer: 42"


def test_a_refusal_is_not_an_empty_text() -> None:
    parser = get_parser("react")
    for name in ("responses_refusal", "chat_refusal"):
        for chunks in (events_in(recorded(name)), client_events(name)):
            with pytest.raises(ModelRefusalError, match="I won't help with that"):
                [*parser.events(chunks)]
    with pytest.raises(ModelRefusalError, match="No"):
        parser.invoke(AIMessage("", additional_kwargs={"refusal": "No."}))


def test_a_failure_is_reported() -> None:
    for parser in (get_parser("react"), StrOutputParser()):
        with pytest.raises(ProviderError, match="Overloaded"):
            [*parser.transform(iter(events_in(recorded("anthropic_error"))))]


# -- general parsers -----------------------------------------------------------------------------


class Wind(BaseModel):
    """The wind."""

    a: int


def test_general_parsers_take_them_as_well() -> None:
    says = {"role": "assistant", "content": '{"a": [1, 2]}'}
    for form in wholes(says):
        assert StrOutputParser().invoke(form) == says["content"]
        assert JsonOutputParser().invoke(form) == {"a": [1, 2]}
    for chunks in streams(says):
        assert "".join(StrOutputParser().transform(iter(chunks))) == says["content"]
        assert [*JsonOutputParser().transform(iter(chunks))][-1] == {"a": [1, 2]}
    for form in wholes(CALLS):
        assert JsonOutputToolsParser().invoke(form) == [{"type": "wind_at", "args": {"a": 1}}]
        assert StrOutputParser().invoke(form) == ""
    for chunks in streams(CALLS):
        (*_, last) = JsonOutputToolsParser().transform(iter(chunks))
        assert last == [{"type": "wind_at", "args": {"a": 1}}]
        renamed = type("wind_at", (Wind,), {})
        (*_, built) = PydanticToolsParser(tools=[renamed]).transform(iter(chunks))
        assert built == [renamed(a=1)]


def test_calls_by_the_server_are_not_calls_of_the_model() -> None:
    events = events_in(recorded("anthropic_server_tools"))
    assert [*JsonOutputToolsParser().transform(iter(events))] == [[]]
    assert "".join(StrOutputParser().transform(iter(events))) == "High water is at 11:20."


@pytest.mark.parametrize("mock", [Mock(), MagicMock(), Mock(content=5), Mock(type="Generation")])
def test_a_mock_has_no_text(mock: Any) -> None:
    for parser in (get_parser("react"), StrOutputParser(), JsonOutputParser()):
        with pytest.raises(TypeError, match=r"not (Magic)?Mock"):
            parser.invoke(mock)


def test_a_call_that_is_malformed_is_a_call() -> None:
    message = {"role": "assistant", "content": None, "tool_calls": [{"function": ["f"]}]}
    with pytest.raises(OutputParserException, match="found a call to ''"):
        get_parser("react").invoke(message)


# -- servers that omit fields, or send them late ---------------------------------------------------


def pieces(*entries: dict[str, Any]) -> list[dict[str, Any]]:
    return [{"choices": [{"delta": {"tool_calls": [entry]}}]} for entry in entries]


def piece(written: str, name: str | None = None, **more: Any) -> dict[str, Any]:
    named = {} if name is None else {"name": name}
    return {"function": {**named, "arguments": written}, **more}


TWO_CALLS = {
    "no index": [
        piece('{"a":', "f", id="1"), piece(" 1}"), piece('{"b":', "g", id="2"), piece(" 2}"),
    ],
    "no index, and ids": [
        piece('{"a":', "f", id="1"), piece('{"b":', "g", id="2"),
        piece(" 1}", id="1"), piece(" 2}", id="2"),
    ],
    "one index": [
        piece('{"a":', "f", id="1", index=0), piece(" 1}", index=0),
        piece('{"b":', "g", id="2", index=0), piece(" 2}", index=0),
    ],
    "name in each": [
        piece('{"a":', "f", id="1", index=0), piece(" 1}", "f", id="1", index=0),
        piece('{"b":', "g", id="2", index=1), piece(" 2}", "g", id="2", index=1),
    ],
}  # fmt: skip


@pytest.mark.parametrize("way", TWO_CALLS)
def test_every_parser_of_calls_puts_the_pieces_together(way: str) -> None:
    chunks = pieces(*TWO_CALLS[way])
    (*_, last) = JsonOutputToolsParser(return_id=True).transform(iter(chunks))
    assert last == [
        {"type": "f", "args": {"a": 1}, "id": "1"},
        {"type": "g", "args": {"b": 2}, "id": "2"},
    ]
    (actions,) = get_parser("tools").transform(iter(chunks))
    assert [(a.tool, a.tool_input, a.tool_call_id) for a in actions] == [
        ("f", {"a": 1}, "1"), ("g", {"b": 2}, "2"),
    ]  # fmt: skip


def test_a_name_that_a_call_without_an_index_has_begins_it() -> None:
    chunks = pieces(piece('{"a": 1}', "f", id="1"), piece('{"a": 2}', "f", id="1"))
    (actions,) = get_parser("tools").transform(iter(chunks))
    assert [action.tool_input for action in actions] == [{"a": 1}, {"a": 2}]


ITEMS: dict[str, dict[str, Any]] = {
    "function_call": {
        "type": "function_call", "id": "fc", "call_id": "1", "name": "f", "arguments": '{"a": 1}',
    },
    "custom_tool_call": {
        "type": "custom_tool_call", "id": "ct", "call_id": "1", "name": "f", "input": 'a "b"',
    },
}  # fmt: skip
BEGINNINGS: dict[str, dict[str, Any]] = {
    "nothing": {},
    "its name": {"arguments": "", "input": ""},
    "all": {"arguments": '{"a": 1}', "input": 'a "b"'},
}


@pytest.mark.parametrize("before", BEGINNINGS)
@pytest.mark.parametrize("kind", ITEMS)
def test_a_call_may_be_sent_whole_at_its_end(kind: str, before: str) -> None:
    item = ITEMS[kind]
    begun = {**item, **{n: v for n, v in BEGINNINGS[before].items() if n in item}}
    added = {"type": "response.output_item.added", "output_index": 0, "item": begun}
    done = {"type": "response.output_item.done", "output_index": 0, "item": item}
    events = [added, done] if BEGINNINGS[before] else [done]
    (whole,) = get_parser("tools").invoke({"object": "response", "output": [item]})
    ((action,),) = get_parser("tools").transform(iter(events))
    assert action == whole
    (*_, last) = JsonOutputToolsParser().transform(iter(events))
    assert [call["type"] for call in last] == ["f"]
    assert last[0]["args"] in ({"a": 1}, {"__arg1": 'a "b"'})


@pytest.mark.parametrize(
    "item", [{"type": None, "text": "a"}, {"type": []}, {"text": "a"}], ids=str
)
def test_an_item_without_a_type_is_malformed(item: dict[str, Any]) -> None:
    response = {"object": "response", "output": [item]}
    for event in (
        response,
        {"type": "response.completed", "response": response},
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ):
        for name in ("tools", "react", "auto"):
            with pytest.raises(ValueError, match="a part of it is missing or malformed"):
                get_parser(name).stream_parser().feed(event)


def test_a_text_may_be_sent_whole_at_its_end() -> None:
    part = {"type": "output_text", "text": "Final Answer: 42", "annotations": []}
    item = {"type": "message", "id": "msg", "role": "assistant", "content": [part]}
    events = [{"type": "response.output_item.done", "output_index": 0, "item": item}]
    for name, output in (("react", "42"), ("tools", "Final Answer: 42")):
        (result,) = get_parser(name).transform(iter(events))
        assert result.return_values == {"output": output}


def test_what_is_of_one_chunk_does_not_add_up() -> None:
    chunks = [
        {"choices": [{"delta": {"content": text, "is_last": text == "b", "score": 0.5}}]}
        for text in "ab"
    ]
    end = {"choices": [], "usage": {"total_tokens": 5}}
    (result,) = get_parser("tools").transform(iter([*chunks, end]))
    assert result.return_values == {"output": "ab"}


@pytest.mark.parametrize("choice", [
    {"delta": {"content": ""}, "finish_reason": "error"},
    {"delta": {"content": ""}, "error": {"message": "Overloaded"}},
    {"message": {"content": "half"}, "error": {"message": "Overloaded"}},
])  # fmt: skip
def test_a_failed_choice_is_not_an_answer(choice: dict[str, Any]) -> None:
    with pytest.raises(ProviderError):
        get_parser("tools").invoke({"choices": [choice]})
