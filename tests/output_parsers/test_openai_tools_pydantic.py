"""Tool calls as objects, compared with LangChain."""

import json
import logging
from collections.abc import Iterator
from itertools import chain
from typing import Any, ClassVar

import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_tools as lc
import langchain_core.outputs as lc_outputs
import pytest
from pydantic import (
    BaseModel,
    ConfigDict,
    Field,
    ValidationError,
    field_validator,
    model_validator,
)
from pydantic.v1 import BaseModel as V1Model
from pydantic.v1 import ValidationError as V1ValidationError

from output_parsers import OutputParserException
from output_parsers.openai_tools import PydanticToolsParser
from outputs import AIMessage, AIMessageChunk, ChatGeneration, HumanMessage


class Search(BaseModel):
    query: str
    limit: int = 10


class Wait(BaseModel):
    model_config = ConfigDict(title="wait")

    seconds: float = Field(ge=0)


class Old(V1Model):
    a: int


CALLS = [
    {"name": "Search", "args": {"query": "rain"}, "id": "call_1"},
    {"name": "wait", "args": {"seconds": 2}, "id": "call_2"},
    {"name": "Search", "args": {"query": "snow", "limit": 3}, "id": None},
]
MESSAGE = AIMessage("", tool_calls=CALLS)


def outcome(function: Any, *args: Any, **kwargs: Any) -> Any:
    """Return the result, or the kind and text of the error without LangChain's link."""
    try:
        return function(*args, **kwargs)
    except ValueError as error:
        return type(error).__name__, str(error).partition("\nFor troubleshooting")[0]


def test_tools_are_known_by_title_or_class_name() -> None:
    parser = PydanticToolsParser(tools=[Search, Wait])
    found = parser.invoke(MESSAGE)
    assert found == [Search(query="rain"), Wait(seconds=2), Search(query="snow", limit=3)]
    first = PydanticToolsParser(tools=[Search, Wait], first_tool_only=True)
    assert first.invoke(MESSAGE) == Search(query="rain")


def test_models_of_pydantic_v1_are_tools() -> None:
    message = AIMessage("", tool_calls=[{"name": "Old", "args": {"a": "1"}, "id": "1"}])
    assert PydanticToolsParser(tools=[Search, Old]).invoke(message) == [Old(a=1)]
    bad = AIMessage("", tool_calls=[{"name": "Old", "args": {}, "id": "1"}])
    with pytest.raises(V1ValidationError):
        PydanticToolsParser(tools=[Old]).invoke(bad)


def test_without_calls_there_is_nothing() -> None:
    assert PydanticToolsParser(tools=[Search]).invoke(AIMessage("")) == []
    assert PydanticToolsParser(tools=[Search], first_tool_only=True).invoke(AIMessage("")) is None


@pytest.mark.parametrize("partial", [True, False])
def test_an_unknown_tool_is_an_error_even_of_an_unfinished_message(partial: bool) -> None:
    generation = ChatGeneration(message=MESSAGE)
    theirs = lc_outputs.ChatGeneration(message=lc_messages.AIMessage("", tool_calls=CALLS))
    for tools in ([Search], []):
        expected = outcome(
            lc.PydanticToolsParser(tools=tools).parse_result, [theirs], partial=partial
        )
        parser = PydanticToolsParser(tools=tools)
        assert outcome(parser.parse_result, [generation], partial=partial) == expected
        with pytest.raises(OutputParserException) as caught:
            parser.parse_result([generation], partial=partial)
        assert caught.value.observation
        assert caught.value.llm_output


def test_a_validation_error_is_pydantics_own() -> None:
    message = AIMessage("", tool_calls=[{"name": "wait", "args": {"seconds": -1}, "id": "1"}])
    parser = PydanticToolsParser(tools=[Wait])
    with pytest.raises(ValidationError, match="greater than or equal to 0"):
        parser.invoke(message)
    assert parser.parse_result([ChatGeneration(message=message)], partial=True) == []


def test_arguments_that_are_no_object_are_an_error() -> None:
    message = HumanMessage(
        "", additional_kwargs={"tool_calls": [{"function": {"name": "wait", "arguments": "[1]"}}]}
    )
    parser = PydanticToolsParser(tools=[Wait])
    with pytest.raises(OutputParserException, match="must be specified as a dict, received: "):
        parser.invoke(message)
    assert parser.parse_result([ChatGeneration(message=message)], partial=True) == []


@pytest.mark.parametrize("metadata", [{"stop_reason": "max_tokens"}, {"finish_reason": "length"}])
def test_a_call_that_was_cut_short_is_explained(
    metadata: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    calls = [{"name": "wait", "args": {}, "id": "1"}]
    message = AIMessage("", tool_calls=calls, response_metadata=metadata)
    parser = PydanticToolsParser(tools=[Wait])
    with caplog.at_level(logging.ERROR), pytest.raises(ValidationError) as caught:
        parser.invoke(message)
    assert ["`max_tokens` stop reason" in record.message for record in caplog.records] == [True]
    assert "`max_tokens` stop reason" in caught.value.__notes__[0]


def test_other_errors_have_no_such_explanation(caplog: pytest.LogCaptureFixture) -> None:
    message = AIMessage("", tool_calls=[{"name": "wait", "args": {}, "id": "1"}])
    with pytest.raises(ValidationError) as caught:
        PydanticToolsParser(tools=[Wait]).invoke(message)
    assert not caplog.records
    assert not hasattr(caught.value, "__notes__")


def test_what_is_no_model_is_refused_when_made() -> None:
    not_models: list[Any] = [[Search, int], [5], Search]
    for tools in not_models:
        with pytest.raises(
            ValueError, match=r"^PydanticToolsParser: (tools.* should be|expected a pydantic)"
        ):
            PydanticToolsParser(tools=tools)


def test_names_of_arguments_that_are_no_text_are_no_crash() -> None:
    message = AIMessage("")
    call = {"id": "1", "function": {"name": "wait", "arguments": {1: 2}}}
    message.additional_kwargs["tool_calls"] = [call]
    with pytest.raises(ValidationError, match="seconds"):
        PydanticToolsParser(tools=[Wait]).invoke(message)


class Takes(BaseModel):
    left: int

    @model_validator(mode="before")
    @classmethod
    def _take(cls, data: dict[str, Any]) -> dict[str, Any]:
        data.pop("rest", None)
        return data


def test_a_validator_may_take_its_arguments_apart() -> None:
    call = {"name": "Takes", "args": {"left": 1, "rest": 2}, "id": "1"}
    message = AIMessage("", tool_calls=[call])
    assert PydanticToolsParser(tools=[Takes]).invoke(message) == [Takes(left=1)]
    assert message.tool_calls[0]["args"] == {"left": 1, "rest": 2}


class Numbers(BaseModel):
    values: list[int]

    built: ClassVar = 0

    @field_validator("values")
    @classmethod
    def _count(cls, values: list[int]) -> list[int]:
        cls.built += len(values)
        return values


def pieces(text: str) -> Iterator[AIMessageChunk]:
    for start in range(0, len(text), 4):
        part = {"name": None if start else "Numbers", "args": text[start : start + 4]}
        yield AIMessageChunk("", tool_call_chunks=[{**part, "id": None, "index": 0}])


def test_the_work_for_a_chunk_does_not_grow_with_the_object() -> None:
    work = {}
    for size in (1000, 4000):
        Numbers.built = 0
        text = json.dumps({"values": [7] * size})
        objects = list(PydanticToolsParser(tools=[Numbers]).transform(pieces(text)))
        assert objects[-1] == [Numbers(values=[7] * size)]
        assert len(objects) > 50
        work[size] = Numbers.built / size
    assert work[4000] < 1.5 * work[1000]


def test_a_long_call_that_is_complete_is_given_at_once() -> None:
    text = json.dumps({"values": [7] * 2000})
    parser = PydanticToolsParser(tools=[Numbers])
    more = [{"name": "Numbers", "args": "", "id": None, "index": 1}]
    stream = chain(pieces(text), [AIMessageChunk("", tool_call_chunks=more)])
    *_, before_end, end = parser.transform(
        iter(
            [
                *stream,
                AIMessageChunk(
                    "",
                    tool_call_chunks=[
                        {"name": None, "args": '{"values": []}', "id": None, "index": 1}
                    ],
                ),
            ]
        )
    )
    assert before_end == [Numbers(values=[7] * 2000)]
    assert end == [Numbers(values=[7] * 2000), Numbers(values=[])]
