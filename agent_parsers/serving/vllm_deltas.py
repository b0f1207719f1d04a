"""Calls and content as vLLM takes them.

Source: ``vllm/entrypoints/generate/base/protocol.py`` of vLLM 0.33.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from vllm.entrypoints.generate.base.protocol import (
    DeltaFunctionCall,
    DeltaMessage,
    DeltaToolCall,
    FunctionCall,
    ToolCall,
)

if TYPE_CHECKING:
    from agent_parsers.serving.turns import ServedCall, ServedPart

__all__ = ["delta_of", "tool_call"]


def tool_call(call: ServedCall) -> Any:
    """Return *call* with its id, or one that vLLM makes."""
    named = {} if call.id is None else {"id": call.id}
    return ToolCall(**named, function=FunctionCall(name=call.name, arguments=call.arguments))


def delta_of(part: ServedPart, first: int = 0, thought: str = "") -> Any:
    """Return what *part* and *thought* add to a message; `None` if they add nothing.

    Args:
        part: Content and calls.
        first: How many calls the message has.
        thought: More of the thought.
    """
    if not (part.content or part.calls or thought):
        return None
    calls = [_delta_call(call, index) for index, call in enumerate(part.calls, first)]
    return DeltaMessage(reasoning=thought or None, content=part.content or None, tool_calls=calls)


def _delta_call(call: ServedCall, index: int) -> Any:
    function = DeltaFunctionCall(name=call.name, arguments=call.arguments)
    return DeltaToolCall(id=tool_call(call).id, type="function", index=index, function=function)
