"""How much is alive while a turn is read, and how much code that takes; both only become less.

A commit that raises one of these numbers says why.
"""

from __future__ import annotations

import subprocess
import sys
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import StreamParser, get_dialect

ROOMS = (
    "agent_parsers.engine.calls", "agent_parsers.engine.markers.mentions",
    "agent_parsers.engine.reading.collecting", "agent_parsers.engine.reading.quoting",
    "agent_parsers.engine.reading.scanner", "agent_parsers.engine.reading.stream",
    "agent_parsers.engine.stream_parser", "output_parsers.json_in_prose", "outputs.growing_json",
)  # fmt: skip
"""The modules whose objects change while a turn is read."""
FIXED = ("CallKeys", "JsonCallRules", "NextChars", "Setup", "TaggedForm", "_Style")
"""The classes in them whose objects do not, and belong to the dialect or to the parser."""
TURNS = {
    "hermes": 'Let me see.\n<tool_call>\n{"name": "search", "arguments": {"query": "Lake Th',
    "qwen3_coder": "<tool_call>\n<function=search>\n<parameter=query>\nLake Th",
    "pythonic": '[search(query="Lake Th',
    "react": "Thought: I look.\nAction: search\nAction Input: lak",
}
MOST_FIELDS = {"hermes": 208, "qwen3_coder": 164, "pythonic": 155, "react": 69}
MOST_KINDS = {"hermes": 14, "qwen3_coder": 10, "pythonic": 9, "react": 6}
"""Of how many classes they are."""
MOST_IMPORTED = {"hermes": 21_610, "react": 15_127}
"""How many lines of the library are imported when a turn of the dialect is read."""


def fields_of(found: object) -> dict[str, Any]:
    slots = (getattr(kind, "__slots__", ()) for kind in type(found).__mro__)
    names = [name for each in slots for name in ((each,) if isinstance(each, str) else each)]
    values = {name: getattr(found, name) for name in names if hasattr(found, name)}
    return {**values, **getattr(found, "__dict__", {})}


def alive_in(found: object) -> Counter[str]:
    """Return how many fields are alive in the objects of each class that *found* leads to."""
    seen: dict[int, object] = {}
    fields: Counter[str] = Counter()
    waiting = [found]
    while waiting:
        each = waiting.pop()
        if id(each) in seen:
            continue
        seen[id(each)] = each
        kind = type(each)
        if isinstance(each, list | tuple):
            waiting += each
        elif kind.__module__.startswith(ROOMS) and kind.__name__ not in FIXED:
            its = fields_of(each)
            fields[kind.__name__] += len(its)
            waiting += its.values()
    return fields


@pytest.mark.parametrize("turn", TURNS)
def test_no_more_is_alive_in_the_middle_of_a_call(turn: str) -> None:
    parser = StreamParser(get_dialect(turn))
    for char in TURNS[turn]:
        parser.feed(char)
    fields = alive_in(parser)
    assert fields.total() <= MOST_FIELDS[turn], fields
    assert len(fields) <= MOST_KINDS[turn], fields


@pytest.mark.parametrize("turn", MOST_IMPORTED)
def test_no_more_is_imported_to_read_a_turn(turn: str) -> None:
    code = (
        "import sys; from agent_parsers import StreamParser, get_dialect\n"
        f"stream = StreamParser(get_dialect({turn!r})); stream.feed({TURNS[turn]!r})\n"
        "print(*(m.__file__ for n, m in [*sys.modules.items()] if n.split('.')[0] in\n"
        " ('agent_parsers', 'outputs', 'output_parsers') and getattr(m, '__file__', None)))"
    )
    files = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    lines = sum(Path(file).read_text(encoding="utf-8").count("\n") for file in files)
    assert 0 < lines <= MOST_IMPORTED[turn], f"{lines} lines in {len(files)} files"
