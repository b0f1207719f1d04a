"""The parser of ReAct text with one input for a tool."""

from __future__ import annotations

from typing import Final

from pydantic import Field

from agent_parsers.dialects import react
from agent_parsers.dialects.react import (
    FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE,
    MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE,
    MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE,
)
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.dialect_parser import NamedParser

__all__ = [
    "FINAL_ANSWER_ACTION",
    "FINAL_ANSWER_AND_PARSABLE_ACTION_ERROR_MESSAGE",
    "MISSING_ACTION_AFTER_THOUGHT_ERROR_MESSAGE",
    "MISSING_ACTION_INPUT_AFTER_ACTION_ERROR_MESSAGE",
    "ReActSingleInputOutputParser",
]

FINAL_ANSWER_ACTION: Final = "Final Answer:"
"""The label of an answer."""


class ReActSingleInputOutputParser(NamedParser):
    """Reads ReAct text whose tools take a single input, as `langchain_classic` does.

    ::

        Thought: I need to know how old the bridge is.      Thought: I now know the final answer
        Action: search                                      Final Answer: It was built in 1461.
        Action Input: oldest bridge in Bern

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish`. Its error
    messages are LangChain's.
    """

    _type_name = "react-single-input"
    _is_langchain = True
    dialect: Dialect = Field(default=react.DIALECT, exclude=True)
