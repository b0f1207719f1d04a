"""Reads turns of calls whose JSON has commas before closing brackets, without a stream."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.engine.markers.kinds import spelt_texts
from outputs.growing_json.lenient.json_text import without_trailing_commas

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.engine.reading.canonical.turn_reader import CanonicalReader
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended

__all__ = ["OddCalls", "odd_calls"]


class OddCalls:
    """Reads such turns with the results of a stream of one chunk.

    Args:
        turns: Reads the turns that are spelt as the dialect writes them.
        opener: The mark before the first call.
    """

    def __init__(self, turns: CanonicalReader, opener: str) -> None:
        self._turns, self._opener = turns, opener

    def result(
        self, text: str, tools: ToolSet | Collection[str] | None, ended: Ended
    ) -> list[AgentAction] | None:
        """Return the calls of a turn; `None` if only a stream knows them.

        Args:
            text: The whole turn.
            tools: The available tools, or only their names.
            ended: How the text ended, if known.
        """
        at = -1 if ended == "length" else text.find(self._opener)
        if at < 0:
            return None
        calls, commas = without_trailing_commas(text[at:])
        turn = self._turns.read(text[:at] + calls, tools) if commas else None
        if turn is None or not turn.calls:
            return None
        result = self._turns.result_of(turn, text)
        return None if isinstance(result, AgentFinish) else result


def odd_calls(machine: Machine, turns: CanonicalReader) -> OddCalls | None:
    """Return the reader of a machine's odd calls; `None` if nothing shows where its JSON begins.

    The arguments are those of `OddSteps`.
    """
    form = machine.dialect.form
    if form is None or not machine.lenient or form.call.parameters is not None:
        return None
    opener = form.around[0].strip() or form.calls[0].strip()
    marks = {text for marker in machine.table.markers.values() for text in spelt_texts(marker)}
    spelt = "".join((*form.calls, *form.around, form.call.text))
    # No mark may look like the beginning of a string, or like the end of an object or array.
    is_odd = any(text[-1:] in ']}"' and text in spelt for text in marks)
    return None if is_odd or opener not in marks else OddCalls(turns, opener)
