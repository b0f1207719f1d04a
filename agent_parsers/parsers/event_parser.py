"""The base classes of parsers of agent turns, in text or in messages, whole or in chunks."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import (
    AsyncGenerator,
    AsyncIterable,
    AsyncIterator,
    Callable,
    Generator,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import suppress
from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Final, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, field_validator
from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.tables.modes import MAX_CHARS, EmitCalls, check_ended
from output_parsers import BaseOutputParser, OutputParserException
from output_parsers.model_output import check_of_model, known_end, reading
from output_parsers.printable import kind_of
from output_parsers.runnables.langchain import is_langchains, needs_langchain
from output_parsers.streams.readers import aclose, aread, close, read
from output_parsers.types.models import CheckedModel

if TYPE_CHECKING:
    from agent_parsers.events import Event
    from agent_parsers.parsers.langchain.parser import LangChainParser
    from agent_parsers.toolset import ToolSet
    from output_parsers import ModelOutput, RunnableConfig
    from output_parsers.runnables.langchain_parser import LangChainOutputParser
    from outputs.messages.ended import Ended

R = TypeVar("R")


class BaseAgentOutputParser(BaseOutputParser[R]):
    """A parser of the turns of an agent.

    A message is read if a model wrote it; that of a user or a tool is a `TypeError`.

    In a pipeline that LangChain runs, results and exceptions are also instances of LangChain's
    classes, because its executor takes no others.
    """

    _has_several: ClassVar[bool | None] = None
    """Whether turns may have several calls."""
    _type_name: ClassVar[str] = ""
    """What `_type` returns."""
    _is_fixed_if_cut: ClassVar[bool] = False

    @property
    @override
    def _type(self) -> str:
        return self._type_name or super()._type

    @property
    @override
    def _streams(self) -> bool:
        return False  # a stream of a turn yields its result; its events arrive before

    @override
    def _text_in(self, output: ModelOutput) -> str:
        check_of_model(output)
        return super()._text_in(output)

    @override
    def as_langchain(self) -> LangChainParser:
        """Return this parser as a LangChain output parser, for LangChain's chains and executors.

        It returns LangChain's own actions and answers. Its exceptions are instances of LangChain's
        classes and of ours; a refusal ends the run, since it is none of those after which
        LangChain's executor asks again.

        Raises:
            ImportError: LangChain is not installed.
        """
        with needs_langchain():
            from agent_parsers.parsers.langchain.parser import LangChainParser

        kind = LangChainParser
        with suppress(ImportError):  # LangChain's agents look for a class of their own
            from agent_parsers.parsers.langchain import classic

            kind = (
                classic.LangChainMultiActionAgentParser
                if self._has_several
                else classic.LangChainAgentParser
            )
        return kind(parser=self, name=self.get_name())

    @override
    def _in_langchain(self, config: RunnableConfig | None) -> LangChainOutputParser | None:
        if not is_langchains(config):
            return None
        from agent_parsers.parsers.langchain.pipeline import PipelineParser

        return PipelineParser(parser=self, name=self.get_name())


class AgentOutputParser(BaseAgentOutputParser[AgentAction | AgentFinish]):
    """A parser whose turns contain one action or the final answer."""

    @abstractmethod
    def parse(self, text: str) -> AgentAction | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither an action nor an answer.
        """


class MultiActionAgentOutputParser(BaseAgentOutputParser[list[AgentAction] | AgentFinish]):
    """A parser whose turns contain one or more actions, or the final answer."""

    _has_several: ClassVar[bool | None] = True

    @abstractmethod
    def parse(self, text: str) -> list[AgentAction] | AgentFinish:
        """Read one turn.

        Raises:
            OutputParserException: The text is neither actions nor an answer.
        """


# -- reading whole texts ---------------------------------------------------------------------------


def parse_text(parser: Any, text: str, ended: Ended) -> Any:
    """Return what `parse` of *parser* makes of *text*, which *ended* like this.

    A `parse` of a user's may take only the text. What it calls then knows the end all the same.
    """
    options = _end_for(parser.parse, ended)
    if ended == "unknown" or _is_of_package(parser.parse.__func__):
        return parser.parse(text, **options)
    with reading(parser, text, ended):
        return parser.parse(text, **options)


async def aparse_text(parser: Any, text: str, ended: Ended) -> Any:
    """Do the same as `parse_text`, with `aparse`."""
    with reading(parser, text, ended):
        return await parser.aparse(text, **_end_for(parser.aparse, ended))


def _end_for(parse: Any, ended: Ended) -> dict[str, Ended]:
    """Return the arguments that say to *parse* how its text *ended*, if it takes them."""
    is_taken = ended != "unknown" and _takes_end(parse.__func__)
    return {"ended": ended} if is_taken else {}


@lru_cache
def _takes_end(parse: Callable[..., Any]) -> bool:
    """Return whether *parse* takes the argument ``ended``."""
    known = signature(parse).parameters.values()
    return any(each.name == "ended" or each.kind is each.VAR_KEYWORD for each in known)


@lru_cache
def _is_of_package(parse: Callable[..., Any]) -> bool:
    """Return whether *parse* is ours, which passes on how a text ended."""
    return parse.__module__.partition(".")[0] == "agent_parsers"


# -- reading chunks --------------------------------------------------------------------------------


class EventReader(Protocol):
    """Reads one turn as it streams in: a `StreamParser` or a `MessageStreamParser`."""

    last_events: list[Event]

    @property
    def is_over(self) -> bool:
        """Whether the turn is over, so that no further text can be part of it."""

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return the events it completes."""

    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the turn and return the last events; *ended* says how the turn ended."""


class TurnReader:
    """A stream parser that returns its last events before it raises.

    *ended* says how the turn ends, if no message does.
    """

    def __init__(self, parser: EventReader, ended: Ended = "unknown") -> None:
        check_ended(ended)
        self._parser = parser
        self._ended = ended

    def feed(self, chunk: ModelOutput, /) -> list[Event]:
        """Take *chunk* and return the events it completes."""
        return self._parser.feed(chunk)

    def close(self) -> Iterator[Event]:
        """Yield the last events.

        Raises:
            OutputParserException: The turn cannot be read.
        """
        is_said = self._ended == "unknown" or getattr(self._parser, "ended", "unknown") != "unknown"
        try:
            yield from self._parser.close() if is_said else self._parser.close(ended=self._ended)
        except OutputParserException:
            yield from self._parser.last_events
            raise

    def until_over(self, chunks: Iterable[ModelOutput]) -> Iterator[ModelOutput]:
        """Yield *chunks* until the turn is over, then close their source."""
        source = iter(chunks)
        try:
            for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:  # at once, not only after the last events
            close(source, chunks)

    async def auntil_over(self, chunks: AsyncIterable[ModelOutput]) -> AsyncIterator[ModelOutput]:
        """Do the same as `until_over` for asynchronous chunks."""
        source = aiter(chunks)
        try:
            async for chunk in source:
                yield chunk
                if self._parser.is_over:
                    return
        finally:
            await aclose(source, chunks)


# -- parsers of turns ------------------------------------------------------------------------------

_WHOLE: Final = ("parse", "aparse", "parse_result", "aparse_result", "parse_ai_message")
"""The methods that read whole turns, and that `invoke` calls."""


class EventParser(CheckedModel):
    """Reads one turn of a model as it streams in; see `TurnParser` and `MessageParser`.

    A subclass of a user's that overrides `parse` says how whole turns are read. The events of a
    turn, and what `read` makes of them, do not come from `parse`: so they are refused, unless the
    subclass overrides `stream_parser` or `read` as well.
    """

    _overridden: ClassVar[str] = ""
    """The method for whole turns that a class of a user's overrides; empty if none does."""
    _package: ClassVar[str] = ""
    """The package of the class, if it stands above this one: its methods are not a user's."""

    model_config: ClassVar[ConfigDict] = ConfigDict(validate_assignment=True, defer_build=True)

    lenient: bool = False
    """Whether to repair common mistakes; if false, only well-formed turns are read."""
    tools: Any = Field(default=None, exclude=True)
    """The tools, in any form of `agent_parsers.toolset.Tools`, kept as a `ToolSet`; a `ToolSet` is
    kept unchanged, with its policies. A turn that calls another tool is an error, and so is an
    input that the tool does not take. Inputs have the types of the tool schema. `None` accepts any
    name and any input."""
    max_chars: int = Field(default=MAX_CHARS, ge=0)
    """Longest turn that is accepted, in characters. The length of a message is that of its content,
    its tool names, and the arguments that came as text."""

    @classmethod
    def __pydantic_init_subclass__(cls, **kwargs: Any) -> None:
        super().__pydantic_init_subclass__(**kwargs)
        cls._overridden = next((name for name in _WHOLE if not _is_ours(cls, name)), "")

    def _check_only_whole(self, method: str, called: str = "") -> None:
        """Raise if only `parse` and `invoke` read turns as the parser's author wants.

        *method* would read a turn in its own way; *called* is what the user called, if another.

        Raises:
            NotImplementedError: A user's class overrides `parse`, and not *method*.
        """
        if self._overridden and _is_ours(type(self), method):
            raise NotImplementedError(
                f"{type(self).__name__} overrides {self._overridden}, which {called or method} does"
                f" not use: call parse or invoke, or override {method} as well"
            )

    @field_validator("tools", mode="plain")
    @classmethod
    def _read_tools(cls, tools: Any) -> ToolSet | None:
        return known_tools(tools)

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """Names of the tools; `None` if no tools were given."""
        tools: ToolSet | None = self.tools
        return None if tools is None else tools.names

    def _known_end(self, text: str, ended: Ended) -> Ended:
        """Return how *text* *ended*, if need be by the output of which it is; see `known_end`."""
        return known_end(self, text, ended)

    @abstractmethod
    def stream_parser(self, *, calls: EmitCalls = "all") -> EventReader:
        """Return a stream parser for one turn; see its `feed` and `close`.

        Args:
            calls: When the calls of the turn are emitted.
        """

    def _stream_parser(self, calls: EmitCalls) -> EventReader:
        # An overriding method may take no arguments.
        return self.stream_parser() if calls == "all" else self.stream_parser(calls=calls)

    def events(
        self,
        chunks: Iterable[ModelOutput],
        *,
        stop_early: bool = False,
        calls: EmitCalls = "all",
        ended: Ended = "unknown",
    ) -> Generator[Event, None, None]:
        """Yield the events of one turn whose text or message chunks arrive one by one.

        At the end, also after ``break`` or an exception, the source of the chunks is closed, such
        as a generator or the stream of a client with its connection.

        Args:
            chunks: What the model writes.
            stop_early: Whether to stop taking chunks once the turn is over, as when a server
                ignores stop sequences and the model continues with a made-up observation. A
                message with calls is always read to its end.
            calls: When calls are emitted; see `stream_parser`.
            ended: How the turn ends, if its chunks do not say it: a text cannot.

        Raises:
            NotImplementedError: A subclass overrides `parse`, and not `stream_parser`.
            OutputParserException: The turn cannot be read; raised after the last event.
            TypeError: *chunks* cannot be iterated over, or are a single message.
            ValueError: *calls* is ``"each"``, and they cannot be emitted so; see `stream_parser`.
        """
        _check_chunks("events", chunks, Iterable)
        self._check_only_whole("stream_parser", "events")
        reader = TurnReader(self._stream_parser(calls), ended)
        return read(reader, reader.until_over(chunks) if stop_early else iter(chunks), chunks)

    def aevents(
        self,
        chunks: AsyncIterable[ModelOutput],
        *,
        stop_early: bool = False,
        calls: EmitCalls = "all",
        ended: Ended = "unknown",
    ) -> AsyncGenerator[Event, None]:
        """Do the same as `events` for asynchronous chunks.

        Python closes an async generator only some time after a ``break``; use
        `contextlib.aclosing` to close it at once.
        """
        _check_chunks("aevents", chunks, AsyncIterable)
        self._check_only_whole("stream_parser", "aevents")
        reader = TurnReader(self._stream_parser(calls), ended)
        return aread(reader, reader.auntil_over(chunks) if stop_early else aiter(chunks), chunks)


def _is_ours(cls: type, method: str) -> bool:
    """Return whether *method* of a class is from this distribution, or not there at all."""
    module: str = getattr(getattr(cls, method, None), "__module__", None) or "agent_parsers"
    above = (getattr(base, "_package", "") for base in cls.__mro__)
    return module.partition(".")[0] in ("agent_parsers", "output_parsers", *above)


def _check_chunks(method: str, chunks: object, kind: type) -> None:
    is_one = isinstance(chunks, BaseModel | Mapping)  # which can be iterated over, too
    if isinstance(chunks, kind) and not is_one:
        return
    said = f"{method} takes the chunks of one turn, not {kind_of(chunks)}"
    if is_one:
        said = f"{said}; invoke takes a whole message"
    elif isinstance(chunks, AsyncIterable):
        said = "events takes an iterable of chunks; for an asynchronous iterable use aevents"
    elif isinstance(chunks, Iterable):
        said = "aevents takes an asynchronous iterable of chunks; for a plain iterable use events"
    raise TypeError(said)
