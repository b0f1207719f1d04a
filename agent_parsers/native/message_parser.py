"""What the parsers of messages have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias

from typing_extensions import TypeVar, override

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.events import AnswerDelta, Event, Repair, ThoughtDelta, merge_events
from agent_parsers.native.reading.pieces import message_in
from agent_parsers.native.reading.stream import MessageStreamParser
from agent_parsers.native.reading.whole import result_of
from agent_parsers.native.writing.scratchpad import past_messages
from agent_parsers.parsers.event_parser import EventParser
from output_parsers.base import BaseOutputParser, is_default
from outputs import HumanMessage, SystemMessage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterable, Iterator, Sequence

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.writing.render import Step
    from output_parsers.runnables.batching import RunnableConfig
    from outputs import AIMessage, BaseMessage, Generation
    from outputs.messages.ended import Ended

__all__ = ["MessageParser", "MessageTurn"]

R = TypeVar("R", default=Any)
"""What one message comes to for a parser."""
Result: TypeAlias = "AgentAction | list[AgentAction] | AgentFinish"


@dataclass(frozen=True, slots=True)
class MessageTurn:
    """All that was read in one message."""

    result: AgentAction | list[AgentAction] | AgentFinish
    """What parsing returns."""
    thought: str
    """The reasoning, and the content of a message that has calls, without those left in it."""
    repairs: tuple[Repair, ...]
    """What was mended; empty for a message as it should be."""
    events: tuple[Event, ...]
    """The whole story; neighbouring deltas are joined."""


class MessageParser(EventParser, BaseOutputParser[R], Generic[R]):
    """Reads one message of a model, whole or while it comes in; see the classes of this kind.

    In a message without calls the content is the answer, in one with calls it is a thought; so is
    what a provider tells apart as reasoning. A message whose calls cannot all be made is an error,
    in which nothing is called, and so is one that refuses, whatever else it says: a
    `ModelRefusalError`. A key that comes twice in arguments has two readings, which is an error.

    Of a message that was cut (``finish_reason`` and its kin say so) no call is made that may be
    cut: its arguments must have their own end. Those that are empty, came as data or are one text
    have none to be seen, and count if something follows the call. An answer that was cut is
    returned with a `Repair` of the kind ``cut``, strictly too.

    Lenient reading also reads this, and reports each as a `Repair`:

    * Arguments that JSON does not quite allow are mended as `output_parsers.repair_json` does it:
      quotes, commas, comments, the words of Python, line breaks in strings, a code fence around.
      Brackets may be missing at the end if the model stopped by itself, or if the next call shows
      that it went on. If nobody knows, one may be, and only if every parameter of the tool is given
      and it takes no others. Other text around them is an error, since a brace in code or in
      prose is no argument; and so is a value that is cut in the middle, since half an input is
      worse than none.
    * Missing or blank arguments are ``{}``. Arguments that came as data are taken as they are, and
      those that are a JSON string with an object inside are decoded again. No other value but an
      object is an input, except that the text of a function call is.
    * White space, quotes and emphasis around the name of a tool are dropped, and so is a namespace
      such as ``functions.``, or any other if what follows it is one of the tools. A name that
      differs from exactly one of them in nothing but case, spaces and marks is that one.
    * A message without calls may have them in its content: in the tags ``<tool_call>`` or
      ``<function=…>``, or as JSON, perhaps in a code fence, if that is all there is and it names
      one of the `tools`, so that an answer in JSON stays one. A call that begins so and is cut or
      broken is an error. What stands inside ``<think>``, or behind one backtick, is no call.
    * A message that has calls only of the kind that the parser does not read, such as a function
      call for a parser of tool calls, is an error and no answer, and so is one without any text.

    Text is then the content of a message, and of content that is a list of blocks the text is the
    answer, or stands in the log.
    """

    _is_function: ClassVar[bool] = False

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model: none."""
        return []

    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its calls: nothing, its server does."""
        return ""

    @abstractmethod
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages."""

    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = (),
        *,
        system: str = "",
        as_messages: bool = True,
    ) -> list[BaseMessage]:
        """Return the prompt for the next turn: the question, and past steps with their calls.

        The tools are not in it: they are passed to the model, see `ToolSet.openai_tools`.

        Args:
            question: What the agent is asked.
            steps: What it has done so far, written as `format_scratchpad` does.
            system: What a system message says before; without it there is none.
            as_messages: There for parsers of text, which have prompts of text too.

        Raises:
            ValueError: *as_messages* is false.
        """
        if not as_messages:
            raise ValueError("a model that calls tools takes messages, not a prompt of text")
        head: list[BaseMessage] = [SystemMessage(system)] if system else []
        past = past_messages(steps, self.format_scratchpad)
        return [*head, HumanMessage(question), *past]

    def read(self, message: Any, *, ended: Ended = "unknown") -> MessageTurn:
        """Read one message and return all that is to know of it.

        Args:
            message: A message of any kind that `outputs.from_any` takes, or a generation with one.
            ended: How it ended; by default as it says.

        Raises:
            ModelRefusalError: The model refused.
            OutputParserException: A call cannot be made.
            ProviderError: It says that the provider failed.
            TypeError: It is no message of a model.
            ValueError: It is text without a message, read strictly.
        """
        ours = message_in(message, takes_text=self.lenient)
        parser = self._parser_for(ours)
        events = merge_events([*parser.feed(ours), *parser.close(ended=ended)])
        result = _known(parser.result)
        return MessageTurn(
            result=result,
            thought=_thought_of(events, result),
            repairs=tuple(event for event in events if isinstance(event, Repair)),
            events=tuple(events),
        )

    @override
    def stream_parser(self) -> MessageStreamParser:
        """Return what reads one message as it comes in, by `feed` and `close`."""
        return self._parser_for(None)

    # A message is read as it is. To make a generation of it takes longer than that. Who overrides
    # how one is read goes the long way.

    @override
    def parse(self, text: str) -> R:
        """Refuse: calls stand in a message, not in its text, unless read leniently.

        Raises:
            OutputParserException: A call that was left in the text cannot be made.
            ValueError: It is to be read strictly.
        """
        if not self.lenient:
            raise ValueError("Can only parse messages")
        return self._result_of(text)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> R:
        """Return what the message of the first of *result* comes to.

        Args:
            result: What a chat model generated.
            partial: Makes no difference.

        Raises:
            ModelRefusalError: The message refuses, or a filter has left nothing of it. Do not ask
                again.
            OutputParserException: A call cannot be made: its arguments cannot be read, it has no
                name, or there is no such tool. Nothing is returned of the other calls.
            TypeError: The message is not a model's.
            ValueError: There is text without a message, read strictly.
        """
        return self._result_of(result[0])

    @override
    def invoke(
        self,
        input: Any,
        config: RunnableConfig | None = None,
        *,
        ended: Ended = "unknown",
        **kwargs: Any,
    ) -> R:
        """Return what a message comes to; see `parse_result` for the errors.

        Args:
            input: A message of any kind that `outputs.from_any` takes, or a generation with one.
            config: Ignored.
            ended: How the message ended; by default as it says. ``"length"``: it was cut, and a
                call that may be cut is not made. ``"stop"``: the model stopped by itself.
            kwargs: Ignored.
        """
        if self._is_overridden():
            return super().invoke(message_in(input, takes_text=self.lenient), config, **kwargs)
        return self._result_of(input, ended)

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> R:
        """Do the same as `invoke`."""
        if is_default(self.aparse_result):
            return self.invoke(input, config, **kwargs)
        return await super().ainvoke(input, config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[R]:
        """Yield what one message comes to whose chunks come in; see `invoke` for what they are."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) for chunk in input)
            yield from super().transform(messages, config, **kwargs)
            return
        parser = self.stream_parser()
        is_empty = True
        for chunk in input:
            parser.feed(chunk)
            is_empty = False
        if not is_empty:
            parser.close()
            yield self._checked(parser.result)

    @override
    async def atransform(
        self, input: AsyncIterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> AsyncIterator[R]:
        """Do the same as `transform`."""
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) async for chunk in input)
            async for result in super().atransform(messages, config, **kwargs):
                yield result
            return
        parser = self.stream_parser()
        is_empty = True
        async for chunk in input:
            parser.feed(chunk)
            is_empty = False
        if not is_empty:
            parser.close()
            yield self._checked(parser.result)

    def _is_overridden(self) -> bool:
        return getattr(self.parse_result, "__func__", None) is not MessageParser.parse_result

    def _result_of(self, output: Any, ended: Ended = "unknown") -> R:
        return self._checked(result_of(
            message_in(output, takes_text=self.lenient),
            is_function=self._is_function,
            lenient=self.lenient,
            max_chars=self.max_chars,
            tools=self.tools,
            ended=ended,
        ))  # fmt: skip

    @abstractmethod
    def _checked(self, result: Result | None) -> R:
        """Return *result*, which is what this parser returns."""

    def _parser_for(self, message: AIMessage | None) -> MessageStreamParser:
        return MessageStreamParser(
            is_function=self._is_function,
            lenient=self.lenient,
            max_chars=self.max_chars,
            tools=self.tools,
            message=message,
        )


def _known(result: Result | None) -> Result:
    assert result is not None, "a message that is not refused has a result"
    return result


def _thought_of(events: Iterable[Event], result: Result) -> str:
    kinds = ThoughtDelta if isinstance(result, AgentFinish) else AnswerDelta | ThoughtDelta
    return "".join(event.text for event in events if isinstance(event, kinds))
