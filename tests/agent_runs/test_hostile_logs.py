"""Logs with hostile texts in them are read in linear time; `make growth` found each of these."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

from agent_parsers import OutputParserException
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


RUN = (
    "Question: How wide?\nThought: a look\nAction: gauge\nAction Input: Aare\n"
    "Observation: 9 m\nThought: so\nFinal Answer: Nine.\n"
)
"""A run of plain text, in which hostile lines are put."""
PLACES = {
    "between runs": f"{RUN}\nMARKS a\n{RUN}",
    "after an answer": f"{RUN}MARKS}}\n\n{RUN}",
    "at the top": f"MARKS a\n{RUN}",
    "in a result": RUN.replace("9 m", "9 m\nMARKS`"),
}


def seconds_of_text(text: str) -> float:
    start = time.thread_time()
    try:
        for _ in read_runs(text, on_error=lambda _error: None):
            pass
    except ValueError:
        pass  # the text has no form of a log
    return time.thread_time() - start


def is_linear(text: str, marks: str, size: int) -> bool:
    short, long = (text.replace("MARKS", marks * (n // len(marks))) for n in (size, 4 * size))
    seconds_of_text(short)  # imports the readers
    most = 8 * max(seconds_of_text(short), 0.02)  # quadratic is 16 times
    return any(seconds_of_text(long) < most for _ in range(2))


@pytest.mark.parametrize("place", PLACES)
@pytest.mark.parametrize("marks", ["#", "=", "-", "{", "[", "<", ".", " ", "…", "~", "a", "7"])
def test_a_long_line_of_one_mark_takes_linear_time(place: str, marks: str) -> None:
    assert is_linear(PLACES[place], marks, 5_000)


@pytest.mark.parametrize("marks", ['{"a": [1, "b"]}, ', "#= ", "$ ", "<your answer ", "a: "])
def test_a_long_line_takes_linear_time(marks: str) -> None:
    assert all(is_linear(text, marks, 5_000) for text in PLACES.values())


@pytest.mark.parametrize(
    "lines",
    [
        "Question: a\n",
        "You have access to the following tools:\n",
        "Use the following format:\n\nQuestion: the input question you must answer\n",
    ],
)
def test_a_prompt_that_never_ends_takes_linear_time(lines: str) -> None:
    assert is_linear("MARKS", lines, 12_000)


def test_prefixes_of_prefixes_end() -> None:
    run = "Question: A?\nThought: t\nAction: s\nAction Input: x\nObservation: o\n"
    with pytest.raises(OutputParserException, match="more than 8 deep"):
        list(read_runs("INFO " * 16_000 + " a\n" + run + "Final Answer: One.\n"))
