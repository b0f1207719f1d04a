"""The streaming parser: reads a turn or a transcript in chunks of text or of a message."""

from __future__ import annotations

from collections.abc import Collection
from typing import TYPE_CHECKING, Final, get_args

from typing_extensions import override

from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.engine.tables.modes import MAX_CHARS, STRICT, EmitCalls, Mode, OnConflict
from agent_parsers.engine.writing.advice import advice
from agent_parsers.reports import LISTENERS
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers.engine.reading.message_text import MessageText
    from agent_parsers.engine.turn_reports import TurnReports
    from agent_parsers.events import Event
    from agent_parsers.toolset import ToolSet
    from output_parsers import ModelOutput
    from outputs.messages.ended import Ended

_MODES: Final = get_args(Mode)
_CONFLICTS: Final = get_args(OnConflict)
_CALLS: Final = get_args(EmitCalls)


class StreamParser(TurnStream):
    """Reads one text in chunks; the merged events do not depend on where it is cut.

    `feed` takes a chunk and returns the events it completes; `close` ends the text and returns the
    last events. The parser does no I/O, so the same loop works for any source::

        parser = StreamParser(react.DIALECT)
        for chunk in chunks:
            show(parser.feed(chunk))
        show(parser.close())
        act(parser.result)

    Args:
        dialect: The dialect in which the text is written.
        mode: ``"strict"`` or ``"lenient"`` for one turn, ``"transcript"`` for many turns;
            ``"langchain"`` is as strict as LangChain's parsers.
        max_chars: Longest text that is read; `None` if there is no limit.
        tools: The available tools, or only their names; `None` accepts any tool.
        on_conflict: Which part counts if a lenient turn has both an action and an answer: the
            ``"first"``, the ``"action"`` or the ``"answer"``; ``"error"`` raises.
        start: The part in which the text begins: ``"content"``, or ``"thought"`` if the prompt has
            opened a thought. Empty for the dialect's default.
        prompt: The end of the prompt, from which `start` is derived if it is empty.
        calls: When the calls of a turn that may have several are emitted: ``"all"`` at its end, and
            none if one of them is wrong; or ``"each"`` when its block closes, which needs *start*
            or *prompt*. A call waits for the end if it may still turn out to be quoted or part of a
            thought. If the turn is an error, its notes and observation name the calls that were
            emitted. The log of such an action is the text since the call before.
        ended: How the text ended, if neither `close` nor a message says it.

    The work per chunk is proportional to its length. Only white space and text that may still
    become a marker are held back.

    Raises:
        TypeError: *dialect* is not a `Dialect`, or one of *tools* is not a tool.
        ValueError: The dialect does not have the start, or *mode*, *on_conflict* or *calls* is
            unknown; or *calls* is ``"each"``, and the dialect has no markers of calls, or it is
            not known where the text begins.
    """

    __slots__ = ("_ended", "_message", "_reports")

    def __init__(
        self,
        dialect: Dialect,
        *,
        mode: Mode = "lenient",
        max_chars: int | None = MAX_CHARS,
        tools: ToolSet | Collection[str] | None = None,
        on_conflict: OnConflict = "error",
        start: str = "",
        prompt: str = "",
        calls: EmitCalls = "all",
        ended: Ended = "unknown",
    ) -> None:
        if not isinstance(dialect, Dialect):
            raise TypeError(
                f"StreamParser needs a Dialect (see get_dialect), not {kind_of(dialect)}"
            )
        if mode not in _MODES:
            raise ValueError(f"mode must be one of {_MODES}, not {mode!r}")
        if on_conflict not in _CONFLICTS:
            raise ValueError(f"on_conflict must be one of {_CONFLICTS}, not {on_conflict!r}")
        if calls not in _CALLS:
            raise ValueError(f"calls must be one of {_CALLS}, not {calls!r}")
        super().__init__(
            machine(dialect, mode, on_conflict),
            known_tools(tools),
            max_chars=max_chars,
            start=start,
            prompt=prompt,
            advise=advice,
            calls=calls,
        )
        self._ended = ended
        self._message: MessageText | None = None  # set by the first message chunk
        self._reports = self._new_reports(dialect, mode) if LISTENERS else None

    @override
    def feed(self, chunk: ModelOutput) -> list[Event]:
        """Read the next *chunk* of the text and return the events it completes.

        Args:
            chunk: Text, or a message or message chunk of any kind that `outputs.from_any` accepts.

        Raises:
            OutputParserException: The text is longer than *max_chars*.
            ProviderError: The chunk reports that the provider failed.
            RuntimeError: `close` was called before.
            TypeError: The chunk is neither text nor a message.
        """
        if self._reports is None and type(chunk) is str:
            return TurnStream.feed(self, chunk)  # without the cost of `super`
        if not isinstance(chunk, str):
            chunk = "" if self._closed else self._text_in(chunk)
        if self._reports is None:
            return super().feed(chunk)
        return self._reports.during(super().feed, chunk)

    @property
    def ended(self) -> Ended:
        """How the text ended, as far as that is known."""
        said = "unknown" if self._message is None else self._message.ended
        return self._ended if said == "unknown" else said

    def _text_in(self, chunk: ModelOutput) -> str:
        """Return the text of a message chunk; `close` checks the rest of the message."""
        if self._message is None:
            # imported lazily: only messages need it
            from agent_parsers.engine.reading.message_text import MessageText

            self._message = MessageText()
        return self._message.take(chunk)

    @override
    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """End the text and return the last events; `result` is set from then on.

        Args:
            ended: How the text ended, if known; by default, as the message says.

        Raises:
            OutputParserException: `parse` would raise it for this text, or the message calls a
                tool. The last events are in `last_events` even then.
            RuntimeError: `close` was called before.
        """
        if ended == "unknown":
            ended = self.ended
        if self._reports is None:
            return super().close(ended=ended)
        return self._reports.to_end(super().close, ended, self.last_events)

    def _new_reports(self, dialect: Dialect, mode: Mode) -> TurnReports | None:
        """Return what reports the repairs and errors of the text; `None` to report none."""
        from agent_parsers.engine.turn_reports import TurnReports  # imported lazily: for listeners

        return TurnReports(dialect.name, self._collector.tools, lenient=mode not in STRICT)

    @override
    def _refuse(self) -> str:
        if self._message is None:
            return ""
        if (refused := self._message.error(self.text)) is not None:
            raise self._collector.with_early_calls(refused)
        return self._message.announced if self._machine.mode != "langchain" else ""
