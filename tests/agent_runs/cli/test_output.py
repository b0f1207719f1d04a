"""Where commands write, what their help looks like, and which words their errors have."""

import json
import re
from pathlib import Path
from typing import Any

import pytest
import typer

from agent_parsers.cli.commands.app import app

from ...helpers.command_line import BRIDGE, LAKE, MILL, command

HERMES = '<tool_call>\n{"name": "search", "arguments": {}}\n</tool_call>'

# -- where they write ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [
        ["parse", "--json", "runs.json"],
        ["parse", "--format", "jsonl", "runs.txt"],
        ["parse", "--summary", "counts.txt"],
        ["convert", "--to", "openai", "runs.jsonl"],
        ["convert", "--to", "atif", "runs.json"],
        ["convert", "--to", "react", "runs.txt"],
        ["report", "page.html"],
    ],
    ids=" ".join,
)
def test_a_name_with_a_suffix_is_a_file(arguments: list[str], tmp_path: Path) -> None:
    *words, name = arguments
    out = tmp_path / name
    written = command(*words, BRIDGE, MILL, "-o", out)
    shown = command(*words, BRIDGE, MILL)
    assert (written.status, written.stdout, written.stderr) == (1, "", shown.stderr)
    assert out.read_text(encoding="utf-8") == shown.stdout


@pytest.mark.parametrize(
    ("arguments", "names"),
    [
        (["parse"], ["bridge_run.txt", "mill_runs.txt"]),
        (["parse", "--json"], ["bridge_run.json", "mill_runs.json"]),
        (["convert", "--to", "openai"], ["bridge_run.jsonl", "mill_runs.jsonl"]),
        (
            ["convert", "--to", "atif"],
            ["bridge_run-1.json", "mill_runs-1.json", "mill_runs-2.json"],
        ),
        (["report"], ["bridge_run.html", "mill_runs.html"]),
    ],
)
def test_a_name_without_one_is_a_folder(
    arguments: list[str], names: list[str], tmp_path: Path
) -> None:
    out = tmp_path / "out"
    outcome = command(*arguments, BRIDGE, MILL, "-o", out)
    assert (outcome.status, outcome.stdout) == (1, "")
    assert sorted(path.name for path in out.iterdir()) == names
    command(*arguments, BRIDGE, "-o", out)  # nothing there is overwritten
    assert len([*out.iterdir()]) == len(names) + 1


@pytest.mark.parametrize("suffix", ["json", "jsonl"])
def test_the_suffix_says_the_format(suffix: str, tmp_path: Path) -> None:
    out = tmp_path / f"runs.{suffix}"
    assert command("parse", BRIDGE, "-o", out).status == 0
    assert out.read_text(encoding="utf-8") == command("parse", BRIDGE, "--format", suffix).stdout


def test_a_file_that_is_read_is_not_overwritten(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(MILL.read_text(encoding="utf-8"), encoding="utf-8")
    for words in (["parse"], ["convert", "--to", "atif"], ["report"]):
        outcome = command(*words, path, "-o", path)
        assert (outcome.status, outcome.stdout) == (2, "")
        assert "this file is read, so it cannot be the output" in outcome.stderr
    assert path.read_text(encoding="utf-8") == MILL.read_text(encoding="utf-8")


@pytest.mark.parametrize("name", ["runs.csv", "runs.parquet"])
def test_a_table_is_not_written_as_text(name: str, tmp_path: Path) -> None:
    outcome = command("parse", BRIDGE, "-o", tmp_path / name)
    assert outcome.status == 2
    assert "files: choose .json, .jsonl or .txt" in outcome.stderr


# -- replies that are no logs --------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("reply.txt", HERMES),
        ("reply.json", '{"name": "search", "arguments": {}}'),
        ("replies.jsonl", '{"id": 0, "text": "Final Answer: 1"}\n{"id": 1, "text": "x"}\n'),
        ("replies.csv", 'id,text\n1,"Final Answer: 1"\n'),
        ("replies.parquet", "PAR1"),
    ],
)
@pytest.mark.parametrize("words", [["parse"], ["convert", "--to", "atif"], ["report"]])
def test_the_command_for_replies_is_named(
    words: list[str], name: str, text: str, tmp_path: Path
) -> None:
    (tmp_path / name).write_text(text)
    outcome = command(*words, tmp_path / name)
    assert outcome.status == 1
    assert re.search(r"`agent-parsers reply( FILE)?`( which)? reads", outcome.stderr)


# -- explain -------------------------------------------------------------------------------------


@pytest.mark.parametrize("option", [[], ["--dialect", "auto"], ["--dialect", "Qwen/Qwen3-8B"]])
def test_explain_finds_the_dialect(option: list[str]) -> None:
    outcome = command("explain", *option, stdin=HERMES.encode())
    assert (outcome.status, outcome.stderr) == (0, "")
    assert outcome.stdout.startswith("hermes, lenient: 1 action\n")


def test_explain_says_that_it_found_none() -> None:
    outcome = command("explain", "--json", stdin=b"It is noon.")
    said = (
        "<stdin>: no sign of a dialect, so the whole text is the answer;"
        " use --dialect to choose one\n"
    )
    assert (outcome.status, outcome.stderr) == (0, said)
    assert outcome.run["result"]["return_values"] == {"output": "It is noon."}


def test_explain_says_that_there_may_be_two() -> None:
    outcome = command("explain", stdin=b"Action: clock\nAction Input:\nObservation: noon")
    assert outcome.status == 1
    words = " ".join(outcome.stdout.split())
    assert "error: this may be 'react'" in words


def test_a_stream_needs_the_name_of_its_dialect() -> None:
    outcome = command("explain", "--follow", stdin=b"x")
    assert outcome.status == 2
    assert "--dialect: required with --follow" in outcome.stderr


# -- dialects ------------------------------------------------------------------------------------


def test_the_dialect_of_a_model_is_found_by_its_name() -> None:
    (row,) = json.loads(command("dialects", "Qwen/Qwen3-8B", "--json").stdout)
    assert row["name"] == "hermes"
    assert command("dialects", "gpt-5").stdout == "no dialect matches 'gpt-5'\n"


# -- help and errors -----------------------------------------------------------------------------


def commands_in(group: Any, *path: str) -> list[tuple[str, ...]]:
    """Return the names of all commands, with those of their groups."""
    found = [path]
    for name, each in getattr(group, "commands", {}).items():
        found += commands_in(each, *path, name)
    return found


@pytest.mark.parametrize("path", commands_in(typer.main.get_command(app)), ids=" ".join)
def test_the_help_is_whole_and_plain(path: tuple[str, ...]) -> None:
    shown = command(*path, "--help").stdout
    assert "..." not in shown.replace("[ARGS]...", "").replace("]...", "")
    assert not re.search(r"<(?:list|str|int)\b", shown)


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["parse", "x", "--reader", "openai"], "`agent-parsers forms` lists all names"),
        (["convert", "x", "--to", "openal"], "`agent-parsers forms` lists all writers"),
        (["parse", "x", "--dialect", "reakt"], "`agent-parsers dialects` lists the names"),
        (["show", "auto"], "'auto' is not a dialect, since it finds one for each turn\n"),
        (["show", "langchain"], "`agent-parsers dialects` lists the names"),
        (["parse", "x", "--format", "yaml"], "'yaml' is not one of "),
        (["grammar", "react", "--max-calls", "0"], "it should be greater than or equal to 1"),
        (["grammar", "react", "--max-calls", "x"], "it should be a valid integer\n"),
        (["grammar", "react", "--as", "bnf"], "'bnf' is not one of "),
    ],
)
def test_errors_speak_of_options_and_commands(arguments: list[str], said: str) -> None:
    outcome = command(*arguments)
    assert outcome.status == 2
    assert said in outcome.stderr
    assert not re.search(r"\w\(|\w=|Value error", outcome.stderr)


def test_an_ambiguous_log_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "open.txt"
    path.write_text("Action: clock\nAction Input:\nObservation: noon")
    for name in ("parse", "reply", "explain"):
        outcome = command(name, path)
        assert "--dialect" in outcome.stderr + outcome.stdout
        assert "dialect=" not in outcome.stderr + outcome.stdout
    assert command("parse", LAKE, "--dialect", "auto") == command("parse", LAKE)
