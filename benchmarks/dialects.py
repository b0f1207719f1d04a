"""Measures the cost of a streamed call by its length: ``python benchmarks/dialects.py``.

Each dialect reads one call whose argument is a text, in chunks of 4 characters; the lengths of the
text take turns in one interleaved run. Absolute times depend on the machine; the ratios show
whether the cost of a chunk grows with the length of the text before it.
"""

from __future__ import annotations

import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from _timing import interleaved, ratio

from agent_parsers import StreamParser, get_dialect
from agent_parsers.authoring import Written

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers import Dialect

CHUNK: Final = 4
KILOBYTES: Final = (1, 16, 64, 256)
DIALECTS: Final = ("hermes", "qwen3_coder", "glm45", "minimax_m2", "deepseek_dsml")
CODE: Final = "    if a < b:\n        return '<p>old bridges</p>'  # of Bern\n\n"
"""The text of the argument: code that contains something like tags."""


def chunks_of(dialect: Dialect, size: int) -> list[str]:
    """Return a call with an argument of *size* characters, in pieces."""
    text = (CODE * (size // len(CODE) + 1))[:size]
    call = dialect.write(Written(tool="write", tool_input={"path": "a.py", "content": text}))
    return [call[at : at + CHUNK] for at in range(0, len(call), CHUNK)]


def read(dialect: Dialect, chunks: list[str]) -> None:
    """Read *chunks* as a stream."""
    parser = StreamParser(dialect)
    for chunk in chunks:
        parser.feed(chunk)
    parser.close()


def row(name: str, rounds: int) -> str:
    """Return the cost of a chunk for the dialect *name*, by the length of the argument."""
    dialect = get_dialect(name)
    calls = {kb: chunks_of(dialect, kb * 1024) for kb in KILOBYTES}
    contenders: dict[str, Callable[[], object]] = {
        str(kb): partial(read, dialect, chunks) for kb, chunks in calls.items()
    }
    taken = interleaved(contenders, rounds=rounds, seconds=0.02)
    per_chunk = {
        kb: [seconds / len(chunks) * 1e6 for seconds in taken[str(kb)]]
        for kb, chunks in calls.items()
    }
    times = "".join(f"{median(per_chunk[kb]):>9.2f}" for kb in KILOBYTES)
    ratios = "".join(f"{ratio(per_chunk[kb], per_chunk[1]):>9.2f}" for kb in KILOBYTES[1:])
    return f"{name:<16}{times}   {ratios}"


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 7
    heads = "".join(f"{f'{kb} KB':>9}" for kb in KILOBYTES)
    shares = "".join(f"{f'{kb}/1 KB':>9}" for kb in KILOBYTES[1:])
    print(f"{f'µs a chunk of {CHUNK}':<16}{heads}   {shares}")
    for name in DIALECTS:
        print(row(name, rounds))


if __name__ == "__main__":
    main()
