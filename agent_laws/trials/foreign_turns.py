"""Deterministic turns for another reader than the dialect that writes them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import cycle
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.trials.sample_calls import (
    Meant,
    SampleTurn,
    calls_in,
    reading,
    sample_turns,
    usual_turn,
)
from agent_laws.trials.tool_shapes import DECLARED, tool_sets
from agent_parsers.authoring import Written
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from agent_parsers import Dialect

_SPECIAL: Final = re.compile(r"<[|｜][^<>\s]+?[|｜]?>|<[^<>|｜\s]+[|｜]>|\[[A-Z_]{3,}\]")
"""Special tokens, which a server may leave out of the text that it returns."""
_SIGNS: Final = re.compile(r"[{(<]")


class ForeignTurn(NamedTuple):
    """A turn with calls, and what another reader knows."""

    turn: SampleTurn
    """The turn."""
    tools: ToolSet
    """Tools that take its calls."""
    meant: list[Meant]
    """The calls as the dialect that writes the turn reads them."""


def foreign_turns(dialect: Dialect) -> Iterator[ForeignTurn]:
    """Yield turns of *dialect*, each with tools of two shapes.

    They have required parameters, and another shape. Turns whose calls name no tool, such as code,
    are left out.
    """
    others = cycle(DECLARED[1:])
    for turn in sample_turns(dialect):
        if any(call.tool not in turn.text for call in turn.calls):
            continue
        known = tool_sets(turn.calls)
        for tools in (known.get(DECLARED[0]), known.get(next(others))):
            if tools is None:
                continue
            meant = calls_in(reading(dialect, "lenient", turn.text, tools=tools, ended="stop"))
            if len(meant) == len(turn.calls):
                yield ForeignTurn(turn, tools, meant)


def stripped_turns(dialect: Dialect) -> Iterator[ForeignTurn]:
    """Yield turns of *dialect* without its special tokens, if these leave signs of a call."""
    if not _SIGNS.search(_SPECIAL.sub("", usual_turn(dialect, "lakes").text)):
        return
    for each in foreign_turns(dialect):
        text = _SPECIAL.sub("", each.turn.text)
        if any(_SPECIAL.search(str(call.tool_input)) for call in each.meant):
            continue  # its values would be others
        if text != each.turn.text and all(call.tool in text for call in each.turn.calls):
            yield each._replace(turn=each.turn._replace(text=text))


def told_turns(dialect: Dialect) -> Iterator[tuple[str, ToolSet]]:
    """Yield what *dialect* writes, calls and answers, with tools that take the calls."""
    known = ToolSet([])
    for turn, known, _ in foreign_turns(dialect):
        yield turn.text, known
    for thought in ("", "I have seen it.") if dialect.thinks else ("",):
        for answer in ("It is lit.", "Two words:\n\n- old\n- seven"):
            yield dialect.write(Written(thought, answer=answer)), known
