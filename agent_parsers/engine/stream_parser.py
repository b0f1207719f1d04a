"""Reading a turn or a run while it comes in, as text or in messages."""

from __future__ import annotations

from typing import TYPE_CHECKING

from typing_extensions import override

from agent_parsers.engine.reading.known_tools import known_tools
from agent_parsers.engine.reading.machine import MAX_CHARS, machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.writing.advice import advice

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode, OnConflict
    from agent_parsers.engine.reading.message_text import MessageText
    from agent_parsers.events import Event
    from agent_parsers.toolset import ToolSet
    from output_parsers import ModelOutput
    from outputs.messages.ended import Ended

__all__ = ["StreamParser"]


class StreamParser(TurnStream):
    """Reads one text as it comes in; however it is cut, the events tell the same story.

    `feed` takes a chunk and returns the events it completes; `close` says that the text has ended
    and returns the last ones. It does no input or output, so one loop serves any source::

        parser = StreamParser(react.DIALECT)
        for chunk in chunks:
            show(parser.feed(chunk))
        show(parser.close())
        act(parser.result)

    Args:
        dialect: How the text is written.
        mode: ``"strict"`` or ``"lenient"`` for one turn, ``"transcript"`` for a whole run.
        max_chars: Longest text that is read; `None` if there is no limit.
        tools: The tools there are, or only their names; `None` if any will do.
        on_conflict: What counts in a lenient turn that has an action and an answer: the
            ``"first"``, the ``"action"``, the ``"answer"``, or none, which is an ``"error"``.
        start: Where the text begins: ``"content"``, or ``"thought"`` if its prompt has opened one.
            Empty if that is where the dialect says.
        prompt: The end of the prompt, which says the same.

    Work per chunk is proportional to the chunk. What is held back is white space, and what may
    still become a marker.
    """

    __slots__ = ("_message",)

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
    ) -> None:
        super().__init__(
            machine(dialect, mode, on_conflict),
            known_tools(tools),
            max_chars=max_chars,
            start=start,
            prompt=prompt,
            advise=advice,
        )
        self._message: MessageText | None = None  # if chunks of one come in

    @override
    def feed(self, chunk: ModelOutput) -> list[Event]:
        """Take the next *chunk* of the text and return the events it completes.

        Args:
            chunk: Text, or a message or a chunk of one, of any kind that `outputs.from_any` takes.

        Raises:
            OutputParserException: The text is longer than *max_chars*.
            ProviderError: The provider failed, and says so in place of the rest.
            RuntimeError: The text was closed before.
            TypeError: It is neither text nor a message.
        """
        if not isinstance(chunk, str):
            chunk = "" if self._closed else self._text_in(chunk)
        return super().feed(chunk)

    def _text_in(self, chunk: ModelOutput) -> str:
        """Return the text of a message chunk; what else it has counts at the end."""
        if self._message is None:
            from agent_parsers.engine.reading.message_text import (
                MessageText,  # texts do not need it
            )

            self._message = MessageText()
        return self._message.take(chunk)

    @override
    def close(self, *, ended: Ended = "unknown") -> list[Event]:
        """Say that the text has ended, and return the last events; `result` is known then.

        Args:
            ended: How it ended, if that is known; a message that it came in says so by itself.

        Raises:
            OutputParserException: What `parse` raises for this text, or that the message it came
                in calls a tool. The last events are in `last_events` all the same.
            RuntimeError: The text was closed before.
        """
        if ended == "unknown" and self._message is not None:
            ended = self._message.ended
        return super().close(ended=ended)

    @override
    def _refuse(self) -> None:
        if self._message is not None and (refused := self._message.error(self.text)) is not None:
            raise refused
