"""Agents of OpenAI's and Anthropic's clients before the whole server, with a model behind it."""

import asyncio
import json
from functools import partial
from typing import Any

import anthropic
import openai
import pytest

from ...helpers.text_upstream import TextUpstream, Written
from .served import CALL, TURN, clients, reply_of

SCHEMA: Any = {
    "type": "object", "properties": {"lake": {"type": "string"}}, "required": ["lake"],
}  # fmt: skip
FUNCTION: Any = {
    "type": "function", "name": "area", "description": "How large a lake is.", "strict": False,
    "parameters": SCHEMA,
}  # fmt: skip
TOOL: Any = {"name": "area", "description": "How large a lake is.", "input_schema": SCHEMA}
QUESTION: Any = {"role": "user", "content": "How large are they?"}
ANSWER = "<think>Thun it is.</think>Thun is larger. END of it"
streamed_and_whole = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


def write(body: dict[str, Any]) -> Written:
    """Return two calls, and the answer when both results have come."""
    prompt = json.dumps(body["messages"], ensure_ascii=False)
    return Written(ANSWER if "48 km²" in prompt and "38 km²" in prompt else TURN, piece=7)


@streamed_and_whole
def test_an_agent_of_openai_comes_to_its_answer(stream: bool) -> None:
    async def run() -> None:
        async with clients(write) as (of_openai, _, upstream):
            asked: Any = {"model": "m", "instructions": "Be brief.", "tools": [FUNCTION]}
            ask = partial(reply_of, of_openai.responses, stream=stream, **asked)
            first = await ask(input=[QUESTION])
            kinds = [item.type for item in first.output]
            assert kinds == ["reasoning", "message", "function_call", "function_call"]
            assert first.output_text == "Let me look."
            results = [
                {"type": "function_call_output", "call_id": item.call_id, "output": output}
                for item, output in zip(first.output[2:], ("48 km²", "38 km²"), strict=True)
            ]
            last = await ask(input=[QUESTION, *first.output, *results])
            assert [item.type for item in last.output] == ["reasoning", "message"]
            assert last.output_text == "Thun is larger. END of it"
            prompt = json.dumps(upstream.requests[-1][1]["messages"])
            assert "Be brief." in prompt
            assert "I need both." in prompt

    asyncio.run(run())


@streamed_and_whole
def test_an_agent_of_anthropic_comes_to_its_answer(stream: bool) -> None:
    async def run() -> None:
        async with clients(write) as (_, of_anthropic, upstream):
            asked: Any = {
                "model": "m", "system": "Be brief.", "tools": [TOOL], "max_tokens": 70,
                "stop_sequences": ["END"],
            }  # fmt: skip
            ask = partial(reply_of, of_anthropic.messages, stream=stream, **asked)
            first = await ask(messages=[QUESTION])
            kinds = [block.type for block in first.content]
            assert kinds == ["thinking", "text", "tool_use", "tool_use"]
            assert first.stop_reason == "tool_use"
            results = [
                {"type": "tool_result", "tool_use_id": block.id, "content": content}
                for block, content in zip(first.content[2:], ("48 km²", "38 km²"), strict=True)
            ]
            talk = [
                QUESTION,
                {"role": "assistant", "content": first.content},
                {"role": "user", "content": results},
            ]
            last = await ask(messages=talk)
            assert [block.type for block in last.content] == ["thinking", "text"]
            assert last.content[1].text.strip() == "Thun is larger."
            assert (last.stop_reason, last.stop_sequence) == ("stop_sequence", "END")
            body = upstream.requests[-1][1]
            assert body["max_tokens"] == 70
            assert "I need both." in json.dumps(body["messages"])

    asyncio.run(run())


def test_a_stream_that_breaks_off_raises_in_either_client() -> None:
    text = "It is a long answer, of which some is sent. " * 9

    async def run() -> None:
        broken = Written(text, fault="closed")
        async with clients(lambda _: broken) as (of_openai, of_anthropic, _):
            with pytest.raises(openai.APIError) as theirs:
                async with of_openai.responses.stream(model="m", input="?") as events:
                    await events.get_final_response()
            with pytest.raises(anthropic.APIStatusError) as others:
                async with of_anthropic.messages.stream(
                    model="m", max_tokens=9, messages=[QUESTION]
                ) as answer:
                    await answer.get_final_message()
            assert theirs.value.message in str(others.value)
            with pytest.raises(openai.APIStatusError):
                await of_openai.responses.create(model="m", input="?")

    asyncio.run(run())


def test_a_request_that_is_refused_says_why_to_either_client() -> None:
    async def run() -> None:
        async with clients(lambda _: Written("Yes.")) as (of_openai, of_anthropic, upstream):
            with pytest.raises(openai.BadRequestError, match="`conversation` refers to"):
                await of_openai.responses.create(model="m", input="?", conversation="c")
            with pytest.raises(anthropic.BadRequestError, match="'depth', which is not in"):
                await of_anthropic.messages.create(
                    model="m", max_tokens=9, messages=[QUESTION], tools=[TOOL],
                    tool_choice={"type": "tool", "name": "depth"},
                )  # fmt: skip
            assert not upstream.requests

    asyncio.run(run())


def test_a_custom_tool_is_called_through_the_server() -> None:
    call = '<tool_call>\n{"name": "run", "arguments": {"input": "ls"}}\n</tool_call>'

    async def run() -> None:
        async with clients(lambda _: Written(call)) as (of_openai, _, _up):
            tool: Any = {"type": "custom", "name": "run"}
            async with of_openai.responses.stream(
                model="m", input="?", tools=[tool], tool_choice=tool
            ) as events:
                (item,) = (await events.get_final_response()).output
            assert (item.type, item.name, item.input) == ("custom_tool_call", "run", "ls")

    asyncio.run(run())


def test_a_begun_message_is_refused_where_no_model_continues_it() -> None:
    begun: Any = [QUESTION, {"role": "assistant", "content": "They are"}]

    async def run() -> None:
        async with clients(lambda _: Written(CALL % "x")) as (_, of_anthropic, _up):
            with pytest.raises(anthropic.BadRequestError, match="the last message is the assist"):
                await of_anthropic.messages.create(model="m", max_tokens=9, messages=begun)

    asyncio.run(run())


@pytest.mark.parametrize(
    ("server", "name"),
    [("llama_cpp", "thinking_budget_tokens"), ("vllm", "thinking_token_budget")],
)
def test_a_budget_of_thoughts_has_the_name_of_the_server(server: str, name: str) -> None:
    async def run() -> None:
        async with clients(lambda _: Written("Yes."), server=server) as (_, of_anthropic, upstream):
            await of_anthropic.messages.create(
                model="m", max_tokens=4_000, messages=[QUESTION],
                thinking={"type": "enabled", "budget_tokens": 2_000},
            )  # fmt: skip
            ((_headers, body),) = upstream.requests
            assert body[name] == 2_000
            assert body["reasoning_effort"] == "low"
            assert len([each for each in body if "budget" in each]) == 1

    asyncio.run(run())


def area(lake: str) -> str:
    """Looks up how large a lake is."""
    return {"Thun": "48 km²", "Zug": "38 km²"}[lake]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
@pytest.mark.parametrize("api", ["responses", "messages"])
def test_an_agent_of_pydantic_ai_comes_to_its_answer(api: str, stream: bool) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.anthropic import AnthropicModel
    from pydantic_ai.models.openai import OpenAIResponsesModel
    from pydantic_ai.providers.anthropic import AnthropicProvider
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> None:
        async with clients(write) as (of_openai, of_anthropic, _):
            model: Any = (
                OpenAIResponsesModel("m", provider=OpenAIProvider(openai_client=of_openai))
                if api == "responses"
                else AnthropicModel("m", provider=AnthropicProvider(anthropic_client=of_anthropic))
            )
            agent = Agent(model, tools=[area])
            async with agent.iter("How large are they?") as steps:
                async for step in steps:
                    if stream and Agent.is_model_request_node(step):
                        async with step.stream(steps.ctx) as events:
                            async for _event in events:
                                pass
            assert steps.result is not None
            assert steps.result.output == "Thun is larger. END of it"

    asyncio.run(run())


def test_tokens_are_counted_with_the_tools() -> None:
    upstream = TextUpstream(write, pages={"/tokenize": {"count": 77}})

    async def run() -> None:
        async with clients(upstream, server="vllm") as (_, of_anthropic, _up):
            counted = await of_anthropic.messages.count_tokens(
                model="m", messages=[QUESTION], tools=[TOOL]
            )
            assert counted.input_tokens == 77
            ((path, body),) = upstream.asked
            assert path == "/tokenize"
            assert '"name": "area"' in body["messages"][0]["content"]

    asyncio.run(run())
