"""`DialectModel` in agents of Pydantic AI."""

from __future__ import annotations

import asyncio
from functools import partial
from typing import Any

import pytest
from pydantic_ai import Agent, BinaryContent, ModelRequest, NativeOutput, PromptedOutput
from pydantic_ai.direct import model_request_sync
from pydantic_ai.exceptions import UserError
from pydantic_ai.messages import (
    AudioUrl,
    ModelResponse,
    TextPart,
    ThinkingPart,
    ToolCallPart,
    ToolReturnPart,
    UserPromptPart,
)

from agent_parsers import OutputParserException
from agent_parsers.testing import ScriptedModel
from agent_serving.pydantic_ai import DialectModel
from outputs import AIMessage

from ..helpers.lake_agent import DIALECTS, LAKE, Lake, call, called, depth, prompts, two_turns


def agent_of(*script: Any, dialect: str = "hermes", **options: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(script)
    of_model = {k: options.pop(k) for k in ("hold_content", "on_bad_call") if k in options}
    agent: Any = Agent(DialectModel(model.stream, dialect, **of_model), tools=[depth], **options)
    return agent, model


@pytest.mark.parametrize("spelling", DIALECTS)
def test_two_turns(spelling: str) -> None:
    model = two_turns(spelling)
    agent = Agent(DialectModel(model, spelling), tools=[depth], instructions="Be brief.")
    first = agent.run_sync("How deep is Geneva?")
    second = agent.run_sync("And Como?", message_history=first.all_messages())
    assert (first.output, second.output) == ("310 m.", "425 m.")
    calls = [
        part
        for message in second.all_messages()
        for part in message.parts
        if isinstance(part, ToolCallPart)
    ]
    assert [(each.tool_name, each.args) for each in calls] == [
        ("depth", {"lake": "Geneva"}), ("depth", {"lake": "Como"}),
    ]  # fmt: skip
    assert calls[0].tool_call_id != calls[1].tool_call_id
    last = prompts(model)[-1]
    assert last.startswith("Be brief.")
    assert "310 m" in last
    assert "dept:" not in last
    model.assert_done()


def test_reasoning_content_and_usage() -> None:
    cost = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    agent, model = agent_of(
        AIMessage(f"<think>Hm.</think>{call(name='width')}", usage_metadata=cost),
        AIMessage(f"<think>Oh.</think>{call()}", usage_metadata=cost),
        AIMessage("425 m.", usage_metadata=cost),
    )
    done = agent.run_sync("How deep?")
    said = done.all_messages()[1]
    assert "Oh." in prompts(model)[-1]
    assert [type(part) for part in said.parts] == [ThinkingPart, TextPart, ToolCallPart]
    assert (said.thinking, said.text, said.finish_reason) == ("Oh.", "Let me look.", "tool_call")
    assert (done.usage.input_tokens, done.usage.output_tokens) == (30, 6)
    assert done.all_messages()[-1].finish_reason == "stop"


@pytest.mark.parametrize("spelling", ["hermes", "react"])
def test_a_stream_has_the_answer_and_not_what_stands_beside_a_call(spelling: str) -> None:
    async def run(agent: Any) -> tuple[list[str], int]:
        async with agent.run_stream("How deep?") as done:
            found = [text async for text in done.stream_text(delta=True, debounce_by=None)]
            return found, len(done.all_messages())

    script = [call(), "It has 425 m."]
    if spelling == "react":
        script = [
            "Thought: Let me look.\nAction: depth\nAction Input: Como",
            "Thought: So.\nFinal Answer: It has 425 m.",
        ]
    agent, _ = agent_of(*script, dialect=spelling)
    found, size = asyncio.run(run(agent))
    assert ("".join(found), size) == ("It has 425 m.", 4)
    assert (len(found) > 1) is (spelling == "react")  # where all text is the answer
    if spelling == "hermes":
        hasty, _ = agent_of(*script, hold_content=False)
        assert "".join(asyncio.run(run(hasty))[0]) == "Let me look."


def test_events_of_a_stream() -> None:
    async def run() -> list[Any]:
        agent, _ = agent_of(f"<think>Hm.</think>{call()}", "It has 425 m.", hold_content=False)
        async with agent.run_stream_events("How deep?") as events:
            return [event async for event in events]

    events = asyncio.run(run())
    assert events[-1].result.output == "It has 425 m."
    begun = [event.part.part_kind for event in events if event.event_kind == "part_start"]
    assert begun == ["thinking", "text", "tool-call", "text"]
    assert len([event for event in events if event.event_kind == "part_delta"]) > 2


@pytest.mark.parametrize("form", [Lake, NativeOutput(Lake), PromptedOutput(Lake)])
def test_an_output_type(form: Any) -> None:
    last = called("final_result", LAKE) if form is Lake else LAKE
    script = [call(), "It is deep.", last]
    agent, model = agent_of(*script, output_type=form)
    assert agent.run_sync("How deep?").output == Lake(name="Como", metres=425)
    model.assert_done()


def test_a_call_that_is_returned_is_reported_by_pydantic_ai() -> None:
    agent, model = agent_of(call(name="width"), "Sorry.", on_bad_call="return")
    done = agent.run_sync("How wide?")
    (returned,) = done.all_messages()[2].parts
    assert isinstance(returned, ToolReturnPart)
    assert (returned.outcome, done.output) == ("retried", "Sorry.")
    assert "Unknown tool name: 'width'" in prompts(model)[1]


def test_settings_and_choices() -> None:
    agent, model = agent_of("Hello.", model_settings={"temperature": 0, "stop_sequences": ["END"]})
    agent.run_sync("Hi.")
    assert model.calls[0].options == {"temperature": 0}
    assert "END" in model.calls[0].stop
    agent, model = agent_of(*[call()] * 3, model_settings={"tool_choice": "none"})
    with pytest.raises(OutputParserException):  # it calls all the same
        agent.run_sync("Hi.")
    agent, model = agent_of(
        call() + call(), call(), "So.", model_settings={"parallel_tool_calls": False}
    )
    assert agent.run_sync("Hi.").output == "So."
    said = model_request_sync(
        DialectModel(ScriptedModel(["No.", call()]), "hermes"),
        [ModelRequest.user_text_prompt("?")],
        model_settings={"tool_choice": "required"},
        model_request_parameters=_with_depth(),
    )
    assert isinstance(said.parts[-1], ToolCallPart)


def _with_depth() -> Any:
    from pydantic_ai.models import ModelRequestParameters
    from pydantic_ai.tools import ToolDefinition

    schema = {
        "type": "object",
        "properties": {"lake": {"type": "string"}},
        "required": ["lake"],
    }
    tool = ToolDefinition(name="depth", parameters_json_schema=schema)
    return ModelRequestParameters(function_tools=[tool])


def test_pictures_and_what_is_refused() -> None:
    picture = BinaryContent(b"\x89PNG", media_type="image/png")
    model = ScriptedModel(["A lake."])
    asked = partial(model_request_sync, DialectModel(model, "hermes"))
    said = asked([ModelRequest([UserPromptPart(["What is it?", picture])])])
    assert said.parts == [TextPart("A lake.")]
    assert "image/png" in str(model.calls[0].prompt)
    with pytest.raises(UserError, match="cannot contain AudioUrl"):
        asked([ModelRequest([UserPromptPart([AudioUrl("https://example.com/a.mp3")])])])


def test_a_past_that_fits_no_tool_is_written() -> None:
    model = ScriptedModel(["So."])
    past = [
        ModelRequest.user_text_prompt("How deep?"),
        ModelResponse([ToolCallPart("depth", '{"sea": "Re', "1"), ToolCallPart("gone", {}, "2")]),
        ModelRequest([ToolReturnPart("depth", {"no": "such lake"}, "1", outcome="failed")]),
        ModelRequest.user_text_prompt("Go on."),
    ]
    said = model_request_sync(
        DialectModel(model, "hermes"), past, model_request_parameters=_with_depth()
    )
    assert said.parts == [TextPart("So.")]
    for words in ("such lake", "gone", "Go on."):
        assert words in prompts(model)[0]


def test_errors_that_end_a_run() -> None:
    agent, _ = agent_of("<tool_call>{", "<tool_call>{", "<tool_call>{")
    with pytest.raises(OutputParserException, match="expected the end of the call"):
        agent.run_sync("?")
