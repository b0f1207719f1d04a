"""Tools as people list them in a text."""

import json

import pytest

from agent_parsers.toolset.listed import listed_tools

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
