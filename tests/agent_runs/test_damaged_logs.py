"""Logs that were cut while they were written, and JSON in which a key comes twice."""

import gzip
import json
from collections.abc import Callable
from typing import Any

import pytest

from agent_parsers import OutputParserException, Transcript
from agent_parsers.transcripts import Notice
from agent_runs import get_writer, read_runs
from agent_runs.reading.parts import is_open_end

from .run_values import values

RUN = (
    "Question: Which tram?\nThought: The plan.\nAction: plan\nAction Input: Zoo\n"
    "Observation: line 6\nThought: So.\nFinal Answer: The 6.\n"
)
HOLE = "\0" * 40
WORDS = "dropped NUL characters, which are left in a file when writing it is interrupted"


def told(run: Transcript) -> list[Notice]:
    return [each for each in run.notices if not is_open_end(each)]


# -- NULs ----------------------------------------------------------------------------------------


@pytest.mark.parametrize("form", [str, str.encode, lambda text: gzip.compress(text.encode())])
def test_nuls_are_in_no_value_and_told_wherever_they_stand(form: Callable[[str], Any]) -> None:
    text = RUN + RUN
    expected = [*map(values, read_runs(form(text)))]
    for at in range(0, len(text) + 1, 7):
        runs = [*read_runs(form(text[:at] + HOLE + text[at:]))]
        assert [*map(values, runs)] == expected
        (notice,) = [each for run in runs for each in told(run)]
        line = text.count("\n", 0, at) + 1
        assert notice == Notice("altered_text", f"{WORDS}: 40", line=line)


def test_each_line_with_nuls_has_a_notice() -> None:
    (run,) = read_runs(RUN.replace("line 6", "l\0ine\0 6").replace("So.", "\0So."))
    assert values(run) == values(*read_runs(RUN))
    assert [(each.message, each.line) for each in told(run)] == [
        (f"{WORDS}: 2", 5), (f"{WORDS}: 1", 6)
    ]  # fmt: skip


def test_nuls_under_the_prefixes_of_a_logger_are_told_by_their_lines() -> None:
    lines = [f"2026-01-02 03:04:{at:02},007 INFO guide: {line}\n"
             for at, line in enumerate((RUN + RUN).splitlines())]  # fmt: skip
    lines[9] = HOLE + lines[9]
    runs = [*read_runs("".join(lines))]
    assert [*map(values, runs)] == [values(*read_runs(RUN))] * 2
    assert [(each.kind, each.line) for run in runs for each in told(run)] == [("altered_text", 10)]


def test_a_line_of_json_with_nuls_is_refused_with_the_reason() -> None:
    line = json.dumps({"messages": [{"role": "user", "content": "q"},
                                    {"role": "assistant", "content": "a"}]})  # fmt: skip
    errors: list[OutputParserException] = []
    runs = [*read_runs(f"{line}\n{HOLE}{line}\n{line}\n", on_error=errors.append)]
    assert len(runs) == 2
    (error,) = errors
    assert "it has NUL characters" in str(error)
    assert "(line 2 of the file)" in str(error)


def test_nuls_that_json_has_as_text_stay() -> None:
    (run,) = read_runs([{"role": "user", "content": "q"}, {"role": "assistant", "content": "a\0b"}])
    assert run.finish is not None
    assert run.finish.return_values["output"] == "a\0b"


# -- a key that comes twice ----------------------------------------------------------------------


def chat(answer: str) -> list[dict[str, str]]:
    return [{"role": "user", "content": "q"}, {"role": "assistant", "content": answer}]


def as_object(*pairs: tuple[str, Any]) -> str:
    return "{" + ", ".join(f"{json.dumps(key)}: {json.dumps(value)}" for key, value in pairs) + "}"


@pytest.mark.parametrize("record", [chat, lambda answer: {"traj": chat(answer), "reward": 1}])
@pytest.mark.parametrize("form", [str, lambda text: text.replace(", ", ",\n"), str.encode])
def test_results_whose_id_comes_twice_are_all_read(
    record: Callable[[str], Any], form: Callable[[str], Any]
) -> None:
    log = as_object(("7", record("one")), ("8", record("two")), ("7", record("three")))
    runs = [*read_runs(form(log))]
    assert [(run.id, run.finish and run.finish.return_values["output"]) for run in runs] == [
        ("7", "one"), ("8", "two"), ("7", "three")
    ]  # fmt: skip
    assert [get_writer("openai").write(run)["messages"][-1]["content"] for run in runs] == [
        "one", "two", "three"
    ]  # fmt: skip


TWICE = as_object(("messages", chat("one")), ("messages", chat("two")))
REASON = "JSON in which the key 'messages' appears twice in an object"


@pytest.mark.parametrize("log", [
    f"[{as_object(('messages', chat('a')))}, {TWICE}, {as_object(('messages', chat('b')))}]",
    f"{as_object(('messages', chat('a')))}\n{TWICE}\n{as_object(('messages', chat('b')))}\n",
    "\n".join([json.dumps({"messages": chat("a")}, indent=1), TWICE,
               json.dumps({"messages": chat("b")}, indent=1)]),
])  # fmt: skip
def test_a_record_with_a_key_twice_is_refused_and_the_others_are_read(log: str) -> None:
    errors: list[OutputParserException] = []
    runs = [*read_runs(log, on_error=errors.append)]
    assert [run.finish and run.finish.return_values["output"] for run in runs] == ["a", "b"]
    (error,) = errors
    assert str(error).startswith(REASON)
    with pytest.raises(OutputParserException, match=REASON):
        list(read_runs(log))


@pytest.mark.parametrize("log", [
    TWICE,
    TWICE.replace(", ", ",\n"),
    TWICE.replace('{"messages"', '{"model": "m", "messages"', 1),
    f"[{TWICE}]",
])  # fmt: skip
def test_a_log_of_one_record_with_a_key_twice_is_refused(log: str) -> None:
    with pytest.raises(OutputParserException, match=REASON):
        list(read_runs(log))


def test_a_key_that_comes_twice_with_the_same_value_loses_nothing() -> None:
    log = as_object(("messages", chat("one")), ("model", "m"), ("model", "m"))
    (run,) = read_runs(log)
    assert run.finish is not None


def test_a_key_twice_deep_in_results_is_refused() -> None:
    inner = as_object(("traj", chat("one")), ("traj", chat("two")))
    log = f'{{"7": {inner}, "8": {json.dumps({"traj": chat("a")})}}}'
    with pytest.raises(OutputParserException, match="the key 'traj' appears twice in an object"):
        list(read_runs(log))
