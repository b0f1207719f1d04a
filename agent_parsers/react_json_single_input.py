"""The parser of ReAct text whose action is a JSON blob."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from pydantic import Field, SerializeAsAny, SkipValidation
from typing_extensions import override

from agent_parsers._agent import AgentAction, AgentFinish
from agent_parsers._agent_parser import AgentOutputParser
from agent_parsers._base import DialectParser, InstructedParser
from agent_parsers._message_text import text_and_end
from agent_parsers.dialects import chat, conversational_chat, json, react_json, structured_chat
from agent_parsers.engine import Dialect
from output_parsers import OutputFixingParser, OutputParserException

if TYPE_CHECKING:
    from typing import Self

    from output_parsers import ModelOutput
    from outputs._ended import Ended


__all__ = ['ReActJsonSingleInputOutputParser']


class ReActJsonSingleInputOutputParser(DialectParser):
    """Reads ReAct text whose action is a JSON blob, as `langchain_classic` does.

    ::

        Thought: I need to know how old the bridge is.
        Action:
        ```json
        {"action": "search", "action_input": "oldest bridge in Bern"}
        ```

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish` with what
    stands after ``Final Answer:``. The messages of its errors are LangChain's.
    """

    dialect: Dialect = Field(default=react_json.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "react-json-single-input"
