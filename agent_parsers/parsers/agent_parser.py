"""The base classes of parsers of agent turns."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, ClassVar, TypeVar

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish
from output_parsers import BaseOutputParser
from output_parsers.runnables.langchain import is_langchains, needs_langchain

if TYPE_CHECKING:
    from agent_parsers.parsers.langchain.parser import LangChainParser
    from output_parsers import RunnableConfig

__all__ = ["AgentOutputParser", "BaseAgentOutputParser", "MultiActionAgentOutputParser"]

R = TypeVar("R")


class BaseAgentOutputParser(BaseOutputParser[R]):
    """A parser of the turns of an agent.

    In a pipeline that LangChain runs, results and exceptions are also instances of LangChain's
    classes, because its executor takes no others.
    """

    _has_several: ClassVar[bool | None] = None
    """Whether turns may have several calls."""

    @override
    def as_langchain(self) -> LangChainParser:
        """Return this parser as a LangChain output parser, for LangChain's chains and executors.

        It returns LangChain's own actions and answers, and raises LangChain's own exception. A
        `ModelRefusalError` is raised unchanged to end the run, since LangChain's executor would
        ask again after its own exception.

        Raises:
            ImportError: LangChain is not installed.
        """
        with needs_langchain():
            from agent_parsers.parsers.langchain.parser import LangChainParser

        return LangChainParser(parser=self, name=self.get_name())

    @override
    def _in_langchain(self, config: RunnableConfig | None) -> Any:
        if not is_langchains(config):
            return None
        from agent_parsers.parsers.langchain.pipeline import PipelineParser

        return PipelineParser(parser=self, name=self.get_name())


class AgentOutputParser(BaseAgentOutputParser[AgentAction | AgentFinish]):
    """A parser whose turns contain one action or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither an action nor an answer.
        """


class MultiActionAgentOutputParser(BaseAgentOutputParser[list[AgentAction] | AgentFinish]):
    """A parser whose turns contain one or more actions, or the final answer."""

    _has_several: ClassVar[bool | None] = True

    @abstractmethod
    def parse(self, text: str) -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither actions nor an answer.
        """
