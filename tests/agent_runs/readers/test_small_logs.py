"""Small logs of people's data, each with a truth: sessions, exports, results, cassettes."""

import json
import os
import runpy
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException
from agent_runs import read_runs

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
KINDS = ("k03", "k04", "k05", "k10", "k12", "k13", "k23", "k24", "k25", "k26", "k27")
"""How the names of the logs begin that are data."""

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

TRUTHS = json.loads((CORPUS / "real4" / "truth.json").read_text("utf-8"))


@cache
def verdict() -> Any:
    return runpy.run_path(str(CORPUS / "real4_verdict.py"))["verdict"]


def read(path: Path) -> dict[str, Any]:
    """Return what is read from a log, as the scorer of the corpus takes it."""
    runs: list[dict[str, Any]] = []
    try:
        for run in read_runs(path):
            steps = [
                {
                    "finish": not isinstance(step.action, AgentAction),
                    "tool": getattr(step.action, "tool", None),
                    "input": getattr(step.action, "tool_input", None),
                    "answer": getattr(step.action, "return_values", {}).get("output"),
                    "observation": step.observation,
                }
                for step in run.steps
            ]
            notices = [[each.kind, each.step, each.message] for each in run.notices]
            asked = {"question": run.question, "failed": len(run.failed)}
            runs.append({**asked, "steps": steps, "notices": notices})
    except OutputParserException as error:
        return {"runs": runs, "error": ["raised", str(error)]}
    return {"runs": runs, "error": None}


@pytest.mark.parametrize("name", [name for name in TRUTHS if name.startswith(KINDS)])
def test_the_log_is_read_exactly(name: str) -> None:
    kind, why = verdict()(TRUTHS[name], read(CORPUS / "real4" / name))
    assert kind in ("exact", "right raise"), why
