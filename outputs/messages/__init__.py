"""Messages of a conversation with a model, their chunks, tool calls and usage.

Every name is imported at its first use: most programs need few of these classes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from outputs.messages.ai import AIMessage as AIMessage
    from outputs.messages.ai import AIMessageChunk as AIMessageChunk
    from outputs.messages.ai import InputTokenDetails as InputTokenDetails
    from outputs.messages.ai import OutputTokenDetails as OutputTokenDetails
    from outputs.messages.ai import UsageMetadata as UsageMetadata
    from outputs.messages.ai import add_ai_message_chunks as add_ai_message_chunks
    from outputs.messages.ai import add_usage as add_usage
    from outputs.messages.base import BaseMessage as BaseMessage
    from outputs.messages.base import BaseMessageChunk as BaseMessageChunk
    from outputs.messages.base import Content as Content
    from outputs.messages.base import TextAccessor as TextAccessor
    from outputs.messages.base import merge_content as merge_content
    from outputs.messages.chat import ChatMessage as ChatMessage
    from outputs.messages.chat import ChatMessageChunk as ChatMessageChunk
    from outputs.messages.function import FunctionMessage as FunctionMessage
    from outputs.messages.function import FunctionMessageChunk as FunctionMessageChunk
    from outputs.messages.human import HumanMessage as HumanMessage
    from outputs.messages.human import HumanMessageChunk as HumanMessageChunk
    from outputs.messages.system import SystemMessage as SystemMessage
    from outputs.messages.system import SystemMessageChunk as SystemMessageChunk
    from outputs.messages.tool import InvalidToolCall as InvalidToolCall
    from outputs.messages.tool import ToolCall as ToolCall
    from outputs.messages.tool import ToolCallChunk as ToolCallChunk
    from outputs.messages.tool import ToolMessage as ToolMessage
    from outputs.messages.tool import ToolMessageChunk as ToolMessageChunk
    from outputs.messages.tool import invalid_tool_call as invalid_tool_call
    from outputs.messages.tool import tool_call as tool_call
    from outputs.messages.tool import tool_call_chunk as tool_call_chunk
    from outputs.messages.utils import AnyMessage as AnyMessage
    from outputs.messages.utils import AnyMessageChunk as AnyMessageChunk
    from outputs.messages.utils import message_chunk_to_message as message_chunk_to_message

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
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
