"""Actions and steps of LangChain as ours, recognised by their attributes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentActionMessageLog, AgentFinish
from agent_parsers.actions.tool_action import ToolAgentAction
from output_parsers.exceptions import OutputParserException
from outputs import from_any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from outputs import BaseMessage

__all__ = ["is_action", "is_finish", "is_step", "own_action", "own_result", "own_steps"]

_ACTIONS: Final = ("AgentAction", "AgentActionMessageLog")


def is_action(value: object) -> bool:
    """Return whether *value* is an action, ours or LangChain's."""
    return isinstance(value, AgentAction) or getattr(value, "type", None) in _ACTIONS


def is_step(value: object) -> bool:
    """Return whether *value* is a step, ours or LangChain's, and not a message."""
    if isinstance(value, tuple):
        return len(value) == 2 and is_action(value[0])
    return isinstance(value, OutputParserException) or is_action(getattr(value, "action", None))


def is_finish(value: object) -> bool:
    """Return whether *value* is a final answer, ours or LangChain's."""
    return getattr(value, "type", None) == "AgentFinish"


def own_action(action: Any, known: dict[int, BaseMessage] | None = None) -> AgentAction:
    """Return *action*, ours or LangChain's, as ours.

    Args:
        action: The action.
        known: Our messages by the `id` of LangChain's, so that the calls of one message share it.
    """
    if _is_own(action):
        own: AgentAction = action
        return own
    # LangChain's executor calls a turn that could not be read a call of "_Exception".
    tool = "" if action.tool == "_Exception" else action.tool
    fields = {"tool": tool, "tool_input": action.tool_input, "log": action.log}
    if not hasattr(action, "message_log"):
        return AgentAction(**fields)
    known = {} if known is None else known
    for message in action.message_log:
        if id(message) not in known:
            known[id(message)] = from_any(message)
    fields["message_log"] = [known[id(message)] for message in action.message_log]
    if not hasattr(action, "tool_call_id"):
        return AgentActionMessageLog(**fields)
    return ToolAgentAction(tool_call_id=action.tool_call_id, **fields)


def _is_own(action: object) -> bool:
    """Return whether *action* is only ours, and not also one of LangChain's."""
    return isinstance(action, AgentAction) and not hasattr(action, "lc_id")


def own_result(result: Any) -> Any:
    """Return *result*, an action or an answer of ours, LangChain's or both, as ours."""
    if is_action(result):
        return own_action(result)
    return AgentFinish(result.return_values, result.log) if is_finish(result) else result


def own_steps(steps: Iterable[tuple[Any, Any]]) -> list[tuple[AgentAction, Any]]:
    """Return *steps*, pairs of an action and what the tool returned, with our actions."""
    known: dict[int, BaseMessage] = {}
    return [(own_action(action, known), observation) for action, observation in steps]
