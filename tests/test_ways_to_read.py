"""A turn is read in three ways: the match, respelling and the stream. No fourth comes unseen."""

from __future__ import annotations

import ast
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[1] / "agent_parsers"
MAKERS = {
    "ActionComplete", "AgentAction", "AgentFinish", "Call", "Finish", "PlainStep", "PlainTurn",
    "Repair", "Respelt", "ToolAgentAction", "ToolHead", "Turn", "make_action", "make_finish",
    "make_tool_call", "turn_before_events", "turn_of",
}  # fmt: skip
"""What makes a turn, its result, a call or a repair."""
WAYS = {
    "match": ["engine/reading/matching"],
    "respelling": ["engine/reading/matching/respelling.py"],
    "stream": [
        "engine/reading/scanner.py", "engine/reading/stream.py", "engine/reading/turn.py",
        "engine/reading/collecting", "engine/reading/quoting", "engine/reading/rules",
        "engine/calls", "engine/repairs",
    ],
}  # fmt: skip
"""Where each of them is."""
WHERE_THEY_MEET = {"engine/whole.py": {"WholeReader.read"}}
OTHERS = {
    "actions": "makes actions for those who have their parts",
    "dialects": "readers of names, inputs and calls that tables have, and which a stream asks",
    "engine/writing": "examples of calls, to be written",
    "loop": "makes the answer that a call gives, once it was read",
    "events.py": "the notice that an answer was cut",
    "messages": "reads messages of clients, whose calls are data",
    "react_json_single_input.py": "LangChain's reading of a text that it searches for JSON",
}
"""What else makes such a thing, not from the text of a turn, or for another format."""


def makers_in(tree: ast.AST, within: tuple[str, ...] = ()) -> Iterator[tuple[str, str]]:
    """Yield the functions in which something is made, and what makes it."""
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from makers_in(node, (*within, node.name))
            continue
        if isinstance(node, ast.Call):
            made = (
                node.func.attr if isinstance(node.func, ast.Attribute) else ast.unparse(node.func)
            )
            if made in MAKERS:
                yield ".".join(within), made
        yield from makers_in(node, within)


def is_in(path: str, places: Iterator[str] | list[str]) -> bool:
    return any(path == place or path.startswith(f"{place}/") for place in places)


def strangers(files: dict[str, str]) -> set[tuple[str, str]]:
    """Return the functions in *files* that make something in none of the three ways."""
    known = [place for places in WAYS.values() for place in places]
    return {
        (path, function)
        for path, code in files.items()
        if not is_in(path, [*known, *OTHERS])
        for function, _ in makers_in(ast.parse(code))
        if function not in WHERE_THEY_MEET.get(path, ())
    }


FILES = {path.relative_to(ROOT).as_posix(): path.read_text("utf-8") for path in ROOT.rglob("*.py")}


def test_a_turn_is_read_in_three_ways() -> None:
    assert not strangers(FILES)


def test_each_place_is_needed() -> None:
    for place in [place for places in WAYS.values() for place in places] + [*OTHERS]:
        made = [each for path in FILES if is_in(path, [place]) for each in found(path)]
        assert made or place == "engine/reading/stream.py", place
    for path, functions in WHERE_THEY_MEET.items():
        assert functions <= found(path)


def found(path: str) -> set[str]:
    return {function for function, _ in makers_in(ast.parse(FILES[path]))}


@pytest.mark.parametrize(
    ("path", "code"),
    [
        ("engine/odd_steps.py", "def result(text):\n    return make_action('a', text, text)"),
        (
            "engine/whole.py",
            "class Quick:\n    def read(self, text):\n        return turn_of(text)",
        ),
        ("parsers/quick.py", "def fix(text):\n    return [events.Repair('x', (0, 1), text)]"),
    ],
)
def test_another_way_is_seen(path: str, code: str) -> None:
    assert {where for where, _ in strangers({path: code})} == {path}


MOST_LINES = 23_702
"""How many lines the engine and what it reads with may have; it only becomes less.

The list of signs, which a program writes, is not counted.
"""


def test_the_engine_does_not_grow() -> None:
    rooms = ["engine", "families", "forms", "foreign", "detecting"]
    counted = (path for path in FILES if is_in(path, rooms) and path != "detecting/shipped.py")
    lines = sum(FILES[path].count("\n") for path in counted)
    assert lines <= MOST_LINES, "replace, don't add"
