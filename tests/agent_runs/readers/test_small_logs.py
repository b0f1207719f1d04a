"""Small logs of the kinds that people keep, each with a truth: those of the shared corpus."""

import json
import os
import runpy
from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import read_runs

from ...helpers.command_line import CORPUS

LOGS = CORPUS / "real4"
if not LOGS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {LOGS}", allow_module_level=True)

TRUTHS: dict[str, Any] = json.loads((LOGS / "truth.json").read_text("utf-8"))
RIGHT = ("exact", "right raise")
NOT_EXACT = {"k01m_run_header_colon.txt": "honest", "k30c_score_between.txt": "honest"}
"""Logs of which something is missing, as a notice says, or that are refused."""


def outcome(name: str) -> dict[str, Any]:
    """Read a log, and return what the scorer of the corpus judges."""
    runs: list[dict[str, Any]] = []
    error = None
    try:
        for run in read_runs(LOGS / name):
            steps = [
                {
                    "finish": hasattr(step.action, "return_values"),
                    "tool": getattr(step.action, "tool", None),
                    "input": getattr(step.action, "tool_input", None),
                    "answer": getattr(step.action, "return_values", {}).get("output"),
                    "observation": step.observation,
                }
                for step in run.steps
            ]
            notices = [[each.kind, each.step, each.message] for each in run.notices]
            failed = len(run.failed)
            runs.append(
                {"question": run.question, "steps": steps, "notices": notices, "failed": failed}
            )
    except OutputParserException as raised:
        error = ["raised", f"{type(raised).__name__}: {raised}"]
    return {"runs": runs, "error": error}


@pytest.fixture(scope="module")
def scorer() -> dict[str, Any]:
    return runpy.run_path(str(CORPUS / "real4_verdict.py"))


def test_all_logs_are_tried() -> None:
    assert len(TRUTHS) == 50
    assert NOT_EXACT.keys() <= TRUTHS.keys()


@pytest.mark.parametrize("name", TRUTHS)
def test_a_small_log_is_read_as_its_truth_says(name: str, scorer: dict[str, Any]) -> None:
    verdict, reasons = scorer["verdict"](TRUTHS[name], outcome(name))
    assert verdict in NOT_EXACT.get(name, RIGHT), reasons
