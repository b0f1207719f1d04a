"""One turn, with all that is to know of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_parsers.engine._events import Event, MarkerSeen, Repair, ThoughtDelta, merge_events

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers._agent import AgentAction, AgentFinish
    from agent_parsers.engine._stream import StreamParser

__all__ = ["Turn", "read_turn", "thought_of"]


@dataclass(frozen=True, slots=True)
class Turn:
    """All that was read in one turn."""

    result: AgentAction | AgentFinish
    """What `parse` returns."""
    thought: str
    """What the model thought, without its labels; several thoughts are on lines of their own."""
    repairs: tuple[Repair, ...]
    """What was mended; empty for a turn that is written as the dialect says."""
    events: tuple[Event, ...]
    """The whole story; neighbouring deltas are joined."""


def read_turn(parser: StreamParser, text: str) -> Turn:
    """Read *text*, one turn, with a *parser* that has read nothing yet.

    Raises:
        OutputParserException: As `Machine.parse` does.
    """
    events = merge_events([*parser.feed(text), *parser.close()])
    assert parser.result is not None, "a turn that is not refused has a result"
    return Turn(
        result=parser.result,
        thought=thought_of(events),
        repairs=tuple(event for event in events if isinstance(event, Repair)),
        events=tuple(events),
    )


def thought_of(events: Iterable[Event]) -> str:
    """Put a thought together; a marker between two parts of it leaves a line break."""
    parts: list[str] = []
    for event in events:
        if isinstance(event, ThoughtDelta):
            parts.append(event.text)
        elif isinstance(event, MarkerSeen) and parts:
            parts.append("\n")
    return "".join(parts).rstrip("\n")
