"""Builds the site into ``build/site``: the pages, the playground, and what models read.

The pages are those of the repository; `site_pages.GROUPS` says where each stands. With
``--no-playground``, what the playground needs of a browser's Python is not fetched.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final

from site_links import broken_links, loaded_from_outside
from site_pages import API, GROUPS, REPOSITORY, ROOT, SUMMARY, assets, llms, llms_full, pages
from site_playground import build_playground

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SOURCES: Final = ROOT / "build" / "pages"
SITE: Final = ROOT / "build" / "site"

SETTINGS: Final = f"""\
[project]
site_name = "agent-parsers"
site_description = "{SUMMARY}"
repo_url = "{REPOSITORY}"
repo_name = "GitHub"
docs_dir = "pages"
site_dir = "site"
use_directory_urls = true
extra_css = ["site.css"]
nav = [
{{nav}}
]

[project.theme]
language = "en"
font = false
features = [
  "content.code.copy", "navigation.footer", "navigation.indexes", "navigation.sections",
  "navigation.top", "search.highlight", "toc.follow",
]

[[project.theme.palette]]
media = "(prefers-color-scheme)"
toggle.icon = "lucide/sun-moon"
toggle.name = "Switch to light mode"

[[project.theme.palette]]
media = "(prefers-color-scheme: light)"
scheme = "default"
toggle.icon = "lucide/sun"
toggle.name = "Switch to dark mode"

[[project.theme.palette]]
media = "(prefers-color-scheme: dark)"
scheme = "slate"
toggle.icon = "lucide/moon"
toggle.name = "Switch to system preference"

[project.markdown_extensions]
attr_list = {{{{}}}}
md_in_html = {{{{}}}}
tables = {{{{}}}}
toc.permalink = true
pymdownx.highlight.pygments_lang_class = true
pymdownx.inlinehilite = {{{{}}}}
pymdownx.superfences = {{{{}}}}
"""


def main() -> int:
    """Build the site, and return 1 if a link in it is broken."""
    has_playground = "--no-playground" not in sys.argv[1:]
    if missing := [*_missing(has_playground=has_playground)]:
        print(*missing, sep="\n", file=sys.stderr)
        return 1
    shutil.rmtree(SOURCES, ignore_errors=True)
    shutil.rmtree(SITE, ignore_errors=True)
    _write_sources()
    settings = ROOT / "build" / "zensical.toml"
    nav = "\n".join(_navigation(has_playground=has_playground))
    settings.write_text(SETTINGS.format(nav=nav), "utf-8")
    command = [sys.executable, "-m", "zensical", "build", "--clean", "--config-file", str(settings)]
    subprocess.run(command, check=True, cwd=settings.parent)
    rank_guides_first(SITE / "search.json")
    (SITE / "llms.txt").write_text(llms(), "utf-8")
    (SITE / "llms-full.txt").write_text(llms_full(), "utf-8")
    if has_playground:
        build_playground(SITE / "playground")
    wrong = [*broken_links(SITE), *loaded_from_outside(SITE)]
    print(*wrong, sep="\n", file=sys.stderr)
    place = SITE.relative_to(ROOT)
    print(f"{place}: {len(pages())} pages, {len(wrong)} faults")
    print(f"look at it with: python -m http.server -d {place}")
    return 1 if wrong else 0


MEASUREMENTS: Final = ("benchmarks/", "claims/", "grammar-sizes/", "growth/", "live/")
"""Pages whose sections are tables of results."""


def rank_guides_first(index: Path) -> None:
    """Let the search rank guides above the API, and above pages of measurements.

    Words in titles count most there. So names of the API move into the text, below the name of
    their module, and methods are found with their class.
    """
    found = json.loads(index.read_text("utf-8"))
    kept: list[dict[str, Any]] = []
    for item in found["items"]:
        is_made = API in item["path"] or item["location"].startswith(MEASUREMENTS)
        if is_made and item["level"] > 1:
            text = f"<p><code>{item['title']}</code></p> {item['text']}"
            if item["level"] > 2:
                kept[-1]["text"] += f" {text}"
                continue
            item |= {"title": item["path"][-1], "text": text}
        kept.append(item)
    found["items"] = kept
    index.write_text(json.dumps(found, ensure_ascii=False), "utf-8")


def _missing(*, has_playground: bool) -> Iterator[str]:
    """Yield what is not installed, with the command that installs it."""
    if find_spec("zensical") is None:
        yield 'the site is built by Zensical: pip install -e ".[docs]"'
    if has_playground and shutil.which("npm") is None:
        yield "the playground takes Pyodide from npm: install Node.js, or use --no-playground"


def _write_sources() -> None:
    for page in pages():
        path = SOURCES / page.place
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(page.text, "utf-8")
    for place, asset in assets().items():
        shutil.copyfile(asset, SOURCES / place)


def _navigation(*, has_playground: bool) -> Iterator[str]:
    for group in GROUPS:
        yield f'  {{ "{group}" = ['
        for page in pages():
            if page.group == group:
                title = "Overview" if page.place == "index.md" else page.title
                yield f'    {{ "{title}" = "{page.place}" }},'
        if group == "Start" and has_playground:
            yield '    { "Playground" = "playground/index.html" },'
        yield "  ] },"


if __name__ == "__main__":
    sys.exit(main())
