"""Every command that the documentation names is there, with the options that it gives."""

import re
from typing import Any

import pytest
import typer

from agent_parsers.cli.commands.app import app

from ...helpers.samples import PAGES, ROOT

_CALL = re.compile(r"(?:`|^\$ |[&|] )agent-parsers ([a-z][^`\n|&]*)", re.MULTILINE)


def calls_in(text: str) -> list[list[str]]:
    """Return the words of each call of the command in *text*."""
    return [found.split() for found in _CALL.findall(text)]


def fault(call: list[str]) -> str:
    """Return what of *call* the command does not know, or ``""``."""
    at: Any = typer.main.get_command(app)
    words = iter(call)
    while hasattr(at, "commands"):
        name = next(words, "")
        if name not in at.commands:
            return name
        at = at.commands[name]
    known = {"--help", *(name for each in at.params for name in (*each.opts, *each.secondary_opts))}
    return next((word for word in words if word.startswith("-") and word not in {*known, "-"}), "")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "CONTRIBUTING.md"], ids=lambda page: page.name)
def test_every_command_of_a_page_is_there(page: Any) -> None:
    for call in calls_in(page.read_text("utf-8")):
        assert not fault(call), " ".join(call)


def test_the_pages_name_every_command() -> None:
    named = {call[0] for page in PAGES for call in calls_in(page.read_text("utf-8"))}
    commands: Any = typer.main.get_command(app)
    assert named == {*commands.commands}


@pytest.mark.parametrize(
    "wrong",
    ["`agent-parsers html`", "$ agent-parsers dialect find x", "`agent-parsers parse --all`"],
)
def test_a_command_that_is_not_there_is_noticed(wrong: str) -> None:
    assert all(map(fault, calls_in(wrong)))
    assert calls_in(wrong)
