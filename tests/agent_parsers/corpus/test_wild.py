"""Outputs that frameworks fail on: most are recovered, and none leads to a wrong action.

``make wild`` prints the table.
"""

import os
import runpy
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any

import pytest

SCRIPT = Path(__file__).parents[3] / "benchmarks" / "wild.py"
score = runpy.run_path(str(SCRIPT))

if not score["WILD"].is_file() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {score['WILD']}", allow_module_level=True)

DISAGREEMENTS = {
    "rb-quoted-argument-7d99c6": "quotes in brackets are data: real runs acted on them verbatim",
    "dl-hermes.calling-tool-bracket-5e62cf": "prose in brackets is not a call of hermes",
}
"""Cases whose expectation is wrong or too costly to meet, with the reason."""


@cache
def counts(mode: str) -> Counter[str]:
    total: Counter[str] = Counter()
    for each in score["count"](score["cases_in"](score["WILD"]), mode).values():
        total += each
    return total


def share(mode: str, outcome: str, *grades: str) -> float:
    of = [f"{grade} {column}" for grade in grades for column in score["COLUMNS"]]
    found = sum(counts(mode)[f"{grade} {outcome}"] for grade in grades)
    return found / sum(counts(mode)[key] for key in of)


def test_nearly_everything_is_recovered_that_nearly_everybody_agrees_on() -> None:
    assert share("lenient", "recovered", "high") >= 0.95


def test_most_of_the_rest_is_recovered_too() -> None:
    assert share("lenient", "recovered", "high", "medium") >= 0.85


def test_hardly_anything_is_acted_on_wrongly() -> None:
    assert share("lenient", "wrong", "high", "medium") < 0.01


def test_what_must_be_refused_is_refused() -> None:
    for case in score["cases_in"](score["WILD"]):
        if case["expect"]["kind"] == "error" and not case.get("accept"):
            assert score["outcome"](case, "lenient") in ("recovered", ""), case["id"]


def test_what_is_not_recovered_is_known() -> None:
    missed = {
        case["id"]
        for case in score["cases_in"](score["WILD"])
        if score["outcome"](case, "lenient") not in ("recovered", "")
    }
    assert missed == set(DISAGREEMENTS)


def test_the_table_has_a_line_for_each_family() -> None:
    cases: list[dict[str, Any]] = score["cases_in"](score["WILD"])
    for mode in score["MODES"]:
        table = score["table"](score["count"](cases, mode), mode)
        families = {line.split()[0] for line in table.splitlines()}
        assert families == {mode, "all", *(case["family"] for case in cases)}
