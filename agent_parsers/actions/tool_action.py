"""Actions that came in a message, kept for the next prompt, and those of LangChain as ours.

LangChain's actions and steps are recognised by their attributes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from agent_parsers.actions.agent import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    is_from_langchain,
)
from outputs import AIMessage, from_any

if TYPE_CHECKING:
    from outputs import BaseMessage
    from outputs.messages.tool import ToolCall


class ToolAgentAction(AgentActionMessageLog):
    """One tool call in a message, which may contain other calls.

    Args:
        tool: Name of the tool.
        tool_input: What the tool is called with: text, or arguments by name.
        log: The call and the content of its message, as text.
        message_log: The message.
        tool_call_id: The id of the call, to which its result refers.
    """

    tool_call_id: str | None
    """The id of the call, to which its result refers; `None` if the model gave no id."""


OpenAIToolAgentAction = ToolAgentAction
"""An alias; LangChain has both names."""


def log_of(tool: str, tool_input: str | dict[Any, Any], content: Any) -> str:
    """Return the log of a call in a message with this *content*, in LangChain's words."""
    said = f"responded: {content}\n" if content else "\n"
    return f"\nInvoking: `{tool}` with `{tool_input}`\n{said}\n"


# As in `make_action`: the values are valid, and validation takes longer than everything else.
_new: Final = object.__new__
_set_fields: Final = BaseModel.__dict__["__dict__"].__set__
_set_fields_set: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__


def make_message(text: str, calls: Sequence[ToolCall] = ()) -> AIMessage:
    """Return ``AIMessage(text, tool_calls=calls)``, without validation."""
    message: AIMessage = _new(AIMessage)
    _set_fields(message, {
        "content": text, "additional_kwargs": {}, "response_metadata": {}, "type": "ai",
        "name": None, "id": None, "tool_calls": [*calls], "invalid_tool_calls": [],
        "usage_metadata": None,
    })  # fmt: skip
    _set_fields_set(message, {"content", "tool_calls"} if calls else {"content"})
    _set_extra(message, {})
    _set_private(message, None)
    return message


def make_call(
    tool: str, tool_input: str | dict[Any, Any], log: str, message: BaseMessage
) -> AgentActionMessageLog:
    """Return an action that came in *message*, without validation."""
    action: AgentActionMessageLog = _new(AgentActionMessageLog)
    fields = action.__dict__
    fields["tool"], fields["tool_input"], fields["log"] = tool, tool_input, log
    fields["type"], fields["message_log"] = "AgentActionMessageLog", [message]
    _set_fields_set(action, {"tool", "tool_input", "log", "message_log"})
    _set_extra(action, None)
    _set_private(action, None)
    return action


def make_tool_call(
    tool: str,
    tool_input: str | dict[Any, Any],
    log: str,
    message: BaseMessage,
    tool_call_id: str | None,
) -> ToolAgentAction:
    """Return an action that came in *message* as the call with this id, without validation."""
    action: ToolAgentAction = _new(ToolAgentAction)
    fields = action.__dict__
    fields["tool"], fields["tool_input"], fields["log"] = tool, tool_input, log
    fields["type"], fields["message_log"] = "AgentActionMessageLog", [message]
    fields["tool_call_id"] = tool_call_id
    _set_fields_set(action, {"tool", "tool_input", "log", "message_log", "tool_call_id"})
    _set_extra(action, None)
    _set_private(action, None)
    return action


_ACTIONS: Final = ("AgentAction", "AgentActionMessageLog")


def is_action(value: object) -> bool:
    """Return whether *value* is an action, ours or LangChain's."""
    return isinstance(value, AgentAction) or getattr(value, "type", None) in _ACTIONS


def is_finish(value: object) -> bool:
    """Return whether *value* is a final answer, ours or LangChain's."""
    return getattr(value, "type", None) == "AgentFinish"


def own_action(action: Any, known: dict[int, BaseMessage] | None = None) -> AgentAction:
    """Return *action*, ours or LangChain's, as ours.

    Our messages are *known* by the `id` of LangChain's, so that the calls of one message share it.
    """
    if isinstance(action, AgentAction) and not is_from_langchain(action):
        return action
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


def own_result(result: Any) -> Any:
    """Return *result*, an action or an answer of either library, as ours."""
    if is_action(result):
        return own_action(result)
    return AgentFinish(result.return_values, result.log) if is_finish(result) else result


def own_steps(steps: Iterable[tuple[Any, Any]]) -> list[tuple[AgentAction, Any]]:
    """Return *steps*, pairs of an action and an observation, with each action as ours."""
    known: dict[int, BaseMessage] = {}
    return [(own_action(action, known), observation) for action, observation in steps]
