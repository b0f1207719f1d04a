"""`content_blocks` of messages, compared with those of LangChain's messages."""

from __future__ import annotations

import copy
from typing import Any

import pytest
from langchain_core import messages as lc

import outputs as ours

ANTHROPIC = {"response_metadata": {"model_provider": "anthropic"}}
OPENAI = {"response_metadata": {"model_provider": "openai"}}
CALL = {"name": "brew", "args": {"cups": 2}, "id": "c1"}
BROKEN = {"name": "brew", "args": "{", "id": "c1", "error": None}
ITEM = {"type": "function_call", "id": "f1", "call_id": "c1", "name": "brew", "arguments": "{"}


def item(kind: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "id": "w1", **fields}


SAME: dict[str, dict[str, Any]] = {
    "text": {"content": "Tea."},
    "nothing": {"content": ""},
    "text and a call": {"content": "Tea.", "tool_calls": [CALL]},
    "a call of Chat Completions": {"content": "", "tool_calls": [CALL], **OPENAI},
    "thinking, text and a call": {
        "content": [
            {"type": "thinking", "thinking": "Hm.", "signature": "s"},
            {"type": "text", "text": "Tea."},
            {"type": "tool_use", "id": "c1", "name": "brew", "input": {"cups": 2}},
        ],
        "tool_calls": [CALL],
        **ANTHROPIC,
    },
    "a search of Anthropic": {
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {"q": "tea"}},
            {"type": "web_search_tool_result", "tool_use_id": "s1", "content": [{"url": "u"}]},
        ],
        **ANTHROPIC,
    },
    "code that failed at Anthropic": {
        "content": [
            {"type": "server_tool_use", "id": "s1", "name": "code_execution", "input": {}},
            {
                "type": "code_execution_tool_result", "tool_use_id": "s1",
                "content": {"error_code": "unavailable"},
            },
        ],
        **ANTHROPIC,
    },
    "a remote tool of Anthropic": {
        "content": [{"type": "mcp_tool_use", "id": "m1", "name": "steep", "input": {"s": 3}}],
        **ANTHROPIC,
    },
    "citations of Anthropic": {
        "content": [
            {
                "type": "text", "text": "Tea.",
                "citations": [
                    {
                        "type": "char_location", "cited_text": "tea", "document_title": "T",
                        "start_char_index": 1,
                    },
                    {"type": "of another kind"},
                ],
            }
        ],
        **ANTHROPIC,
    },
    "reasoning, citations and a call of Responses": {
        "content": [
            {
                "type": "reasoning", "id": "r1", "encrypted_content": "e",
                "summary": [{"text": "one"}, {"text": "two"}],
            },
            {
                "type": "text", "text": "Tea.",
                "annotations": [{"type": "url_citation", "url": "u", "title": "t"}],
            },
            {**ITEM, "arguments": '{"cups": 2}', "status": "completed"},
        ],
        "tool_calls": [CALL],
        **OPENAI,
    },
    "a call that cannot be read": {"content": [ITEM], "invalid_tool_calls": [BROKEN], **OPENAI},
    "a search of OpenAI": {
        "content": [
            item(
                "web_search_call", status="completed",
                action={"type": "search", "query": "tea", "sources": [{"url": "u"}]},
            )
        ],
        **OPENAI,
    },
    "code of OpenAI": {
        "content": [
            item(
                "code_interpreter_call", status="failed", code="1", outputs=[{"logs": "1"}],
                container_id="z",
            )
        ],
        **OPENAI,
    },
    "files of OpenAI": {
        "content": [
            item("file_search_call", status="searching", queries=["tea"], results=[{"f": 1}])
        ],
        **OPENAI,
    },
    "a remote tool of OpenAI": {
        "content": [item("mcp_call", name="n", arguments="[", output="o", server_label="l")],
        **OPENAI,
    },
    "the tools of a server": {
        "content": [item("mcp_list_tools", server_label="l", tools=[{"name": "n"}])], **OPENAI
    },
    "an image made": {
        "content": [item("image_generation_call", result="QQ==", output_format="png", size="1x1")],
        **OPENAI,
    },
    "a refusal of Responses": {"content": [{"type": "refusal", "refusal": "No."}], **OPENAI},
    "a refusal of Chat Completions": {
        "content": "", "additional_kwargs": {"refusal": "No."}, **OPENAI
    },
    "a refusal of Anthropic": {
        "content": [],
        "response_metadata": {
            "model_provider": "anthropic", "stop_reason": "refusal",
            "stop_details": {"explanation": "Not tea.", "category": "c"},
        },
    },
    **{
        f"a refusal of Gemini, {reason}": {
            "content": "Te",
            "response_metadata": {"model_provider": "google_genai", **metadata},
        }
        for reason, metadata in {
            "with words": {"finish_reason": "SAFETY", "finish_message": "Not tea."},
            "to read the prompt": {"prompt_feedback": {"block_reason": "OTHER"}},
            "which is none": {"finish_reason": "SPII"},
            "for no reason": {"prompt_feedback": {"block_reason": "BLOCKED_REASON_UNSPECIFIED"}},
        }.items()
    },
    "code of Gemini, and a file": {
        "content": [
            {"type": "executable_code", "executable_code": "1", "language": "python", "id": "e1"},
            {"type": "code_execution_result", "code_execution_result": "1", "tool_call_id": "e1"},
            {"type": "code_execution_result", "code_execution_result": "!", "outcome": 2},
            {"type": "file_data", "file_uri": "u", "mime_type": "text/csv"},
            {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}, "index": 1},
        ],
        "response_metadata": {"model_provider": "google_genai"},
    },
    "reasoning and sources of Converse": {
        "content": [
            {"type": "reasoning_content", "reasoning_content": {"text": "Hm.", "signature": "s"}},
            {"type": "reasoning_content", "reasoning_content": {"redacted_content": b"r"}},
            {
                "type": "text", "text": "Tea.",
                "citations": [
                    {"title": "T", "source_content": [{"text": "te"}, {"text": "a"}], "at": 1},
                    {"other": 1},
                ],
            },
        ],
        "response_metadata": {"model_provider": "bedrock_converse"},
    },
    "citations that lack something": {
        "content": [
            {
                "type": "text", "text": "Tea.",
                "citations": [
                    {"type": "web_search_result_location", "cited_text": "tea"},
                    {"type": "page_location", "title": "T"},
                    {"type": "page_location", "cited_text": "tea", "index": 3},
                ],
            }
        ],
        **ANTHROPIC,
    },
    "a citation of a file": {
        "content": [
            {
                "type": "text", "text": "Tea.",
                "annotations": [{"type": "file_citation", "filename": "n", "index": 3}],
            }
        ],
        **OPENAI,
    },
    "an unknown block of a stream": {
        "content": [{"type": "leaf", "x": 1, "index": 2}], **ANTHROPIC
    },
    "reasoning beside the content": {
        "content": "Tea.", "additional_kwargs": {"reasoning_content": "Hm."}
    },
    "an unknown block": {"content": [{"type": "leaf", "x": 1}, "Tea.", {"y": 2}]},
    "standard blocks": {
        "content": [{"type": "text", "text": "Tea."}, {"type": "audio", "url": "u"}],
        "response_metadata": {"output_version": "v1"},
    },
}  # fmt: skip


@pytest.mark.parametrize("fields", SAME.values(), ids=SAME)
def test_they_are_those_of_langchain(fields: dict[str, Any]) -> None:
    theirs, own = lc.AIMessage(**fields), ours.AIMessage(**fields)
    before = copy.deepcopy(own)
    assert own.content_blocks == theirs.content_blocks
    assert own == before, "reading them changes nothing"


PIECE = {"name": "brew", "args": "", "id": "c1", "index": 1}
CHUNKS: dict[str, dict[str, Any]] = {
    "a piece of a call": {"content": "", "tool_call_chunks": [PIECE]},
    "the first piece of Anthropic": {
        "content": [{"type": "tool_use", "id": "c1", "name": "brew", "input": {}, "index": 1}],
        "tool_call_chunks": [PIECE],
        **ANTHROPIC,
    },
    "the next piece of Anthropic": {
        "content": [{"type": "input_json_delta", "partial_json": "{", "index": 1}],
        "tool_call_chunks": [{"name": None, "args": "{", "id": None, "index": 1}],
        **ANTHROPIC,
    },
    "the whole, added up": {
        "content": "",
        "tool_call_chunks": [{**PIECE, "args": '{"cups": 2}'}],
        "chunk_position": "last",
        **OPENAI,
    },
    "a thought": {"content": [{"type": "thinking", "thinking": "H", "index": 0}], **ANTHROPIC},
}


@pytest.mark.parametrize("fields", CHUNKS.values(), ids=CHUNKS)
def test_those_of_chunks_are_too(fields: dict[str, Any]) -> None:
    theirs = lc.AIMessageChunk(**fields).content_blocks
    assert ours.AIMessageChunk(**fields).content_blocks == theirs


@pytest.mark.parametrize("kind", ["HumanMessage", "SystemMessage"])
def test_files_are_blocks_of_their_kind(kind: str) -> None:
    content: list[Any] = [
        "Look.",
        {"type": "image_url", "image_url": {"url": "https://example.org/tea.png", "detail": "low"}},
        {"type": "image_url", "image_url": {"url": "data:image/png;base64,QQ=="}},
        {"type": "input_audio", "input_audio": {"data": "QQ==", "format": "wav"}},
        {"type": "file", "file": {"file_id": "f1"}},
        {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": "QQ=="}},
        {"type": "document", "source": {"type": "url", "url": "https://example.org/tea.pdf"}},
    ]
    own = getattr(ours, kind)(content).content_blocks
    theirs = getattr(lc, kind)(content).content_blocks
    for found, expected in zip(own, theirs, strict=True):
        known = {"type", "text", "url", "base64", "mime_type", "file_id"} & expected.keys()
        assert {key: found[key] for key in known} == {key: expected[key] for key in known}


FILES: list[dict[str, Any]] = [
    {"text": "Tea."},
    {"image": {"format": "png", "source": {"bytes": b"A"}}},
    {"document": {"format": "pdf", "source": {"bytes": b"A"}, "name": "n"}},
    {"document": {"format": "txt", "source": {"text": "Tea."}, "name": "n"}},
    {"document": {"format": "txt", "source": {"content": []}}},
    {"type": "document", "source": {"type": "text", "data": "Tea."}},
    {"type": "document", "source": {"type": "text"}},
    {"type": "document", "source": {"type": "file", "file_id": "f1"}},
    {"type": "image", "source": {"type": "url"}},
    {"type": "image", "source_type": "url", "url": "u", "width": 2},
    {"type": "image", "source_type": "id", "id": "f1"},
    {"type": "audio", "source_type": "base64", "data": "QQ==", "mime_type": "audio/wav"},
    {"type": "file", "source_type": "text", "url": "Tea."},
]


@pytest.mark.parametrize("block", FILES, ids=repr)
def test_files_are_blocks_as_in_langchain(block: dict[str, Any]) -> None:
    assert ours.HumanMessage([block]).content_blocks == lc.HumanMessage([block]).content_blocks


def test_a_file_of_langchain_0_keeps_its_id() -> None:
    old = {"type": "file", "source_type": "base64", "data": "QQ==", "id": "b1"}  # LangChain raises
    [block] = ours.HumanMessage([old]).content_blocks
    assert block == {"type": "file", "base64": "QQ==", "id": "b1"}


def test_nothing_is_left_out() -> None:
    message = ours.AIMessage("Tea.", tool_calls=[CALL], invalid_tool_calls=[{**BROKEN, "id": "c2"}])
    assert [block["type"] for block in message.content_blocks] == [
        "text", "tool_call", "invalid_tool_call"
    ]  # fmt: skip
    custom = {"type": "custom_tool_call", "call_id": "c3", "name": "sh", "input": "ls"}
    [block] = ours.AIMessage([custom]).content_blocks
    assert (block["type"], block["args"], block["id"]) == ("tool_call", {"__arg1": "ls"}, "c3")
    [block] = ours.AIMessage([{"type": "output_text", "text": "Tea."}]).content_blocks
    assert block == {"type": "text", "text": "Tea."}
    for odd in (
        {"type": "image_url"},
        {"type": "input_audio"},
        {"type": 5},
        {"leaf": "Tea."},
        {"type": "file_data"},
    ):
        [block] = ours.HumanMessage([odd]).content_blocks
        assert block == {"type": "non_standard", "value": odd}
