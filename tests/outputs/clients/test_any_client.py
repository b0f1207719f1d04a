"""`from_any`: messages of other libraries and APIs, recognised by their shape."""

from types import MappingProxyType, SimpleNamespace
from typing import Any
from unittest.mock import MagicMock, Mock

import langchain_core.messages as langchain
import pytest
from pydantic import BaseModel

from outputs import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    from_any,
    tool_call,
    tool_call_chunk,
)
from outputs.messages.wire_calls import STREAMED_CALLS

WIRE_CALL = {"id": "1", "type": "function", "function": {"name": "f", "arguments": '{"a": 1}'}}
CALL = tool_call(name="f", args={"a": 1}, id="1")

CONVERSATION: list[tuple[dict[str, Any], BaseMessage]] = [
    ({"role": "user", "content": "Hi", "name": "Bob"}, HumanMessage("Hi", name="Bob")),
    ({"role": "system", "content": "Be kind."}, SystemMessage("Be kind.")),
    ({"role": "developer", "content": "Be kind."}, SystemMessage("Be kind.")),
    ({"role": "tool", "content": "9", "tool_call_id": "1"}, ToolMessage("9", tool_call_id="1")),
    ({"role": "function", "content": "9", "name": "f"}, FunctionMessage("9", name="f")),
    ({"role": "critic", "content": "No."}, ChatMessage("No.", role="critic")),
    ({"role": "assistant", "content": "Hello"}, AIMessage("Hello")),
    (
        {"role": "assistant", "content": None, "tool_calls": [WIRE_CALL], "refusal": None},
        AIMessage("", tool_calls=[CALL], additional_kwargs={"tool_calls": [WIRE_CALL]}),
    ),
    (
        {"role": "assistant", "content": "", "reasoning_content": "Hm.", "annotations": []},
        AIMessage("", additional_kwargs={"reasoning_content": "Hm."}),
    ),
    (
        {
            "role": "assistant",
            "content": [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}],
        },
        AIMessage(
            [{"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}], tool_calls=[CALL]
        ),
    ),
]


@pytest.mark.parametrize(
    ("role", "meant"), [("assistent", "assistant"), ("System", "system"), ("users", "user")]
)
def test_a_role_that_is_misspelt_is_an_error(role: str, meant: str) -> None:
    with pytest.raises(ValueError, match=f"unknown role '{role}'; did you mean '{meant}'"):
        from_any({"role": role, "content": "x"})


@pytest.mark.parametrize(("fields", "message"), CONVERSATION)
def test_a_message_is_known_by_its_role(fields: dict[str, Any], message: BaseMessage) -> None:
    assert from_any(fields) == message
    assert from_any(MappingProxyType(fields)) == message
    assert from_any(SimpleNamespace(model_dump=lambda: fields)) == message


USAGE = {
    "prompt_tokens": 5,
    "completion_tokens": 7,
    "total_tokens": 12,
    "prompt_tokens_details": {"cached_tokens": 3, "audio_tokens": None},
    "completion_tokens_details": {"reasoning_tokens": 2},
}
OUR_USAGE = {
    "input_tokens": 5,
    "output_tokens": 7,
    "total_tokens": 12,
    "input_token_details": {"cache_read": 3},
    "output_token_details": {"reasoning": 2},
}


def test_the_first_choice_of_a_completion_is_the_message() -> None:
    completion = {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "model": "gpt-5",
        "system_fingerprint": None,
        "choices": [
            {
                "index": 0,
                "finish_reason": "tool_calls",
                "logprobs": None,
                "message": {"role": "assistant", "content": "Hm", "tool_calls": [WIRE_CALL]},
            }
        ],
        "usage": USAGE,
    }
    assert from_any(completion) == AIMessage(
        "Hm",
        id="chatcmpl-1",
        tool_calls=[CALL],
        additional_kwargs={"tool_calls": [WIRE_CALL]},
        response_metadata={"model_name": "gpt-5", "finish_reason": "tool_calls"},
        usage_metadata=OUR_USAGE,
    )


def test_the_pieces_of_a_streamed_completion_add_up() -> None:
    def piece(*choices: dict[str, Any], **more: Any) -> dict[str, Any]:
        kind = "chat.completion.chunk"
        return {"id": "1", "object": kind, "model": "gpt-5", "choices": list(choices), **more}

    def called(function: dict[str, Any], **more: Any) -> dict[str, Any]:
        return piece({"delta": {"tool_calls": [{"index": 0, "function": function, **more}]}})

    pieces = [
        piece({"delta": {"role": "assistant", "content": ""}, "finish_reason": None}),
        piece({"delta": {"content": "Hm"}}),
        called({"name": "f", "arguments": ""}, id="1", type="function"),
        called({"arguments": '{"a":'}),
        called({"arguments": " 1}"}),
        piece({"delta": {}, "finish_reason": "stop"}),
        piece(usage=USAGE),
    ]
    chunks = [from_any(fields) for fields in pieces]
    assert isinstance(chunks[0], AIMessageChunk)
    assert chunks[0] + chunks[1:] == AIMessageChunk(
        "Hm",
        id="1",
        additional_kwargs={STREAMED_CALLS: [{"index": 0, "id": "1", "type": "function"}]},
        tool_call_chunks=[tool_call_chunk(name="f", args='{"a": 1}', id="1", index=0)],
        response_metadata={"model_name": "gpt-5", "finish_reason": "stop"},
        usage_metadata=OUR_USAGE,
    )


def test_a_response_is_text_calls_and_other_blocks() -> None:
    response = {
        "id": "resp_1",
        "object": "response",
        "model": "gpt-5",
        "status": "completed",
        "output": [
            {"type": "reasoning", "summary": []},
            {"type": "message", "content": [{"type": "output_text", "text": "Hello"}]},
            {"type": "message", "content": [{"type": "refusal", "refusal": "No."}]},
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
        ],
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }
    assert from_any(response) == AIMessage(
        [
            {"type": "reasoning", "summary": []},
            {"type": "text", "text": "Hello"},
            {"type": "refusal", "refusal": "No."},
            {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"a": 1}'},
        ],
        id="resp_1",
        tool_calls=[CALL],
        response_metadata={"model_name": "gpt-5", "status": "completed"},
        usage_metadata={"input_tokens": 5, "output_tokens": 7, "total_tokens": 12},
    )


def test_anthropics_message_is_text_or_blocks_with_calls() -> None:
    text = {"type": "text", "text": "Hello", "citations": None}
    use = {"type": "tool_use", "id": "1", "name": "f", "input": {"a": 1}}
    message: dict[str, Any] = {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-5",
        "content": [text],
        "stop_reason": "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": None},
    }
    ours = AIMessage(
        "Hello",
        id="msg_1",
        response_metadata={"model_name": "claude-5", "stop_reason": "end_turn"},
        usage_metadata={"input_tokens": 5, "output_tokens": 7, "total_tokens": 12},
    )
    assert from_any(message) == ours
    cached = {"input_tokens": 5, "output_tokens": 7, "cache_read_input_tokens": 3}
    read = from_any({**message, "content": [text, use], "usage": cached})
    assert isinstance(read, AIMessage)
    assert read.content == [{"type": "text", "text": "Hello"}, use]
    assert read.tool_calls == [CALL]
    assert read.usage_metadata == {
        "input_tokens": 8,
        "output_tokens": 7,
        "total_tokens": 15,
        "input_token_details": {"cache_creation": 0, "cache_read": 3},
    }
    assert from_any({**message, "usage": None}) == ours.model_copy(update={"usage_metadata": None})


THEIRS: list[langchain.BaseMessage] = [
    langchain.AIMessage(content="a", tool_calls=[{"name": "f", "args": {}, "id": "1"}], id="7"),
    langchain.AIMessageChunk(content=[{"type": "text", "text": "a"}], tool_call_chunks=[]),
    langchain.HumanMessage(content="a", name="Bob"),
    langchain.SystemMessage(content="a"),
    langchain.ChatMessage(content="a", role="critic"),
    langchain.FunctionMessage(content="a", name="f"),
    langchain.ToolMessage(content="a", tool_call_id="1"),
    langchain.ToolMessageChunk(content="a", tool_call_id="1"),
]


@pytest.mark.parametrize("theirs", THEIRS, ids=lambda message: type(message).__name__)
def test_langchains_messages_are_read_in_full(theirs: langchain.BaseMessage) -> None:
    ours = from_any(theirs)
    assert type(ours).__name__ == type(theirs).__name__
    assert ours.model_dump() == theirs.model_dump()
    assert from_any(theirs.model_dump()) == ours
    assert from_any(langchain.message_to_dict(theirs)) == ours


def test_an_artifact_stays_the_object_it_is() -> None:
    artifact = object()
    theirs = langchain.ToolMessage(content="a", tool_call_id="1", artifact=artifact)
    ours = from_any(theirs)
    assert isinstance(ours, ToolMessage)
    assert ours.artifact is artifact


def test_text_is_what_a_model_says() -> None:
    assert from_any("Hello") == AIMessage("Hello")


def test_our_own_message_is_returned_itself() -> None:
    message = HumanMessage("a")
    assert from_any(message) is message


class Other(BaseModel):
    type: str = "gossip"


@pytest.mark.parametrize(
    "value",
    [None, 5, [], {}, {"type": "gossip"}, {"role": 5}, Other(), HumanMessage,
     langchain.RemoveMessage(id="1"), Mock(), Mock(content="a"), MagicMock(), Mock(spec=Other)],
)  # fmt: skip
def test_anything_else_is_refused(value: Any) -> None:
    with pytest.raises(TypeError, match="expected a message, not"):
        from_any(value)


@pytest.mark.parametrize(
    "value",
    [
        {"choices": []},
        {"choices": [{"finish_reason": "stop"}]},
        {"choices": None},
        {"object": "response"},
        {"object": "response", "output": [{"type": "function_call"}]},
        {"type": "message", "content": ["a"]},
        {"type": "message", "content": [{"type": "tool_use", "name": "f"}]},
        {"type": "human", "content": 5},
        {"role": "user", "content": 5},
        {"role": "tool", "content": "a"},
        {"role": "assistant", "content": 5},
        {"choices": [{"message": {"content": "a"}}], "usage": [5]},
        {"object": "response", "status": "queued", "output": []},
        Mock(choices=[Mock()]),
    ],
)
def test_a_message_with_a_part_missing_or_wrong_is_a_value_error(value: Any) -> None:
    with pytest.raises(ValueError, match=r"message|completion|response|validation error"):
        from_any(value)


@pytest.mark.parametrize("kind", ["completed", "incomplete", "cancelled"])
def test_a_response_that_was_cancelled_is_no_message_in_pieces_either(kind: str) -> None:
    call = {"type": "function_call", "call_id": "1", "name": "f", "arguments": "{}"}
    response = {"object": "response", "status": "cancelled", "output": [call]}
    with pytest.raises(ValueError, match="status 'cancelled'"):
        from_any({"type": f"response.{kind}", "response": response})


def test_a_message_that_has_itself_inside_is_a_value_error() -> None:
    message: dict[str, Any] = {"role": "assistant", "content": "a"}
    message["inside"] = message
    with pytest.raises(ValueError, match="nested too deeply"):
        from_any(message)


def test_a_count_that_a_server_leaves_out_is_none() -> None:
    usage = {"prompt_tokens": None, "total_tokens": 5}
    message = from_any({"choices": [{"message": {"content": "a"}}], "usage": usage})
    assert isinstance(message, AIMessage)
    assert message.usage_metadata == {"input_tokens": 0, "output_tokens": 0, "total_tokens": 5}
