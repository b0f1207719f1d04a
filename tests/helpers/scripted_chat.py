"""A LangChain chat model with scripted replies, whole or in chunks."""

from collections.abc import Iterator
from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    ToolCall,
    ToolCallChunk,
)
from langchain_core.outputs import ChatGeneration, ChatGenerationChunk, ChatResult
from pydantic import Field

ACT = "Thought: look\nAction: area\nAction Input: Thun"
ANSWER = "Thought: done\nFinal Answer: 48.3"
CALL = ToolCall(name="area", args={"lake": "Thun"}, id="1", type="tool_call")
OTHER = ToolCall(name="area", args={"lake": "Brienz"}, id="2", type="tool_call")

SIZE = 7
"""Number of characters in a chunk."""


class ScriptedChat(BaseChatModel):
    """Returns scripted replies; records the `prompts` and the stop sequences in `stops`."""

    replies: list[AIMessage]
    prompts: list[list[BaseMessage]] = Field(default_factory=list)
    stops: list[list[str] | None] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def _next(self, messages: list[BaseMessage], stop: list[str] | None) -> AIMessage:
        self.prompts.append(messages)
        self.stops.append(stop)
        return self.replies[len(self.prompts) - 1]

    def _generate(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> ChatResult:
        reply = self._next(messages, stop)
        return ChatResult(generations=[ChatGeneration(message=reply)])

    def _stream(
        self,
        messages: list[BaseMessage],
        stop: list[str] | None = None,
        run_manager: Any = None,
        **kwargs: Any,
    ) -> Iterator[ChatGenerationChunk]:
        reply = self._next(messages, stop)
        for text in pieces(str(reply.content)):
            yield ChatGenerationChunk(message=AIMessageChunk(content=text))
        calls = [(c["name"], str(c["args"]).replace("'", '"'), c["id"]) for c in reply.tool_calls]
        calls += [(c["name"], c["args"], c["id"]) for c in reply.invalid_tool_calls]
        for index, (name, args, call_id) in enumerate(calls):
            for at, text in enumerate(pieces(args)):
                known = {} if at else {"name": name, "id": call_id}
                call = ToolCallChunk(args=text, index=index, **{"name": None, "id": None} | known)
                yield ChatGenerationChunk(
                    message=AIMessageChunk(content="", tool_call_chunks=[call])
                )

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self


def pieces(text: str) -> list[str]:
    """Return *text* in chunks."""
    return [text[at : at + SIZE] for at in range(0, len(text), SIZE)] or [""]


def chat(*replies: str | AIMessage) -> ScriptedChat:
    """Return a model with these *replies*."""
    return ScriptedChat(
        replies=[AIMessage(reply) if isinstance(reply, str) else reply for reply in replies]
    )
