"""Messages of langchain-core are read like the dictionaries that a server sends."""

from typing import Any

import langchain_core.messages as lc
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.output_parsers.openai_tools import make_invalid_tool_call, parse_tool_call
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk

from ..helpers.client_stories import assert_same_stream, assert_same_whole, said_by
from ..helpers.native_corpus import Case, cases
from ..helpers.wire import completion, completion_chunks


def whole(case: Case) -> lc.AIMessage:
    """Return a message as LangChain's model classes make it of that of a server."""
    calls: list[Any] = []
    invalid: list[Any] = []
    for raw in case.message.get("tool_calls") or ():
        try:
            call = parse_tool_call(raw, return_id=True)
        except LcOutputParserException as error:
            invalid.append(make_invalid_tool_call(raw, str(error)))
        else:
            (calls if isinstance(call["args"], dict) else invalid).append(
                call if isinstance(call["args"], dict) else make_invalid_tool_call(raw, None)
            )
    function = case.message.get("function_call")
    return lc.AIMessage(
        content=case.message.get("content") or "",
        additional_kwargs={"function_call": function} if function else {},
        tool_calls=calls,
        invalid_tool_calls=invalid,
    )


def pieces(case: Case) -> list[lc.AIMessageChunk]:
    """Return chunks as LangChain's model classes make them of those of a server."""
    chunks = []
    for chunk in completion_chunks(case.message):
        delta = chunk["choices"][0]["delta"] if chunk["choices"] else {}
        calls = [
            {"index": call["index"], "id": call.get("id"), "name": call["function"].get("name"),
             "args": call["function"]["arguments"], "type": "tool_call_chunk"}
            for call in delta.get("tool_calls") or ()
        ]  # fmt: skip
        function = delta.get("function_call")
        chunks.append(
            lc.AIMessageChunk(
                content=delta.get("content") or "",
                additional_kwargs={"function_call": function} if function else {},
                tool_call_chunks=calls,
            )
        )
    return chunks


def test_messages() -> None:
    for case in cases():
        message = whole(case)
        for parser in case.parsers():
            for form in (message.model_dump(), lc.message_to_dict(message)):
                assert_same_whole(parser, message, form)
            generation = ChatGeneration(message=message)
            assert_same_whole(parser, generation, message)
            chat = said_by(parser, [completion(case.message)])
            if not isinstance(chat, tuple):
                assert said_by(parser, [message]) == chat, case.id


def test_chunks() -> None:
    for case in cases():
        given = pieces(case)
        for parser in case.parsers():
            assert_same_stream(parser, given, [piece.model_dump() for piece in given])
            generations: Any = [ChatGenerationChunk(message=piece) for piece in given]
            assert_same_stream(parser, given, generations)
            said = said_by(parser, completion_chunks(case.message))
            assert said_by(parser, given) == said, case.id
