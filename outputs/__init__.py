"""Data that language models produce: messages, their chunks, tool calls, usage and generations.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from outputs.chat_generation import (
        ChatGeneration,
        ChatGenerationChunk,
        merge_chat_generation_chunks,
    )
    from outputs.chat_result import ChatResult
    from outputs.clients.any_client import from_any
    from outputs.clients.plain_data import ProviderError
    from outputs.generation import Generation, GenerationChunk
    from outputs.growing_json.errors import (
        JsonError,
        JsonIncompleteError,
        JsonLimitError,
        JsonSyntaxError,
    )
    from outputs.growing_json.lenient.lenient_reader import LenientJsonReader
    from outputs.growing_json.lenient.strings import JsonRepair
    from outputs.growing_json.reader import JsonReader
    from outputs.llm_result import LLMResult
    from outputs.messages import (
        AIMessage,
        AIMessageChunk,
        AnyMessage,
        AnyMessageChunk,
        BaseMessage,
        BaseMessageChunk,
        ChatMessage,
        ChatMessageChunk,
        Content,
        FunctionMessage,
        FunctionMessageChunk,
        HumanMessage,
        HumanMessageChunk,
        InputTokenDetails,
        InvalidToolCall,
        OutputTokenDetails,
        SystemMessage,
        SystemMessageChunk,
        TextAccessor,
        ToolCall,
        ToolCallChunk,
        ToolMessage,
        ToolMessageChunk,
        UsageMetadata,
        add_ai_message_chunks,
        add_usage,
        invalid_tool_call,
        merge_content,
        message_chunk_to_message,
        tool_call,
        tool_call_chunk,
    )
    from outputs.messages.ended import Ended, ended_of
    from outputs.messages.merging import merge_dicts, merge_lists, merge_obj
    from outputs.run_info import RunInfo

__all__ = [  # noqa: RUF022 - by subject
    # messages
    "BaseMessage",
    "AIMessage",
    "ChatMessage",
    "FunctionMessage",
    "HumanMessage",
    "SystemMessage",
    "ToolMessage",
    "AnyMessage",
    "from_any",
    "ProviderError",
    "Ended",
    "ended_of",
    # message content
    "Content",
    "TextAccessor",
    "merge_content",
    # message chunks
    "BaseMessageChunk",
    "AIMessageChunk",
    "ChatMessageChunk",
    "FunctionMessageChunk",
    "HumanMessageChunk",
    "SystemMessageChunk",
    "ToolMessageChunk",
    "AnyMessageChunk",
    "add_ai_message_chunks",
    "message_chunk_to_message",
    # tool calls
    "ToolCall",
    "InvalidToolCall",
    "ToolCallChunk",
    "tool_call",
    "invalid_tool_call",
    "tool_call_chunk",
    # token usage
    "InputTokenDetails",
    "OutputTokenDetails",
    "UsageMetadata",
    "add_usage",
    # generations and results
    "Generation",
    "GenerationChunk",
    "ChatGeneration",
    "ChatGenerationChunk",
    "merge_chat_generation_chunks",
    "ChatResult",
    "LLMResult",
    "RunInfo",
    # merging
    "merge_dicts",
    "merge_lists",
    "merge_obj",
    # JSON that is still being written
    "JsonReader",
    "LenientJsonReader",
    "JsonRepair",
    "JsonError",
    "JsonIncompleteError",
    "JsonLimitError",
    "JsonSyntaxError",
]

_MODULES = {
    "ChatGeneration": "outputs.chat_generation",
    "ChatGenerationChunk": "outputs.chat_generation",
    "merge_chat_generation_chunks": "outputs.chat_generation",
    "Generation": "outputs.generation",
    "GenerationChunk": "outputs.generation",
    "AIMessage": "outputs.messages",
    "AIMessageChunk": "outputs.messages",
    "AnyMessage": "outputs.messages",
    "AnyMessageChunk": "outputs.messages",
    "BaseMessage": "outputs.messages",
    "BaseMessageChunk": "outputs.messages",
    "ChatMessage": "outputs.messages",
    "ChatMessageChunk": "outputs.messages",
    "Content": "outputs.messages",
    "FunctionMessage": "outputs.messages",
    "FunctionMessageChunk": "outputs.messages",
    "HumanMessage": "outputs.messages",
    "HumanMessageChunk": "outputs.messages",
    "InputTokenDetails": "outputs.messages",
    "InvalidToolCall": "outputs.messages",
    "OutputTokenDetails": "outputs.messages",
    "SystemMessage": "outputs.messages",
    "SystemMessageChunk": "outputs.messages",
    "TextAccessor": "outputs.messages",
    "ToolCall": "outputs.messages",
    "ToolCallChunk": "outputs.messages",
    "ToolMessage": "outputs.messages",
    "ToolMessageChunk": "outputs.messages",
    "UsageMetadata": "outputs.messages",
    "add_ai_message_chunks": "outputs.messages",
    "add_usage": "outputs.messages",
    "invalid_tool_call": "outputs.messages",
    "merge_content": "outputs.messages",
    "message_chunk_to_message": "outputs.messages",
    "tool_call": "outputs.messages",
    "tool_call_chunk": "outputs.messages",
    "merge_dicts": "outputs.messages.merging",
    "merge_lists": "outputs.messages.merging",
    "merge_obj": "outputs.messages.merging",
    "RunInfo": "outputs.run_info",
    "LLMResult": "outputs.llm_result",
    "ChatResult": "outputs.chat_result",
    "from_any": "outputs.clients.any_client",
    "Ended": "outputs.messages.ended",
    "ended_of": "outputs.messages.ended",
    "ProviderError": "outputs.clients.plain_data",
    "JsonError": "outputs.growing_json.errors",
    "JsonIncompleteError": "outputs.growing_json.errors",
    "JsonLimitError": "outputs.growing_json.errors",
    "JsonSyntaxError": "outputs.growing_json.errors",
    "JsonReader": "outputs.growing_json.reader",
    "JsonRepair": "outputs.growing_json.lenient.strings",
    "LenientJsonReader": "outputs.growing_json.lenient.lenient_reader",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
