"""Finding markers by walking their trie, as the compiled patterns do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import hypothesis.strategies as st
import pytest
from hypothesis import given

from agent_parsers.authoring import Literal
from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of
from agent_parsers.engine.markers.patterns import Kind, MarkerSearch, Patterns
from agent_parsers.engine.reading.rules.machine import machine

from ....helpers.stories import RUNS, TURNS

if TYPE_CHECKING:
    import re
    from collections.abc import Iterator

    from agent_parsers import Dialect
    from agent_parsers.engine.markers.patterns import Found
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.modes import Mode


def states_from(initial: State) -> Iterator[State]:
    """Yield the states that have markers, from the first one on."""
    seen, ahead = {initial}, [initial]
    while ahead:
        state = ahead.pop()
        new = {crossing.to for crossing in state.crossings} - seen
        seen |= new
        ahead += new
        if state.crossings:
            yield state


def story(found: Found | None, names: tuple[str, ...]) -> tuple[object, ...] | None:
    """Return where something was found, and the marker; `None` for the beginning of one."""
    if found is None:
        return None
    if found.lastindex is None:
        return found.start(), None
    return found.start(), found.end(), found[0], (names[0], *names)[found.lastindex]


def never(_pattern: re.Pattern[str]) -> None:
    raise AssertionError("few searches need no pattern")


@pytest.mark.one_in(4)
@pytest.mark.parametrize("kind", ["whole", "growing"])
@pytest.mark.parametrize(
    ("dialect", "mode"), TURNS + RUNS, ids=lambda value: getattr(value, "name", value)
)
@given(data=st.data())
def test_a_walk_finds_what_the_pattern_finds(
    dialect: Dialect, mode: Mode, kind: Kind, data: st.DataObject
) -> None:
    state = data.draw(st.sampled_from([*states_from(machine(dialect, mode).initial)]))
    patterns = Patterns({crossing.name: crossing.marker for crossing in state.crossings})
    spelt = [crossing.marker.canonical for crossing in state.crossings]
    pieces = st.sampled_from([*spelt, *dialect.sample.splitlines(), " ", "\n", "**", "`", "x"])
    parts = data.draw(st.lists(st.tuples(pieces, st.integers(0, 20)), max_size=6))
    text = "\n" + "".join(piece[: size or None] for piece, size in parts)
    start = data.draw(st.integers(0, len(text)))
    walked = MarkerSearch(patterns, kind, never)(text, start)
    found = (patterns.whole if kind == "whole" else patterns.growing).search(text, start)
    markers = (*reversed(patterns.markers),)
    assert story(walked, markers) == story(found, patterns.names)


def test_after_many_searches_the_pattern_is_compiled() -> None:
    patterns = Patterns({"call": Literal("<call>"), "end": Literal("</call>")})
    settled: list[re.Pattern[str]] = []
    search = MarkerSearch(patterns, "growing", settled.append)
    while not settled:
        found = search("an unfinished <ca", 0)
        assert found is not None
        assert (found.start(), found.lastindex) == (14, None)
    assert settled == [patterns.growing]


# -- whether text mentions a marker or uses it, from the characters around it ----------------------


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("`", "", "` to close it"),
        ("“", "", "”"),
        ("e", " ", " to close it"),
        ("e", " ", ", then the answer"),
        ("e", " ", " " * WINDOW),
    ],
)
def test_a_marker_in_quotes_or_among_words_is_mentioned(last: str, blank: str, after: str) -> None:
    assert is_spoken_of(last, blank, after[:WINDOW])


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("", "", " to close it"),
        ("", "", ""),
        ("e", "\n", " to close it"),
        ("e", "", " to close it"),
        (".", " ", " to close it"),
        ("`", "", "' to close it"),
        ("e", " ", "To close it"),
        ("e", " ", ""),
        ("e", " ", " " * (WINDOW - 1)),
        ("e", " ", "\nAnd what is on the next line"),
        ("e", " ", " \nAnd what is on the next line"),
        ("e", " ", " \r\nAnd what is on the next line"),
    ],
)
def test_a_marker_anywhere_else_is_used(last: str, blank: str, after: str) -> None:
    assert not is_spoken_of(last, blank, after[:WINDOW])
