"""Tools read from every form, and exported again."""

import asyncio
import copy
import pickle
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Annotated, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.tools import InjectedToolArg, StructuredTool, Tool
from langchain_core.tools import tool as langchain_tool
from pydantic import BaseModel, Field
from pydantic.v1 import BaseModel as V1Model
from typing_extensions import TypedDict

from agent_parsers import AgentAction
from agent_parsers.toolset import ToolSet, ToolSpec

PARAMETERS: dict[str, Any] = {
    "type": "object",
    "properties": {
        "query": {"type": "string", "description": "What."},
        "limit": {"type": "integer"},
    },
    "required": ["query"],
}
SEARCH = ToolSpec("search", "Looks up.", PARAMETERS)


def search(query: str, limit: int = 5) -> str:
    """Looks up."""
    return query * limit


class Search(BaseModel):
    """Looks up."""

    query: str
    limit: int = 5


class OldSearch(V1Model):
    """Looks up."""

    query: str
    limit: int = 5


@dataclass
class DataSearch:
    """Looks up."""

    query: str
    limit: int = 5


class TypedSearch(TypedDict):
    """Looks up."""

    query: str
    limit: int


@langchain_tool
def chain_search(query: str, limit: int = 5, who: Annotated[str, InjectedToolArg] = "") -> str:
    """Looks up."""
    return query * limit


class Listing:
    """As MCP's client returns it."""

    def __init__(self, tools: list[Any]) -> None:
        self.tools = tools
        self.nextCursor = None


MCP = {"name": "search", "description": "Looks up.", "inputSchema": PARAMETERS}
SAME = {
    "spec": [SEARCH],
    "OpenAI tool": [
        {
            "type": "function",
            "function": {"name": "search", "description": "Looks up.", "parameters": PARAMETERS},
        }
    ],
    "OpenAI function": [
        {"name": "search", "description": "Looks up.", "parameters": PARAMETERS}
    ],
    "OpenAI, flat": [
        {"type": "function", "name": "search", "description": "Looks up.", "parameters": PARAMETERS}
    ],
    "Anthropic": [{"name": "search", "description": "Looks up.", "input_schema": PARAMETERS}],
    "MCP listing": {"tools": [MCP], "nextCursor": None},
    "MCP list": [MCP],
    "MCP object": [SimpleNamespace(**MCP)],
    "MCP listing as an object": Listing([SimpleNamespace(**MCP)]),
    "JSON Schema": [{"title": "search", "description": "Looks up.", **PARAMETERS}],
    "JSON Schema by name": {"search": {"description": "Looks up.", **PARAMETERS}},
    "a set": ToolSet([SEARCH]),
    "an iterator": iter([SEARCH]),
}  # fmt: skip
MADE = {
    "function": (search, "search"),
    "model": (Search, "Search"),
    "model of old": (OldSearch, "OldSearch"),
    "dataclass": (DataSearch, "DataSearch"),
    "typed dictionary": (TypedSearch, "TypedSearch"),
    "LangChain": (chain_search, "chain_search"),
}


@pytest.mark.parametrize("tools", SAME.values(), ids=SAME)
def test_the_same_tool_is_the_same_in_every_form(tools: Any) -> None:
    assert list(ToolSet(tools)) == [SEARCH]


@pytest.mark.parametrize(("tool", "name"), MADE.values(), ids=MADE)
def test_python_says_what_a_tool_takes(tool: Any, name: str) -> None:
    (spec,) = ToolSet([tool])
    assert (spec.name, spec.description) == (name, "Looks up.")
    assert spec.parameters is not None
    assert list(spec.parameters["properties"]) == ["query", "limit"]
    assert spec.parameters["properties"]["query"]["type"] == "string"
    tools = ToolSet([tool])
    assert tools.check(name, {"query": "007", "limit": "3"}) == {"query": "007", "limit": 3}


def test_names_alone_take_anything() -> None:
    tools = ToolSet({"a": "does a", "b": ""})
    assert list(tools) == [ToolSpec("a", "does a"), ToolSpec("b")]
    assert list(ToolSet(["a"])) == [ToolSpec("a")]
    assert tools.check("a", "text") == "text"
    value = {"x": [1]}
    assert tools.check("b", value) is value


def test_a_tool_by_name_has_that_name() -> None:
    tools = ToolSet({"find": search, "book": Search})
    assert tools.names == ("find", "book")
    assert tools.call(AgentAction("find", {"query": "x", "limit": 2}, "")) == "xx"


def test_a_title_in_the_config_is_the_name() -> None:
    class Lookup(BaseModel, title="search"):
        query: str

    assert ToolSet([Lookup]).names == ("search",)


def test_docstrings_of_classes_describe_their_fields() -> None:
    class Lookup(BaseModel):
        """Looks up.

        Attributes:
            query: What to look for.
            limit: How many.
        """

        query: str
        limit: int = Field(5, description="said already")

    (spec,) = ToolSet([Lookup])
    assert spec.description == "Looks up."
    assert spec.parameters is not None
    said = {key: part["description"] for key, part in spec.parameters["properties"].items()}
    assert said == {"query": "What to look for.", "limit": "said already"}


def test_a_tool_of_langchain_with_one_input_takes_anything() -> None:
    tools = ToolSet([Tool(name="a", description="d", func=str.upper)])
    assert tools["a"].parameters is None
    assert tools.call(AgentAction("a", "text", "")) == "TEXT"


def test_a_tool_of_langchain_may_have_a_json_schema() -> None:
    tool = StructuredTool(
        name="search", description="Looks up.", args_schema=PARAMETERS, func=search
    )
    assert list(ToolSet([tool])) == [SEARCH]


# -- out again -----------------------------------------------------------------------------------


def test_the_forms_of_providers() -> None:
    tools = ToolSet([SEARCH, "plain", ToolSpec("now", parameters={"type": "object"}, strict=True)])
    assert tools.openai_functions() == [
        {"name": "search", "description": "Looks up.", "parameters": PARAMETERS},
        {"name": "plain"},
        {"name": "now", "parameters": {"type": "object"}, "strict": True},
    ]
    assert tools.openai_tools() == [
        {"type": "function", "function": function} for function in tools.openai_functions()
    ]
    assert tools.openai_response_tools() == [
        {"type": "function", "parameters": None, "strict": False, **function}
        for function in tools.openai_functions()
    ]
    assert tools.anthropic_tools() == [
        {"name": "search", "description": "Looks up.", "input_schema": PARAMETERS},
        {"name": "plain", "input_schema": {"type": "object"}},
        {"name": "now", "input_schema": {"type": "object"}},
    ]
    assert tools.json_schemas() == [
        {"title": "search", "description": "Looks up.", **PARAMETERS},
        {"title": "plain", "type": "object"},
        {"title": "now", "type": "object"},
    ]


names = st.from_regex(r"[a-z_]{1,12}", fullmatch=True)
parts = st.sampled_from(
    [{"type": "string"}, {"type": "integer", "minimum": 1}, {"enum": ["a", "b"]}, {}, True]
)
functions = st.fixed_dictionaries(
    {"name": names},
    optional={
        "description": st.text(min_size=1),
        "parameters": st.fixed_dictionaries(
            {"type": st.just("object"), "properties": st.dictionaries(names, parts)},
            optional={"additionalProperties": st.booleans(), "$schema": st.just("x")},
        ),
        "strict": st.booleans(),
    },
)
lists = st.lists(functions, unique_by=lambda function: function["name"], max_size=4)


@given(functions=lists)
def test_openai_to_openai_and_back_is_the_same(functions: list[dict[str, Any]]) -> None:
    tools = [{"type": "function", "function": function} for function in functions]
    assert ToolSet(tools).openai_tools() == tools
    assert ToolSet(functions).openai_functions() == functions


@given(functions=lists)
def test_what_goes_out_comes_in_again(functions: list[dict[str, Any]]) -> None:
    tools = ToolSet([function for function in functions if "parameters" in function])
    plain = [(spec.name, spec.description, spec.parameters) for spec in tools]
    for out in (tools.anthropic_tools(), tools.openai_tools(), tools.json_schemas()):
        assert [(s.name, s.description, s.parameters) for s in ToolSet(out)] == plain


def test_what_went_out_is_the_callers() -> None:
    tools = ToolSet([SEARCH])
    tools.openai_tools()[0]["function"]["parameters"].clear()
    tools.anthropic_tools()[0]["input_schema"]["properties"].clear()
    tools.json_schemas()[0]["properties"].clear()
    assert list(tools) == [SEARCH]


def test_what_came_in_is_the_callers() -> None:
    parameters = copy.deepcopy(PARAMETERS)
    tools = ToolSet([{"name": "search", "description": "Looks up.", "parameters": parameters}])
    parameters["properties"].clear()
    assert list(tools) == [SEARCH]


def test_text_for_prompts() -> None:
    def book(
        where: str,
        kind: Annotated[str | None, "Which one."] = None,
        stars: tuple[int, ...] = (),
        point: DataSearch | None = None,
        order: Literal["up", "down"] = "up",
        tree: list[list[list[list[list[int]]]]] = [],  # noqa: B006 - a default as any other
    ) -> None:
        """Books a room.

        Not a table.

        Args:
            where: In which
                town.
        """

    tools = ToolSet(["plain", SEARCH, book])
    assert tools.describe() == (
        "plain\n"
        "search(query: string, limit: integer = …): Looks up.\n"
        "    query: What.\n"
        "book(where: string, kind: string | null = null, stars: array[integer] = [],"
        " point: {query: string, limit?: integer} | null = null,"
        ' order: "up" | "down" = "up",'
        " tree: array[array[array[array[array]]]] = []): Books a room.\n"
        "    Not a table.\n"
        "    where: In which town.\n"
        "    kind: Which one."
    )


# -- as a collection -----------------------------------------------------------------------------


def test_it_is_a_collection() -> None:
    tools = ToolSet([SEARCH, "plain"])
    assert tools.names == ("search", "plain")
    assert "search" in tools
    assert "Search" not in tools
    assert len(tools) == 2
    assert tools["search"] == SEARCH
    assert [tool.name for tool in tools] == ["search", "plain"]
    assert repr(tools) == "ToolSet(['search', 'plain'])"
    assert tools == ToolSet(iter(tools))
    assert tools != ToolSet(tools, unknown_keys="keep")
    assert tools != 1
    assert hash(tools) == hash(ToolSet(tools))
    assert not ToolSet()
    with pytest.raises(KeyError):
        tools["other"]


def test_it_can_be_copied_and_sent() -> None:
    tools = ToolSet([search, Search], unknown_keys="drop")
    tools.check("search", "x")
    for other in (copy.copy(tools), copy.deepcopy(tools), pickle.loads(pickle.dumps(tools))):
        assert other == tools
        assert other.check("search", {"query": "x", "zz": 1}) == {"query": "x"}


# -- invalid tools -------------------------------------------------------------------------------


def _unknown(x: "Nowhere") -> None:  # type: ignore[name-defined]  # noqa: F821 - the point
    pass


def _odd(x: int, y: memoryview) -> None:
    pass


@pytest.mark.parametrize(
    ("function", "reason"),
    [
        (_unknown, "the type hints of _unknown cannot be resolved: name 'Nowhere' is not defined"),
        (_odd, "the parameter y of _odd has no JSON Schema: "),
    ],
)
def test_hints_without_a_schema_are_a_mistake_of_the_caller(function: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        ToolSet([function])


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ("search", "pass tools as a list of names, not as the string 'search'"),
        (1, "^pass tools in a list, not as int$"),
            (print, r"^pass tools in a list, as in \[print\]$"),
        ([1], "^a tool must be a name, a function .*, not int$"),
        ([lambda x: x], "^a tool must be a name, a function .*, not a lambda: give it a name"),
        ([{}], "a dictionary for a tool needs a name and parameters"),
        ([{"query": "x"}], "this one has the keys query"),
        (SAME["OpenAI tool"][0], "pass tools in a list, even a single one"),  # type: ignore[index]
        (MCP, "pass tools in a list, even a single one"),
        ([{"name": "a", "parameters": "x"}], "the parameters of a must be a JSON Schema, not 'x'"),
        ([{"name": "a", "parameters": [1]}], "the parameters of a must be a JSON Schema"),
        ([{"name": "a", "description": 1}], "the description of a tool must be a string, not 1"),
        ({1: "x"}, "the name of a tool must be a string, not 1"),
    ],
)  # fmt: skip
def test_anything_else_as_a_tool_is_a_mistake_of_the_caller(tools: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        ToolSet(tools)


@pytest.mark.parametrize(
    ("parameters", "reason"),
    [
        ({"type": "string"}, " must have the type .object., not 'string'"),
        ({"type": "text"}, "#/type: expected one or more of null, .*, not 'text'"),
        ({"type": []}, "#/type: expected one"),
        ({"properties": {"x": 1}}, "/x: a schema must be an object or a boolean, not 1"),
        ({"properties": []}, "#/properties: expected an object with schemas as values"),
        ({"required": "x"}, "#/required: expected a list of names, not 'x'"),
        ({"anyOf": []}, "#/anyOf: expected a list of one or more schemas"),
        ({"properties": {"x": {"enum": "ab"}}}, "#/properties/x/enum: expected a list of values"),
        ({"properties": {"x": {"minimum": "1"}}}, "minimum: expected a number, not '1'"),
        ({"properties": {"x": {"maxLength": -1}}}, "expected a whole number that is not negative"),
        ({"properties": {"x": {"multipleOf": 0}}}, "multipleOf: expected a number above 0"),
        ({"properties": {"x": {"pattern": "("}}}, "#/properties/x: '\\(' is not a regular"),
        ({"properties": {"x": {"pattern": "((a{999}){999}){999}"}}}, "the nested repetitions"),
        ({"properties": {"x": {"$ref": "#/$defs/X"}}}, "there is no '#/\\$defs/X' in the schema"),
        ({"properties": {"x": {"$ref": "other.json"}}}, "only references within the schema"),
        ({"properties": {"x": {"$ref": "#/required"}}, "required": []}, "is not a schema"),
        ({"$ref": "#"}, "refers to itself without an object or a list"),
        (
            {"$defs": {"A": {"anyOf": [{"$ref": "#/$defs/A"}, True]}}, "$ref": "#/$defs/A"},
            "refers to itself without an object or a list",
        ),
    ],
)  # fmt: skip
def test_anything_else_as_a_schema_is_a_mistake_of_the_caller(parameters: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^the parameters of a.*{reason}"):
        ToolSpec("a", "", parameters)


def test_deep_schemas_are_refused() -> None:
    nested: dict[str, Any] = {}
    for _ in range(100_000):
        nested = {"items": nested}
    with pytest.raises(ValueError, match="the schema is nested deeper than 100 levels"):
        ToolSpec("a", "", {"properties": {"x": nested}})
    links = {f"D{i}": {"$ref": f"#/$defs/D{i + 1}"} for i in range(1000)}
    with pytest.raises(
        ValueError, match="references in the schema are nested deeper than 100 levels"
    ):
        ToolSpec("a", "", {"$defs": links | {"D1000": {}}, "$ref": "#/$defs/D0"})
    deep: list[Any] = []
    for _ in range(100_000):
        deep = [deep]
    with pytest.raises(ValueError, match="the parameters of a are nested too deep"):
        ToolSpec("a", "", {"properties": {"x": {"default": deep}}})
    while deep:  # otherwise freeing it is one long recursion
        deep = deep[0]


@pytest.mark.parametrize(
    ("tools", "reason"),
    [
        ([""], "^a tool has an empty name$"),
        ({" ": "x"}, "^a tool has an empty name$"),
        (["a", "b", "a"], "^two tools have the name 'a': rename one of them$"),
        ([search, "search"], "^two tools have the name 'search': rename one of them$"),
        ([PARAMETERS], "^a JSON Schema for a tool needs a title, which is the name of the tool$"),
    ],
)
def test_names_are_unique_and_not_empty(tools: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        ToolSet(tools)


@pytest.mark.parametrize("policy", ["unknown_keys", "missing_keys", "extra_text"])
def test_a_policy_is_one_of_a_few(policy: str) -> None:
    with pytest.raises(ValueError, match=f"^{policy} must be one of .*, not 'ignore'$"):
        ToolSet(["a"], **{policy: "ignore"})  # type: ignore[arg-type]


# -- running them --------------------------------------------------------------------------------


def test_tools_run() -> None:
    tools = ToolSet([search, Search, OldSearch, DataSearch, TypedSearch, chain_search, "plain"])
    value = {"query": "ab", "limit": "2"}
    assert tools.call(AgentAction("search", value, "")) == "abab"
    assert tools.call(AgentAction("Search", value, "")) == Search(query="ab", limit=2)
    assert tools.call(AgentAction("OldSearch", value, "")) == OldSearch(query="ab", limit=2)
    assert tools.call(AgentAction("DataSearch", value, "")) == DataSearch("ab", 2)
    assert tools.call(AgentAction("TypedSearch", value, "")) == {"query": "ab", "limit": 2}
    assert tools.call(AgentAction("chain_search", value, "")) == "abab"
    assert tools.call(AgentAction("search", "ab", "")) == "ababababab"
    with pytest.raises(TypeError, match="the tool 'plain' cannot be run: declare it as a function"):
        tools.call(AgentAction("plain", "x", ""))


def test_tools_run_while_others_do() -> None:
    async def slow(query: str) -> str:
        """Takes its time."""
        await asyncio.sleep(0)
        return query.upper()

    tools = ToolSet([search, slow, chain_search])

    async def run() -> list[Any]:
        actions = [AgentAction(name, "ab", "") for name in tools.names]
        return [await tools.acall(action) for action in actions]

    assert asyncio.run(run()) == ["ab" * 5, "AB", "ab" * 5]


# -- Gemini and pydantic-ai ------------------------------------------------------------------------

DECLARED = {
    "name": "book",
    "description": "Books a room.",
    "parameters": {
        "type": "OBJECT",
        "properties": {
            "place": {"type": "STRING", "nullable": True},
            "nights": {"type": "ARRAY", "items": {"type": "INTEGER"}},
            "type": {"type": "STRING", "enum": ["STRING", "OBJECT"]},
        },
        "required": ["place"],
    },
}


@pytest.mark.parametrize("key", ["function_declarations", "functionDeclarations"])
def test_the_lists_of_gemini_are_tools(key: str) -> None:
    tools = ToolSet([{key: [DECLARED, {"name": "clock"}]}, "search"])
    assert tools.names == ("book", "clock", "search")
    book, clock, _ = tools
    assert book.parameters == {
        "type": "object",
        "properties": {
            "place": {"type": ["string", "null"]},
            "nights": {"type": "array", "items": {"type": "integer"}},
            "type": {"type": "string", "enum": ["STRING", "OBJECT"]},
        },
        "required": ["place"],
    }
    assert book.description == "Books a room."
    assert clock.parameters == {"type": "object", "properties": {}}
    assert tools.check("book", {"place": None, "nights": ["3"]}) == {"place": None, "nights": [3]}
    with pytest.raises(TypeError, match="pass tools in a list, even a single one"):
        ToolSet({key: [DECLARED]})


class Declared(BaseModel):
    """As the client of Gemini declares tools."""

    function_declarations: list[dict[str, Any]]


def test_an_object_with_a_list_of_gemini_is_taken() -> None:
    assert ToolSet([Declared(function_declarations=[DECLARED])]).names == ("book",)


class FunctionTool:
    """As pydantic-ai declares tools."""

    def __init__(self, function: Any, name: str, description: str | None = None) -> None:
        self.function, self.name, self.description = function, name, description


def test_an_object_with_a_name_and_a_function_is_that_function() -> None:
    def look_up(query: str) -> str:
        """Looks something up."""
        return f"found {query}"

    tools = ToolSet([FunctionTool(look_up, "search"), FunctionTool(look_up, "find", "Finds.")])
    assert [(spec.name, spec.description) for spec in tools] == [
        ("search", "Looks something up."),
        ("find", "Finds."),
    ]
    assert tools.call(AgentAction("find", "lakes")) == "found lakes"
