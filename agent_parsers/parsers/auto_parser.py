"""The base of the parser that finds the dialect of each turn."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Generic, NoReturn

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish, T, TurnResult
from agent_parsers.engine.reading.message_text import MessageText, text_and_end
from agent_parsers.engine.reading.turn import Turn
from agent_parsers.engine.tables.modes import check_ended
from agent_parsers.events import Event, merge_events
from agent_parsers.parsers.beside_text import ReasoningBeside, with_reasoning
from agent_parsers.parsers.event_parser import (
    EventParser,
    MultiActionAgentOutputParser,
    parse_text,
)
from output_parsers import OutputParserException
from output_parsers.model_output import announced_in, check_of_model, part_of
from outputs import AIMessageChunk

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import EmitCalls
    from agent_parsers.explain.explanation import Explanation
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.parsers.message_parser import MessageTurn
    from output_parsers import ModelOutput
    from output_parsers.runnables.step import RunnableConfig
    from outputs.messages.ended import Ended

TOOLS: Final = "tools"
"""What reads messages with tool calls, by the name that `AutoTurn.dialect` has for it."""


@dataclass(frozen=True, slots=True)
class AutoTurn(Turn[T]):
    """Everything that was read in one turn, and in which dialect."""

    dialect: str
    """The dialect in which the turn was read; ``"tools"`` for the tool calls of a message, and
    empty if the text has no sign of a dialect, so that all of it is the answer."""


class AutoParser(EventParser, MultiActionAgentOutputParser, Generic[T]):
    """Reads each turn in the dialect that `detect` finds in it.

    ::

        parser = get_parser("auto", tools=[search])
        turn = parser.read('<tool_call>{"name": "search", "arguments": {}}</tool_call>')
        turn.dialect   # "hermes"

    It remembers nothing between turns: once you know what the model writes, name the dialect, which
    is quicker and safer. A text that two dialects may have written, and read differently, is an
    error that names both. A text without a sign of a dialect is the answer, as in the dialects of
    open models; but one with labels of steps and no action is an error. A message with tool calls
    is read by ``get_parser("tools")``.

    What a text is written in is certain only at its end, so a stream is held back until then: all
    events come with `close`, and are those of the dialect. Pass the `tools`: a reply that calls
    another tool is then an error.
    """

    _type_name = "auto"

    def parse(self, text: str, *, ended: Ended = "unknown") -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.
            ended: How the text ended; see `DialectParser.parse`.

        Returns:
            A list of the actions, also in dialects with one action in a turn, or the answer.

        Raises:
            OutputParserException: The dialect cannot read the turn, or the text may be in two
                dialects that read it differently; the message names both.
        """
        ended = self._known_end(text, ended)
        return _as_list(self._parser_for(text)[0].parse(text, ended=ended))

    @override
    def invoke(
        self,
        input: ModelOutput,
        config: RunnableConfig | None = None,
        *,
        ended: Ended = "unknown",
        **kwargs: Any,
    ) -> list[AgentAction] | AgentFinish:
        """Read one turn: a text, or a message or a generation with text or tool calls.

        The arguments and the errors are those of `DialectParser.invoke`.

        Raises:
            OutputParserException: As for `parse`, or a tool call cannot be made.
        """
        return super().invoke(input, config, ended=ended, **kwargs)

    def _parse_output(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> list[AgentAction] | AgentFinish:
        found = self._text_and_end(output, ended)
        if found is None:
            called: list[AgentAction] = self._tools_parser().invoke(output, ended=ended)
            return called
        text, ended = found
        result: list[AgentAction] | AgentFinish = parse_text(self, text, ended)
        if isinstance(result, AgentFinish) and announced_in(output, part_of(output)):
            self._parser_for(text)[0]._check_called(output, result)
        return result

    def read(self, output: ModelOutput, *, ended: Ended = "unknown") -> AutoTurn[T]:
        """Read one turn and return its dialect, result, thought, content, repairs and events.

        Args:
            output: What the model wrote: a text, or a message of any kind that `outputs.from_any`
                takes.
            ended: How it ended; by default read from *output*.

        Raises:
            NotImplementedError: A subclass overrides `parse`, and not this method.
            OutputParserException: As for `invoke`.
        """
        self._check_only_whole("read")
        found = self._text_and_end(output, ended)
        turn: Turn | MessageTurn
        if found is None:
            turn, name = self._tools_parser().read(output, ended=ended), TOOLS
        else:
            text, ended = found
            parser, name = self._parser_for(text)
            turn = with_reasoning(parser.read(text, ended=ended), output)
            parser._check_called(output, turn.result)
        return AutoTurn(
            result=_as_list(turn.result),
            thought=turn.thought,
            content=turn.content,
            repairs=turn.repairs,
            events=turn.events,
            dialect=name,
        )

    def explain(self, output: ModelOutput, *, ended: Ended = "unknown") -> Explanation:
        """Explain why a turn is read as it is, in the dialect that it is written in.

        `Explanation.dialect` says which. If the text may be in two dialects, it is explained in the
        likelier one, and the error names both.

        Args:
            output: What the model wrote: a text, or a message or a generation with one.
            ended: How the text ended; by default read from *output*. See `parse`.

        Raises:
            TypeError: *output* is of another type, or a message that no model wrote.
        """
        self._check_only_whole("explain")
        text: Any = output
        failed: OutputParserException | None = None
        if not isinstance(text, str):
            check_of_model(output)
            try:
                text, said = text_and_end(output)
                ended = said if ended == "unknown" else ended
            except OutputParserException as error:
                text, failed = error.llm_output or "", error
        parser, _, doubt = self._find_parser(text)
        explanation = parser.explain(text if failed else output, ended=ended)
        if (wrong := failed or doubt) is None:
            return explanation
        return replace(explanation, result=None, error=wrong)

    @override
    def stream_parser(self, *, calls: EmitCalls = "all") -> AutoStreamParser:
        """Return a stream parser for one turn, which returns all events at its end.

        Args:
            calls: ``"all"``: the calls of a turn are emitted at its end.

        Raises:
            ValueError: *calls* is ``"each"``.
        """
        self._check_only_whole("stream_parser")
        if calls != "all":
            raise ValueError(
                f"calls={calls!r} needs a named dialect: the dialect of a turn is certain only"
                " at its end"
            )
        return AutoStreamParser(self)

    def _text_and_end(self, output: ModelOutput, ended: Ended) -> tuple[str, Ended] | None:
        """Return the text of *output* and how it ended; `None` for a message with tool calls."""
        check_ended(ended)
        check_of_model(output)
        try:
            text, said = text_and_end(output)
        except OutputParserException as error:
            if error.problem == "tool_calls":
                return None
            raise
        return text, said if ended == "unknown" else ended

    def _parser_for(self, text: str) -> tuple[AnyDialectParser, str]:
        """Return the parser that reads *text*, and the name of its dialect; see `AutoTurn`.

        Raises:
            OutputParserException: It may be in two dialects, or has labels of steps but no action.
        """
        parser, name, error = self._find_parser(text)
        if error is not None:
            raise error
        return parser, name

    @abstractmethod
    def _find_parser(self, text: str) -> tuple[AnyDialectParser, str, OutputParserException | None]:
        """Return the parser that fits *text* best, its dialect, and why that is not certain."""

    @abstractmethod
    def _tools_parser(self) -> Any:
        """Return the parser of messages with tool calls."""

    # -- what takes the name of a dialect ---------------------------------------------------------

    @property
    def stop(self) -> NoReturn:
        """Raise a `ValueError`: each dialect has stop sequences of its own."""
        _name_it("stop sequences")

    @override
    def get_format_instructions(self) -> NoReturn:
        """Raise a `ValueError`: each dialect has instructions of its own."""
        _name_it("format instructions")

    def explain_chunks(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: the dialect of a stream is certain only at its end."""
        self._check_only_whole("explain_chunks")
        _name_it("way to explain chunks")

    def render(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: each dialect writes steps in its own way."""
        _name_it("way to write steps")

    def format_scratchpad(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: each dialect writes steps in its own way."""
        _name_it("way to write steps")

    def render_prompt(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: each dialect has a prompt of its own."""
        _name_it("prompt")

    def grammar(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: each dialect has a grammar of its own."""
        _name_it("grammar")

    def structured_outputs(self, *_args: Any, **_kwargs: Any) -> NoReturn:
        """Raise a `ValueError`: each dialect has a grammar of its own."""
        _name_it("grammar")


class AutoStreamParser:
    """Takes the chunks of one turn, and returns its events once it has ended."""

    is_over: Final = False
    """A text may go on as long as its dialect is not known."""

    def __init__(self, parser: AutoParser) -> None:
        self._parser = parser
        self._message = MessageText()
        self._beside = ReasoningBeside()
        self._reasoning: list[Event] = []
        self._texts: list[str] = []
        self._chars = 0
        self._chunks: list[ModelOutput] = []
        self._closed = False
        self.last_events: list[Event] = []
        """What `close` returned, or would have returned but for the error."""
        self.result: list[AgentAction] | AgentFinish | None = None
        """The actions or the answer, once the turn has ended."""
        self.dialect = ""
        """What the turn was read in; see `AutoTurn`."""
        self.thought: str | None = None
        """The thought, once the turn has ended and its parser tells it."""
        self.content: str | None = None
        """The content, likewise."""

    @property
    def ended(self) -> Ended:
        """How the turn ended, if its message says so."""
        return self._message.ended

    @property
    def text(self) -> str:
        """The text so far."""
        return "".join(self._texts)

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return no events; `close` returns them.

        Raises:
            RuntimeError: `close` was called before.
            TypeError: The chunk is neither text nor a message.
        """
        if self._closed:
            raise RuntimeError("this turn has ended: make a new stream parser for the next one")
        events, rest = self._beside.take(chunk, lambda: "".join(self._texts))
        text = self._message.take(rest)
        self._reasoning += events
        if self._chars <= self._parser.max_chars:  # more is refused at the end
            self._texts.append(text)
            self._chunks.append(chunk)
            self._chars += len(text)
        return []

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the turn and return its events.

        Args:
            ended: How it ended; by default, as the message says.

        Raises:
            OutputParserException: As for `AutoParser.invoke`; `last_events` has the events.
            RuntimeError: `close` was called before.
        """
        if self._closed:
            raise RuntimeError("this turn has ended: make a new stream parser for the next one")
        self._closed = True
        text = "".join(self._texts)
        error = self._message.error(text) or self._beside.error(text)
        if error is not None and error.problem != "tool_calls":
            raise error
        stream: Any
        chunks: Sequence[ModelOutput]
        if error is None:
            ended = self.ended if ended == "unknown" else ended
            parser, self.dialect = self._parser._parser_for(text)
            stream, chunks = parser.stream_parser(), (text,)
            if reason := self._message.announced:
                chunks = (AIMessageChunk(text, response_metadata={"finish_reason": reason}),)
        else:
            self.dialect = TOOLS
            stream, chunks = self._parser._tools_parser().stream_parser(), self._chunks
        events = self._reasoning if error is None else []
        try:
            for chunk in chunks:
                events += stream.feed(chunk)
            events += stream.close(ended=ended)
        except OutputParserException:
            self.last_events = merge_events([*events, *stream.last_events])
            raise
        self.result = _as_list(stream.result)
        thought: str | None = stream.thought
        is_whole = error is not None or thought is None
        self.thought = thought if is_whole else self._beside.and_own(thought or "")
        self.content = stream.content
        self.last_events = merge_events(events)
        return self.last_events


def _as_list(result: TurnResult) -> list[AgentAction] | AgentFinish:
    return [result] if isinstance(result, AgentAction) else result


def _name_it(what: str) -> NoReturn:
    raise ValueError(
        f'"auto" has no {what}, since each dialect has its own: name a dialect, as in'
        ' get_parser("hermes"); list_dialects() returns the names'
    )
