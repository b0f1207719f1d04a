"""Reads the recorded runs of a corpus, and counts: ``python tools/benchmarks/corpus.py [PATH]``.

PATH is a folder of ``.jsonl`` files with one run per line: an object with ``format``, the name of a
dialect, and ``steps``. Each step has the model's ``output`` and, as ``expect``, the result of the
run's own parser::

    {"kind": "action", "tool": ..., "tool_input": ...}
    {"kind": "finish", "output": ...}
    null        the run's own parser could not read it

A step is *matched* if the result equals ``expect``, *refused* if it is an error, and otherwise
*other*. Steps without an expectation are counted separately, as *read* or *refused*. Runs in a
format without a dialect are left out.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import (
    AgentAction,
    AgentFinish,
    DialectParser,
    OutputParserException,
    get_parser,
    list_dialects,
)

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

CORPUS: Final = Path(__file__).parents[3] / "shared" / "corpus" / "transcripts"
MODES: Final = ("strict", "lenient")
COLUMNS: Final = ("matched", "refused", "other", "null read", "null refused")


def runs_in(path: Path) -> Iterator[dict[str, Any]]:
    """Yield the runs in a file whose format has a dialect."""
    ours = set(list_dialects())
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            run = json.loads(line)
            if run["format"] in ours:
                yield run


def outcome(parser: DialectParser, step: dict[str, Any]) -> str:
    """Return the column that *step* is counted in."""
    expect = step.get("expect")
    try:
        result = parser.parse(step["output"])
    except OutputParserException:
        return "refused" if expect else "null refused"
    if not expect:
        return "null read"
    return "matched" if as_expected(result) == expect else "other"


def as_expected(result: AgentAction | AgentFinish) -> dict[str, Any]:
    """Return *result* in the format of the corpus."""
    if isinstance(result, AgentAction):
        return {"kind": "action", "tool": result.tool, "tool_input": result.tool_input}
    return {"kind": "finish", "output": result.return_values["output"]}


def count(runs: Iterable[dict[str, Any]]) -> Counter[str]:
    """Read every step of *runs* in both modes; the keys are as in ``"strict matched"``."""
    counts: Counter[str] = Counter()
    parsers = {
        (name, mode): get_parser(name, lenient=mode == "lenient")
        for name in list_dialects()
        for mode in MODES
    }
    for run in runs:
        counts["runs"] += 1
        for step in run["steps"]:
            counts["steps"] += 1
            for mode in MODES:
                counts[f"{mode} {outcome(parsers[run['format'], mode], step)}"] += 1
    return counts


def table(counts: dict[str, Counter[str]]) -> str:
    """Return the counts of the files, and their sums, as text in columns."""
    total: Counter[str] = Counter()
    for each in counts.values():
        total += each
    width = max(map(len, (*counts, "file")))
    heads = ("runs", "steps", *(f"{mode} {column}" for mode in MODES for column in COLUMNS))
    lines = ["  ".join((f"{'':{width}}  {'':5}  {'':5}", *_centred(MODES)))]
    lines.append("  ".join((f"{'file':{width}}", *(_cell(head) for head in heads))))
    for name, each in [*counts.items(), ("all", total)]:
        cells = (f"{each[head]:>{len(_cell(head))}}" for head in heads)
        lines.append("  ".join((f"{name:{width}}", *cells)))
    return "\n".join(line.rstrip() for line in lines)


def _cell(head: str) -> str:
    for mode in MODES:
        head = head.removeprefix(f"{mode} ")
    return f"{head:>5}"


def _centred(modes: Sequence[str]) -> Iterator[str]:
    width = len("  ".join(map(_cell, COLUMNS)))
    return (f"{f' {mode} ':-^{width}}" for mode in modes)


def main() -> None:
    """Print the table."""
    arguments = argparse.ArgumentParser(description="Count what is read of the runs of a corpus.")
    arguments.add_argument("path", nargs="?", type=Path, default=CORPUS, help="folder of .jsonl")
    path: Path = arguments.parse_args().path
    if not path.is_dir():
        arguments.error(f"there is no folder {path}")
    counts = {file.name: count(runs_in(file)) for file in sorted(path.glob("*.jsonl"))}
    print(table({name: each for name, each in counts.items() if each}))


if __name__ == "__main__":
    main()
