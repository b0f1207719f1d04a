"""The reference pages are up to date with the docstrings."""

import re
import subprocess
import sys
from importlib import import_module
from pathlib import Path
from types import ModuleType

import pytest

import agent_parsers
import output_parsers
import outputs
from agent_parsers import (
    authoring,
    events,
    explain,
    format_scratchpad,
    json_form,
    messages,
    reports,
    runs,
    testing,
    toolset,
)

ROOT = Path(__file__).parents[1]
FOLDER = ROOT / "docs" / "reference"
PAGES = sorted(FOLDER.glob("*.md"))


def test_the_pages_are_up_to_date() -> None:
    command = [sys.executable, "-B", str(ROOT / "docs" / "make_reference.py"), "--check"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


@pytest.mark.parametrize(
    "package",
    [
        agent_parsers,
        outputs,
        output_parsers,
        authoring,
        events,
        explain,
        format_scratchpad,
        json_form,
        messages,
        reports,
        runs,
        testing,
        toolset,
    ],
    ids=lambda package: package.__name__,
)
def test_a_page_has_all_that_is_exported(package: ModuleType) -> None:
    text = (FOLDER / f"{package.__name__}.md").read_text("utf-8").partition("\n## ")[0]
    found = re.findall(r"^- \[`(\w+)`\]\(([\w.]*)#", text, re.MULTILINE)
    assert [name for name, _ in found] == package.__all__
    for name, page in found:  # what it leads to is the same thing, not another of that name
        home = import_module(page.removesuffix(".md")) if page else package
        assert getattr(home, name) is getattr(package, name), name


def anchors(page: Path) -> set[str]:
    text = re.sub(r"^(`{3,}).*?^\1$", "", page.read_text("utf-8"), flags=re.MULTILINE | re.DOTALL)
    headings = re.findall(r"^#+ (.*)$", text, re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower()) for heading in headings}


def test_links_lead_to_a_heading() -> None:
    known = {page.name: anchors(page) for page in PAGES}
    for page in PAGES:
        for at, anchor in re.findall(r"\]\(([\w.]*)#?([\w-]*)\)", page.read_text("utf-8")):
            assert anchor in {"", *known[at or page.name]}, f"{page.name}: {at}#{anchor}"
