"""Strict mode repairs nothing; lenient mode reports every repair."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, AgentFinish, Dialect
from agent_parsers.engine.grammar.modes import Mode
from agent_parsers.testing import laws, texts
from agent_parsers.testing.laws.modes import is_clear
from agent_parsers.testing.trials.stories import Refusal, parsed, results_in

from ....helpers.stories import assert_found, every_dialect, every_mode, every_turn_mode


@every_turn_mode
@given(data=st.data())
def test_strict_mode_repairs_nothing(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    laws.strict_reading_repairs_nothing(dialect, data.draw(texts(dialect, mode), "text"))


@every_mode
@given(data=st.data())
def test_a_repair_says_what_and_where(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    laws.a_repair_says_what_and_where(dialect, mode, data.draw(texts(dialect, mode), "text"))


@every_mode
@given(data=st.data())
def test_a_label_that_is_spelt_otherwise_is_a_repair(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.a_label_that_is_spelt_otherwise_is_a_repair(dialect, mode, text)


@every_dialect
@given(data=st.data())
def test_without_a_repair_both_readings_are_the_same(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"), "text")
    laws.without_a_repair_both_readings_are_the_same(dialect, text)


@every_dialect
@given(data=st.data())
def test_lenient_reads_what_strict_reads(dialect: Dialect, data: st.DataObject) -> None:
    laws.lenient_reads_what_strict_reads(dialect, data.draw(texts(dialect, "strict"), "text"))


def only_lenient_takes(dialect: Dialect, kind: type, text: str) -> bool:
    strict, lenient = (parsed(dialect, mode, text) for mode in ("strict", "lenient"))
    is_kind = any(isinstance(result, kind) for result in results_in(lenient))
    return is_kind and isinstance(strict, Refusal) and is_clear(dialect, text)


SELDOM = {("xml", AgentAction): "<tool>search</tool><tool>search</tool>"}
"""Texts that a search rarely finds: two whole calls without an input."""


@every_dialect
@pytest.mark.parametrize("kind", [AgentAction, AgentFinish])
def test_there_are_texts_that_only_lenient_reading_takes(dialect: Dialect, kind: type) -> None:
    if dialect.several and not dialect.thinks and kind is AgentFinish:
        return  # any text without a call is an answer in strict mode, too
    if dialect.name == "glm4" and kind is AgentAction:
        return  # so is text with an invalid call, unless it is cut; then both modes refuse it
    condition = partial(only_lenient_takes, dialect, kind)
    if (dialect.name, kind) in SELDOM:
        assert condition(SELDOM[dialect.name, kind])
    else:
        assert_found(dialect, "lenient", condition)
