"""Comparing names that models spell in different ways, and suggestions for unknown names."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import islice, pairwise
from typing import Final

_MANY: Final = 16
"""How many names are compared closely."""
_LONGEST: Final = 400
_EDGES: Final = re.compile(r"\A[\W_]+|[\W_]+\Z")
_LEAST: Final = 3
_WORD: Final = re.compile(r"[A-Z]?[a-z]+|[A-Z]+|[^\W\d_a-zA-Z]+")
_COMMON: Final = {"tool", "tools", "call", "function", "action", "data"}
_BETWEEN: Final = re.compile(r"[\s_.\-\u2010-\u2015\u200b-\u200d\ufeff]+")


@lru_cache(4096)
def folded(name: str) -> str:
    """Return *name* in a form in which spellings of the same name are equal.

    Case, marks around the name, and spaces, dots, hyphens and underscores between its words are
    removed. Other marks are kept: ``se}arch`` is not ``search``.
    """
    return _BETWEEN.sub("", _EDGES.sub("", name)).casefold()


def folded_start(name: str) -> str:
    """Return the beginning of *name*, which may be a whole text, `folded` for comparison."""
    return folded(name[:_LONGEST])


def nearest(name: str, names: Iterable[str]) -> str | None:
    """Return the one of *names* that is most similar to *name*, or `None`."""
    return next(iter(near_names(name, names, 1)), None)


def did_you_mean(name: str, names: Iterable[str]) -> str:
    """Return a question that suggests up to three of *names*, or ``""`` if no name is similar."""
    near = [repr(other) for other in near_names(name, names, 3)]
    if not near:
        return ""
    *others, last = near
    return f" Did you mean {', '.join(others)} or {last}?" if others else f" Did you mean {last}?"


def near_names(name: str, names: Iterable[str], most: int) -> list[str]:
    """Return up to *most* of *names* that are similar to *name*, the most similar first."""
    # imported lazily: only errors need them
    from difflib import get_close_matches
    from heapq import nlargest

    names = tuple(names)
    if len(names) > _MANY:  # the comparison of two names takes long
        own = frozenset(_pairs(name))
        shared = [len(own & pairs) - ninth for pairs, ninth in _pairs_of(names)]
        nearest = nlargest(_MANY, range(len(names)), key=shared.__getitem__)
        names = tuple(map(names.__getitem__, nearest))
    return get_close_matches(name, names, n=most)


def names_alike(name: str, names: Iterable[str], most: int) -> list[str]:
    """Return up to *most* of *names* that begin with *name*, or share a word with it."""
    start, words = folded_start(name), _words(name)
    alike = (
        other
        for other in names
        if (len(start) >= _LEAST and folded_start(other).startswith(start))
        or not words.isdisjoint(_words(other))
    )
    return [*islice(alike, most)]


def _words(name: str) -> set[str]:
    """Return the words of *name* that tell something, in lower case."""
    found = _WORD.findall(name[:_LONGEST])
    return {word.casefold() for word in found if len(word) > _LEAST} - _COMMON


@lru_cache(16)
def _pairs_of(names: tuple[str, ...]) -> list[tuple[frozenset[str], float]]:
    """Return the pairs of neighbouring characters in each of *names*, and a ninth of its length."""
    return [(frozenset(_pairs(name)), len(name) / 9) for name in names]


def _pairs(name: str) -> Iterator[str]:
    return map("".join, pairwise(name))
