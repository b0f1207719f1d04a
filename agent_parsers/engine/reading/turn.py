"""One turn with everything that was read of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agent_parsers.actions.agent import T, WithResult
from agent_parsers.actions.in_words import content_beside, turn_lines
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.events import (
    AnswerDelta,
    Delta,
    Event,
    Finish,
    MarkerSeen,
    Repair,
    ThoughtDelta,
    merge_events,
)
from outputs.html.viewable import Viewable
from outputs.json_form.storable import Storable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.reading.rules.known_tools import KnownTools
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.stream import TurnStream
    from outputs.messages.ended import Ended

PlainCall: TypeAlias = tuple[str, Any, str | None]
"""A call that is spelt as its dialect writes it: the tool, its input and its id."""


class PlainTurn(NamedTuple):
    """A turn that is spelt exactly as in its dialect."""

    calls: list[PlainCall]
    """The calls; empty for an answer."""
    thought: str
    content: str
    """The content outside the calls, or the answer as it is written."""
    answer: Any = None
    """The answer; `None` if there are calls."""
    repairs: Sequence[Repair] = ()
    """What was repaired in it."""


class _WithEvents:
    """A value whose events may be read when they are asked for."""

    __slots__ = ("_read_events",)

    _read_events: Callable[[], tuple[Event, ...]]

    def __getattr__(self, name: str) -> Any:
        if name != "events":
            raise AttributeError(f"a turn has no {name!r}: see its actions, finish and repairs")
        events = self._read_events()
        object.__setattr__(self, name, events)
        return events


@dataclass(frozen=True, slots=True)
class Turn(_WithEvents, WithResult[T], Storable, Viewable):
    """Everything that was read in one turn."""

    _view = "agent_parsers.html.turn_pages"

    result: TurnResult
    """What `parse` returns."""
    thought: str
    """The thought without its labels; several thoughts are joined by line breaks."""
    content: str
    """The content beside calls, or the answer, as written; several are joined by line breaks."""
    repairs: tuple[Repair, ...]
    """What was repaired; empty if the turn follows the dialect."""
    events: tuple[Event, ...]
    """All events; neighbouring deltas are joined."""

    def __str__(self) -> str:
        """Return the thought, the content, the calls or the answer, and the kinds of repairs."""
        repaired = (repair.kind for repair in self.repairs)
        said = self.thought, content_beside(self)
        return "\n".join(turn_lines(*said, self.result, repaired))


def read_turn(parser: TurnStream, text: str, ended: Ended = "unknown") -> Turn:
    """Read *text*, one turn, with a new *parser*; it raises what `WholeReader.parse` does."""
    events = merge_events(parser.read_whole(text, ended=ended))
    assert parser.result is not None, "a turn that was read without an error has a result"
    return turn_of(parser.result, events, parser.thought, parser.content)


def events_of(machine: Machine, text: str, tools: KnownTools) -> tuple[Event, ...]:
    """Read *text*, a turn that can be read, again to get its events, and return them."""
    # imported lazily: few callers want the events
    from agent_parsers.engine.reading.stream import TurnStream

    stream = TurnStream(machine, known_tools(tools))
    return tuple(merge_events(stream.read_whole(text)))


def turn_of(
    result: TurnResult,
    events: Sequence[Event],
    thought: str | None = None,
    content: str | None = None,
) -> Turn:
    """Return the turn with this *result* and these merged *events*.

    By default its thought and content are taken from the events.
    """
    return Turn(
        result=result,
        thought=thought_of(events) if thought is None else thought,
        content=content_of(events) if content is None else content,
        repairs=tuple(event for event in events if isinstance(event, Repair)),
        events=tuple(events),
    )


def turn_before_events(
    result: TurnResult,
    thought: str,
    content: str,
    repairs: tuple[Repair, ...],
    read_events: Callable[[], tuple[Event, ...]],
) -> Turn:
    """Return a turn whose events are read only when they are needed."""
    turn = Turn.__new__(Turn)
    set_field = object.__setattr__  # the class is frozen
    set_field(turn, "result", result)
    set_field(turn, "thought", thought)
    set_field(turn, "content", content)
    set_field(turn, "repairs", repairs)
    set_field(turn, "_read_events", read_events)
    return turn


def thought_of(events: Iterable[Event]) -> str:
    """Return the thought of a turn; a marker between two parts of it becomes a line break."""
    return _joined(events, ThoughtDelta)


def content_of(events: Sequence[Event]) -> str:
    """Return the content of a turn, or its answer; see `thought_of`."""
    if said := _joined(events, AnswerDelta):
        return said
    # What is told as the input of a call may turn out to be the answer.
    answers = (each.finish.return_values.get("output") for each in events if type(each) is Finish)
    return next((answer for answer in answers if isinstance(answer, str)), "")


def _joined(events: Iterable[Event], kind: type[Delta]) -> str:
    """Join the texts of deltas of one *kind*; a marker between two becomes a line break."""
    parts: list[str] = []
    is_apart = False
    for event in events:
        if isinstance(event, kind):
            if is_apart and parts:
                parts.append("\n")
            parts.append(event.text)
            is_apart = False
        elif isinstance(event, MarkerSeen):
            is_apart = True
    return "".join(parts)
