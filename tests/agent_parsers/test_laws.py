"""What must stay true of every dialect, in every mode: cuts, events and text."""

import re

from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Dialect,
    Event,
    Finish,
    Repair,
    SkippedDelta,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    TranscriptParser,
)
from agent_parsers.engine import Mode

from .stories import (
    DELTAS,
    TILES,
    Refusal,
    Story,
    cut,
    every_mode,
    every_run_mode,
    every_turn_mode,
    in_two,
    parsed,
    runs_in,
    told,
)
from .strategies import (
    cuts,
    fragments,
    policies,
    quiet_letters,
    rows,
    small_inputs,
    texts,
    tool_lists,
)

SHORT = 60
"""Texts up to this length are cut in two at each place."""


@every_mode
@given(data=st.data())
def test_any_cut_tells_the_same_story(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    tools = data.draw(tool_lists(dialect), "tools")
    both = data.draw(policies(), "both")
    story = told(dialect, mode, [text], tools=tools, both=both)
    sizes = data.draw(cuts(), "sizes")
    assert told(dialect, mode, cut(text, sizes), tools=tools, both=both) == story
    assert told(dialect, mode, text, tools=tools, both=both) == story
    if len(text) <= SHORT:
        for halves in in_two(text):
            assert told(dialect, mode, halves, tools=tools, both=both) == story


@every_mode
def test_every_row_of_the_table_tells_the_same_story_in_any_cut(
    dialect: Dialect, mode: Mode
) -> None:
    texts = rows(dialect, mode)
    assert texts
    for text in texts:
        story = told(dialect, mode, [text])
        for halves in in_two(text):
            assert told(dialect, mode, halves) == story
        assert told(dialect, mode, text) == story


@every_turn_mode
def test_every_small_input_tells_the_same_story_in_any_cut(dialect: Dialect, mode: Mode) -> None:
    for text in small_inputs(dialect):
        story = told(dialect, mode, [text])
        assert told(dialect, mode, text) == story
        assert parsed(dialect, mode, text) == story.outcome
        assert_tiled(story, text)


@every_run_mode
@given(data=st.data())
def test_any_cut_gives_the_same_runs(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    runs = runs_in(dialect, [text])
    assert runs_in(dialect, cut(text, data.draw(cuts(), "sizes"))) == runs
    assert runs_in(dialect, text) == runs


@every_run_mode
@given(data=st.data())
def test_a_step_is_returned_once_and_kept_in_its_run(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    parser = TranscriptParser(dialect)
    steps = [step for chunk in cut(text, [7]) for step in parser.feed(chunk)]
    steps += parser.close()
    assert steps == [step for run in parser.runs for step in run.all_steps]
    for run in parser.runs:
        assert [step.number for step in run.all_steps] == list(range(1, len(run.all_steps) + 1))
        assert all((step.action is None) == (step.error is not None) for step in run.all_steps)


@every_turn_mode
@given(data=st.data())
def test_a_text_in_one_piece_parses_to_what_its_stream_comes_to(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    tools = data.draw(tool_lists(dialect), "tools")
    both = data.draw(policies(), "both")
    story = told(dialect, mode, [text], tools=tools, both=both)
    assert parsed(dialect, mode, text, tools=tools, both=both) == story.outcome


@every_turn_mode
@given(data=st.data())
def test_the_last_word_on_an_action_is_the_result(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    tools = data.draw(tool_lists(dialect), "tools")
    story = told(dialect, mode, text, tools=tools, both=data.draw(policies(), "both"))
    actions = [event.action for event in story.of(ActionComplete)]
    answers = [event.finish for event in story.of(Finish)]
    assert actions == ([story.outcome] if isinstance(story.outcome, AgentAction) else [])
    assert answers == ([story.outcome] if isinstance(story.outcome, AgentFinish) else [])


@every_mode
@given(data=st.data())
def test_no_character_is_lost_or_told_twice(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    assert_tiled(told(dialect, mode, cut(text, data.draw(cuts(), "sizes"))), text)


def assert_tiled(story: Story, text: str) -> None:
    at = 0
    for event in sorted(story.of(*TILES), key=lambda event: event.span):
        assert event.span[0] == at
        # A tool that goes without name is told at the beginning of its input.
        assert at < event.span[1] or isinstance(event, ToolNamed)
        at = event.span[1]
    assert at == len(text)
    for delta in story.of(*DELTAS):
        raw = text[slice(*delta.span)]
        if delta.text != raw:
            # An answer in JSON is told with its escapes resolved, which makes it shorter.
            assert isinstance(delta, AnswerDelta)
            assert len(delta.text) < len(raw)


@every_mode
@given(data=st.data())
def test_every_span_lies_in_the_text(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    for event in told(dialect, mode, [text]).events:
        start, end = event.span
        assert 0 <= start <= end <= len(text)


@every_turn_mode
@given(data=st.data())
def test_the_log_is_the_text_of_the_model(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    story = told(dialect, mode, text)
    if isinstance(story.outcome, Refusal):
        return
    assert story.outcome is not None
    log = story.outcome.log
    if any(repair.kind == "invented" for repair in story.of(Repair)):
        assert text.startswith(log)
        assert log == log.rstrip()
    else:
        assert log == text


@every_run_mode
@given(data=st.data())
def test_the_log_of_a_step_is_part_of_the_transcript(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    story = told(dialect, mode, text)
    logs = [event.action.log for event in story.of(ActionComplete)]
    logs += (event.finish.log for event in story.of(Finish))
    assert all(log in text and log == log.strip() for log in logs)


@every_mode
def test_a_character_of_no_marker_is_told_at_once(dialect: Dialect, mode: Mode) -> None:
    quiet = quiet_letters(dialect)
    waited = 0
    for text in fragments(dialect):
        deltas = [certain(event) for event in told(dialect, mode, [text]).of(*DELTAS)]
        parser = StreamParser(dialect, mode=mode)
        for at, char in enumerate(text):
            ends = [event.span[1] for event in parser.feed(char) if isinstance(event, DELTAS)]
            if char in quiet and any(start <= at < end for start, end in deltas):
                assert ends == [at + 1], (text, at)
                waited += 1
    assert waited


def certain(delta: Event) -> tuple[int, int]:
    """Where the text of *delta* stands that cannot be the beginning of a call."""
    start, end = delta.span
    if isinstance(delta, ThoughtDelta | SkippedDelta) and (fence := re.search("[`{]", delta.text)):
        return start, start + fence.start()
    return start, end
