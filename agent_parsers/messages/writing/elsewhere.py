"""Texts of other dialects in a conversation: the turns that they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import as_text
from agent_parsers.engine.reading.rules.foreign_calls import dialect_written, dialects_signed
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.events import MarkerSeen
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.messages.writing.past import PastCall

_MODES: Final[tuple[Mode, ...]] = ("lenient", "strict", "langchain")


def meant_by(calls: Iterable[PastCall | AgentAction]) -> tuple[tuple[str, str], ...]:
    """Return the tool and the input of each of *calls*, the same for all ways to write it."""
    return tuple((call.tool, _as_written(call.tool_input)) for call in calls)


def _as_written(tool_input: Any) -> str:
    """Return an input as text: that of its only argument, or JSON in which all values are text.

    White space and case do not count, since dialects write values such as ``true`` in several ways.
    """
    if isinstance(tool_input, str):
        with suppress(ValueError, RecursionError):
            tool_input = json.loads(tool_input)
    if isinstance(tool_input, dict):
        tool_input = {key: as_text(tool_input[key]) for key in sorted(tool_input, key=str)}
        if len(tool_input) == 1:
            (tool_input,) = tool_input.values()
    return "".join(as_text(tool_input).split()).casefold()


@lru_cache(maxsize=512)
def turn_in(dialect: Dialect, text: str, mode: Mode = "lenient") -> Turn | None:
    """Return *text* read as a turn of *dialect*, whatever it calls; `None` if it is not one."""
    with suppress(OutputParserException):
        return read_turn(TurnStream(machine(dialect, mode), refuses=False), text, "stop")
    return None


def turn_calling(dialect: Dialect, text: str, meant: tuple[tuple[str, str], ...]) -> Turn | None:
    """Return the turn with the calls that are *meant*, if *dialect* reads them in *text*.

    They were made, so it counts if a mode reads them that is less careful than the lenient one.
    """
    for mode in _MODES:
        found = turn_in(dialect, text, mode)
        read = () if found is None else meant_by(found.actions)
        if read and all(each in read for each in meant):
            return found
    return None


@lru_cache(maxsize=512)
def turn_anywhere(text: str) -> tuple[Turn | None, Dialect | None]:
    """Return *text* read as a turn, and the dialect that it is written in.

    Without the marks of any dialect, it is an answer, perhaps after a block of reasoning. Text that
    may be read in several ways is not a turn, and neither is an answer whose first label comes
    after words, which may be prose.
    """
    dialect = dialect_written(text)
    if dialect is not None and (found := turn_in(dialect, text)) is not None:
        has_labels = bool(dialect.lenient.transcript_start) and not found.actions
        is_prose = has_labels and not begins_with_mark(found, text)
        return (None, None) if is_prose else (found, dialect)
    for dialects in dialects_signed(text):
        known = [(turn_in(each, text), each) for each in dialects]
        clean = [(turn, each) for turn, each in known if turn and turn.actions and _is_clean(turn)]
        if clean:
            is_one = len({meant_by(turn.actions) for turn, _ in clean}) == 1
            return clean[0] if is_one else (None, None)
    return None, None


def is_of_another(dialect: Dialect, turn: Turn, text: str) -> bool:
    """Return whether *text*, which *dialect* reads as *turn*, was written in another dialect.

    That is so if another dialect reads it without repairs, and *dialect* only with repairs.
    """
    if _is_clean(turn):
        return False
    found, wrote = turn_anywhere(text)
    return found is not None and wrote != dialect and _is_clean(found)


def begins_with_mark(turn: Turn, text: str) -> bool:
    """Return whether *text*, which is read as *turn*, begins with a mark."""
    first = len(text) - len(text.lstrip())
    seen = (event.span[0] for event in turn.events if isinstance(event, MarkerSeen))
    return next(seen, -1) == first


def _is_clean(turn: Turn) -> bool:
    """Return whether a *turn* follows its dialect, but that a model may invent what follows it."""
    return all(repair.kind == "invented" for repair in turn.repairs)


def turn_of_calls(text: str, meant: tuple[tuple[str, str], ...]) -> Turn | None:
    """Return *text* as a turn of any dialect that reads the calls that are *meant* in it."""
    turns = (turn_calling(dialect, text, meant) for dialect in chain(*dialects_signed(text)))
    return next(filter(None, turns), None)
