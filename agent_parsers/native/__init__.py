"""Agents whose model calls tools in messages: parsers with the events of text, and the way back.

What writes a run so far for an API is imported with the first use of its name.
"""

from typing import TYPE_CHECKING

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
from outputs._late import late_names

if TYPE_CHECKING:
    from agent_parsers.native._to_anthropic import to_anthropic
    from agent_parsers.native._to_langchain import to_langchain
    from agent_parsers.native._to_openai import to_openai
    from agent_parsers.native._to_responses import to_openai_responses

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
    "to_anthropic",
    "to_langchain",
    "to_openai",
    "to_openai_responses",
]

_MODULES = {
    "to_anthropic": "_to_anthropic",
    "to_langchain": "_to_langchain",
    "to_openai": "_to_openai",
    "to_openai_responses": "_to_responses",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
