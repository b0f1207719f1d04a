"""The parser of LangChain's conversational agent."""

from __future__ import annotations

from agent_parsers.parsers.named_parsers import ConvoTextOutputParser as ConvoOutputParser

__all__ = ["ConvoOutputParser"]
