"""The parser of LangChain's chat agent."""

from __future__ import annotations

from agent_parsers.parsers.named_parsers import ChatOutputParser
from agent_parsers.react_single_input import FINAL_ANSWER_ACTION

__all__ = ["FINAL_ANSWER_ACTION", "ChatOutputParser"]
