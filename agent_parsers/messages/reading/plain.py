"""The reply to a request in which there was nothing to read: its text is the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from agent_parsers.messages.reading.content import LeadingThought
from agent_parsers.messages.reading.stream import MessageStreamParser
from output_parsers.model_output import part_of
from outputs import AIMessageChunk

if TYPE_CHECKING:
    from agent_parsers.events import Event


class PlainReplyParser(MessageStreamParser):
    """Reads one reply without looking for calls in its text, which may quote them.

    Reasoning is separated from it, even if the text begins with it.
    """

    def __init__(self, max_chars: int) -> None:
        super().__init__(is_function=False, lenient=False, max_chars=max_chars, tools=())
        self._lead = LeadingThought()

    @override
    def feed(self, chunk: Any) -> list[Event]:
        part = part_of(chunk)
        return super().feed(AIMessageChunk(part) if isinstance(part, str) else part)
