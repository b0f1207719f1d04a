"""Makes results of turns of calls that are spelt as their dialect writes them."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any

from agent_parsers.actions.tool_action import make_message, make_tool_call
from agent_parsers.engine.reading.canonical.turns import canonical_turns
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.reading.turn import events_of, turn_before_events
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Sequence

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.canonical.turns import CanonicalTurns, PlainCall
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.events import Repair
    from agent_parsers.toolset import ToolSet

__all__ = ["CanonicalReader", "canonical_reader"]


def canonical_reader(machine: Machine, is_plain: Callable[[str], bool]) -> CanonicalReader | None:
    """Return the reader of canonical turns; `None` if the dialect does not show their spelling.

    The arguments are those of `CanonicalReader`.
    """
    turns = canonical_turns(machine.dialect, machine.table)
    return None if turns is None else CanonicalReader(machine, turns, is_plain)


class CanonicalReader:
    """Reads turns of calls in the spelling of their dialect; all others need a stream.

    Args:
        machine: The machine of the dialect.
        turns: Reads the texts of such turns.
        is_plain: Returns whether a name of a tool is read as it is written.
    """

    def __init__(
        self, machine: Machine, turns: CanonicalTurns, is_plain: Callable[[str], bool]
    ) -> None:
        self._machine = machine
        self._turns = turns
        self._is_plain = is_plain

    def result(
        self, text: str, tools: ToolSet | Collection[str] | None
    ) -> list[AgentAction] | None:
        """Return the actions of a turn; `None` if only a stream can read it.

        Args:
            text: The whole turn.
            tools: The available tools, or only their names.
        """
        turn = self._turns.read(text)
        return None if turn is None else self._actions(turn.calls, text, tools)

    def turn(self, text: str, tools: ToolSet | Collection[str] | None) -> Turn | None:
        """Return a turn without repairs; arguments and result: as for `result`."""
        turn = self._turns.read(text)
        if turn is None or (actions := self._actions(turn.calls, text, tools)) is None:
            return None
        read_events = partial(events_of, self._machine, text, tools)
        return turn_before_events(actions, turn.thought, turn.content, read_events)

    def _actions(
        self, calls: Sequence[PlainCall], text: str, tools: ToolSet | Collection[str] | None
    ) -> list[AgentAction] | None:
        """Return the actions of *calls*; `None` if a name or an input is not taken as it is."""
        known = known_tools(tools)
        message = make_message(text)
        actions: list[AgentAction] = []
        repairs: list[Repair] = []
        for tool, tool_input, call_id in calls:
            if not self._is_plain(tool):
                return None
            value: str | dict[str, Any] = tool_input
            if known is not None:
                if tool not in known or (
                    self._turns.has_texts and not known.takes_texts(tool, tool_input)
                ):
                    return None
                try:
                    value = self._machine.fit(ToolHead(tool), tool_input, (0, 0), known, repairs)
                except BadPayload:
                    return None
            actions.append(make_tool_call(tool, value, text, message, call_id))
        return None if repairs else actions
