# pip install "agent-parsers[anthropic]" && python examples/anthropic_loop.py
"""An agent with the `anthropic` client, using native tool calls or any text dialect.

A local server stands in for the model; without ``base_url``, requests go to Anthropic's API.
"""

from __future__ import annotations

import asyncio
import sys
from textwrap import indent
from typing import TYPE_CHECKING, Any

from anthropic import Anthropic, AsyncAnthropic
from executor import area, arun, run
from scripted_server import Reply, ScriptedServer

from agent_parsers import ToolSet, get_parser, to_anthropic

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator

    from outputs import BaseMessage

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


def main(name: str) -> None:
    """Run the agent with the dialect or parser called *name*."""
    tools = ToolSet([area])
    parser = get_parser(name, tools=tools)

    def request(prompt: list[BaseMessage], stop: list[str]) -> dict[str, Any]:
        beside: dict[str, Any] = {"tools": tools.anthropic_tools()}
        if stop:  # a text dialect lists the tools in the prompt
            system, *prompt = prompt
            beside = {"stop_sequences": stop, "system": system.content}
        return {
            "model": "claude-5",
            "max_tokens": 1000,
            "messages": to_anthropic(prompt),
            "stream": True,
            **beside,
        }

    with ScriptedServer(SCRIPTS[name] * 2) as server:

        def model(prompt: list[BaseMessage], stop: list[str]) -> Iterator[Any]:
            with Anthropic(base_url=server.url, api_key="none") as client:
                yield from client.messages.create(**request(prompt, stop))

        async def amodel(prompt: list[BaseMessage], stop: list[str]) -> AsyncIterator[Any]:
            async with AsyncAnthropic(base_url=server.url, api_key="none") as client:
                async for event in await client.messages.create(**request(prompt, stop)):
                    yield event

        run(model, QUESTION, parser, tools, lambda text: print(text, end="|"))
        print()
        print("async:", asyncio.run(arun(amodel, QUESTION, parser, tools, len)))
    for turn in (1, 2):
        told = server.requests[turn]["messages"][-1]["content"]
        print(f"after turn {turn} the model was told:")
        blocks = [{"content": told}] if isinstance(told, str) else told
        print(indent("\n".join(block["content"] for block in blocks), "    "))


if __name__ == "__main__":
    main(sys.argv[1] if len(sys.argv) > 1 else "anthropic_blocks")

# $ python examples/anthropic_loop.py
# > I look| up bo|th. |Lake T|hun is| large|r.|
# > async: Lake Thun is larger.
# > after turn 1 the model was told:
# >     There is no tool 'aera'. Did you mean 'area'? The tools are: area.
# >     For example, call area with these arguments:
# >     {"lake": "<lake>"}
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
# >     <parameter name="lake"><lake></parameter>
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
