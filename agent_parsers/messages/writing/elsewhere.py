"""Texts of other dialects in a conversation: the turns that they are."""

from __future__ import annotations

import json
from collections.abc import Iterable
from contextlib import suppress
from functools import lru_cache
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import as_text
from agent_parsers.engine.reading.rules.foreign_calls import dialects_signed
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.messages.writing.past import PastCall

_MODES: Final[tuple[Mode, ...]] = ("lenient", "strict", "langchain")


def meant_by(calls: Iterable[PastCall | AgentAction]) -> tuple[tuple[str, str], ...]:
    """Return the tools of *calls* and their inputs, however those are written."""
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


@lru_cache(maxsize=256)
def turn_in(dialect: Dialect, text: str) -> Turn | None:
    """Return the turn that *text* is in *dialect*, whatever tools it calls; `None` if it is none.

    A turn that the lenient mode refuses may be one of another mode.
    """
    for mode in _MODES:
        with suppress(OutputParserException):
            return read_turn(TurnStream(machine(dialect, mode), refuses=False), text, "stop")
    return None


def reads_calls(dialect: Dialect, text: str, meant: tuple[tuple[str, str], ...]) -> bool:
    """Return whether *dialect* reads the calls that are *meant* in *text*, or some of one turn."""
    found = turn_in(dialect, text)
    read = () if found is None else meant_by(found.actions)
    return bool(read) and all(each in read for each in meant)


def turn_that_calls(text: str) -> Turn | None:
    """Return the turn with calls that *text* is in another dialect, whose marks it has, or `None`.

    If several dialects read calls in it, they have to read the same.
    """
    for dialects in dialects_signed(text):
        turns = (turn_in(dialect, text) for dialect in dialects)
        found = [turn for turn in turns if turn is not None and turn.actions and not turn.repairs]
        read = {meant_by(turn.actions) for turn in found}
        if found:
            return found[0] if len(read) == 1 else None
    return None


def turn_that_answers(text: str) -> Turn | None:
    """Return the answer that *text* is by the marks or labels of another dialect, or `None`."""
    for dialect in dialects_signed(text)[0]:
        found = turn_in(dialect, text)
        if found is not None and found.finish is not None and found.output != text.strip():
            return found
    return None


def turn_of_calls(text: str, meant: tuple[tuple[str, str], ...]) -> Turn | None:
    """Return the turn that *text* is in any dialect that reads in it the calls that are *meant*."""
    for dialect in chain(*dialects_signed(text)):
        if reads_calls(dialect, text, meant):
            return turn_in(dialect, text)
    return None
