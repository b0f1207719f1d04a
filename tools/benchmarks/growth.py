"""How the time grows with the length of hostile texts: ``make growth``.

Everything public that reads text is tried: parsers of all dialects and of models' outputs, whole,
streamed and explained, JSON readers, detectors, response templates, and readers of logs, whose
sample holds the hostile text as its thought, its result or its answer, or is repeated itself. Give
words to try only what has one of them in its kind, its name or its way::

    python -m tools.benchmarks.growth [--jobs 2] [--seconds 0.7] [--minutes 25] [--page docs] [WORD]

Method: each subject has its seconds of CPU time, and the shapes climb a ladder. On the first two
rungs all shapes are read, in some 512 and 2,048 characters. On each next rung the texts are four
times as long, up to half a million characters, and only as many shapes climb as a share of the
seconds pays for: those that grow most, and for each three of them the one that takes longest for a
character. So an ordinary reader is tried with all shapes on short texts, and with the worst few on
long ones, where also a slow square shows. The exponent of a shape is that of its last rungs.

Exponents of 1.05 or more are doubted, for half as many seconds: two texts, one eight times as long
as the other, are read in turn, in rounds, and what a linear scan of the two grows too much is taken
off. What is still as high is read so in longer texts, at last in 220, 440 and 879 K where that
takes no more than some seconds, since noise does not last, a step of the memory is in one place,
and a square shows the more. What no seconds were left for is marked with ``?``. A read that takes
five seconds is ended, and no process takes longer than its minutes: what had no time is counted.
"""

from __future__ import annotations

import argparse
import gc
import math
import signal
import time
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from itertools import groupby
from multiprocessing import get_context
from pathlib import Path
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from tools.benchmarks._subjects import SHAPES, Subject, subjects

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from tools.benchmarks._subjects import Read

FIRST, TIMES, RUNGS = 512, 4, 6
DOUBTED_TIMES: Final = 8
LONGEST: Final = 900_000
"""Parsers take texts of a million characters."""
SHORT_S, SLOW_S, ENDED_S = 0.001, 0.5, 5
ROUNDS: Final = 3
AIM, SUSPECT = 1.1, 1.05


class Cell(NamedTuple):
    """How the time of a subject grows with a shape."""

    exponent: float
    seconds: float
    size: int
    head: str
    run: str
    is_sure: bool = True

    def __str__(self) -> str:
        shape = repr(f"{self.head}{self.run}…")[:60]
        sure = "" if self.is_sure else " ?"
        return f"{shape}, {self.seconds * 1e3:.3g} ms at {self.size // 1024 or 0.5} K{sure}"


class EndlessError(BaseException):
    """A read took too long; no reader catches it."""


# -- the ladder ------------------------------------------------------------------------------------


class _Climber:
    """A shape, and how long it took on each rung."""

    def __init__(self, head: str, run: str) -> None:
        self.head, self.run = head, run
        self.sizes: list[int] = []
        self.times: list[float] = []

    def read(self, subject: Subject, size: int) -> None:
        if self.sizes and size < 2 * len(self.run):
            return  # the text would be the same
        text = subject.text(self.head, self.run, size)
        taken = _seconds(subject.read, text)
        if taken < SHORT_S * (1 if self.times else 20):  # the first may compile patterns
            taken = min(taken, _seconds(subject.read, text))
        self.sizes.append(_length(self.head, self.run, size))
        self.times.append(taken)

    @property
    def exponent(self) -> float:
        """Return how the time grew on the last two rungs."""
        before = max(len(self.times) - 3, 0)
        if before == len(self.times) - 1:
            return 0.0
        return math.log(self.times[-1] / self.times[before], self.sizes[-1] / self.sizes[before])

    @property
    def slowness(self) -> float:
        return self.times[-1] / self.sizes[-1]

    @property
    def next_seconds(self) -> float:
        return self.times[-1] * math.pow(TIMES, min(max(self.exponent, 1), 2))

    def cell(self) -> Cell:
        return Cell(self.exponent, self.times[-1], self.sizes[-1], self.head, self.run)


def measured(subject: Subject, seconds: float) -> list[Cell]:
    """Return how the time of *subject* grows with each shape, the worst first."""
    gc.freeze()
    ends = time.thread_time() + seconds
    shapes = (*SHAPES, *([("", subject.own)] if subject.own else ()))
    climbers = [_Climber(head, run) for head, run in shapes]
    for rung, size in enumerate(FIRST * TIMES**rung for rung in range(RUNGS)):
        share = (ends - time.thread_time()) / (RUNGS - rung)
        for each in climbers if rung < 2 else _worst(climbers, rung, share):
            if time.thread_time() < ends + 2 * seconds:
                each.read(subject, size)
    read = (each.cell() for each in climbers if len(each.times) > 1)
    cells = sorted(read, key=_exponent, reverse=True)
    return sorted(
        _doubted(subject, cells, time.thread_time() + seconds / 2), key=_exponent, reverse=True
    )


def _worst(climbers: Sequence[_Climber], rung: int, share: float) -> Iterator[_Climber]:
    """Yield the shapes that climb to the next rung, as many as the seconds pay for."""
    rest = [each for each in climbers if len(each.times) >= rung]
    slowest = sorted(rest, key=lambda each: each.slowness)
    growing = sorted(rest, key=lambda each: each.exponent)
    for place in range(1, len(rest) + 1):
        worst = (growing if place % 4 else slowest).pop()
        (slowest if place % 4 else growing).remove(worst)
        share -= worst.next_seconds
        if share < 0 and place > 1:
            return
        if worst.next_seconds < ENDED_S / 2:
            yield worst


# -- what is doubted -------------------------------------------------------------------------------


def _doubted(subject: Subject, cells: Iterable[Cell], ends: float) -> Iterator[Cell]:
    for cell in cells:
        if cell.exponent < SUSPECT:
            yield cell
        elif time.thread_time() > ends:
            yield cell._replace(is_sure=False)
        else:
            yield _confirmed(subject, cell)


def _confirmed(subject: Subject, cell: Cell) -> Cell:
    """Measure again, next to a scan that is linear, and on longer texts while it looks bad."""
    size = max(cell.size, FIRST * DOUBTED_TIMES, 2 * DOUBTED_TIMES * len(cell.run))
    cell = _again(subject, cell, size // DOUBTED_TIMES, size)
    while (
        cell.exponent >= SUSPECT and cell.seconds < SLOW_S / 2 and size * DOUBTED_TIMES <= LONGEST
    ):
        size *= DOUBTED_TIMES
        cell = _again(subject, cell, size // DOUBTED_TIMES, size)
    if cell.exponent >= SUSPECT and cell.seconds * (LONGEST / size) ** cell.exponent < 6 * SLOW_S:
        # A square shows in both pairs, a step of the memory only in one.
        pairs = ((LONGEST // 2, LONGEST), (LONGEST // 4, LONGEST // 2))
        return min((_again(subject, cell, *pair) for pair in pairs), key=_exponent)
    return cell if cell.exponent < AIM else _again(subject, cell, size // DOUBTED_TIMES, size)


def _again(subject: Subject, cell: Cell, shorter: int, longer: int) -> Cell:
    """Measure the exponent between two lengths, in rounds."""
    read = subject.read
    short, long = (subject.text(cell.head, cell.run, each) for each in (shorter, longer))
    factor = _length(cell.head, cell.run, longer) / _length(cell.head, cell.run, shorter)
    small, big = min(_seconds(read, short) for _ in range(2)), _seconds(read, long)
    passes = max(round(small / max(_seconds(_scan, short), 1e-7)), 1)
    scan = partial(_scan, passes=min(passes, 50))
    least = long_scan = math.inf
    for _ in range(ROUNDS):
        exponent = math.log(big / small, factor)
        if least < math.inf:
            exponent -= max(math.log(long_scan / least, factor) - 1, 0)
        if exponent < SUSPECT or big > 4 * SLOW_S:
            break
        small, big = min(small, _seconds(read, short)), min(big, _seconds(read, long))
        least, long_scan = min(least, _seconds(scan, short)), min(long_scan, _seconds(scan, long))
    return cell._replace(exponent=exponent, seconds=big, size=longer)


def _length(head: str, run: str, size: int) -> int:
    """Return the length of a hostile text, without what is around it."""
    return len(head) + len(run) * max(size // len(run), 1)


def _scan(text: str, passes: int = 1) -> None:
    for _ in range(passes):
        [(at, char) for at, char in enumerate(text)]


def _seconds(read: Read, text: str) -> float:
    """Return the CPU seconds of a read and of the words of its error."""
    gc.disable()
    signal.setitimer(signal.ITIMER_PROF, ENDED_S)
    start = time.thread_time()
    try:
        read(text)
    except EndlessError:
        pass
    except Exception as error:  # noqa: BLE001 - each has its own
        _ = f"{error}{getattr(error, 'observation', '')}"
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
    taken = time.thread_time() - start
    gc.enable()
    return max(taken, 1e-6)


def _end(*_signal: object) -> None:
    raise EndlessError


# -- the table -------------------------------------------------------------------------------------


def _numbered(jobs: int, seconds: float, minutes: float, number: int) -> list[Cell]:
    left = minutes * 60 - time.process_time()
    # A slow reader takes three times its seconds, and the last ones have time as well.
    share = left * jobs / (len(_SUBJECTS) - number) / 3
    return measured(_SUBJECTS[number], min(seconds, share)) if left > 0 else []


_SUBJECTS: Final[list[Subject]] = []
"""The processes are forks, which share it."""


def found(jobs: int, seconds: float, minutes: float) -> Iterator[tuple[Subject, list[Cell]]]:
    """Yield all subjects and their cells."""
    signal.signal(signal.SIGPROF, _end)
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        numbered = partial(_numbered, jobs, seconds, minutes)
        yield from zip(_SUBJECTS, pool.map(numbered, range(len(_SUBJECTS))), strict=True)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m tools.benchmarks.growth")
    options.add_argument("--jobs", type=int, default=1, help="number of processes")
    options.add_argument("--seconds", type=float, default=0.7, help="CPU seconds of each subject")
    options.add_argument("--minutes", type=float, default=25, help="CPU minutes of each process")
    options.add_argument("--page", type=Path, help="folder in which growth.md is written")
    options.add_argument("words", nargs="*", help="only what has one of them in its title")
    given = options.parse_args()
    _SUBJECTS.extend(
        each
        for each in subjects()
        if not given.words or any(word in " ".join(each[:3]) for word in given.words)
    )
    start = time.monotonic()
    every: list[tuple[Subject, list[Cell]]] = []
    print("| what | name | texts | median | worst | where |\n|---|---|--:|--:|--:|---|")
    measurements = found(given.jobs, given.seconds, given.minutes)
    for (kind, name), group in groupby(measurements, key=lambda each: each[0][:2]):
        of_name = [*group]
        print(f"| {kind} | {name} | {_row(of_name)}", flush=True)
        every += of_name
    lines = [*_summary(every, (time.monotonic() - start) / 60, given.jobs)]
    print("", *lines, sep="\n")
    if given.page:
        (given.page / "growth.md").write_text("\n".join((_PAGE, *lines, "")), "utf-8")


_PAGE: Final = (
    "# How time grows with hostile texts\n\n"
    "`make growth` wrote this page. It reads long texts of hostile shapes, such as `[[[[…`, with"
    " all that reads text here: parsers of each dialect in strict and lenient mode, whole, streamed"
    " and explained, parsers of outputs, JSON readers, detectors, response templates, and readers"
    " of logs that hold the hostile text. The exponent is the power by which CPU time grows with"
    " the length of the text: 1 is linear, 2 is a square. All shapes are read in short texts, and"
    " the worst ones in texts of up to 900,000 characters. A text with `?` seemed to grow more, and"
    " there was no time left to read it again.\n"
)


def _summary(
    every: Sequence[tuple[Subject, Sequence[Cell]]], minutes: float, jobs: int
) -> Iterator[str]:
    yield "| what | names | readers | texts | median | worst | where |"
    yield "|---|--:|--:|--:|--:|--:|---|"
    for kind, group in groupby(every, key=lambda each: each[0].kind):
        of_kind = [*group]
        names = len({subject.name for subject, _ in of_kind})
        yield f"| {kind} | {names} | {len(of_kind)} | {_row(of_kind)}"
    cells = [(subject, cell) for subject, cells in every for cell in cells]
    high = sorted((each for each in cells if each[1].exponent >= AIM), key=_exponent_of)
    sure = sum(cell.is_sure for _, cell in high)
    missing = sum(len(SHAPES) + bool(subject.own) - len(cells) for subject, cells in every)
    yield ""
    yield (
        f"{len(SHAPES)} shapes, {len(every)} readers, {len(cells):,} texts, {minutes:.0f} minutes"
        f" with {jobs} process{'es' * (jobs > 1)}. {missing:,} texts had no time."
        f" {sure} have an exponent of {AIM} or more; {len(high) - sure} may have it (`?`)."
    )
    if high:
        yield ""
    for subject, cell in reversed(high[-max(sure + 1, 3) :]):
        yield f"- {cell.exponent:.2f}: {subject.kind}, {subject.name}, {subject.way}: {_code(cell)}"


def _exponent(cell: Cell) -> float:
    return cell.exponent


def _exponent_of(each: tuple[Subject, Cell]) -> tuple[bool, float]:
    return each[1].is_sure, each[1].exponent


def _row(every: Iterable[tuple[Subject, Iterable[Cell]]]) -> str:
    cells = [(subject, cell) for subject, cells in every for cell in cells]
    if not cells:
        return "0 | | | no time |"
    subject, worst = max(cells, key=_exponent_of)
    middle = median(cell.exponent for _, cell in cells)
    return f"{len(cells):,} | {middle:.2f} | {worst.exponent:.2f} | {subject.way}: {_code(worst)} |"


def _code(cell: Cell) -> str:
    """Return the words about a cell, its shape as code that may be in a table."""
    return str(cell).replace("|", "\\|")


if __name__ == "__main__":
    main()
