"""The parsers of messages: strict, with LangChain's behaviour, unless told ``lenient=True``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from agent_parsers._agent import AgentAction, AgentFinish
from agent_parsers._base import AgentOutputParser, MultiActionAgentOutputParser
from agent_parsers.native._message_parser import MessageParser
from agent_parsers.native._pieces import ai_message, message_in
from agent_parsers.native._scratchpad import (
    format_to_openai_function_messages,
    format_to_tool_messages,
)
from agent_parsers.native._whole import result_of
from output_parsers._base import is_default

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator, Sequence

    from agent_parsers.engine._render import Step
    from output_parsers._batching import RunnableConfig
    from outputs import BaseMessage, Generation

__all__ = [
    "OpenAIFunctionsAgentOutputParser",
    "OpenAIToolsAgentOutputParser",
    "ToolsAgentOutputParser",
    "parse_ai_message_to_openai_tool_action",
    "parse_ai_message_to_tool_action",
]


class ToolsAgentOutputParser(MessageParser, MultiActionAgentOutputParser):
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
    def parse(self, text: str) -> list[AgentAction] | AgentFinish:
        """Refuse: tool calls stand in a message, not in its text, unless read leniently.

        Raises:
            OutputParserException: A call that was left in the text cannot be made.
            ValueError: It is to be read strictly.
        """
        if not self.lenient:
            raise ValueError("Can only parse messages")
        return self._actions(text)

    @override
    def parse_result(
        self, result: list[Generation], *, partial: bool = False
    ) -> list[AgentAction] | AgentFinish:
        """Return the actions, or the answer, in the message of the first of *result*.

        Args:
            result: What a chat model generated.
            partial: Makes no difference.

        Raises:
            OutputParserException: A call cannot be made: its arguments cannot be read, it has no
                name, or there is no such tool. Nothing is returned of the other calls.
            TypeError: The message is not a model's.
            ValueError: There is text without a message, read strictly.
        """
        return self._actions(result[0])

    @override
    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[AgentAction] | AgentFinish:
        """Return the actions, or the answer, in a message; see `parse_result` for the errors.

        Args:
            input: A message of any kind that `outputs.from_any` takes, or a generation with one.
            config: Ignored.
            kwargs: Ignored.
        """
        # A message is read as it is. To make a generation of it takes longer than that.
        if self._is_overridden():
            return super().invoke(message_in(input, takes_text=self.lenient), config, **kwargs)
        return self._actions(input)

    @override
    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> list[AgentAction] | AgentFinish:
        """Do the same as `invoke`."""
        if is_default(self.aparse_result):
            return self.invoke(input, config, **kwargs)
        return await super().ainvoke(input, config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[list[AgentAction] | AgentFinish]:
        """Yield what one message comes to whose chunks come in; see `invoke` for what they are."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) for chunk in input)
            return super().transform(messages, config, **kwargs)
        return map(_all, self._results(input))

    @override
    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[list[AgentAction] | AgentFinish]:
        """Do the same as `transform`."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) async for chunk in input)
            async for result in super().atransform(messages, config, **kwargs):
                yield result
            return
        async for found in self._aresults(input):
            yield _all(found)

    def _is_overridden(self) -> bool:
        own = ToolsAgentOutputParser.parse_result
        return getattr(self.parse_result, "__func__", None) is not own

    def _actions(self, output: Any) -> list[AgentAction] | AgentFinish:
        return _all(self._read_result(output))

    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages; see `format_to_tool_messages`."""
        return format_to_tool_messages(steps)


class OpenAIToolsAgentOutputParser(ToolsAgentOutputParser):
    """The same as `ToolsAgentOutputParser`; LangChain has both."""

    @property
    @override
    def _type(self) -> str:
        return "openai-tools-agent-output-parser"


class OpenAIFunctionsAgentOutputParser(MessageParser, AgentOutputParser):
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

    @override
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Refuse: a function call stands in a message, not in its text, unless read leniently.

        Raises:
            OutputParserException: A call that was left in the text cannot be made.
            ValueError: It is to be read strictly.
        """
        if not self.lenient:
            raise ValueError("Can only parse messages")
        return self._action(text)

    @staticmethod
    def parse_ai_message(message: Any) -> AgentAction | AgentFinish:
        """Return the action, or the answer, in *message*, as the strict parser does.

        Raises:
            OutputParserException: The call cannot be made.
            TypeError: The message is not a model's.
        """
        return _one(result_of(ai_message(message), is_function=True))

    @override
    def parse_result(
        self, result: list[Generation], *, partial: bool = False
    ) -> AgentAction | AgentFinish:
        """Return the action, or the answer, in the message of the first of *result*.

        Args:
            result: What a chat model generated.
            partial: Makes no difference.

        Raises:
            OutputParserException: The call cannot be made: its arguments cannot be read, it has no
                name, or there is no such tool.
            TypeError: The message is not a model's.
            ValueError: There is text without a message, read strictly.
        """
        return self._action(result[0])

    @override
    def invoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AgentAction | AgentFinish:
        """Return the action, or the answer, in a message; see `parse_result` for the errors.

        Args:
            input: A message of any kind that `outputs.from_any` takes, or a generation with one.
            config: Ignored.
            kwargs: Ignored.
        """
        if self._is_overridden():
            return super().invoke(message_in(input, takes_text=self.lenient), config, **kwargs)
        return self._action(input)

    @override
    async def ainvoke(
        self, input: Any, config: RunnableConfig | None = None, **kwargs: Any
    ) -> AgentAction | AgentFinish:
        """Do the same as `invoke`."""
        if is_default(self.aparse_result):
            return self.invoke(input, config, **kwargs)
        return await super().ainvoke(input, config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[AgentAction | AgentFinish]:
        """Yield what one message comes to whose chunks come in; see `invoke` for what they are."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) for chunk in input)
            return super().transform(messages, config, **kwargs)
        return map(_one, self._results(input))

    @override
    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[AgentAction | AgentFinish]:
        """Do the same as `transform`."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) async for chunk in input)
            async for result in super().atransform(messages, config, **kwargs):
                yield result
            return
        async for found in self._aresults(input):
            yield _one(found)

    def _is_overridden(self) -> bool:
        own = OpenAIFunctionsAgentOutputParser.parse_result
        return getattr(self.parse_result, "__func__", None) is not own

    def _action(self, output: Any) -> AgentAction | AgentFinish:
        return _one(self._read_result(output))

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


def _all(result: AgentAction | list[AgentAction] | AgentFinish) -> list[AgentAction] | AgentFinish:
    assert not isinstance(result, AgentAction), "tool calls make a list"
    return result


def _one(result: AgentAction | list[AgentAction] | AgentFinish) -> AgentAction | AgentFinish:
    assert not isinstance(result, list), "a function call makes one action"
    return result
