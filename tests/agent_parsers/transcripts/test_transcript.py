"""Whole runs read back, as text or as records; `tests/cases/transcripts` has more texts."""

import json
import tracemalloc
from typing import Any

import pytest

from agent_laws import BrokenLawError, laws
from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    Repair,
    StreamParser,
    Transcript,
    TranscriptParser,
    TranscriptStep,
    get_dialect,
    get_parser,
    list_dialects,
    parse_record,
    parse_transcript,
    parse_transcripts,
)
from agent_parsers.engine.reading.collecting.turn_text import TurnText

RUN = """\
Question: How late is it?
Thought: I need a clock.
Action: clock
Action Input: Bern
Observation: 12:00
Thought: noon
Final Answer: It is noon."""


# -- one run -------------------------------------------------------------------------------------


def test_a_step_is_a_thought_an_action_and_an_observation() -> None:
    run = parse_transcript(RUN)
    log = "Thought: I need a clock.\nAction: clock\nAction Input: Bern"
    assert run.question == "How late is it?"
    assert run.steps[0] == TranscriptStep(
        number=1,
        thought="I need a clock.",
        action=AgentAction("clock", "Bern", log),
        observation="12:00",
        thought_span=(35, 50),
        action_span=(59, 83),
        observation_span=(97, 102),
    )
    assert run.steps[1].action == AgentFinish(
        {"output": "It is noon."}, "Thought: noon\nFinal Answer: It is noon."
    )
    assert run.steps[1].observation is None
    assert run.finish == run.steps[1].action
    assert (run.failed, run.repairs, run.preamble, run.id) == ((), (), "", "")


def test_spans_point_into_the_text() -> None:
    for name in list_dialects():
        if get_dialect(name).several:
            continue
        text = get_dialect(name).sample
        for step in parse_transcript(text, dialect=name).steps:
            for part, span in [(step.thought, step.thought_span),
                               (step.observation, step.observation_span)]:  # fmt: skip
                assert (text[slice(*span)] if span else "") == (part or "")
            assert step.action is not None
            assert step.action.log in text


@pytest.mark.parametrize(
    ("dialect", "action", "answer"),
    [
        ("react", "Thought: t\nAction: mill", "Final Answer: 4"),
        ("react", "**Action:** mill", "**Final Answer:** 4"),
        ("mrkl", "Action: mill(7)", "Final Answer: 4"),
        ("react_crewai", "Action: mill\nor inn", "Final Answer: 4"),
        ("react_llamaindex", "Action: mill", "Answer: 4"),
        ("react_zh", "行动：mill", "最终答案：4"),
    ],
)
def test_no_action_is_lost_above_an_answer(dialect: str, action: str, answer: str) -> None:
    for tools in (None, ["inn"], ["mill"]):
        run = parse_transcript(f"{action}\n{answer}", dialect=dialect, tools=tools)
        acts = [s for s in run.all_steps if isinstance(s.action, AgentAction)]
        assert len(run.failed) + len(acts) == 1
        assert run.output == "4"


def test_a_run_without_an_answer_has_no_finish() -> None:
    assert parse_transcript(RUN[: RUN.index("Final")]).finish is None


def test_the_first_of_two_answers_is_the_finish() -> None:
    run = parse_transcript("Final Answer: 1\nObservation: no\nFinal Answer: 2")
    assert run.finish is not None
    assert run.finish.return_values == {"output": "1"}


def test_a_step_that_cannot_be_read_has_an_error_instead_of_an_action() -> None:
    run = parse_transcript("Thought: hm\nObservation: what?\nFinal Answer: 42")
    (failed,) = run.failed
    assert failed.action is None
    assert failed.thought == "hm"
    assert failed.observation == "what?"
    assert failed.action_span == (0, 11)
    assert isinstance(failed.error, OutputParserException)
    assert failed.error.llm_output == "Thought: hm"
    assert failed.error.span == (0, 11)
    assert [step.error for step in run.steps] == [None]


def test_a_dialect_is_given_by_name_alias_or_value() -> None:
    dialect = get_dialect("react_docstore")
    runs = [
        parse_transcript(dialect.sample, dialect=given)
        for given in ("react_docstore", "react_paper", dialect)
    ]
    assert runs[0] == runs[1] == runs[2]
    assert len(runs[0].steps) == 3


# -- mistakes ------------------------------------------------------------------------------------


@pytest.mark.parametrize("text", ["", "\n", "Question: why?", "Dear Ada,\nno."])
def test_a_text_without_steps_is_not_a_transcript(text: str) -> None:
    for read in (parse_transcript, parse_transcripts):
        with pytest.raises(
            OutputParserException, match="found no step of an agent in the transcript"
        ) as e:
            read(text)
        assert e.value.llm_output == text
        assert e.value.observation


def test_several_runs_are_not_one() -> None:
    with pytest.raises(OutputParserException) as caught:
        parse_transcript(f"{RUN}\n{RUN}\n{RUN}")
    assert str(caught.value) == (
        "expected the transcript of one run, found 3; use parse_transcripts()"
    )
    assert len(parse_transcripts(f"{RUN}\n{RUN}\n{RUN}")) == 3


def test_an_unknown_dialect_is_a_mistake_of_the_caller() -> None:
    with pytest.raises(ValueError, match="there is no dialect 'reakt'"):
        parse_transcript(RUN, dialect="reakt")


def test_each_run_has_its_own_question_and_repairs() -> None:
    text = f"{RUN}\n**Question:** And now?\nACTION: clock\nAction Input: Bern"
    first, second = parse_transcripts(text)
    assert first == parse_transcript(RUN)
    assert (second.preamble, second.question) == ("", "And now?")
    assert [repair.message for repair in second.repairs] == [
        "read '**Question:**' as the label 'question'",
        "read 'ACTION:' as the label 'action'",
    ]


# -- while it comes in ---------------------------------------------------------------------------


def test_a_step_comes_out_as_soon_as_the_next_begins() -> None:
    parser = TranscriptParser("react")
    came: list[tuple[str, int]] = []
    for line in RUN.splitlines(keepends=True):
        came += [(line, len(parser.feed(line)))]
    steps = [line for line, count in came if count]
    assert steps == ["Thought: noon\n"]
    assert [step.thought for step in parser.close()] == ["noon"]
    assert parser.runs == [parse_transcript(RUN)]


def test_a_step_comes_out_though_the_next_has_no_thought() -> None:
    parser = TranscriptParser("react")
    parser.feed("Action: a\nAction Input: 1\nObservation: x\nAction: b")
    (step,) = parser.feed("\nAction Input:")
    assert step.observation == "x"


def test_a_run_is_there_as_soon_as_the_next_begins() -> None:
    parser = TranscriptParser("react")
    parser.feed(RUN)
    assert parser.runs == []
    (last,) = parser.feed("\nQuestion: And")
    assert isinstance(last.action, AgentFinish)
    assert parser.runs == [parse_transcript(RUN)]
    assert parser.close() == []
    assert [(run.question, run.all_steps) for run in parser.runs[1:]] == [("And", ())]


def test_a_failed_step_comes_out_too() -> None:
    parser = TranscriptParser("react")
    (step,) = parser.feed("Thought: hm\nObservation: x\nThought: so")
    assert step.error is not None


def test_any_cut_gives_the_same_runs() -> None:
    text = f"Log:\n{RUN}\n{RUN[: RUN.index('Final')]}"
    whole = parse_transcripts(text)
    for size in (1, 2, 7, 50):
        parser = TranscriptParser("react")
        steps = []
        for at in range(0, len(text), size):
            steps += parser.feed(text[at : at + size])
        steps += parser.close()
        assert repr(parser.runs) == repr(whole), "two errors are never equal"
        assert [step.thought for step in steps] == ["I need a clock.", "noon"] * 2
        assert [step.error is None for step in steps] == [True, True, True, False]


def test_a_limit_may_be_set() -> None:
    parser = TranscriptParser("react", max_chars=10)
    parser.feed(RUN)
    with pytest.raises(OutputParserException, match="max_chars=10"):
        parser.close()


def test_a_transcript_ends_once() -> None:
    parser = TranscriptParser("react")
    parser.close()
    with pytest.raises(RuntimeError, match="after close"):
        parser.feed("x")


# -- records -------------------------------------------------------------------------------------

RECORD = {
    "id": "r1",
    "format": "react",
    "task": "How late is it?",
    "steps": [
        {
            "output": "Thought: I need a clock.\nAction: clock\nAction Input: Bern",
            "observation": "12:00",
        },
        {"output": "**Final Answer:** noon", "observation": None},
    ],
}


def test_a_record_is_read_turn_by_turn() -> None:
    run = parse_record(RECORD)
    log = "Thought: I need a clock.\nAction: clock\nAction Input: Bern"
    assert (run.id, run.question, run.preamble) == ("r1", "How late is it?", "")
    assert run.steps[0] == TranscriptStep(
        number=1,
        thought="I need a clock.",
        action=AgentAction("clock", "Bern", log),
        observation="12:00",
        thought_span=(9, 24),
        action_span=(33, 57),
        observation_span=None,
    )
    assert run.steps[1].observation is None
    assert run.finish == AgentFinish({"output": "noon"}, "**Final Answer:** noon")
    message = "read '**Final Answer:**' as the label 'answer'"
    assert run.repairs == (Repair("label", (0, 17), message),)


def test_a_record_may_be_read_strictly_and_in_another_dialect() -> None:
    record = {"steps": [{"output": "**Action 1:** Search[x]"}, {"output": "Action 2: Finish[y]"}]}
    lenient = parse_record(record, dialect="react_paper")
    assert (len(lenient.steps), len(lenient.failed)) == (2, 0)
    strict = parse_record(record, dialect=get_dialect("react_docstore"), lenient=False)
    assert (len(strict.steps), len(strict.failed)) == (1, 1)
    (failed,) = strict.failed
    assert failed.action is None
    assert failed.error is not None
    assert failed.action_span == failed.error.span


def test_an_observation_that_is_not_text_is_written_as_json() -> None:
    record = {**RECORD, "steps": [{"output": "Final Answer: x", "observation": {"é": [1, None]}}]}
    assert parse_record(record).steps[0].observation == '{"é": [1, null]}'


def test_a_record_needs_neither_a_task_nor_an_id() -> None:
    run = parse_record({"format": "react", "steps": [{"output": "Final Answer: x"}]})
    assert (run.question, run.id) == ("", "")


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ([], "expected an object with steps, found list"),
        ("x", "expected an object with steps, found str"),
        (None, "expected an object with steps, found NoneType"),
        ({"format": "react"}, "expected 'steps', a list with at least one step"),
        ({"format": "react", "steps": []}, "expected 'steps', a list with at least one step"),
        ({"format": "react", "steps": "x"}, "expected 'steps', a list with at least one step"),
        ({"steps": [{"output": "x"}]}, "expected 'format', the name of a dialect"),
        ({"format": 1, "steps": [{"output": "x"}]}, "expected 'format', the name of a dialect"),
        ({"format": "react", "steps": ["x"]}, "expected a string 'output' in step 1"),
        (
            {"format": "react", "steps": [{"output": "Final Answer: x"}, {"output": None}]},
            "expected a string 'output' in step 2",
        ),
        ({"format": "react", "steps": [{"input": "x"}]}, "expected a string 'output' in step 1"),
    ],
)
def test_a_value_that_is_not_a_record_is_rejected(record: Any, reason: str) -> None:
    with pytest.raises(OutputParserException) as caught:
        parse_record(record)
    assert str(caught.value) == reason
    assert caught.value.observation is not None
    assert '"steps"' in caught.value.observation
    assert caught.value.llm_output is not None
    assert len(caught.value.llm_output) <= 200


def test_a_record_in_an_unknown_dialect() -> None:
    with pytest.raises(ValueError, match="there is no dialect 'reakt'"):
        parse_record({**RECORD, "format": "reakt"})


_LATE = "Question: é\nThought: a\nAction: b\nAction Input: c\nObservation: d\n  Thought: hm\n\nno"


@pytest.mark.parametrize("size", [1, 7, 1000])
def test_the_place_of_an_error_is_in_the_text_of_the_run(size: int) -> None:
    parser = TranscriptParser("react")
    for at in range(0, len(_LATE), size):
        parser.feed(_LATE[at : at + size])
    parser.close()
    run = parser.runs[0]
    (error,) = (step.error for step in run.failed)
    assert error is not None
    assert error.pointer().splitlines()[1:3] == ["  --> line 6, column 1", "6 |   Thought: hm"]
    stored = Transcript.from_json(json.loads(json.dumps(run.to_json()))).failed[0].error
    assert stored is not None
    assert (stored.pointer(), stored.begins_at) == (error.pointer(), (6, 1))


def test_the_law_of_transcripts_catches_lines_that_are_not_counted(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    laws.a_transcript_is_read_or_refused(get_dialect("react"), _LATE)
    monkeypatch.setattr(TurnText, "place", lambda *_: (1, 1))
    with pytest.raises(BrokenLawError, match=r"is at \(1, 1\), expected \(6, 1\)"):
        laws.a_transcript_is_read_or_refused(get_dialect("react"), _LATE)


def test_a_label_of_the_next_step_is_not_a_step() -> None:
    parser = get_parser("react")
    scratchpad = parser.format_scratchpad([(AgentAction("clock", "Bern", ""), "12:00")])
    assert scratchpad.endswith("Thought:")
    run = parse_transcript(scratchpad)
    assert [step.number for step in run.steps] == [1]
    assert run.failed == ()


def test_an_observation_that_is_not_json_is_written_as_it_prints() -> None:
    record = {
        "format": "react",
        "steps": [{"output": "Action: a\nAction Input: b", "observation": {1, 2}}],
    }
    assert parse_record(record).steps[0].observation == "{1, 2}"


def test_a_stream_without_a_limit_keeps_no_text_of_a_transcript() -> None:
    step = f"Thought: {'x' * 1000}\nAction: a\nAction Input: b\nObservation: c\n"
    parser = StreamParser(get_dialect("react"), mode="transcript", max_chars=None)
    for _ in range(8_000):  # what finds its markers is made as it is used
        parser.feed(step)
    tracemalloc.start()
    for _ in range(500):
        parser.feed(step)
    kept = tracemalloc.get_traced_memory()[0]
    tracemalloc.stop()
    assert kept < 100_000
    assert parser.text == ""
    limited = StreamParser(get_dialect("react"), mode="transcript")
    limited.feed(step)
    assert limited.text == step
