"""Checks the links of a built site: each leads to a file of it, and to an anchor that is there."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path
from typing import TYPE_CHECKING, Final
from urllib.parse import unquote, urldefrag, urljoin, urlsplit

from typing_extensions import override

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["broken_links", "loaded_from_outside"]

_ADDRESSES: Final = {"href", "src"}
_LOADED: Final = {"img", "script", "link", "iframe", "source", "video", "audio"}


class _Links(HTMLParser):
    """The addresses and the anchors of one page."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[tuple[str, str]] = []
        """The element and the address of each."""
        self.anchors: set[str] = set()

    @override
    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        for name, value in attrs:
            if name in _ADDRESSES and value:
                self.addresses.append((tag, value))
            elif name in ("id", "name") and value:
                self.anchors.add(value)


def _read(folder: Path) -> dict[Path, _Links]:
    read = {}
    for path in sorted(filter(Path.is_file, folder.rglob("*.html"))):
        read[path] = links = _Links()
        links.feed(path.read_text("utf-8"))
    return read


def broken_links(folder: Path) -> Iterator[str]:
    """Yield a line for each link between the pages of *folder* that leads nowhere."""
    read = _read(folder)
    for path, links in read.items():
        if path.name == "404.html":
            continue
        here = path.relative_to(folder).as_posix()
        for _, address in links.addresses:
            if urlsplit(address).scheme or address.startswith("//"):
                continue
            plain, anchor = urldefrag(urljoin(here, unquote(address)))
            target = folder / plain.lstrip("/")
            target = target / "index.html" if target.is_dir() else target
            if not target.exists():
                yield f"{here}: {address} is not there"
            elif anchor and target in read and anchor not in read[target].anchors:
                yield f"{here}: {address} has no such anchor"


def loaded_from_outside(folder: Path) -> Iterator[str]:
    """Yield a line for each thing that a page of *folder* loads from another host."""
    for path, links in _read(folder).items():
        for tag, address in links.addresses:
            if tag in _LOADED and urlsplit(address).netloc:
                yield f"{path.relative_to(folder)}: <{tag}> loads {address}"
