"""Actions and steps of LangChain as ours, recognised by their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.actions.agent import AgentAction, AgentActionMessageLog, AgentFinish
from agent_parsers.actions.tool_action import ToolAgentAction
from outputs import from_any

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["is_action", "own_action", "own_steps"]


def is_action(value: object) -> bool:
    """Return whether *value* is an action, ours or LangChain's."""
    return isinstance(value, AgentAction) or (
        getattr(value, "type", None) in ("AgentAction", "AgentActionMessageLog")
        and hasattr(value, "tool_input")
    )


def is_finish(value: object) -> bool:
    """Return whether *value* is a final answer, ours or LangChain's."""
    return isinstance(value, AgentFinish) or getattr(value, "type", None) == "AgentFinish"


def own_action(action: Any) -> AgentAction:
    """Return *action*, ours or LangChain's, as ours."""
    if isinstance(action, AgentAction):
        return action
    # LangChain's executor calls a turn that could not be read a call of "_Exception".
    tool = "" if action.tool == "_Exception" else action.tool
    fields = {"tool": tool, "tool_input": action.tool_input, "log": action.log}
    if not hasattr(action, "message_log"):
        return AgentAction(**fields)
    fields["message_log"] = [from_any(message) for message in action.message_log]
    if not hasattr(action, "tool_call_id"):
        return AgentActionMessageLog(**fields)
    return ToolAgentAction(tool_call_id=action.tool_call_id, **fields)


def own_steps(steps: Iterable[tuple[Any, Any]]) -> list[tuple[AgentAction, Any]]:
    """Return *steps*, pairs of an action and what the tool returned, with our actions."""
    return [(own_action(action), observation) for action, observation in steps]
