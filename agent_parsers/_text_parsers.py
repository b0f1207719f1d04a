"""More parsers with LangChain's names, for labels and tags: strict unless told ``lenient=True``.

Their arguments say how the text is written, so the dialect follows from them.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from typing import Any, Self

from pydantic import Field, model_validator
from typing_extensions import override

from agent_parsers._base import DialectParser, InstructedParser
from agent_parsers.dialects import conversational, mrkl, self_ask, xml
from agent_parsers.engine import Dialect

__all__ = [
    "ConvoTextOutputParser",
    "MRKLOutputParser",
    "SelfAskOutputParser",
    "XMLAgentOutputParser",
]


class _MadeParser(DialectParser):
    """A parser whose dialect is made from its other fields, and made again where it goes."""

    @abstractmethod
    def _make(self) -> Dialect:
        """Return the dialect that the fields describe."""

    @model_validator(mode="after")
    def _set_dialect(self) -> Self:
        self.__dict__["dialect"] = self._make()  # an assignment would be validated again
        return self

    @override
    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = {name: value for name, value in state["__dict__"].items() if name != "dialect"}
        return {**state, "__dict__": fields}

    @override
    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        self.__dict__["dialect"] = self._make()


class XMLAgentOutputParser(_MadeParser):
    """Reads XML tags, as `langchain_classic` does.

    ::

        <tool>search</tool><tool_input>oldest bridge in Bern</tool_input>
        <final_answer>It was built in 1461.</final_answer>

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish`. The input
    may lack its end, which the stop sequence takes.
    """

    dialect: Dialect = Field(default=xml.DIALECT, exclude=True)
    escape_format: xml.EscapeFormat = "minimal"
    """How tags within a value are written: ``"minimal"`` as ``[[tool]]``, `None` as they are."""

    @override
    def _make(self) -> Dialect:
        return xml.make_dialect(self.escape_format)

    @property
    @override
    def _type(self) -> str:
        return "xml-agent"


class SelfAskOutputParser(_MadeParser):
    """Reads a question to ask, or the final answer, as `langchain_classic` does.

    ::

        Follow up: When was the bridge built?
        So the final answer is: 1461

    Returns `AgentAction("Intermediate Answer", "When was the bridge built?", log=text)`, or
    `AgentFinish`. Strict reading looks at the last line only.

    Raises:
        ValueError: One of the markers is empty, or the beginning of another.
    """

    dialect: Dialect = Field(default=self_ask.DIALECT, exclude=True)
    followups: Sequence[str] = self_ask.FOLLOWUPS
    """What stands before a question, in one or several spellings."""
    finish_string: str = self_ask.FINISH_STRING
    """What stands before the answer."""

    @override
    def _make(self) -> Dialect:
        return self_ask.make_dialect(tuple(self.followups), self.finish_string)

    @property
    @override
    def _type(self) -> str:
        return "self_ask"


class MRKLOutputParser(InstructedParser):
    """Reads ReAct text as LangChain's MRKL agent does: an answer before an action counts."""

    dialect: Dialect = Field(default=mrkl.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "mrkl"


class ConvoTextOutputParser(_MadeParser, InstructedParser):
    """Reads the text of LangChain's conversational agent: an action, or a reply after ``AI:``.

    It is `langchain_classic.agents.conversational.output_parser.ConvoOutputParser`; the parser of
    the chat agent, which reads JSON, has that name too.

    Raises:
        ValueError: The prefix is empty, or another label.
    """

    dialect: Dialect = Field(default=conversational.DIALECT, exclude=True)
    ai_prefix: str = conversational.AI_PREFIX
    """What stands before a reply and its colon."""

    @override
    def _make(self) -> Dialect:
        return conversational.make_dialect(self.ai_prefix)

    @property
    @override
    def _type(self) -> str:
        return "conversational"
