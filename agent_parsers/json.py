"""The parser of actions that are JSON objects."""

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

from agent_parsers.dialects import json as json_dialect

__all__ = ['JSONAgentOutputParser']


class JSONAgentOutputParser(DialectParser):
    """Reads one JSON object, bare or in a fence, as `langchain_classic` does.

    ::

        {"action": "search", "action_input": "oldest bridge in Bern"}
        {"action": "Final Answer", "action_input": "It was built in 1461."}

    Returns `AgentAction` or `AgentFinish`, whose output may be any JSON value. The first of a list
    counts. While the text streams in, an answer is told with its escapes resolved.
    """

    dialect: Dialect = Field(default=json_dialect.DIALECT, exclude=True)

    @property
    @override
    def _type(self) -> str:
        return "json-agent"
