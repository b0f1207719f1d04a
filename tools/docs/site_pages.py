"""The pages of the site, in groups, and their Markdown with links that work there."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

__all__ = [
    "API",
    "GROUPS",
    "REPOSITORY",
    "ROOT",
    "SUMMARY",
    "Page",
    "assets",
    "llms",
    "llms_full",
    "pages",
]

ROOT: Final = Path(__file__).parents[2]
REPOSITORY: Final = "https://github.com/agent-parsers/agent-parsers"
CODE: Final = f"{REPOSITORY}/blob/main/"
"""Where links to files lead that are no pages."""
SUMMARY: Final = (
    "Parses what a language model wrote into the next action or the final answer, while the tokens"
    " arrive, and says exactly what is wrong when it can't."
)

API: Final = "API"
"""The group of the pages made from the docstrings, which search ranks below the others."""

GROUPS: Final[Mapping[str, tuple[str, ...]]] = {
    "Start": (
        "README.md", "docs/install.md", "docs/tutorial.md", "docs/which-parser.md",
        "docs/known-issues.md", "docs/faq.md",
    ),
    "How-to": (
        "docs/cookbook.md", "docs/executors.md", "docs/create-agent.md", "docs/local-models.md",
        "docs/openai.md", "docs/anthropic.md", "docs/frameworks.md", "docs/serve.md",
        "docs/prompts.md", "docs/testing.md", "docs/prompts-in-ci.md",
        "examples/snapshot_agent/README.md",
        "docs/training-data.md", "docs/reports.md", "docs/bulk.md", "docs/production.md",
    ),
    "Reference": (
        "docs/agent-loop.md", "docs/tools.md", "docs/messages.md", "docs/conversations.md",
        "docs/output-parsers.md", "docs/langchain.md", "docs/models.md", "docs/templates.md",
        "docs/dialects.md", "docs/call-dialects.md", "docs/lenient.md", "docs/grammar.md",
        "docs/serve-fields.md", "docs/serving.md", "docs/transcripts.md", "docs/log-forms.md",
        "docs/json.md",
        "docs/troubleshooting.md", "docs/differences.md", "docs/versions.md", "docs/moved.md",
        "CHANGELOG.md",
    ),
    "Explanation": (
        "docs/architecture.md", "docs/safety.md", "docs/claims.md", "docs/comparison.md",
        "docs/coming-from.md", "docs/live.md", "docs/benchmarks.md", "docs/grammar-sizes.md",
        "docs/growth.md", "tools/conformance/README.md", "docs/releasing.md", "CONTRIBUTING.md",
    ),
    API: (
        "docs/reference/README.md",
        *(f"docs/reference/{path.name}" for path in sorted((ROOT / "docs/reference").glob("*.md"))
          if path.name != "README.md"),
    ),
}  # fmt: skip
"""The groups of the navigation, and the files of their pages in the repository."""

_PLACES: Final = {
    "README.md": "index.md",
    "CONTRIBUTING.md": "contributing.md",
    "CHANGELOG.md": "changes.md",
    "docs/reference/README.md": "reference/index.md",
    "examples/snapshot_agent/README.md": "snapshot-agent.md",
    "tools/conformance/README.md": "conformance.md",
}
"""Where a page goes if not to its own name."""
_FENCE: Final = re.compile(r"^(?P<fence>`{3,}).*?^(?P=fence)$", re.MULTILINE | re.DOTALL)
_INFO: Final = re.compile(r"\A(`{3,}\w+) .*")
"""A block's language and what stands behind it, for the tests: ``python continued``."""
_LINK: Final = re.compile(r"(?P<image>!?)\[(?P<text>(?:[^\[\]]|\[[^\]]*\])*)\]\((?P<to>[^)\s]+)\)")

_PICTURE: Final = re.compile(r'(?P<attribute>src|srcset)="(?P<to>[^":]+\.png)"')


class Page(NamedTuple):
    """A page of the site."""

    source: str
    """Its file in the repository."""
    place: str
    """Its file in the site's sources, as ``reference/index.md``."""
    group: str
    title: str
    text: str
    """Its Markdown, with links between the pages of the site."""

    @property
    def url(self) -> str:
        """Its address in the site, as ``reference/``."""
        folder = self.place.removesuffix(".md").removesuffix("index").rstrip("/")
        return folder and folder + "/"


def pages() -> list[Page]:
    """Return all pages, in the order of the navigation."""
    return [_page(source, group) for group, sources in GROUPS.items() for source in sources]


def assets() -> dict[str, Path]:
    """Return the pictures, styles and data of the pages, by their place in the site."""
    shown = (
        path for end in ("svg", "png", "css", "json") for path in (ROOT / "docs").glob(f"*.{end}")
    )
    return {_place(f"docs/{path.name}"): path for path in shown}


def _page(source: str, group: str) -> Page:
    text = (ROOT / source).read_text("utf-8")
    title = re.search(r"^# (.+)$", text, re.MULTILINE)
    assert title is not None, f"{source} has no title"
    parts: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        parts += [_relinked(text[at : fence.start()], source), _INFO.sub(r"\1", fence[0])]
        at = fence.end()
    parts.append(_relinked(text[at:], source))
    return Page(source, _place(source), group, title[1].replace("`", ""), "".join(parts))


def _place(source: str) -> str:
    return _PLACES.get(source, source.removeprefix("docs/"))


def _relinked(prose: str, source: str) -> str:
    """Return *prose* of the page *source* with links as they are in the site."""
    known = {each for group in GROUPS.values() for each in group}
    here = posixpath.dirname(_place(source))

    def link(match: re.Match[str]) -> str:
        path, mark, anchor = match["to"].partition("#")
        if not path or ":" in path:
            return match[0]
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), path))
        is_here = target in known or match["image"] or target.endswith(".schema.json")
        to = posixpath.relpath(_place(target), here or ".") if is_here else CODE + target
        return f"{match['image']}[{match['text']}]({to}{mark}{anchor})"

    def picture(match: re.Match[str]) -> str:
        target = posixpath.normpath(posixpath.join(posixpath.dirname(source), match["to"]))
        return f'{match["attribute"]}="{posixpath.relpath(_place(target), here or ".")}"'

    return _PICTURE.sub(picture, _LINK.sub(link, prose))


# -- for models ------------------------------------------------------------------------------------


def llms(address: str = "") -> str:
    """Return ``llms.txt``: the pages with what each is about, their addresses after *address*."""
    return "\n".join(_llms_lines(address)) + "\n"


def _llms_lines(address: str) -> Iterator[str]:
    yield from ("# agent-parsers", "", f"> {SUMMARY}")
    group = ""
    for page in pages():
        if page.group != group:
            group = page.group
            yield from ("", f"## {group}", "")
        yield f"- [{page.title}]({address}{page.url}): {_about(page.text)}".removesuffix(": ")


def _about(text: str) -> str:
    """Return the first sentence below the title; empty if there is no prose."""
    below = _FENCE.sub("", text[text.index("\n# ") + 1 :] if text[0] != "#" else text)
    for paragraph in below.split("\n\n")[1:]:
        if paragraph.strip() and paragraph.lstrip()[0] not in "|-#!<":
            plain = _LINK.sub(lambda match: match["text"], " ".join(paragraph.split()))
            return re.split(r"(?<=[.:]) ", plain, maxsplit=1)[0].removesuffix(":")
    return ""


def llms_full() -> str:
    """Return ``llms-full.txt``: the text of all pages but those of the reference and changes."""
    return "\n\n".join(page.text.strip() for page in pages() if page.group != API) + "\n"
