"""The texts that the laws are tested with reach all there is, so that no law holds of nothing."""

from functools import partial

import pytest

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Dialect,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.engine import Mode, Role

from .stories import DIALECTS, Refusal, ToldFailure, every_mode, every_turn_mode, parsed, told
from .strategies import assert_found, rows, table_of

TOLD_BY: dict[Role, set[type]] = {
    Role.QUESTION: {QuestionDelta},
    Role.THOUGHT: {ThoughtDelta},
    Role.TOOL: {ToolNamed, ActionComplete},
    Role.INPUT: {InputDelta, ActionComplete},
    Role.CALL: {ToolNamed, InputDelta, ActionComplete},
    Role.ANSWER: {AnswerDelta, Finish},
    Role.OBSERVATION: {ObservationDelta},
    Role.SKIPPED: {SkippedDelta},
}


def tells(dialect: Dialect, mode: Mode, kind: type, text: str) -> bool:
    return bool(told(dialect, mode, [text]).of(kind))


def test_there_are_dialects() -> None:
    assert len(DIALECTS) >= 2


@every_turn_mode
@pytest.mark.parametrize("kind", [AgentAction, AgentFinish, Refusal])
def test_there_are_texts_for_each_outcome(dialect: Dialect, mode: Mode, kind: type) -> None:
    assert_found(dialect, mode, lambda text: isinstance(parsed(dialect, mode, text), kind))


@every_mode
def test_there_are_texts_for_each_event(dialect: Dialect, mode: Mode) -> None:
    table = table_of(dialect, mode)
    kinds: set[type] = {MarkerSeen, ToldFailure, *({Repair} if table.mends else ())}
    for role in table.roles.values():
        kinds |= TOLD_BY[role]
    if mode != "transcript":  # where what is of another step is skipped
        kinds -= {QuestionDelta, ObservationDelta, ToldFailure}
    for kind in kinds:
        assert_found(dialect, mode, partial(tells, dialect, mode, kind))


@every_mode
def test_there_is_a_text_for_each_row_of_the_table(dialect: Dialect, mode: Mode) -> None:
    table = table_of(dialect, mode)
    assert len(rows(dialect, mode)) == 3 * len(table.moves), "a state cannot be reached"
