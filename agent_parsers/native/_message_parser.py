"""What the parsers of messages have in common."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent_parsers._agent import AgentFinish
from agent_parsers.engine import (
    MAX_CHARS,
    AnswerDelta,
    Event,
    Repair,
    ThoughtDelta,
    merge_events,
)
from agent_parsers.engine._known import known_tools
from agent_parsers.native._scratchpad import past_messages
from agent_parsers.native._stream import MessageStreamParser, message_in
from agent_parsers.native._whole import result_of
from output_parsers import OutputParserException
from output_parsers._transform import aread, read
from outputs import HumanMessage, SystemMessage

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence

    from agent_parsers._agent import AgentAction
    from agent_parsers.engine._render import Step
    from agent_parsers.tools import ToolSet
    from outputs import AIMessage, BaseMessage

__all__ = ["MessageParser", "MessageTurn"]


@dataclass(frozen=True, slots=True)
class MessageTurn:
    """All that was read in one message."""

    result: AgentAction | list[AgentAction] | AgentFinish
    """What parsing returns."""
    thought: str
    """The content of a message that has calls, without those left in it; else empty."""
    repairs: tuple[Repair, ...]
    """What was mended; empty for a message as it should be."""
    events: tuple[Event, ...]
    """The whole story; neighbouring deltas are joined."""


class MessageParser(BaseModel):
    """Reads one message of a model, whole or while it comes in; see the classes of this kind.

    In a message without calls the content is the answer, in one with calls it is a thought. A
    message whose calls cannot all be made is an error, in which nothing is called.

    Lenient reading also reads this, and reports each as a `Repair`:

    * Arguments that JSON does not quite allow are mended as `output_parsers.repair_json` does it:
      missing brackets at the end, quotes, commas, comments, the words of Python, line breaks in
      strings, a code fence around. Other text around them is an error, since a brace in code or in
      prose is no argument; and so is a value that is cut in the middle, since half an input is
      worse than none. A key that comes twice has two readings, which is an error too; strictly the
      last counts, as in LangChain.
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

    The answer in content that is a list of blocks is then its text.
    """

    model_config = ConfigDict(validate_assignment=True, defer_build=True)

    _is_function: ClassVar[bool] = False

    lenient: bool = False
    """Whether what models really write is mended, or only what LangChain reads is read."""
    tools: Any = Field(default=None, exclude=True)
    """The tools there are, in any form of `agent_parsers.tools.Tools`; kept as a `ToolSet`, and one
    that is given, with its policies, as it is. A call of another is an error, and so are arguments
    that the tool does not take; those that it takes have the types that the schema says. `None`:
    any name will do, and any arguments."""
    max_chars: int = Field(default=MAX_CHARS, ge=0)
    """Longest message that is read: content, names, and arguments that came as text."""

    @field_validator("tools", mode="plain")
    @classmethod
    def _read_tools(cls, tools: Any) -> ToolSet | None:
        return known_tools(tools)

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """Names of the tools, if any were given."""
        tools: ToolSet | None = self.tools
        return None if tools is None else tools.names

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

    def read(self, message: Any) -> MessageTurn:
        """Read one message and return all that is to know of it.

        Args:
            message: A message of any kind that `outputs.from_any` takes, or a generation with one.

        Raises:
            OutputParserException: A call cannot be made.
            TypeError: It is no message of a model.
            ValueError: It is text without a message.
        """
        parser = self._parser_for(ours := message_in(message))
        events = merge_events([*parser.feed(ours), *parser.close()])
        assert parser.result is not None, "a message that is not refused has a result"
        return MessageTurn(
            result=parser.result,
            thought=_thought_of(events, parser.result),
            repairs=tuple(event for event in events if isinstance(event, Repair)),
            events=tuple(events),
        )

    def stream_parser(self) -> MessageStreamParser:
        """Return what reads one message as it comes in, by `feed` and `close`."""
        return self._parser_for(None)

    def events(self, chunks: Iterable[Any]) -> Iterator[Event]:
        """Yield the events of one message that comes in chunks.

        Raises:
            OutputParserException: What `read` raises, after the last event.
        """
        return read(_Reader(self.stream_parser()), iter(chunks))

    def aevents(self, chunks: AsyncIterable[Any]) -> AsyncIterator[Event]:
        """Do the same as `events` for chunks that have to be waited for."""
        return aread(_Reader(self.stream_parser()), aiter(chunks))

    def _read_result(self, output: Any) -> AgentAction | list[AgentAction] | AgentFinish:
        return result_of(
            message_in(output),
            is_function=self._is_function,
            lenient=self.lenient,
            max_chars=self.max_chars,
            tools=self.tools,
        )

    def _parser_for(self, message: AIMessage | None) -> MessageStreamParser:
        return MessageStreamParser(
            is_function=self._is_function,
            lenient=self.lenient,
            max_chars=self.max_chars,
            tools=self.tools,
            message=message,
        )


def _thought_of(
    events: Iterable[Event], result: AgentAction | list[AgentAction] | AgentFinish
) -> str:
    if isinstance(result, AgentFinish):
        return ""
    return "".join(e.text for e in events if isinstance(e, AnswerDelta | ThoughtDelta))


class _Reader:
    """A stream parser that tells its last events before it fails."""

    def __init__(self, parser: MessageStreamParser) -> None:
        self._parser = parser

    def feed(self, chunk: Any, /) -> list[Event]:
        return self._parser.feed(chunk)

    def close(self) -> Iterator[Event]:
        try:
            yield from self._parser.close()
        except OutputParserException:
            yield from self._parser.last_events
            raise
