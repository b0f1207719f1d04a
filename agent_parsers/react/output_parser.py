"""The parser of LangChain's agent of the ReAct paper."""

from __future__ import annotations

from agent_parsers.parsers.named_parsers import ReActOutputParser

__all__ = ["ReActOutputParser"]
