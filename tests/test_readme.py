"""The samples in the documentation print the output they show."""

from __future__ import annotations

import contextlib
import io
import re
from typing import TYPE_CHECKING

import pytest

from agent_parsers.registry import dialects_by_name as _registry

from .helpers.samples import PAGES, ROOT, samples

if TYPE_CHECKING:
    from collections.abc import Iterator

SAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(samples(page))
]


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
