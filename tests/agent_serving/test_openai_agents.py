"""`AgentsDialectModel` in agents of the OpenAI Agents SDK."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from agents import (
    Agent,
    ModelSettings,
    RunConfig,
    Runner,
    UserError,
    WebSearchTool,
    function_tool,
)

from agent_parsers import OutputParserException
from agent_parsers.testing import ScriptedModel
from agent_serving.openai_agents import AgentsDialectModel
from outputs import AIMessage

from ..helpers.lake_agent import DIALECTS, LAKE, Lake, call, called, depth, prompts, two_turns

TOOL = function_tool(depth)
QUIET = RunConfig(tracing_disabled=True)


def agent_of(*script: Any, dialect: str = "hermes", **options: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(script)
    of_model = {k: options.pop(k) for k in ("hold_content", "on_bad_call") if k in options}
    wrapped = AgentsDialectModel(model.stream, dialect, **of_model)
    return Agent("Lakes", model=wrapped, **{"tools": [TOOL], **options}), model


def run(agent: Any, given: Any = "How deep?", **options: Any) -> Any:
    return asyncio.run(Runner.run(agent, given, **{"run_config": QUIET, **options}))


@pytest.mark.parametrize("spelling", DIALECTS)
def test_two_turns(spelling: str) -> None:
    model = two_turns(spelling)
    wrapped = AgentsDialectModel(model, spelling)
    agent = Agent("Lakes", instructions="Be brief.", model=wrapped, tools=[TOOL])
    first = run(agent, "How deep is Geneva?")
    past = [*first.to_input_list(), {"role": "user", "content": "And Como?"}]
    second = run(agent, past)
    assert (first.final_output, second.final_output) == ("310 m.", "425 m.")
    calls = [each for each in (*past, *second.to_input_list()[len(past) :]) if "arguments" in each]
    assert [(each["name"], each["arguments"]) for each in calls] == [
        ("depth", '{"lake": "Geneva"}'), ("depth", '{"lake": "Como"}'),
    ]  # fmt: skip
    assert calls[0]["call_id"] != calls[1]["call_id"]
    last = prompts(model)[-1]
    assert last.startswith("Be brief.")
    assert "310 m" in last
    model.assert_done()


def test_reasoning_parallel_calls_and_usage() -> None:
    cost = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    script = [
        f"<think>Hm.</think>{call(name='width')}",
        f"<think>Both at once.</think>{call()}{call('Geneva', said='')}",
        "425 m and 310 m.",
    ]
    agent, model = agent_of(*(AIMessage(text, usage_metadata=cost) for text in script))
    done = run(agent)
    kinds = [each.type for each in done.raw_responses[0].output]
    assert kinds == ["reasoning", "message", "function_call", "function_call"]
    usage = done.context_wrapper.usage
    assert (usage.input_tokens, usage.output_tokens, usage.total_tokens) == (30, 6, 36)
    last = prompts(model)[-1]
    for words in ("Both at once.", "425 m", "310 m"):
        assert words in last
    assert "Hm." not in last


def test_a_stream() -> None:
    async def stream() -> tuple[list[Any], Any]:
        agent, _ = agent_of(f"<think>Hm, so.</think>{call()}", "It has 425 m.")
        done = Runner.run_streamed(agent, "How deep?", run_config=QUIET)
        return [event async for event in done.stream_events()], done.final_output

    events, output = asyncio.run(stream())
    assert output == "It has 425 m."
    raw = [event.data for event in events if event.type == "raw_response_event"]
    deltas = [each for each in raw if each.type == "response.output_text.delta"]
    assert len(deltas) > 6
    assert "".join(each.delta for each in deltas) == "Let me look.It has 425 m."
    thought = [each.delta for each in raw if each.type.endswith("summary_text.delta")]
    assert "".join(thought) == "Hm, so."
    named = [event.name for event in events if event.type == "run_item_stream_event"]
    assert named == [
        "reasoning_item_created", "message_output_created", "tool_called", "tool_output",
        "message_output_created",
    ]  # fmt: skip


def test_an_output_type() -> None:
    agent, model = agent_of(call(), "It is deep.", f"```json\n{LAKE}\n```", output_type=Lake)
    assert run(agent).final_output == Lake(name="Como", metres=425)
    model.assert_done()


def test_a_handoff() -> None:
    other, _ = agent_of("425 m.")
    agent, model = agent_of(called("transfer_to_lakes", "{}"), handoffs=[other], tools=[])
    done = run(agent)
    assert (done.final_output, done.last_agent) == ("425 m.", other)
    assert "transfer_to_lakes" in prompts(model)[0]


def test_a_required_call_and_settings() -> None:
    settings = ModelSettings(
        tool_choice="required", parallel_tool_calls=False, temperature=0, extra_args={"seed": 3}
    )
    agent, model = agent_of("No.", call() + call(), call(), "425 m.", model_settings=settings)
    assert run(agent).final_output == "425 m."
    assert model.calls[0].options == {"temperature": 0, "seed": 3}
    named, model = agent_of(
        "No.", call(), "425 m.", model_settings=ModelSettings(tool_choice="depth")
    )
    assert run(named).final_output == "425 m."
    model.assert_done()


def test_a_call_that_is_returned_is_reported_by_the_sdk() -> None:
    agent, model = agent_of(call(name="width"), "Sorry.", on_bad_call="return")
    config = RunConfig(tracing_disabled=True, tool_not_found_behavior="return_error_to_model")
    assert run(agent, run_config=config).final_output == "Sorry."
    assert "width" in prompts(model)[1]


def test_an_empty_reply_ends_the_run() -> None:
    agent, model = agent_of("", tools=[])
    assert run(agent).final_output == ""
    model.assert_done()


def test_what_is_refused() -> None:
    agent, _ = agent_of("Hello.", tools=[WebSearchTool()])
    with pytest.raises(UserError, match="not WebSearchTool"):
        run(agent)
    agent, _ = agent_of("Hello.")
    with pytest.raises(UserError, match="leave out previous_response_id"):
        run(agent, previous_response_id="resp_1")
    agent, _ = agent_of("<tool_call>{", "<tool_call>{", "<tool_call>{")
    with pytest.raises(OutputParserException):
        run(agent)
