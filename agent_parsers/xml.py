"""The parser of actions in XML tags."""

from __future__ import annotations

from pydantic import Field
from typing_extensions import override

from agent_parsers.dialects import xml as xml_dialect
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.named_parsers import MadeParser

__all__ = ["XMLAgentOutputParser"]


class XMLAgentOutputParser(MadeParser):
    """Reads XML tags, as `langchain_classic` does.

    ::

        <tool>search</tool><tool_input>oldest bridge in Bern</tool_input>
        <final_answer>It was built in 1461.</final_answer>

    Returns `AgentAction("search", "oldest bridge in Bern", log=text)`, or `AgentFinish`. The
    closing tag of the input may be missing, since the stop sequence removes it.
    """

    _type_name = "xml-agent"
    dialect: Dialect = Field(default=xml_dialect.DIALECT, exclude=True)
    escape_format: xml_dialect.EscapeFormat = "minimal"
    """How tags inside a value are written: ``"minimal"`` as ``[[tool]]``, `None` unchanged."""

    @override
    def _make(self) -> Dialect:
        return xml_dialect.make_dialect(self.escape_format)
