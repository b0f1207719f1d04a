"""Strategies for tool sets with schemas, valid inputs, and replies with other inputs."""

import json
from functools import cache
from typing import Any

from hypothesis import strategies as st

from agent_laws import texts
from agent_laws.trials.pieces import a_tool
from agent_laws.trials.stories import Outcome, results_in
from agent_laws.trials.strategies import damaged, marks, noise, plain
from agent_parsers import AgentAction, Dialect, ToolSet
from agent_parsers.authoring import Written
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.parsers.dialect_parser import dialect_parser

WORD = plain()
PARTS: dict[str, tuple[dict[str, Any], st.SearchStrategy[Any]]] = {
    "query": ({"type": "string"}, WORD | st.sampled_from(["007", "5", "true", "null", "1.0"])),
    "limit": ({"type": "integer", "minimum": 1}, st.integers(1, 99)),
    "ratio": ({"type": ["number", "null"]}, st.sampled_from([0.5, -2, 1e30, None])),
    "flag": ({"type": "boolean"}, st.booleans()),
    "unit": ({"enum": ["km", "mi", 5]}, st.sampled_from(["km", "mi", 5])),
    "tags": ({"type": "array", "items": {"type": "string"}}, st.lists(WORD, max_size=3)),
    "where": (
        {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]},
        WORD.map(lambda city: {"city": city}),
    ),
}
"""Parameters by name, each with a schema and values that fit."""

JUNK = ["many", "", "-1", 2.5, None, True, [], ["a", 1], {}, {"city": 5}, "[1", "{'city': 1}", 0]
"""Values that fit only a few of the schemas."""


@st.composite
def schemas(draw: st.DrawFn) -> dict[str, Any]:
    names = draw(st.lists(st.sampled_from(sorted(PARTS)), unique=True, max_size=3))
    needed = [name for name in names if draw(st.booleans())]
    parts = {name: PARTS[name][0] for name in names}
    return {"type": "object", "properties": parts, "required": needed}


@st.composite
def tool_sets(draw: st.DrawFn, dialect: Dialect) -> ToolSet:
    """Draw tools, most with schemas; one has the name used in the sample of the dialect."""
    tools: list[Any] = [
        {"name": name, "parameters": draw(schemas())} if draw(st.integers(0, 3)) else name
        for name in dict.fromkeys((a_tool(dialect), "look_up", "word"))
    ]
    return ToolSet(
        tools,
        unknown_keys=draw(st.sampled_from(["forbid", "drop", "keep"])),
        missing_keys=draw(st.sampled_from(["forbid", "keep"])),
        extra_text=draw(st.sampled_from(["forbid", "drop", "keep"])),
    )


@st.composite
def arguments(draw: st.DrawFn, tools: ToolSet, name: str) -> dict[str, Any]:
    """Draw a valid input for the tool *name*."""
    schema = tools[name].parameters or {"properties": {}, "required": []}
    return {
        key: draw(PARTS[key][1])
        for key in schema["properties"]
        if key in schema["required"] or draw(st.booleans())
    }


@st.composite
def replies(draw: st.DrawFn, dialect: Dialect, mode: Mode, tools: ToolSet) -> str:
    """Draw a turn with a valid or an invalid call, or any text."""
    if not draw(st.integers(0, 3)):
        return draw(texts(dialect, mode))
    name = draw(st.sampled_from([*tools.names, *tools.names, "Look-Up", "wordy"]))
    value: Any = draw(arguments(tools, tools.find(name) or tools.names[0]))
    for _ in range(draw(st.integers(0, 2))):
        value[draw(st.sampled_from([*PARTS, "limits"]))] = draw(st.sampled_from(JUNK))
    if draw(st.booleans()):
        value = {key: v if isinstance(v, str) else json.dumps(v) for key, v in value.items()}
    if not takes_objects(dialect) or not (dialect.several or draw(st.integers(0, 2))):
        value = draw(WORD) if not draw(st.integers(0, 3)) else json.dumps(value)
    text = dialect.write(Written("", name, value))
    if draw(st.booleans()):
        return text
    return draw(damaged([text], marks(dialect) | noise()))


def actions_in(outcome: Outcome) -> list[AgentAction]:
    """Return the actions in *outcome*."""
    return [result for result in results_in(outcome) if isinstance(result, AgentAction)]


@cache
def takes_objects(dialect: Dialect) -> bool:
    """Return whether *dialect* can write an object as the input of a tool."""
    text = dialect.write(Written("", a_tool(dialect), {"q": "x"}))
    inputs = [action.tool_input for action in actions_in(dialect_parser(dialect).parse(text))]
    return inputs == [{"q": "x"}]
