"""Measures how the time of reading grows, on a machine that may be busy with other things."""

from __future__ import annotations

import gc
import time
from itertools import repeat
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["takes_twice_its_share"]

_ROUNDS: Final = 3
"""How often each text is read; the fastest time counts."""

_CONFIRMATIONS: Final = 5
"""How many measurements in a row must agree before a text counts as slow."""

_NOISE_S: Final = 0.002
"""Extra time that copying a long text may take when the process allocates memory."""


def takes_twice_its_share(read: Callable[[str], object], short: str, long: str) -> bool:
    """Return whether reading *long* takes more than twice the time that its length explains.

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
        start = time.thread_time()
        work()
        return time.thread_time() - start
    finally:
        if was_enabled:
            gc.enable()


def _scan(text: str, passes: int) -> None:
    """Look at each character and keep something for it, *passes* times."""
    for _ in repeat(None, passes):
        [(at, char) for at, char in enumerate(text)]
