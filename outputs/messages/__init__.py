"""Messages of a conversation with a model, their chunks, tool calls and usage."""

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
