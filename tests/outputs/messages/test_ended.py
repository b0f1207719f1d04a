"""How messages report that they ended, and what their chunks keep of it."""

from typing import Any

import pytest

from outputs import AIMessageChunk, Ended, ended_of, from_any


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
