"""Timing on noisy machines: rows take turns, and each says how sure it is.

A round of a row measures each of its contenders once, ours first, and a figure compares them,
mostly the quotient. The row that has had the least time is next, so that a noisy stretch hits all
rows. A row has the figure of the best measurements and the median of the figures of all rounds.
"""

from __future__ import annotations

import gc
import math
import sys
import time
from dataclasses import dataclass, field
from functools import cached_property
from statistics import median, quantiles
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

Call: TypeAlias = "Callable[[], object]"
Sample: TypeAlias = "Callable[[], float]"
"""Measures one contender once: mostly the CPU seconds of one call."""

TURN_S: Final = 0.004
LEAST_ROUNDS: Final = 6
"""So many rounds of each row are waited for, if that takes no more than a sixth of the time."""
FEWEST_ROUNDS: Final = 3
"""With fewer, nothing can be told."""
NOISY: Final = 1.25
"""A machine is noisy if the slow tenth of equal loops takes this many times the fast tenth."""
APART: Final = 4 / 3
"""A row without an aim is noisy if its figures are that many times apart."""
MET, MISSED, UNSURE = "met", "no", "cannot tell"


class Timed:
    """Measures the CPU seconds of a call, or of one of the *per* things that a call does."""

    def __init__(self, call: Call, per: float = 1) -> None:
        self.call, self.per = call, per

    @cached_property
    def _count(self) -> int:
        """How many calls take a turn."""
        if self._seconds(1) > 10 * TURN_S:
            return 1
        # The first call may have compiled patterns and imported modules.
        return max(1, int(TURN_S / max(min(self._seconds(1) for _ in range(3)), 1e-7)))

    def __call__(self) -> float:
        return self._seconds(self._count) / self._count / self.per

    def _seconds(self, count: int) -> float:
        start = time.process_time()
        for _ in range(count):
            self.call()
        return time.process_time() - start


def quotient(ours: float, theirs: float) -> float:
    return ours / theirs


def gain(ours: float, theirs: float) -> float:
    """Return how many times as fast as the other ours is."""
    return theirs / ours


def two_times(ours: float, theirs: float, *_others: float) -> tuple[str, str]:
    """Return the two times in words."""
    return in_words(ours), in_words(theirs)


def no_cells(*_samples: float) -> tuple[str, str]:
    """Return no cells: the figure says all."""
    return "", ""


class Figures(NamedTuple):
    """What a row has found."""

    best: float
    median: float
    low: float
    high: float
    """The ends of the interval of 95 % around the median."""


@dataclass(eq=False)
class Row:
    """A row of the table: what is measured, beside what, and what has been found."""

    title: str
    beside: str
    samples: tuple[Sample, ...]
    aim: float | None = None
    figure: Callable[..., float] = quotient
    more_is_better: bool = False
    cells: Callable[..., tuple[str, str]] = two_times
    """Makes the cells of both sides from the medians of the samples."""
    steady: Callable[..., bool] = lambda *_best: True
    """Whether the machine, by the best of the samples, could show what the row is about."""
    weight: float = 1
    """Its share of the time, of which one with an aim has three times as much."""
    most_rounds: float = math.inf
    before: int = 0
    """In the plot: the number of characters before what is measured."""
    missing: str = ""
    """The package that has to be installed for this row."""
    error: str = ""
    """Why it could not be measured."""
    rounds: list[tuple[float, ...]] = field(default_factory=list)
    spent: float = 0.0

    def take_turn(self) -> None:
        """Measure each contender once."""
        start = time.perf_counter()
        taken = []
        try:
            for sample in self.samples:
                gc.collect()  # so that nobody pays for what another one has left
                taken.append(sample())
        except Exception as error:  # noqa: BLE001 - the other rows are measured
            self.error = f"{type(error).__name__}: {error}".partition("\n")[0][:80]
            self.rounds.clear()
        else:
            self.rounds.append(tuple(taken))
        self.spent += time.perf_counter() - start

    @property
    def turn(self) -> tuple[float, bool]:
        """What says whose turn is next: the row with the least."""
        has_no_aim = self.aim is None
        return self.spent / self.weight * (3 if has_no_aim else 1), has_no_aim

    @property
    def best(self) -> list[float]:
        return [min(each) for each in zip(*self.rounds, strict=True)]

    @property
    def medians(self) -> list[float]:
        return [median(each) for each in zip(*self.rounds, strict=True)]

    def figures(self) -> Figures:
        """Return the figures; the interval is that of the sign test."""
        found = sorted(self.figure(*taken) for taken in self.rounds)
        count = len(found)
        off = max(math.floor(count / 2 - 0.98 * math.sqrt(count)), 0)
        return Figures(self.figure(*self.best), median(found), found[off], found[-1 - off])

    def verdict(self) -> str:
        """Return whether the aim is met, or that the row was too noisy to tell."""
        best, _, low, high = self.figures()
        if len(self.rounds) < min(FEWEST_ROUNDS, self.most_rounds):
            return UNSURE
        if self.aim is None:
            return "noisy" if max(best, low, high) > APART * min(best, low, high) else ""
        met = {
            each >= self.aim if self.more_is_better else each <= self.aim
            for each in (best, low, high)
        }
        if len(met) > 1 or not self.steady(*self.best):
            return UNSURE
        return MET if met == {True} else MISSED


class Machine:
    """What a fixed loop takes now and then: how even the machine is."""

    def __init__(self) -> None:
        self.cpu: list[float] = []
        self.clock: list[float] = []

    def look(self) -> None:
        """Time the loop."""
        started, start = time.perf_counter(), time.process_time()
        known: dict[int, str] = {}
        for number in range(8_000):
            known[number % 512] = str(number)
        self.cpu.append(time.process_time() - start)
        self.clock.append(time.perf_counter() - started)

    @property
    def spread(self) -> float:
        """How many times the CPU time of the fast tenth of the loops the slow tenth took."""
        fast, *_, slow = quantiles(self.cpu, n=10)
        return slow / fast

    def said(self) -> str:
        """Return a sentence about the machine."""
        share = sum(self.cpu) / sum(self.clock)
        was = "was too noisy to tell small differences" if self.spread > NOISY else "was quiet"
        return (
            f"The machine {was}: of {len(self.cpu):,} equal loops in between, the slow tenth took"
            f" at least {self.spread:.2f} times the CPU time of the fast tenth, and the process had"
            f" {share:.0%} of a core."
        )


def measure(rows: Sequence[Row], seconds: float, start: float | None = None) -> Machine:
    """Measure *rows* in turns until so many seconds, or a sixth more, after the *start*."""
    gc.freeze()  # keeps the collector from scanning imported modules in every turn
    machine = Machine()
    machine.look()
    looked = shown = time.perf_counter()
    start = looked if start is None else start
    while still := [row for row in rows if len(row.rounds) < row.most_rounds and not row.error]:
        now = time.perf_counter()
        if now - start > seconds:
            still = [row for row in still if len(row.rounds) < LEAST_ROUNDS]
            if not still or now - start > seconds * 7 / 6:
                break
        if now - looked > 0.2:
            machine.look()
            looked = now
        if now - shown > 30:
            print(f"{now - start:.0f} of some {seconds:.0f} s", file=sys.stderr, flush=True)
            shown = now
        min(still, key=lambda row: row.turn).take_turn()
    machine.look()
    return machine


def in_words(seconds: float) -> str:
    """Return a time with its unit."""
    if seconds < 1e-3:
        return f"{short(seconds * 1e6)} µs"
    return f"{short(seconds * 1e3)} ms" if seconds < 1 else f"{short(seconds)} s"


def short(number: float) -> str:
    """Return *number* with two or three significant digits."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    if abs(number) >= 10:
        return f"{number:.3g}"
    return f"{number:.2f}" if abs(number) >= 0.1 else f"{number:.2g}"
