"""The parser of tool calls under LangChain's older name for it."""

from __future__ import annotations

from agent_parsers.actions.agent import T
from agent_parsers.actions.tool_action import OpenAIToolAgentAction
from agent_parsers.tools import ToolsAgentOutputParser, parse_ai_message_to_tool_action

__all__ = [
    "OpenAIToolAgentAction",
    "OpenAIToolsAgentOutputParser",
    "parse_ai_message_to_openai_tool_action",
]


class OpenAIToolsAgentOutputParser(ToolsAgentOutputParser[T]):
    """Another name for `ToolsAgentOutputParser`, as in LangChain."""

    _type_name = "openai-tools-agent-output-parser"


parse_ai_message_to_openai_tool_action = parse_ai_message_to_tool_action
"""Another name for it, as in LangChain."""
