"""Work grows with the characters of a text and with nothing else, whatever the text."""

import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache

import pytest
from hypothesis import settings

from agent_parsers import Dialect, OutputParserException, StreamParser
from agent_parsers.engine import Literal, Mode
from agent_parsers.engine._markers import Patterns

from .stories import DIALECTS, cut, every_dialect, every_mode, every_turn_mode, parsed
from .strategies import fragments, markers, rows, written
from .work import Work, counted_patterns

Shape = tuple[str, str]
"""A beginning, and what is repeated after it."""

RUNS = [
    *(" ", "\n", "\t", "\r\n", " \n", "\n ", "\u3000", "\x1c", "7", "a", "a ", "word\n", "\n\n"),
    *(
        '"',
        "'",
        "`",
        "[",
        "]",
        "[]",
        "][",
        "]\n",
        "[x]",
        "{",
        "}",
        '{"',
        "<",
        "</",
        ">",
        "\n>",
        "#",
    ),
    *("*", "**", "\n**", "_", "-", ":", "：", ".", "\0", "\ud800", "e\u0301", "😀"),
]

WHOLE = 10**9

CHUNKS = {1: 80, 4: 240, 4096: 16_384, WHOLE: 4_096}
"""Length of the shorter text, about, by the size of the chunks it comes in."""

MOST_REPEATS = 250
"""Of a run in the shorter text; short runs make many events, which take long to count."""


@cache
def shapes(dialect: Dialect) -> list[Shape]:
    """Texts that some parser somewhere was slow on, made of the marks of this dialect."""
    found = [("", run) for run in (*RUNS, *fragments(dialect))]
    for label in ("\n" + marker.canonical for marker in markers(dialect)):
        found += (("", run) for run in (label, f"{label} a", f"{label}\n", label[1:]))
        found += (("", label[:size]) for size in (2, len(label) // 2, len(label) - 1))
        # Numbers and spaces stand inside a label, and each may be the last of it.
        found += (("", label[:-1] + inside) for inside in (" " * 40, " 7" * 8))
        found += ((label, run) for run in (" ", "\n", "]", label[:-1]))
    found += ((text, run) for text in written(dialect) for run in ("]", "[", "]a", "\n", " a"))
    return sorted(set(found))


def some_shapes(dialect: Dialect) -> list[Shape]:
    """Every third shape, others for each dialect; all of them when there is time."""
    if settings.get_current_profile_name() == "deep":
        return shapes(dialect)
    return shapes(dialect)[len(dialect.name) % 3 :: 3]


def read(dialect: Dialect, mode: Mode, text: str, size: int) -> None:
    parser = StreamParser(dialect, mode=mode, max_chars=None)
    with suppress(OutputParserException):
        for chunk in cut(text, [size]):
            parser.feed(chunk)
        parser.close()


def growth(do: Callable[[str, int], int], shape: Shape, size: int) -> float:
    """Return how many times as much *do* takes for twice the text, in chunks of *size*."""
    start, run = shape
    times = min(max(CHUNKS[size] // len(run), 4), MOST_REPEATS)
    short, long = start + run * times, start + run * 2 * times
    if size != WHOLE:
        size = min(size, len(short) // 4)
    once = do(short, size)  # first, since what is made at first use is no growth
    return do(long, size) / once


@every_dialect
def test_there_are_many_shapes(dialect: Dialect) -> None:
    assert len(shapes(dialect)) >= 100


@every_mode
@pytest.mark.parametrize("size", CHUNKS)
def test_twice_the_text_is_twice_the_work(dialect: Dialect, mode: Mode, size: int) -> None:
    work = Work()
    with counted_patterns(work):
        fresh = replace(dialect)  # which has no machines yet
        for text in rows(dialect, mode):
            read(fresh, mode, text, size)  # its patterns are compiled at first use

        def do(text: str, size: int) -> int:
            return work.count(lambda: read(fresh, mode, text, size))

        slow = {s: g for s in some_shapes(dialect) if (g := growth(do, s, size)) > 2.2}
    assert not slow


@every_turn_mode
def test_twice_the_text_is_twice_the_work_of_parsing_it_at_once(
    dialect: Dialect, mode: Mode
) -> None:
    work = Work()
    with counted_patterns(work):
        fresh = replace(dialect)
        for text in rows(dialect, mode):
            parsed(fresh, mode, text)

        def do(text: str, _size: int) -> int:
            return work.count(lambda: parsed(fresh, mode, text))

        slow = {s: g for s in shapes(dialect) if (g := growth(do, s, WHOLE)) > 2.2}
    assert not slow


class TestTheCountOfWork:
    """Guards the other tests, which would pass if nothing were counted."""

    def test_sees_text_that_is_put_together_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            parser = StreamParser(DIALECTS[0])
            return work.count(lambda: [(parser.feed(c), parser.text) for c in cut(text, [size])])

        work = Work()
        assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))

    def test_sees_text_that_is_searched_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            search = Patterns({"a": Literal("Action:")}).whole.search
            ends = range(0, len(text), size)
            return work.count(lambda: [search(text[:end], 0) for end in ends])

        work = Work()
        with counted_patterns(work):
            assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))


NOISE_S = 0.002
"""What copying a long text may cost beyond its length, when memory is new to the process."""


def seconds(dialect: Dialect, mode: Mode, text: str) -> float:
    start = time.thread_time()
    parsed(dialect, mode, text)
    return time.thread_time() - start


@every_turn_mode
def test_eight_times_the_text_takes_less_than_sixteen_times_as_long(
    dialect: Dialect, mode: Mode
) -> None:
    """The clock sees what the count does not: a pattern that goes back and forth."""
    for start, run in shapes(dialect):
        times = max(8_000 // len(run), 1)
        short, long = start + run * times, start + run * 8 * times
        once = min(seconds(dialect, mode, short) for _ in range(3))
        assert any(seconds(dialect, mode, long) < 16 * once + NOISE_S for _ in range(9)), (
            start,
            run,
        )
