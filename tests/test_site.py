"""The pages of the site: each is in the navigation once, and its links lead to another."""

from __future__ import annotations

import posixpath
import re
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "docs"))
try:
    from site_links import broken_links, loaded_from_outside
    from site_pages import GROUPS, assets, llms, llms_full, pages
finally:
    sys.path.pop(0)

LINK = re.compile(r"\]\(([^)\s#]+)[^)\s]*\)")
FENCE = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)


def test_every_page_is_in_the_navigation_once() -> None:
    named = [source for group in GROUPS.values() for source in group]
    there = [path.relative_to(ROOT).as_posix() for path in (ROOT / "docs").rglob("*.md")]
    assert len({*named}) == len(named)
    assert {*there} <= {*named}
    assert all((ROOT / source).exists() for source in named)


def test_links_lead_to_pages_and_files_of_the_site() -> None:
    places = {page.place for page in pages()} | {*assets()}
    for page in pages():
        for link in LINK.findall(FENCE.sub("", page.text)):
            if ":" not in link:
                target = posixpath.normpath(posixpath.join(posixpath.dirname(page.place), link))
                assert target in places, f"{page.source}: {link}"


def test_links_to_code_lead_to_files() -> None:
    for page in pages():
        for link in LINK.findall(FENCE.sub("", page.text)):
            if "/blob/main/" in link:
                assert (ROOT / link.partition("/blob/main/")[2]).exists(), f"{page.source}: {link}"


def test_models_find_every_page() -> None:
    listed = llms("https://x.example/")
    for page in pages():
        assert f"[{page.title}](https://x.example/{page.url})" in listed
        if page.group != "Reference":
            assert page.text.strip() in llms_full()


def test_what_is_behind_the_language_of_a_block_is_left_out() -> None:
    assert not any(re.search(r"^`{3,}\w+ ", page.text, re.MULTILINE) for page in pages())


@pytest.mark.parametrize(
    ("link", "is_broken"),
    [
        ("b/", False),
        ("b/#here", False),
        ("b/#there", True),
        ("c/", True),
        ("#top", True),
        ("https://x.example/", False),
    ],
)
def test_broken_links_are_found(tmp_path: Path, link: str, is_broken: bool) -> None:
    (tmp_path / "b").mkdir()
    (tmp_path / "index.html").write_text(f'<a href="{link}">b</a>')
    (tmp_path / "b" / "index.html").write_text('<h2 id="here">x</h2><a href="..">a</a>')
    assert bool(list(broken_links(tmp_path))) == is_broken


def test_what_is_loaded_from_outside_is_found(tmp_path: Path) -> None:
    page = tmp_path / "index.html"
    page.write_text('<a href="https://x.example">x</a><img src="a.png">')
    assert not list(loaded_from_outside(tmp_path))
    for address in ("https://x.example/a.js", "//x.example/a.js"):
        page.write_text(f'<script src="{address}"></script>')
        assert list(loaded_from_outside(tmp_path))
