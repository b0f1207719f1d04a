"""Tools in the forms in which users declare them."""

import asyncio
import json
from typing import Any, ClassVar

import pytest
from langchain_core.tools import tool as langchain_tool

from agent_parsers import AgentAction, ToolInputError, get_parser
from agent_parsers.toolset import ToolSet, ToolSpec
from agent_parsers.toolset.listed import listed_tools


def search(query: str) -> str:
    """Look up a name.

    In the encyclopedia.
    """
    return query


def clock() -> str:
    return "12:00"


@langchain_tool
def calculate(formula: str) -> str:
    """Work out a formula."""
    return formula


class Named:
    def __init__(self, name: object, description: object = None) -> None:
        self.name = name
        self.description = description


class Plain:
    name = "plain"


@pytest.mark.parametrize(
    ("tools", "read"),
    [
        ([], ()),
        (["search", "clock"], (ToolSpec("search"), ToolSpec("clock"))),
        (("search",), (ToolSpec("search"),)),
        (iter(["search"]), (ToolSpec("search"),)),
        ({"search": "looks up", "clock": ""}, (ToolSpec("search", "looks up"), ToolSpec("clock"))),
        ({"search": "looks up"}.keys(), (ToolSpec("search"),)),
        ([search], (ToolSpec("search", "Look up a name.\n\nIn the encyclopedia."),)),
        ([clock], (ToolSpec("clock"),)),
        ([calculate], (ToolSpec("calculate", "Work out a formula."),)),
        ([Named("a", "b")], (ToolSpec("a", "b"),)),
        ([Named("a")], (ToolSpec("a"),)),
        ([Named("a", 1)], (ToolSpec("a"),)),
        ([Plain()], (ToolSpec("plain"),)),
        ([Plain], (ToolSpec("plain"),)),
        ([ToolSpec("a", "b"), "c", clock], (ToolSpec("a", "b"), ToolSpec("c"), ToolSpec("clock"))),
    ],
)  # fmt: skip
def test_tools_are_read(tools: Any, read: tuple[ToolSpec, ...]) -> None:
    assert [(tool.name, tool.description) for tool in ToolSet(tools)] == [
        (tool.name, tool.description) for tool in read
    ]


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ("search", "pass tools as a list of names, not as the string 'search'"),
        ([1], "^a tool must be a name, a function .*, not int$"),
        ([Named(1)], "^a tool must be a name, a function .*, not Named$"),
        ([None], "^a tool must be a name, a function .*, not None$"),
        ([{"query": "x"}], "a dictionary for a tool needs a name and parameters"),
    ],
)
def test_anything_else_as_a_tool_is_a_mistake_of_the_caller(tools: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        ToolSet(tools)


@pytest.mark.parametrize("tools", [None, 1, 1.5])
def test_anything_else_as_a_list_is_a_mistake_of_the_caller(tools: Any) -> None:
    with pytest.raises(TypeError):
        ToolSet(tools)


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ([""], "^a tool has an empty name$"),
        ([" \n"], "^a tool has an empty name$"),
        ({"": "x"}, "^a tool has an empty name$"),
        (["a", "b", "a"], "^two tools have the name 'a': rename one of them$"),
        ([search, "search"], "^two tools have the name 'search': rename one of them$"),
    ],
)
def test_names_are_unique_and_not_empty(tools: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ToolSet(tools)


def test_a_turn_is_called_as_a_whole() -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        """Notes a text."""
        ran.append(text)
        return text.upper()

    tools = ToolSet([note])
    first, second = (AgentAction("note", {"text": text}, "") for text in "ab")
    assert tools.run([first, second]) == [(first, "A"), (second, "B")]
    assert tools.call(first) == "A"
    assert tools.run([]) == []
    wrong = AgentAction("note", {"text": 1, "more": 2}, "")
    ran.clear()
    with pytest.raises(ToolInputError):
        tools.run([first, wrong])
    assert not ran, "no tool runs if an input does not fit"
    answer = get_parser("react", tools=tools).read("Final Answer: 42")
    assert tools.run(answer) == []
    assert answer.output == "42"


def test_an_asynchronous_tool_is_awaited_or_refused() -> None:
    async def wait(text: str) -> str:
        """Waits."""
        return text

    tools = ToolSet([wait])
    action = AgentAction("wait", {"text": "a"}, "")
    with pytest.raises(TypeError, match=r"'wait' is asynchronous: use `await tools.acall"):
        tools.call(action)
    assert asyncio.run(tools.acall(action)) == "a"
    assert asyncio.run(tools.arun([action, action])) == [(action, "a"), (action, "a")]


def test_no_tool_of_a_turn_is_run_if_one_of_them_is_asynchronous() -> None:
    ran = []

    def note(text: str) -> None:
        ran.append(text)

    async def wait() -> None: ...

    turn = [AgentAction("note", {"text": "a"}, ""), AgentAction("wait", {}, "")]
    with pytest.raises(TypeError, match="'wait' is asynchronous"):
        ToolSet([note, wait]).run(turn)
    assert ran == []


# -- tools as people list them in a text -----------------------------------------------------------

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}}
SEARCH = {"name": "search", "parameters": SCHEMA}


@pytest.mark.parametrize("text", ["search, clock", "search\n\n clock ,", "search,clock"])
def test_names(text: str) -> None:
    assert listed_tools(text).names == ("search", "clock")


@pytest.mark.parametrize("data", [[SEARCH], {"tools": [SEARCH]}])
def test_json(data: object) -> None:
    tools = listed_tools(json.dumps(data))
    assert tools.names == ("search",)
    assert tools.check("search", {"query": "a"}) == {"query": "a"}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("[", "EOF while parsing"),
        ("[" * 100_000, "recursion limit"),
        ('{"tools": 3}', "expected a list of tools, found int"),
        ("a, a", "two tools"),
    ],
)
def test_what_is_no_list_of_tools(text: str, message: str) -> None:
    with pytest.raises((ValueError, TypeError), match=message):
        listed_tools(text)


class Both:
    """A tool that can be invoked in both ways, as LangChain's."""

    name, description, args_schema = "search", "Looks a question up.", None
    args: ClassVar = {"query": {"type": "string"}}

    def invoke(self, _value: Any) -> str:
        raise AssertionError("it blocks the loop")

    async def ainvoke(self, value: Any) -> str:
        await asyncio.sleep(0)
        return f"found {value['query']}"


def test_what_can_be_awaited_is_awaited_and_does_not_block() -> None:
    tools = ToolSet([Both()])
    assert asyncio.run(tools.acall(AgentAction("search", {"query": "lakes"}, ""))) == "found lakes"


@pytest.mark.parametrize(
    ("name", "near"),
    [
        ("calc", ("calculator",)),
        ("area_of_lake", ("lake_area",)),
        ("find_weather", ("getWeather",)),
        ("ca", ()),
        ("no_such_tool", ()),
    ],
)
def test_a_name_is_like_one_that_goes_on_from_it_or_shares_a_word(
    name: str, near: tuple[str, ...]
) -> None:
    tools = ToolSet(["calculator", "lake_area", "getWeather", "some_tool"])
    assert tools.unknown(name, "x").near == near


def test_an_input_suggests_a_tool_only_by_its_keys_and_among_others() -> None:
    def weigh(stone: str) -> str:
        """Weigh."""
        return ""

    def look(place: str) -> str:
        """Look."""
        return ""

    tools = ToolSet([weigh, look])
    assert tools.unknown("ponder", {"stone": "flint"}).near == ("weigh",)
    assert tools.unknown("ponder", "flint").near == ()
    assert ToolSet([weigh]).unknown("ponder", {"stone": "flint"}).near == ()
