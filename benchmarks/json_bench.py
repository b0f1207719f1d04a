"""Measures the speed of reading JSON: ``python benchmarks/json_bench.py``.

The contenders take turns in one run; read the ratios. LangChain and re-parsing read the whole text
so far again for each chunk. Since a whole stream would take them minutes, their time for a chunk is
the mean over some evenly spaced prefixes of the text; columns with such times are marked with ~.
``json_repair`` is measured if it is installed.
"""

from __future__ import annotations

import json
import time
from importlib.util import find_spec
from statistics import mean, median
from typing import TYPE_CHECKING, Any

from _timing import interleaved, ratio
from json_floor import Floor
from langchain_core.output_parsers import JsonOutputParser as LangChainParser
from langchain_core.utils.json import parse_json_markdown as their_parse
from pydantic_core import from_json

from output_parsers.json import JsonOutputParser
from output_parsers.json_in_prose.markdown import parse_json_markdown
from output_parsers.json_in_prose.repair import repair_json
from outputs.growing_json.reader import JsonReader

if TYPE_CHECKING:
    from collections.abc import Callable

CHUNK_CHARS = 4
SAMPLES = 12


def small_objects(size: int) -> str:
    items: list[dict[str, Any]] = []
    chars = 0
    while chars < size:
        number = len(items)
        item = {"id": number, "name": f"bridge {number}", "m": number * 1.25, "tags": ["a", "b"]}
        items.append(item)
        chars += len(json.dumps(item)) + 2
    return json.dumps(items)


def huge_string(size: int) -> str:
    return json.dumps({"text": "The bridge was built of oak. " * (size // 29)})


def deep(size: int) -> str:
    return '{"kind": "room", "inside": ' * 50 + small_objects(size) + "}" * 50


SHAPES = {"small objects": small_objects, "one huge string": huge_string, "depth 50": deep}


def one_shot() -> None:
    """Compare reading a whole reply with `json.loads` of the JSON in it."""
    print(
        f"{'one shot, times json.loads':<28}{'µs':>9}{'fence':>8}{'prose':>8}{'lenient':>9}", end=""
    )
    print(f"{'LangChain':>11}{'json_repair':>13}")
    for name, shape in SHAPES.items():
        for size in (1_000, 10_000, 100_000, 1_000_000):
            _one_shot_row(name, shape(size), size)


def _one_shot_row(name: str, text: str, size: int) -> None:
    fenced = f"```json\n{text}\n```"
    in_prose = f"Here it is:\n\n{fenced}\n\nShall I go on?"
    contenders: dict[str, Callable[[], object]] = {
        "loads": lambda: json.loads(text),
        "fence": lambda: parse_json_markdown(fenced),
        "prose": lambda: parse_json_markdown(in_prose),
        "lenient": lambda: repair_json(in_prose),
    }
    if size <= 10_000:  # With prose before the fence, LangChain's time is quadratic.
        contenders["LangChain"] = lambda: their_parse(in_prose)
        if find_spec("json_repair"):
            from json_repair import loads

            contenders["json_repair"] = lambda: loads(in_prose)
    taken = interleaved(contenders, rounds=7 if size > 10_000 else 15)
    cells = f"{median(taken['loads']) * 1e6:>9.1f}"
    for contender, width in (
        ("fence", 8), ("prose", 8), ("lenient", 9), ("LangChain", 11), ("json_repair", 13)
    ):  # fmt: skip
        share = f"{ratio(taken[contender], taken['loads']):.2f}" if contender in taken else "-"
        cells += f"{share:>{width}}"
    print(f"{f'{name}, {size // 1000} KB':<28}{cells}")


def streaming() -> None:
    """Print the cost of a chunk, and the ratio of the whole to the minimum; see `json_floor`."""
    print(
        f"\n{'streamed, µs a chunk of 4':<28}{'floor':>8}{'reader':>8}{'parser':>8}{'diff':>8}",
        end="",
    )
    print(
        f"{'lenient':>9}{'parser/floor':>14}{'re-parse~':>11}{'LangChain~':>12}{'their/ours~':>13}"
    )
    for name, shape in SHAPES.items():
        for size in (1_000, 16_000, 64_000, 256_000):
            _streaming_row(f"{name}, {size // 1000} KB", shape(size), with_theirs=size <= 64_000)


def _streaming_row(name: str, text: str, *, with_theirs: bool) -> None:
    chunks = [text[at : at + CHUNK_CHARS] for at in range(0, len(text), CHUNK_CHARS)]
    taken = interleaved(
        {
            "floor": lambda: _run_floor(chunks),
            "reader": lambda: _run_reader(chunks),
            "parser": lambda: _run_parser(chunks),
            "diff": lambda: _run_parser(chunks, diff=True),
            "lenient": lambda: _run_parser(chunks, lenient=True),
        },
        rounds=5,
    )
    ours = min(taken["parser"]) / len(chunks)
    cells = "".join(
        f"{min(taken[which]) / len(chunks) * 1e6:>{width}.2f}"
        for which, width in (
            ("floor", 8),
            ("reader", 8),
            ("parser", 8),
            ("diff", 8),
            ("lenient", 9),
        )
    )
    cells += f"{ratio(taken['parser'], taken['floor']):>14.2f}"
    cells += f"{_reparse(text) * 1e6:>11.1f}"
    if with_theirs:
        theirs = _langchain(text)
        cells += f"{theirs * 1e6:>12.0f}{theirs / ours:>13,.0f}"
    print(f"{name:<28}{cells}")


def _run_floor(chunks: list[str]) -> None:
    floor = Floor()
    for chunk in chunks:
        floor.feed(chunk)
        floor.snapshot()


def _run_reader(chunks: list[str]) -> None:
    reader = JsonReader()
    for chunk in chunks:
        reader.feed(chunk)
        reader.value  # noqa: B018 - reading the property does the work


def _run_parser(chunks: list[str], **fields: bool) -> None:
    for _ in JsonOutputParser(**fields).transform(iter(chunks)):
        pass


def _reparse(text: str) -> float:
    """Return the mean time to read a prefix again, in seconds."""
    taken = []
    for prefix in _prefixes(text):
        start = time.process_time()
        calls = 0
        while calls == 0 or time.process_time() - start < 0.005:
            from_json(prefix, allow_partial="trailing-strings")
            calls += 1
        taken.append((time.process_time() - start) / calls)
    return mean(taken)


def _langchain(text: str) -> float:
    """Return the mean time of a chunk in LangChain's stream, in seconds."""
    taken = []
    for prefix in _prefixes(text):
        more = text[len(prefix) : len(prefix) + 4 * CHUNK_CHARS]
        times = []

        def chunks(prefix: str = prefix, more: str = more, times: list[float] = times) -> Any:
            yield prefix
            for at in range(0, len(more), CHUNK_CHARS):
                times.append(time.process_time())
                yield more[at : at + CHUNK_CHARS]
            times.append(time.process_time())

        for _ in LangChainParser().transform(chunks()):
            pass
        taken.append((times[-1] - times[0]) / (len(times) - 1))
    return mean(taken)


def _prefixes(text: str) -> list[str]:
    return [text[: round(len(text) * (number + 0.5) / SAMPLES)] for number in range(SAMPLES)]


if __name__ == "__main__":
    one_shot()
    streaming()
