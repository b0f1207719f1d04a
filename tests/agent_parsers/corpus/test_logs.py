"""Real logs of frameworks: every run is read as it was, with nothing added."""

import json
import os
import runpy
import sys
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, read_runs

from ...helpers.messages import as_expected

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"

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
