# pip install "agent-parsers[smolagents]" && python examples/smolagents_agent.py
"""An agent of smolagents with a model that writes its calls as text.

A model with scripted replies stands in for yours: the function of a client, such as
`partial(client.chat.completions.create, model="qwen3")`.
"""

from __future__ import annotations

from smolagents import ToolCallingAgent, tool

from agent_parsers.testing import ScriptedModel
from agent_serving.smolagents import SmolDialectModel


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
    model = SmolDialectModel(ScriptedModel(SCRIPT), "hermes")
    agent = ToolCallingAgent(tools=[tool(area)], model=model, verbosity_level=0)
    print(agent.run("How large is Lake Thun?"))
    print(agent.run("And Lake Brienz?", reset=False))

# $ python examples/smolagents_agent.py
# > Lake Thun has 48.3 km².
# > Lake Brienz has 29.8 km².
