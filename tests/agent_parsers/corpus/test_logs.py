"""Real logs of frameworks: every run is read as it was, and no text is lost."""

import json
import os
import re
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, Transcript
from agent_runs import read_runs

from ...helpers.command_line import CORPUS, needs_corpus
from ...helpers.messages import as_expected

# Real logs of frameworks: every run is read as it was, with nothing added.

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

KINDS = {
    "atif", "autogen-messages", "dspy-trajectory", "haystack", "haystack-print", "inspect-ai",
    "inspect-ai-eval", "langchain-steps", "langgraph", "langsmith-run", "messages",
    "mini-swe-agent", "openai-agents", "openai-agents-print", "pydantic-ai", "smolagents-memory",
}  # fmt: skip
"""The kinds of logs of which every file is read exactly."""
KNOWN = 92
NOT_YET = {
    "n_haystack_unicode.json", "n_langgraph_multiq_pretty.log", "n_smol_tool_marks_memory.json",
}  # fmt: skip
"""Those that are not, yet."""
HAS_ZSTD = sys.version_info >= (3, 14) or find_spec("zstandard") is not None


def truths() -> Iterator[Path]:
    for path in sorted((CORPUS / "runs").glob("*.truth.json")):
        if json.loads(path.read_text("utf-8"))["kind"] in KINDS:
            yield path


@cache
def scorer() -> Any:
    return runpy.run_path(str(CORPUS / "runs_score.py"))["score"]


@pytest.mark.parametrize(
    "truth", [*truths()], ids=lambda path: path.name.removesuffix(".truth.json")
)
def test_a_log_is_read_exactly(
    truth: Path, capsys: pytest.CaptureFixture[str], request: pytest.FixtureRequest
) -> None:
    log = truth.with_name(truth.name.removesuffix(".truth.json"))
    if log.name in NOT_YET:
        request.applymarker(pytest.mark.xfail(reason="it is not read exactly", strict=True))
    if log.suffix == ".eval" and not HAS_ZSTD:
        pytest.skip("nothing here unpacks zstd")
    _, counts = scorer()(log, True)
    assert counts["exact"], capsys.readouterr().out


def test_the_logs_are_those_we_know() -> None:
    assert len([*truths()]) == KNOWN


def test_no_log_is_read_wrongly_and_most_exactly() -> None:
    verdict = runpy.run_path(str(CORPUS / "runs_verdict.py"))["verdict"]
    found: Counter[str] = Counter()
    wrong = []
    for truth in sorted((CORPUS / "runs").glob("*.truth.json")):
        log = truth.with_name(truth.name.removesuffix(".truth.json"))
        if log.suffix != ".eval" or HAS_ZSTD:
            _, how, why, _ = verdict(log)
            found[how] += 1
            wrong += [(log.name, why)] * (how == "WRONG")
    assert wrong == []
    assert found["exact"] >= 0.98 * found.total()


RECORDS = {
    # file: runs, steps that the run itself could read
    "langchain_notebooks.jsonl": (26, 50),
    "react_prompts.jsonl": (9, 28),
    "swe_agent.jsonl": (21, 226),
    "tau_bench_airline.jsonl": (100, 1229),
    "toolbench_functions.jsonl": (13, 52),
}


def comparable(action: Any) -> Any:
    if isinstance(action, AgentAction):
        return {"kind": "action", "tool": action.tool, "tool_input": action.tool_input}
    return as_expected(action)


@pytest.mark.parametrize("name", RECORDS)
def test_records_are_read_as_the_runs_themselves_read_them(name: str) -> None:
    path = CORPUS / "transcripts" / name
    records = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    runs = [*read_runs(path)]
    matched = 0
    for record, run in zip(records, runs, strict=True):
        assert run.id == record["id"]
        for step, recorded in zip(run.all_steps, record["steps"], strict=True):
            if recorded["expect"]:
                assert comparable(step.action) == recorded["expect"], run.id
                matched += 1
    assert (len(runs), matched) == RECORDS[name]


# No text of a log is lost: a value of a run has it, a notice, or the frame of its form.

LABELS = r"(?:Question|Thought|Action|Action Input|Observation|Final Answer)[ ]?:|```\w*"
FRAMES = {
    "plain": LABELS,
    "langchain_console": rf"{LABELS}|> (?:Entering new .*|Finished) chain\.+|Invoking: `|` with `"
    r"|`$|responded: |Could not parse LLM output: |(?<=\})(?=\S)",  # an input before its result
    "langgraph_pretty": r"=+ \w+ Message =+|^ *(?:Args|Tool Calls|Call ID|Name):|\(c\w*_\d+\)"
    r"|^ *\w+: (?=\S)",  # an argument
    "llamaindex_stream": r"^(?:Call|Returned:|User:|Agent:|Thought:|Answer:|Action(?: Input)?:)"
    r"| with (?=\{)",
    "smolagents_console": r"New run|\[?Step \d+(?:: .*)?|Scripted.*|Executing parsed code:"
    r"|(?:Final answer|Observations|Execution logs|Out):|Calling tool: '?|'? with arguments: ?"
    r"|Reached max steps\.|final_answer|\{'answer': |\}$",
}
"""What each console prints around the values."""
BETWEEN = r"\x1b\[[\d;?]*[A-Za-z]|\[[\d;]+m|[\u2500-\u259f]"
"""Colours, with and without the character that pasting drops, and boxes."""
OWNED_NOT_YET = {
    "n_llama_react_retry_stream.log", "n_smol_managed_w100.log", "n_smol_tool_retry_replay.log",
}  # fmt: skip
"""Logs of which some text has no owner yet, or no text belongs to one step alone."""
LOGS = sorted(
    path
    for path in (CORPUS / "runs").glob("*")
    if path.suffix in (".log", ".txt") and "utf16" not in path.name
)


def values_in(data: Any) -> Iterator[str]:
    """Yield every text in *data*, and objects as they may be written in a log."""
    if isinstance(data, dict):
        yield from (json.dumps(data, ensure_ascii=False), repr(data))
        for key, value in data.items():
            if key not in ("file", "reader", "evidence", "message"):
                yield from values_in(value)
    elif isinstance(data, list):
        for value in data:
            yield from values_in(value)
    elif data is not None:
        yield str(data)


def ownerless(log: str, runs: list[Transcript], frame: str) -> list[str]:
    """Return the pieces of *log* between frames that no value and no notice has."""
    owned = bare("\n".join(text for run in runs for text in values_in(run.to_json())))
    pieces = [piece for line in log.splitlines() for piece in re.split(f"{BETWEEN}|{frame}", line)]
    return [piece for piece in pieces if bare(piece) not in owned]


def bare(text: str) -> str:
    return re.sub(rf"{BETWEEN}|\s", "", text)


@pytest.mark.one_in(3)
@pytest.mark.parametrize("path", LOGS, ids=lambda path: path.name)
def test_every_text_has_an_owner(path: Path, request: pytest.FixtureRequest) -> None:
    if path.name in OWNED_NOT_YET:
        request.applymarker(pytest.mark.xfail(reason="not all of it is read", strict=True))
    try:
        runs = list(read_runs(path))
    except OutputParserException:
        pytest.skip("no reader takes this log")
    source = runs[0].source
    assert source is not None
    if source.within or source.reader not in FRAMES:
        pytest.skip(f"no frames are listed for {source.reader}")
    if any(repair.kind == "invented" for run in runs for repair in run.repairs):
        pytest.skip("the model invented an observation, which a repair reports")
    log, frame = path.read_text("utf-8"), FRAMES[source.reader]
    assert not ownerless(log, runs, frame)
    for run in runs:  # and nothing may be taken away
        rest = [each for each in runs if each is not run]
        assert ownerless(log, [*rest, replace(run, all_steps=run.all_steps[1:])], frame)


def test_there_are_such_logs() -> None:
    needs_corpus()
    assert len(LOGS) > 50
