"""The samples in the documentation print the output they show."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers.registry import dialects_by_name as _registry

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
BLOCK = re.compile(r"^```python( continued)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def samples() -> Iterator[Any]:
    """Yield the code of each sample; a continued sample includes the code before it."""
    for page in PAGES:
        before = ""
        for number, (goes_on, code) in enumerate(BLOCK.findall(page.read_text("utf-8"))):
            before = before + code if goes_on else code
            yield pytest.param(before, id=f"{page.name}-{number}")


SAMPLES = [*samples()]


pytestmark = [pytest.mark.usefixtures("brief_checks"), pytest.mark.one_in(3)]


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let samples import the modules of the examples."""
    monkeypatch.syspath_prepend(ROOT / "examples")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Unregister the dialects that a sample registers."""
    known = dict(_registry.KNOWN)
    yield
    _registry.KNOWN.clear()
    _registry.KNOWN.update(known)


def test_the_pages_have_samples() -> None:
    assert len(SAMPLES) >= 4


@pytest.mark.parametrize("code", SAMPLES)
def test_a_sample_prints_what_it_says(code: str) -> None:
    said = [line[2:].removeprefix(" ") for line in code.splitlines() if line[:2] == "#>"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "sample", "exec", dont_inherit=True), {})
    assert printed.getvalue().splitlines() == said


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
