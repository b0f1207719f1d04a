"""Readers of data: each form gives the same run, and data of another form gives none."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, AgentFinish, OutputParserException, Transcript
from agent_runs import read_runs
from agent_runs.readers.known import readers_of_data
from agent_runs.recognition import forms_of
from agent_runs.sources import open_log

from .agent_logs import NO_ANSWER, NO_QUESTION
from .data_logs import ANSWER, CHATS_TOO, GIVEN, JSON, LOGS, QUESTION, RESULT, THOUGHT

every_log = pytest.mark.parametrize(
    ("reader", "log"),
    [
        pytest.param(name, log, id=f"{name}-{at}")
        for name in LOGS
        for at, log in enumerate(LOGS[name])
    ],
)


def shown(run: Transcript) -> Any:
    return [
        (step.thought or step.content, step.action.tool, step.action.tool_input, step.observation)
        for step in run.steps
        if isinstance(step.action, AgentAction)
    ]


def test_every_reader_has_a_log() -> None:
    assert LOGS.keys() == readers_of_data().keys()


@every_log
def test_the_run_is_read(reader: str, log: Any) -> None:
    (run,) = read_runs(json.dumps(log))
    assert run.source is not None
    assert (*run.source.within, run.source.reader)[0] == reader
    assert run.question == ("" if reader in NO_QUESTION else QUESTION)
    if reader == "crewai_log":  # it has no steps
        assert [step.action and step.action.log for step in run.steps] == [ANSWER]
        return
    is_shell = reader in ("mini_swe_agent", "swe_agent")
    ((thought, tool, given, result),) = shown(run)
    assert thought in (THOUGHT, "")
    assert (tool, given) in (
        ("bash", {"command": "ls"}), ("search", GIVEN), ("search", JSON),
        ("use_search", {"query": "fog", "days": "2"}), ("desk.search", GIVEN),
        ("execute", "search('fog')"), ("exec_command", {"command": ["search"]}),
    )  # fmt: skip
    assert is_shell is (tool == "bash")
    if result is None:
        assert [notice.kind for notice in run.notices] == ["no_observation", "no_answer"]
    else:
        assert result == RESULT
        if reader in NO_ANSWER:
            return
        assert run.finish is not None
        assert run.finish.return_values == {"output": ANSWER}


@every_log
def test_a_log_has_one_form(reader: str, log: Any) -> None:
    with open_log(log) as opened:
        assert [form.reader for form in forms_of(opened.content)] == [reader]


@every_log
def test_another_reader_refuses_the_log_or_reads_the_same(reader: str, log: Any) -> None:
    (own,) = read_runs(log)
    for name in readers_of_data():
        if (reader, name) in CHATS_TOO:
            continue
        try:
            runs = [*read_runs(log, format=name)]
        except OutputParserException:
            continue
        if not any(run.failed for run in runs):
            assert [shown(run) for run in runs] == [shown(own)], name


@every_log
def test_two_logs_in_one_file_are_two_runs(reader: str, log: Any) -> None:
    if isinstance(log, list) or reader == "spans":  # those of one trace belong together
        return
    lines = "\n".join([json.dumps(log)] * 2)
    assert len([*read_runs(lines)]) == 2
    assert len([*read_runs([log, log])]) == 2


def places(value: Any, path: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The path of each value inside *value*."""
    keys = (
        value if isinstance(value, dict) else range(len(value)) if isinstance(value, list) else ()
    )
    return [path] * bool(path) + [
        found for key in keys for found in places(value[key], (*path, key))
    ]


@pytest.mark.one_in(3)
@every_log
@given(data=st.data())
def test_a_malformed_log_is_refused_or_read_in_part(reader: str, log: Any, data: Any) -> None:
    log = json.loads(json.dumps(log))
    *above, key = data.draw(st.sampled_from(places(log)))
    within = log
    for name in above:
        within = within[name]
    if data.draw(st.booleans()):
        del within[key]
    else:
        odd = [None, 7, "x", [], {}, [[]], [{}], {"x": 1}, [None], True, ["a", "b"]]
        within[key] = data.draw(st.sampled_from(odd))
    for form in (reader, "auto"):
        errors: list[OutputParserException] = []
        try:
            runs = [*read_runs(log, format=form, on_error=errors.append)]
        except OutputParserException:
            continue
        for run in runs:
            assert all(isinstance(step.observation, str | None) for step in run.all_steps)
            assert all(isinstance(step.thought, str) for step in run.all_steps)
            for step in run.steps:
                assert isinstance(step.action, AgentAction | AgentFinish)
