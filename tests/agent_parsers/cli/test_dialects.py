"""The commands about dialects: those that take chat templates."""

import json
from pathlib import Path
from typing import Any

import pytest
from typer.testing import CliRunner

from agent_parsers.cli.commands.app import app

from ...helpers.chat_templates import OWN


def run(*arguments: str, text: str | None = None) -> tuple[int, str, str]:
    outcome = CliRunner().invoke(app, ["dialect", *arguments], input=text)
    return outcome.exit_code, outcome.stdout, outcome.stderr


def test_for_template_names_the_dialect(tmp_path: Path) -> None:
    file = tmp_path / "chat_template.jinja"
    file.write_text(OWN["known_json"], encoding="utf-8")
    status, out, err = run("for-template", str(file))
    assert (status, out) == (0, "hermes\n")
    assert "read back" in err


def test_from_template_prints_a_file_that_runs(tmp_path: Path) -> None:
    config = {"chat_template": OWN["json_list"], "eos_token": "<fin>"}
    file = tmp_path / "tokenizer_config.json"
    file.write_text(json.dumps(config), encoding="utf-8")
    status, out, err = run("from-template", str(file), "--name", "mine")
    assert (status, err) == (0, "")
    scope: dict[str, Any] = {}
    exec(out, scope)
    assert (scope["DIALECT"].name, scope["DIALECT"].stop) == ("mine", ("<fin>",))


def test_templates_come_from_standard_input_and_tokens_from_an_option() -> None:
    status, out, _ = run("from-template", "-", "--eos-token", "<e>", text=OWN["json_list"])
    assert status == 0
    assert 'name="derived"' in out
    assert 'END = "<e>"' in out


def test_what_cannot_be_done_is_one_line_of_standard_error(tmp_path: Path) -> None:
    missing = run("for-template", str(tmp_path / "missing.jinja"))
    broken = tmp_path / "broken.json"
    broken.write_text("{", encoding="utf-8")
    plain = run("from-template", "-", text="{{ messages[0].content }}")
    for status, out, err in (missing, run("from-template", str(broken)), plain):
        assert (status, out) == (1, "")
        assert err.startswith("agent-parsers: ")
        assert len(err.splitlines()) == 1


def test_a_wrong_command_of_a_group_is_told_those_it_has() -> None:
    status, _, err = run("hermes")
    assert status == 2
    assert "dialect for-template`, `" in (said := " ".join(err.split()))
    assert "dialect from-template`." in said
    assert "Did you mean 'for-template'" in " ".join(run("fot-template")[2].split())


@pytest.mark.parametrize(
    "given", ["tools.yaml", "no/such.toml", "names.txt", '{"area": {}}', "search, area of", '["a"]']
)
def test_what_is_no_name_of_a_tool_is_refused(given: str) -> None:
    arguments = ["grammar", "hermes", "--as", "gbnf", "--tools", given]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 2
    assert "is not the name of a tool" in " ".join(outcome.stderr.split())


def test_names_of_tools_may_be_those_of_folders_and_have_dots_and_blanks_around() -> None:
    for given in ("search, area", "tests", "lake.area,mcp__a-b"):
        arguments = ["grammar", "hermes", "--as", "gbnf", "--tools", given]
        assert CliRunner().invoke(app, arguments).exit_code == 0


@pytest.mark.parametrize("text", ["[{]", '{"tools": ', ""])
def test_an_error_in_a_file_of_tools_names_the_file(tmp_path: Path, text: str) -> None:
    file = tmp_path / "mine.json"
    file.write_text(text, encoding="utf-8")
    arguments = ["grammar", "hermes", "--as", "gbnf", "--tools", str(file)]
    outcome = CliRunner().invoke(app, arguments)
    assert outcome.exit_code == 2
    assert "mine.json" in "".join(outcome.stderr.split())
