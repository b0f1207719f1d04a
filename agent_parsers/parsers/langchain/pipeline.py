"""What runs in the place of an agent parser in a LangChain pipeline.

Its results are instances of LangChain's classes and of ours, as its exceptions are, so that
LangChain's executor takes them, and a loop that looks for ours takes them too. This module imports
LangChain.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final

from langchain_core import agents as theirs
from typing_extensions import override

from agent_parsers.actions import agent as ours
from agent_parsers.actions import tool_action
from agent_parsers.actions.tool_action import own_result
from agent_parsers.parsers.langchain.parser import Kinds, LangChainParser, tool_action_class


class PipelineParser(LangChainParser):
    """Returns results that both libraries accept."""

    @override
    def _kinds(self) -> Kinds:
        return _BOTH


class _Equal:
    """Compares results as ours, whether of both libraries or of one."""

    def __eq__(self, other: object) -> bool:
        return bool(own_result(self) == own_result(other))

    __hash__ = None  # type: ignore[assignment]  # as for any model that can be changed


class AgentAction(_Equal, theirs.AgentAction, ours.AgentAction):  # type: ignore[misc]  # two kinds of messages
    """An action that is an `AgentAction` of LangChain and of this library."""


class AgentActionMessageLog(  # type: ignore[misc]  # two kinds of messages
    _Equal, theirs.AgentActionMessageLog, ours.AgentActionMessageLog
):
    """An `AgentActionMessageLog` of LangChain and of this library, with LangChain's messages."""


class AgentFinish(_Equal, theirs.AgentFinish, ours.AgentFinish):  # type: ignore[misc]  # two kinds of messages
    """A final answer that is an `AgentFinish` of LangChain and of this library."""


@cache
def _tool_action_class() -> type[theirs.AgentAction]:
    kinds = (_Equal, tool_action_class(), tool_action.ToolAgentAction)
    members = {"__module__": __name__, "__doc__": "A `ToolAgentAction` of both libraries."}
    both: type[theirs.AgentAction] = type("ToolAgentAction", kinds, members)
    return both


def __getattr__(name: str) -> Any:
    if name == "ToolAgentAction":  # for pickle
        return _tool_action_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_BOTH: Final = Kinds(AgentAction, AgentActionMessageLog, _tool_action_class, AgentFinish)
