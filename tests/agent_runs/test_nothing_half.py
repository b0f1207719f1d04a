"""A log that was cut gives no half value without saying so (law 15), and only our errors."""

import os
from functools import cache
from itertools import islice
from pathlib import Path

import pytest

from agent_laws.readers import half_values
from agent_parsers import OutputParserException
from agent_runs import list_readers, read_log, read_runs
from agent_runs.reading.parts import is_open_end

from ..helpers.effort import THOROUGH

CORPUS = Path(__file__).parents[3] / "shared" / "corpus" / "runs"

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)


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


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", logs())
def test_a_log_that_was_cut_has_no_half_value(name: str) -> None:
    assert [*half_values(logs()[name])] == []


def test_the_law_finds_a_reader_that_says_nothing_of_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(read_log, "with_open_end", lambda runs, _lines: runs)
    cut = (half_values(text) for name, text in logs().items() if name.endswith(".log"))
    found = (True for halves in cut if next(halves, None) is not None)
    assert sum(islice(found, 20)) == 20


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


def every_log(reader: str) -> list[tuple[str, str]]:
    """Return the logs to try with *reader*: all, or every sixth, with others for other readers."""
    return [*logs().items()] if THOROUGH else [*logs().items()][len(reader) % 6 :: 6]


@pytest.mark.parametrize("reader", list_readers())
def test_a_reader_of_another_form_raises_our_error_or_says_what_it_lacks(reader: str) -> None:
    for name, text in every_log(reader):
        try:
            runs = [*read_runs(text, format=reader)]
        except OutputParserException:
            continue
        for run in runs:
            assert run.all_steps or run.notices or run.question, name
