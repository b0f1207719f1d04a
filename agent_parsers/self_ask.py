"""The parser of self-ask text, in which a model asks itself questions."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import Field
from typing_extensions import override

from agent_parsers.dialects import self_ask as dialect_module
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.named_parsers import MadeParser

__all__ = ["SelfAskOutputParser"]


class SelfAskOutputParser(MadeParser):
    """Reads a follow-up question, or the final answer, as `langchain_classic` does.

    ::

        Follow up: When was the bridge built?
        So the final answer is: 1461

    Returns `AgentAction("Intermediate Answer", "When was the bridge built?", log=text)`, or
    `AgentFinish`. Strict mode reads the last line only.

    Raises:
        ValueError: A marker is empty, or the beginning of another.
    """

    _type_name = "self_ask"
    dialect: Dialect = Field(default=dialect_module.DIALECT, exclude=True)
    followups: Sequence[str] = dialect_module.FOLLOWUPS
    """The marker before a question, in one or more spellings."""
    finish_string: str = dialect_module.FINISH_STRING
    """The marker before the answer."""

    @override
    def _make(self) -> Dialect:
        return dialect_module.make_dialect(tuple(self.followups), self.finish_string)
