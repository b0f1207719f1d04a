"""Measures how time grows with the input, even on a busy machine."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TIMES = 16
"""Ratio of the lengths of the two inputs."""

MOST = 4 * TIMES
"""Maximum ratio of the times; quadratic work takes 256 times as long."""

CLEAR_S = 0.0005
"""Work that takes less time is repeated until it takes this long."""


def assert_linear(do: Callable[[T], object], make: Callable[[int], T], size: int) -> None:
    """Fail if *do* takes much more than sixteen times as long for sixteen times the input.

    The best CPU time of several attempts is used, so that a busy or slow machine does not matter.

    Args:
        do: The function to measure; it is called more than once with the same input.
        make: Makes an input of a given size.
        size: The smaller size.
    """
    short, long = make(size), make(size * TIMES)
    do(short)  # run first, so that work done only at first use is not counted
    once = min(_seconds(do, short) for _ in range(3))
    growth = float("inf")
    for _ in range(7):
        growth = min(growth, _seconds(do, long) / once)
        if growth < MOST:
            return
    raise AssertionError(f"{growth:.0f} times as long for {TIMES} times the input")


def _seconds(do: Callable[[T], object], it: T) -> float:
    """Return the average time of *do*, over enough calls for a reliable measurement."""
    calls = 1
    gc.disable()  # it would scan objects left by other tests
    try:
        while True:
            start = time.thread_time()
            for _ in range(calls):
                do(it)
            taken = time.thread_time() - start
            if taken >= CLEAR_S:
                return taken / calls
            calls *= 4
    finally:
        gc.enable()
