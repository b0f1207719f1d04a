"""Laws about cuts, events and text, for every dialect and mode."""

from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import Dialect
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.testing import cuts, laws, texts
from agent_parsers.testing.laws.reading import quiet_places
from agent_parsers.testing.trials.pieces import fragments, rows, small_inputs
from agent_parsers.testing.trials.strategies import policies, tool_lists

from ....helpers.stories import every_mode, every_run_mode, every_turn_mode, some

SHORT = 60
"""Texts up to this length are cut in two at each position."""


@every_mode
@given(data=st.data())
def test_any_cut_gives_the_same_story(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.any_cut_gives_the_same_events(
        dialect,
        mode,
        text,
        sizes=data.draw(cuts(), "sizes"),
        halves=len(text) <= SHORT,
        tools=data.draw(tool_lists(dialect), "tools"),
        on_conflict=data.draw(policies(), "on_conflict"),
    )


@every_mode
def test_every_transition_gives_the_same_story_in_any_cut(dialect: Dialect, mode: Mode) -> None:
    texts = rows(dialect, mode)
    assert texts
    for text in some(texts, dialect, 1 / 8):
        laws.any_cut_gives_the_same_events(dialect, mode, text, halves=True)


@every_turn_mode
def test_every_small_input_gives_the_same_story_in_any_cut(dialect: Dialect, mode: Mode) -> None:
    texts = small_inputs(dialect)
    assert texts
    for text in some(texts, dialect, 1 / 4):
        laws.any_cut_gives_the_same_events(dialect, mode, text)
        laws.parse_gives_the_result_of_the_stream(dialect, mode, text)
        laws.no_character_is_lost_or_repeated(dialect, mode, text)


@every_run_mode
@given(data=st.data())
def test_any_cut_gives_the_same_runs(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.any_cut_gives_the_same_runs(dialect, text, sizes=data.draw(cuts(), "sizes"))


@every_run_mode
@given(data=st.data())
def test_a_step_is_returned_once_and_kept_in_its_run(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    laws.each_step_of_a_transcript_is_reported_once(
        dialect, data.draw(texts(dialect, mode), "text")
    )


@every_turn_mode
@given(data=st.data())
def test_parsing_at_once_gives_the_result_of_the_stream(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    laws.parse_gives_the_result_of_the_stream(
        dialect,
        mode,
        data.draw(texts(dialect, mode), "text"),
        tools=data.draw(tool_lists(dialect), "tools"),
        on_conflict=data.draw(policies(), "on_conflict"),
    )


@every_turn_mode
@given(data=st.data())
def test_the_last_word_on_an_action_is_the_result(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    laws.the_last_word_on_an_action_is_the_result(
        dialect,
        mode,
        data.draw(texts(dialect, mode), "text"),
        tools=data.draw(tool_lists(dialect), "tools"),
        on_conflict=data.draw(policies(), "on_conflict"),
    )


@every_mode
@given(data=st.data())
def test_no_character_is_lost_or_emitted_twice(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    sizes = data.draw(cuts(), "sizes")
    laws.no_character_is_lost_or_repeated(dialect, mode, text, sizes=sizes)


@every_turn_mode
@given(data=st.data())
def test_the_log_is_the_text_of_the_model(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.the_log_is_the_text_of_the_model(dialect, mode, text)


@every_run_mode
@given(data=st.data())
def test_the_log_of_a_step_is_part_of_the_transcript(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.the_log_of_a_step_is_part_of_the_transcript(dialect, text)


@every_mode
def test_a_character_outside_markers_is_emitted_at_once(dialect: Dialect, mode: Mode) -> None:
    for text in fragments(dialect):
        laws.text_outside_markers_is_reported_at_once(dialect, mode, text)
    assert any(quiet_places(dialect, mode, text) for text in fragments(dialect))
