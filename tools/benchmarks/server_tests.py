"""Scores parsers of calls on texts from the tests of servers, whose answers are the tests' own.

``python -m tools.benchmarks.server_tests FILE … --parser vllm`` prints a row of a table. A line of
a FILE is an object: ``dialect`` (the name of a server's parser, or of a dialect), ``text``,
``tools``, ``start``, ``expected`` (``calls``, ``reasoning``), ``checks`` (what of the calls counts)
and ``source``. The files are no part of this project: the texts belong to the servers. Texts that
begin in a thought, or have one, are left out, since most parsers of calls get what follows it.

For servers see `tools.conformance`; for mlx-lm and SMG see `_other_parsers`.
"""

from __future__ import annotations

import argparse
import json
import logging
from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_parsers import get_dialect
from tools.benchmarks._other_parsers import Mlx, Smg
from tools.conformance.adapters import ADAPTERS, SGLANG_NAMES, VLLM_NAMES
from tools.conformance.vectors import Got, Vector

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PARSERS = ("ours", "vllm", "sglang", "mlx-lm", "smg")
OUTCOMES = ("as expected", "none", "other", "error")


def main() -> None:
    """Print the row of one parser: on all texts, and on those that are not from its own tests."""
    parser = argparse.ArgumentParser(prog="python -m tools.benchmarks.server_tests")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--parser", choices=PARSERS, default="ours")
    asked = parser.parse_args()
    logging.disable(logging.CRITICAL)  # servers log each error that they catch
    about, names, calls = driven(asked.parser)
    every: Counter[str] = Counter()
    of_others: Counter[str] = Counter()
    for dialect, vector in vectors(asked.files):
        if names is not None and dialect not in names:
            continue
        result = outcome(calls, dialect, vector)
        every[result] += 1
        of_others[result] += not vector["source"].startswith(asked.parser)
    cells = " | ".join(str(every[each]) for each in OUTCOMES)
    others = f"{of_others[OUTCOMES[0]]} / {of_others.total()}"
    print(f"| {about} | {every.total()} | {cells} | {others} |")


def driven(name: str) -> tuple[str, Any, Callable[[str, dict[str, Any]], list[Any]]]:
    """Return what a parser is, the dialects that it reads, and what gives the calls of a text."""
    if name in ("mlx-lm", "smg"):
        other = Mlx() if name == "mlx-lm" else Smg()
        return other.about, other.NAMES, lambda d, v: other.calls(d, v["text"], v["tools"] or [])
    adapter: Any = ADAPTERS[name]()
    names = {"vllm": VLLM_NAMES, "sglang": SGLANG_NAMES}.get(name)

    def calls(dialect: str, vector: dict[str, Any]) -> list[Any]:
        tools = vector["tools"] or []
        text = Vector(f"{dialect}/1", "", "strict", vector["text"], [], tools=tools, want=Got())
        return adapter.whole(text).calls

    return adapter.about, names, calls


def vectors(files: list[Path]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the texts that count, each with its dialect; those of no dialect are left out."""
    for file in files:
        for line in file.read_text("utf-8").splitlines():
            vector = json.loads(line)
            expected = vector["expected"]
            if vector["start"] == "reasoning" or expected["reasoning"]:
                continue
            try:
                yield get_dialect(vector["dialect"]).name, vector
            except ValueError:
                continue


def outcome(
    calls: Callable[[str, dict[str, Any]], list[Any]], dialect: str, vector: dict[str, Any]
) -> str:
    """Return which of `OUTCOMES` the calls are that a parser reads."""
    try:
        found = calls(dialect, vector)
    except Exception:  # noqa: BLE001 - parsers raise whatever they like
        return "as expected" if not vector["expected"]["calls"] else "error"
    if agree(found, vector["expected"]["calls"], vector["checks"]):
        return "as expected"
    return "other" if found else "none"


def agree(found: list[Any], wanted: list[Any], checks: dict[str, Any]) -> bool:
    """Return whether the calls are those that a test wants, as far as it *checks* them."""
    if len(found) < len(wanted) or (checks["count"] and len(found) != len(wanted)):
        return False
    for number, (call, want) in enumerate(zip(found, wanted, strict=False)):
        if checks["names"] and call["name"] != want["name"]:
            return False
        keys = checks["args"]
        if isinstance(keys, dict):
            own = keys.get(str(number), [])
            got, ours = call["arguments"], want["arguments"]
            if any(_plain(got.get(key)) != _plain(ours.get(key)) for key in own):
                return False
        elif keys == "exact" and _plain(call["arguments"]) != _plain(want["arguments"]):
            return False
    return True


def _plain(value: Any) -> str:
    """Return a text that is the same for equal JSON; ``42.0`` is ``42``, and ``true`` is not 1."""
    whole = json.loads(json.dumps(value, default=repr), parse_float=_number)
    return json.dumps(whole, sort_keys=True)


def _number(text: str) -> float | int:
    number = float(text)
    return int(number) if number.is_integer() else number


if __name__ == "__main__":
    main()
