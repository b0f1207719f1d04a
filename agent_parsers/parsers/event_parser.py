"""What the parsers of turns, written as text or as messages, have in common."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ConfigDict, Field, field_validator

from agent_parsers.engine.reading.known_tools import known_tools
from agent_parsers.engine.reading.machine import MAX_CHARS
from agent_parsers.parsers.turn_reader import TurnReader
from output_parsers.streams.readers import aread, read

if TYPE_CHECKING:
    from collections.abc import AsyncGenerator, AsyncIterable, Generator, Iterable

    from agent_parsers.events import Event
    from agent_parsers.parsers.langchain import LangChainParser
    from agent_parsers.parsers.turn_reader import EventReader
    from agent_parsers.toolset import ToolSet
    from output_parsers import ModelOutput

__all__ = ["EventParser"]


class EventParser(BaseModel):
    """Reads one turn of a model while it comes in; see `TurnParser` and `MessageParser`."""

    model_config = ConfigDict(validate_assignment=True, defer_build=True)

    lenient: bool = False
    """Whether what models really write is mended, or only what is written by the book is read."""
    tools: Any = Field(default=None, exclude=True)
    """The tools there are, in any form of `agent_parsers.toolset.Tools`; kept as a `ToolSet`, and
    a `ToolSet` is kept as it is, with its policies. A turn that calls another tool is an error, and
    so is an input that the tool does not take; one that it takes has the types of the schema.
    `None`: any name will do, and any input."""
    max_chars: int = Field(default=MAX_CHARS, ge=0)
    """Longest turn that is read, in characters; of a message its content, names, and arguments that
    came as text."""

    @field_validator("tools", mode="plain")
    @classmethod
    def _read_tools(cls, tools: Any) -> ToolSet | None:
        return known_tools(tools)

    @property
    def tool_names(self) -> tuple[str, ...] | None:
        """Names of the tools, if any were given."""
        tools: ToolSet | None = self.tools
        return None if tools is None else tools.names

    @abstractmethod
    def stream_parser(self) -> EventReader:
        """Return what reads one turn as it comes in, by `feed` and `close`."""

    def events(
        self, chunks: Iterable[ModelOutput], *, stop_early: bool = False
    ) -> Generator[Event, None, None]:
        """Yield the events of one turn whose text or message chunks come in one by one.

        However it ends, also by ``break`` or an exception, what the chunks come from is closed, be
        it a generator or the stream of a client, and so is the connection behind it.

        Args:
            chunks: What the model writes.
            stop_early: Whether to take no more chunks once nothing that follows can be part of the
                turn, as when a server ignores stop sequences and the model goes on with a result of
                its own. A message of calls ends by itself, and is taken to its end.

        Raises:
            OutputParserException: The turn cannot be read; raised after the last event.
        """
        reader = TurnReader(self.stream_parser())
        return read(reader, reader.until_over(chunks) if stop_early else iter(chunks), chunks)

    def aevents(
        self, chunks: AsyncIterable[ModelOutput], *, stop_early: bool = False
    ) -> AsyncGenerator[Event, None]:
        """Do the same as `events` for chunks that have to be waited for.

        Python closes an async generator that is left by ``break`` some moments later; with
        `contextlib.aclosing` around it, that is at once.
        """
        reader = TurnReader(self.stream_parser())
        return aread(reader, reader.auntil_over(chunks) if stop_early else aiter(chunks), chunks)

    def as_langchain(self) -> LangChainParser:
        """Return this parser as an output parser of LangChain, for its chains and executors.

        It gives LangChain's own actions and answers, and raises its own exception, but for a
        `ModelRefusalError`, which ends a run: LangChain's executor would ask again.

        Raises:
            ImportError: LangChain is not installed.
        """
        from agent_parsers.parsers.langchain import LangChainParser  # needs langchain-core

        return LangChainParser(parser=self)
