"""What the reasoning parsers share: the thought at the beginning of a turn, and the rest."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, Literal

from agent_parsers import StreamParser, get_dialect
from agent_parsers.core import machine
from agent_parsers.events import AnswerDelta, InputDelta, MarkerSeen, ThoughtDelta, ToolNamed
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.events import Event
    from agent_parsers.toolset import ToolSet

__all__ = ["LeadingThought", "ends_in_mark"]


def ends_in_mark(dialect: str, text: str) -> Literal["", "opens", "closes"]:
    """Return whether *text* ends in a mark that opens or closes a reasoning block."""
    return machine(get_dialect(dialect), "lenient").thought_mark(text)


class LeadingThought:
    """Separates the thought at the beginning of a turn from the rest, and never raises.

    The rest is as the model wrote it, without the mark that closes the thought, for a parser of
    calls to read. If a mark opens the thought, only one closes it: until then, what looks like a
    call is none, unless the output ends after it. A thought without marks is part of the rest in
    dialects with one call in a turn, such as ``react``, whose calls cannot be judged without it.

    Args:
        dialect: Name of the dialect.
        prompt: The end of the prompt, which may have opened the thought.
        tools: The tools of the request; `None` accepts a call of any tool.
        may_call: Whether a call may end the thought.
    """

    def __init__(
        self,
        dialect: str,
        prompt: str = "",
        tools: ToolSet | None = None,
        *,
        may_call: bool = True,
    ) -> None:
        self._machine: Final = machine(get_dialect(dialect), "lenient")
        self._parser: Final = StreamParser(
            self._machine.dialect, tools=tools, prompt=prompt, max_chars=None
        )
        self._may_call: Final = may_call
        self._has_several: Final = self._machine.table.several
        self._is_marked = self._machine.thought_mark(prompt) == "opens"
        self._tail = ""  # the text after the last event
        self._at = 0
        self._held = ""  # markers, and calls in an open thought
        self._has_thought = False
        self.holds_call: bool = False
        """Whether the thought is open, and what looks like a call is the last text in it."""
        self.is_over: bool = False
        """Whether the rest has begun."""

    def feed(self, text: str) -> tuple[str, str]:
        """Take more of the text and return what it adds to the thought and to the rest."""
        if self.is_over:
            return "", text
        self._tail += text
        return self._split(self._parser.feed(text))

    def close(self) -> tuple[str, str]:
        """Return what the end of the text adds to the thought and to the rest."""
        if self.is_over:
            return "", ""
        with suppress(OutputParserException):  # the parser of calls says what is wrong
            self._parser.close()
        thought, rest = self._split(self._parser.last_events)
        if self.is_over:
            return thought, rest
        is_call = self.holds_call and self._may_call and isinstance(self._parser.result, list)
        last = self._end()
        return (thought + last, "") if self._is_marked and not is_call else (thought, last)

    def _split(self, events: Iterable[Event]) -> tuple[str, str]:
        thought = ""
        for event in events:
            if isinstance(event, MarkerSeen):
                mark = self._cut(event.span[1])
                kind = self._machine.thought_mark(mark)
                if kind == "closes":
                    return thought + self._held * self.holds_call, self._end("")
                self._is_marked |= kind == "opens"
                self._held += mark
                if not (self._is_marked or kind) and self._ends_at(event.name):
                    return thought, self._end()
            elif isinstance(event, ThoughtDelta) and (
                self._is_marked or self._machine.table.several
            ):
                thought += self._held if self.holds_call else "\n" * self._is_behind_mark()
                thought += self._cut(event.span[1])
                self._held, self._has_thought, self.holds_call = "", True, False
            elif isinstance(event, _TEXTS):
                if not (self._is_marked and self._machine.table.drafts):
                    return thought, self._end()
                self._held += self._cut(event.span[1])
                self.holds_call = True
        return thought, ""

    def _ends_at(self, marker: str) -> bool:
        """Return whether the rest begins at *marker*, if no mark opened the thought."""
        return marker in self._machine.call_markers or not self._has_several

    def _is_behind_mark(self) -> bool:
        return self._has_thought and bool(self._held)

    def _end(self, held: str | None = None) -> str:
        """Return the rest so far."""
        rest = (self._held if held is None else held) + self._tail
        self._held = self._tail = ""
        self.is_over = True
        return rest

    def _cut(self, stop: int) -> str:
        """Return the text up to offset *stop*; the spans of events that have text tile it."""
        text, self._tail = self._tail[: stop - self._at], self._tail[stop - self._at :]
        self._at = stop
        return text


_TEXTS: Final = (AnswerDelta, ThoughtDelta, ToolNamed, InputDelta)
