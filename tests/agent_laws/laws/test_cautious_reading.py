"""No call is made from what encloses it, is beside it, or is read otherwise by another parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent_laws import laws
from agent_laws.trials import beside_calls as beside
from agent_laws.trials import enclosures
from agent_laws.trials.doubtful_turns import doubtful_turns
from agent_laws.trials.foreign_turns import stripped_turns, told_turns

from ...helpers.known_faults import STRIPPED, sample
from ...helpers.stories import every_dialect, every_turn_mode, some

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.engine.tables.modes import Mode


@every_turn_mode
@pytest.mark.parametrize("kind", enclosures.KINDS)
def test_an_enclosed_call_is_not_made(dialect: Dialect, mode: Mode, kind: str) -> None:
    found = [each for each in enclosures.enclosed_calls(dialect) if each.kind == kind]
    for case in some(found, dialect, 1 / 2):
        laws.reasoning_and_quotation_never_act(dialect, mode, case.text, tools=case.tools)


@every_turn_mode
@pytest.mark.parametrize("kind", beside.KINDS)
def test_nothing_beside_a_call_is_dropped(dialect: Dialect, mode: Mode, kind: str) -> None:
    for case in beside.beside_calls(dialect, mode):
        if case.kind != kind:
            continue
        if kind == "two_names":
            laws.no_key_counts_twice(dialect, mode, case.text, tools=case.tools)
        else:
            laws.nothing_beside_a_call_is_dropped(
                dialect, mode, case.text, tools=case.tools, may_repair=case.may_repair
            )


@every_dialect
def test_strict_reading_is_never_laxer(dialect: Dialect) -> None:
    for case in some([*doubtful_turns(dialect)], dialect, 1 / 4, thorough=1 / 4):
        laws.strict_reading_is_never_laxer(dialect, case.text, tools=case.tools)


@every_dialect
def test_no_call_without_its_special_tokens_is_an_answer(dialect: Dialect) -> None:
    for turn, tools, meant in sample([*stripped_turns(dialect)], STRIPPED, dialect, 1 / 2):
        laws.no_call_is_an_answer(dialect, turn.text, meant=meant, tools=tools)


@every_dialect
def test_auto_reads_what_a_dialect_writes(dialect: Dialect) -> None:
    for text, tools in some([*told_turns(dialect)], dialect, 1 / 2):
        laws.auto_reads_what_a_dialect_writes(dialect, text, tools=tools)
