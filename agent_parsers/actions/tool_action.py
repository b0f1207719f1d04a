"""Actions that came in a message, which they keep for the next prompt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from pydantic import BaseModel

from agent_parsers.actions.agent import AgentActionMessageLog
from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from outputs import BaseMessage
    from outputs.messages.tool import ToolCall

__all__ = [
    "OpenAIToolAgentAction",
    "ToolAgentAction",
    "log_of",
    "make_call",
    "make_message",
    "make_tool_call",
]


class ToolAgentAction(AgentActionMessageLog):
    """A call of one tool in a message, which may contain other calls.

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
