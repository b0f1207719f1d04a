"""Comparing names that models spell in different ways, and suggestions for unknown names."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["did_you_mean", "folded", "nearest"]

_EDGES: Final = re.compile(r"\A[\W_]+|[\W_]+\Z")
_BETWEEN: Final = re.compile(r"[\s_.\-\u2010-\u2015\u200b-\u200d\ufeff]+")


def folded(name: str) -> str:
    """Return *name* in a form in which spellings of the same name are equal.

    Case, marks around the name, and spaces, dots, hyphens and underscores between its words are
    removed. Other marks are kept: ``se}arch`` is not ``search``.
    """
    return _BETWEEN.sub("", _EDGES.sub("", name)).casefold()


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of *names* that is most similar to *name*, or `None`."""
    return next(iter(_nearest(name, names, 1)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests up to three of *names*, or ``""`` if no name is similar."""
    near = [repr(other) for other in _nearest(name, names, 3)]
    if not near:
        return ""
    *others, last = near
    return f" Did you mean {', '.join(others)} or {last}?" if others else f" Did you mean {last}?"


def _nearest(name: str, names: Iterable[str], most: int) -> list[str]:
    from difflib import get_close_matches  # imported lazily: only errors need it

    return get_close_matches(name, list(names), n=most)
