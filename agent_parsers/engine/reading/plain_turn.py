"""The events of a turn in which nothing was repaired, made from one scan of the whole text."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.reading.plain_text import Unsure, counts
from agent_parsers.engine.reading.turn import Turn, turn_of
from agent_parsers.events import ActionComplete, Finish, MarkerSeen, Repair, ToolNamed, merge_events

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.events import Event, Span
    from agent_parsers.toolset import ToolSet

__all__ = ["plain_turn"]


def plain_turn(
    machine: Machine,
    text: str,
    result: AgentAction | AgentFinish,
    tools: ToolSet | Collection[str] | None,
) -> Turn:
    """Return the turn that a stream would read in *text*.

    Args:
        machine: The machine that reads it.
        text: The whole turn.
        result: The result of the turn.
        tools: The available tools, or only their names.

    Raises:
        Unsure: Something in the turn is repaired, or is not as usual.
    """
    events: list[Event] = []
    buffer = "\n" + text  # a label may begin the text, as if after a line break
    state, name = machine.initial, "start"
    text_at = at = marker_at = 0
    label_at = -1  # where the marker before the text of this state begins
    first = last = (0, 0)  # spans of the tool's name, and of the last text
    while True:
        found = state.whole(buffer, at)
        crossing = None if found is None else state.by_group[found.lastindex or 0]
        stop = len(buffer) if found is None else found.start()
        if found is not None and crossing is not None:
            at = found.end()
            place = (label_at, text_at)
            if crossing.guards and not counts(state, crossing, found, place, tools):
                continue
            if not _is_plain(machine, crossing, found[0]):
                raise Unsure
            if crossing.is_note:
                state = crossing.to
                continue
        end = max(stop - 1, 0)  # there is no line break before the text
        body = text[max(text_at - 1, 0) : end]
        start = end - len(body.lstrip())
        written = body.strip() if crossing or not state.keeps_end else body.lstrip()
        may_be_empty = state.part is Part.THOUGHT or state.begun is not None
        if state.is_verbatim or not (written or (crossing and may_be_empty)):
            raise Unsure
        last = start, start + len(written)
        if start > marker_at:
            events.append(MarkerSeen(name, (marker_at, start)))
        marker_at = last[1]
        if written and state.part is Part.CALL:
            last = _read_call(machine, state, written, start, result, events)
        elif written:
            events.append(_event_of(state, written, last, result))
        first = last if state.part is Part.TOOL else first
        if crossing is None:
            break
        state, name, label_at, text_at = crossing.to, crossing.name, stop, at
    span = (first[0], last[1]) if first[1] else last
    done = Finish(result, span) if isinstance(result, AgentFinish) else ActionComplete(result, span)
    rest = [MarkerSeen("end", (marker_at, len(text)))] if marker_at < len(text) else []
    # An answer is certain only at the end of the text.
    events += [*rest, done] if state.part is Part.ANSWER else [done, *rest]
    return turn_of(result, merge_events(events))


def _is_plain(machine: Machine, crossing: Crossing, spelt: str) -> bool:
    """Return whether a marker is written as the dialect writes it, and does nothing special."""
    to = crossing.to
    if crossing.closes or crossing.breaks_line or crossing.ends_thought:
        return False
    if crossing.drops or crossing.odd or crossing.late:
        return False
    if to.is_cut or to.problem or to.beside_action or to.is_bare:
        return False
    return not machine.lenient or crossing.is_note or crossing.marker.is_canonical(spelt)


def _event_of(state: State, text: str, span: Span, result: AgentAction | AgentFinish) -> Event:
    """Return the event of the *text* of a state that is no call.

    Raises:
        Unsure: It was repaired, or is not what it should be.
    """
    if state.delta is not None and state.part is not Part.SKIPPED and not state.is_open_answer:
        return state.delta(text, span)
    if state.part is Part.TOOL and not isinstance(result, AgentFinish) and text == result.tool:
        return ToolNamed(text, span)
    raise Unsure


def _read_call(
    machine: Machine,
    state: State,
    text: str,
    at: int,
    result: AgentAction | AgentFinish,
    events: list[Event],
) -> Span:
    """Add the events of a call with this *text* at offset *at*; return its span.

    Raises:
        Unsure: It was repaired, or is not what it should be.
    """
    reader = (state.new_call or machine.new_call)()
    events += reader.feed(text, at)
    last, call = reader.close()
    events += last
    is_same = isinstance(result, AgentFinish) or call.tool == result.tool
    is_repaired = call.repairs or any(isinstance(event, Repair) for event in events)
    if is_repaired or call.after or not is_same:
        raise Unsure
    return call.span
