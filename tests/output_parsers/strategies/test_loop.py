"""One turn of a loop that ends in a structured response, compared with LangChain."""

import copy
import json
import pickle
from typing import Any

import langchain.agents.factory as lc_factory
import langchain.agents.structured_output as lc
import langchain_core.messages as lc_messages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, Field

from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from output_parsers.strategies.loop import (
    StructuredResponse,
    StructuredRetry,
    read_structured_output,
    structured_output_error_message,
)
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from outputs import AIMessage, AIMessageChunk, ChatGeneration, ToolMessage, tool_call


class Weather(BaseModel):
    """The weather at a place."""

    place: str = Field(description="Where.")
    celsius: float = Field(ge=-273.15)


class Bare(BaseModel):
    place: str


JSON_SCHEMA = {
    "title": "Answer",
    "description": "An answer.",
    "type": "object",
    "properties": {"text": {"type": "string"}},
}
# Errors

ERRORS = [
    StructuredOutputError("no", "message"),
    MultipleStructuredOutputsError(["A", "B"], "message"),
    StructuredOutputValidationError("A", ValueError("no"), "message"),
]


@pytest.mark.parametrize("error", ERRORS)
def test_errors_are_the_models_and_can_be_sent_away(error: Any) -> None:
    assert isinstance(error, OutputParserException)
    assert error.ai_message == "message"
    assert error.observation.startswith("Error: ")
    error.add_note("a note")
    for twin in (pickle.loads(pickle.dumps(error)), copy.copy(error)):
        assert (type(twin), str(twin)) == (type(error), str(error))
        assert {**vars(twin), "source": 0} == {**vars(error), "source": 0}


def test_errors_have_langchains_words() -> None:
    source = ValueError("why")
    for ours, theirs, args in (
        (MultipleStructuredOutputsError, lc.MultipleStructuredOutputsError, (["A", "B"], None)),
        (StructuredOutputValidationError, lc.StructuredOutputValidationError, ("A", source, None)),
    ):
        assert str(ours(*args)) == str(theirs(*args))


HANDLERS: list[Any] = [
    True,
    False,
    "Try again.",
    "",
    Exception,
    KeyError,
    MultipleStructuredOutputsError,
    (KeyError, StructuredOutputError),
    (),
    lambda error: f"{type(error).__name__}!",
]


@pytest.mark.parametrize("handler", HANDLERS)
def test_errors_are_told_when_langchain_tells_them(handler: Any) -> None:
    theirs = lc.MultipleStructuredOutputsError(["A", "B"], None)
    translated = handler
    if handler is MultipleStructuredOutputsError:
        translated = lc.MultipleStructuredOutputsError
    elif isinstance(handler, tuple) and handler:
        translated = (KeyError, lc.StructuredOutputError)
    strategy = lc.ToolStrategy(Weather, handle_errors=translated)
    retry, text = lc_factory._handle_structured_output_error(theirs, strategy)
    error = MultipleStructuredOutputsError(["A", "B"], None)
    assert structured_output_error_message(error, handler) == (text if retry else None)


def test_value_errors_are_told_which_they_are_here() -> None:
    error = StructuredOutputValidationError("A", ValueError("no"), None)
    assert structured_output_error_message(error, ValueError) == error.observation


# One turn of the loop


def call(name: str, args: dict[str, Any], call_id: str | None = "call_1") -> dict[str, Any]:
    return {"name": name, "args": args, "id": call_id}


OSLO = {"place": "Oslo", "celsius": -3}
FITS = call("Weather", OSLO)


def test_a_call_that_fits_is_the_response_and_is_answered() -> None:
    message = AIMessage("", tool_calls=[call("search", {}), FITS])
    before = message.model_copy(deep=True)
    found = read_structured_output(message, ToolStrategy(Weather | Bare))
    assert found == StructuredResponse(
        Weather(**OSLO),
        [
            ToolMessage(
                "Returning structured response: place='Oslo' celsius=-3.0",
                name="Weather",
                tool_call_id="call_1",
            )
        ],
        [tool_call(name="search", args={}, id="call_1")],
    )
    assert message == before
    found = read_structured_output(message, ToolStrategy(Weather, tool_message_content="Thanks."))
    assert isinstance(found, StructuredResponse)
    assert found.messages[0].content == "Thanks."


def test_a_call_that_does_not_fit_is_told() -> None:
    message = AIMessage("", tool_calls=[call("Weather", {"place": "Oslo"})])
    found = read_structured_output(message, ToolStrategy(Weather))
    assert isinstance(found, StructuredRetry)
    assert isinstance(found.error, StructuredOutputValidationError)
    assert found.error.ai_message is message
    (answer,) = found.messages
    assert (answer.name, answer.tool_call_id, answer.status) == ("Weather", "call_1", "error")
    assert answer.content == found.error.observation
    assert "Failed to parse structured output for tool 'Weather': Failed to" in answer.text
    with pytest.raises(StructuredOutputValidationError) as caught:
        read_structured_output(message, ToolStrategy(Weather, handle_errors=False))
    assert caught.value.__cause__ is caught.value.source


def test_more_than_one_response_is_told_to_each_call() -> None:
    calls = [FITS, call("Bare", {"place": "Oslo"}, "call_2"), call("search", {}, "call_3")]
    message = AIMessage("", tool_calls=calls)
    found = read_structured_output(message, ToolStrategy(Weather | Bare, handle_errors="One!"))
    assert isinstance(found, StructuredRetry)
    assert isinstance(found.error, MultipleStructuredOutputsError)
    assert found.error.tool_names == ["Weather", "Bare"]
    answers = [(answer.name, answer.tool_call_id, answer.content) for answer in found.messages]
    assert answers == [("Weather", "call_1", "One!"), ("Bare", "call_2", "One!")]
    with pytest.raises(MultipleStructuredOutputsError):
        read_structured_output(message, ToolStrategy(Weather | Bare, handle_errors=KeyError))


def test_a_call_whose_arguments_cannot_be_read_is_told_too() -> None:
    wire = {"id": "call_1", "function": {"name": "Weather", "arguments": '{"place": '}}
    message = AIMessage("", additional_kwargs={"tool_calls": [wire]})
    found = read_structured_output(message, ToolStrategy(Weather))
    assert isinstance(found, StructuredRetry)
    assert found.error.llm_output == '{"place": '
    assert [answer.tool_call_id for answer in found.messages] == ["call_1"]
    # It is ignored next to a valid call.
    message = AIMessage("", tool_calls=[FITS], invalid_tool_calls=message.invalid_tool_calls)
    assert isinstance(read_structured_output(message, ToolStrategy(Weather)), StructuredResponse)


@pytest.mark.parametrize("calls", [[], [call("search", {})]])
def test_a_message_without_a_response_is_left_to_the_caller(calls: Any) -> None:
    message = AIMessage("Hello", tool_calls=calls)
    assert read_structured_output(message, ToolStrategy(Weather)) is None
    if calls:
        assert read_structured_output(message, ProviderStrategy(Weather)) is None


def test_a_text_that_fits_is_the_response() -> None:
    message = AIMessage(json.dumps(OSLO))
    found = read_structured_output(message, ProviderStrategy(Weather))
    assert found == StructuredResponse(Weather(**OSLO), [])
    for schema, name in ((Weather, "Weather"), (JSON_SCHEMA, "response_format")):
        with pytest.raises(StructuredOutputValidationError, match=f"for {name}: Native") as e:
            read_structured_output(AIMessage("nope"), ProviderStrategy(schema))
        assert str(e.value).endswith("(char 0).")
        assert str(pickle.loads(pickle.dumps(e.value))) == str(e.value)


def test_what_a_model_is_told_has_no_addresses() -> None:
    call = {"name": "Weather", "args": {"place": "Oslo", "celsius": "icy"}, "id": "1"}
    found = read_structured_output(AIMessage("", tool_calls=[call]), ToolStrategy(Weather))
    assert isinstance(found, StructuredRetry)
    for shown in (found.messages[0].text, found.error.observation):
        assert "Input should be a valid number" in str(shown)
        assert "https://" not in str(shown)


def test_what_is_no_way_to_answer_is_told() -> None:
    with pytest.raises(ValueError, match="Unsupported schema type"):
        read_structured_output(AIMessage("x"), 3)
    with pytest.raises(TypeError, match="expected a str, a message or a generation, not"):
        read_structured_output(3, ToolStrategy(Weather))


def test_messages_of_langchain_are_read_as_they_are() -> None:
    theirs = lc_messages.AIMessage("", tool_calls=[FITS])
    found = read_structured_output(theirs, ToolStrategy(Weather))
    assert isinstance(found, StructuredResponse)
    assert found.structured_response == Weather(**OSLO)
    nameless = AIMessage("", tool_calls=[call("Weather", OSLO, None)])
    found = read_structured_output(nameless, ToolStrategy(Weather))
    assert isinstance(found, StructuredResponse)
    assert found.messages[0].tool_call_id == ""


@given(
    st.lists(
        st.builds(
            call,
            st.sampled_from(["Weather", "Bare", "search"]),
            st.dictionaries(st.sampled_from(["place", "celsius"]), st.integers() | st.text()),
        ),
        max_size=3,
    ),
    st.sampled_from([True, False, "No.", KeyError, lambda error: str(error)[:5]]),
)
def test_any_message_comes_to_one_of_four_things(calls: Any, handler: Any) -> None:
    message = AIMessage("", tool_calls=calls)
    strategy = ToolStrategy(Weather | Bare, handle_errors=handler)
    responses = [each for each in calls if each["name"] != "search"]
    try:
        found = read_structured_output(message, strategy)
    except StructuredOutputError:
        assert handler in (False, KeyError)
        return
    match found:
        case None:
            assert not responses
        case StructuredResponse(_, messages):
            assert [answer.name for answer in messages] == [responses[0]["name"]]
        case StructuredRetry(_, messages):
            assert [answer.name for answer in messages] == [each["name"] for each in responses]


@pytest.mark.parametrize("strategy", [ProviderStrategy(Weather), ToolStrategy(Weather), Weather])
def test_a_refusal_is_an_error_with_every_strategy(strategy: Any) -> None:
    message = AIMessage([{"type": "refusal", "refusal": "I won't."}])
    with pytest.raises(ModelRefusalError, match="I won't"):
        read_structured_output(message, strategy)


class Foreign:
    content = ""
    tool_calls = ({"name": "Bare", "args": {"place": "Oslo"}},)


def test_a_call_may_have_no_id() -> None:
    response = read_structured_output(Foreign(), ToolStrategy(Bare))
    assert isinstance(response, StructuredResponse)
    assert response.messages[0].tool_call_id == ""


def test_a_text_is_a_message_without_calls() -> None:
    assert read_structured_output("text", ToolStrategy(Bare)) is None
    with pytest.raises(StructuredOutputValidationError, match="expected valid JSON for Bare"):
        read_structured_output("text", ProviderStrategy(Bare))


@pytest.mark.parametrize("schema", [Weather, AutoStrategy(Weather)])
def test_a_schema_alone_takes_a_call_or_a_text(schema: Any) -> None:
    reply = {"role": "assistant", "content": None, "tool_calls": [as_openai(FITS)]}
    given: list[Any] = [
        {"choices": [{"message": reply, "finish_reason": "tool_calls"}]},
        AIMessage(json.dumps(OSLO)),
        ChatGeneration(message=AIMessage("", tool_calls=[FITS])),
        json.dumps(OSLO),
        f"```json\n{json.dumps(OSLO)}\n```",
    ]
    for message in given:
        found = read_structured_output(message, schema)
        assert isinstance(found, StructuredResponse)
        assert found.structured_response == Weather(**OSLO)
    assert read_structured_output("I shall look it up.", schema) is None
    assert read_structured_output(AIMessage("", tool_calls=[call("search", {})]), schema) is None
    with pytest.raises(StructuredOutputValidationError):
        read_structured_output('{"place": 3}', schema)


def test_calls_of_other_tools_are_kept() -> None:
    search = call("search", {"query": "rain"}, "call_2")
    for args in (OSLO, {"place": "Oslo"}):
        message = AIMessage("", tool_calls=[search, call("Weather", args)])
        found = read_structured_output(message, Weather)
        assert isinstance(found, StructuredResponse | StructuredRetry)
        assert found.tool_calls == [tool_call(name="search", args={"query": "rain"}, id="call_2")]
        assert [each.tool_call_id for each in found.messages] == ["call_1"]


def as_openai(given: dict[str, Any]) -> dict[str, Any]:
    function = {"name": given["name"], "arguments": json.dumps(given["args"])}
    return {"id": given["id"], "type": "function", "function": function}


def test_what_follows_a_message_of_langchain_is_langchains() -> None:
    from langchain_core.messages import AIMessage as LcAIMessage
    from langchain_core.messages import ToolMessage as LcToolMessage

    for args in ({"place": "Oslo"}, {}):
        call = {"name": "Bare", "args": args, "id": "1"}
        for strategy in (ToolStrategy(Bare), Bare):
            found: Any = read_structured_output(LcAIMessage("", tool_calls=[call]), strategy)
            assert [type(each) for each in found.messages] == [LcToolMessage]
            own: Any = read_structured_output(AIMessage("", tool_calls=[call]), strategy)
            assert [each.content for each in own.messages] == [found.messages[0].content]


def wire_call(arguments: str) -> dict[str, Any]:
    function = {"name": "Bare", "arguments": arguments}
    return {"id": "1", "type": "function", "function": function}


TWO_PLACES = '{"place": "Oslo", "place": "Bergen"}'
CHUNK = {"name": "Bare", "args": TWO_PLACES, "id": "1", "index": 0, "type": "tool_call_chunk"}


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "content": "", "tool_calls": [wire_call(TWO_PLACES)]},
        lc_messages.AIMessage("", additional_kwargs={"tool_calls": [wire_call(TWO_PLACES)]}),
        AIMessageChunk("", tool_call_chunks=[CHUNK]),
        lc_messages.AIMessageChunk("", tool_call_chunks=[CHUNK]),
    ],
)
def test_a_key_with_two_values_in_a_call_is_told_to_the_model(message: Any) -> None:
    found = read_structured_output(message, ToolStrategy(Bare))
    assert isinstance(found, StructuredRetry)
    assert 'one value for the key "place"' in found.messages[0].text


@pytest.mark.parametrize("fence", ["{}", "```json\n{}\n```"])
def test_a_key_with_two_values_in_a_text_is_an_error(fence: str) -> None:
    with pytest.raises(StructuredOutputValidationError, match='one value for the key "place"'):
        read_structured_output(fence.format(TWO_PLACES), ProviderStrategy(Bare))
    said_twice = fence.format('{"place": "Oslo", "place": "Oslo"}')
    found = read_structured_output(said_twice, ProviderStrategy(Bare))
    assert isinstance(found, StructuredResponse)
    assert found.structured_response == Bare(place="Oslo")


@pytest.mark.parametrize("strategy", [ProviderStrategy(Bare), Bare])
def test_a_thought_before_the_answer_is_not_read(strategy: Any) -> None:
    thought = '<think>```json\n{"place": "Oslo"}\n```</think>'
    for answer in ('{"place": "Bergen"}', '\n```json\n{"place": "Bergen"}\n```'):
        found = read_structured_output(thought + answer, strategy)
        assert isinstance(found, StructuredResponse)
        assert found.structured_response == Bare(place="Bergen")
    for text in (thought, thought.removeprefix("<think>") + "Oslo."):
        with pytest.raises(StructuredOutputValidationError):
            read_structured_output(text, ProviderStrategy(Bare))
    assert read_structured_output(thought, Bare) is None
