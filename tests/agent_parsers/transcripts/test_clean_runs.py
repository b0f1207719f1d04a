"""Runs that are spelt as their dialect writes them are read in one scan, with the same result."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import get_dialect
from agent_parsers.core import run_matcher
from agent_parsers.engine.whole import WholeReader
from agent_parsers.registry.dialects_by_name import list_dialects
from agent_parsers.transcripts.transcript_parser import read_output
from agent_runs.reading.reader import Lines
from agent_runs.splitting import runs_of_log
from agent_runs.splitting.runs_of_log import RunsOfLog, WholeRun

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect

DIALECTS = [
    dialect
    for dialect in map(get_dialect, list_dialects())
    if dialect.lenient.transcript_start
    and run_matcher(dialect).questions
    and "answer" in dialect.lenient.markers
]
STEPPED = ["mrkl", "react", "react_zh"]
"""Dialects whose runs have a tool and an input, each behind its label."""
ODD = [
    "**bold**", "```", "```json", '{"q": 1}', '{"q": ', "<b>", "</b>", "</think>", "<think>",
    "a: b", "Action: x", "note: Action Input: z", "> quoted", "> Finished chain.",
    "Total tokens: 12", "=== run 1 ===", "", "  indented", "# head", "\\Thought: x", "Step 2",
    "AI: hi", "`code", "~~~", '"""', "Final Answer: 3", "Tool: x", "Final", "thought: y",
]  # fmt: skip
PLAIN = ["fog in Bern", "search", "words, and so on", "06:10 Meilen", "so"]
LOG = """\
Question: Which month has the most fog?
Thought: I look it up.
Action: search
Action Input: fog by month
Observation: November
has most of it
Thought: I know it now.
Final Answer: November.

Question: And the least?
Final Answer: July.
"""


def read(dialect: Dialect, log: str, *, in_one_scan: bool) -> tuple[list[str], int]:
    """Return the runs of a *log*, and how many of them were read in one scan."""
    watch = None if in_one_scan else lambda _event, _at: None  # events come from a stream only
    lines = Lines(io.StringIO(log, newline="\n"))
    runs = [run for run in RunsOfLog(lines, dialect, watch=watch) if run.transcript or run.lines]
    ended = [run for run in runs if run.transcript is not None or not run.has_steps]
    told = [repr((run.transcript or run.lines, run.line, run.is_labelled)) for run in ended]
    return told, sum(isinstance(run, WholeRun) for run in runs)


@pytest.fixture(autouse=True)
def compiled(monkeypatch: pytest.MonkeyPatch) -> None:
    """Scan short logs as well, for which no patterns are compiled otherwise."""
    monkeypatch.setattr(runs_of_log, "_MOST_STREAMED", -1)


def test_a_log_in_the_words_of_its_dialect_takes_no_stream() -> None:
    runs, quick = read(get_dialect("react"), LOG, in_one_scan=True)
    assert (len(runs), quick) == (2, 2)
    assert runs == read(get_dialect("react"), LOG, in_one_scan=False)[0]


@pytest.mark.parametrize("name", STEPPED)
def test_dialects_with_labels_are_read_in_one_scan(name: str) -> None:
    dialect = get_dialect(name)
    marker = {name: each.canonical for name, each in dialect.lenient.markers.items()}
    parts = (
        marker["question"],
        marker["action"],
        marker["input"],
        marker["observation"],
        marker["answer"],
    )
    log = "".join(f"{label} {said}\n" for label, said in zip(parts, PLAIN, strict=False))
    runs, quick = read(dialect, log, in_one_scan=True)
    assert quick == 1
    assert runs == read(dialect, log, in_one_scan=False)[0]


@st.composite
def logs(draw: st.DrawFn, dialect: Dialect) -> str:
    """Draw a log of some runs, most of which are spelt as *dialect* writes them."""
    markers = {name: each.canonical for name, each in dialect.lenient.markers.items()}
    names = ("thought", "action", "input", "observation")
    step = [markers[name] for name in names if name in markers]
    (question, *_) = run_matcher(dialect).questions
    lines: list[str] = []
    for _ in range(draw(st.integers(1, 3))):
        labels = [*step * draw(st.integers(0, 2)), *step[:1], markers["answer"]]
        lines.append(f"{question} {draw(st.sampled_from(PLAIN))}")
        for label in labels:
            is_odd = draw(st.integers(0, 7)) == 0
            lines.append(f"{label} {draw(st.sampled_from(ODD if is_odd else PLAIN))}")
            lines += draw(st.lists(st.sampled_from(PLAIN), max_size=2))
            if draw(st.integers(0, 7)) == 0:
                lines.append(draw(st.sampled_from([*ODD, *markers.values()])))
    return "".join(f"{line}\n" for line in lines)


@pytest.mark.parametrize("dialect", DIALECTS, ids=lambda dialect: dialect.name)
@given(data=st.data())
def test_one_scan_gives_what_a_stream_gives(dialect: Dialect, data: st.DataObject) -> None:
    log = data.draw(logs(dialect))
    assert read(dialect, log, in_one_scan=True)[0] == read(dialect, log, in_one_scan=False)[0]


ONE_STEP = [dialect for dialect in map(get_dialect, list_dialects()) if not dialect.several]


@st.composite
def outputs(draw: st.DrawFn, dialect: Dialect) -> str:
    """Draw one output of a model, most of which are spelt as *dialect* writes them."""
    markers = {name: each.canonical for name, each in dialect.lenient.markers.items()}
    calls = ("thought", "action", "input"), ("action", "input"), ("thought", "answer"), ("answer",)
    lines = draw(st.lists(st.sampled_from([*PLAIN, *ODD]), max_size=1))
    for name in draw(st.sampled_from(calls)):
        is_odd = draw(st.integers(0, 9)) == 0
        text = draw(st.sampled_from(ODD if is_odd else [*PLAIN, '{"q": 1}']))
        lines.append(f"{markers.get(name, '')} {text}")
        if draw(st.integers(0, 9)) == 0:
            lines.append(draw(st.sampled_from([*ODD, *PLAIN, *markers.values()])))
    return "\n".join(lines)


@pytest.mark.parametrize("dialect", ONE_STEP, ids=lambda dialect: dialect.name)
@given(data=st.data(), lenient=st.booleans())
def test_one_scan_of_an_output_gives_what_a_stream_gives(
    dialect: Dialect, data: st.DataObject, lenient: bool
) -> None:
    output = data.draw(outputs(dialect))
    found = read_output(dialect, output, lenient=lenient)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(WholeReader, "step", lambda *_: None)
        assert repr(found) == repr(read_output(dialect, output, lenient=lenient))


def test_an_output_in_the_words_of_its_dialect_takes_no_stream() -> None:
    with pytest.MonkeyPatch.context() as patch:
        patch.delattr("agent_parsers.transcripts.transcript_parser.StreamParser")
        (step,) = read_output(get_dialect("react"), "hm\nAction: search\nAction Input: fog")
    assert (step.thought_span, step.action_span) == ((0, 2), (11, 35))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (LOG, f"```\n{LOG}```\nthe end\n"),
        ("search\n", "`search`\n"),
        ("Action:", "action:"),
        ("Action Input: fog by month\n", ""),
        ("Final Answer: November.\n", ""),
        ("\n\n", "\nTotal tokens: 12\n\n"),
        ("has most", "> has most"),
        ("I look it up.", "<think>I look it up."),
    ],
    ids=[
        "in a fence", "a repair", "another spelling", "no input", "no answer", "a count",
        "a quotation", "a mark",
    ],
)  # fmt: skip
def test_what_is_odd_takes_a_stream(old: str, new: str) -> None:
    log = LOG.replace(old, new)
    assert log != LOG
    runs, quick = read(get_dialect("react"), log, in_one_scan=True)
    assert runs == read(get_dialect("react"), log, in_one_scan=False)[0]
    assert quick < 2
