"""The parsers of messages: strict, with LangChain's behaviour, unless told ``lenient=True``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from agent_parsers._agent import AgentAction, AgentFinish
from agent_parsers._agent_parser import AgentOutputParser, MultiActionAgentOutputParser
from agent_parsers.native._message_parser import MessageParser, Result
from agent_parsers.native._pieces import ai_message
from agent_parsers.native._scratchpad import (
    format_to_openai_function_messages,
    format_to_tool_messages,
)
from agent_parsers.native._whole import result_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine._render import Step
    from outputs import BaseMessage

__all__ = [
    "OpenAIFunctionsAgentOutputParser",
    "OpenAIToolsAgentOutputParser",
    "ToolsAgentOutputParser",
    "parse_ai_message_to_openai_tool_action",
    "parse_ai_message_to_tool_action",
]


class ToolsAgentOutputParser(
    MessageParser[list[AgentAction] | AgentFinish], MultiActionAgentOutputParser
):
    """Reads the tool calls of a message, of which there may be several at once.

    ::

        AIMessage("Let me see.", tool_calls=[{"name": "search", "args": {"q": "rain"}, "id": "1"}])

    Returns a list of `ToolAgentAction`, or `AgentFinish` with the content if the message has no
    call. Messages are those of this package, of LangChain, or what OpenAI's API returns, also as
    dictionaries; see `outputs.from_any`. Arguments under the one name ``__arg1`` are unwrapped.

    What the lenient reading mends is told in `MessageParser`.
    """

    @property
    @override
    def _type(self) -> str:
        return "tools-agent-output-parser"

    @override
    def _checked(self, result: Result | None) -> list[AgentAction] | AgentFinish:
        return _all(result)

    @override
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages; see `format_to_tool_messages`."""
        return format_to_tool_messages(steps)


class OpenAIToolsAgentOutputParser(ToolsAgentOutputParser):
    """The same as `ToolsAgentOutputParser`; LangChain has both."""

    @property
    @override
    def _type(self) -> str:
        return "openai-tools-agent-output-parser"


class OpenAIFunctionsAgentOutputParser(MessageParser[AgentAction | AgentFinish], AgentOutputParser):
    r"""Reads the function call of a message, the form that came before tool calls.

    ::

        AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": '{"a": 1}'}})

    Returns `AgentActionMessageLog`, or `AgentFinish` with the content if the message has no call.
    Messages are those of this package, of LangChain, or what a provider's API returns, whole or
    streamed, also as dictionaries; see `outputs.from_any`. Arguments under the one name ``__arg1``
    are unwrapped.
    Strings in the arguments may hold line breaks, and blank arguments are ``{}``.

    What the lenient reading mends is told in `MessageParser`.
    """

    _is_function: ClassVar[bool] = True

    @property
    @override
    def _type(self) -> str:
        return "openai-functions-agent"

    @staticmethod
    def parse_ai_message(message: Any) -> AgentAction | AgentFinish:
        """Return the action, or the answer, in *message*, as the strict parser does.

        Raises:
            OutputParserException: The call cannot be made.
            TypeError: The message is not a model's.
        """
        return _one(result_of(ai_message(message), is_function=True))

    @override
    def _checked(self, result: Result | None) -> AgentAction | AgentFinish:
        return _one(result)

    @override
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages; see `format_to_openai_function_messages`."""
        return format_to_openai_function_messages(steps)


def parse_ai_message_to_tool_action(message: Any) -> list[AgentAction] | AgentFinish:
    """Return the actions, or the answer, in *message*, as `ToolsAgentOutputParser` does.

    Raises:
        OutputParserException: A call cannot be made.
        TypeError: The message is not a model's.
    """
    return _all(result_of(ai_message(message), is_function=False))


parse_ai_message_to_openai_tool_action = parse_ai_message_to_tool_action
"""The same; LangChain has both names."""


def _all(result: Result | None) -> list[AgentAction] | AgentFinish:
    assert isinstance(result, list | AgentFinish), "tool calls make a list"
    return result


def _one(result: Result | None) -> AgentAction | AgentFinish:
    assert isinstance(result, AgentAction | AgentFinish), "a function call makes one action"
    return result
