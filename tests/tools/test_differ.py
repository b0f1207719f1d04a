"""`make differ`: what it finds of a change, and that it finds nothing without one."""

import importlib
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[2]
TEXTS = [["react", "turn", "Action: a", "{}"], ["react", "turn", "Final Answer: 1", "{}"]]
HOW = {"number": 1, "way": "whole", "mode": "strict", "tools": "none", "ended": "stop", "chunk": 0}
SAID = {
    "outcome": "ok", "span": [0, 1], "observation": "x", "thought": "", "content": "",
    "repairs": [["label", [0, 3], "read a label"]], "events": ["a", "b"], "steps": [], "row": "{}",
}  # fmt: skip


@pytest.fixture
def benchmark(monkeypatch: pytest.MonkeyPatch) -> Callable[[str], Any]:
    monkeypatch.syspath_prepend(ROOT / "tools" / "benchmarks")
    return importlib.import_module


@pytest.fixture
def compared(benchmark: Callable[[str], Any], tmp_path: Path) -> Callable[..., Any]:
    """Return a function that compares what two trees say of the second text."""
    texts = tmp_path / "texts.jsonl"
    texts.write_text("".join(f"{json.dumps(text)}\n" for text in TEXTS))
    compare = benchmark("_differ_compare").compared

    def tally(old: dict[str, Any], new: dict[str, Any], most: int = 3) -> Any:
        return compare(texts, [json.dumps(HOW | old)], [json.dumps(HOW | new)], most)

    return tally


@pytest.mark.parametrize("kind", SAID)
def test_what_differs_is_counted_under_its_kind(compared: Callable[..., Any], kind: str) -> None:
    tally = compared(SAID, {**SAID, kind: ["other"]})
    assert (tally.texts, tally.readings, tally.kinds) == (2, 1, {kind: 1})
    (example,) = tally.examples
    assert (example.kind, example.dialect, example.text) == (kind, "react", "Final Answer: 1")
    assert (example.old, example.new) == (SAID[kind], ["other"])


def test_another_outcome_counts_once_and_not_in_what_only_one_of_them_has(
    compared: Callable[..., Any],
) -> None:
    error = {"outcome": "OutputParserException no_step", "span": [0, 1], "observation": "x"}
    assert compared(error, {"outcome": "AgentFinish", "thought": ""}).kinds == {"outcome": 1}


def test_crashes_are_counted_in_each_tree_and_as_a_kind_of_their_own(
    compared: Callable[..., Any],
) -> None:
    crash = {"crash": "IndexError: 7"}
    new = compared(SAID, crash)
    assert (new.crashes, new.kinds) == ([0, 1], {"crash": 1})
    assert compared(crash, SAID).crashes == [1, 0]
    both = compared(crash, crash)
    assert (both.crashes, both.kinds) == ([1, 1], {})
    assert compared(SAID, {**SAID, "outcome": '{"crash": 1}'}).crashes == [0, 0]


def test_no_more_examples_are_kept_than_asked_for(compared: Callable[..., Any]) -> None:
    assert not compared(SAID, {**SAID, "row": "{1}"}, most=0).examples
    total, one = compared(SAID, SAID), compared(SAID, {**SAID, "row": "{1}"})
    assert [len(total.add(one, 2)) for _ in range(3)] == [1, 1, 0]
    assert (total.readings, total.kinds) == (4, {"row": 3})


def test_an_example_shows_only_the_items_that_differ(compared: Callable[..., Any]) -> None:
    (example,) = compared(SAID, {**SAID, "events": ["a", "c"]}).examples
    assert str(example).splitlines() == [
        "  events: react, way whole, mode strict, tools none, ended stop, chunk 0",
        "    text: 'Final Answer: 1'",
        "    old:  ['b']",
        "    new:  ['c']",
    ]


def test_trees_that_do_not_read_the_same_are_not_compared(compared: Callable[..., Any]) -> None:
    with pytest.raises(ValueError, match="expected the same reading"):
        compared(SAID, {**SAID, "mode": "lenient"})


def test_texts_are_the_same_for_a_seed_and_of_every_kind(benchmark: Callable[[str], Any]) -> None:
    texts_of = benchmark("_differ_texts").texts_of
    made = [*texts_of("react", 100, 1)]
    assert made == [*texts_of("react", 100, 1)] != [*texts_of("react", 100, 2)]
    assert {each.kind for each in made} == {
        "case", "turn", "row", "quotation", "prose", "dressed", "mutant", "run"
    }  # fmt: skip
    assert len(made) == 100
    assert "run" not in {each.kind for each in texts_of("hermes", 20, 1)}


def test_a_tree_differs_in_nothing_from_itself(
    benchmark: Callable[[str], Any], capsys: pytest.CaptureFixture[str]
) -> None:
    asked = ["--base", str(ROOT), "--dialect", "hermes", "--dialect", "xml", "--count", "9"]
    assert benchmark("differ").main(asked) == 0
    rows = capsys.readouterr().out.splitlines()
    assert [line.split()[0] for line in rows] == ["dialect", "all", "crashes:"]
    assert rows[1].split()[1:] == ["18", rows[1].split()[2], *["0"] * 10]


def test_a_tree_with_another_message_differs_in_that_alone(
    benchmark: Callable[[str], Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    for package in ("agent_parsers", "output_parsers", "outputs"):
        shutil.copytree(ROOT / package, tmp_path / package, ignore=lambda *_: ["__pycache__"])
    changed = tmp_path / "agent_parsers" / "events.py"
    whole = changed.read_text("utf-8")
    changed.write_text(whole.replace("the answer may be incomplete", "more may follow"), "utf-8")
    asked = ["--base", str(ROOT), "--new", str(tmp_path), "--dialect", "react", "--count", "30"]
    assert benchmark("differ").main([*asked, "--show", "1"]) == 1
    out = capsys.readouterr().out
    assert "the text was cut off; more may follow" in out
    (counts,) = [line.split()[3:] for line in out.splitlines() if line.startswith("react ")]
    kinds = dict(zip(benchmark("_differ_compare").FIELDS, map(int, counts), strict=True))
    assert {kind for kind, count in kinds.items() if count} == {"repairs"}
