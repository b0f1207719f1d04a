"""Streams that the corpus lacks: reasoning, refusals, failures, odd servers."""

import contextlib
from pathlib import Path
from typing import Any

import anthropic
import openai
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AnswerDelta,
    OutputParserException,
    ThoughtDelta,
    ToolAgentAction,
    ToolsAgentOutputParser,
    get_parser,
)
from output_parsers import ModelRefusalError
from outputs import AIMessage, ProviderError, from_any
from tests.helpers.client_stories import assert_same_stream, assert_same_whole, calls_in, said_by
from tests.helpers.recorded_client import Recorded
from tests.helpers.wire import events_in

FOLDER = Path(__file__).parent / "recorded"
PARSERS = [ToolsAgentOutputParser(), ToolsAgentOutputParser(lenient=True)]

WIND = ("wind_at", {"port": "Ryde"})
SHELL = ("shell", 'echo "a\\tb"\nls')

SAID: dict[str, Any] = {
    "anthropic_thinking": [(*WIND, "toolu_01"), ("list_ports", {}, "toolu_02")],
    "anthropic_server_tools": "High water is at 11:20.",
    "responses_reasoning": [(*WIND, "call_01"), (*SHELL, "call_02")],
    "responses_search": "High water is at 11:20.",
    "chat_reasoning": [(*WIND, "call_01")],
    "chat_azure": "It is calm.",
    "chat_custom_tool": [(*WIND, "call_01"), (*SHELL, "call_02")],
    "chat_no_index": [(*WIND, "call_01"), ("list_ports", {}, "call_02")],
    "chat_late_id": [(*WIND, "call_01"), ("list_ports", {}, "call_02")],
    "chat_two_choices": "It is calm.",
}
THOUGHTS = {
    "anthropic_thinking": "Two ports are asked for, so I ask for both.",
    "responses_reasoning": "**Planning** Two lookups.\nThen one command.",
    "chat_reasoning": "The user wants the wind.",
}
WORDS = {
    "anthropic_thinking": "Let me look at both.",
    "responses_reasoning": "Let me look at Ryde.",
    "chat_reasoning": "I'll look it up.",
}
REFUSED = {
    "anthropic_refusal": "That would help to do harm.",
    "responses_refusal": "I won't help with that.",
    "chat_refusal": "I won't help with that.",
}
FAILED = {
    "anthropic_error": ("Overloaded", "overloaded_error"),
    "responses_failed": ("Something went wrong.", "server_error"),
    "responses_error": ("Too many requests.", "rate_limit_exceeded"),
    "chat_error": ("Upstream gone.", "502"),
}
ASK: dict[str, Any] = {"model": "m-1", "messages": [{"role": "user", "content": "?"}]}


def recorded(name: str) -> str:
    return (FOLDER / f"{name}.sse").read_text(encoding="utf-8")


def test_every_recording_is_tested() -> None:
    names = {path.stem for path in FOLDER.glob("*.sse")}
    assert names == {*SAID, *REFUSED, *FAILED, "responses_incomplete"}


def client_events(name: str) -> list[Any]:
    """Return the events that the client yields for a recorded stream."""
    family = name.partition("_")[0]
    server = Recorded(anthropic if family == "anthropic" else openai)
    server.stream(recorded(name).encode())
    if family == "anthropic":
        client = server.client(anthropic.Anthropic)
        return [*client.messages.create(**ASK, max_tokens=9, stream=True)]
    client = server.client(openai.OpenAI)
    if family == "responses":
        return [*client.responses.create(model="m-1", input="?", stream=True)]
    return [*client.chat.completions.create(**ASK, stream=True)]


@pytest.mark.parametrize("parser", PARSERS, ids=["strict", "lenient"])
@pytest.mark.parametrize("name", [*SAID, *REFUSED, "responses_incomplete"])
def test_objects_are_read_as_their_data(parser: Any, name: str) -> None:
    assert_same_stream(parser, client_events(name), events_in(recorded(name)))


@pytest.mark.parametrize(("name", "said"), SAID.items(), ids=[*SAID])
def test_what_a_stream_says(name: str, said: Any) -> None:
    events = events_in(recorded(name))
    assert said_by(get_parser("tools"), events) == said
    assert said_by(get_parser("tools"), [*map(from_any, events)]) == said
    turn = get_parser("tools").events(events)
    thoughts = "".join(event.text for event in turn if isinstance(event, ThoughtDelta))
    assert thoughts == THOUGHTS.get(name, "").replace("\n", "")
    stream = get_parser("tools").stream_parser()
    for event in events:
        stream.feed(event)
    stream.close()
    words = said if isinstance(said, str) else WORDS.get(name, "")
    assert (stream.thought, stream.content) == (THOUGHTS.get(name, ""), words)


@pytest.mark.parametrize("name", [name for name in SAID if name.startswith("responses")])
def test_a_response_equals_the_result_of_its_stream(name: str) -> None:
    events = events_in(recorded(name))
    whole = events[-1]["response"]
    for parser in PARSERS:
        assert [*parser.transform(iter(events))] == [parser.invoke(whole)]
        assert said_by(parser, events) == calls_in(parser.invoke(whole))
    assert_same_whole(PARSERS[0], from_any(whole), whole)


def test_the_client_adds_up_to_the_same_message() -> None:
    """Anthropic's client builds a message at the end of a stream."""
    for name in ("anthropic_thinking", "anthropic_server_tools"):
        server = Recorded(anthropic)
        server.stream(recorded(name).encode())
        with server.client(anthropic.Anthropic).messages.stream(**ASK, max_tokens=9) as stream:
            pieces = [*stream]
            whole = stream.get_final_message()
        for parser in PARSERS:
            events = events_in(recorded(name))
            assert_same_stream(parser, pieces, events)
            assert [*parser.transform(iter(pieces))] == [parser.invoke(whole)]


def test_a_streamed_message_keeps_what_the_api_wants_back() -> None:
    (actions,) = PARSERS[0].transform(iter(events_in(recorded("anthropic_thinking"))))
    assert isinstance(actions, list)
    assert isinstance(actions[0], ToolAgentAction)
    (message,) = actions[0].message_log
    assert isinstance(message, AIMessage)
    assert message.content == [
        {
            "type": "thinking",
            "thinking": "Two ports are asked for, so I ask for both.",
            "signature": "RXFyb0NrZ0lDaEFDR0FJaVFI",
        },
        {"type": "redacted_thinking", "data": "RW1nSUFSQUJHaFFlRlE="},
        {"type": "text", "text": "Let me look at both."},
        {"type": "tool_use", "id": "toolu_01", "name": "wind_at", "input": {"port": "Ryde"}},
        {"type": "tool_use", "id": "toolu_02", "name": "list_ports", "input": {}},
    ]
    assert message.usage_metadata == {
        "input_tokens": 53,
        "output_tokens": 63,
        "total_tokens": 116,
        "input_token_details": {"cache_creation": 0, "cache_read": 12},
    }
    assert message.response_metadata == {"model_name": "claude-5", "stop_reason": "tool_use"}
    assert message.id == "msg_01"


@pytest.mark.parametrize(("name", "refusal"), REFUSED.items(), ids=[*REFUSED])
def test_a_refusal_is_not_an_answer(name: str, refusal: str) -> None:
    for parser in PARSERS:
        stream = parser.stream_parser()
        events = [event for each in events_in(recorded(name)) for event in stream.feed(each)]
        with pytest.raises(ModelRefusalError) as caught:
            stream.close()
        assert caught.value.refusal == refusal
        assert caught.value.span == (0, len(refusal))
        assert all(isinstance(event, AnswerDelta) for event in events)


@pytest.mark.parametrize(("name", "said"), FAILED.items(), ids=[*FAILED])
def test_a_failure_of_the_provider_is_not_an_error_of_the_model(
    name: str, said: tuple[str, str]
) -> None:
    for parser in PARSERS:
        with pytest.raises(ProviderError, match="the provider reported an error: ") as caught:
            [*parser.events(events_in(recorded(name)))]
        assert (caught.value.message, caught.value.kind) == said
        assert not isinstance(caught.value, OutputParserException)


def test_half_of_the_arguments_is_not_a_call() -> None:
    events = events_in(recorded("responses_incomplete"))
    for form in (events, [events[-1]["response"]]):
        with pytest.raises(OutputParserException, match="is not valid JSON"):
            [*PARSERS[0].transform(iter(form))]
        with pytest.raises(OutputParserException, match="which end in the middle of a value"):
            [*PARSERS[1].transform(iter(form))]


junk = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=3),
    lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=3,
)


@given(data=st.data())
def test_a_broken_event_is_a_documented_error(data: st.DataObject) -> None:
    name = data.draw(st.sampled_from([*SAID, *REFUSED]))
    event = data.draw(st.sampled_from(events_in(recorded(name))))
    whole = event["response"] if event.get("type") == "response.completed" else event
    broken = data.draw(st.sampled_from([event, whole]))
    part: Any = broken
    while isinstance(part, dict | list) and part:
        keys = list(part) if isinstance(part, dict) else range(len(part))
        key = data.draw(st.sampled_from(keys))
        if not isinstance(part[key], dict | list) or data.draw(st.booleans()):
            if isinstance(part, dict) and data.draw(st.booleans()):
                del part[key]
            else:
                part[key] = data.draw(junk)
            break
        part = part[key]
    with contextlib.suppress(TypeError, ValueError, ProviderError):
        from_any(broken)
