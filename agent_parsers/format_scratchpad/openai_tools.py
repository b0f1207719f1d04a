"""Writing past steps as messages with tool calls."""

from __future__ import annotations

from agent_parsers.messages.writing.scratchpad import format_to_openai_tool_messages

__all__ = ["format_to_openai_tool_messages"]
