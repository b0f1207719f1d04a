"""Message chunks: which can be added, their sums, and how they report that they ended."""

import copy
from typing import Any

import langchain_core.messages as langchain
import pytest
from hypothesis import given
from hypothesis import strategies as st

from outputs import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    BaseMessageChunk,
    ChatMessage,
    ChatMessageChunk,
    Ended,
    FunctionMessage,
    FunctionMessageChunk,
    HumanMessage,
    HumanMessageChunk,
    SystemMessage,
    SystemMessageChunk,
    ToolMessage,
    ToolMessageChunk,
    ended_of,
    from_any,
    message_chunk_to_message,
    tool_call,
    tool_call_chunk,
)

# Message chunks: which can be added, their sums, and their conversion to messages.


def test_calls_are_told_apart_by_index() -> None:
    chunks = [
        AIMessageChunk("", tool_call_chunks=[tool_call_chunk(**fields)])
        for fields in (
            {"name": "f", "args": "", "id": "1", "index": 0},
            {"args": '{"a": ', "index": 0},
            {"name": "g", "args": "{", "id": "2", "index": 1},
            {"args": "1}", "index": 0},
        )
    ]
    total = chunks[0] + chunks[1:]
    assert total.tool_calls == [
        tool_call(name="f", args={"a": 1}, id="1"),
        tool_call(name="g", args={}, id="2"),
    ]


@pytest.mark.parametrize(
    ("ids", "best"),
    [
        ([None, "", None], None),
        (["lc_1", "lc_run-1", "msg_1", "msg_2"], "msg_1"),
        (["lc_1", "lc_run-1", "lc_run-2"], "lc_run-1"),
        (["", "lc_1", "lc_2"], "lc_1"),
        (["run-1", "lc_run-1"], "run-1"),
    ],
)
def test_the_best_id_is_kept(ids: list[str | None], best: str | None) -> None:
    first, *others = [AIMessageChunk("", id=id_) for id_ in ids]
    assert (first + others).id == best


def test_a_sum_has_the_class_of_its_first_chunk() -> None:
    class Signed(AIMessageChunk):
        pass

    assert type(Signed("a") + AIMessageChunk("b")) is Signed
    assert AIMessageChunk("a") + Signed("b") == AIMessageChunk("ab")
    assert AIMessageChunk("a") + HumanMessageChunk("b") == AIMessageChunk("ab")
    assert HumanMessageChunk("a", id="1") + AIMessageChunk("b", id="2") == HumanMessageChunk(
        "ab", id="1"
    )
    chat = ChatMessageChunk("a", role="user")
    assert chat + AIMessageChunk("b") == ChatMessageChunk("ab", role="user")


def test_a_sum_of_chunks_of_several_classes_keeps_what_each_class_has() -> None:
    ours = AIMessageChunk("a", tool_call_chunks=[tool_call_chunk(name="f", args="{}", index=0)])
    assert (ours + HumanMessageChunk("b")).tool_calls == [tool_call(name="f", args={}, id=None)]
    tool = ToolMessageChunk("a", tool_call_id="1", artifact=[1])
    assert tool + HumanMessageChunk("b") == ToolMessageChunk("ab", tool_call_id="1", artifact=[1])
    function = FunctionMessageChunk("a", name="f")
    assert function + HumanMessageChunk("b") == FunctionMessageChunk("ab", name="f")
    base = BaseMessageChunk("a", type="gossip")
    assert base + HumanMessageChunk("b") == BaseMessageChunk("ab", type="gossip")


@pytest.mark.parametrize("others", [[], ()])
def test_nothing_may_be_added(others: Any) -> None:
    assert AIMessageChunk("a", id="1") + others == AIMessageChunk("a", id="1")


@pytest.mark.parametrize(
    ("left", "right", "reason"),
    [
        (
            ChatMessageChunk("a", role="user"),
            ChatMessageChunk("b", role="critic"),
            "Cannot concatenate ChatMessageChunks with different roles.",
        ),
        (
            FunctionMessageChunk("a", name="f"),
            FunctionMessageChunk("b", name="g"),
            "Cannot concatenate FunctionMessageChunks with different names.",
        ),
        (
            ToolMessageChunk("a", tool_call_id="1"),
            ToolMessageChunk("b", tool_call_id="2"),
            "Cannot concatenate ToolMessageChunks with different names.",
        ),
    ],
)
def test_chunks_of_different_messages_do_not_add_up(left: Any, right: Any, reason: str) -> None:
    for other in (right, [left, right]):
        with pytest.raises(ValueError, match=reason):
            left + other


@pytest.mark.parametrize("other", [1, "a", AIMessage("a"), [AIMessageChunk("a"), 1]])
def test_only_chunks_can_be_added(other: Any) -> None:
    for chunk in (AIMessageChunk("a"), HumanMessageChunk("a")):
        with pytest.raises(TypeError, match="unsupported operand"):
            chunk + other
    with pytest.raises(TypeError) as ours:
        AIMessageChunk("a") + 1
    with pytest.raises(TypeError) as theirs:
        langchain.AIMessageChunk("a") + 1
    assert str(ours.value) == str(theirs.value)


V1 = {"output_version": "v1"}


@given(
    st.lists(
        st.fixed_dictionaries(
            {
                "type": st.sampled_from(
                    ["tool_call_chunk", "server_tool_call_chunk", "server_tool_call", "text"]
                ),
                "id": st.sampled_from(["1", "2", "3", "", None]),
                "args": st.sampled_from(["", None, '{"a": 1}', "{", "[1]", {"b": 2}]),
            },
            optional={"extras": st.just({"x": 1})},
        )
        | st.just("text"),
        max_size=3,
    ),
    st.sampled_from([None, "last"]),
    st.sampled_from([{}, V1]),
)
def test_typed_blocks_are_complete_after_the_last_chunk(
    blocks: list[Any], position: Any, metadata: dict[str, Any]
) -> None:
    fields: dict[str, Any] = {
        "content": blocks,
        "response_metadata": metadata,
        "tool_call_chunks": [
            tool_call_chunk(name="f", args='{"a": 1}', id="1", index=0),
            tool_call_chunk(name="g", args="x", id="2", index=1),
        ],
    }
    before = copy.deepcopy(blocks)
    ours = AIMessageChunk(**fields) + AIMessageChunk("", chunk_position=position)
    assert blocks == before
    theirs = langchain.AIMessageChunk(**fields) + langchain.AIMessageChunk(
        "", chunk_position=position
    )
    assert ours.model_dump() == theirs.model_dump()


def test_a_typed_call_has_its_arguments_once_the_message_has_ended() -> None:
    chunk = AIMessageChunk(
        [
            {"type": "tool_call_chunk", "id": "1", "args": "{", "index": 0, "extras": {"x": 1}},
            {"type": "server_tool_call_chunk", "id": "2", "args": '{"b": 2}'},
        ],
        response_metadata=V1,
        tool_call_chunks=[tool_call_chunk(name="f", args='{"a": 1}', id="1", index=0)],
        chunk_position="last",
    )
    assert chunk.content == [
        {**tool_call(name="f", args={"a": 1}, id="1"), "extras": {"x": 1}},
        {"type": "server_tool_call", "id": "2", "args": {"b": 2}},
    ]


CHUNKS: list[tuple[BaseMessageChunk, BaseMessage]] = [
    (
        AIMessageChunk("a", tool_call_chunks=[tool_call_chunk(name="f", args="{}", index=0)]),
        AIMessage("a", tool_calls=[tool_call(name="f", args={}, id=None)]),
    ),
    (HumanMessageChunk("a", name="Bob", mood="good"), HumanMessage("a", name="Bob", mood="good")),
    (SystemMessageChunk("a"), SystemMessage("a")),
    (ChatMessageChunk("a", role="user"), ChatMessage("a", role="user")),
    (FunctionMessageChunk("a", name="f"), FunctionMessage("a", name="f")),
    (ToolMessageChunk("a", tool_call_id="1"), ToolMessage("a", tool_call_id="1")),
    (BaseMessageChunk("a", type="gossip"), BaseMessage("a", type="gossip")),
]


@pytest.mark.parametrize(("chunk", "message"), CHUNKS, ids=lambda value: type(value).__name__)
def test_a_chunk_becomes_a_message(chunk: BaseMessageChunk, message: BaseMessage) -> None:
    made = message_chunk_to_message(chunk)
    assert made == message
    assert type(made) is type(message)
    assert message_chunk_to_message(made) is made


def test_a_chunk_of_a_class_of_ones_own_becomes_a_message() -> None:
    class Signed(AIMessageChunk):
        signature: str

    assert message_chunk_to_message(Signed("a", signature="x")) == AIMessage("a")


# How messages report that they ended, and what their chunks keep of it.


@pytest.mark.parametrize(
    ("metadata", "ended"),
    [
        # OpenAI's Chat Completions, and compatible APIs
        ({"finish_reason": "stop"}, "stop"),
        ({"finish_reason": "tool_calls"}, "stop"),
        ({"finish_reason": "function_call"}, "stop"),
        ({"finish_reason": "length"}, "length"),
        ({"finish_reason": "content_filter"}, "length"),
        ({"finish_reason": "abort"}, "length"),
        ({"finish_reason": "insufficient_system_resource"}, "length"),
        ({"finish_reason": "eos_token"}, "stop"),
        ({"finish_reason": None}, "unknown"),
        # Responses
        ({"status": "completed"}, "stop"),
        ({"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}, "length"),
        ({"incomplete_details": {"reason": "content_filter"}}, "length"),
        # Anthropic
        ({"stop_reason": "end_turn"}, "stop"),
        ({"stop_reason": "stop_sequence", "stop_sequence": "Observation:"}, "stop"),
        ({"stop_reason": "tool_use"}, "stop"),
        ({"stop_reason": "max_tokens"}, "length"),
        ({"stop_reason": "pause_turn"}, "length"),
        ({"stop_reason": "model_context_window_exceeded"}, "length"),
        ({"stop_reason": "refusal"}, "length"),
        # Gemini, Ollama, Bedrock, Cohere
        ({"finish_reason": "STOP"}, "stop"),
        ({"finish_reason": "MAX_TOKENS"}, "length"),
        ({"finish_reason": "SAFETY"}, "length"),
        ({"finish_reason": "FINISH_REASON_UNSPECIFIED"}, "unknown"),
        ({"done": True, "done_reason": "stop"}, "stop"),
        ({"done_reason": "length"}, "length"),
        ({"stopReason": "end_turn"}, "stop"),
        ({"stopReason": "max_tokens"}, "length"),
        ({"finish_reason": "COMPLETE"}, "stop"),
        # unknown reasons, and sums
        ({}, "unknown"),
        ({"finish_reason": "because"}, "unknown"),
        ({"finish_reason": 5, "status": 200, "stop_reason": 128009}, "unknown"),
        ({"finish_reason": "stop", "stop_reason": "max_tokens"}, "length"),
        ({"finish_reason": "stopstop"}, "stop"),
        ({"finish_reason": "tool_callslength"}, "length"),
        ({"finish_reason": "stopgap"}, "unknown"),
        ({"finish_reason": ""}, "unknown"),
    ],
)
def test_the_reason_says_how_a_message_ended(metadata: dict[str, Any], ended: Ended) -> None:
    assert ended_of(metadata) == ended


CHAT = {"object": "chat.completion.chunk", "model": "m"}


@pytest.mark.parametrize(
    "chunks",
    [
        [
            {**CHAT, "choices": [{"index": 0, "delta": {"content": "So"}, "finish_reason": None}]},
            {**CHAT, "choices": [{"index": 0, "delta": {}, "finish_reason": "length"}]},
            {**CHAT, "choices": [], "usage": {"prompt_tokens": 1, "completion_tokens": 1}},
        ],
        [
            {"type": "message_start", "message": {"model": "m", "stop_reason": None}},
            {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta",
             "text": "So"}},
            {"type": "message_delta", "delta": {"stop_reason": "max_tokens"}},
            {"type": "message_stop"},
        ],
        [
            {"type": "response.output_text.delta", "delta": "So"},
            {"type": "response.incomplete", "response": {
                "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}},
        ],
    ],
    ids=["chat", "anthropic", "responses"],
)  # fmt: skip
def test_a_stream_says_it_late(chunks: list[dict[str, Any]]) -> None:
    first, *rest = map(from_any, chunks)
    assert isinstance(first, AIMessageChunk)
    assert ended_of((first + rest).response_metadata) == "length"
