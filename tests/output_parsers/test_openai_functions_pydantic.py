"""Legacy function calls as objects, compared with LangChain."""

from typing import Any

import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_functions as lc
import langchain_core.outputs as lc_outputs
import pytest
from pydantic import BaseModel, ValidationError
from pydantic.v1 import BaseModel as V1Model
from pydantic.v1 import ValidationError as V1ValidationError

from output_parsers import OutputParserException
from output_parsers.openai_functions import (
    PydanticAttrOutputFunctionsParser,
    PydanticOutputFunctionsParser,
)
from outputs import AIMessage, AIMessageChunk, ChatGeneration


class A(BaseModel):
    a: int
    b: str = "b"


class B(BaseModel):
    b: str


class Old(V1Model):
    a: int


def message_with(call: Any) -> Any:
    return AIMessage(content="", additional_kwargs={} if call is None else {"function_call": call})


MESSAGE = message_with({"name": "f", "arguments": '{"a": 1}'})


def test_a_call_is_an_object_of_the_schema() -> None:
    assert PydanticOutputFunctionsParser(pydantic_schema=A).invoke(MESSAGE) == A(a=1)
    by_name = PydanticOutputFunctionsParser(pydantic_schema=A, args_only=False)
    assert by_name.invoke(MESSAGE) == A(a=1)
    assert PydanticOutputFunctionsParser(pydantic_schema=Old).invoke(MESSAGE) == Old(a=1)


def test_of_several_schemas_the_functions_name_tells_which() -> None:
    parser = PydanticOutputFunctionsParser(pydantic_schema={"f": A, "g": B, "h": Old})
    assert parser.args_only is False
    for name, expected in {"f": A(a=1), "h": Old(a=1)}.items():
        assert parser.invoke(message_with({"name": name, "arguments": '{"a": 1}'})) == expected
    with pytest.raises(ValidationError):
        parser.invoke(message_with({"name": "g", "arguments": '{"a": 1}'}))


@pytest.mark.parametrize(
    "call", [{"name": "x", "arguments": "{}"}, {"arguments": "{}"}, {"name": [], "arguments": "{}"}]
)
def test_a_function_without_a_schema_is_an_error_of_the_model(call: Any) -> None:
    parser = PydanticOutputFunctionsParser(pydantic_schema={"f": A})
    with pytest.raises(OutputParserException, match="Available functions: f"):
        parser.invoke(message_with(call))


@pytest.mark.parametrize("arguments", ["{}", "nope", '{"a": "x"}', None])
def test_what_does_not_fit_is_pydantics_own_error(arguments: str | None) -> None:
    message = message_with({"name": "f", "arguments": arguments})
    for reference in (lc.PydanticOutputFunctionsParser, PydanticOutputFunctionsParser):
        with pytest.raises(ValidationError):
            reference(pydantic_schema=A).parse_result([generation_like(reference, message)])


def generation_like(parser: Any, message: AIMessage) -> Any:
    if parser is PydanticOutputFunctionsParser:
        return ChatGeneration(message=message)
    theirs = lc_messages.AIMessage("", additional_kwargs=message.additional_kwargs)
    return lc_outputs.ChatGeneration(message=theirs)


def test_one_attribute_of_the_object() -> None:
    parser = PydanticAttrOutputFunctionsParser(pydantic_schema=A, attr_name="b")
    assert parser.invoke(MESSAGE) == "b"


@pytest.mark.parametrize(
    "fields",
    [
        {"pydantic_schema": {"f": A}, "args_only": True},
        {"pydantic_schema": int},
        {"pydantic_schema": {"f": 5}},
        {},
    ],
)
def test_a_schema_that_cannot_be_used_is_refused_at_once(fields: dict[str, Any]) -> None:
    before = dict(fields)
    with pytest.raises(ValueError, match="pydantic"):
        PydanticOutputFunctionsParser.model_validate(fields)
    assert fields == before


@pytest.mark.parametrize("arguments", ["[" * 100_000, "[" * 300 + "]" * 300, "9" * 1_000_000])
def test_hostile_arguments_end_in_a_clear_error(arguments: str) -> None:
    message = message_with({"name": "f", "arguments": arguments})
    with pytest.raises(ValidationError):
        PydanticOutputFunctionsParser(pydantic_schema=A).invoke(message)
    with pytest.raises((OutputParserException, V1ValidationError)):
        PydanticOutputFunctionsParser(pydantic_schema=Old).invoke(message)


def test_objects_come_at_the_end_of_a_stream() -> None:
    calls = [{"name": "f"}, {"arguments": '{"a"'}, {"arguments": ": 1}"}]
    chunks = [AIMessageChunk("", additional_kwargs={"function_call": call}) for call in calls]
    parser = PydanticOutputFunctionsParser(pydantic_schema=A)
    assert list(parser.transform(iter(chunks))) == [A(a=1)]
