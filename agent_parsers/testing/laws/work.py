"""Laws about speed: the work of parsing is proportional to the length of the text."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers import StreamParser
from agent_parsers.testing.laws.broken import Broken, law
from agent_parsers.testing.laws.work_count import Work, counted_patterns, takes_twice_its_share
from agent_parsers.testing.trials.pieces import fragments, markers, rows, written
from agent_parsers.testing.trials.stories import cut, parsed
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

__all__ = [
    "CHUNKS",
    "WHOLE",
    "Shape",
    "eight_times_the_text_takes_less_than_sixteen_times_as_long",
    "growth",
    "shapes",
    "twice_the_text_is_twice_the_work",
    "twice_the_text_is_twice_the_work_of_parsing_it_at_once",
]

Shape: TypeAlias = tuple[str, str]
"""The beginning of a text, and the run that is repeated after it."""

RUNS: Final = (
    *(" ", "\n", "\t", "\r\n", " \n", "\n ", "\u3000", "\x1c", "7", "a", "a ", "word\n", "\n\n"),
    *('"', "'", "`", "[", "]", "[]", "][", "]\n", "[x]", "{", "}", '{"', "<", "</", ">", "\n>"),
    *("#", "*", "**", "\n**", "_", "-", ":", "：", ".", "\0", "\ud800", "e\u0301", "😀"),
)

WHOLE: Final = 10**9
"""A chunk size that holds any text in one piece."""

CHUNKS: Final = {1: 80, 4: 240, 4096: 16_384, WHOLE: 4_096}
"""Approximate length of the shorter text, by the size of the chunks."""

_MOST_REPEATS: Final = 250
"""Maximum repetitions in the shorter text; short runs make many events, which is slow."""

_MOST_GROWTH: Final = 2.2
"""Allowed factor of work for twice the text."""


@cache
def shapes(dialect: Dialect) -> list[Shape]:
    """Return shapes of texts that parsers are often slow on, with markers of this dialect."""
    found = [("", run) for run in (*RUNS, *fragments(dialect))]
    for label in ("\n" + marker.canonical for marker in markers(dialect)):
        found += (("", run) for run in (label, f"{label} a", f"{label}\n", label[1:]))
        found += (("", label[:size]) for size in (2, len(label) // 2, len(label) - 1))
        # Numbers and spaces may be part of a label, and each may be its last character.
        found += (("", label[:-1] + inside) for inside in (" " * 40, " 7" * 8))
        found += ((label, run) for run in (" ", "\n", "]", label[:-1]))
    found += ((text, run) for text in written(dialect) for run in ("]", "[", "]a", "\n", " a"))
    return sorted(set(found))


def growth(do: Callable[[str, int], int], shape: Shape, size: int) -> float:
    """Return the factor of work that *do* takes for twice the text, in chunks of *size*.

    If it is too large, that may be a step, as at the size of a window, or what is done only at
    first use, such as another dialect's patterns; the next doubling tells, measured once more.
    """
    start, run = shape
    times = min(max(CHUNKS[size] // len(run), 8), _MOST_REPEATS)
    if size != WHOLE:
        size = min(size, len(start + run * times) // 4)
    once = do(start + run * times, size)  # also does what is done only at first use
    twice = do(start + run * 2 * times, size)
    if twice / once <= _MOST_GROWTH:
        return twice / once
    long, longer = start + run * 2 * times, start + run * 4 * times
    grown = do(longer, size) / twice
    return grown if grown <= _MOST_GROWTH else do(longer, size) / do(long, size)


def _read(dialect: Dialect, mode: Mode, text: str, size: int) -> None:
    parser = StreamParser(dialect, mode=mode, max_chars=None)
    with suppress(OutputParserException):
        for chunk in cut(text, [size]):
            parser.feed(chunk)
        parser.close()


def _check_growth(
    dialect: Dialect,
    mode: Mode,
    shapes: Iterable[Shape],
    size: int,
    read: Callable[[Dialect, Mode, str, int], object],
) -> None:
    work = Work(dialect)
    with counted_patterns(work):
        fresh = replace(dialect)  # a copy without cached machines
        for text in rows(dialect, mode):
            read(fresh, mode, text, size)  # patterns are compiled at first use

        def do(text: str, size: int) -> int:
            return work.count(lambda: read(fresh, mode, text, size))

        for start, run in shapes:
            if (grown := growth(do, (start, run), size)) > _MOST_GROWTH:
                how = "in one piece" if size == WHOLE else f"in chunks of {size}"
                raise Broken(
                    f"for twice as many {run!r} it does {grown:.1f} times the work, {how}",
                    text=start + run * 2,
                )


@law
def twice_the_text_is_twice_the_work(
    dialect: Dialect, mode: Mode, shapes: Iterable[Shape], *, size: int = WHOLE
) -> None:
    """Check that streaming twice the text takes about twice the work, counted without a clock.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        shapes: Shapes of texts: the beginning, and the run that is repeated.
        size: Size of the chunks in characters, a key of `CHUNKS`.

    Raises:
        BrokenLawError: The longer text takes more than 2.2 times the work.
    """
    _check_growth(dialect, mode, shapes, size, _read)


@law
def twice_the_text_is_twice_the_work_of_parsing_it_at_once(
    dialect: Dialect, mode: Mode, shapes: Iterable[Shape]
) -> None:
    """Check the same as `twice_the_text_is_twice_the_work` for `parse`, which emits no events.

    Raises:
        BrokenLawError: The longer text takes more than 2.2 times the work.
    """
    _check_growth(dialect, mode, shapes, WHOLE, lambda d, m, text, _size: parsed(d, m, text))


@law
def eight_times_the_text_takes_less_than_sixteen_times_as_long(
    dialect: Dialect, mode: Mode, shapes: Iterable[Shape], *, chars: Sequence[int] = (8_000,)
) -> None:
    """Check that parsing eight times the text takes less than sixteen times as long.

    The clock measures work that is not counted, such as backtracking patterns and slices. It
    measures the CPU time of this thread. Since the machine may be busy, a text that seems slow is
    measured again, several times and each time beside a scan that is linear; it fails only if it
    grows more than twice as much as the scan in all of them.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        shapes: Shapes of texts: the beginning, and the run that is repeated.
        chars: Approximate lengths of the shorter text, the shortest first; short ones find a slow
            pattern sooner.

    Raises:
        BrokenLawError: The longer text takes more than sixteen times as long.
    """
    for start, run, least in ((*shape, least) for shape in shapes for least in chars):
        times = max(least // len(run), 1)
        short, long = start + run * times, start + run * 8 * times
        if takes_twice_its_share(partial(parsed, dialect, mode), short, long):
            raise Broken(
                f"eight times as many {run!r} take more than sixteen times as long",
                text=start + run * 2,
            )
