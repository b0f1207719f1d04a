"""No call is made from half a call, a duplicate key, or a quotation."""

from __future__ import annotations

from typing import TYPE_CHECKING
from zlib import crc32

from hypothesis import settings

from agent_parsers.testing import laws
from agent_parsers.testing.trials.double_keys import KINDS, double_keys
from agent_parsers.testing.trials.quotations import quotations
from agent_parsers.testing.trials.sample_calls import sample_turns, tool_sets

from ....helpers.stories import every_turn_mode, share, some

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.engine.grammar.modes import Mode

CUTS = 60
"""Number of prefixes of turns that are read for a dialect and mode, unless thorough."""


def places(dialect: Dialect, text: str, count: float) -> range:
    """Return so many places in *text*, or all of them when there is time."""
    if settings.get_current_profile_name() == "deep":
        return range(len(text) + 1)
    step = max(round(len(text) / count), 1)
    return range(crc32(f"{dialect.name}{text}".encode()) % step, len(text) + 1, step)


@every_turn_mode
def test_no_prefix_of_a_turn_acts_otherwise(dialect: Dialect, mode: Mode) -> None:
    cases = [
        (turn.text, known) for turn in sample_turns(dialect) for known in tool_sets(turn.calls)
    ]
    assert cases
    for text, tools in (few := some(cases, dialect, 1 / 3)):
        at = places(dialect, text, CUTS * share(dialect) / len(few))
        laws.no_prefix_of_a_turn_acts_otherwise(dialect, mode, text, tools=tools, at=at)


@every_turn_mode
def test_no_key_counts_twice(dialect: Dialect, mode: Mode) -> None:
    for case in double_keys(dialect, mode, some(KINDS, dialect, 1 / 2)):
        laws.no_key_counts_twice(dialect, mode, case.text, tools=case.tools)


@every_turn_mode
def test_reasoning_and_quotation_never_act(dialect: Dialect, mode: Mode) -> None:
    for case in some(quotations(dialect, mode), dialect, 1 / 2):
        laws.reasoning_and_quotation_never_act(
            dialect, mode, case.text, meant=case.meant, may_repair=case.may_repair
        )
