"""Laws about speed: the work of parsing is proportional to the length of the text."""

from __future__ import annotations

import gc
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import cache, partial
from itertools import repeat
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import agent_parsers
import output_parsers
import outputs
from agent_laws.laws.broken import Broken, law
from agent_laws.trials.pieces import fragments, markers, rows, written
from agent_laws.trials.stories import parsed
from agent_parsers import StreamParser
from agent_parsers.core import Patterns
from agent_parsers.testing.chunks import cut
from output_parsers import OutputParserException

if TYPE_CHECKING:
    import re
    from types import FrameType

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

_SOURCES: Final = tuple(
    str(Path(next(iter(package.__path__)))) for package in (agent_parsers, output_parsers, outputs)
)
_HERE: Final = str(Path(__file__).parent)
_COPYING: Final = {
    *("lstrip", "rstrip", "strip", "lower", "upper", "casefold", "replace", "translate", "encode"),
    *("split", "rsplit", "splitlines", "partition", "rpartition", "count"),
}
"""Methods of `str` that scan or copy the whole string."""


class Work:
    """Adds up calls, characters of new strings and characters searched for markers.

    Args:
        dialect: The dialect whose codecs are counted as well, whatever file they are in.
    """

    def __init__(self, dialect: Dialect | None = None) -> None:
        self.total: int = 0
        self._sources = _SOURCES if dialect is None else (*_SOURCES, *_files_of(dialect))
        self._strings: dict[int, str] = {}  # keeping the strings keeps their ids unique

    def count(self, do: Callable[[], object]) -> int:
        """Return how much work *do* takes."""
        self.total = 0
        self._strings.clear()
        before = sys.getprofile()
        sys.setprofile(self._see)
        try:
            do()
        finally:
            sys.setprofile(before)
        return self.total

    def _see(self, frame: FrameType, event: str, arg: Any) -> None:
        code = frame.f_code
        name = code.co_filename
        if not name.startswith(self._sources) or name.startswith(_HERE):
            return
        self.total += 1
        if event == "call":
            names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
            local = frame.f_locals
            for argument in names:
                self._made(local.get(argument))
        elif event == "return":
            self._made(arg)
        elif event == "c_call" and isinstance(getattr(arg, "__self__", None), str):
            self.total += len(arg.__self__) if arg.__name__ in _COPYING else 0

    def _made(self, value: object) -> None:
        if isinstance(value, str) and id(value) not in self._strings:
            self._strings[id(value)] = value
            self.total += len(value)


def _files_of(dialect: Dialect) -> Iterator[str]:
    """Yield the files that define the codecs of *dialect*."""
    for table in (dialect.strict, dialect.lenient):
        for codec in (table.read_tool, table.read_input, table.read_answer, table.new_call):
            module = sys.modules.get(getattr(_bare(codec), "__module__", ""))
            if module is not None and module.__file__ is not None:
                yield module.__file__


def _bare(codec: object) -> object:
    return _bare(codec.func) if isinstance(codec, partial) else codec


class _CountedPattern:
    """A pattern that counts the characters it searched."""

    def __init__(self, pattern: re.Pattern[str], work: Work) -> None:
        self.pattern = pattern.pattern
        self._pattern = pattern
        self._work = work

    def search(self, text: str, start: int) -> re.Match[str] | None:
        """Search the text, and count the characters searched."""
        found = self._pattern.search(text, start)
        self._work.total += (found.end() if found else len(text)) - start
        return found

    def match(self, text: str, start: int = 0) -> re.Match[str] | None:
        """Match the text, and count the characters searched."""
        found = self._pattern.match(text, start)
        self._work.total += found.end() - start if found else 0
        return found

    def finditer(self, text: str) -> Iterator[re.Match[str]]:
        """Find all markers in the text, and count its characters."""
        self._work.total += len(text)
        return self._pattern.finditer(text)


@contextmanager
def counted_patterns(work: Work) -> Iterator[None]:
    """Count the characters that patterns search, for parsers built inside this context."""
    whole, is_cold = vars(Patterns)["whole"], Patterns.is_cold
    counted = property(lambda patterns: _CountedPattern(whole.__get__(patterns), work))
    setattr(Patterns, "whole", counted)  # noqa: B010 - it is another kind of property
    setattr(Patterns, "is_cold", lambda *_: False)  # noqa: B010 - so that short texts count as well
    try:
        yield
    finally:
        setattr(Patterns, "whole", whole)  # noqa: B010
        setattr(Patterns, "is_cold", is_cold)  # noqa: B010


_ROUNDS: Final = 3
"""How often each text is read; the fastest time counts."""

_CONFIRMATIONS: Final = 5
"""How many measurements in a row must agree before a text counts as slow."""

_NOISE_S: Final = 0.002
"""Extra time that copying a long text may take when the process allocates memory."""

_now: Final = time.thread_time
"""The clock: CPU time of this thread, in seconds."""


def takes_twice_its_share(read: Callable[[str], object], short: str, long: str) -> bool:
    """Return whether reading *long* takes more than twice as long as its length explains.

    A busy machine slows down long work more than short work: other processes take the caches and
    the turbo of the processor. So a suspicion is confirmed against a scan of the same two texts,
    which is linear: all four are timed in turn, and *long* is slow only if it grows more than twice
    as much as the scan does, in every one of several measurements.
    """
    lengths = len(long) / len(short)
    (once,) = _fastest(lambda: read(short))
    tries = (_seconds(lambda: read(long)) for _ in range(_ROUNDS))
    if any(taken <= 2 * lengths * once + _NOISE_S for taken in tries):
        return False
    (scan,) = _fastest(lambda: _scan(short, 1))
    passes = max(round(once / max(scan, 1e-9)), 1)  # so that both take about as long
    return all(_is_slow(read, short, long, passes) for _ in range(_CONFIRMATIONS))


def _is_slow(read: Callable[[str], object], short: str, long: str, passes: int) -> bool:
    once, scanned, eight, scanned_eight = _fastest(
        lambda: read(short),
        lambda: _scan(short, passes),
        lambda: read(long),
        lambda: _scan(long, passes),
    )
    share = max(len(long) / len(short), scanned_eight / max(scanned, 1e-9))
    return eight > 2 * share * once + _NOISE_S


def _fastest(*works: Callable[[], object]) -> list[float]:
    """Return the fastest time of each of the *works*, which are run in turn."""
    rounds = [[_seconds(work) for work in works] for _ in range(_ROUNDS)]
    return [min(times) for times in zip(*rounds, strict=True)]


def _seconds(work: Callable[[], object]) -> float:
    """Return the CPU time that *work* takes in this thread, without collection of garbage."""
    was_enabled = gc.isenabled()
    gc.disable()  # it would look at all objects of the process, more often in long work
    try:
        start = _now()
        work()
        return _now() - start
    finally:
        if was_enabled:
            gc.enable()


def _scan(text: str, passes: int) -> None:
    """Look at each character and keep something for it, *passes* times."""
    for _ in repeat(None, passes):
        [(at, char) for at, char in enumerate(text)]


# -- laws about speed ------------------------------------------------------------------------------

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

_DOUBLINGS: Final = 4
"""How often a text is doubled until its work grows no more than that.

What is held back and searched again has an end, but that may be longer than the first texts: a
header with the name of a tool takes up to 190 characters. Work that grows with the square of the
text still grows too much after each doubling.
"""


@cache
def shapes(dialect: Dialect) -> list[Shape]:
    """Return shapes of texts on which parsers are often slow, with markers of this dialect."""
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
    """Return how many times the work *do* needs for twice the text, in chunks of *size*.

    If the factor is too large, the reason may be a single step, as at the size of a window, or work
    that is done only once, such as building patterns. So the text is doubled again, and measured
    once more.
    """
    start, run = shape
    times = min(max(CHUNKS[size] // len(run), 8), _MOST_REPEATS)
    if size != WHOLE:
        size = min(size, len(start + run * times) // 4)
    once = do(start + run * times, size)  # also does what is done only at first use
    for _ in range(_DOUBLINGS):
        times *= 2
        twice = do(start + run * times, size)
        if (grown := twice / once) <= _MOST_GROWTH:
            return grown
        once = twice
    return do(start + run * times, size) / do(start + run * (times // 2), size)


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
                    f"twice as many {run!r} take {grown:.1f} times the work, {how}",
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
    """Check that parsing twice the text with `parse`, without events, takes about twice the work.

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
