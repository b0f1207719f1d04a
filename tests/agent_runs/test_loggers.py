"""Nothing of another logger, or at another level, is in a run, or lost without a notice.

The law: whatever stands anywhere among the records of a run, the run is the same, and what was
added is in a notice.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from typing import NamedTuple

import pytest

from agent_parsers import Transcript
from agent_parsers.transcripts import Notice
from agent_runs import read_runs
from agent_runs.detecting import records
from agent_runs.reading.parts import is_open_end

RUN = (
    "Question: How high is the pass?",
    "Thought: The list of passes has it.",
    "Action: passes",
    "Action Input: Susten",
    "Observation: name, metres",
    "Susten, 2224",
    "Thought: So I know.",
    "Final Answer: 2224 m",
    "above the sea",
)
"""The records of a run, of which some go on with a value."""
OTHER = "pool of 7 is full"
STAMP = "2026-02-03 10:{m:02}:{s:02},120"


class Logged(NamedTuple):
    """A record, before it is written."""

    text: str
    logger: str = "guide"
    level: str = "INFO"


def prefixed(form: str) -> Callable[[Sequence[Logged]], str]:
    def write(rows: Sequence[Logged]) -> str:
        lines = []
        for number, (text, logger, level) in enumerate(rows):
            stamp = STAMP.format(m=number // 60, s=number % 60)
            lines.append(f"{form.format(t=stamp, n=logger, l=level)}{text}\n")
        return "".join(lines)

    return write


def as_json(rows: Sequence[Logged]) -> str:
    return "".join(
        f"{json.dumps({'asctime': '10:11', 'name': name, 'levelname': level, 'message': text})}\n"
        for text, name, level in rows
    )


FORMS = {
    "logging": prefixed("{t} {l} {n}: "),
    "dashes": prefixed("{t} - {n} - {l} - "),
    "basic": prefixed("{l}:{n}:"),
    "loguru": prefixed("{t} | {l: <8} | {n}:go:7 - "),
    "brackets": prefixed("[{t}] [{l}] [{n}] "),
    "log4j": prefixed("{t} [main] {l} {n} - "),
    "spring": prefixed("{t}  {l} 7 --- [main] {n} : "),
    "JSON": as_json,
}
LEVELS = ("DEBUG", "INFO", "WARNING", "ERROR")
LOGGERS = ("db", "httpz", "worker-7")
TEXTS = (OTHER, f"{OTHER}\nfor 3 s", "retry: 2", "12", "| a | b |", "{'x': 1}", "[cache] hit",
         "Result: none", "user: 7", "step 3")  # fmt: skip


def values(run: Transcript) -> tuple[object, ...]:
    steps = [
        (step.thought, getattr(step.action, "tool", ""), getattr(step.action, "tool_input", ""),
         step.observation, step.error)
        for step in run.all_steps
    ]  # fmt: skip
    return run.question, steps, run.finish and run.finish.return_values["output"]


def about(runs: Sequence[Transcript]) -> list[Notice]:
    return [each for run in runs for each in run.notices if not is_open_end(each)]


def faults(write: Callable[[Sequence[Logged]], str], rows: Sequence[Logged], at: int,
           other: Logged) -> Iterator[str]:  # fmt: skip
    """Yield what is wrong if *other* stands *at* this place of the *rows* of two runs."""
    expected = [*map(values, read_runs(write(rows)))]
    assert len(expected) == 2
    runs = [*read_runs(write([*rows[:at], other, *rows[at:]]))]
    if [*map(values, runs)] != expected:
        yield f"{other} at {at}: other runs"
    told = [each for each in about(runs) if other.text in each.text]
    if [each.kind for each in told] != ["unowned_text"]:
        yield f"{other} at {at}: {len(told)} notices"
    elif told[0].line != at + 1 + sum(row.text.count("\n") for row in rows[:at]):
        yield f"{other} at {at}: the notice is about line {told[0].line}"


ROWS = [Logged(text) for text in RUN * 2]
LABELLED = [at for at, row in enumerate(ROWS) if ": " in row.text]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("logger", LOGGERS)
def test_what_another_logger_writes_is_in_no_run_and_is_told(form: str, logger: str) -> None:
    for at in range(len(ROWS) + 1):
        level, text = LEVELS[at % len(LEVELS)], TEXTS[at % len(TEXTS)]
        assert not [*faults(FORMS[form], ROWS, at, Logged(text, logger, level))]


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("level", [each for each in LEVELS if each != "INFO"])
def test_a_record_at_another_level_ends_the_text_before_it(form: str, level: str) -> None:
    for at in (*LABELLED[1:], len(ROWS)):  # before the first there is no text
        text = TEXTS[at % len(TEXTS)]
        assert not [*faults(FORMS[form], ROWS, at, Logged(text, level=level))]


@pytest.mark.parametrize("form", FORMS)
def test_what_follows_a_record_at_another_level_is_told_as_well(form: str) -> None:
    at = RUN.index("Susten, 2224")
    rows = [*ROWS[:at], Logged(OTHER, level="DEBUG"), *ROWS[at:]]
    first, second = read_runs(FORMS[form](rows))
    assert (first.all_steps[0].observation or "").strip() == "name, metres"
    told = "\n".join(each.text for each in first.notices if each.kind == "unowned_text")
    assert OTHER in told
    assert "Susten, 2224" in told
    assert second.notices[0].kind == "cut_value" if second.notices else True


@pytest.mark.parametrize("form", FORMS)
def test_each_part_of_a_run_may_have_its_level(form: str) -> None:
    level, rows = "INFO", []
    for at, row in enumerate(ROWS):
        level = LEVELS[at % len(LEVELS)] if at in LABELLED else level
        rows.append(row._replace(level=level))
    assert [*map(values, read_runs(FORMS[form](rows)))] == [
        *map(values, read_runs(FORMS[form](ROWS)))
    ]


@pytest.mark.parametrize("form", FORMS)
def test_results_may_have_a_logger_of_their_own_among_others(form: str) -> None:
    expected = [*map(values, read_runs(FORMS[form](ROWS)))]
    rows = []
    for row in ROWS:
        is_result = row.text.startswith(("Observation", "Susten,"))
        rows.append(row._replace(logger="tools") if is_result else row)
    assert [*map(values, read_runs(FORMS[form](rows)))] == expected
    for at in LABELLED:
        assert not [*faults(FORMS[form], rows, at, Logged(OTHER, "db"))]


@pytest.mark.parametrize("form", FORMS)
def test_questions_and_answers_may_have_a_logger_of_their_own(form: str) -> None:
    rows = [
        row._replace(logger="chat") if row.text.startswith(("Question", "Final", "above")) else row
        for row in ROWS
    ]
    expected = [*map(values, read_runs(FORMS[form](ROWS)))]
    assert [*map(values, read_runs(FORMS[form](rows)))] == expected


def test_a_logger_that_has_begun_another_run_is_not_mixed_in() -> None:
    rows = [*ROWS]
    for at, text in ((12, "Question: Which lake?"), (7, "Thought: Later.")):
        rows.insert(at, Logged(text, "other"))
    runs = [*read_runs(FORMS["logging"](rows))]
    assert [*map(values, runs)] == [*map(values, read_runs(FORMS["logging"](ROWS)))]
    told = "\n".join(each.text for each in about(runs))
    assert "Which lake?" in told
    assert "Later." in told


@pytest.mark.one_in(3)
@pytest.mark.parametrize("form", FORMS)
def test_another_logger_may_write_a_thousand_records_first(form: str) -> None:
    said = ("idle", f"({OTHER})", "3 left", "job 7: done in 2 s", "Task: none")
    rows = [*[Logged(f"{said[at % 5]} {at}", "db") for at in range(1200)], *ROWS]
    rows.insert(1200 + len(RUN), Logged(OTHER, "db"))
    runs = [*read_runs(FORMS[form](rows))]
    assert [*map(values, runs)] == [*map(values, read_runs(FORMS[form](ROWS)))]
    told = "\n".join(each.text for each in about(runs[:1]))
    assert told.count(OTHER) == 241
    assert f"{said[0]} 1195" in told


def test_records_that_come_one_after_another_are_one_notice_and_many_are_counted() -> None:
    write = FORMS["logging"]
    rows = [*ROWS[:2], *[Logged(f"{OTHER}, {at}", "db") for at in range(5)], *ROWS[2:9]]
    (run,) = read_runs(write(rows))
    (told,) = about([run])
    assert told.text.count(OTHER) == 5
    rows = [row for row in ROWS[:9] for _ in range(2)]
    many = [Logged(f"x{at}", f"db{at % 2}") for at in range(300)]
    (run,) = read_runs(write([*ROWS[:5], *many, *ROWS[5:9]]))
    assert len(about([run])) == records._MOST_NOTICES + 1
    assert about([run])[-1].message == "found more log records that belong to no run: 200"


def test_a_console_keeps_records_at_another_level_and_says_so() -> None:
    lines = ("---------- TextMessage (user) ----------", "How high?",
             "---------- TextMessage (guide) ----------", "2224 m")  # fmt: skip
    rows = [*map(Logged, lines), Logged(OTHER, level="DEBUG")]
    (run,) = read_runs(FORMS["logging"](rows))
    assert run.finish is not None
    assert ("unclear_end", OTHER) in [(each.kind, each.text) for each in run.notices]


@pytest.mark.parametrize("name", ["add", "_at_one_level"])
def test_the_law_finds_a_reader_that_drops_or_glues(
    name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if name == "add":
        monkeypatch.setattr(records._Unowned, "add", lambda *_: None)
        other = Logged(OTHER, "db")
    else:
        monkeypatch.setattr(records, name, lambda found, *_: found)
        other = Logged(OTHER, level="DEBUG")
    assert [*faults(FORMS["logging"], ROWS, len(RUN), other)]
