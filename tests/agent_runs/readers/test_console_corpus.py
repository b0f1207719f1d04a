"""Real logs of consoles, each with its truth: every one is read exactly."""

import os
import runpy
import sys
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import Transcript
from agent_runs import read_runs

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
LOGS = CORPUS / "runs"
PARTS = (
    "lc_jsonchat", "lc_openaitools", "lc_react", "lc_structured", "lc_zeroshot", "notebook_",
    "crewai_", "smolagents_code", "smolagents_tool", "autogen_", "dspy_", "llamaindex_",
)  # fmt: skip
ENDINGS = (".log", ".ipynb")
FILES = [
    path
    for path in sorted(LOGS.glob("*"))
    if path.name.startswith(PARTS) and path.name.endswith(ENDINGS)
]

if not LOGS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {LOGS}", allow_module_level=True)


@pytest.fixture(scope="module")
def score() -> Any:
    sys.path.insert(0, str(CORPUS))
    try:
        score = runpy.run_path(str(CORPUS / "runs_score.py"))["score"]
    finally:
        sys.path.remove(str(CORPUS))
    score.__globals__["read_runs"] = in_one_field
    return score


def in_one_field(log: Any) -> Iterator[Transcript]:
    """Yield the runs in *log* as the truth has them: all text before a call is its thought."""
    for run in read_runs(log):
        steps = (
            replace(step, thought="\n".join(filter(None, (step.thought, step.content))))
            for step in run.all_steps
        )
        yield replace(run, all_steps=tuple(steps))


def test_there_are_logs() -> None:
    assert len(FILES) >= 70


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.name)
def test_a_real_log_is_read_exactly(path: Path, score: Any) -> None:
    _, count = score(path, True)
    assert count["exact"]
    assert count["thoughts_right"] == count["thoughts"]
