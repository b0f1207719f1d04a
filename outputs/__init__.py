"""Data that language models produce: messages, their chunks, tool calls, usage and generations.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from outputs.chat_generation import ChatGeneration as ChatGeneration
    from outputs.chat_generation import ChatGenerationChunk as ChatGenerationChunk
    from outputs.chat_generation import merge_chat_generation_chunks as merge_chat_generation_chunks
    from outputs.chat_result import ChatResult as ChatResult
    from outputs.clients.any_client import from_any as from_any
    from outputs.clients.plain_data import ProviderError as ProviderError
    from outputs.generation import Generation as Generation
    from outputs.generation import GenerationChunk as GenerationChunk
    from outputs.growing_json.errors import JsonError as JsonError
    from outputs.growing_json.errors import JsonIncompleteError as JsonIncompleteError
    from outputs.growing_json.errors import JsonLimitError as JsonLimitError
    from outputs.growing_json.errors import JsonSyntaxError as JsonSyntaxError
    from outputs.growing_json.lenient.lenient_reader import LenientJsonReader as LenientJsonReader
    from outputs.growing_json.lenient.strings import JsonRepair as JsonRepair
    from outputs.growing_json.reader import JsonReader as JsonReader
    from outputs.llm_result import LLMResult as LLMResult
    from outputs.messages import AIMessage as AIMessage
    from outputs.messages import AIMessageChunk as AIMessageChunk
    from outputs.messages import AnyMessage as AnyMessage
    from outputs.messages import AnyMessageChunk as AnyMessageChunk
    from outputs.messages import BaseMessage as BaseMessage
    from outputs.messages import BaseMessageChunk as BaseMessageChunk
    from outputs.messages import ChatMessage as ChatMessage
    from outputs.messages import ChatMessageChunk as ChatMessageChunk
    from outputs.messages import Content as Content
    from outputs.messages import FunctionMessage as FunctionMessage
    from outputs.messages import FunctionMessageChunk as FunctionMessageChunk
    from outputs.messages import HumanMessage as HumanMessage
    from outputs.messages import HumanMessageChunk as HumanMessageChunk
    from outputs.messages import InputTokenDetails as InputTokenDetails
    from outputs.messages import InvalidToolCall as InvalidToolCall
    from outputs.messages import OutputTokenDetails as OutputTokenDetails
    from outputs.messages import SystemMessage as SystemMessage
    from outputs.messages import SystemMessageChunk as SystemMessageChunk
    from outputs.messages import TextAccessor as TextAccessor
    from outputs.messages import ToolCall as ToolCall
    from outputs.messages import ToolCallChunk as ToolCallChunk
    from outputs.messages import ToolMessage as ToolMessage
    from outputs.messages import ToolMessageChunk as ToolMessageChunk
    from outputs.messages import UsageMetadata as UsageMetadata
    from outputs.messages import add_ai_message_chunks as add_ai_message_chunks
    from outputs.messages import add_usage as add_usage
    from outputs.messages import invalid_tool_call as invalid_tool_call
    from outputs.messages import merge_content as merge_content
    from outputs.messages import message_chunk_to_message as message_chunk_to_message
    from outputs.messages import tool_call as tool_call
    from outputs.messages import tool_call_chunk as tool_call_chunk
    from outputs.messages.ended import Ended as Ended
    from outputs.messages.ended import ended_of as ended_of
    from outputs.messages.merging import merge_dicts as merge_dicts
    from outputs.messages.merging import merge_lists as merge_lists
    from outputs.messages.merging import merge_obj as merge_obj
    from outputs.run_info import RunInfo as RunInfo

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
    __getattr__, __dir__, __all__ = late_names(
        __name__, globals(), _MODULES, "output_parsers", "agent_parsers"
    )
