# pip install "agent-parsers[anthropic]" && python examples/anthropic_loop.py
"""An agent with the `anthropic` client, using native tool calls or any text dialect.

A local server stands in for the model; without ``base_url``, requests go to Anthropic's API.
"""

from __future__ import annotations

import asyncio
import sys
from functools import partial
from textwrap import indent
from typing import TYPE_CHECKING

from anthropic import Anthropic, AsyncAnthropic
from executor import area
from scripted_server import Reply, ScriptedServer

from agent_parsers import AnswerDelta, arun_agent, get_parser, run_agent

if TYPE_CHECKING:
    from agent_parsers import Event

QUESTION = "Which is larger, Lake Thun or Lake Brienz?"
CALL = """\
<function_calls>
<invoke name="area">
<parameter name="lake">Thun</parameter>
</invoke>
</function_calls>"""
OTHER = """\
<invoke name="area">
<parameter name="lake">Brienz</parameter>
</invoke>
</function_calls>"""
SCRIPTS: dict[str, list[Reply | str]] = {
    "anthropic_blocks": [
        Reply("I look up both. ", calls=[("aera", '{"lake": "Thun"}')]),  # there is no such tool
        Reply(calls=[("area", '{"lake": "Thun"}'), ("area", '{"lake": "Brienz"}')]),
        "Lake Thun is larger.",
    ],
    "anthropic_xml": [
        CALL.replace("area", "aera"),
        CALL.replace("</function_calls>", OTHER),
        "<final_answer>Lake Thun is larger: Lake Brienz has only 29.8 km².</final_answer>",
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
        with Anthropic(base_url=server.url, api_key="none") as client:
            model = partial(client.messages.create, model="claude-5", max_tokens=1000)
            run_agent(model, QUESTION, parser, on_event=show)
        print()
        print("async:", asyncio.run(again(server.url, name)))
    for turn in (1, 2):
        told = server.requests[turn]["messages"][-1]["content"]
        print(f"after turn {turn} the model was told:")
        blocks = [{"content": told}] if isinstance(told, str) else told
        print(indent("\n".join(block["content"] for block in blocks), "    "))


async def again(url: str, name: str) -> str:
    """Do the same with the asynchronous client, and without streaming; return the answer."""
    async with AsyncAnthropic(base_url=url, api_key="none") as client:
        model = partial(client.messages.create, model="claude-5", max_tokens=1000)
        run = await arun_agent(model, QUESTION, get_parser(name, tools=[area]))
        return str(run.output)


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "anthropic_blocks")

# $ python examples/anthropic_loop.py
# > I look| up bo|th. |Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     There is no tool 'aera'. Did you mean 'area'? The tools are: area.
# >     For example, call area with these arguments:
# >     {"lake": "Thun"}
# > after turn 2 the model was told:
# >     48.3 km²
# >     29.8 km²
# $ python examples/anthropic_loop.py anthropic_xml
# > Lake| Thun| is lar|ger: L|ake Br|ienz h|as onl|y 29.8| km².|
# > async: Lake Thun is larger: Lake Brienz has only 29.8 km².
# > after turn 1 the model was told:
# >     <function_results>
# >     <result>
# >     <tool_name>error</tool_name>
# >     <stdout>
# >     There is no tool 'aera'. Did you mean 'area'? The tools are: area.
# >     For example: <function_calls>
# >     <invoke name="area">
# >     <parameter name="lake">Thun</parameter>
# >     </invoke>
# >     </function_calls>
# >     </stdout>
# >     </result>
# >     </function_results>
# > after turn 2 the model was told:
# >     <function_results>
# >     <result>
# >     <tool_name>area</tool_name>
# >     <stdout>
# >     48.3 km²
# >     </stdout>
# >     </result>
# >     <result>
# >     <tool_name>area</tool_name>
# >     <stdout>
# >     29.8 km²
# >     </stdout>
# >     </result>
# >     </function_results>
