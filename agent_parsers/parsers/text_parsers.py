"""The parsers of LangChain's older text agents; strict unless ``lenient=True``."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from typing_extensions import override

from agent_parsers.dialects import conversational, mrkl, react_docstore
from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.parsers.dialect_parser import DialectParser, InstructedParser
from agent_parsers.parsers.made_parser import MadeParser

__all__ = ["ConvoTextOutputParser", "MRKLOutputParser", "ReActOutputParser"]


class ReActOutputParser(DialectParser[Any]):
    """Reads ReAct text as in the paper: ``Action 1: Search[entity]`` and ``Finish[answer]``."""

    dialect: Dialect = Field(default=react_docstore.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "react"


class MRKLOutputParser(InstructedParser):
    """Reads ReAct text like LangChain's MRKL agent: an answer before an action counts."""

    dialect: Dialect = Field(default=mrkl.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "mrkl"


class ConvoTextOutputParser(MadeParser, InstructedParser):
    """Reads the text of LangChain's conversational agent: an action, or a reply after ``AI:``.

    It corresponds to `langchain_classic.agents.conversational.output_parser.ConvoOutputParser`. It
    has another name here because the parser of the chat agent, which reads JSON, has that name too.

    Raises:
        ValueError: The prefix is empty, or the same as another label.
    """

    dialect: Dialect = Field(default=conversational.DIALECT, exclude=True)
    ai_prefix: str = conversational.AI_PREFIX
    """The word before the colon and the reply."""

    @override
    def _make(self) -> Dialect:
        return conversational.make_dialect(self.ai_prefix)

    @property
    @override
    def _type(self) -> str:
        return "conversational"
