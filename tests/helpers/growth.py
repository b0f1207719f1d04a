"""How the time of some work grows with its input, whatever else the machine is doing."""

import gc
import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

TIMES = 16
"""How much longer the longer input is."""

MOST = 4 * TIMES
"""How many times as long it may take; work that is squared takes 256 times as long."""

CLEAR_S = 0.002
"""What is shorter is done again and again until it takes that long."""


def assert_linear(do: Callable[[T], object], make: Callable[[int], T], size: int) -> None:
    """Fail if *do* takes much more than sixteen times as long for sixteen times the input.

    What counts is the processor time of this thread, and the best of several attempts, so that a
    machine that is busy or slow makes no difference.

    Args:
        do: What is measured; it is called more than once with the same input.
        make: Makes an input of a size.
        size: The smaller size.
    """
    short, long = make(size), make(size * TIMES)
    do(short)  # what is made at first use is no growth
    once = min(_seconds(do, short) for _ in range(3))
    growth = float("inf")
    for _ in range(7):
        growth = min(growth, _seconds(do, long) / once)
        if growth < MOST:
            return
    raise AssertionError(f"{growth:.0f} times as long for {TIMES} times the input")


def _seconds(do: Callable[[T], object], it: T) -> float:
    """Return how long *do* takes, on average of as many calls as make a time that is clear."""
    calls = 1
    gc.disable()  # it would look through all that other tests have left
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
