"""Data that language models produce: messages, their chunks, tool calls, usage and generations.

The readers of JSON that is still being written, an error of providers, and how a message ended are
imported with the first use of their names.
"""

from typing import TYPE_CHECKING

from outputs._ai import AIMessage
from outputs._ai_chunks import AIMessageChunk, add_ai_message_chunks
from outputs._any_message import AnyMessage, AnyMessageChunk
from outputs._chunks import (
    BaseMessageChunk,
    ChatMessageChunk,
    FunctionMessageChunk,
    HumanMessageChunk,
    SystemMessageChunk,
    ToolMessageChunk,
    message_chunk_to_message,
)
from outputs._content import Content, TextAccessor, merge_content
from outputs._from_any import from_any
from outputs._generations import (
    ChatGeneration,
    ChatGenerationChunk,
    Generation,
    GenerationChunk,
    merge_chat_generation_chunks,
)
from outputs._late import late_names
from outputs._merging import merge_dicts, merge_lists, merge_obj
from outputs._messages import (
    BaseMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from outputs._results import ChatResult, LLMResult, RunInfo
from outputs._tool_calls import (
    InvalidToolCall,
    ToolCall,
    ToolCallChunk,
    invalid_tool_call,
    tool_call,
    tool_call_chunk,
)
from outputs._usage import InputTokenDetails, OutputTokenDetails, UsageMetadata, add_usage

if TYPE_CHECKING:
    from outputs._ended import Ended, ended_of
    from outputs._from_errors import ProviderError
    from outputs._json_errors import (
        JsonError,
        JsonIncompleteError,
        JsonLimitError,
        JsonSyntaxError,
    )
    from outputs._json_reader import JsonReader
    from outputs._json_repair import JsonRepair, LenientJsonReader

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
    # their content
    "Content",
    "TextAccessor",
    "merge_content",
    # their chunks
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
    "Ended": "_ended",
    "ended_of": "_ended",
    "ProviderError": "_from_errors",
    "JsonError": "_json_errors",
    "JsonIncompleteError": "_json_errors",
    "JsonLimitError": "_json_errors",
    "JsonSyntaxError": "_json_errors",
    "JsonReader": "_json_reader",
    "JsonRepair": "_json_repair",
    "LenientJsonReader": "_json_repair",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
