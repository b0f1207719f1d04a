# pip install "agent-parsers[openai]" && python examples/openai_loop.py
"""An agent with the `openai` client, using native tool calls or any text dialect.

A local server stands in for the model; without ``base_url``, requests go to OpenAI's API.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING

from executor import area
from openai import AsyncOpenAI, OpenAI
from scripted_server import Reply, ScriptedServer

from agent_parsers import AnswerDelta, arun_agent, get_parser, run_agent

if TYPE_CHECKING:
    from agent_parsers import Event

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


def show(event: Event) -> None:
    """Print the answer while it is written."""
    if isinstance(event, AnswerDelta):
        print(event.text, end="|")


def main(name: str) -> None:
    """Run the agent with the dialect or parser called *name*."""
    parser = get_parser(name, tools=[area])
    with ScriptedServer(SCRIPTS[name] * 2) as server:
        url = f"{server.url}/v1"
        with OpenAI(base_url=url, api_key="none") as client:
            model = partial(client.chat.completions.create, model="gpt-5")
            run_agent(model, QUESTION, parser, on_event=show)
        print()
        print("async:", asyncio.run(again(url, name)))
    for turn in (1, 2):
        told = server.requests[turn]["messages"][-1]["content"]
        print(f"after turn {turn} the model was told:")
        print(indent(told, "    "))


async def again(url: str, name: str) -> str:
    """Do the same with the asynchronous client, and without streaming; return the answer."""
    async with AsyncOpenAI(base_url=url, api_key="none") as client:
        model = partial(client.chat.completions.create, model="gpt-5")
        run = await arun_agent(model, QUESTION, get_parser(name, tools=[area]))
        return str(run.output)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "openai_tools")

# $ python examples/openai_loop.py
# > Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     The arguments of area are cut off, so nothing was done. Call area again, with all arguments.
# > after turn 2 the model was told:
# >     29.8 km²
# $ python examples/openai_loop.py react
# > Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     Observation: 48.3 km²
# > after turn 2 the model was told:
# >     Observation: 29.8 km²
