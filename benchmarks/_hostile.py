"""Measures how the time grows with texts that are made to be slow."""

from __future__ import annotations

import gc
import math
import time
from contextlib import suppress
from typing import TYPE_CHECKING, Final

from _peers import REACT
from _timing import short

from agent_parsers import get_parser

if TYPE_CHECKING:
    from collections.abc import Callable

    Read = Callable[[str], object]

SHAPES: Final = {
    "`Action:` in each line": ("Thought: a", "\nAction: a"),
    "`Action:` and blanks": ("Action:", " "),
    "`Action:` and line breaks": ("Action:", "\n"),
    "`Action: Action: …`": ("Thought: a\n", "Action: "),
    "all labels, again and again": ("Thought: a", "\nAction:\nAction Input:\nFinal Answer:"),
    "`Action Input:` in each line": ("Action: a", "\nAction Input: {"),
    "open braces": ("Action: a\nAction Input: ", "{"),
    "half labels": ("Thought: a", "\nFinal Answ\nActio"),
    "digits": ("Action", "1"),
    "quotes": ('Action: a\nAction Input: "', '\\"'),
}
FIRST, LONGEST = 250, 64_000
SLOW_S: Final = 0.1


def growth() -> dict[str, list[str]]:
    """Return the results of this library and of each framework, for each shape."""
    gc.freeze()  # see `interleaved`
    modes = [get_parser("react", lenient=False), get_parser("react")]
    ours = [parser.parse for parser in modes]
    ours += [lambda text, parser=parser: list(parser.events(_chunks(text))) for parser in modes]
    return {
        shape: [_worst(ours, *text), *(_worst([read], *text) for read in REACT.values())]
        for shape, text in SHAPES.items()
    }


def _chunks(text: str) -> list[str]:
    return [text[at : at + 4] for at in range(0, len(text), 4)]


def _worst(reads: list[Read], head: str, piece: str) -> str:
    """Return the largest exponent of *reads*, and the time that goes with it."""
    exponent, seconds, size = max(_growth(read, head, piece) for read in reads)
    power = f"{exponent:.1f}" if exponent > 1 else "≤ 1"
    return f"{power} ({short(seconds * 1e3)} ms at {size / 1000:g} KB)"


def _growth(read: Read, head: str, piece: str) -> tuple[float, float, int]:
    """Return the exponent between the two longest texts, and seconds and length of the last."""
    sizes, taken = [FIRST], [_seconds(read, head, piece, FIRST)]
    while sizes[-1] < LONGEST and taken[-1] < SLOW_S:
        sizes.append(sizes[-1] * 2)
        taken.append(_seconds(read, head, piece, sizes[-1]))
    return math.log2(taken[-1] / taken[-2]), taken[-1], sizes[-1]


def _seconds(read: Read, head: str, piece: str, size: int) -> float:
    """Return the shortest CPU time of several attempts to read a text of *size* characters."""
    text = head + piece * (size // len(piece))
    spent: list[float] = []
    while len(spent) < 3 or (sum(spent) < 0.02 and len(spent) < 50):
        start = time.process_time()
        with suppress(Exception):  # each framework raises its own
            read(text)
        spent.append(time.process_time() - start)
        if spent[-1] > SLOW_S:
            break
    return min(spent)
