"""Reasoning that a server has separated from the text of a message, which a dialect is read in.

vLLM with ``--reasoning-parser`` and without a tool parser sends such messages::

    {"role": "assistant", "reasoning_content": "I look it up.", "content": "<tool_call>…"}

It is no part of the text: its events have the span ``(0, 0)``.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.events import Event, MarkerSeen, ThoughtDelta
from agent_parsers.messages.reading.said import said_in
from output_parsers.model_output import message_of, part_of, text_of
from outputs import AIMessage

if TYPE_CHECKING:
    from agent_parsers.engine.reading.turn import Turn
    from output_parsers import ModelOutput


class ReasoningBeside:
    """The reasoning beside the text of one message, whole or in chunks."""

    __slots__ = ("_is_open", "text")

    def __init__(self) -> None:
        self.text = ""
        """The reasoning so far."""
        self._is_open = False  # whether no text of the message has followed

    def take(self, chunk: ModelOutput) -> list[Event]:
        """Return the events of the reasoning in *chunk*, which precede those of its text."""
        part = part_of(chunk)
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

    def and_own(self, thought: str) -> str:
        """Return the reasoning, and the *thought* in the text on a line of its own."""
        return "\n".join(filter(None, (self.text, thought)))


_NOWHERE = (0, 0)


def _reasoning_in(part: Any) -> str:
    if isinstance(part, str):
        return ""
    beside = getattr(part, "additional_kwargs", None)
    if not beside and isinstance(part.content, str):
        return ""
    message = message_of(part)
    if not isinstance(message, AIMessage):
        return ""
    return "".join(text for kind, text in said_in(message) if kind == "thought")


class DialectStreamParser(StreamParser):
    """A `StreamParser` that also takes the reasoning beside the text of a message."""

    __slots__ = ("_beside",)

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._beside = ReasoningBeside()

    @override
    def feed(self, chunk: ModelOutput) -> list[Event]:
        """Take the next *chunk* and return the events it completes; see `StreamParser.feed`."""
        if type(chunk) is str and self._reports is None:
            return TurnStream.feed(self, chunk)  # without the cost of another call
        if isinstance(chunk, str) or self._closed:
            return super().feed(chunk)
        return [*self._beside.take(chunk), *super().feed(chunk)]

    @property
    @override
    def thought(self) -> str | None:
        own = super().thought
        return own if own is None else self._beside.and_own(own)


def with_reasoning(turn: Turn[Any], output: ModelOutput) -> Turn[Any]:
    """Return *turn*, which was read in the text of *output*, with the reasoning beside that."""
    if isinstance(output, str):
        return turn
    beside = ReasoningBeside()
    events = beside.take(output)
    if not events:
        return turn
    thought = beside.and_own(turn.thought)
    return replace(turn, thought=thought, events=(*events, *turn.events))
