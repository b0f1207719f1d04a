"""Fences of Markdown: lines of three or more backticks or tildes around a text."""

from __future__ import annotations

import re
from typing import NamedTuple

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})([^`\n]*)").match


class Fence(NamedTuple):
    """A line that may open or close a fence."""

    mark: str
    """Its backticks or tildes."""
    info: str
    """What follows them, such as the name of a language."""


def fence_in(line: str) -> Fence | None:
    """Return *line* as a fence; `None` if it is not one."""
    found = _FENCE(line)
    return Fence(found[1], found[2]) if found else None


def closes_fence(line: str, mark: str) -> bool:
    """Return whether *line* closes the fence that *mark* opened."""
    return line.lstrip(" \t").startswith(mark) and not line.strip().strip(mark[0])
