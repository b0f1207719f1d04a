"""How the time grows with the length of hostile texts: ``make growth``.

Everything public that reads text is tried: parsers of all dialects and of models' outputs, whole,
streamed and explained, JSON readers, detectors, response templates, and readers of logs, whose
sample holds the hostile text as its thought, its result or its answer, or is repeated itself. Give
words to try only what has one of them in its kind, its name or its way::

    python -m benchmarks.growth [--jobs 2] [--seconds 10] [hermes log …]

Method: first, each subject reads each shape in lengths that grow eightfold, from 512 characters to
256 K or until a read takes a millisecond. The exponent is that between the last two, from the CPU
time of the thread. Then its suspects are read again: those of 1.05 or more, the three that grow
most, and the two that take longest for a character. They read a text eight times as long as the
longest so far, next to that one, until their seconds are over. One that looks bad does so again,
in rounds, and what a linear scan of the two texts grows too much is taken off. If the exponent is
still 1.05 or more, they do so again with longer texts, at last with 220, 440 and 879 K, since
noise does not last, a step of the memory is in one place, and a square shows the more. A suspect
for which no seconds were left is marked with ``?``, and a read that does not end in half a minute
is ended.
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
from statistics import median
from typing import TYPE_CHECKING, Final, NamedTuple

from benchmarks._subjects import SHAPES, Subject, subjects

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from benchmarks._subjects import Read

FIRST, LAST, TIMES = 512, 1 << 18, 8
LONGEST: Final = 900_000
"""Parsers take texts of a million characters."""
LONG_S, SLOW_S, ENDED_S = 0.001, 0.5, 30
ROUNDS: Final = 3
GROWING, SLOWEST = 3, 2
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
        return f"{shape}, {self.seconds * 1e3:.3g} ms at {self.size // 1024} K{sure}"


class EndlessError(BaseException):
    """A read took too long; no reader catches it."""


# -- the clock -------------------------------------------------------------------------------------


def measured(subject: Subject, seconds: float) -> list[Cell]:
    """Return how the time of *subject* grows with each shape, the worst first."""
    gc.freeze()
    start = time.thread_time()
    shapes = (*SHAPES, *([("", subject.own)] if subject.own else ()))
    cells = [_screened(subject, head, run) for head, run in shapes]
    growing = sorted(cells, key=lambda cell: cell.exponent, reverse=True)
    slow = sorted(cells, key=lambda cell: cell.seconds / cell.size, reverse=True)
    above = sum(cell.exponent >= SUSPECT for cell in cells)
    suspects = dict.fromkeys((*growing[: max(above, GROWING)], *slow[:SLOWEST]))
    for cell in suspects:
        cells.remove(cell)
        is_over = time.thread_time() - start > seconds
        cells.append(cell._replace(is_sure=False) if is_over else _confirmed(subject, cell))
    return sorted(cells, key=lambda cell: cell.exponent, reverse=True)


def _screened(subject: Subject, head: str, run: str) -> Cell:
    """Return the exponent between the last two lengths."""
    size = max(FIRST, 2 * len(run))
    text = subject.text(head, run, size)
    _seconds(subject.read, text)  # compiles patterns
    taken = min(_seconds(subject.read, text) for _ in range(2))
    while True:
        size, shorter, before = size * TIMES, text, taken
        text = subject.text(head, run, size)
        taken = _seconds(subject.read, text)
        if taken >= LONG_S or size * TIMES > LAST:
            exponent = math.log(taken / before, len(text) / len(shorter))
            return Cell(exponent, taken, size, head, run)


def _confirmed(subject: Subject, cell: Cell) -> Cell:
    """Measure again, next to a scan that is linear, and on longer texts while it looks bad."""
    size = cell.size
    if cell.seconds * TIMES < SLOW_S and size * TIMES <= LONGEST:
        size *= TIMES
    cell = _again(subject, cell, size // TIMES, size)
    while cell.exponent >= SUSPECT and cell.seconds < SLOW_S and size * TIMES <= LONGEST:
        size *= TIMES
        cell = _again(subject, cell, size // TIMES, size)
    if cell.exponent >= SUSPECT and cell.seconds * (LONGEST / size) ** 2 < ENDED_S / ROUNDS:
        # A square shows in both pairs, a step of the memory only in one.
        pairs = ((LONGEST // 2, LONGEST), (LONGEST // 4, LONGEST // 2))
        return min((_again(subject, cell, *pair) for pair in pairs), key=lambda cell: cell.exponent)
    return cell if cell.exponent < AIM else _again(subject, cell, size // TIMES, size)


def _again(subject: Subject, cell: Cell, shorter: int, longer: int) -> Cell:
    """Measure the exponent between two lengths, in rounds."""
    read = subject.read
    short, long = (subject.text(cell.head, cell.run, each) for each in (shorter, longer))
    factor = len(long) / len(short)
    small, big = min(_seconds(read, short) for _ in range(2)), _seconds(read, long)
    passes = max(round(small / max(_seconds(_scan, short), 1e-7)), 1)
    scan = partial(_scan, passes=min(passes, 50))
    least = long_scan = math.inf
    for _ in range(ROUNDS):
        exponent = math.log(big / small, factor)
        if least < math.inf:
            exponent -= max(math.log(long_scan / least, factor) - 1, 0)
        if exponent < SUSPECT or big > 10 * SLOW_S:
            break
        small, big = min(small, _seconds(read, short)), min(big, _seconds(read, long))
        least, long_scan = min(least, _seconds(scan, short)), min(long_scan, _seconds(scan, long))
    return cell._replace(exponent=exponent, seconds=big, size=longer)


def _scan(text: str, passes: int = 1) -> None:
    for _ in range(passes):
        [(at, char) for at, char in enumerate(text)]


def _seconds(read: Read, text: str) -> float:
    """Return the CPU seconds of a read and of the words of its error."""
    gc.disable()
    signal.setitimer(signal.ITIMER_REAL, ENDED_S)
    start = time.thread_time()
    try:
        read(text)
    except EndlessError:
        pass
    except Exception as error:  # noqa: BLE001 - each has its own
        _ = f"{error}{getattr(error, 'observation', '')}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
    taken = time.thread_time() - start
    gc.enable()
    return max(taken, 1e-6)


def _end(*_signal: object) -> None:
    raise EndlessError


# -- the table -------------------------------------------------------------------------------------


def _numbered(seconds: float, number: int) -> list[Cell]:
    return measured(_SUBJECTS[number], seconds)


_SUBJECTS: Final[list[Subject]] = []
"""The processes are forks, which share it."""


def found(jobs: int, seconds: float) -> Iterator[tuple[Subject, Cell]]:
    """Yield the cells of all subjects, each with its subject."""
    signal.signal(signal.SIGALRM, _end)
    with ProcessPoolExecutor(jobs, mp_context=get_context("fork")) as pool:
        measurements = pool.map(partial(_numbered, seconds), range(len(_SUBJECTS)))
        for subject, cells in zip(_SUBJECTS, measurements, strict=True):
            yield from ((subject, cell) for cell in cells)


def main() -> None:
    options = argparse.ArgumentParser(prog="python -m benchmarks.growth")
    options.add_argument("--jobs", type=int, default=1, help="number of processes")
    options.add_argument("--seconds", type=float, default=10, help="CPU seconds of each subject")
    options.add_argument("words", nargs="*", help="only what has one of them in its title")
    given = options.parse_args()
    _SUBJECTS.extend(
        each
        for each in subjects()
        if not given.words or any(word in " ".join(each[:3]) for word in given.words)
    )
    every: list[tuple[Subject, Cell]] = []
    print("| what | name | texts | median | worst | where |\n|---|---|--:|--:|--:|---|")
    for (kind, name), group in groupby(
        found(given.jobs, given.seconds), key=lambda each: each[0][:2]
    ):
        cells = [*group]
        print(_row(kind, name, cells), flush=True)
        every += cells
    print("\n| what | names | texts | median | worst | where |\n|---|--:|--:|--:|--:|---|")
    for kind, of_kind in groupby(every, key=lambda each: each[0].kind):
        cells = [*of_kind]
        print(_row(kind, f"{len({subject.name for subject, _ in cells})}", cells))
    high = [each for each in every if each[1].exponent >= AIM]
    print(f"\n{len(SHAPES)} shapes, {len(every):,} texts, {len(high)} with {AIM} or more")
    for subject, cell in sorted(high, reverse=True, key=_exponent):
        print(f"{cell.exponent:.2f}  {subject.kind}: {subject.name}, {subject.way}: {cell}")


def _exponent(each: tuple[Subject, Cell]) -> float:
    return each[1].exponent


def _row(kind: str, name: str, cells: Sequence[tuple[Subject, Cell]]) -> str:
    subject, worst = max(cells, key=_exponent)
    middle = median(map(_exponent, cells))
    where = f"{subject.way}: {worst}".replace("|", "\\|")
    return f"| {kind} | {name} | {len(cells):,} | {middle:.2f} | {worst.exponent:.2f} | {where} |"


if __name__ == "__main__":
    main()
