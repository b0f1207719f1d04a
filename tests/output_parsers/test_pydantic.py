"""`PydanticOutputParser`: objects of both pydantic versions, compared with LangChain."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from langchain_core.exceptions import OutputParserException as LangChainException
from langchain_core.output_parsers import PydanticOutputParser as LangChainParser
from pydantic import BaseModel, Field, field_validator
from pydantic import v1 as pydantic_v1

from output_parsers.exceptions import OutputParserException
from output_parsers.json import JsonOutputParser
from output_parsers.pydantic import PydanticOutputParser
from outputs import AIMessage, Generation


class Port(BaseModel):
    """A port.

    >>> Port(name="Cork")
    """

    name: str
    depth_m: float | None = None
    berths: list[str] = Field(default_factory=list, description="Lïste")

    @field_validator("name")
    @classmethod
    def _is_capital(cls, name: str) -> str:
        if not name[:1].isupper():
            raise ValueError("a name begins with a capital")
        return name


class OldPort(pydantic_v1.BaseModel):
    name: str
    depth_m: float | None = None
    berths: list[str] = pydantic_v1.Field(default_factory=list)


MODELS = pytest.mark.parametrize("model", [Port, OldPort])
TEXT = '{"name": "Cork", "depth_m": 11.5, "berths": ["East", "West"]}'


def pieces(text: str, size: int) -> list[str]:
    return [text[start : start + size] for start in range(0, len(text), size)]


@MODELS
@pytest.mark.parametrize("text", [TEXT, f"Here:\n```json\n{TEXT}\n```", '{"name": "Cork"'])
def test_text_becomes_an_object(model: Any, text: str) -> None:
    parser = PydanticOutputParser(pydantic_object=model)
    assert parser.parse(text) == LangChainParser(pydantic_object=model).parse(text)
    assert isinstance(parser.parse(text), model)
    assert parser.invoke(AIMessage(content=text)) == parser.parse(text)


@MODELS
@pytest.mark.parametrize("text", ["{}", '{"name": [1], "depth_m": "x"}', "[1]", "null", '"ä"'])
def test_what_does_not_fit_is_told_as_langchain_tells_it(model: Any, text: str) -> None:
    with pytest.raises(LangChainException) as theirs:
        LangChainParser(pydantic_object=model).parse(text)
    with pytest.raises(OutputParserException) as ours:
        PydanticOutputParser(pydantic_object=model).parse(text)
    assert str(ours.value) == str(theirs.value).split("\nFor troubleshooting")[0]
    assert ours.value.llm_output == theirs.value.llm_output
    assert type(ours.value.__cause__) is type(theirs.value.__cause__)
    assert f"is not a valid {model.__name__}: " in str(ours.value.observation)
    assert "errors.pydantic.dev" not in str(ours.value.observation)


def test_the_observation_says_what_is_wrong() -> None:
    with pytest.raises(OutputParserException) as caught:
        PydanticOutputParser(pydantic_object=Port).parse('{"name": "cork", "berths": ["a", 1]}')
    assert caught.value.observation == (
        "The JSON is not a valid Port: name: Value error, a name begins with a capital;"
        " berths.1: Input should be a valid string. Write the whole JSON again."
    )


def test_text_that_is_no_json_is_told_as_by_the_json_parser() -> None:
    parser = PydanticOutputParser(pydantic_object=Port)
    with pytest.raises(OutputParserException, match=r"^Invalid json output: Cork\n"):
        parser.parse("Cork")
    assert parser.parse_result([Generation(text="Cork")], partial=True) is None
    assert parser.parse_result([Generation(text="{}")], partial=True) is None
    assert parser.parse_result([Generation(text=TEXT[:16])], partial=True) == Port(name="Cork")


@MODELS
@pytest.mark.parametrize("size", [1, 2, 5, 100])
def test_a_stream_gives_the_valid_objects_that_langchain_gives(model: Any, size: int) -> None:
    chunks = pieces(f"Here:\n```json\n{TEXT}\n```", size)
    given = list(PydanticOutputParser(pydantic_object=model).transform(iter(chunks)))
    assert given == list(LangChainParser(pydantic_object=model).transform(iter(chunks)))
    assert given[-1] == PydanticOutputParser(pydantic_object=model).parse(TEXT)
    assert all(a != b for a, b in pairwise(given))


@settings(deadline=None, max_examples=50)
@given(
    st.builds(Port, name=st.sampled_from(["Åbo", "C"]), depth_m=st.none() | st.floats(0, 99)),
    st.integers(1, 40),
)
def test_a_stream_ends_in_the_object_of_the_whole(port: Port, size: int) -> None:
    parser = PydanticOutputParser(pydantic_object=Port)
    *_, last = parser.transform(iter(pieces(port.model_dump_json(), size)))
    assert last == parser.parse(port.model_dump_json()) == port


@MODELS
def test_with_diff_a_stream_gives_patches_of_the_data(model: Any) -> None:
    parser = PydanticOutputParser(pydantic_object=model, diff=True)
    first, *rest = parser.transform(iter(['{"name": "Co', 'rk", "berths": ["East"]', "}"]))
    whole = {"name": "Co", "depth_m": None, "berths": []}
    assert first == [{"op": "replace", "path": "", "value": whole}]
    assert sorted(rest[0], key=str) == [
        {"op": "add", "path": "/berths/0", "value": "East"},
        {"op": "replace", "path": "/name", "value": "Cork"},
    ]


def test_lenient_mends_and_then_validates() -> None:
    parser = PydanticOutputParser(pydantic_object=Port, lenient=True)
    text = "{name: 'Cork', 'depth_m': None,}"
    assert parser.parse(text) == Port(name="Cork")
    assert list(parser.transform(iter(pieces(text, 4))))[-1] == Port(name="Cork")
    for text in ("{name: 'cork'}", "{name: 'Cork", "hello"):
        with pytest.raises(OutputParserException):
            parser.parse(text)
        with pytest.raises(OutputParserException):
            list(parser.transform(iter(pieces(text, 4))))


@MODELS
def test_the_type_and_the_schemas_are_those_of_the_model(model: Any) -> None:
    parser = PydanticOutputParser(pydantic_object=model)
    schema = model.schema() if model is OldPort else model.model_json_schema()
    assert parser.OutputType is model
    assert parser.get_output_schema() is model
    assert parser.get_output_jsonschema() == schema
    assert parser._type == "pydantic"
    shown = json.loads(parser.get_format_instructions().split("```")[-2])
    del schema["title"], schema["type"]
    assert shown == schema
    if model is Port:
        assert "Lïste" in parser.get_format_instructions()


def test_a_type_argument_is_welcome() -> None:
    parser = PydanticOutputParser[Port](pydantic_object=Port)
    assert parser.parse(TEXT).depth_m == 11.5


def test_the_model_is_left_as_it_was() -> None:
    before = json.dumps(Port.model_json_schema())
    PydanticOutputParser(pydantic_object=Port).get_format_instructions()
    assert json.dumps(Port.model_json_schema()) == before


def test_what_is_no_model_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected a pydantic model, not int"):
        PydanticOutputParser(pydantic_object=int).parse("1")
    with pytest.raises(ValueError, match="pydantic_object"):
        PydanticOutputParser()  # type: ignore[call-arg]


class Harbour(Port):
    @classmethod
    def model_validate(cls, obj: Any, **options: Any) -> Any:
        raise ValueError("closed for the winter")


def test_a_model_may_have_its_own_way_to_validate() -> None:
    with pytest.raises(OutputParserException, match="Got: closed for the winter") as caught:
        PydanticOutputParser(pydantic_object=Harbour).parse(TEXT)
    assert caught.value.observation is not None
    assert "closed for the winter" in caught.value.observation


class Shouting(PydanticOutputParser[Port]):
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        found = super().parse_result(result, partial=partial)
        return None if found is None else found.name.upper()


def test_a_subclass_is_asked_for_its_results() -> None:
    parser = Shouting(pydantic_object=Port)
    assert parser.parse(TEXT) == "CORK"
    assert list(parser.transform(iter(pieces(TEXT, 12)))) == ["CO", "CORK"]


def test_the_pointer_of_an_error_says_why() -> None:
    with pytest.raises(OutputParserException) as caught:
        PydanticOutputParser(pydantic_object=Port).parse('{"berths": []}')
    assert caught.value.pointer().splitlines()[0] == (
        "the JSON is not a valid Port: name: Field required"
    )


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('{"name": "Looe", "depth_m": 9, "berths": ["é", {"a": "b"}, 1]}', '{"a": "b"}'),
        ('{"berths": [], "name": 5}', "5"),
        ('{"berths": []}', '{"berths": []}'),
        ("[1]", "[1]"),
    ],
)
def test_the_span_of_an_error_is_the_first_value_that_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(OutputParserException) as caught:
        PydanticOutputParser(pydantic_object=Port).parse(text)
    assert caught.value.llm_output is not None
    assert caught.value.span is not None
    assert caught.value.llm_output[slice(*caught.value.span)] == wrong


class Bill(BaseModel):
    rappen: int
    paid: bool = False


class InFrancs(PydanticOutputParser[Bill]):
    """Reads what models write in francs."""

    def _parse_obj(self, obj: Any) -> Bill:
        return super()._parse_obj({**obj, "rappen": obj["rappen"] * 100})

    @staticmethod
    def _get_schema(pydantic_object: Any) -> dict[str, Any]:
        return {**pydantic_object.model_json_schema(), "description": "A bill, in francs."}


def test_a_stream_asks_an_overridden_hook_for_each_object() -> None:
    parser = InFrancs(pydantic_object=Bill)
    chunks = ["{", '"rappen": 3', ', "paid": ', "true}"]
    assert [*parser.transform(iter(chunks))] == [Bill(rappen=300), Bill(rappen=300, paid=True)]
    assert [*parser.transform(iter(chunks))][-1] == parser.parse("".join(chunks))
    with pytest.raises(KeyError):
        [*parser.transform(iter(["{", "}"]))]


def test_the_instructions_ask_an_overridden_hook_for_the_schema() -> None:
    for kind in (InFrancs, JsonOutputParser):
        parser = kind(pydantic_object=Bill)
        is_own = "A bill, in francs." in parser.get_format_instructions()
        assert is_own is (kind is InFrancs)
