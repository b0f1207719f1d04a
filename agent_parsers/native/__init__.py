"""Agents whose model calls tools in messages: parsers with the events of text, and scratchpads."""

from agent_parsers.native._actions import OpenAIToolAgentAction, ToolAgentAction
from agent_parsers.native._message_parser import MessageParser, MessageTurn
from agent_parsers.native._parsers import (
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    ToolsAgentOutputParser,
    parse_ai_message_to_openai_tool_action,
    parse_ai_message_to_tool_action,
)
from agent_parsers.native._scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
    format_to_openai_tool_messages,
    format_to_tool_messages,
)
from agent_parsers.native._stream import MessageStreamParser

__all__ = [
    "MessageParser",
    "MessageStreamParser",
    "MessageTurn",
    "OpenAIFunctionsAgentOutputParser",
    "OpenAIToolAgentAction",
    "OpenAIToolsAgentOutputParser",
    "ToolAgentAction",
    "ToolsAgentOutputParser",
    "format_to_openai_function_messages",
    "format_to_openai_functions",
    "format_to_openai_tool_messages",
    "format_to_tool_messages",
    "parse_ai_message_to_openai_tool_action",
    "parse_ai_message_to_tool_action",
]
