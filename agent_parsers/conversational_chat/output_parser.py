"""The parser of LangChain's conversational chat agent."""

from __future__ import annotations

from agent_parsers.parsers.named_parsers import ConvoOutputParser

__all__ = ["ConvoOutputParser"]
