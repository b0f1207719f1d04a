"""What `as_langchain` of an agent parser returns where `langchain_classic` is installed.

Its agents check that their parser is one of these classes. This module imports LangChain.
"""

from __future__ import annotations

from langchain_classic.agents.agent import AgentOutputParser, MultiActionAgentOutputParser

from agent_parsers.parsers.langchain.parser import LangChainParser


class LangChainAgentParser(LangChainParser, AgentOutputParser):  # type: ignore[misc]  # wider inputs
    """A parser whose turns contain one action or the final answer."""


class LangChainMultiActionAgentParser(LangChainParser, MultiActionAgentOutputParser):  # type: ignore[misc]
    """A parser whose turns contain one or more actions, or the final answer."""
