"""The texts that the laws are tested with reach all there is, so that no law holds of nothing."""

import subprocess
import sys
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_laws import cuts, every_cut, turns
from agent_laws.laws.table import reached
from agent_laws.trials.pieces import rows, table_of
from agent_laws.trials.stories import FailedStep, Refusal, parsed, results_in, story_of
from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Dialect,
    Finish,
    InputDelta,
    Repair,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.authoring import Part
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.events import MarkerSeen, ObservationDelta, QuestionDelta, SkippedDelta
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.testing import cut

from ...helpers.stories import (
    DIALECTS,
    assert_found,
    every_dialect,
    every_mode,
    every_turn_mode,
)

EVENTS_OF: dict[Part, set[type]] = {
    Part.QUESTION: {QuestionDelta},
    Part.THOUGHT: {ThoughtDelta},
    Part.TOOL: {ToolNamed, ActionComplete},
    Part.INPUT: {InputDelta, ActionComplete},
    Part.CALL: {ToolNamed, InputDelta, ActionComplete},
    Part.ANSWER: {AnswerDelta, Finish},
    Part.OBSERVATION: {ObservationDelta},
    Part.SKIPPED: {SkippedDelta},
    Part.CONTENT: {AnswerDelta},
}


def emits(dialect: Dialect, mode: Mode, kind: type, text: str) -> bool:
    return bool(story_of(dialect, mode, [text]).of(kind))


def test_there_are_dialects() -> None:
    assert len(DIALECTS) >= 2


@every_turn_mode
@pytest.mark.parametrize("kind", [AgentAction, AgentFinish, Refusal])
def test_there_are_texts_for_each_outcome(dialect: Dialect, mode: Mode, kind: type) -> None:
    def results(text: str) -> bool:
        outcome = parsed(dialect, mode, text)
        return any(isinstance(each, kind) for each in (outcome, *results_in(outcome)))

    assert_found(dialect, mode, results)


@every_mode
def test_there_are_texts_for_each_event(dialect: Dialect, mode: Mode) -> None:
    table = table_of(dialect, mode)
    kinds: set[type] = {MarkerSeen, FailedStep, *({Repair} if table.lenient else ())}
    for role in table.parts.values():
        kinds |= EVENTS_OF[role]
    if mode != "transcript":  # a turn skips text of other steps
        kinds -= {QuestionDelta, ObservationDelta, FailedStep}
    for kind in kinds:
        assert_found(dialect, mode, partial(emits, dialect, mode, kind))


@every_mode
def test_there_is_a_text_for_each_row_of_the_table(dialect: Dialect, mode: Mode) -> None:
    table = table_of(dialect, mode)
    states = reached(table, by_caller=False)
    count = sum(state in states for state, _ in table.transitions)
    assert len(rows(dialect, mode)) == 3 * count, "a state cannot be reached"


# -- what users draw -----------------------------------------------------------------------------


@every_dialect
@settings(max_examples=10)
@given(data=st.data())
def test_a_turn_is_read_as_it_was_meant(dialect: Dialect, data: st.DataObject) -> None:
    turn = data.draw(turns(dialect), "turn")
    for lenient in (False, True):
        parser = dialect_parser(dialect, lenient=lenient)
        assert parser.parse(results_in(turn.result)[0].log) == turn.result
    assert not turn.repairs


@given(text=st.text(max_size=30), sizes=cuts())
def test_a_cut_loses_nothing(text: str, sizes: list[int]) -> None:
    chunks = list(cut(text, sizes))
    assert "".join(chunks) == text
    assert all(len(chunk) in sizes for chunk in chunks[:-1])


@pytest.mark.parametrize(
    ("text", "cuts"),
    [
        ("", [("",)]),
        ("a", [("a",)]),
        ("abc", [("abc",), ("a", "bc"), ("ab", "c"), ("a", "b", "c")]),
    ],
)
def test_a_short_text_is_cut_in_every_way(text: str, cuts: list[tuple[str, ...]]) -> None:
    assert list(every_cut(text)) == cuts


@given(text=st.text(min_size=1, max_size=30))
def test_every_cut_has_the_whole_the_characters_and_each_two_parts(text: str) -> None:
    ways = list(every_cut(text))
    assert all("".join(way) == text for way in ways)
    assert len(set(ways)) == len(ways)
    pairs = [(text[:at], text[at:]) for at in range(1, len(text))]
    assert {tuple(text), *pairs, (text,)} <= set(ways)
    assert all("" not in way for way in ways)


def test_without_hypothesis_the_error_says_how_to_get_it() -> None:
    code = """
import sys
sys.modules["hypothesis"] = None
import agent_laws
print(list(agent_laws.every_cut("ab")))
for name in sys.argv[1:]:
    try:
        exec(f"from agent_laws import {name}")
    except ImportError as error:
        print(error)
"""
    names = ("check_dialect", "dialect_laws", "cuts", "texts", "turns")
    done = subprocess.check_output([sys.executable, "-c", code, *names], text=True)
    error = (
        "agent_laws generates texts with hypothesis, which is not installed:"
        " pip install 'agent-parsers[testing]'"
    )
    assert done.splitlines() == ["[('ab',), ('a', 'b')]", *[error] * len(names)]
