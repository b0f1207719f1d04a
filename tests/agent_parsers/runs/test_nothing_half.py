"""A log that was cut gives no half value without saying so (law 15), and only our errors."""

import json
import os
import random
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, Transcript, read_runs
from agent_parsers.runs import list_readers, read_log
from agent_parsers.runs.reading.ends import is_open_end

CORPUS = Path(__file__).parents[4] / "shared" / "corpus" / "runs"

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

PLACES = 20
MOST_LINES = 60
"""Of a longer log, so many line ends."""


@cache
def logs() -> dict[str, str]:
    """Return the text of each log of the corpus that is text in UTF-8."""
    found = {}
    for truth in sorted(CORPUS.glob("*.truth.json")):
        log = truth.with_name(truth.name.removesuffix(".truth.json"))
        try:
            found[log.name] = log.read_text("utf-8")
        except UnicodeDecodeError:
            continue
    return found


def cuts(name: str, text: str) -> Iterator[int]:
    chance = random.Random(name)
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    yield from ends if len(ends) <= MOST_LINES else chance.sample(ends, MOST_LINES)
    yield from (chance.randrange(1, len(text)) for _ in range(PLACES))


def leaves(value: Any) -> Iterator[str]:
    if isinstance(value, dict | list):
        for each in value.values() if isinstance(value, dict) else value:
            yield from leaves(each)
    elif isinstance(value, str) and value.strip():
        yield " ".join(value.split())


def values(run: Transcript) -> Iterator[str]:
    yield from leaves(run.question)
    for step in run.all_steps:
        yield from leaves([step.thought, step.observation])
        if isinstance(step.action, AgentAction):
            yield from leaves([step.action.tool, step.action.tool_input])
        elif step.action is not None:
            yield from leaves(step.action.return_values)


def is_whole(value: str, known: set[str]) -> bool:
    """Return whether *value* is one of those *known*, a line of one, or JSON of them."""
    if value in known:
        return True
    try:
        return known.issuperset(leaves(json.loads(value)))
    except ValueError:
        return False


def half_values(name: str) -> Iterator[tuple[int, str]]:
    """Yield what is half, and not said to be, in the beginnings of a log."""
    text = logs()[name]
    try:
        known = {value for run in read_runs(text) for value in values(run)}
    except OutputParserException:
        return
    for at in cuts(name, text):
        try:
            runs = [*read_runs(text[:at])]
        except OutputParserException:
            continue
        for run in runs:
            kinds = {notice.kind for notice in run.notices}
            if not run.failed and kinds.isdisjoint({"cut_value", "unclear_end"}):
                yield from ((at, each) for each in values(run) if not is_whole(each, known))


@pytest.mark.parametrize("name", logs())
def test_a_log_that_was_cut_has_no_half_value(name: str) -> None:
    assert [*half_values(name)] == []


def test_the_law_finds_a_reader_that_says_nothing_of_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_log, "with_open_end", lambda runs, _lines: runs)
    found = [name for name in logs() if name.endswith(".log") and [*half_values(name)]]
    assert len(found) > 20


# -- what is read of whole logs ------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_open"),
    [
        ("Question: q\nThought: t\nFinal Answer: a\n", True),
        ("Question: q\nThought: t\nFinal Answer: a\n\n> Finished chain.\n", False),
        ('Question: q\nAction: a\nAction Input: {"b": "c"}\nObservation: d\n', True),
        ('[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]', False),
    ],
)  # fmt: skip
def test_a_value_at_the_end_may_have_been_cut(text: str, is_open: bool) -> None:
    (run,) = read_runs(text)
    assert any(map(is_open_end, run.notices)) is is_open


@pytest.mark.parametrize("given", ["fog", "fog\nand rain"])
def test_a_call_at_the_end_is_a_failed_step(given: str) -> None:
    (run,) = read_runs(f"Question: q\nThought: t\nAction: search\nAction Input: {given}\n")
    assert [step.error is not None for step in run.all_steps] == [True]


# -- every reader on every log -------------------------------------------------------------------


@pytest.mark.parametrize("reader", list_readers())
def test_a_reader_of_another_form_raises_our_error_or_says_what_it_lacks(reader: str) -> None:
    for name, text in logs().items():
        try:
            runs = [*read_runs(text, format=reader)]
        except OutputParserException:
            continue
        for run in runs:
            assert run.all_steps or run.notices or run.question, name
