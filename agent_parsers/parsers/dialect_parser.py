"""Parsers for any dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar, TypeAlias

from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish, T
from agent_parsers.parsers.event_parser import AgentOutputParser, MultiActionAgentOutputParser
from agent_parsers.parsers.turn_parser import TurnParser
from output_parsers.base import is_default

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from output_parsers import ModelOutput
    from output_parsers.runnables.step import RunnableConfig
    from outputs.messages.ended import Ended


class DialectParser(TurnParser[T], AgentOutputParser):
    """Reads one turn of a dialect, whole or as it streams in, and writes past turns.

    `get_parser` returns a parser of this class for dialects with one call per turn. The classes
    with LangChain's names are subclasses with a fixed dialect, and strict by default.
    """

    _has_several: ClassVar[bool | None] = False

    @override
    def parse(self, text: str, *, ended: Ended = "unknown") -> AgentAction | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.
            ended: How the text ended: ``"stop"`` if the model stopped by itself or at a stop
                sequence, ``"length"`` if it was cut. It decides what may be missing at the end.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or both, or too
                long. The exception has the span, and an observation for the model.
                `UnknownToolError` and `ToolInputError` are subclasses.
        """
        result = self._read_whole(text, ended)
        assert not isinstance(result, list), "the dialect has one call in a turn"
        return result

    @override
    def invoke(
        self,
        input: ModelOutput,
        config: RunnableConfig | None = None,
        *,
        ended: Ended = "unknown",
        **kwargs: Any,
    ) -> AgentAction | AgentFinish:
        """Read one turn: a text, or the text of a message or a generation.

        Args:
            input: What the model wrote; see `outputs.from_any` for the messages it may be.
            config: Ignored.
            ended: How the text ended; by default read from *input*. See `parse`.
            kwargs: Ignored.

        Raises:
            ModelRefusalError: The message refuses, or a filter has removed all of it. Do not ask
                again.
            OutputParserException: As for `parse`, or the message contains a tool call.
            TypeError: *input* is not a text, a message of a model or a generation.
        """
        if config is None and is_default(self.parse_result):
            result: AgentAction | AgentFinish = self._parse_output(input, ended=ended)
            return result
        return super().invoke(input, config, ended=ended, **kwargs)

    @override
    def _invokes_parse(self) -> bool:
        is_ours = getattr(self.invoke, "__func__", None) is DialectParser.invoke
        return is_ours and is_default(self.parse_result)


class MultiActionDialectParser(TurnParser[T], MultiActionAgentOutputParser):
    """Reads one turn of a dialect whose turns may have several calls, and writes past turns.

    `get_parser` returns a parser of this class for such dialects. The text beside the calls is in
    the `content` that `read` returns, and in the events. A turn without calls is an `AgentFinish`
    with its content.
    """

    _has_several: ClassVar[bool | None] = True

    @override
    def parse(self, text: str, *, ended: Ended = "unknown") -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.
            ended: How the text ended: ``"stop"`` if the model stopped by itself or at a stop
                sequence, ``"length"`` if it was cut. It decides what may be missing at the end.

        Returns:
            A `ToolAgentAction` for each call, in order, or the answer.

        Raises:
            OutputParserException: A call cannot be read or is cut off, or the text is too long;
                the other calls are not returned either. The exception has the span, and an
                observation for the model. `UnknownToolError` and `ToolInputError` are subclasses.
        """
        result = self._read_whole(text, ended)
        assert not isinstance(result, AgentAction), "the dialect may have several calls in a turn"
        return result

    @override
    def invoke(
        self,
        input: ModelOutput,
        config: RunnableConfig | None = None,
        *,
        ended: Ended = "unknown",
        **kwargs: Any,
    ) -> list[AgentAction] | AgentFinish:
        """Read one turn, as `DialectParser.invoke` does."""
        if config is None and is_default(self.parse_result):
            result: list[AgentAction] | AgentFinish = self._parse_output(input, ended=ended)
            return result
        return super().invoke(input, config, ended=ended, **kwargs)

    @override
    def _invokes_parse(self) -> bool:
        is_ours = getattr(self.invoke, "__func__", None) is MultiActionDialectParser.invoke
        return is_ours and is_default(self.parse_result)


AnyDialectParser: TypeAlias = DialectParser[T] | MultiActionDialectParser[T]
"""What `get_parser` returns for a dialect."""


def dialect_parser(dialect: Dialect, **options: Any) -> AnyDialectParser:
    """Return a parser for *dialect*, with *options* as its other fields."""
    kind = MultiActionDialectParser if dialect.several else DialectParser
    return kind(dialect=dialect, **options)


class NamedParser(DialectParser[Any]):
    """A parser with the name of one of LangChain's.

    In strict mode and without tools it reads like that one, for which each text is a whole reply:
    unless it is known how a text ended, the model stopped by itself. It then also reads a message
    that a model did not write.
    """

    @override
    def _end_of(self, ended: Ended) -> Ended:
        return "stop" if self._reads_as_langchain and ended == "unknown" else ended

    @override
    def _check_role(self, output: ModelOutput) -> None:
        if not self._reads_as_langchain:  # which reads a message of anybody
            super()._check_role(output)

    @property
    def _reads_as_langchain(self) -> bool:
        return not self.lenient and self.tools is None


class InstructedParser(NamedParser):
    """A parser with format instructions that the user may replace."""

    _is_langchain = True

    format_instructions: str | None = None
    """Replaces the format instructions of the dialect."""

    @override
    def get_format_instructions(self) -> str:
        """Return `format_instructions`, or the instructions of the dialect if it is `None`."""
        return self.format_instructions or super().get_format_instructions()
