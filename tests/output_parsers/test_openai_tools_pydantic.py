"""Tool calls as objects, against LangChain."""

import logging
from typing import Any

import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_tools as lc
import langchain_core.outputs as lc_outputs
import pytest
from pydantic import BaseModel, ConfigDict, Field, ValidationError
from pydantic.v1 import BaseModel as V1Model
from pydantic.v1 import ValidationError as V1ValidationError

from output_parsers import OutputParserException
from output_parsers._tools_pydantic import PydanticToolsParser
from outputs import AIMessage, ChatGeneration, HumanMessage


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
    """Return the result, or the kind and text of the error without LangChain's address."""
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
