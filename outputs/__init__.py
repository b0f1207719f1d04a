"""Data that language models produce: messages, their chunks, tool calls, usage and generations.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

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

_MODULES = modules_of(
    {
        "outputs.chat_generation": (
            "ChatGeneration ChatGenerationChunk merge_chat_generation_chunks"
        ),
        "outputs.chat_result": "ChatResult",
        "outputs.clients.any_client": "from_any",
        "outputs.clients.plain_data": "ProviderError",
        "outputs.generation": "Generation GenerationChunk",
        "outputs.growing_json.errors": (
            "JsonError JsonIncompleteError JsonLimitError JsonSyntaxError"
        ),
        "outputs.growing_json.lenient.lenient_reader": "LenientJsonReader",
        "outputs.growing_json.lenient.strings": "JsonRepair",
        "outputs.growing_json.reader": "JsonReader",
        "outputs.llm_result": "LLMResult",
        "outputs.messages": (
            "AIMessage AIMessageChunk AnyMessage AnyMessageChunk BaseMessage BaseMessageChunk"
            " ChatMessage ChatMessageChunk Content FunctionMessage FunctionMessageChunk"
            " HumanMessage HumanMessageChunk InputTokenDetails InvalidToolCall OutputTokenDetails"
            " SystemMessage SystemMessageChunk TextAccessor ToolCall ToolCallChunk ToolMessage"
            " ToolMessageChunk UsageMetadata add_ai_message_chunks add_usage invalid_tool_call"
            " merge_content message_chunk_to_message tool_call tool_call_chunk"
        ),
        "outputs.messages.ended": "Ended ended_of",
        "outputs.messages.merging": "merge_dicts merge_lists merge_obj",
        "outputs.run_info": "RunInfo",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
