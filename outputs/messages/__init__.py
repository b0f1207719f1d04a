"""Messages of a conversation with a model, their chunks, tool calls and usage."""

from outputs.messages.ai import AIMessage
from outputs.messages.ai_chunks import AIMessageChunk, add_ai_message_chunks
from outputs.messages.any_message import AnyMessage, AnyMessageChunk
from outputs.messages.chunks import (
    BaseMessageChunk,
    ChatMessageChunk,
    FunctionMessageChunk,
    HumanMessageChunk,
    SystemMessageChunk,
    ToolMessageChunk,
    message_chunk_to_message,
)
from outputs.messages.content import Content, TextAccessor, merge_content
from outputs.messages.roles import (
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from outputs.messages.tool_calls import (
    InvalidToolCall,
    ToolCall,
    ToolCallChunk,
    invalid_tool_call,
    tool_call,
    tool_call_chunk,
)
from outputs.messages.usage import InputTokenDetails, OutputTokenDetails, UsageMetadata, add_usage

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
