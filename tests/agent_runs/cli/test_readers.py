"""The command ``readers``: which reader a file is for, and where the others stop."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from agent_runs import list_readers
from agent_runs.readers.known import readers_of_data, readers_of_text

from ...helpers.command_line import BRIDGE, command, terminal

UNKNOWN = "Report\nrow: 7\nThought: a look\nAction: gauge\nAction Input: Aare\nObservation: 2 m\n"
HEADED = "# Agent: gauger\n\nno more\n"


def tried(*args: object, stdin: bytes = b"") -> list[dict[str, Any]]:
    outcome = command("readers", "--why", "--json", *args, stdin=stdin)
    assert not outcome.stderr
    (log,) = json.loads(outcome.stdout)
    found: list[dict[str, Any]] = log["tried"]
    return found


def write(path: Path, value: Any) -> Path:
    path.write_text(value if isinstance(value, str) else json.dumps(value), encoding="utf-8")
    return path


def test_the_reader_of_a_file_is_named_with_what_shows_it() -> None:
    outcome = command("readers", BRIDGE)
    assert outcome.status == 0
    assert outcome.stdout.startswith(f"{BRIDGE}: plain: ")
    assert outcome.stdout.count("\n") == 1


def test_every_reader_of_text_says_what_it_makes_of_a_text() -> None:
    found = tried(BRIDGE)
    assert {each["reader"] for each in found} == readers_of_text().keys()
    first, *others = found
    assert (first["reader"], first["runs"], first["stopped"]) == ("plain", 1, "")
    assert first["evidence"]
    assert all(each["stopped"] for each in others)


def test_every_reader_of_json_says_what_it_makes_of_json(tmp_path: Path) -> None:
    chat = [{"role": "user", "content": "Which lake?"}, {"role": "assistant", "content": 7}]
    found = tried(write(tmp_path / "chat.json", {"messages": chat}))
    assert {each["reader"] for each in found} == readers_of_data().keys()
    assert all(each["stopped"] or each["evidence"] for each in found)
    near = [each["reader"] for each in found[:8]]
    assert "openai_chat" in near
    said = next(each["stopped"] for each in found if each["reader"] == "openai_chat")
    assert said == "under 'messages': 'content' is neither a string nor a list (message 2)"


def test_the_nearest_reader_comes_first_with_the_line_where_it_stops(tmp_path: Path) -> None:
    first, *_ = tried(write(tmp_path / "x.log", UNKNOWN.replace("row: 7\n", "| a | b |\n")))
    assert first["reader"] == "plain"
    assert first["stopped"].startswith("line 2, '| a | b |', comes before 'Thought: a look'")
    assert "pass --dialect react to read the log nevertheless" in first["stopped"]
    assert first["runs"] == 1


def test_readers_without_a_word_of_theirs_come_last() -> None:
    stops = [each["stopped"] for each in tried("-", stdin=b"nothing here\n")]
    words = "found none of the words that every log in this form contains"
    assert words in stops
    assert set(stops[stops.index(words) :]) == {words}


def test_a_title_of_a_console_without_the_others_is_near(tmp_path: Path) -> None:
    first, *_ = tried(write(tmp_path / "x.log", "===\n**Tool: X**\n\nlater\n"))
    assert first["reader"] == "markdown_by_hand"
    assert first["stopped"].startswith("line 2, '**Tool: X**', ")


def test_a_word_of_a_form_without_the_form_is_shown_with_its_line(tmp_path: Path) -> None:
    found = tried(write(tmp_path / "x.log", "one\ntwo\nthe gauge returned: 2 m\n"))
    said = next(each for each in found if each["reader"] == "llamaindex_stream")
    assert said["stopped"].startswith("line 3, 'the gauge returned: 2 m', has 'returned:'; ")


def test_a_log_that_breaks_says_how_far_its_reader_came(tmp_path: Path) -> None:
    lines = [{"messages": [{"role": "user", "content": "Where?"},
                           {"role": "assistant", "content": "Bern."}]}] * 3  # fmt: skip
    text = "\n".join(map(json.dumps, lines))
    first, *_ = tried(write(tmp_path / "x.jsonl", f'{text}\n{{"messages": [\n'))
    assert (first["reader"], first["runs"]) == ("openai_chat", 3)
    assert first["stopped"].startswith("not JSON")
    assert "line 4 of the file" in first["stopped"]


def test_the_cells_of_a_notebook_are_named(tmp_path: Path) -> None:
    text = "Thought: a look\nAction: gauge\nand so on\n"
    cell = {"cell_type": "code", "execution_count": 7, "metadata": {}, "source": "run()",
            "outputs": [{"output_type": "stream", "name": "stdout", "text": text}]}  # fmt: skip
    book = {"nbformat": 4, "nbformat_minor": 5, "metadata": {}, "cells": [cell]}
    first, *_ = tried(write(tmp_path / "x.ipynb", book))
    assert first["reader"] == "notebook"
    assert "cell" in first["stopped"]


def test_json_that_breaks_is_said_to_be_text(tmp_path: Path) -> None:
    path = write(tmp_path / "x.json", '{"a": 1,\n "b": }\n')
    outcome = command("readers", path)
    assert outcome.status == 1
    assert "no reader for this text, which is not JSON: " in outcome.stdout
    assert "line 2, column 7" in outcome.stdout


def test_a_file_for_several_readers_is_ambiguous(tmp_path: Path) -> None:
    text = (
        "---------- TextMessage (user) ----------\nHi\n"
        "---------- TextMessage (bot) ----------\nHo\n"
        + HEADED
        + "## Task: Hi\n# Agent: b\n## Final Answer: \nHo\n"
    )
    outcome = command("readers", write(tmp_path / "x.log", text))
    assert outcome.status == 1
    assert "ambiguous: autogen_console or crewai_headings; --reader names one" in outcome.stdout


def test_standard_input_and_files_that_are_not_there() -> None:
    assert tried("-", stdin=BRIDGE.read_bytes())[0]["reader"] == "plain"
    outcome = command("readers", "gone.log")
    assert (outcome.status, outcome.stdout) == (1, "")
    assert "gone.log: No such file" in outcome.stderr


def test_jsonl_has_a_file_a_line_and_no_readers_without_why(tmp_path: Path) -> None:
    other = write(tmp_path / "x.log", "nothing\n")
    outcome = command("readers", BRIDGE, other, "--format", "jsonl")
    assert outcome.status == 1
    first, second = map(json.loads, outcome.stdout.splitlines())
    assert first == {"file": str(BRIDGE), "kind": "text", "readers": ["plain"]}
    assert second == {"file": str(other), "kind": "text", "readers": []}


@pytest.mark.parametrize("columns", ["60", "120"])
def test_the_table_fits_the_terminal(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, columns: str
) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    chat = [{"role": "user", "content": "Which lake?"}, {"role": "helper", "content": "Thun"}]
    for value in (UNKNOWN, chat):
        outcome = command("readers", "--why", write(tmp_path / "x", value))
        lines = outcome.stdout.splitlines()[1:]
        assert max(map(len, lines)) <= int(columns)
        words = " ".join(outcome.stdout.split())
        names = readers_of_text() if value is UNKNOWN else readers_of_data()
        assert all(name in words for name in names if len(name) < 20)


def test_a_terminal_shows_the_same_as_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    status, seen, _ = terminal(["readers", BRIDGE], env={"NO_COLOR": "1"})
    assert status == 0
    assert ": plain: " in re.sub(r"\x1b\[[\d;]*m", "", seen)


def test_readers_registered_by_users_are_tried_too() -> None:
    assert {each["reader"] for each in tried(BRIDGE)} <= list_readers().keys()


def test_a_refusal_names_the_command() -> None:
    outcome = command("parse", "-", stdin=b"nothing here\n")
    assert "`agent-parsers readers --why FILE` shows where each reader stopped" in outcome.stderr
