"""Messages of a conversation with a model, their chunks, tool calls and usage.

Every name is imported at its first use: most programs need few of these classes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from outputs.messages.ai import (
        AIMessage,
        AIMessageChunk,
        InputTokenDetails,
        OutputTokenDetails,
        UsageMetadata,
        add_ai_message_chunks,
        add_usage,
    )
    from outputs.messages.base import (
        BaseMessage,
        BaseMessageChunk,
        Content,
        TextAccessor,
        merge_content,
    )
    from outputs.messages.chat import ChatMessage, ChatMessageChunk
    from outputs.messages.function import FunctionMessage, FunctionMessageChunk
    from outputs.messages.human import HumanMessage, HumanMessageChunk
    from outputs.messages.system import SystemMessage, SystemMessageChunk
    from outputs.messages.tool import (
        InvalidToolCall,
        ToolCall,
        ToolCallChunk,
        ToolMessage,
        ToolMessageChunk,
        invalid_tool_call,
        tool_call,
        tool_call_chunk,
    )
    from outputs.messages.utils import AnyMessage, AnyMessageChunk, message_chunk_to_message

__all__ = [
    "AIMessage",
    "AIMessageChunk",
    "AnyMessage",
    "AnyMessageChunk",
    "BaseMessage",
    "BaseMessageChunk",
    "ChatMessage",
    "ChatMessageChunk",
    "Content",
    "FunctionMessage",
    "FunctionMessageChunk",
    "HumanMessage",
    "HumanMessageChunk",
    "InputTokenDetails",
    "InvalidToolCall",
    "OutputTokenDetails",
    "SystemMessage",
    "SystemMessageChunk",
    "TextAccessor",
    "ToolCall",
    "ToolCallChunk",
    "ToolMessage",
    "ToolMessageChunk",
    "UsageMetadata",
    "add_ai_message_chunks",
    "add_usage",
    "invalid_tool_call",
    "merge_content",
    "message_chunk_to_message",
    "tool_call",
    "tool_call_chunk",
]

_MODULES = modules_of(
    {
        "outputs.messages.ai": (
            "AIMessage AIMessageChunk InputTokenDetails OutputTokenDetails UsageMetadata"
            " add_ai_message_chunks add_usage"
        ),
        "outputs.messages.base": "BaseMessage BaseMessageChunk Content TextAccessor merge_content",
        "outputs.messages.chat": "ChatMessage ChatMessageChunk",
        "outputs.messages.function": "FunctionMessage FunctionMessageChunk",
        "outputs.messages.human": "HumanMessage HumanMessageChunk",
        "outputs.messages.system": "SystemMessage SystemMessageChunk",
        "outputs.messages.tool": (
            "InvalidToolCall ToolCall ToolCallChunk ToolMessage ToolMessageChunk invalid_tool_call"
            " tool_call tool_call_chunk"
        ),
        "outputs.messages.utils": "AnyMessage AnyMessageChunk message_chunk_to_message",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
