"""The base class of the parsers that read messages, and the turn they return."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import AsyncIterator, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, Generic, TypeAlias, cast

from typing_extensions import TypeVar, override

from agent_parsers.actions.agent import AgentAction, AgentFinish, T, WithResult
from agent_parsers.actions.in_words import content_beside, turn_lines
from agent_parsers.engine.tables.dialect import PromptWords
from agent_parsers.engine.writing.prompt import check_question, told_type
from agent_parsers.events import Event, Repair, merge_events
from agent_parsers.messages.reading.pieces import message_in, not_text
from agent_parsers.messages.reading.stream import MessageStreamParser
from agent_parsers.messages.reading.whole import result_of
from agent_parsers.messages.writing.native import own_messages
from agent_parsers.messages.writing.past import past_of_steps
from agent_parsers.parsers.event_parser import BaseAgentOutputParser, EventParser, parse_text
from output_parsers.base import is_default
from outputs import HumanMessage, SystemMessage
from outputs.html.viewable import Viewable
from outputs.json_form.storable import Storable

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import EmitCalls
    from agent_parsers.engine.writing.render import Step
    from agent_parsers.messages.writing.past import History
    from output_parsers.runnables.step import RunnableConfig
    from outputs import AIMessage, BaseMessage, Generation
    from outputs.messages.ended import Ended

R = TypeVar("R", default=Any)
"""What a parser returns for one message."""
Result: TypeAlias = "AgentAction | list[AgentAction] | AgentFinish"


@dataclass(frozen=True, slots=True)
class MessageTurn(WithResult[T], Storable, Viewable):
    """Everything read from one message."""

    _view = "agent_parsers.html.turn_pages"

    result: AgentAction | list[AgentAction] | AgentFinish
    """The actions, or the final answer, as `parse_result` returns them."""
    thought: str
    """The reasoning: what the provider sent separately and, in lenient mode, what the content
    begins with between ``<think>`` and ``</think>``."""
    content: str
    """What the user may see beside the calls, without calls that are written in it; or the answer,
    as written. Texts with something between them are joined by line breaks."""
    repairs: tuple[Repair, ...]
    """The repairs; empty if the message needed none."""
    events: tuple[Event, ...]
    """All events of the message; neighbouring deltas are joined."""

    def __str__(self) -> str:
        """Return the thought, the content, the calls or the answer, and the kinds of repairs."""
        repaired = (repair.kind for repair in self.repairs)
        beside = content_beside(self)
        return "\n".join(turn_lines(self.thought, beside, self.result, repaired))


class MessageParser(EventParser, BaseAgentOutputParser[R], Generic[R, T]):
    """Reads one message of a model, whole or as it streams in; the base of the message parsers.

    In a message without calls the content is the answer. In a message with calls it is what the
    user may see beside them. Reasoning that the provider sends separately is the thought. If one
    of the calls cannot be made, the message is an error and none of its calls is returned. A
    refusal raises a `ModelRefusalError`, whatever else the message contains. A repeated key in the
    arguments is an error, since it is ambiguous.

    If the message was cut (``finish_reason`` or its equivalent says so), a call that may be cut is
    not made: its arguments must show their own end. Arguments that are empty, came as data, or are
    plain text show no end; such a call counts only if something follows it. An answer that was cut
    is returned with a `Repair` of the kind ``cut``, in strict mode too. In a stream that does not
    say how it ended, a call without arguments, or with plain text, counts only if something closed
    it or follows it. A finish reason that says that there is a call, without a call, is an error,
    and so is a member of a call that may hold its arguments. With `tools`, what lenient mode
    refuses besides is an error in strict mode too: other calls in the content, in the fields of the
    other kind or raw in ``additional_kwargs``, calls in places that are not read, and arguments
    such as ``false`` or ``[]``.

    Lenient mode also accepts the following, and reports each as a `Repair`:

    * Arguments that are not quite JSON are repaired as by `output_parsers.repair_json`: quotes,
      commas, comments, Python literals, line breaks in strings, a code fence around them.
      Brackets may be missing at the end if the model stopped by itself, or if another call
      follows. If it is unknown how the message ended, one bracket may be missing, provided that
      every parameter of the tool is given and it takes no others. Other text around the arguments
      is an error, since a brace in code or prose is not an argument. A value that is cut in the
      middle is an error too, since half an input is worse than none.
    * Missing or blank arguments are read as ``{}``. Arguments that came as data are used as they
      are, and a JSON string that contains an object is decoded again. Any value other than an
      object is an error, except that a function call may have text as its input.
    * White space, quotes and emphasis around the name of a tool are removed, and so is a namespace
      such as ``functions.``, or any other if the rest is the name of a tool. A name that differs
      from exactly one tool only in case, spaces and punctuation is read as that tool.
    * A message without calls may have them in its content: in the tags ``<tool_call>`` or
      ``<function=…>``, or as JSON, possibly in a code fence, if the content is nothing else and
      names one of the `tools`, so that an answer in JSON remains an answer. A call of this kind
      that is cut or broken is an error. Text inside ``<think>``, or after a single backtick, is
      not a call.
    * A thought that the content begins with, between ``<think>`` and ``</think>`` or the marks of
      another family, is no part of the content, also if only its last mark is there.
    * A call in the content beside calls of the message is an error, unless it is one of them, or
      is cut or broken.
    * A message with only the other kind of calls, such as a function call for a parser of tool
      calls, is an error rather than an answer, and so is a message without any text.

    In lenient mode plain text is accepted too, as the content of a message, and if the content is
    a list of blocks, the answer and the log contain only its text.
    """

    _is_function: ClassVar[bool] = False

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model: none."""
        return []

    def get_format_instructions(self) -> str:
        """Return the instructions for the type of the answer; ``""`` if the answer is text.

        The server of the model tells it how to write calls.
        """
        return told_type(self.tools, PromptWords())

    @abstractmethod
    def format_scratchpad(self, steps: Sequence[Step]) -> list[BaseMessage]:
        """Return the steps taken so far as messages."""

    def render_prompt(
        self,
        question: str | None = None,
        steps: Sequence[Step] = (),
        *,
        system: str = "",
        history: History = (),
        as_messages: bool = True,
    ) -> list[BaseMessage]:
        """Return the prompt for the next turn: the question, and past steps with their calls.

        It does not list the tools: pass them to the model, see `ToolSet.openai_tools`.

        Args:
            question: What the agent is asked; it may be left out if *history* ends in a question or
                in results.
            steps: The steps taken so far, written as by `format_scratchpad`.
            system: Text of a system message at the beginning; empty for no such message.
            history: What was said before the question: a run; or messages of any client, pairs of
                a role and a text, steps, turns, answers and errors of turns.
            as_messages: Must be true; parsers of text accept false as well.

        Raises:
            TypeError: *question* is not a text, or *history* contains something else.
            ValueError: *as_messages* is false.
        """
        if not as_messages:
            raise ValueError(
                "as_messages must be True: a model that calls tools takes messages, not text"
            )
        said = own_messages(history)
        check_question(question, said)
        system = "\n\n".join(filter(None, (system, self.get_format_instructions())))
        head = [SystemMessage(system)] if system else []
        asked = [] if question is None else [HumanMessage(question)]
        taken = own_messages(past_of_steps(steps))
        return [*head, *said, *asked, *taken]

    def read(self, message: Any, *, ended: Ended = "unknown") -> MessageTurn[T]:
        """Read one message and return its result, thought, content, repairs and events.

        Args:
            message: A message of any kind that `outputs.from_any` takes, or a generation with one.
            ended: How the message ended; by default read from its metadata.

        Raises:
            ModelRefusalError: The model refused.
            NotImplementedError: A subclass overrides `parse` or `parse_result`, and not this
                method.
            OutputParserException: A call cannot be made.
            ProviderError: The message reports that the provider failed.
            TypeError: *message* is not a message of a model.
            ValueError: It is text without a message, in strict mode.
        """
        self._check_only_whole("read")
        ours = message_in(message, takes_text=self.lenient)
        parser = self._parser_for(ours)
        events = merge_events([*parser.feed(ours), *parser.close(ended=ended)])
        assert parser.result is not None, "a message that is not refused has a result"
        return MessageTurn(
            result=parser.result,
            thought=parser.thought,
            content=parser.content,
            repairs=tuple(event for event in events if isinstance(event, Repair)),
            events=tuple(events),
        )

    @override
    def stream_parser(self, *, calls: EmitCalls = "all") -> MessageStreamParser:
        """Return a stream parser for one message; see its `feed` and `close`.

        Args:
            calls: ``"all"``: the calls of a message are emitted at its end.

        Raises:
            ValueError: *calls* is ``"each"``, which is only for text.
        """
        self._check_only_whole("stream_parser")
        if calls != "all":
            raise ValueError(
                f"calls={calls!r} is only for text: the calls of a message are emitted at its end"
            )
        return self._parser_for(None)

    # A message is read directly, since wrapping it in a generation takes longer than reading it.
    # Subclasses that override `parse_result` take the slower way.

    @override
    def parse(self, text: str) -> R:
        """Read *text* as the content of a message, in lenient mode only.

        Raises:
            OutputParserException: A call that is written in the text cannot be made.
            ValueError: The parser is strict, and reads messages only.
        """
        if not self.lenient:
            raise not_text("Can only parse messages")
        return self._result_of(text)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> R:
        """Return the actions, or the answer, in the message of the first generation in *result*.

        Args:
            result: The generations of a chat model.
            partial: Ignored.

        Raises:
            ModelRefusalError: The message refuses, or a filter has removed all of it. Do not ask
                again.
            OutputParserException: A call cannot be made: its arguments cannot be read, it has no
                name, or there is no such tool. The other calls are not returned either.
            TypeError: The message is not a message of a model.
            ValueError: The generation has text but no message, in strict mode.
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
        """Return the actions, or the answer, in a message; see `parse_result` for the errors.

        Args:
            input: A message of any kind that `outputs.from_any` takes, or a generation with one.
            config: Ignored.
            ended: How the message ended; by default read from its metadata. ``"length"``: it was
                cut, and a call that may be cut is not made. ``"stop"``: the model stopped by
                itself.
            kwargs: Ignored.
        """
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            return cast("R", theirs.run(partial(MessageParser.invoke, self), input, config))
        if self._overridden == "parse" and isinstance(input, str):
            return cast("R", parse_text(self, input, ended))
        if self._is_overridden():
            message = message_in(input, takes_text=self.lenient)
            return super().invoke(message, config, ended=ended, **kwargs)
        return self._result_of(input, ended)

    @override
    async def ainvoke(self, input: Any, config: RunnableConfig | None = None, **kwargs: Any) -> R:
        """Do the same as `invoke`."""
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            return cast("R", await theirs.arun(partial(MessageParser.ainvoke, self), input, config))
        if is_default(self.aparse_result):
            return self.invoke(input, config, **kwargs)
        return await super().ainvoke(input, config, **kwargs)

    @override
    def transform(
        self, input: Iterator[Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> Iterator[R]:
        """Yield the result of one message, once, after its last chunk; see `invoke` for chunks."""
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            yield from theirs.run_whole(partial(MessageParser.transform, self), input, config)
            return
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) for chunk in input)
            yield from super().transform(messages, config, **kwargs)
            return
        self._check_only_whole("stream_parser", "stream")
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
        if config is not None and (theirs := self._in_langchain(config)) is not None:
            read = partial(MessageParser.atransform, self)
            async for result in theirs.arun_whole(read, input, config):
                yield result
            return
        if self._is_overridden():
            messages = (message_in(chunk, takes_text=self.lenient) async for chunk in input)
            async for result in super().atransform(messages, config, **kwargs):
                yield result
            return
        self._check_only_whole("stream_parser", "stream")
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
            ended=self._known_end(output if isinstance(output, str) else "", ended),
        ))  # fmt: skip

    @abstractmethod
    def _checked(self, result: Result | None) -> R:
        """Return *result* in the type that this parser returns."""

    def _parser_for(self, message: AIMessage | None) -> MessageStreamParser:
        return MessageStreamParser(
            is_function=self._is_function,
            lenient=self.lenient,
            max_chars=self.max_chars,
            tools=self.tools,
            message=message,
        )
