"""Models with structured output."""

import asyncio
import json
from collections import defaultdict
from collections.abc import Iterator
from types import SimpleNamespace
from typing import Any

import langchain_core.language_models as lc_models
import langchain_core.messages as lc_messages
import langchain_core.runnables as lc_runnables
import pytest
from pydantic import BaseModel
from typing_extensions import override

from output_parsers import OutputParserException, Runnable, RunnableLambda
from output_parsers.exceptions import ModelRefusalError
from output_parsers.strategies.errors import (
    MultipleStructuredOutputsError,
    StructuredOutputError,
    StructuredOutputValidationError,
)
from output_parsers.strategies.model import with_structured_output
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from outputs import AIMessage

from ...helpers.growth import assert_linear


class Weather(BaseModel):
    """The weather at a place."""

    place: str
    celsius: float = 0


class Joke(BaseModel):
    text: str


OSLO = Weather(place="Oslo")
CALL = {"name": "Weather", "args": {"place": "Oslo"}, "id": "call_1"}
CALLS = AIMessage("", tool_calls=[CALL])
TEXT = '{"place": "Oslo"}'


class Model:
    """Returns one reply and records its arguments."""

    def __init__(self, reply: Any) -> None:
        self.reply = reply
        self.calls: list[Any] = []

    def __call__(self, question: Any, **settings: Any) -> Any:
        self.calls.append((question, settings))
        return self.reply


def ask(model: Any, schema: Any, question: Any = "?", **options: Any) -> Any:
    """Return the synchronous result, after checking that the asynchronous one is the same."""
    runnable = with_structured_output(model, schema, **options)
    result = runnable.invoke(question)
    again = asyncio.run(runnable.ainvoke(question))
    assert str(again) == str(result)
    return result


# The arguments of the model


@pytest.mark.parametrize("schema", [Weather, ToolStrategy(Weather), AutoStrategy(Weather)])
def test_a_model_that_takes_anything_is_called_with_tools(schema: Any) -> None:
    model = Model(CALLS)
    assert ask(model, schema, "How is it in Oslo?") == OSLO
    assert model.calls[0] == ("How is it in Oslo?", ToolStrategy(Weather).to_model_kwargs())


def test_a_provider_is_called_with_the_format() -> None:
    model = Model(TEXT)
    assert ask(model, ProviderStrategy(Weather, strict=True)) == OSLO
    schema = model.calls[0][1]["response_format"]["json_schema"]
    assert (schema["name"], schema["strict"]) == ("Weather", True)


def test_a_function_is_called_with_what_it_takes() -> None:
    def plain(question: str) -> str:
        return TEXT

    def with_format(question: str, *, response_format: Any) -> str:
        assert response_format["type"] == "json_schema"
        return TEXT

    def with_tools(question: str, /, tools: Any = None) -> Any:
        assert tools[0]["function"]["name"] == "Weather"
        return CALLS

    async def asynchronous(question: str, tools: Any) -> Any:
        return with_tools(question, tools)

    for model in (plain, with_format, with_tools):
        assert ask(model, Weather) == OSLO
        assert ask(RunnableLambda(model), Weather) == OSLO
        assert ask(lc_runnables.RunnableLambda(model), Weather) == OSLO
    runnable = with_structured_output(asynchronous, Weather)
    assert asyncio.run(runnable.ainvoke("?")) == OSLO


def test_a_function_that_does_not_tell_what_it_takes_is_called_with_the_question() -> None:
    assert ask(defaultdict(lambda: TEXT).__getitem__, Weather) == OSLO

    class Mute:
        __signature__ = "none of your business"

        def __call__(self, question: str) -> str:
            return TEXT

    assert ask(Mute(), Weather) == OSLO


@pytest.mark.parametrize("schema", [Weather, AutoStrategy(Weather), ProviderStrategy(Weather)])
def test_a_function_of_the_question_alone_is_told_the_schema_in_it(schema: Any) -> None:
    asked: list[Any] = []

    def plain(question: Any) -> str:
        asked.append(question)
        return TEXT

    assert ask(plain, schema, "How is it in Oslo?") == OSLO
    first, *_ = asked
    assert first.startswith("How is it in Oslo?\n\n")
    assert '"celsius": {' in first
    messages = [AIMessage("How is it?")]
    assert ask(plain, schema, messages) == OSLO
    assert asked[-1] is messages


def test_a_function_that_takes_settings_is_asked_nothing_but_the_question() -> None:
    model = Model(CALLS)
    ask(model, Weather, "Oslo?")
    assert [question for question, _ in model.calls] == ["Oslo?", "Oslo?"]

    def by_itself(question: str) -> AIMessage:
        assert question == "Oslo?"
        return CALLS

    # Format instructions cannot ask for a call.
    assert ask(by_itself, ToolStrategy(Weather), "Oslo?") == OSLO


@pytest.mark.parametrize(
    "text",
    [
        f"```json\n{TEXT}\n```",
        f"Here it is:\n```\n{TEXT}\n```\nAnything else?",
        f"```JSON\n{TEXT}\n```",
    ],
)
def test_an_answer_may_stand_in_a_code_fence(text: str) -> None:
    assert ask(Model(text), Weather) == OSLO


def test_a_fence_may_stand_in_an_answer_in_a_fence() -> None:
    text = '```JSON\n{"place": "Write ```"}\n```'
    assert ask(Model(text), Weather) == Weather(place="Write ```")


@pytest.mark.parametrize(
    "text",
    [
        '```json\n{"place": "Os\n```',
        f"```json\n{TEXT}",
        f"```\n{TEXT}\n```\n```\n{TEXT}\n```",
        f"{TEXT} ok",
    ],
)
def test_a_fence_with_half_a_value_or_a_second_fence_is_no_answer(text: str) -> None:
    with pytest.raises(StructuredOutputValidationError, match="for Weather: Native"):
        ask(Model(text), Weather)


def test_fences_without_end_take_linear_time() -> None:
    def read(text: str) -> None:
        with pytest.raises(StructuredOutputValidationError):
            with_structured_output(Model(text), Weather).invoke("?")

    for first, then in (("", "```{"), ("```", " "), ("", "```json")):
        assert_linear(read, lambda times, a=first, b=then: a + b * times, 1_000)


def test_a_runnable_may_be_the_model() -> None:
    class OurModel(Runnable[str, AIMessage]):
        @override
        def invoke(self, input: str, config: Any = None, **kwargs: Any) -> AIMessage:
            assert set(kwargs) == {"tools", "tool_choice"}
            return CALLS

    assert ask(OurModel(), Weather) == OSLO


class TheirModel(lc_models.GenericFakeChatModel):
    """A LangChain chat model that can be bound to tools."""

    messages: Iterator[Any]
    settings: list[Any] = []  # noqa: RUF012 - pydantic copies it

    @override
    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self.bind(tools=tools, **kwargs)

    @override
    def _generate(
        self, messages: Any, stop: Any = None, run_manager: Any = None, **kwargs: Any
    ) -> Any:
        self.settings.append(kwargs)
        return super()._generate(messages, stop, run_manager, **kwargs)


def replies(reply: Any) -> Iterator[Any]:
    while True:
        yield reply


def test_a_chat_model_of_langchain_is_bound_to_the_tools_or_the_format() -> None:
    message = lc_messages.AIMessage("", tool_calls=[CALL])
    model = TheirModel(messages=replies(message))
    assert ask(model, Weather) == OSLO
    (tool,) = model.settings[0]["tools"]
    assert (tool["function"]["name"], model.settings[0]["tool_choice"]) == ("Weather", "any")

    model = TheirModel(messages=replies(TEXT), profile={"structured_output": True})
    assert ask(model, Weather) == OSLO
    assert set(model.settings[0]) == {"response_format"}

    unbound = lc_models.GenericFakeChatModel(messages=replies(message))
    assert ask(unbound, Weather) == OSLO


def test_the_chunks_of_a_stream_are_added_up() -> None:
    model = TheirModel(messages=replies(TEXT))
    assert list(with_structured_output(model, ProviderStrategy(Weather)).stream("?")) == [OSLO]


# The results of the model

OPENAI = {
    "object": "chat.completion",
    "choices": [
        {
            "message": {
                "role": "assistant",
                "content": None,
                "tool_calls": [
                    {
                        "id": "call_1",
                        "type": "function",
                        "function": {"name": "Weather", "arguments": TEXT},
                    }
                ],
            }
        }
    ],
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "content": [{"type": "tool_use", "id": "1", "name": "Weather", "input": json.loads(TEXT)}],
}


@pytest.mark.parametrize(
    "reply",
    [
        TEXT,
        AIMessage(TEXT),
        CALLS,
        lc_messages.AIMessage(TEXT),
        lc_messages.AIMessage("", tool_calls=[CALL]),
        OPENAI,
        SimpleNamespace(model_dump=lambda: OPENAI),
        ANTHROPIC,
    ],
)
def test_the_response_may_come_in_any_form(reply: Any) -> None:
    assert ask(Model(reply), Weather) == OSLO


def test_of_a_union_the_model_chooses() -> None:
    joke = AIMessage("", tool_calls=[{"name": "Joke", "args": {"text": "Ha."}, "id": "1"}])
    assert ask(Model(joke), Weather | Joke) == Joke(text="Ha.")
    assert ask(Model(CALLS), Weather | Joke) == OSLO
    with pytest.raises(
        StructuredOutputError, match="a structured response of the type Weather or Joke"
    ):
        ask(Model("Ha."), Weather | Joke)


def test_a_json_schema_gives_a_dictionary() -> None:
    schema = {"title": "Weather", "type": "object", "properties": {"place": {"type": "string"}}}
    assert ask(Model(CALLS), schema) == {"place": "Oslo"}


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        ("It rains.", StructuredOutputValidationError),
        ('{"celsius": 3}', StructuredOutputValidationError),
        (AIMessage("", tool_calls=[{**CALL, "args": {}}]), StructuredOutputValidationError),
        (AIMessage("", tool_calls=[CALL, CALL]), MultipleStructuredOutputsError),
        (AIMessage("", tool_calls=[{**CALL, "name": "search"}]), StructuredOutputError),
        (AIMessage([{"type": "refusal", "refusal": "I won't."}]), ModelRefusalError),
    ],
)
def test_what_is_no_response_is_an_error(reply: Any, error: type[OutputParserException]) -> None:
    with pytest.raises(error) as caught:
        ask(Model(reply), Weather)
    assert caught.value.observation
    raw = ask(
        Model(reply), ToolStrategy(Weather) if reply == "It rains." else Weather, include_raw=True
    )
    assert (raw["raw"], raw["parsed"]) == (reply, None)
    assert isinstance(raw["parsing_error"], OutputParserException)


def test_a_call_is_no_response_of_a_provider() -> None:
    with pytest.raises(StructuredOutputError, match="a structured response of the type Weather"):
        ask(Model(CALLS), ProviderStrategy(Weather))


def test_a_refusal_without_a_call_is_an_error_for_tools_too() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "I won't."})
    with pytest.raises(ModelRefusalError, match="I won't"):
        ask(Model(refusal), ToolStrategy(Weather))


def test_the_raw_reply_may_be_kept() -> None:
    raw = ask(Model(CALLS), Weather, include_raw=True)
    assert raw == {"raw": CALLS, "parsed": OSLO, "parsing_error": None}


def test_a_reply_that_is_no_message_is_the_callers_mistake() -> None:
    with pytest.raises(TypeError, match="expected a message"):
        ask(Model(5), Weather)
    with pytest.raises(ValueError, match="Unsupported schema type"):
        with_structured_output(Model(TEXT), int)
