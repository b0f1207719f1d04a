"""Unusual objects that users pass, and unexpected replies of providers."""

import asyncio
import copy
import pickle
from contextlib import suppress
from typing import Any

import pytest

from agent_parsers import OutputParserException, get_parser
from agent_parsers.toolset.problems.names import folded
from output_parsers import (
    JsonOutputParser,
    JsonOutputToolsParser,
    OutputFixingParser,
    RetryOutputParser,
    StrOutputParser,
)
from outputs import AIMessage, AIMessageChunk, from_any


class Model:
    """Neither a function nor one of our runnables."""

    def invoke(self, prompt: Any, config: Any = None) -> AIMessage:
        return AIMessage('{"a": 1}')


def test_anything_with_an_invoke_can_be_asked() -> None:
    parser = JsonOutputParser(lenient=True)
    assert OutputFixingParser.from_llm(Model(), parser).parse("no") == {"a": 1}
    fixing: Any = OutputFixingParser(parser=parser, retry_chain=Chain())
    assert fixing.parse("no") == {"a": 1}
    retry: Any = RetryOutputParser.from_llm(Model(), parser)
    assert retry.parse_with_prompt("no", "Give me JSON.") == {"a": 1}
    assert asyncio.run(retry.aparse_with_prompt("no", "Give me JSON.")) == {"a": 1}


class Chain:
    def invoke(self, values: Any, config: Any = None) -> str:
        return '{"a": 1}'


def test_a_paused_turn_says_what_to_do() -> None:
    fields: Any = {"response_metadata": {"stop_reason": "pause_turn"}}
    message = AIMessage("Let me look.", **fields)
    for parser in (get_parser("tools"), get_parser("tools", lenient=False)):
        with pytest.raises(OutputParserException, match="pause_turn"):
            parser.invoke(message)
        with pytest.raises(OutputParserException, match="pause_turn"):
            list(parser.events([AIMessageChunk("Let", **fields), AIMessageChunk(" me look.")]))


def test_the_transcript_of_an_audio_answer_is_its_text() -> None:
    audio = {"id": "a", "data": "UklGRg==", "transcript": "It is noon."}
    message = {"role": "assistant", "content": None, "audio": audio}
    assert from_any(message).text == "It is noon."
    assert get_parser("tools").invoke(message).return_values == {"output": "It is noon."}
    pieces = ({"id": "a", "transcript": "It is "}, {"transcript": "noon."}, {"data": "UklGRg=="})
    chunks = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"audio": piece}}]}
        for piece in pieces
    ]
    assert "".join(StrOutputParser().transform(iter(chunks))) == "It is noon."


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": 5, "arguments": "{}"}},
        {"function": 5},
        5,
        None,
        {"function": {"name": "f", "arguments": 5}},
    ],
)
def test_a_malformed_call_raises_only_our_exception(call: Any) -> None:
    given = {"additional_kwargs": {"tool_calls": [call]}}
    for message in (AIMessage("", **given), AIMessageChunk("", **given)):
        for parser in (get_parser("tools"), get_parser("tools", lenient=False)):
            with suppress(OutputParserException):
                parser.invoke(message)
            with suppress(OutputParserException):
                list(parser.events([message]))
        with suppress(OutputParserException):
            JsonOutputToolsParser().invoke(message)


def test_a_call_needs_no_id() -> None:
    message = AIMessage("", tool_calls=[{"name": "f", "args": {}}])
    assert message.tool_calls[0]["id"] is None
    assert [*JsonOutputToolsParser().transform(iter([message]))][-1] == [{"type": "f", "args": {}}]
    wire = {"id": 7, "function": {"name": "f", "arguments": "{}"}}
    assert AIMessage("", additional_kwargs={"tool_calls": [wire]}).tool_calls[0]["id"] == "7"


def test_a_source_is_closed_once() -> None:
    class Source:
        closed = 0

        def __aiter__(self) -> "Source":
            return self

        async def __anext__(self) -> str:
            raise StopAsyncIteration

        async def aclose(self) -> None:
            self.closed += 1

    async def read(source: Any) -> None:
        with suppress(OutputParserException):
            async for _ in get_parser("react").aevents(source):
                pass

    source = Source()
    asyncio.run(read(source))
    assert source.closed == 1


def test_a_stream_parser_refuses_to_be_copied() -> None:
    parser = get_parser("react").stream_parser()
    parser.feed("Thought: hm\nAction: se")
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copied(parser)


def test_names_differ_by_marks_within_words() -> None:
    for name in ("Search", "sea rch", "`search`", "sea_rch", "sea-rch", "search()", '"search"'):
        assert folded(name) == "search"
    for name in ("se}arch", 'sea"rch', "se/arch", "sea,rch"):
        assert folded(name) != "search"
