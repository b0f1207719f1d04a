"""Measures the cost of the next chunk of a stream, by the length of the text before it."""

from __future__ import annotations

import gc
import time
from collections import deque
from contextlib import suppress
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from _peers import ANSWERS, LANGCHAIN, LENIENT, REACT, STRICT
from langchain_core.output_parsers import JsonOutputParser as LangChainJson

from agent_parsers import get_parser
from output_parsers import JsonOutputParser

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

Reader: TypeAlias = "Callable[[str, list[str]], float]"
"""Reads the text before, then some chunks; returns the CPU seconds for the chunks."""
Costs: TypeAlias = dict[tuple[str, str], dict[int, float]]

CHUNK: Final = 4
MOST: Final = 256
"""Maximum number of chunks timed at once."""
TURN_S: Final = 0.01
"""Target duration of one measurement."""
SIZES: Final = tuple(250 * 2**step for step in range(11))
"""Lengths of the text before, from 250 to 256,000 characters."""
SLOW_S: Final = 0.05
"""If a chunk takes longer than this, longer texts are skipped."""
ROUNDS: Final = 5

THOUGHT: Final = "Thought: hm\n"
WORDS: Final = "The bridge was built of oak, burnt down in 1460 and then built again of stone. "
ROW: Final = '{"name": "Untertorbrücke", "year": 1489, "of": "stone"}, '


def by_feed(name: str, before: str, chunks: list[str], *, lenient: bool) -> float:
    """Read a turn of the dialect *name* with `feed`."""
    parser = get_parser(name, lenient=lenient).stream_parser()
    parser.feed(before)
    start = time.process_time()
    for chunk in chunks:
        parser.feed(chunk)
    return time.process_time() - start


def asked_again(read: Callable[[str], object], before: str, chunks: list[str]) -> float:
    """Read the whole text so far again after each chunk."""
    text = before
    start = time.process_time()
    for chunk in chunks:
        text += chunk
        with suppress(Exception):  # each framework raises its own
            read(text)
    return time.process_time() - start


def by_transform(parser: Any, before: str, chunks: list[str]) -> float:
    """Read JSON with `transform`."""
    start = 0.0

    def given() -> Iterator[str]:
        nonlocal start
        yield before
        start = time.process_time()
        yield from chunks

    deque(parser.transform(given()), maxlen=0)
    return time.process_time() - start


def contenders() -> dict[tuple[str, str], tuple[Reader, str, str]]:
    """Return the reader, and the head and rest of the text, of each contender in each contest."""
    heads = dict.fromkeys((STRICT, LENIENT), f"{THOUGHT}Final Answer: ")
    heads |= {peer: f"{THOUGHT}{label} " for peer, label in ANSWERS.items()}
    readers: dict[str, Reader] = {
        STRICT: partial(by_feed, "react", lenient=False),
        LENIENT: partial(by_feed, "react", lenient=True),
    }
    readers |= {peer: partial(asked_again, read) for peer, read in REACT.items()}
    found = {("ReAct", side): (reader, heads[side], WORDS) for side, reader in readers.items()}
    found["JSON", "here"] = (partial(by_transform, JsonOutputParser()), "[", ROW)
    found["JSON", LANGCHAIN] = (partial(by_transform, LangChainJson()), "[", ROW)
    return found


def chunk_costs() -> Costs:
    """Return the microseconds of a chunk by contest, contender and length of the text before.

    All contenders with the same length take turns.
    """
    who = contenders()
    gc.freeze()  # see `interleaved`
    costs: Costs = {key: {} for key in who}
    for size in SIZES:
        still = [key for key in who if all(us < SLOW_S * 1e6 for us in costs[key].values())]
        counts = {key: _count(*who[key], size) for key in still}
        taken: dict[tuple[str, str], list[float]] = {key: [] for key in still}
        for _ in range(ROUNDS):
            for key in still:
                taken[key].append(_seconds(*who[key], size, counts[key]))
        for key in still:
            costs[key][size] = median(taken[key]) * 1e6
    return costs


def _count(reader: Reader, head: str, body: str, size: int) -> int:
    """Return how many chunks to time at once."""
    spent = _seconds(reader, head, body, size, 1)
    return max(1, min(MOST, int(TURN_S / max(spent, 1e-7))))


def _seconds(reader: Reader, head: str, body: str, size: int, count: int) -> float:
    """Return the CPU seconds of one of *count* chunks that follow *size* characters."""
    end = size + CHUNK * count
    text = head + body * (end // len(body) + 1)
    chunks = [text[at : at + CHUNK] for at in range(size, end, CHUNK)]
    gc.collect()
    return reader(text[:size], chunks) / count
