"""The samples of the documentation do what they say."""

from __future__ import annotations

import contextlib
import io
import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
SAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(
        re.findall(r"^```python\n(.*?)^```$", page.read_text("utf-8"), re.DOTALL | re.MULTILINE)
    )
]


def test_the_pages_have_samples() -> None:
    assert len(SAMPLES) >= 4


@pytest.mark.parametrize("code", SAMPLES)
def test_a_sample_prints_what_it_says(code: str) -> None:
    said = [line[2:].removeprefix(" ") for line in code.splitlines() if line[:2] == "#>"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "sample", "exec"), {})
    assert printed.getvalue().splitlines() == said


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
