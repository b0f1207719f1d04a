r"""Observations that may hold anything, markers too.

Where an observation holds what would be read as a marker, a backslash goes behind the marker's
first character: ``\Final Answer:`` at the beginning of a line, ``<\/observation>``. Where there are
backslashes already, one more goes with them, so that taking one off each gives the observation
back.
"""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cache
from typing import TYPE_CHECKING

from agent_parsers.engine._dialect import Dialect, Role
from agent_parsers.engine._markers import Label

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine._markers import Marker

__all__ = ["escape", "unescape"]


def escape(dialect: Dialect, observation: str) -> str:
    """Return *observation* so that nothing in it is read as a marker of *dialect*."""
    return _substitute(dialect, r"\g<0>" + "\\\\", observation)


def unescape(dialect: Dialect, text: str) -> str:
    """Return the observation of which `escape` made *text*."""
    return _substitute(dialect, _one_less, text)


def _one_less(found: re.Match[str]) -> str:
    return found[0].removesuffix("\\")


def _substitute(dialect: Dialect, by: str | Callable[[re.Match[str]], str], text: str) -> str:
    pattern = _pattern(dialect)
    if pattern is None:
        return text
    # It begins and ends a line: what is written behind it does, and white space before it is lost.
    return pattern.sub(by, f"\n{text}\n")[1:-1]


@cache
def _pattern(dialect: Dialect) -> re.Pattern[str] | None:
    """Return what finds the first character of a marker, and the backslashes behind it."""
    ways = {
        rf"{first}\\*+(?={''.join(rest)})"
        for marker in _markers(dialect)
        for first, *rest in marker.spellings()
    }
    return re.compile("|".join(sorted(ways))) if ways else None


def _markers(dialect: Dialect) -> Iterator[Marker]:
    """Yield what ends an observation in a transcript."""
    table = dialect.lenient
    for (state, name), move in table.moves.items():
        if table.roles[state] is Role.OBSERVATION:
            marker = table.markers[name]
            yield replace(marker, firm=True) if move.firm and isinstance(marker, Label) else marker
