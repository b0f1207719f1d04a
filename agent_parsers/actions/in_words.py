"""Turns and steps as short texts: a line each for thought, content, calls, answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, TurnResult, as_text
from output_parsers.printable import printable

_MOST_CHARS: Final = 100
"""The longest line, in characters."""


def turn_lines(
    thought: str, content: str, result: TurnResult | None, repaired: Iterable[str] = ()
) -> Iterator[str]:
    """Yield the lines of a turn: its thought, its calls or answer, and the kinds of its repairs.

    The *result* is `None` if the turn could not be read.
    """
    if thought.strip():
        yield in_a_line(thought)
    if content.strip():
        yield in_a_line(f"content: {content}")
    match result:
        case None:
            pass
        case AgentAction() | list():
            for action in result if isinstance(result, list) else [result]:
                yield in_a_line(f"{action.tool}: {as_text(action.tool_input)}")
        case finish:
            yield in_a_line(f"answer: {as_text(finish.output)}")
    if kinds := ", ".join(repaired):
        yield in_a_line(f"repaired: {kinds}")


def content_beside(turn: Any) -> str:
    """Return the content of a *turn* that is not its answer."""
    return "" if isinstance(turn.result, AgentFinish) else str(turn.content)


def in_a_line(text: str) -> str:
    """Return *text* on one line that is safe for a terminal, cut if it is long."""
    line = printable(" ".join(text[: 2 * _MOST_CHARS].split()))
    return line if len(line) <= _MOST_CHARS else f"{line[: _MOST_CHARS - 1]}…"
