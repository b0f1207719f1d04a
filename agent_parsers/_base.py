"""Parsers of agent turns: the base classes, and the one that reads any dialect."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Literal, overload

from pydantic import ConfigDict, Field, field_validator
from typing_extensions import override

from agent_parsers._agent import AgentAction, AgentFinish
from agent_parsers.engine import MAX_CHARS, Both, Dialect, machine
from agent_parsers.engine._known import known_tools
from output_parsers import BaseOutputParser, ModelOutput, OutputParserException
from output_parsers._model_output import text_of
from output_parsers._transform import aread, read

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, AsyncIterator, Iterable, Iterator, Sequence

    from agent_parsers._explain import Explanation
    from agent_parsers.engine import Event, Mode, Step, StreamParser, Turn
    from agent_parsers.tools import ToolSet
    from outputs import BaseMessage

__all__ = ["AgentOutputParser", "DialectParser", "MultiActionAgentOutputParser"]


class AgentOutputParser(BaseOutputParser[AgentAction | AgentFinish]):
    """A parser whose text is one action or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither an action nor an answer.
        """


class MultiActionAgentOutputParser(BaseOutputParser[list[AgentAction] | AgentFinish]):
    """A parser whose text is one or several actions, or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither actions nor an answer.
        """


class DialectParser(AgentOutputParser):
    """Reads one turn of a dialect, whole or while it comes in, and writes past turns as it does.

    `get_parser` makes these. The classes with LangChain's names are these too, with their dialect
    set and strict by default.
    """

    model_config = ConfigDict(validate_assignment=True)

    dialect: Dialect = Field(exclude=True)
    """How turns are written."""
    lenient: bool = False
    """Whether what models really write is mended, or only what the dialect says is read."""
    tools: Any = Field(default=None, exclude=True)
    """The tools there are, in any form of `agent_parsers.tools.Tools`; kept as a `ToolSet`, and one
    that is given, with its policies, as it is. A turn that names another tool is an error, and so
    is an input that the tool does not take; one that it takes has the types that the schema says.
    `None`: any name will do, and any input."""
    max_chars: int = Field(default=MAX_CHARS, ge=0)
    """Longest turn that is read, in characters."""
    both: Both = "error"
    """What counts in a lenient turn that has an action and an answer: the ``"first"``, the
    ``"action"``, the ``"answer"``, or none. Strict reading follows LangChain."""

    @field_validator("tools", mode="plain")
    @classmethod
    def _read_tools(cls, tools: Any) -> ToolSet | None:
        return known_tools(tools)

    @property
    def mode(self) -> Mode:
        """How turns are read."""
        return "lenient" if self.lenient else "strict"

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """Names of the tools, if any were given."""
        tools: ToolSet | None = self.tools
        return None if tools is None else tools.names

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model."""
        return list(self.dialect.stop)

    @override
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or both, or too
                long. It says where, and what to tell the model. `UnknownToolError` and
                `ToolInputError` are such errors.
        """
        return machine(self.dialect, "lenient" if self.lenient else "strict", self.both).parse(
            text, self.max_chars, self.tools
        )

    def read(self, text: str) -> Turn:
        """Read one turn and return all that is to know of it.

        Raises:
            OutputParserException: As `parse` does.
        """
        from agent_parsers.engine._turn import read_turn

        return read_turn(self.stream_parser(), text)

    def explain(self, text: str) -> Explanation:
        """Say why a turn parses as it does: spans, repairs, what did not count; it never raises."""
        from agent_parsers._explain import explain  # only who asks why needs it

        return explain(self.dialect, self.mode, text, self.tools, self.max_chars, both=self.both)

    def stream_parser(self) -> StreamParser:
        """Return what reads one turn as it comes in, by `feed` and `close`."""
        from agent_parsers.engine._stream import StreamParser

        return StreamParser(
            self.dialect,
            mode=self.mode,
            max_chars=self.max_chars,
            tools=self.tools,
            both=self.both,
        )

    def events(self, chunks: Iterable[ModelOutput]) -> Iterator[Event]:
        """Yield the events of one turn whose text or message chunks come in one by one.

        Raises:
            OutputParserException: What `parse` raises, after the last event.
        """
        return read(_Reader(self.stream_parser()), iter(chunks))

    def aevents(self, chunks: AsyncIterable[ModelOutput]) -> AsyncIterator[Event]:
        """Do the same as `events` for chunks that have to be waited for."""
        return aread(_Reader(self.stream_parser()), aiter(chunks))

    def render(
        self, step: AgentAction | AgentFinish | Step, *, thought: str = "", number: int = 1
    ) -> str:
        """Write a step as this dialect does, so that reading it gives the same thought and action.

        An input that the schema of a tool gives types is written as the dialect can say it: as an
        object, as the text of the only parameter, or as an object in JSON. It is read back as the
        tool takes it.

        Args:
            step: An action, an answer, or an action with what the tool returned. What would be read
                as a marker in that gets a backslash, which reading takes off. The action's own
                ``log`` is not used: it may be in another dialect.
            thought: What the model thought before.
            number: Number of the step, for dialects that count.

        Raises:
            ValueError: The dialect cannot say this, such as an input that holds a label, or the
                tool does not take the input.
        """
        from agent_parsers.engine._render import render

        return render(self.dialect, step, thought=thought, number=number, tools=self.tools)

    def format_scratchpad(self, steps: Sequence[Step]) -> str:
        """Write the steps taken so far, as the next prompt continues them.

        The model's own text (``log``) is used as it is; an action without one is rendered.
        """
        from agent_parsers.engine._render import render_scratchpad

        return render_scratchpad(self.dialect, steps, self.tools)

    @overload
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        as_messages: Literal[False] = ...,
    ) -> str: ...
    @overload
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        as_messages: Literal[True],
    ) -> list[BaseMessage]: ...
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = (),
        *,
        system: str = "",
        as_messages: bool = False,
    ) -> str | list[BaseMessage]:
        """Return the whole prompt for the next turn: the instructions, the question, past steps.

        Args:
            question: What the agent is asked; it is put in as it is.
            steps: What it has done so far, written as `format_scratchpad` does. The text ends in
                what invites the next turn.
            system: What stands before the instructions.
            as_messages: Whether to return messages for a chat model: the instructions, the
                question, and for each step what the model wrote and what the tool returned.
        """
        from agent_parsers.engine._prompt import render_prompt

        told = self.get_format_instructions()
        return render_prompt(
            self.dialect, told, question, self.tools, steps, system=system, as_messages=as_messages
        )

    @override
    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its turns, and about the tools.

        A parser that was given no tools leaves ``{tools}`` and ``{tool_names}`` for you to fill in.
        """
        return self.dialect.instructions(self.tools)

    @property
    @override
    def _type(self) -> str:
        return self.dialect.name


class InstructedParser(DialectParser):
    """A parser whose user may choose what the model is told."""

    format_instructions: str | None = None
    """What to tell the model, if not the dialect's own words."""

    @override
    def get_format_instructions(self) -> str:
        """Return `format_instructions`, or what the dialect tells the model."""
        return self.format_instructions or super().get_format_instructions()


class _Reader:
    """A stream parser that takes messages as well, and tells its last events before it fails."""

    def __init__(self, parser: StreamParser) -> None:
        self._parser = parser

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        return self._parser.feed(chunk if isinstance(chunk, str) else text_of(chunk))

    def close(self) -> Iterator[Event]:
        try:
            yield from self._parser.close()
        except OutputParserException:
            yield from self._parser.last_events
            raise
