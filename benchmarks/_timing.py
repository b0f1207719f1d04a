"""Timing on noisy machines: contenders take turns, and ratios are compared."""

from __future__ import annotations

import gc
import time
from statistics import median
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping


def interleaved(
    contenders: Mapping[str, Callable[[], object]], *, rounds: int = 40, seconds: float = 0.004
) -> dict[str, list[float]]:
    """Return the CPU seconds of one call of each contender, measured once a round.

    Args:
        contenders: The functions to call, by name.
        rounds: Number of turns of each contender.
        seconds: Approximate length of a turn, which has as many calls as fit, but at least one.
    """
    gc.freeze()  # keeps the collector from scanning imported modules in every turn
    calls = {}
    for name, call in contenders.items():
        call()  # the first call may compile patterns and import modules
        start = time.perf_counter()
        call()
        calls[name] = max(1, int(seconds / max(time.perf_counter() - start, 1e-7)))
    taken: dict[str, list[float]] = {name: [] for name in contenders}
    for _ in range(rounds):
        for name, call in contenders.items():
            count = calls[name]
            gc.collect()
            start = time.process_time()
            for _ in range(count):
                call()
            taken[name].append((time.process_time() - start) / count)
    return taken


def ratio(ours: list[float], theirs: list[float]) -> float:
    """Return the median over the rounds of our time divided by theirs."""
    return median(a / b for a, b in zip(ours, theirs, strict=True))


def short(number: float) -> str:
    """Return *number* with two or three significant digits."""
    if number >= 100:
        return f"{number:,.0f}"
    if number >= 10:
        return f"{number:.3g}"
    return f"{number:.2f}" if number >= 0.1 else f"{number:.1g}"
