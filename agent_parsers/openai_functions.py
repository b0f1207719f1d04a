"""The parser of the function call in a message."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish, T
from agent_parsers.messages.reading.pieces import ai_message, message_in
from agent_parsers.messages.reading.whole import result_of
from agent_parsers.messages.writing.scratchpad import format_to_openai_function_messages
from agent_parsers.parsers.event_parser import AgentOutputParser
from agent_parsers.parsers.message_parser import MessageParser, Result

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step
    from outputs import BaseMessage
    from outputs.messages.ended import Ended


__all__ = ["OpenAIFunctionsAgentOutputParser"]


class OpenAIFunctionsAgentOutputParser(
    MessageParser[AgentAction | AgentFinish, T], AgentOutputParser
):
    r"""Reads the function call of a message, the predecessor of tool calls.

    ::

        AIMessage("", additional_kwargs={"function_call": {"name": "f", "arguments": '{"a": 1}'}})

    Returns `AgentActionMessageLog`, or `AgentFinish` with the content if the message has no call.
    Messages may come from this package, LangChain or a provider's API, whole or streamed, as
    objects or dictionaries; see `outputs.from_any`. If the only argument is ``__arg1``, it is
    unwrapped. Strings in the arguments may contain line breaks, and blank arguments are read as
    ``{}``.

    See `MessageParser` for what lenient mode repairs.
    """

    _type_name = "openai-functions-agent"
    _is_function: ClassVar[bool] = True

    @staticmethod
    def parse_ai_message(message: Any) -> AgentAction | AgentFinish:
        """Return the action, or the answer, in *message*, as the strict parser does.

        If a subclass overrides it, that is how the strict parser without `tools` reads a message.

        Raises:
            OutputParserException: The call cannot be made.
            TypeError: *message* is not a message of a model.
        """
        return _one(result_of(ai_message(message), is_function=True))

    @override
    def _is_overridden(self) -> bool:
        return self._reads_messages_itself() or super()._is_overridden()

    def _reads_messages_itself(self) -> bool:
        return type(self).parse_ai_message is not _PARSE_AI_MESSAGE

    @override
    def _result_of(self, output: Any, ended: Ended = "unknown") -> AgentAction | AgentFinish:
        if not self._reads_messages_itself():
            return super()._result_of(output, ended)
        if self.lenient or self.tools is not None:
            raise NotImplementedError(
                f"{type(self).__name__} overrides parse_ai_message, which knows neither lenient="
                " nor tools=: override parse_result in its place"
            )
        return self.parse_ai_message(message_in(output, takes_text=False))

    @override
    def _checked(self, result: Result | None) -> AgentAction | AgentFinish:
        return _one(result)

    @override
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages; see `format_to_openai_function_messages`."""
        return format_to_openai_function_messages(steps)


_PARSE_AI_MESSAGE = OpenAIFunctionsAgentOutputParser.parse_ai_message


def _one(result: Result | None) -> AgentAction | AgentFinish:
    assert isinstance(result, AgentAction | AgentFinish), "a function call makes one action"
    return result
