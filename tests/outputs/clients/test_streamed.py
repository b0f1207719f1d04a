"""`from_any` on events, choices, items, errors, and on other libraries' objects."""

from collections import UserDict
from dataclasses import dataclass
from types import MappingProxyType, SimpleNamespace
from typing import Any

import pytest
from pydantic import BaseModel

from outputs import (
    AIMessage,
    AIMessageChunk,
    HumanMessage,
    ProviderError,
    SystemMessage,
    ToolMessage,
    from_any,
    message_chunk_to_message,
    tool_call,
)
from outputs.clients.streamed import finished

CALL = tool_call(name="f", args={"a": 1}, id="1")
WIRE_CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}


def added_up(events: list[dict[str, Any]]) -> AIMessage:
    """Return the message that is the sum of a stream."""
    first, *rest = [from_any(event) for event in events]
    assert isinstance(first, AIMessageChunk)
    message = message_chunk_to_message(first + rest)
    assert isinstance(message, AIMessage)
    return finished(message)


# -- events without content ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "event",
    [
        {"type": "response.in_progress", "response": {"id": "1"}},
        {"type": "response.output_text.done"},
        {"type": "response.sang", "song": 1},
        {"type": "ping"},
        {"type": "message_stop"},
        {"type": "message_stop", "message": {"type": "message", "content": []}},
        {"type": "message_sang"},
        {"type": "content_block_stop", "index": 0, "content_block": {"type": "text", "text": "a"}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "song_delta", "song": 1}},
        {"type": "text", "text": "Hello", "snapshot": "Hello"},
        {"type": "thinking", "thinking": "Hm", "snapshot": "Hm"},
        {"type": "input_json", "partial_json": "{", "snapshot": {}},
        {"type": "citation", "citation": {}, "snapshot": []},
        {"type": "signature", "signature": "c2ln"},
        {"type": "content.delta", "delta": "Hello", "snapshot": "Hello"},
        {"type": "tool_calls.function.arguments.done", "name": "f", "arguments": "{}"},
        {"type": "logprobs.content.done", "content": []},
        {"object": "chat.completion.chunk", "choices": []},
        {"object": "chat.completion.chunk", "choices": [{"index": 1, "delta": {"content": "a"}}]},
        {"object": "chat.completion.chunk", "choices": [{"delta": None}]},
        {"object": "", "id": "", "model": "", "choices": [], "prompt_filter_results": []},
    ],
    ids=lambda event: event.get("type", "chat"),
)
def test_an_event_that_says_nothing_is_a_chunk_that_says_nothing(event: dict[str, Any]) -> None:
    chunk = from_any(event)
    assert isinstance(chunk, AIMessageChunk)
    assert not chunk.content
    assert not chunk.tool_call_chunks
    assert not chunk.additional_kwargs


@pytest.mark.parametrize(
    "value",
    [
        {"type": "text", "text": "Hello"},  # a block
        {"type": "tool_call", "name": "f", "args": {}, "id": "1"},
        {"type": "function", "id": "1", "function": {"name": "f", "arguments": "{}"}},
        {"type": "session.created"},
        [{"type": "text", "text": "Hello"}],
        [{"role": "user", "content": "Hello"}],
        [AIMessage("Hello")],
        {"delta": "Hello"},
    ],
)
def test_what_is_no_message_is_told(value: Any) -> None:
    with pytest.raises(TypeError, match="expected a message, not"):
        from_any(value)


# -- Chat Completions ----------------------------------------------------------------------------


def test_a_choice_is_its_message_or_piece() -> None:
    message = {"role": "assistant", "content": "Hello"}
    assert from_any({"index": 0, "finish_reason": "stop", "message": message}) == AIMessage(
        "Hello", response_metadata={"finish_reason": "stop"}
    )
    assert from_any({"index": 0, "delta": {"content": "Hel"}}) == AIMessageChunk("Hel")
    event = {"type": "chunk", "chunk": {"choices": [{"delta": {"content": "Hel"}}]}, "snapshot": {}}
    assert from_any(event) == AIMessageChunk("Hel")


def test_the_first_choice_is_the_one_of_index_0() -> None:
    choices = [
        {"index": 1, "message": {"role": "assistant", "content": "b"}},
        {"index": 0, "message": {"role": None, "content": "a"}},
    ]
    assert from_any({"choices": choices}) == AIMessage("a")


def test_the_older_completions_are_text() -> None:
    def piece(text: str, reason: str | None) -> dict[str, Any]:
        return {"object": "text_completion", "choices": [{"text": text, "finish_reason": reason}]}

    assert from_any(piece("Hello", "stop")).content == "Hello"
    assert isinstance(from_any(piece("Hel", None)), AIMessageChunk)
    assert from_any(piece("Hel", None)).content == "Hel"


def test_a_call_of_a_custom_tool_has_a_text() -> None:
    custom = {"id": "1", "type": "custom", "custom": {"name": "run", "input": 'say "é"\n'}}
    message = from_any({"role": "assistant", "content": None, "tool_calls": [custom, WIRE_CALL]})
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [
        tool_call(name="run", args={"__arg1": 'say "é"\n'}, id="1"),
        CALL,
    ]


def test_entries_that_are_no_calls_are_no_calls() -> None:
    entries = [5, {"id": "1"}, {"id": "1", "function": {"arguments": "{}"}}]
    message = from_any({"role": "assistant", "content": "a", "tool_calls": entries})
    assert isinstance(message, AIMessage)
    assert message.tool_calls == []
    assert message.additional_kwargs == {"tool_calls": entries}


# -- Responses -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("item", "message"),
    [
        (
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
            AIMessage(
                [{"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'}],
                tool_calls=[CALL],
            ),
        ),
        (
            {"type": "message", "id": "m", "role": "assistant", "status": "completed",
             "content": [{"type": "output_text", "text": "Hello", "annotations": []}]},
            AIMessage([{"type": "text", "text": "Hello", "id": "m"}]),
        ),
        (
            {"type": "message", "role": "assistant", "content": [
                {"type": "output_text", "text": "Hello"}]},
            AIMessage("Hello"),
        ),
        ({"type": "message", "role": "user", "content": "Hi"}, HumanMessage("Hi")),
        ({"type": "message", "role": "system", "content": "Be kind."}, SystemMessage("Be kind.")),
        ({"type": "message", "role": "assistant", "content": "Hello"}, AIMessage("Hello")),
        (
            {"type": "function_call_output", "call_id": "1", "output": "9"},
            ToolMessage("9", tool_call_id="1"),
        ),
        (
            {"type": "custom_tool_call_output", "call_id": "1", "output": [{"type": "input_text"}]},
            ToolMessage([{"type": "input_text"}], tool_call_id="1"),
        ),
        (
            {"type": "reasoning", "id": "r", "summary": [], "status": None},
            AIMessage([{"type": "reasoning", "id": "r", "summary": []}]),
        ),
    ],
)  # fmt: skip
def test_an_item_is_a_message(item: dict[str, Any], message: Any) -> None:
    assert from_any(item) == message
    if isinstance(message, AIMessage) and not isinstance(item.get("content"), str):
        assert from_any([item]) == message


def test_reasoning_may_be_told_in_full() -> None:
    def reason(text: str, index: int) -> dict[str, Any]:
        kind = "response.reasoning_text.delta"
        return {"type": kind, "output_index": 0, "content_index": index, "delta": text}

    item = {"type": "reasoning", "id": "r", "summary": []}
    message = added_up([
        {"type": "response.output_item.added", "output_index": 0, "item": item},
        reason("Two ", 0),
        reason("ports.", 0),
        reason("One wind.", 1),
        {"type": "response.output_item.done", "output_index": 0, "item": item},
    ])  # fmt: skip
    content = [
        {"type": "reasoning_text", "text": "Two ports."},
        {"type": "reasoning_text", "text": "One wind."},
    ]
    assert message.content == [{**item, "content": content}]


# -- Anthropic -----------------------------------------------------------------------------------


def test_a_tool_may_have_its_input_at_once() -> None:
    use = {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}
    message = added_up([
        {"type": "content_block_start", "index": 0, "content_block": use},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "tool_use"}},
    ])  # fmt: skip
    assert message.tool_calls == [CALL]
    assert message.content == [use]
    assert message.usage_metadata is None


@pytest.mark.parametrize(
    ("written", "given"), [('{"a": 1}', {"a": 1}), ('{"a": ', {}), ("[1]", {})]
)
def test_an_input_that_was_cut_is_left_as_it_began(written: str, given: dict[str, Any]) -> None:
    use = {"type": "tool_use", "id": "1", "name": "f", "input": {}}
    delta = {"type": "input_json_delta", "partial_json": written}
    message = added_up([
        {"type": "content_block_start", "index": 0, "content_block": use},
        {"type": "content_block_delta", "index": 0, "delta": delta},
    ])  # fmt: skip
    assert message.content == [{**use, "input": given}]


def test_a_message_that_no_stream_came_to_is_as_it_was() -> None:
    message = AIMessage([{"type": "text", "text": "a", "index": 0}, "b"])
    assert finished(message) is message
    blocks = [{"type": "text", "text": "a", "index": "lc_at_0"}, "b"]
    assert finished(AIMessage(blocks)).content == [{"type": "text", "text": "a"}, "b"]


# -- errors --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("body", "message", "kind"),
    [
        ({"error": {"message": "Gone.", "type": "server_error", "code": None}},
         "Gone.", "server_error"),
        ({"error": {"message": "Gone.", "type": "t", "code": "c"}}, "Gone.", "c"),
        ({"error": "Gone."}, "Gone.", ""),
        ({"type": "error", "error": {"type": "api_error", "message": "Gone."}},
         "Gone.", "api_error"),
        ({"type": "error", "code": None, "message": "Gone.", "param": None}, "Gone.", ""),
        ({"object": "response", "status": "failed", "error": None, "output": []}, "", ""),
        ({"object": "response", "status": "failed", "error": {"code": "c", "message": "Gone."}},
         "Gone.", "c"),
        ({"type": "response.failed", "response": {"error": {"code": "c", "message": "Gone."}}},
         "Gone.", "c"),
    ],
)  # fmt: skip
def test_a_failure_says_what_it_is(body: dict[str, Any], message: str, kind: str) -> None:
    with pytest.raises(ProviderError) as caught:
        from_any(body)
    assert (caught.value.message, caught.value.kind) == (message, kind)
    ending = f" ({kind})" if kind else ""
    assert (
        str(caught.value)
        == f"the provider reported an error: {message or 'no reason given'}{ending}"
    )


# -- objects -------------------------------------------------------------------------------------


@dataclass
class Function:
    name: str
    arguments: str


class Called(BaseModel):
    id: str
    function: Any


class Reply:
    """A message of a library without pydantic models."""

    def __init__(self) -> None:
        self.role = "assistant"
        self.content = None
        self.tool_calls = [Called(id="1", function=Function("f", '{"a": 1}'))]
        self._hidden = self


REPLY = Reply()  # the object must outlive its dictionary: Python 3.13.0 clears the two together


@pytest.mark.parametrize(
    "reply",
    [
        REPLY,
        vars(REPLY),
        MappingProxyType(vars(REPLY)),
        UserDict({"role": "assistant", "tool_calls": (WIRE_CALL,)}),
        SimpleNamespace(choices=[SimpleNamespace(message=SimpleNamespace(**vars(REPLY)))]),
        SimpleNamespace(model_dump=lambda: vars(REPLY)),
    ],
    ids=["object", "dictionary", "proxy", "mapping", "namespace", "dump"],
)
def test_objects_of_any_make_are_read(reply: Any) -> None:
    message = from_any(reply)
    assert isinstance(message, AIMessage)
    assert message.tool_calls == [CALL]


def test_a_class_is_no_object() -> None:
    message = from_any({"role": "assistant", "content": "a", "parsed_as": Function})
    assert message.additional_kwargs == {"parsed_as": Function}


def test_a_model_is_read_without_the_warnings_of_its_wrong_types() -> None:
    class Message(BaseModel):
        role: str
        content: str

    assert from_any(Message.model_construct(role="assistant", content=None)) == AIMessage("")
