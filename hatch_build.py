"""Writes the README of the package's metadata, which stands alone: nothing is beside it."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any, Final

from hatchling.metadata.plugin.interface import MetadataHookInterface

__all__ = ["StandaloneReadme", "standalone"]

_FENCE: Final = re.compile(r"^(`{3,}).*?^\1$", re.MULTILINE | re.DOTALL)
_PICTURE: Final = re.compile(
    r"<picture>.*?</picture>\n*|<img\b[^>]*>|!\[[^\]]*\]\([^)]*\)", re.DOTALL
)
_LINK: Final = re.compile(r"\[([^\]]*)\]\((?!\w+:|#)([^)#]*)[^)]*\)")
_NOTE: Final = "Paths are those of the source distribution."


class StandaloneReadme(MetadataHookInterface):  # type: ignore[misc]  # it is not installed
    """Sets the README, which is dynamic."""

    PLUGIN_NAME = "custom"

    def update(self, metadata: dict[str, Any]) -> None:
        """Set the README of *metadata*."""
        text = standalone((Path(self.root) / "README.md").read_text("utf-8"))
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


def standalone(text: str) -> str:
    """Return the README *text* without pictures, and with paths in place of relative links."""
    parts: list[str] = []
    at = 0
    for fence in _FENCE.finditer(text):
        parts += [_alone(text[at : fence.start()]), fence[0]]
        at = fence.end()
    return f"{''.join(parts)}{_alone(text[at:]).rstrip()}\n\n{_NOTE}\n"


def _alone(prose: str) -> str:
    return _LINK.sub(r"\1 (`\2`)", _PICTURE.sub("", prose))
