"""Hypothesis strategies for texts close to the format of a dialect, and for cuts."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers.testing.trials.hypothesis import st
from agent_parsers.testing.trials.pieces import (
    bodies,
    fragments,
    markers,
    sample_action,
    spellings,
    table_of,
    written,
)

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode, OnConflict

__all__ = [
    "anything",
    "cuts",
    "pieces",
    "plain",
    "policies",
    "soup",
    "texts",
    "tool_lists",
]

NOISE: Final = (
    *("\n", "\n\n", "\r\n", "\r", " ", "  ", "\t", " \n", "\n ", "\n\t"),
    *("[", "]", "[]", "][", "]]", "{", "}", "(", ")", "<", ">", "</", '"', '""', "'", "`", "```"),
    *(":", "：", "．", ".", "*", "**", "__", "#", "> ", "-", "_", "1", " 1", "2:", "٣", "\\", "\0"),
    *("a", "word", "two words", "x\ny", "é", "e\u0301", "ﬁ", "İ", "😀", "👩‍🚀", "\u200b", "\ufeff"),
    *("\ud800", "\udfff", "\u2028", "\x85", "\x1c", "\u3000", "\xa0"),
    *(" " * 17, "\n" * 17, "7" * 17),
)
"""Texts that are not markers, and the beginnings of some."""

WORDS: Final = ("old", "river", "bern", "seven", "who", "built", "it", "42", "Bridge", "café")
"""Words without a meaning in any dialect."""


@cache
def noise() -> st.SearchStrategy[str]:
    """Return a strategy for short texts that are not markers."""
    return st.sampled_from(NOISE)


@cache
def anything() -> st.SearchStrategy[str]:
    """Return a strategy for any text, lone surrogates included."""
    return st.text(st.characters(), max_size=40)


@cache
def plain() -> st.SearchStrategy[str]:
    """Return a strategy for a few words that any dialect can write."""
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@cache
def pieces(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for a marker, the beginning of one, a piece of a turn, or noise."""
    spelt = [text for marker in markers(dialect) for text in spellings(marker)]
    canonical = ["\n" + marker.canonical for marker in markers(dialect)]
    begun = [text[:size] for text in canonical for size in range(1, len(text))]
    return st.one_of(
        st.sampled_from(canonical),
        st.sampled_from(fragments(dialect)),
        noise(),
        st.sampled_from(spelt),
        st.sampled_from(begun),
        st.text(st.characters(), max_size=3),
    )


@cache
def soup(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for pieces of the dialect in any order."""
    return st.lists(pieces(dialect), max_size=12).map("".join)


@cache
def marks(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for characters with a meaning in calls, such as brackets and quotes."""
    found = {char for text in bodies(dialect) for char in text if not char.isalnum()}
    return st.sampled_from(sorted(found - {" "}) or [" "])


@st.composite
def damaged(
    draw: st.DrawFn, wholes: list[str], spoils: st.SearchStrategy[str], most: int = 3
) -> str:
    """Draw a valid text with a part removed, and something else inserted."""
    text = draw(st.sampled_from(wholes))
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(text)))
        size = draw(st.sampled_from([0, 0, 1, 3, 30]))
        text = text[:start] + draw(spoils) + text[start + size :]
    return text


@st.composite
def walks(draw: st.DrawFn, dialect: Dialect, mode: Mode) -> str:
    """Draw a walk through the transitions of a table, to reach states that soup seldom does."""
    table = table_of(dialect, mode)
    state = table.transcript_start if mode == "transcript" else table.initial
    filling = st.one_of(
        st.sampled_from(bodies(dialect)),
        damaged(bodies(dialect), marks(dialect) | noise()),
        st.sampled_from(fragments(dialect)),
        noise(),
    )
    text: list[str] = []
    for _ in range(draw(st.integers(1, 7))):
        if state in table.begun and draw(st.booleans()):
            text.append(written(dialect)[2])
            state = table.begun[state]
        rows = [
            (m, transition)
            for (source, m), transition in table.transitions.items()
            if source == state
        ]
        if not rows:
            break
        text.append(draw(filling))
        marker, transition = draw(st.sampled_from(rows))
        text.append(draw(st.sampled_from(spellings(table.markers[marker]))))
        state = transition.to
    return "".join(text) + draw(filling)


@cache
def texts(dialect: Dialect, mode: Mode = "lenient") -> st.SearchStrategy[str]:
    """Return a strategy for texts to be parsed by *dialect*.

    Most of them are close to its format: walks through its transitions, its sample and turns with
    a part removed or inserted, and markers in any order. Some are arbitrary texts.

    Args:
        dialect: The dialect.
        mode: ``"strict"`` or ``"lenient"`` for one turn, ``"transcript"`` for whole runs.
    """
    wholes = [dialect.sample, *written(dialect)]
    near = (walks(dialect, mode), damaged(wholes, pieces(dialect)))
    return st.one_of(*near, soup(dialect), *near, anything())


@cache
def cuts() -> st.SearchStrategy[list[int]]:
    """Return a strategy for chunk sizes, some of them 0; see `cut`."""
    sizes = st.sampled_from([1, 2, 3, 5, 8, 20, 0])
    return st.lists(sizes, min_size=1, max_size=6).filter(any)


@cache
def tool_lists(dialect: Dialect) -> st.SearchStrategy[list[str] | None]:
    """Return a strategy for `None`, and for tool lists with and without the usual tools."""
    usual = sorted({"search", sample_action(dialect).tool, "word"})
    return st.sampled_from([None, None, ["other"], usual])


def policies() -> st.SearchStrategy[OnConflict]:
    """Return a strategy for the ``on_conflict`` policies."""
    return st.sampled_from(("error", "error", "first", "action", "answer"))
