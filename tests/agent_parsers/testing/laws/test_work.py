"""The work of parsing is proportional to the length of the text."""

from collections.abc import Sequence

import pytest

from agent_parsers import Dialect, StreamParser
from agent_parsers.authoring import Literal
from agent_parsers.engine.grammar.modes import Mode
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.testing import cut, laws
from agent_parsers.testing.laws.work import CHUNKS, Shape, Work, counted_patterns, growth, shapes

from ....helpers.effort import DEEP, THOROUGH
from ....helpers.stories import DIALECTS, RUNS, TURNS, every_dialect, every_turn_mode, named, some

SIZES = [(d, mode, size) for d, mode in TURNS + RUNS for size in some([*CHUNKS], d)]
"""Patterns are compiled again for each, which takes longer than reading a few texts."""


def some_shapes(dialect: Dialect, part: float) -> Sequence[Shape]:
    """A *part* of the shapes, others for each dialect; all of them only when there are hours."""
    found = shapes(dialect)
    if THOROUGH and not DEEP:
        found = found[len(dialect.name) % 4 :: 4]
    return some(found, dialect, part)


@every_dialect
def test_there_are_many_shapes(dialect: Dialect) -> None:
    assert len(shapes(dialect)) >= 80


@pytest.mark.parametrize(("dialect", "mode", "size"), SIZES, ids=named)
def test_twice_the_text_is_twice_the_work(dialect: Dialect, mode: Mode, size: int) -> None:
    laws.twice_the_text_is_twice_the_work(dialect, mode, some_shapes(dialect, 1 / 16), size=size)


@every_turn_mode
def test_twice_the_text_is_twice_the_work_of_parsing_it_at_once(
    dialect: Dialect, mode: Mode
) -> None:
    if not dialect.several:  # others are parsed as a stream
        law = laws.twice_the_text_is_twice_the_work_of_parsing_it_at_once
        law(dialect, mode, some_shapes(dialect, 1 / 3))


@every_turn_mode
def test_eight_times_the_text_takes_less_than_sixteen_times_as_long(
    dialect: Dialect, mode: Mode
) -> None:
    """The clock sees what the count does not: a pattern that goes back and forth."""
    law = laws.eight_times_the_text_takes_less_than_sixteen_times_as_long
    law(dialect, mode, some_shapes(dialect, 1 / 4), chars=[8_000 if DEEP else 2_000])


class TestTheCountOfWork:
    """Guards the other tests, which would pass if nothing were counted."""

    def test_sees_text_that_is_put_together_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            parser = StreamParser(DIALECTS[0])
            return work.count(lambda: [(parser.feed(c), parser.text) for c in cut(text, [size])])

        work = Work()
        do("word", 1)  # work done only at first use is not counted
        assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))

    def test_sees_text_that_is_searched_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            search = Patterns({"a": Literal("Action:")}).whole.search
            ends = range(0, len(text), size)
            return work.count(lambda: [search(text[:end], 0) for end in ends])

        work = Work()
        with counted_patterns(work):
            assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))
