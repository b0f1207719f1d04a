"""`SmolDialectModel` in agents of smolagents."""

from __future__ import annotations

from typing import Any

import pytest
from PIL import Image
from smolagents import ChatMessage, CodeAgent, MessageRole, ToolCallingAgent, tool
from smolagents.agents import AgentGenerationError

from agent_parsers import OutputParserException
from agent_parsers.testing import ScriptedModel
from agent_serving.smolagents import SmolDialectModel
from outputs import AIMessage

from ..helpers.lake_agent import DEPTHS, DIALECTS, call, called, depth, prompts, two_turns

TOOL = tool(depth)


def agent_of(*script: Any, dialect: str = "hermes", **options: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(script)
    wrapped = SmolDialectModel(model.stream, dialect, **options.pop("model", {}))
    given = {"tools": [TOOL], "verbosity_level": 0, **options}
    return ToolCallingAgent(model=wrapped, **given), model


@pytest.mark.parametrize("spelling", DIALECTS)
def test_two_turns(spelling: str) -> None:
    model = two_turns(spelling)
    wrapped = SmolDialectModel(model, spelling)
    agent = ToolCallingAgent(model=wrapped, tools=[TOOL], verbosity_level=0)
    assert agent.run("How deep is Geneva?") == "310 m."
    assert agent.run("And Como?", reset=False) == "425 m."
    calls = [
        each for step in agent.memory.steps for each in getattr(step, "tool_calls", None) or ()
    ]
    assert [(each.name, each.arguments) for each in calls] == [
        ("depth", {"lake": "Geneva"}), ("final_answer", {"answer": "310 m."}),
        ("depth", {"lake": "Como"}), ("final_answer", {"answer": "425 m."}),
    ]  # fmt: skip
    assert len({each.id for each in calls}) == 4
    last = prompts(model)[-1]
    assert "310 m" in last
    assert "Calling tools" not in last.partition("And Como?")[0].partition("How deep is Geneva?")[2]
    model.assert_done()


@pytest.mark.parametrize("spelling", ["hermes", "react"])
def test_words_before_calls_and_several_results(spelling: str) -> None:
    script = [f"{call()}{call('Geneva', said='')}", "425 m and 310 m."]
    if spelling == "react":
        script = [
            "Thought: Let me look.\nAction: depth\nAction Input: Como",
            "Final Answer: 425 m.",
        ]
    agent, model = agent_of(*script, dialect=spelling)
    agent.run("How deep?")
    last = prompts(model)[-1]
    assert last.count("Let me look.") == 1
    assert last.count("425 m") == 1
    if spelling == "hermes":
        assert last.count("the results of this turn are given together") == 1
        assert last.count("<tool_response>") == 2


def test_a_stream() -> None:
    agent, _ = agent_of(call(), "It has 425 m.", stream_outputs=True)
    steps = [*agent.run("How deep?", stream=True)]
    deltas = [step.content for step in steps if type(step).__name__ == "ChatMessageStreamDelta"]
    assert "".join(filter(None, deltas)) == "Let me look.It has 425 m."
    assert len(deltas) > 6
    assert steps[-1].output == "It has 425 m."


def test_usage_and_reasoning() -> None:
    cost = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    script = [f"<think>Hm.</think>{call(name='width')}", f"<think>Oh.</think>{call()}", "So."]
    agent, _ = agent_of(*(AIMessage(text, usage_metadata=cost) for text in script))
    agent.run("How deep?")
    first = agent.memory.steps[1]
    assert (first.model_output, first.token_usage.input_tokens) == ("Let me look.", 20)
    assert first.model_output_message.raw.additional_kwargs == {"reasoning_content": "Oh."}


def test_a_tool_that_fails_and_a_call_of_the_answer() -> None:
    agent, model = agent_of(
        call("Garda"), call(), called("final_answer", '{"answer": "425 m"}'), max_steps=3
    )
    assert agent.run("How deep?") == DEPTHS["Como"]
    second = prompts(model)[1]
    assert "Error executing tool 'depth' with arguments {'lake': 'Garda'}" in second
    assert "Let me look." in second


def test_a_request_without_tools_goes_to_the_model_as_it_is() -> None:
    code = "Thought: I look.\n<code>\nfinal_answer(depth('Como'))\n</code>"
    model = ScriptedModel([code])
    agent = CodeAgent(
        tools=[TOOL], model=SmolDialectModel(model, "hermes"), verbosity_level=0, max_steps=1
    )
    assert agent.run("How deep?") == "425 m"
    assert "<tools>" not in prompts(model)[0]
    assert "Observation:" in model.calls[0].stop


def test_a_response_format() -> None:
    schema = {"type": "object", "properties": {"km": {"type": "integer"}}, "required": ["km"]}
    form = {"type": "json_schema", "json_schema": {"name": "a", "schema": schema}}
    model = SmolDialectModel(ScriptedModel(["far", '```json\n{"km": "4"}\n```']), "hermes")
    asked = [ChatMessage(MessageRole.USER, "How far?")]
    assert model.generate(asked, response_format=form).content == '{"km": 4}'


def test_pictures_settings_and_what_is_refused() -> None:
    model = ScriptedModel(["A lake.", "So."])
    wrapped = SmolDialectModel(model, "hermes", temperature=0)
    picture = {"type": "image", "image": Image.new("RGB", (1, 1))}
    asked = {"role": "user", "content": [{"type": "text", "text": "What is it?"}, picture]}
    assert wrapped([asked]).content == "A lake."
    assert "image/png" in str(model.calls[0].prompt)
    assert model.calls[0].options == {"temperature": 0}
    with pytest.raises(TypeError, match="cannot contain parts of type audio"):
        wrapped([{"role": "user", "content": [{"type": "audio", "audio": b""}]}])
    odd = ChatMessage(MessageRole.TOOL_CALL, "Calling tools:\nnothing")
    assert wrapped([odd]).content == "So."
    assert "nothing" in prompts(model)[1]


def test_an_error_ends_the_run() -> None:
    broken = ["<tool_call>{"] * 2
    agent, _ = agent_of(*broken, model={"options": {"max_retries": 1}})
    with pytest.raises(AgentGenerationError) as raised:
        agent.run("?")
    assert isinstance(raised.value.__cause__, OutputParserException)
