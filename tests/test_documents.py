"""The README in the metadata, the reference pages, and the pages of the site."""

from __future__ import annotations

import json
import posixpath
import re
import runpy
import subprocess
import sys
import tomllib
from importlib import import_module
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

import agent_laws
import agent_parsers
import agent_runs
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
    testing,
    toolset,
    transcripts,
)

# The pages of the site: each is in the navigation once, and its links lead to another.

ROOT = Path(__file__).parents[1]
sys.path.insert(0, str(ROOT / "tools" / "docs"))
try:
    from make_site import rank_guides_first
    from site_links import broken_links, loaded_from_outside
    from site_pages import API, GROUPS, assets, llms, llms_full, pages
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
    listed, whole = llms("https://x.example/"), llms_full()
    for page in pages():
        assert f"[{page.title}](https://x.example/{page.url})" in listed
        if page.group != API:
            assert page.text.strip() in whole


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


def test_names_of_the_api_are_no_titles_in_the_search(tmp_path: Path) -> None:
    index = tmp_path / "search.json"
    found = [
        ("How-to", 2, "Retry after an error"),
        (API, 1, "x"),
        (API, 2, "RetryParser"),
        (API, 3, "RetryParser.parse"),
    ]
    items = [
        {"location": "", "path": [group, "x"], "level": level, "title": title, "text": "It tries."}
        for group, level, title in found
    ]
    index.write_text(json.dumps({"items": items}))
    rank_guides_first(index)
    guide, module, name = json.loads(index.read_text())["items"]
    assert [guide, module] == items[:2]
    assert name["title"] == "x"
    assert re.findall("<code>(.*?)</code>", name["text"]) == ["RetryParser", "RetryParser.parse"]


def test_every_extra_is_on_the_page_about_installing() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    table = (ROOT / "docs" / "install.md").read_text("utf-8").partition("| extra |")[2]
    rows = re.findall(r"^\| (`.*?) \|", table.partition("\n\n")[0], re.MULTILINE)
    assert set(re.findall(r"`([\w-]+)`", " ".join(rows))) == {*project["optional-dependencies"]}


HOW_TO_WORDS = 900
"""The most words that a how-to page has, samples included."""


@pytest.mark.parametrize("source", GROUPS["How-to"])
def test_a_how_to_is_short(source: str) -> None:
    assert len((ROOT / source).read_text("utf-8").split()) <= HOW_TO_WORDS


def test_links_within_pages_lead_to_a_heading() -> None:
    known = {page.place: anchors(page.text) for page in pages() if page.group != API}
    for page in pages():
        for at, anchor in re.findall(r"\]\(([^)\s#:]*)#([^)\s]+)\)", FENCE.sub("", page.text)):
            place = posixpath.normpath(posixpath.join(posixpath.dirname(page.place), at))
            headings = known.get(place if at else page.place)
            assert headings is None or anchor in headings, f"{page.source}: {at}#{anchor}"


# The README in the metadata of the package, where no other file is beside it.

README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the build hook; what it is based on is there only while a package is built."""
    name = "hatchling.metadata.plugin.interface"
    interface = ModuleType(name)
    vars(interface)["MetadataHookInterface"] = type("MetadataHookInterface", (), {})
    monkeypatch.setitem(sys.modules, name, interface)
    return runpy.run_path(str(ROOT / "hatch_build.py"))


def test_the_readme_of_the_package_has_no_relative_link_and_no_picture(
    hook: dict[str, Any],
) -> None:
    metadata: dict[str, Any] = {}
    hook["StandaloneReadme"].update(SimpleNamespace(root=ROOT), metadata)
    text = metadata["readme"]["text"]
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert [to for to in re.findall(r"\]\(([^)]*)\)", text) if ":" not in to] == []
    assert not re.search(r"<picture|<img|<source|\.png|\.svg|!\[", text)
    for path in re.findall(r"\(`([\w/.-]+/[\w.-]+\.\w+)`\)", text):
        assert (ROOT / path).exists(), path
    assert re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL) == re.findall(
        r"^```.*?^```$", README, re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"^#.*", text, re.MULTILINE) == re.findall(r"^#.*", README, re.MULTILINE)


def test_a_link_is_its_words_with_the_path(hook: dict[str, Any]) -> None:
    written = "[all](docs/a.md#b), ![x](docs/x.png)[here](#b), [out](https://x.example/a.md)\n"
    alone = hook["standalone"](f"{written}```text\n[all](a.md)\n```\n")
    assert alone.startswith(
        "all (`docs/a.md`), [here](#b), [out](https://x.example/a.md)\n```text\n"
    )
    assert "\n[all](a.md)\n" in alone


def test_the_hook_is_part_of_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hatch = project["tool"]["hatch"]
    assert "readme" in project["project"]["dynamic"]
    assert hatch["metadata"]["hooks"]["custom"]["path"] == "hatch_build.py"
    assert "/hatch_build.py" in hatch["build"]["targets"]["sdist"]["include"]


# The reference pages are up to date with the docstrings.

FOLDER = ROOT / "docs" / "reference"
PAGES = sorted(FOLDER.glob("*.md"))


@pytest.mark.parametrize("script", ["make_reference", "make_places", "make_claims"])
def test_the_pages_are_up_to_date(script: str) -> None:
    command = [sys.executable, "-B", str(ROOT / "tools" / "docs" / f"{script}.py"), "--check"]
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
        testing,
        toolset,
        transcripts,
        agent_laws,
        agent_runs,
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


def anchors(text: str) -> set[str]:
    headings = re.findall(r"^#+ (.*)$", FENCE.sub("", text), re.MULTILINE)
    return {re.sub(r"[^\w-]", "", heading.lower().replace(" ", "-")) for heading in headings}


def test_links_lead_to_a_heading() -> None:
    known = {page.name: anchors(page.read_text("utf-8")) for page in PAGES}
    for page in PAGES:
        for at, anchor in re.findall(r"\]\(([\w.]*)#?([\w-]*)\)", page.read_text("utf-8")):
            assert anchor in {"", *known[at or page.name]}, f"{page.name}: {at}#{anchor}"


def test_fragments_of_the_changelog_name_no_issue_that_there_is_none_of() -> None:
    """A name without ``+`` is the number of an issue to towncrier."""
    kinds = {
        kind["directory"]
        for kind in tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["tool"][
            "towncrier"
        ]["type"]
    }
    for path in (ROOT / "changelog.d").glob("*.md"):
        if path.name != "README.md":
            topic, kind, _ = path.name.rsplit(".", 2)
            assert topic.startswith("+") or topic.isdigit(), path.name
            assert kind in kinds, path.name
