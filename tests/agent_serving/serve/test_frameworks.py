"""Agents of frameworks before `agent-parsers serve`: they come to their answer."""

import asyncio
from typing import Any

import pytest

from ...helpers.text_upstream import Written
from .served import CALL, TOOLS, chatting, served

ANSWER = "<think>Now I know.</think>Lake Thun has 48 km²."


def write(body: Any) -> Written:
    """Return a call, and the answer when its result has come."""
    asked = "".join(str(each["content"]) for each in body["messages"])
    return Written(ANSWER if "<tool_response>" in asked else "I look. " + CALL % "Thun", piece=5)


def area(lake: str) -> str:
    """Looks up how large a lake is."""
    return {"Thun": "48 km²"}[lake]


@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_pydantic_ai(stream: bool) -> None:
    from pydantic_ai import Agent
    from pydantic_ai.models.openai import OpenAIChatModel
    from pydantic_ai.providers.openai import OpenAIProvider

    async def run() -> str:
        async with chatting(write) as (client, _):
            provider = OpenAIProvider(openai_client=client)
            agent = Agent(OpenAIChatModel("m", provider=provider), tools=[area])
            if not stream:
                return (await agent.run("How large is Thun?")).output
            async with agent.run_stream("How large is Thun?") as result:
                return "".join([text async for text in result.stream_text(delta=True)])

    said = asyncio.run(run())
    # Its `run_stream` takes the first text for the answer.
    assert said in (["Lake Thun has 48 km².", "I look."] if stream else ["Lake Thun has 48 km²."])


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_openai_agents(stream: bool, api: str) -> None:
    import agents

    async def run() -> Any:
        async with chatting(write) as (client, _):
            kinds = {
                "chat": agents.OpenAIChatCompletionsModel,
                "responses": agents.OpenAIResponsesModel,
            }
            agent = agents.Agent(
                "Lakes",
                model=kinds[api](model="m", openai_client=client),
                tools=[agents.function_tool(area)],
            )
            agents.set_tracing_disabled(disabled=True)
            if not stream:
                return (await agents.Runner.run(agent, "How large is Thun?")).final_output
            result = agents.Runner.run_streamed(agent, "How large is Thun?")
            async for _ in result.stream_events():
                pass
            return result.final_output

    assert asyncio.run(run()) == "Lake Thun has 48 km²."


# -- what is tried where it is installed -----------------------------------------------------------


@pytest.mark.parametrize("api", ["chat", "responses"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_langchain(stream: bool, api: str) -> None:
    langchain_openai = pytest.importorskip("langchain_openai")
    from langchain.agents import create_agent

    async def run() -> Any:
        async with served(write) as (address, _):
            model = langchain_openai.ChatOpenAI(
                model="m", base_url=f"{address}/v1", api_key="k", streaming=stream,
                use_responses_api=api == "responses",
            )  # fmt: skip
            agent = create_agent(model, [area])
            asked = {"messages": [{"role": "user", "content": "How large is Thun?"}]}
            return (await agent.ainvoke(asked))["messages"][-1].text

    assert asyncio.run(run()) == "Lake Thun has 48 km²."


@pytest.mark.parametrize("provider", ["openai", "anthropic"])
@pytest.mark.parametrize("stream", [False, True], ids=["whole", "streamed"])
def test_litellm(stream: bool, provider: str) -> None:
    litellm = pytest.importorskip("litellm")

    async def run() -> Any:
        async with served(write) as (address, _):
            base = f"{address}/v1" if provider == "openai" else address
            asked: Any = {
                "model": f"{provider}/m", "api_base": base, "api_key": "k", "tools": TOOLS,
                "messages": [{"role": "user", "content": "How large is Thun?"}], "max_tokens": 99,
            }  # fmt: skip

            async def ask() -> Any:
                reply = await litellm.acompletion(**asked, stream=stream)
                if stream:
                    reply = litellm.stream_chunk_builder([chunk async for chunk in reply])
                return reply.choices[0]

            choice = await ask()
            assert choice.finish_reason == "tool_calls"
            (call,) = choice.message.tool_calls
            assert (call.function.name, call.function.arguments) == ("area", '{"lake": "Thun"}')
            result = {"role": "tool", "tool_call_id": call.id, "content": "48 km²"}
            asked["messages"] += [choice.message.model_dump(exclude_none=True), result]
            return (await ask()).message.content

    assert asyncio.run(run()) == "Lake Thun has 48 km²."
