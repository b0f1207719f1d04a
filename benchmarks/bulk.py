"""Measures the cost of a row of a table: ``python benchmarks/bulk.py``.

Next to it are a loop of `parse`, the same loop with its results put into columns, and a loop of
`read`. They take turns in one interleaved run; the time is that of the CPU. The ratios are the best
and the median one; the loop of the last ones keeps its results in a list.
"""

from __future__ import annotations

import json
import sys
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final

import pyarrow as pa
from _timing import interleaved, ratio

from agent_parsers import AgentFinish, OutputParserException, get_parser
from agent_parsers.bulk import TableParser

if TYPE_CHECKING:
    from collections.abc import Callable

ROWS: Final = 4_096
ACTION: Final = "I need its age.\nAction: search\nAction Input: "
SAID: Final = (
    "It was built in 1489 by the town, and has three arches of stone.\nBridge %d is older."
)
STEP: Final = """\
Thought: I need its age.
Action:
```json
{
  "action": "search",
  "action_input": {
    "query": "oldest bridge in Bern %d"
  }
}
```"""
CALL: Final = '<tool_call>\n{"name": "search", "arguments": {"query": "bridge %d"}}\n</tool_call>'
ODD: Final = (
    "**Action:** search\nAction Input: old bridge %d",
    "no label %d",
    "Action: search\nAction Input: old bridge %d\nObservation: 1489",
)


KINDS: Final = {
    "text": "react",
    "JSON": "react",
    "answer": "react",
    "5 % odd": "react",
    "react_json": "react_json",
    "hermes": "hermes",
    "hermes, said": "hermes",
}
"""The dialects of the kinds of replies."""


def texts(kind: str) -> list[str]:
    """Return the replies of a *kind*."""
    template = {
        "text": ACTION + "oldest bridge in Bern %d",
        "JSON": ACTION + '{"query": "oldest bridge in Bern %d"}',
        "answer": "I now know the final answer\nFinal Answer: it is the bridge of %d",
        "5 % odd": ACTION + "oldest bridge in Bern %d",
        "react_json": STEP,
        "hermes": CALL,
        "hermes, said": SAID,
    }[kind]
    made = [template % row for row in range(ROWS)]
    if kind == "5 % odd":
        made[::20] = [ODD[row % 3] % row for row in range(0, ROWS, 20)]
    return made


def loop(read: Callable[[str], object], replies: list[str]) -> None:
    """Call *read* for each reply."""
    for reply in replies:
        try:
            read(reply)
        except OutputParserException:
            continue


def kept(parse: Callable[[str], Any], replies: list[str]) -> list[Any]:
    """Call *parse* for each reply, and keep the results."""
    results: list[Any] = []
    for reply in replies:
        try:
            results.append(parse(reply))
        except OutputParserException as error:
            results.append(error)
    return results


def dropped(parse: Callable[[str], Any], replies: list[str]) -> pa.Table:
    """Call *parse* for each reply, and put its results into columns."""
    columns: dict[str, list[str | None]] = {"tool": [], "input": [], "answer": [], "error": []}
    for reply in replies:
        row = dict.fromkeys(columns)
        try:
            result = parse(reply)
        except OutputParserException as error:
            row["error"] = error.reason
        else:
            if isinstance(result, AgentFinish):
                row["answer"] = result.return_values["output"]
            else:
                action = result[0] if isinstance(result, list) else result
                row["tool"] = action.tool
                row["input"] = json.dumps(action.tool_input, ensure_ascii=False)
        for name, column in columns.items():
            column.append(row[name])
    return pa.table({name: pa.array(column, pa.string()) for name, column in columns.items()})


def main(rounds: int) -> None:
    """Print the table."""
    print(
        "µs a row                parse  into columns    read   table  table ÷ columns  table ÷ kept"
    )
    for kind, dialect in KINDS.items():
        replies = texts(kind)
        for lenient in (False, True):
            parser = get_parser(dialect, lenient=lenient)
            table = partial(TableParser(dialect, lenient=lenient), pa.table({"text": replies}))
            contenders: dict[str, Callable[[], object]] = {
                "parse": partial(loop, parser.parse, replies),
                "kept": partial(kept, parser.parse, replies),
                "columns": partial(dropped, parser.parse, replies),
                "read": partial(loop, parser.read, replies),
                "table": table,
            }
            taken = interleaved(contenders, rounds=rounds)
            cells = {name: median(times) / ROWS * 1e6 for name, times in taken.items()}
            times = "{parse:>8.2f}{columns:>14.2f}{read:>8.2f}{table:>8.2f}".format(**cells)
            ratios = "".join(
                f"{min(taken['table']) / min(taken[other]):>9.2f} / "
                f"{ratio(taken['table'], taken[other]):.2f}"
                for other in ("columns", "kept")
            )
            mode = "lenient" if lenient else "strict"
            print(f"{kind:<13}{mode:<8}{times}{ratios}")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 9)
