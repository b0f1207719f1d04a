"""Schemas, strategies and bindings, compared with LangChain."""

import copy
import json
import pickle
from dataclasses import dataclass
from typing import Any, Optional, Union

import langchain.agents.structured_output as lc
import langchain_core.language_models as lc_models
import langchain_core.messages as lc_messages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain.agents import create_agent
from pydantic import BaseModel, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict

from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.strategies.schema import (
    OutputTool,
    OutputToolBinding,
    ProviderStrategyBinding,
    SchemaSpec,
)
from output_parsers.strategies.strategy import (
    AutoStrategy,
    ProviderStrategy,
    ResponseFormat,
    ToolStrategy,
)
from outputs import AIMessage


class Weather(BaseModel):
    """The weather at a place."""

    place: str = Field(description="Where.")
    celsius: float = Field(ge=-273.15)


class Bare(BaseModel):
    place: str


@dataclass
class Point:
    """A point."""

    x: int
    y: int = 0

    def __post_init__(self) -> None:
        if self.x == 13:
            raise KeyError("unlucky")


@dataclass
class Plain:
    x: int


class Person(TypedDict):
    """A person."""

    name: str


JSON_SCHEMA = {
    "title": "Answer",
    "description": "An answer.",
    "type": "object",
    "properties": {"text": {"type": "string"}},
}
SCHEMAS: list[Any] = [Weather, Bare, Point, Plain, Person, JSON_SCHEMA]
EACH_SCHEMA = pytest.mark.parametrize("schema", SCHEMAS)


# Schemas


def as_fields(spec: Any) -> dict[str, Any]:
    names = ("schema", "name", "description", "schema_kind", "json_schema", "strict")
    return {name: getattr(spec, name) for name in names}


@EACH_SCHEMA
@pytest.mark.parametrize(
    "more", [{}, {"name": "other"}, {"description": "Other."}, {"strict": True}, {"name": ""}]
)
def test_schemas_are_described_as_langchain_describes_them(schema: Any, more: Any) -> None:
    assert as_fields(SchemaSpec(schema, **more)) == as_fields(lc._SchemaSpec(schema, **more))


def test_a_schema_without_a_title_is_named_after_its_contents() -> None:
    name = SchemaSpec({"type": "object"}).name
    assert name == SchemaSpec({"type": "object"}).name
    assert name.startswith("response_format_")
    assert name != SchemaSpec({"type": "string"}).name


@pytest.mark.parametrize("schema", [int, 5, "Weather", Point(1), list[int], None])
def test_other_things_are_no_schema(schema: Any) -> None:
    for cls in (SchemaSpec, ToolStrategy, ProviderStrategy):
        with pytest.raises(ValueError, match="Unsupported schema type"):
            cls(schema)


UNIONS: list[Any] = [
    Weather,
    Weather | Bare,
    Union[Weather, Union[Point, Person]],  # noqa: UP007 - both kinds of union
    JSON_SCHEMA,
    {"oneOf": [JSON_SCHEMA, {"oneOf": [{"title": "A"}, {"title": "B"}]}]},
]


@pytest.mark.parametrize("schema", UNIONS)
def test_unions_are_taken_apart_as_langchain_takes_them_apart(schema: Any) -> None:
    ours, theirs = ToolStrategy(schema), lc.ToolStrategy(schema)
    assert list(map(as_fields, ours.schema_specs)) == list(map(as_fields, theirs.schema_specs))
    assert (ours.schema, ours.tool_message_content, ours.handle_errors) == (schema, None, True)
    assert list(ours.bindings) == [spec.name for spec in theirs.schema_specs]


def test_the_members_of_a_union_keep_their_definitions() -> None:
    class Cat(BaseModel):
        kind: str = "cat"

    class Dog(BaseModel):
        friend: Cat

    union = TypeAdapter(Dog | Cat).json_schema()
    schema = {"oneOf": union["anyOf"], "$defs": union["$defs"]}
    dog, cat = (spec.json_schema for spec in ToolStrategy(schema).schema_specs)
    assert dog["title"] == "Dog"
    assert dog["properties"]["friend"] == {"$ref": "#/$defs/Cat"}
    assert dog["$defs"]["Cat"]["properties"] == cat["properties"]


def test_an_optional_schema_is_none() -> None:
    with pytest.raises(ValueError, match="Unsupported schema type"):
        ToolStrategy(Optional[Weather])  # noqa: UP045


@EACH_SCHEMA
@pytest.mark.parametrize("strict", [None, True, False])
def test_a_provider_gets_what_langchain_gives_it(schema: Any, strict: bool | None) -> None:
    ours, theirs = (
        ProviderStrategy(schema, strict=strict),
        lc.ProviderStrategy(schema, strict=strict),
    )
    assert ours.to_model_kwargs() == theirs.to_model_kwargs()
    assert ours.schema is theirs.schema
    assert as_fields(ours.schema_spec) == as_fields(theirs.schema_spec)


def test_strategies_are_values() -> None:
    assert ToolStrategy(Weather) == ToolStrategy(Weather) != ToolStrategy(Bare)
    assert ProviderStrategy(Weather) == ProviderStrategy(Weather) != ProviderStrategy(Bare)
    assert AutoStrategy(Weather) == AutoStrategy(Weather) != AutoStrategy(Bare)
    strategy: ResponseFormat[Weather] = ToolStrategy[Weather](Weather, handle_errors="no")
    assert strategy.handle_errors == "no"


@pytest.mark.parametrize("handle", [None, 0, 1, [ValueError], (ValueError, True)])
def test_errors_are_not_handled_by_anything(handle: Any) -> None:
    with pytest.raises(TypeError, match="handle_errors must be a bool"):
        ToolStrategy(int, handle_errors=handle)


def test_auto_is_the_provider_where_there_is_one_and_the_schema_is_one() -> None:
    assert AutoStrategy(Weather).resolve(has_provider=True) == ProviderStrategy(Weather)
    assert AutoStrategy(Weather).resolve(has_provider=False) == ToolStrategy(Weather)
    union = Weather | Bare
    assert AutoStrategy(union).resolve(has_provider=True) == ToolStrategy(union)


def test_tools_need_different_names() -> None:
    strategy = ToolStrategy({"oneOf": [{"title": "A"}, {"title": "A", "type": "object"}]})
    with pytest.raises(ValueError, match="two schemas have the name 'A'"):
        _ = strategy.bindings


# Bindings


@EACH_SCHEMA
def test_a_tool_has_the_name_and_arguments_that_langchains_has(schema: Any) -> None:
    ours = OutputToolBinding.from_schema_spec(SchemaSpec(schema))
    theirs = lc.OutputToolBinding.from_schema_spec(lc._SchemaSpec(schema))
    assert (ours.schema, ours.schema_kind) == (theirs.schema, theirs.schema_kind)
    assert (ours.tool.name, ours.tool.description) == (theirs.tool.name, theirs.tool.description)
    assert (ours.tool.args_schema, ours.tool.args) == (theirs.tool.args_schema, theirs.tool.args)


def test_a_tool_can_be_told_to_openai() -> None:
    tool = OutputToolBinding.from_schema_spec(SchemaSpec(JSON_SCHEMA)).tool
    parameters = {"type": "object", "properties": {"text": {"type": "string"}}}
    function = {"name": "Answer", "description": "An answer.", "parameters": parameters}
    assert tool.to_openai() == {"type": "function", "function": function}
    assert ToolStrategy(JSON_SCHEMA).to_model_kwargs() == {
        "tools": [tool.to_openai()],
        "tool_choice": "required",
    }
    assert OutputTool("a", "", {}).args == {}


Json = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner),
    max_leaves=5,
)
DATA = st.fixed_dictionaries(
    {},
    optional={"place": Json, "celsius": Json, "x": Json | st.just(13), "name": Json, "text": Json},
)


def outcome(function: Any, *args: Any) -> Any:
    """Return the result, or the text of the error, which is a `ValueError`."""
    try:
        return function(*args)
    except ValueError as error:
        return str(error)


@given(st.sampled_from(SCHEMAS), DATA)
def test_arguments_are_read_as_langchain_reads_them(schema: Any, data: dict[str, Any]) -> None:
    ours = OutputToolBinding.from_schema_spec(SchemaSpec(schema))
    theirs = lc.OutputToolBinding.from_schema_spec(lc._SchemaSpec(schema))
    before = copy.deepcopy(data)
    assert outcome(ours.parse, data) == outcome(theirs.parse, data)
    assert data == before


TEXTS = st.builds(json.dumps, DATA | Json) | st.sampled_from(
    ["", "nope", '{"a": "\n"}', "{", "NaN"]
)
CONTENTS: Any = TEXTS | st.lists(
    st.builds(lambda text: {"type": "text", "text": text}, TEXTS)
    | st.builds(lambda text: {"content": text}, TEXTS)
    | st.just({"type": "image"})
    | TEXTS,
    max_size=2,
)


@given(st.sampled_from(SCHEMAS), CONTENTS)
def test_texts_are_read_as_langchain_reads_them(schema: Any, content: Any) -> None:
    ours = ProviderStrategyBinding.from_schema_spec(SchemaSpec(schema))
    theirs = lc.ProviderStrategyBinding.from_schema_spec(lc._SchemaSpec(schema))
    message = lc_messages.AIMessage(copy.deepcopy(content))
    expected = outcome(theirs.parse, message)
    assert repr(outcome(ours.parse, AIMessage(content))) == repr(expected)  # NaN is not NaN
    assert repr(outcome(ours.parse, message)) == repr(expected)


def test_a_response_that_does_not_fit_is_an_error_of_the_model() -> None:
    binding = ProviderStrategyBinding.from_schema_spec(SchemaSpec(Weather))
    with pytest.raises(OutputParserException, match=r"^Failed to parse data to Weather") as caught:
        binding.parse(AIMessage('{"place": "Öslo"}'))
    assert caught.value.llm_output == '{"place": "Öslo"}'
    assert isinstance(caught.value.__cause__, ValidationError)
    with pytest.raises(OutputParserException, match=r"^Native structured .* JSON for Weather, but"):
        binding.parse(AIMessage("nope"))
    with pytest.raises(OutputParserException, match="max_depth"):
        binding.parse(AIMessage("[" * 100_000))


def test_a_refusal_is_an_error_of_its_own() -> None:
    message = AIMessage([{"type": "refusal", "refusal": "I won't."}])
    with pytest.raises(ModelRefusalError, match="I won't"):
        ProviderStrategyBinding(Weather, "pydantic").parse(message)


def test_what_is_no_schema_is_named() -> None:
    with pytest.raises(ValueError, match="This is <class 'int'>"):
        ToolStrategy(int)


def test_one_of_nothing_is_a_schema_like_others() -> None:
    for schema in ({"title": "A", "oneOf": []}, {"title": "A", "oneOf": 5}):
        assert list(ToolStrategy(schema).bindings) == ["A"]


# -- in LangChain's agents -----------------------------------------------------------------------


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, AutoStrategy])
def test_langchains_agents_refuse_our_strategies_and_say_whose_they_take(strategy: Any) -> None:
    model = lc_models.GenericFakeChatModel(messages=iter([]))
    name = strategy.__name__
    with pytest.raises(
        TypeError, match=rf"take only LangChain's own {name}: use `from langchain\.agents\."
    ):
        create_agent(model, response_format=strategy(Weather))
    assert create_agent(model, response_format=getattr(lc, name)(Weather))


@pytest.mark.parametrize("strategy", [ToolStrategy, ProviderStrategy, AutoStrategy])
def test_a_strategy_has_no_other_attributes(strategy: Any) -> None:
    given = strategy(Weather)
    with pytest.raises(AttributeError, match=f"{strategy.__name__!r} object has no attribute 'x'"):
        _ = given.x
    assert copy.deepcopy(given) == pickle.loads(pickle.dumps(given)) == given


def test_the_model_is_told_that_its_reply_is_no_json() -> None:
    with pytest.raises(OutputParserException) as found:
        ProviderStrategyBinding(Weather, "pydantic").parse(AIMessage("It is sunny."))
    assert found.value.observation == (
        "Your reply is not valid JSON: Expecting value: line 1 column 1 (char 0). Reply with JSON"
        " alone."
    )


def test_the_tool_of_a_binding_is_bound_by_a_model_of_langchain() -> None:
    from langchain_core.utils.function_calling import convert_to_openai_tool

    tool = ToolStrategy(Weather).bindings["Weather"].tool
    assert convert_to_openai_tool(tool) == tool == tool.to_openai()
    assert json.loads(json.dumps(tool)) == tool
    for again in (copy.deepcopy(tool), pickle.loads(pickle.dumps(tool))):
        assert (again, again.name, again.args_schema) == (tool, tool.name, tool.args_schema)
    assert repr(OutputTool("a", "b", {})) == "OutputTool(name='a', description='b', args_schema={})"
