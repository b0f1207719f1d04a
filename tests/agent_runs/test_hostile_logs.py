"""Logs with hostile texts in them are read in linear time; `make growth` found each of these."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agent_runs import read_runs

from .readers.data_logs import LOGS as DATA_LOGS
from .readers.text_logs import ANSWER, RESULT, THOUGHT
from .readers.text_logs import LOGS as TEXT_LOGS

SAMPLES: dict[str, Any] = {
    **TEXT_LOGS,
    **{name: json.dumps(of[0]) for name, of in DATA_LOGS.items()},
}


def seconds(name: str, place: str, head: str, run: str, size: int) -> float:
    hostile = head + run * (size // len(run))
    if name not in TEXT_LOGS:
        hostile = json.dumps(hostile)[1:-1]
    log = SAMPLES[name].replace(place, hostile, 1)
    assert hostile in log
    start = time.thread_time()
    for _ in read_runs(f"{log}\n", format=name, on_error=lambda _error: None):
        pass
    return time.thread_time() - start


@pytest.mark.parametrize(
    ("name", "place", "head", "run"),
    [
        ("autogen_console", RESULT, '\n"', '\\"'),
        ("cline", RESULT, "", " "),
        ("crewai_console", RESULT, "", "\x1b[1m"),
        ("dspy_history", THOUGHT, "", "\n"),
        ("json_lines", ANSWER, "", "\n"),
        ("notebook", THOUGHT, "", "\n\n"),
    ],
)
def test_a_hostile_text_in_a_log_takes_linear_time(
    name: str, place: str, head: str, run: str
) -> None:
    # In quadratic time, sixteen times the text would take 256 times as long.
    long = min(seconds(name, place, head, run, 32_000) for _ in range(2))
    assert long < 60 * min(seconds(name, place, head, run, 2_000) for _ in range(3))
