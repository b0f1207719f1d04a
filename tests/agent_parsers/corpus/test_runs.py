"""Real runs: every turn that the run itself could read gives the same result."""

import json
import os
import re
import runpy
import sys
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.stories import story_of
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    OutputParserException,
    Repair,
    StreamParser,
    Transcript,
    TranscriptStep,
    get_dialect,
    get_parser,
    parse_record,
    parse_transcript,
    parse_transcripts,
)
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.testing import cut

from ...helpers.effort import THOROUGH

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
SCRIPT = Path(__file__).parents[3] / "tools" / "benchmarks" / "corpus.py"
FORMATS = ("react", "react_docstore")

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

EXPECTATIONS = {
    # file: runs, steps, and steps that the run itself could read
    "fireact_gpt35.jsonl": (465, 1241, 1229),
    "fireact_llama13b.jsonl": (499, 1643, 1642),
    "fireact_llama7b.jsonl": (500, 1778, 1777),
    "langchain_notebooks.jsonl": (6, 16, 16),
    "react_fever.jsonl": (479, 1134, 1127),
    "react_prompts.jsonl": (9, 28, 28),
    "react_webshop.jsonl": (147, 867, 864),
    "reflexion_hotpotqa.jsonl": (450, 1822, 1822),
}

every_file = pytest.mark.parametrize("name", EXPECTATIONS)
some_files = pytest.mark.one_in(4)
"""Reading whole logs takes long."""


@cache
def runs_of(name: str) -> list[dict[str, Any]]:
    lines = (CORPUS / "transcripts" / name).read_text(encoding="utf-8").splitlines()
    return [run for run in map(json.loads, lines) if run["format"] in FORMATS]


def as_expected(result: Any) -> dict[str, Any]:
    """Return *result* in the format of the corpus."""
    if isinstance(result, AgentAction):
        return {"kind": "action", "tool": result.tool, "tool_input": result.tool_input}
    assert isinstance(result, AgentFinish)
    return {"kind": "finish", "output": result.return_values["output"]}


@every_file
def test_the_file_is_the_one_we_know(name: str) -> None:
    steps = [step for run in runs_of(name) for step in run["steps"]]
    readable = [step for step in steps if step["expect"]]
    assert (len(runs_of(name)), len(steps), len(readable)) == EXPECTATIONS[name]


@every_file
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
def test_every_turn_is_read_as_the_run_itself_read_it(name: str, lenient: bool) -> None:
    matched = 0
    for run in runs_of(name):
        parser = get_parser(run["format"], lenient=lenient)
        for step in run["steps"]:
            if step["expect"]:
                result = parser.parse(step["output"], ended="stop")  # its result is recorded too
                assert as_expected(result) == step["expect"], run["id"]
                matched += 1
    assert matched == EXPECTATIONS[name][2]


@every_file
@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_a_turn_in_chunks_is_read_the_same(name: str, mode: Any) -> None:
    turns = [(run, step) for run in runs_of(name) for step in run["steps"] if step["expect"]]
    for run, step in turns[:: len(turns) // 100 + 1]:
        stream = StreamParser(get_dialect(run["format"]), mode=mode)
        for chunk in cut(step["output"], [7]):
            stream.feed(chunk)
        stream.close(ended="stop")
        assert as_expected(stream.result) == step["expect"], run["id"]


@pytest.mark.one_in(3)
@every_file
def test_a_record_is_read_step_by_step(name: str) -> None:
    for run in runs_of(name):
        read = parse_record(run)
        expected = [step["expect"] for step in run["steps"]]
        assert read.id == run["id"]
        assert len(read.steps) + len(read.failed) == len(expected)
        if all(expected):
            assert [as_expected(step.action) for step in read.steps] == expected
            assert [s.observation for s in read.steps] == [
                step.get("observation") for step in run["steps"]
            ]


def log_of(run: dict[str, Any]) -> str:
    """Return the log of *run*, with its own labels."""
    text = f"Question: {run['task'] or 'unknown'}"
    for step in run["steps"]:
        output = step["output"]
        has_label = re.match(r"\s*\w+( \d+)?:", output)
        text += f"\n{'' if has_label else 'Thought:'}{output}"
        if step.get("observation") is not None:
            number = re.search(r"^Action( \d+):", output, re.MULTILINE)
            text += f"\nObservation{number[1] if number else ''}: {step['observation']}"
    return text


def has_label(dialect: Dialect, text: str) -> bool:
    """Return whether a line of *text* after the first begins with a label."""
    return Patterns(dialect.lenient.markers).whole.search(text) is not None


def what_differs(run: dict[str, Any]) -> str:
    """Return why the log of *run* has other steps than its turns, or `""` if it does not."""
    dialect = get_dialect(run["format"])
    texts = (run["task"] or "", *(step.get("observation") or "" for step in run["steps"]))
    if any(has_label(dialect, text) for text in texts):
        return "a label in what the model did not write"
    for step in run["steps"]:
        repairs = story_of(dialect, "lenient", [step["output"]]).of(Repair)
        if any(repair.kind == "invented" for repair in repairs):
            return "a turn with several steps"
    return ""


SEVERAL = "a turn with several steps"
DIFFERENT: dict[str, dict[str, int]] = {
    "fireact_gpt35.jsonl": {SEVERAL: 8},
    "fireact_llama13b.jsonl": {SEVERAL: 1},
    "react_fever.jsonl": {SEVERAL: 1},
}
"""Runs whose log has other steps than their turns, by the reason."""


def read_steps(run: Transcript) -> list[tuple[Any, ...]]:
    return [
        (step.thought, as_expected(step.action), step.observation and step.observation.strip())
        for step in run.steps
    ]


def refused_steps(run: Transcript) -> list[tuple[Any, ...]]:
    return [(str(step.error), step.observation and step.observation.strip()) for step in run.failed]


class Log:
    """A run, with the steps read from its whole log and from its single turns."""

    def __init__(self, run: dict[str, Any]) -> None:
        self.run = run
        self.reason = what_differs(run)
        self.whole = parse_transcript(log_of(run), dialect=run["format"])
        self.turns = parse_record(run)


@cache
def logs_of(name: str) -> list[Log]:
    return [Log(run) for run in runs_of(name)[:: 1 if THOROUGH else 5]]


@some_files
@every_file
def test_a_log_is_read_as_its_turns_are(name: str) -> None:
    for log in logs_of(name):
        if not log.reason:
            assert log.whole.question == (log.run["task"] or "unknown").strip()
            assert read_steps(log.whole) == read_steps(log.turns), log.run["id"]
            assert refused_steps(log.whole) == refused_steps(log.turns), log.run["id"]


@some_files
@every_file
def test_a_log_with_more_steps_than_turns_has_those_of_the_turns(name: str) -> None:
    different = [log for log in logs_of(name) if log.reason]
    for log in different:
        actions = iter([as_expected(step.action) for step in log.whole.steps])
        assert all(as_expected(step.action) in actions for step in log.turns.steps), log.run["id"]
    known, found = Counter(DIFFERENT.get(name, {})), Counter(log.reason for log in different)
    assert found == known if THOROUGH else found <= known


@some_files
@every_file
def test_the_log_of_a_step_is_what_the_model_wrote(name: str) -> None:
    for log in logs_of(name):
        if not log.reason:
            written = [step["output"].strip() for step in log.run["steps"]]
            logs = [step.action.log for step in log.whole.steps if step.action]
            assert all(any(output in text for output in written) for text in logs), log.run["id"]


def parts(step: TranscriptStep) -> tuple[Any, ...]:
    error = step.error and str(step.error)
    return (step.thought, step.thought_span, step.action, step.action_span, error)


@every_file
@given(data=st.data())
def test_a_log_that_is_cut_off_has_all_steps_before_the_cut(name: str, data: st.DataObject) -> None:
    run = data.draw(st.sampled_from(runs_of(name)), "run")
    text = log_of(run)
    end = data.draw(st.integers(0, len(text)), "end")
    before = steps_of(text, run["format"])
    seen = [n for n, s in enumerate(before, 1) if (s.observation_span or (end,))[0] < end]
    whole = before[: max(seen, default=0)]
    after = steps_of(text[:end], run["format"])[: len(whole)]
    assert [parts(step) for step in after] == [parts(step) for step in whole]
    assert [s.observation for s in after[:-1]] == [s.observation for s in whole[:-1]]


def steps_of(text: str, dialect: str) -> list[TranscriptStep]:
    try:
        runs = parse_transcripts(text, dialect=dialect)
    except OutputParserException:
        return []
    return [step for run in runs for step in run.all_steps]


WILD = CORPUS / "wild.jsonl"


def controls() -> list[dict[str, Any]]:
    found = map(json.loads, WILD.read_text(encoding="utf-8").splitlines())
    return [
        case
        for case in found
        if case["family"] in ("react", "react_bracket")
        and case["shape"] == "control_wellformed"
        and case["consensus"] == "high"
    ]


def test_well_formed_turns_are_read() -> None:
    assert len(controls()) == 2
    for case in controls():
        for lenient in (False, True):
            result = get_parser(case["format"], lenient=lenient).parse(case["text"])
            assert as_expected(result) == case["expect"]


def test_the_script_counts_what_is_read(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "argv", [str(SCRIPT), str(CORPUS / "transcripts")])
    runpy.run_path(str(SCRIPT), run_name="__main__")
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines()}
    for name, known in EXPECTATIONS.items():
        counts = map(int, lines[name][:3])  # runs, steps, matched
        assert all(count >= least for count, least in zip(counts, known, strict=True))
    assert int(lines["all"][1]) >= sum(steps for _, steps, _ in EXPECTATIONS.values())
