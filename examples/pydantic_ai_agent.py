# pip install "agent-parsers[pydantic-ai]" && python examples/pydantic_ai_agent.py
"""An agent of Pydantic AI with a model that writes its calls as text.

A model with scripted replies stands in for yours: the function of a client, such as
`partial(client.chat.completions.create, model="qwen3")`.
"""

from __future__ import annotations

from pydantic_ai import Agent

from agent_parsers.testing import ScriptedModel
from agent_serving.pydantic_ai import DialectModel


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

if __name__ == "__main__":
    agent = Agent(DialectModel(ScriptedModel(SCRIPT), "hermes"), tools=[area])
    done = agent.run_sync("How large is Lake Thun?")
    print(done.output)
    print(agent.run_sync("And Lake Brienz?", message_history=done.all_messages()).output)

# $ python examples/pydantic_ai_agent.py
# > Lake Thun has 48.3 km².
# > Lake Brienz has 29.8 km².
