"""The parser of LangChain's structured chat agent."""

from __future__ import annotations

from agent_parsers.parsers.named_parsers import (
    StructuredChatOutputParser,
    StructuredChatOutputParserWithRetries,
)

__all__ = ["StructuredChatOutputParser", "StructuredChatOutputParserWithRetries"]
