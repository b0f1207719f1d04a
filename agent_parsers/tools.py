"""The parser of the tool calls of a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish, T
from agent_parsers.actions.tool_action import ToolAgentAction
from agent_parsers.messages.reading.pieces import ai_message
from agent_parsers.messages.reading.whole import result_of
from agent_parsers.messages.writing.scratchpad import format_to_tool_messages
from agent_parsers.parsers.event_parser import MultiActionAgentOutputParser
from agent_parsers.parsers.message_parser import MessageParser, Result

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step
    from outputs import BaseMessage


__all__ = ["ToolAgentAction", "ToolsAgentOutputParser", "parse_ai_message_to_tool_action"]


class ToolsAgentOutputParser(
    MessageParser[list[AgentAction] | AgentFinish, T], MultiActionAgentOutputParser
):
    """Reads the tool calls of a message, which may have several calls.

    ::

        AIMessage("Let me see.", tool_calls=[{"name": "search", "args": {"q": "rain"}, "id": "1"}])

    Returns a list of `ToolAgentAction`, or `AgentFinish` with the content if the message has no
    call. Messages may come from this package, LangChain or a provider's API, whole or streamed, as
    objects or dictionaries; see `outputs.from_any`. If the only argument is ``__arg1``, it is
    unwrapped.

    See `MessageParser` for what lenient mode repairs.
    """

    _type_name = "tools-agent-output-parser"

    @override
    def _checked(self, result: Result | None) -> list[AgentAction] | AgentFinish:
        return _all(result)

    @override
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages; see `format_to_tool_messages`."""
        return format_to_tool_messages(steps)


def parse_ai_message_to_tool_action(message: Any) -> list[AgentAction] | AgentFinish:
    """Return the actions, or the answer, in *message*, as `ToolsAgentOutputParser` does.

    Raises:
        OutputParserException: A call cannot be made.
        TypeError: *message* is not a message of a model.
    """
    return _all(result_of(ai_message(message), is_function=False))


def _all(result: Result | None) -> list[AgentAction] | AgentFinish:
    assert isinstance(result, list | AgentFinish), "tool calls make a list"
    return result
