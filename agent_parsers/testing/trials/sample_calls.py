"""Deterministic turns with inputs that are hard to parse, and tools that take them."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.authoring import Written, WrittenCall
from agent_parsers.testing.trials.calls_meant import Meant, calls_in, reading
from agent_parsers.testing.trials.pieces import a_tool, sample_action
from agent_parsers.toolset import ToolSet, ToolSpec

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers import Dialect

__all__ = [
    "OBJECTS",
    "TEXTS",
    "SampleTurn",
    "foreign_turns",
    "sample_turns",
    "tool_sets",
    "usual_turn",
    "written_turn",
]

OBJECTS: Final[tuple[dict[str, Any], ...]] = (
    {"path": "/a", "dry_run": True},
    {},
    {"to": "A", "amount": 120, "rate": 0.25, "is_test": False, "note": None},
    {
        "via": ["Olten", "Thun"],
        "options": {"deep": {"a": [1, {"b": "c"}], "e": {}}, "z": []},
        "last": -7,
    },
    {"body": 'say "hi", {ok} [x] </p> `b` \\ \n- two }\n]', "end": '"}]'},
    {"n": 10, "m": 1000},
)
"""Inputs with values of every JSON type."""
TEXTS: Final = (
    "oldest bridge in Bern",
    "120",
    "print(a[0], {b: 'c'})",
    '{"path": "/a", "dry_run": true}',
)
"""Inputs that are text."""
_TOOLS: Final = ("transfer", "ping", "save")


class SampleTurn(NamedTuple):
    """A turn that the dialect writes."""

    text: str
    """The text of the turn."""
    calls: tuple[WrittenCall, ...]
    """The calls in it."""


@cache
def sample_turns(dialect: Dialect) -> tuple[SampleTurn, ...]:
    """Return turns of one and of several calls, with and without thoughts and content.

    Turns that the dialect cannot write are left out.
    """
    found = (written_turn(dialect, *asked) for asked in _asked(dialect))
    return tuple(turn for turn in found if turn is not None)


def _asked(dialect: Dialect) -> Iterator[tuple[Any, ...]]:
    for tool_input in (*TEXTS, *OBJECTS):
        yield (tool_input,)
    yield TEXTS[0], "I look it up.", "One moment."
    yield OBJECTS[0], "I look it up.", "One moment."
    yield OBJECTS[2], "", "One moment."
    if dialect.several:
        yield OBJECTS[0], "", "", OBJECTS[2]
        yield {}, "I look it up.", "", OBJECTS[3], {}
        own = written_turn(dialect, {"query": "lakes"})
        if own is not None:  # a value that quotes a call
            yield {"body": f"Write {own.text} here", "to": "A"}, "", ""


def written_turn(
    dialect: Dialect,
    tool_input: str | dict[str, Any],
    thought: str = "",
    content: str = "",
    *others: dict[str, Any],
) -> SampleTurn | None:
    """Return a turn with calls for *tool_input* and *others*, or `None` if it cannot be written.

    Content is left out if the dialect has no content next to calls.
    """
    first, *more = _TOOLS if a_tool(dialect) == "search" else [a_tool(dialect)] * len(_TOOLS)
    calls = (WrittenCall(first, tool_input), *map(WrittenCall, more, others))
    step = Written(
        thought if dialect.thinks else "",
        first,
        tool_input,
        content=content if dialect.several else "",
        others=calls[1:],
    )
    try:
        text = dialect.write(step)
    except ValueError:
        return None
    read = calls_in(reading(dialect, "strict", text, ended="stop"))
    if [call.tool for call in read] != [call.tool for call in calls]:
        return None
    for call, wanted in zip(read, calls, strict=True):
        if isinstance(wanted.tool_input, dict) is isinstance(call.tool_input, dict):
            if set(call.tool_input) != set(wanted.tool_input):
                return None
        elif isinstance(wanted.tool_input, str):
            return None
    return SampleTurn(text, calls)


def foreign_turns(dialect: Dialect) -> Iterator[tuple[SampleTurn, ToolSet, list[Meant]]]:
    """Yield turns of *dialect*, with tools that take its calls, and the calls as it reads them.

    Turns whose calls name no tool, such as code, are left out.
    """
    for turn in sample_turns(dialect):
        if any(call.tool not in turn.text for call in turn.calls):
            continue
        for tools in tool_sets(turn.calls)[2:]:
            meant = calls_in(reading(dialect, "lenient", turn.text, tools=tools, ended="stop"))
            if tools is not None and len(meant) == len(turn.calls):
                yield turn, tools, meant


def usual_turn(dialect: Dialect, word: str) -> SampleTurn:
    """Return a turn whose input is one *word*, in the usual type of the dialect."""
    is_text = isinstance(sample_action(dialect).tool_input, str)
    turn = written_turn(dialect, word if is_text else {"query": word})
    assert turn is not None, "a plain word can be written"
    return turn


def tool_sets(calls: tuple[WrittenCall, ...]) -> list[ToolSet | None]:
    """Return tool sets that a parser of these *calls* may have.

    These are `None`, names only, all parameters, and more parameters than the calls use.
    """
    names = dict.fromkeys(call.tool for call in calls)
    known = [
        ToolSet([ToolSpec(call.tool, "", _schema(call.tool_input, spare=spare)) for call in calls])
        for spare in (False, True)
        if len(names) == len(calls)
    ]
    return [None, ToolSet(list(names)), *known]


def _schema(tool_input: str | dict[str, Any], *, spare: bool) -> dict[str, Any]:
    """Return a schema of an input; if *spare*, its last parameter and another one are optional."""
    given = {"query": tool_input} if isinstance(tool_input, str) else tool_input
    properties = {key: _typed(value) for key, value in given.items()}
    required = list(properties)
    if spare and not isinstance(tool_input, str):
        required = required[:-1]
        properties["spare"] = {"type": "string"}
    return {
        "type": "object",
        "properties": properties,
        "required": required,
        "additionalProperties": False,
    }


def _typed(value: Any) -> dict[str, Any]:
    """Return the schema of a *value*; for null, a string is allowed as well."""
    if value is None:
        return {"type": ["string", "null"]}
    if isinstance(value, list):
        return {"type": "array"}
    names = {bool: "boolean", int: "integer", float: "number", str: "string", dict: "object"}
    return {"type": names[type(value)]}
