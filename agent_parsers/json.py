"""The parser of actions that are JSON objects."""

from __future__ import annotations

from pydantic import Field

from agent_parsers.dialects import json as json_dialect
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.dialect_parser import NamedParser

__all__ = ["JSONAgentOutputParser"]


class JSONAgentOutputParser(NamedParser):
    """Reads one JSON object, bare or in a code fence, as `langchain_classic` does.

    ::

        {"action": "search", "action_input": "oldest bridge in Bern"}
        {"action": "Final Answer", "action_input": "It was built in 1461."}

    Returns `AgentAction` or `AgentFinish`, whose output may be any JSON value. In a list of
    objects, the first counts. While the text streams in, an answer is emitted with its escapes
    resolved.
    """

    _type_name = "json-agent"
    _is_langchain = True
    dialect: Dialect = Field(default=json_dialect.DIALECT, exclude=True)
