"""Any reader on the log of any other: the right run, or none, but never a wrong one."""

import json
import re
from contextlib import suppress
from typing import NamedTuple

import pytest

from agent_parsers import AgentAction, AgentFinish, OutputParserException, Transcript
from agent_runs import Console, ConsolePiece, detect_log, list_readers, read_runs
from agent_runs.readers.known import (
    reader_of,
    readers_for,
    readers_of_data,
    readers_of_text,
)

from .readers.data_logs import CHATS_TOO
from .readers.data_logs import LOGS as DATA_LOGS
from .readers.text_logs import LOGS as TEXT_LOGS

SAMPLES: dict[str, list[str]] = {name: [text] for name, text in TEXT_LOGS.items()}
SAMPLES |= {name: [json.dumps(log) for log in logs] for name, logs in DATA_LOGS.items()}


class Found(NamedTuple):
    """What a run says: its calls with their results, and its answers."""

    calls: frozenset[tuple[str, str]]
    results: frozenset[str]
    answers: frozenset[str]


SAID_AS_TEXT = CHATS_TOO | {("agentlite", "plain")}
"""Its messages are of these forms as well, or it has labels of ReAct among others; only its reader
knows commands in the text."""


def read(log: str, reader: str) -> tuple[Found, bool]:
    """Return what *reader* finds, and whether it says that something is missing."""
    runs: list[Transcript] = []
    with suppress(OutputParserException):
        runs += read_runs(log, format=reader)
    steps = [step for run in runs for step in run.all_steps]
    actions = [s.action for s in steps if isinstance(s.action, AgentAction)]
    answers = [s.action for s in steps if isinstance(s.action, AgentFinish)]
    found = Found(
        frozenset((a.tool, plain(a.tool_input)) for a in actions if a.tool != "final_answer"),
        frozenset(plain(step.observation) for step in steps if step.observation),
        frozenset(plain(answer.return_values["output"]) for answer in answers),
    )
    return found, any(run.notices for run in runs)


def plain(value: object) -> str:
    """Return a value as text; JSON and text, and other white space, are alike."""
    return re.sub(r"[\"'\s]", "", str(value))


def test_every_reader_has_a_log() -> None:
    assert SAMPLES.keys() == {*list_readers()}
    assert TEXT_LOGS.keys() == readers_of_text().keys()
    assert DATA_LOGS.keys() == readers_of_data().keys()


@pytest.mark.parametrize("name", SAMPLES)
def test_a_log_is_recognised_as_what_it_is(name: str) -> None:
    for log in SAMPLES[name]:
        assert detect_log(log).reader == name


@pytest.mark.parametrize("name", TEXT_LOGS)
def test_a_reader_is_asked_about_the_logs_that_show_its_form(name: str) -> None:
    asked = [reader.name for reader in readers_for(TEXT_LOGS[name].upper())]
    for other, reader in readers_of_text().items():
        assert not reader.evidence(TEXT_LOGS[name]) or other in asked


@pytest.mark.parametrize("name", [n for n, each in readers_of_text().items() if each.signs])
def test_nothing_shows_the_form_of_a_reader_where_its_signs_are_left_out(name: str) -> None:
    reader, log = readers_of_text()[name], TEXT_LOGS[name]
    assert reader.evidence(log)
    signs = "|".join(map(re.escape, reader.signs))
    assert not reader.evidence(
        re.sub(signs, lambda found: "." * len(found[0]), log, flags=re.IGNORECASE)
    )
    assert name not in [each.name for each in readers_for("A text of no form.")]


def test_a_console_has_signs_if_its_titles_begin_with_plain_text() -> None:
    def signs(*titles: str) -> tuple[str, ...]:
        pieces = [ConsolePiece("call", title, is_sign=True) for title in titles]
        table = Console(name="c", summary="c", pieces=[*pieces, ConsolePiece("text", r"\d+")])
        return reader_of(table).signs  # type: ignore[union-attr]

    assert signs("Call ID: (?P<id>.*)", "Tool #\\d") == ("call id: ", "tool #")
    assert signs("=> runs? ") == ("=> run",)
    assert signs("a|b", "c") == signs("(?i)call", "c") == ()


CALLS: dict[str, set[tuple[str, str]]] = {
    "aider": set(), "cursor_export": set(), "crewai_log_text": set(),
    "strands_console": {("search", "{}")},
    "claude_terminal": {("search", "query:fog")},
    "swe_agent_console": {("bash", "{command:grepfogmonths}")},
    "swe_agent_log": {("bash", "{command:grepfogmonths}")},
    "appworld": {("python", "print(search(fog))")},
    "transformers_agents": {("python_interpreter", code)
                            for code in ("print(search(fog))", "final_answer(Fog.)")},
}  # fmt: skip
"""The calls of consoles that do not show them as the others do."""


@pytest.mark.parametrize("name", TEXT_LOGS)
def test_a_console_shows_the_run(name: str) -> None:
    has_results = CALLS.get(name, True) and name not in (
        "agno_console", "llamaindex_verbose", "strands_console",
    )  # fmt: skip
    has_answer = name not in ("agno_console", "llamaindex_verbose", "appworld")
    found, _ = read(TEXT_LOGS[name], name)
    assert found.calls == CALLS.get(name, {("search", "{query:fog}")})
    assert found.results == ({"November"} if has_results else set())
    assert found.answers == ({"Fog."} if has_answer else set())


@pytest.mark.one_in(3)
@pytest.mark.parametrize("name", SAMPLES)
def test_no_other_reader_finds_anything_else(name: str) -> None:
    for log in SAMPLES[name]:
        right, _ = read(log, name)
        for other in SAMPLES:
            found, is_partial = read(log, other)
            is_right = all(part <= whole for part, whole in zip(found, right, strict=True))
            assert is_right or (name, other) in SAID_AS_TEXT, (other, found)
            assert found in (right, Found(*[frozenset()] * 3)) or is_partial or not is_right, other
