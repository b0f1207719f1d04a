"""Deterministic turns in which lenient mode should make no call, so that strict mode may not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from agent_laws.trials.beside_calls import beside_calls
from agent_laws.trials.enclosures import enclosed_calls
from agent_laws.trials.marked_turns import broken_calls
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import sample_turns, seams
from agent_laws.trials.tool_shapes import tool_sets

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.toolset import ToolSet


class DoubtfulTurn(NamedTuple):
    """A turn that lenient mode may refuse with good reason."""

    text: str
    """The turn."""
    tools: ToolSet | None
    """The tools that the parser knows."""


def doubtful_turns(dialect: Dialect) -> Iterator[DoubtfulTurn]:
    """Yield half calls, enclosed calls, and calls with something extra or something missing."""
    for quoted in quotations(dialect, "lenient"):
        yield DoubtfulTurn(quoted.text, None)
    for turn in sample_turns(dialect):
        for tools in tool_sets(turn.calls).values():
            for at in seams(turn):
                yield DoubtfulTurn(turn.text[:at], tools)
    for enclosed in enclosed_calls(dialect):
        yield DoubtfulTurn(enclosed.text, enclosed.tools)
    for beside in beside_calls(dialect, "lenient"):
        yield DoubtfulTurn(beside.text, beside.tools)
    for broken in broken_calls(dialect, "lenient"):
        yield DoubtfulTurn(broken.text, None)
