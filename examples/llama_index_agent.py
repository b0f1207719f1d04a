# pip install "agent-parsers[llama-index]" && python examples/llama_index_agent.py
"""An agent of LlamaIndex with a model that writes its calls as text.

A model with scripted replies stands in for yours: the function of a client, such as
`partial(client.chat.completions.create, model="qwen3")`.
"""

from __future__ import annotations

import asyncio

from llama_index.core.agent.workflow import FunctionAgent
from llama_index.core.memory import ChatMemoryBuffer

from agent_parsers.testing import ScriptedModel
from agent_serving.llama_index import DialectLLM


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
    llm = DialectLLM(model=ScriptedModel(SCRIPT), dialect="hermes")
    agent = FunctionAgent(tools=[area], llm=llm)
    memory = ChatMemoryBuffer.from_defaults(tokenizer_fn=str.split)
    for question in ("How large is Lake Thun?", "And Lake Brienz?"):
        print(await agent.run(question, memory=memory))


if __name__ == "__main__":
    asyncio.run(main())

# $ python examples/llama_index_agent.py
# > Lake Thun has 48.3 km².
# > Lake Brienz has 29.8 km².
