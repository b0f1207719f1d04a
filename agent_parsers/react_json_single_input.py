"""The parser of ReAct text whose action is a JSON blob."""

from __future__ import annotations

from pydantic import Field
from typing_extensions import override

from agent_parsers.dialects import react_json
from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.parsers.dialect_parser import DialectParser

__all__ = ["ReActJsonSingleInputOutputParser"]


class ReActJsonSingleInputOutputParser(DialectParser):
    """Reads ReAct text whose action is a JSON blob, as `langchain_classic` does.

    ::

        Thought: I need to know how old the bridge is.
        Action:
        ```json
        {"action": "search", "action_input": "oldest bridge in Bern"}
        ```

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish` with the
    text after ``Final Answer:``. Its error messages are LangChain's.
    """

    dialect: Dialect = Field(default=react_json.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "react-json-single-input"
