"""The base classes of parsers of agent turns."""

from __future__ import annotations

from abc import abstractmethod

from agent_parsers.actions.agent import AgentAction, AgentFinish
from output_parsers import BaseOutputParser

__all__ = ["AgentOutputParser", "MultiActionAgentOutputParser"]


class AgentOutputParser(BaseOutputParser[AgentAction | AgentFinish]):
    """A parser whose turns contain one action or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither an action nor an answer.
        """


class MultiActionAgentOutputParser(BaseOutputParser[list[AgentAction] | AgentFinish]):
    """A parser whose turns contain one or more actions, or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither actions nor an answer.
        """
