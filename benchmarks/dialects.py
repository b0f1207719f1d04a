"""Measures the cost of calls of open models: ``python benchmarks/dialects.py``.

The first table has one whole call of each dialect, next to the least that Python can do: finding
JSON with a regular expression, and reading it with `json.loads`. The second has one call whose
argument is a long text, in chunks of 4 characters. What is compared takes turns in one interleaved
run. Absolute times depend on the machine; the ratios hardly do.
"""

from __future__ import annotations

import json
import re
import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Final

from _timing import interleaved, ratio

from agent_parsers import StreamParser, get_dialect, get_parser, list_dialects
from agent_parsers.authoring import Written

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers import Dialect

IN_TAGS: Final = re.compile(r"<tool_call>(.*?)</tool_call>", re.DOTALL).search
CHUNK: Final = 4
KILOBYTES: Final = (1, 16, 64, 256)
DIALECTS: Final = ("hermes", "qwen3_coder", "glm45", "minimax_m2", "deepseek_dsml")
CODE: Final = "    if a < b:\n        return '<p>old bridges</p>'  # of Bern\n\n"
"""The text of the argument: code that contains something like tags."""


def find_json(text: str) -> object:
    """Return the JSON in a call of hermes, if nothing is odd."""
    found = IN_TAGS(text)
    return found and json.loads(found[1])


def whole_call(name: str, rounds: int) -> str:
    """Return the cost of one whole call in the dialect *name*, as multiples of the least."""
    call = Written("It is far.", "search", {"query": "Lake Thun"})
    strict, lenient = (get_parser(name, lenient=lenient) for lenient in (False, True))
    text = strict.dialect.write(call)
    contenders: dict[str, Callable[[], object]] = {
        "least": partial(find_json, get_dialect("hermes").write(call)),
        "strict": partial(strict.parse, text),
        "lenient": partial(lenient.parse, text),
        "read": partial(lenient.read, text),
    }
    taken = interleaved(contenders, rounds=rounds)
    cells = [f"{median(taken['least']) * 1e6:>9.2f}"]
    cells += [f"{ratio(taken[each], taken['least']):>9.1f}" for each in ("strict", "lenient")]
    return f"{name:<20}{''.join(cells)}{ratio(taken['read'], taken['lenient']):>15.2f}"


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
    print(f"{'one call':<20}{'least, µs':>9}{'strict':>9}{'lenient':>9}{'read/parse':>15}")
    for name in list_dialects():
        if get_dialect(name).several:
            print(whole_call(name, rounds))
    heads = "".join(f"{f'{kb} KB':>9}" for kb in KILOBYTES)
    shares = "".join(f"{f'{kb}/1 KB':>9}" for kb in KILOBYTES[1:])
    print(f"{f'µs a chunk of {CHUNK}':<16}{heads}   {shares}")
    for name in DIALECTS:
        print(row(name, rounds))


if __name__ == "__main__":
    main()
