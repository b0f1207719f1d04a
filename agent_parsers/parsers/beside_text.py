"""What a message has beside its text, which a dialect is read in: who wrote it, and reasoning.

vLLM with ``--reasoning-parser`` and without a tool parser separates the reasoning::

    {"role": "assistant", "reasoning_content": "I look it up.", "content": "<tool_call>…"}

It is no part of the text: its events have the span ``(0, 0)``.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.events import Event, MarkerSeen, ThoughtDelta
from agent_parsers.messages.reading.behind import rest_of_text
from agent_parsers.messages.reading.problems import MESSAGE_PROBLEMS
from agent_parsers.messages.reading.said import thought_in
from output_parsers.model_output import check_of_model, message_of, part_of, text_of, with_message
from outputs import AIMessage

if TYPE_CHECKING:
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from output_parsers import ModelOutput, OutputParserException


class ReasoningBeside:
    """Collects the reasoning beside the text of one message, whole or in chunks.

    Args:
        check: Raises a `TypeError` for a message that may not be read; by default for one that a
            model did not write.
    """

    __slots__ = ("_check", "_has_chunks", "_has_wholes", "_is_open", "is_contradicted", "text")

    def __init__(self, check: Callable[[ModelOutput], None] = check_of_model) -> None:
        self._check = check
        self.text = ""
        """The reasoning so far."""
        self._is_open = False  # whether no text of the message has followed
        self._has_chunks = False
        self._has_wholes = False  # whether each chunk is a message, as Ollama sends them
        self.is_contradicted = False
        """Whether a whole message came behind its chunks, and has another text."""

    def take(
        self, chunk: ModelOutput, said: Callable[[], str] = str
    ) -> tuple[list[Event], ModelOutput]:
        """Return the events of the reasoning in *chunk*, which precede those of its text.

        *said* returns the text of the message before this chunk.

        Returns:
            The events, and the chunk. If a whole message follows its own chunks, only what they
            did not have.
        """
        chunk = with_message(chunk)
        part = part_of(chunk)
        if isinstance(part, str):
            return [], chunk
        self._check(part)
        is_chunk = getattr(part, "type", "") != "ai"
        self._has_chunks = self._has_chunks or is_chunk
        before = "" if is_chunk or self._has_wholes else said()
        if not before:
            self._has_wholes = not self._has_chunks
            return self._reasoning(part), chunk
        rest = rest_of_text(before, message_of(part))
        if not self._has_chunks and (rest is None or rest.text):  # texts came, and this is another
            return self._reasoning(part), chunk
        if rest is None:
            self.is_contradicted = True
            return [], ""
        if isinstance(info := getattr(chunk, "generation_info", None), Mapping):
            metadata = {**info, **rest.response_metadata}
            rest = rest.model_copy(update={"response_metadata": metadata})
        return ([] if self.text else self._reasoning(rest)), rest

    def _reasoning(self, part: Any) -> list[Event]:
        said = _reasoning_in(part)
        events: list[Event] = []
        if said:
            self.text += said
            self._is_open = True
            events.append(ThoughtDelta(said, _NOWHERE))
        if self._is_open and text_of(part):
            self._is_open = False
            events.append(MarkerSeen("end of reasoning", _NOWHERE))  # a thought may follow
        return events

    def error(self, text: str) -> OutputParserException | None:
        """Return the error if the message contradicts its chunks, which have this *text*."""
        if not self.is_contradicted:
            return None
        name = "other_whole"
        error = MESSAGE_PROBLEMS[name].error(text, (0, len(text)), strict=False)
        error.problem = name
        return error

    def and_own(self, thought: str) -> str:
        """Return the reasoning and, on a new line, the *thought* in the text."""
        return "\n".join(filter(None, (self.text, thought)))


_NOWHERE = (0, 0)


def _reasoning_in(part: Any) -> str:
    if isinstance(part, str):
        return ""
    beside = getattr(part, "additional_kwargs", None)
    if not beside and isinstance(part.content, str):
        return ""
    message = message_of(part)
    return thought_in(message) if isinstance(message, AIMessage) else ""


class DialectStreamParser(StreamParser):
    """A `StreamParser` that also takes the reasoning beside the text of a message.

    *check* is that of `ReasoningBeside`, the other *options* are those of `StreamParser`.
    """

    __slots__ = ("_beside",)

    def __init__(
        self, dialect: Dialect, check: Callable[[ModelOutput], None], **options: Any
    ) -> None:
        super().__init__(dialect, **options)
        self._beside = ReasoningBeside(check)

    @override
    def feed(self, chunk: ModelOutput) -> list[Event]:
        """Take the next *chunk* and return the events it completes; see `StreamParser.feed`."""
        if type(chunk) is str and self._reports is None:
            return TurnStream.feed(self, chunk)  # without the cost of another call
        if isinstance(chunk, str) or self._closed:
            return super().feed(chunk)
        events, rest = self._beside.take(chunk, lambda: self.text)
        return [*events, *super().feed(rest)]

    @override
    def _refuse(self) -> str:
        announced = super()._refuse()
        if (error := self._beside.error(self.text)) is not None:
            raise self._collector.with_early_calls(error)
        return announced

    @property
    @override
    def thought(self) -> str | None:
        own = super().thought
        return own if own is None else self._beside.and_own(own)


def with_reasoning(turn: Turn[Any], output: ModelOutput) -> Turn[Any]:
    """Return *turn*, read from the text of *output*, with the reasoning beside this text."""
    if isinstance(output, str):
        return turn
    beside = ReasoningBeside(check=lambda _: None)  # it was checked before
    events, _ = beside.take(output)
    if not events:
        return turn
    thought = beside.and_own(turn.thought)
    return replace(turn, thought=thought, events=(*events, *turn.events))
