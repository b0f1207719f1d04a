"""Scores the parsers on outputs that frameworks stumble over: ``python tools/benchmarks/wild.py``.

The file (``wild.jsonl``) has one case per line: the ``format`` that the prompt asked for, the
model's ``text`` or ``message``, the names of the ``tools``, the expected result (``expect``), other
valid results (``accept``), and whether nearly everybody agrees on it (``consensus``). A case is
*recovered* if the result is one of these, *refused* if there is an error instead, and otherwise
*wrong*, which is the worst, since an agent acts on it. Formats without a dialect are counted
separately.

``--mode lenient --show`` prints each case that is not recovered.
"""

from __future__ import annotations

import argparse
import json
from collections import Counter
from functools import cache
from pathlib import Path
from typing import Any, Final

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser
from outputs import from_any

WILD: Final = Path(__file__).parents[3] / "shared" / "corpus" / "wild.jsonl"
MODES: Final = ("strict", "lenient")
GRADES: Final = ("high", "medium")
COLUMNS: Final = ("recovered", "refused", "wrong")


def cases_in(path: Path) -> list[dict[str, Any]]:
    """Return the cases of the file."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


@cache
def parser_of(name: str, tools: tuple[str, ...], *, lenient: bool) -> Any:
    """Return the parser of a format, or `None` if the format has no dialect."""
    try:
        return get_parser(name, tools=tools or None, lenient=lenient)
    except ValueError:
        return None


def outcome(case: dict[str, Any], mode: str) -> str:
    """Return the column that *case* is counted in; ``""`` if there is no parser for it."""
    parser = parser_of(case["format"], tuple(case["tools"]), lenient=mode == "lenient")
    if parser is None:
        return ""
    read = outcome_of(parser, case)
    if any(is_met(read, expected) for expected in (case["expect"], *(case.get("accept") or ()))):
        return "recovered"
    return "refused" if read["kind"] == "error" else "wrong"


def outcome_of(parser: Any, case: dict[str, Any]) -> dict[str, Any]:
    """Return the result for a case in the format of the file."""
    try:
        result = parser.invoke(case["text"] if "text" in case else from_any(case["message"]))
    except OutputParserException:
        return {"kind": "error"}
    if isinstance(result, AgentFinish):
        return {"kind": "finish", "output": result.return_values["output"]}
    actions = [as_action(action) for action in (result if isinstance(result, list) else [result])]
    return actions[0] if len(actions) == 1 else {"kind": "actions", "actions": actions}


def as_action(action: AgentAction) -> dict[str, Any]:
    """Return *action* in the format of the file."""
    return {"kind": "action", "tool": action.tool, "tool_input": action.tool_input}


def is_met(read: dict[str, Any], expected: dict[str, Any]) -> bool:
    """Return whether *read* equals *expected* in all keys that *expected* has."""
    if read["kind"] == "action" and expected["kind"] == "actions":
        read = {"kind": "actions", "actions": [read]}
    if read["kind"] != expected["kind"]:
        return False
    return all(_is_same(key, read.get(key), value) for key, value in expected.items())


def _is_same(key: str, read: Any, expected: Any) -> bool:
    if key == "actions":
        return len(read) == len(expected) and all(
            is_met({"kind": "action", **one}, {"kind": "action", **other})
            for one, other in zip(read, expected, strict=True)
        )
    if key == "tool_input" and expected == "*":
        return True
    return bool(_plain(read) == _plain(expected))


def _plain(value: Any) -> Any:
    """Return *value*; text is stripped, and parsed if it is a JSON object or list."""
    if not isinstance(value, str):
        return value
    try:
        read = json.loads(value)
    except ValueError:
        return value.strip()
    return read if isinstance(read, dict | list) else value.strip()


def count(cases: list[dict[str, Any]], mode: str) -> dict[str, Counter[str]]:
    """Count the outcomes by family and, in the keys, by consensus: ``"high wrong"``."""
    counts: dict[str, Counter[str]] = {}
    for case in cases:
        found = outcome(case, mode)
        counts.setdefault(case["family"], Counter())[f"{case['consensus']} {found}".strip()] += 1
    return counts


def table(counts: dict[str, Counter[str]], mode: str) -> str:
    """Return the counts of one mode as text in columns."""
    heads = [f"{grade} {column}" for grade in GRADES for column in COLUMNS]
    rows = [(mode, [*heads, "no parser", "recovered"])]
    total: Counter[str] = Counter()
    for family, each in counts.items():
        total += each
        rows.append((family, _cells(each, heads)))
    rows.append(("all", _cells(total, heads)))
    lines = []
    for name, cells in rows:
        sized = (f"{cell:>{len(head)}}" for cell, head in zip(cells, rows[0][1], strict=True))
        lines.append("  ".join((f"{name:14}", *sized)))
    return "\n".join(lines)


def _cells(counts: Counter[str], heads: list[str]) -> list[str]:
    read = sum(counts[head] for head in heads)
    recovered = sum(counts[f"{grade} recovered"] for grade in GRADES)
    share = f"{recovered / read:.0%}" if read else "–"
    without = sum(counts[grade] for grade in GRADES)
    return [*(str(counts[head]) for head in heads), str(without), share]


def main() -> None:
    """Print the tables."""
    arguments = argparse.ArgumentParser(description="Score the parsers on outputs from the wild.")
    arguments.add_argument("path", nargs="?", type=Path, default=WILD, help="the .jsonl file")
    arguments.add_argument("--mode", choices=MODES, help="only this one")
    arguments.add_argument("--show", action="store_true", help="print what is not recovered")
    options = arguments.parse_args()
    if not options.path.is_file():
        arguments.error(f"there is no file {options.path}")
    cases = cases_in(options.path)
    for mode in [options.mode] if options.mode else MODES:
        print(table(count(cases, mode), mode), end="\n\n")
        for case in cases if options.show else ():
            if (found := outcome(case, mode)) not in ("", "recovered"):
                parser = parser_of(case["format"], tuple(case["tools"]), lenient=mode == "lenient")
                print(f"{found}: {case['id']} ({case['format']}, {case['consensus']})")
                print(f"  text:   {case.get('text', case.get('message'))!r}")
                print(f"  wanted: {case['expect']}")
                print(f"  read:   {outcome_of(parser, case)}")


if __name__ == "__main__":
    main()
