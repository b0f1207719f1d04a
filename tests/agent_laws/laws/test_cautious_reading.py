"""No call is made from what encloses it, is beside it, or is read otherwise by another parser."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent_laws import BrokenLawError, laws
from agent_laws.trials import beside_calls as beside
from agent_laws.trials import enclosures
from agent_laws.trials.foreign_turns import doubtful_turns, stripped_turns, told_answers, told_turns
from agent_parsers import auto, get_dialect
from agent_parsers.detecting import signs
from agent_parsers.detecting.trial import DialectTrial

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
        laws.reasoning_and_quotation_never_act(
            dialect, mode, case.text, meant=case.meant, tools=case.tools
        )


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


@every_dialect
def test_auto_reads_the_answers_that_a_dialect_writes(dialect: Dialect) -> None:
    for text in some([*told_answers(dialect)], dialect):
        for tools in (None, ["search"]):
            laws.auto_reads_what_a_dialect_writes(dialect, text, tools=tools)


@pytest.mark.parametrize(
    "name", ["command_5", "harmony", "hunyuan_a13b", "muse_glimmer", "solar_open2"]
)
def test_the_law_catches_a_rule_by_which_a_mark_in_an_answer_counts_as_those_around_it(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(signs, "first_line", lambda _text: "")
    monkeypatch.setattr(DialectTrial, "claims", lambda _self, _other: False)
    assert answers_read_otherwise(name)


def test_the_law_catches_a_rule_by_which_a_fence_or_a_label_behind_words_is_a_sign(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(auto, "is_signed", lambda _trial, _text: True)
    assert len(answers_read_otherwise("hermes")) > 1


def test_the_law_catches_a_rule_by_which_the_first_of_two_answers_decides(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(DialectTrial, "is_clean", property(lambda self: self.is_found))
    assert answers_read_otherwise("react")


def answers_read_otherwise(name: str) -> list[str]:
    """Return the answers of a dialect for which the law is broken."""
    found = []
    for text in told_answers(get_dialect(name)):
        try:
            laws.auto_reads_what_a_dialect_writes(get_dialect(name), text, tools=None)
        except BrokenLawError:
            found.append(text)
    return found
