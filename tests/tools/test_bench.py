"""`make bench`: when a row says that its aim is met, and what it prints."""

import importlib
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def timing(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(ROOT)
    return importlib.import_module("tools.benchmarks._timing")


def verdict(timing: Any, rounds: list[tuple[float, ...]], aim: float | None, **fields: Any) -> str:
    found: str = timing.Row("it", "that", (), aim, rounds=rounds, **fields).verdict()
    return found


EVEN = [(1.0 + at / 100, 2.0 + at / 50) for at in range(10)]
UNEVEN = [(1.0, 2.0), (1.0, 0.9)] * 5


def test_an_aim_is_met_or_not_if_all_figures_say_so(timing: Any) -> None:
    assert verdict(timing, EVEN, 0.6) == "met"
    assert verdict(timing, EVEN, 0.4) == "no"
    assert verdict(timing, EVEN, 0.6, more_is_better=True) == "no"
    assert verdict(timing, EVEN, 0.4, more_is_better=True) == "met"


def test_else_it_cannot_be_told(timing: Any) -> None:
    assert verdict(timing, UNEVEN, 0.8) == "cannot tell"
    assert verdict(timing, UNEVEN, 2) == "met"
    assert verdict(timing, EVEN, 0.6, steady=lambda ours, _theirs: ours > 1) == "cannot tell"


def test_a_row_that_had_no_time_cannot_be_told(timing: Any) -> None:
    assert verdict(timing, EVEN[:2], 0.6) == "cannot tell"
    assert verdict(timing, EVEN[:1], 0.6, most_rounds=1) == "met"


def test_a_row_without_an_aim_says_that_it_is_noisy(timing: Any) -> None:
    assert verdict(timing, UNEVEN, None) == "noisy"
    assert verdict(timing, EVEN, None) == ""


def test_the_row_with_the_least_time_is_next(timing: Any) -> None:
    turns: list[str] = []

    def sample(name: str) -> float:
        turns.append(name)
        return 1.0

    rows = [timing.Row(each, "", (lambda each=each: sample(each),)) for each in "ab"]
    timing.measure(rows, 0.1)
    assert set(turns) == {"a", "b"}
    rows[0].spent = 1e9
    turns.clear()
    timing.measure(rows, 0.05)
    assert turns[0] == "b"


def test_a_row_that_fails_leaves_the_others(timing: Any) -> None:
    bad, good = timing.Row("bad", "", (lambda: 1 / 0,)), timing.Row("good", "", (lambda: 1.0,))
    timing.measure([bad, good], 0.1)
    assert bad.error == "ZeroDivisionError: division by zero"
    assert good.rounds


def test_it_prints_rows_also_without_their_peer() -> None:
    code = (
        "import importlib.util, sys\n"
        "find = importlib.util.find_spec\n"
        "importlib.util.find_spec = lambda name: None if name == 'crewai' else find(name)\n"
        "sys.argv = ['bench', '--minutes', '0.1', 'digits', 'tools=']\n"
        "from tools.benchmarks.bench import main\n"
        "main()\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, capture_output=True, text=True, check=False
    )
    lines = done.stdout.splitlines()
    assert "## Tools" in lines
    (missing,) = (line for line in lines if "CrewAI" in line)
    assert missing.endswith("| `crewai` is not installed |")
    assert [line for line in lines if "tools=" in line and "≤ 1.5" in line and "µs" in line]
    assert "Not installed: " in lines[-1]
    assert " aims, " in lines[-1]


def test_the_page_has_rows_with_an_aim_and_those_of_other_libraries(timing: Any) -> None:
    bench = importlib.import_module("tools.benchmarks.bench")
    rows = [("a", "json.loads", 2.0), ("b", "CrewAI", None), ("c", "json.loads", None)]
    on_the_page = [bench.is_on_the_page(timing.Row(*row[:2], (), row[2])) for row in rows]
    assert on_the_page == [True, True, False]


def test_the_page_shows_long_sections_in_brief(timing: Any) -> None:
    bench = importlib.import_module("tools.benchmarks.bench")
    rows = [
        timing.Row(f"d{ours}", "least", (), rounds=[(ours / 10, 1.0)] * 3) for ours in range(30, 39)
    ]
    titles = [line.split(" | ")[0] for line in bench.extremes(rows)]
    assert titles[2:] == ["| d30", "| d31", "| d32", "| d34", "| d36", "| d37", "| d38"]
    both = [
        timing.Row(f"ReAct, {mode}", "A", (), aim, rounds=[(ours, 1.0)] * 9)
        for mode, ours, aim in (("strict", 0.5, 1), ("lenient", 2.0, 1))
    ]
    *_, row = bench.modes(both)
    assert row == "| ReAct | A | 1.00 s | 500 ms | 0.50, met | 2.00 s | 2.00, no | ≤ 1 |"
    cells = {"cells": lambda ours, theirs: (f"{ours:.1f}", f"{theirs:.1f}")}
    pairs = [
        timing.Row(title, peer, (), rounds=[(1.0, theirs)] * 3, **cells)
        for title in ("x", "y")
        for peer, theirs in (("A", 2.0), ("B", 3.0))
    ]
    assert [*bench.powers(pairs)] == [
        "| | here | A | B |",
        "|---|--:|--:|--:|",
        "| x | 1.0 | 2.0 | 3.0 |",
        "| y | 1.0 | 2.0 | 3.0 |",
    ]


@pytest.mark.parametrize("name", ["attack", "foreign"])
def test_a_command_that_tries_all_dialects_begins(name: str) -> None:
    command = [sys.executable, str(ROOT / "tools" / "benchmarks" / f"{name}.py"), "--help"]
    subprocess.run(command, check=True, capture_output=True, timeout=120)
