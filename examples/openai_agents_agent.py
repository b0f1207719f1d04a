# pip install "agent-parsers[openai-agents]" && python examples/openai_agents_agent.py
"""An agent of the OpenAI Agents SDK with a model that writes its calls as text.

A model with scripted replies stands in for yours: the function of a client, such as
`partial(client.chat.completions.create, model="qwen3")`.
"""

from __future__ import annotations

import asyncio

from agents import Agent, Runner, function_tool, set_tracing_disabled

from agent_parsers.testing import ScriptedModel
from agent_serving.openai_agents import AgentsDialectModel


def area(lake: str) -> str:
    """Look up how large a lake is.

    Args:
        lake: Name of the lake.
    """
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


SCRIPT = [
    'I look.\n<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>',
    "Lake Thun has 48.3 km².",
    '<tool_call>\n{"name": "area", "arguments": {"lake": "Brienz"}}\n</tool_call>',
    "Lake Brienz has 29.8 km².",
]


async def main() -> None:
    """Ask two questions."""
    model = AgentsDialectModel(ScriptedModel(SCRIPT), "hermes")
    agent = Agent("Lakes", model=model, tools=[function_tool(area)])
    done = await Runner.run(agent, "How large is Lake Thun?")
    print(done.final_output)
    past = [*done.to_input_list(), {"role": "user", "content": "And Lake Brienz?"}]
    print((await Runner.run(agent, past)).final_output)  # type: ignore[arg-type]


if __name__ == "__main__":
    set_tracing_disabled(True)
    asyncio.run(main())

# $ python examples/openai_agents_agent.py
# > Lake Thun has 48.3 km².
# > Lake Brienz has 29.8 km².
