"""The ways in which servers and clients deliver a reply: the events of a stream, or a message."""

from collections.abc import Callable
from typing import Any, Final

import langchain_core.messages as lc

from outputs import AIMessage, AIMessageChunk
from outputs.messages.tool import tool_call

from .chat_deltas import CHAT, FUNCTIONS, Delivery, messages_in_chunks, reason_of
from .item_events import ANTHROPIC, OLLAMA, RESPONSES, ollama_calls, ollama_chunk
from .replies import Fields, Reply
from .wire import anthropic_message, completion, response

STREAMS: Final[dict[str, dict[str, Delivery]]] = {
    "chat": CHAT,
    "functions": FUNCTIONS,
    "responses": RESPONSES,
    "anthropic": ANTHROPIC,
    "ollama": OLLAMA,
    "langchain": messages_in_chunks(lc.AIMessageChunk),
    "ours": messages_in_chunks(AIMessageChunk),
}
"""All ways to stream a reply, by client and name."""


def whole_chat(reply: Reply) -> Fields:
    whole = completion(reply.message())
    whole["choices"][0]["finish_reason"] = reason_of(reply)
    return whole


def whole_function(reply: Reply) -> Fields:
    message = reply.message()
    calls = message.pop("tool_calls", [])
    if calls:
        message["function_call"] = calls[0]["function"]
    whole = completion(message)
    whole["choices"][0]["finish_reason"] = "function_call" if calls else "stop"
    return whole


def whole_anthropic(reply: Reply) -> Fields:
    return {**(anthropic_message(reply.message()) or {})}


def whole_ollama(reply: Reply) -> Fields:
    calls = {"tool_calls": ollama_calls(reply)} if reply.calls else {}
    return ollama_chunk({"thinking": reply.thought, "content": reply.text, **calls}, done=True)


def whole_message(make: Callable[..., Any]) -> Callable[[Reply], Any]:
    def delivered(reply: Reply) -> Any:
        calls = [
            tool_call(name=call.tool, args=call.input, id=f"call_{number}")
            for number, call in enumerate(reply.calls)
        ]
        more = {"reasoning_content": reply.thought} if reply.thought else {}
        reason = {"finish_reason": reason_of(reply)}
        known = {"additional_kwargs": more, "response_metadata": reason}
        return make(content=reply.text, tool_calls=calls, **known)

    return delivered


WHOLE: Final[dict[str, Callable[[Reply], Any]]] = {
    "chat": whole_chat,
    "functions": whole_function,
    "responses": lambda reply: response(reply.message()),
    "anthropic": whole_anthropic,
    "ollama": whole_ollama,
    "langchain": whole_message(lc.AIMessage),
    "ours": whole_message(AIMessage),
}
"""A whole reply, by client."""
