"""Writing past steps as messages with function calls."""

from __future__ import annotations

from agent_parsers.messages.writing.scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
)

__all__ = ["format_to_openai_function_messages", "format_to_openai_functions"]
