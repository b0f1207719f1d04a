# pip install "agent-parsers[openai]" && python examples/openai_loop.py
"""An agent with the `openai` client, using native tool calls or any text dialect.

A local server stands in for the model; without ``base_url``, requests go to OpenAI's API.
"""

from __future__ import annotations

import asyncio
import sys
from textwrap import indent
from typing import TYPE_CHECKING, Any

from executor import area, arun, run
from openai import AsyncOpenAI, OpenAI
from scripted_server import Reply, ScriptedServer

from agent_parsers import ToolSet, get_parser, to_openai

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from outputs import BaseMessage

QUESTION = "Which is larger, Lake Thun or Lake Brienz?"
SCRIPTS: dict[str, list[Reply | str]] = {
    "openai_tools": [
        Reply(calls=[("area", '{"lake": "Thun"}'), ("area", '{"lake": "Bri')]),  # it is cut off
        Reply(calls=[("area", '{"lake": "Thun"}'), ("area", '{"lake": "Brienz"}')]),
        "Lake Thun is larger.",
    ],
    "react": [
        "I need both areas.\nAction: area\nAction Input: Thun\nObservation: 7 km²",
        "Now the other one.\nAction: area\nAction Input: Brienz",
        "I now know the final answer\nFinal Answer: Lake Thun is larger.",
    ],
}


def main(name: str) -> None:
    """Run the agent with the dialect or parser called *name*."""
    tools = ToolSet([area])
    parser = get_parser(name, tools=tools)

    def request(prompt: list[BaseMessage], stop: list[str]) -> dict[str, Any]:
        beside: dict[str, Any] = {"tools": tools.openai_tools()}
        if stop:  # a text dialect lists the tools in the prompt
            beside = {"stop": stop}
        return {"model": "gpt-5", "messages": to_openai(prompt), "stream": True, **beside}

    with ScriptedServer(SCRIPTS[name] * 2) as server:
        url = f"{server.url}/v1"

        def model(prompt: list[BaseMessage], stop: list[str]) -> Iterator[Any]:
            with OpenAI(base_url=url, api_key="none") as client:
                yield from client.chat.completions.create(**request(prompt, stop))

        async def amodel(prompt: list[BaseMessage], stop: list[str]) -> AsyncIterator[Any]:
            async with AsyncOpenAI(base_url=url, api_key="none") as client:
                async for chunk in await client.chat.completions.create(**request(prompt, stop)):
                    yield chunk

        run(model, QUESTION, parser, tools, lambda text: print(text, end="|"))
        print()
        print("async:", asyncio.run(arun(amodel, QUESTION, parser, tools, len)))
    for turn in (1, 2):
        told = server.requests[turn]["messages"][-1]["content"]
        print(f"after turn {turn} the model was told:")
        print(indent(told, "    "))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "openai_tools")

# $ python examples/openai_loop.py
# > Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     The arguments of area are cut off, so nothing was done. Call it again, with all of them.
# > after turn 2 the model was told:
# >     29.8 km²
# $ python examples/openai_loop.py react
# > Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     Observation: 48.3 km²
# > after turn 2 the model was told:
# >     Observation: 29.8 km²
