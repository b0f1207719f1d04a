"""Laws about cuts, events and text, and about what a dialect writes."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import BrokenLawError, cuts, laws, texts
from agent_laws.laws.reading import quiet_places
from agent_laws.trials.pieces import fragments, given_texts, rows, small_inputs
from agent_laws.trials.sample_calls import usual_turn
from agent_laws.trials.strategies import (
    anything,
    failed_turns,
    forgeries,
    numbers,
    observations,
    plain,
    plain_input,
    plain_steps,
    plain_tool,
    policies,
    soup,
    thoughts,
    tool_lists,
    turns_and_results,
    wild,
    wild_input,
)
from agent_parsers import AgentAction, AgentFinish, Dialect, get_dialect, get_parser
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.engine.writing import past_turns

from ...helpers.stories import (
    DIALECTS,
    every_dialect,
    every_mode,
    every_run_dialect,
    every_run_mode,
    every_turn_mode,
    some,
)

# Laws about cuts, events and text, for every dialect and mode.

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
    for text in some(texts, dialect, 1 / 16, thorough=1 / 4):
        laws.any_cut_gives_the_same_events(dialect, mode, text, halves=True)


@every_turn_mode
def test_every_small_input_gives_the_same_story_in_any_cut(dialect: Dialect, mode: Mode) -> None:
    texts = small_inputs(dialect)
    assert texts
    for text in some(texts, dialect, 1 / 4, thorough=1 / 2):
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
def test_text_in_the_form_of_another_is_read_as_it_is_streamed(
    dialect: Dialect, mode: Mode
) -> None:
    for writer in some(DIALECTS, dialect, 1 / 24, thorough=1 / 3):
        call = usual_turn(writer, "lakes").text
        for text in (call, f"Write it like this:\n{call}"):
            for thought in ("", "<think></think>\n", "<think>I see.</think>\n"):
                for tools in (None, (), ("other",)):
                    laws.parse_gives_the_result_of_the_stream(
                        dialect, mode, f"{thought}{text}", tools=tools
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


# A dialect reads back what it writes, and refuses what it cannot write.


@every_dialect
@given(data=st.data())
def test_an_action_is_read_back_or_refused(dialect: Dialect, data: st.DataObject) -> None:
    tool = data.draw(st.one_of(plain_tool(dialect), wild(dialect)), "tool")
    tool_input = data.draw(wild_input(dialect), "tool_input")
    laws.a_step_is_read_back_or_refused(
        dialect,
        AgentAction(tool, tool_input, ""),
        thought=data.draw(thoughts(dialect), "thought"),
        number=data.draw(numbers(), "number"),
    )


@every_dialect
@given(data=st.data())
def test_an_answer_is_read_back_or_refused(dialect: Dialect, data: st.DataObject) -> None:
    laws.a_step_is_read_back_or_refused(
        dialect,
        AgentFinish({"output": data.draw(wild(dialect), "answer")}, ""),
        thought=data.draw(thoughts(dialect), "thought"),
        number=data.draw(numbers(), "number"),
    )


@every_dialect
@given(data=st.data())
def test_plain_words_are_never_refused(dialect: Dialect, data: st.DataObject) -> None:
    thought = data.draw(st.just("") | plain() if dialect.thinks else st.just(""), "thought")
    number = data.draw(numbers(), "number")
    action = AgentAction(data.draw(plain_tool(dialect)), data.draw(plain_input(dialect)), "")
    answer = AgentFinish({"output": data.draw(plain())}, "")
    for step in (action, answer):
        laws.plain_words_are_never_refused(dialect, step, thought=thought, number=number)


@every_dialect
@pytest.mark.parametrize("values", [{}, {"output": 42}, {"output": None}, {"answer": "42"}])
def test_an_answer_that_is_not_text_is_refused(dialect: Dialect, values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=dialect.name):
        get_parser(dialect.name).render(AgentFinish(values, ""))


@every_run_dialect
@given(data=st.data())
def test_a_scratchpad_is_a_transcript(dialect: Dialect, data: st.DataObject) -> None:
    steps = data.draw(plain_steps(dialect), "steps")
    laws.a_scratchpad_is_a_transcript(dialect, steps, answer=data.draw(plain(), "answer"))


@every_run_dialect
@given(data=st.data())
def test_the_spans_of_a_step_are_where_its_parts_stand(
    dialect: Dialect, data: st.DataObject
) -> None:
    steps = data.draw(plain_steps(dialect), "steps")
    laws.the_spans_of_a_step_are_where_its_parts_stand(dialect, steps)


@every_run_dialect
@given(data=st.data())
def test_a_scratchpad_without_logs_is_rendered(dialect: Dialect, data: st.DataObject) -> None:
    laws.a_scratchpad_without_logs_is_rendered(dialect, data.draw(plain_steps(dialect), "steps"))


@every_run_dialect
@given(data=st.data())
def test_no_observation_changes_how_the_text_around_it_is_read(
    dialect: Dialect, data: st.DataObject
) -> None:
    observation = data.draw(observations(dialect), "observation")
    laws.no_observation_changes_how_the_text_around_it_is_read(dialect, observation)


@every_dialect
@given(data=st.data())
def test_no_observation_forges_a_mark(dialect: Dialect, data: st.DataObject) -> None:
    observation = data.draw(forgeries(dialect), "observation")
    laws.no_observation_forges_a_mark(dialect, observation)


@every_dialect
@given(data=st.data())
def test_no_failed_turn_forges_a_mark(dialect: Dialect, data: st.DataObject) -> None:
    laws.no_failed_turn_forges_a_mark(dialect, data.draw(failed_turns(dialect), "turn"))


@pytest.mark.parametrize("name", ["hermes", "harmony", "react", "xml"])
def test_it_catches_a_failed_turn_as_it_is(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    dialect = get_dialect(name)
    monkeypatch.setattr(past_turns, "escape_failed", lambda _dialect, log: log)
    with pytest.raises(BrokenLawError):
        laws.no_failed_turn_forges_a_mark(dialect, "Hm. " + "".join(given_texts(dialect)))


@every_run_dialect
@given(data=st.data())
def test_what_is_read_is_read_back(dialect: Dialect, data: st.DataObject) -> None:
    log, observation = data.draw(turns_and_results(dialect), "turn and result")
    laws.what_is_read_is_read_back(dialect, log, observation)


@every_dialect
@given(data=st.data())
def test_what_is_escaped_is_unescaped(dialect: Dialect, data: st.DataObject) -> None:
    observation = data.draw(soup(dialect) | anything(), "observation")
    slashes = st.sampled_from(["", "\\", "\\\\"])
    observation = re.sub(r"(?<=[\n<])", lambda _: data.draw(slashes), observation)
    laws.what_is_escaped_is_unescaped(dialect, observation)


@every_run_dialect
@given(before=st.lists(plain(), max_size=3), question=plain())
def test_the_last_question_before_a_step_is_the_question(
    dialect: Dialect, before: list[str], question: str
) -> None:
    laws.the_last_question_before_a_step_is_the_question(dialect, before, question)


@every_run_dialect
def test_the_sample_is_one_flawless_run(dialect: Dialect) -> None:
    laws.the_sample_is_one_flawless_run(dialect)


@every_run_dialect
def test_the_steps_of_the_sample_are_written_as_they_stand(dialect: Dialect) -> None:
    laws.the_steps_of_the_sample_are_written_as_they_stand(dialect)


@every_dialect
def test_the_instructions_show_the_labels_that_are_read(dialect: Dialect) -> None:
    laws.the_instructions_show_the_labels_that_are_read(dialect)


@every_dialect
@given(names=st.lists(plain(), unique=True), about=plain())
def test_the_instructions_name_every_tool(dialect: Dialect, names: list[str], about: str) -> None:
    laws.the_instructions_name_every_tool(dialect, names, about)


@every_dialect
@given(data=st.data())
def test_a_stop_sequence_stops_no_step(dialect: Dialect, data: st.DataObject) -> None:
    """The model stops at it, so what it wrote before must be whole, and an observation have it."""
    action = AgentAction(data.draw(plain_tool(dialect)), data.draw(plain_input(dialect)), "")
    thought = data.draw(plain()) if dialect.thinks else ""
    laws.a_stop_sequence_stops_no_step(dialect, action, thought=thought)
