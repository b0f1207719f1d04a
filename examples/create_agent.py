# pip install "agent-parsers[langchain]" langchain langgraph && python examples/create_agent.py
"""LangChain's `create_agent` with a model that writes its calls as text, and a memory.

A model with scripted replies stands in for yours: `llm=ChatOllama(…)`, or any other of LangChain.
"""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver

from agent_serving.langchain import DialectChatModel


@tool
def area(lake: str) -> str:
    """Look up how large a lake is."""
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


SCRIPT = [
    'I look.\n<tool_call>\n{"name": "aera", "arguments": {"lake": "Thun"}}\n</tool_call>',
    'I look.\n<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>',
    "Lake Thun has 48.3 km².",
    '<tool_call>\n{"name": "area", "arguments": {"lake": "Brienz"}}\n</tool_call>',
    "Lake Brienz has 29.8 km².",
]

if __name__ == "__main__":
    llm = GenericFakeChatModel(messages=iter(map(AIMessage, SCRIPT)))
    model = DialectChatModel(llm=llm, dialect="hermes")
    agent: Any = create_agent(model, [area], checkpointer=InMemorySaver())
    thread = {"configurable": {"thread_id": "lakes"}}
    for question in ("How large is Lake Thun?", "And Lake Brienz?"):
        asked = {"messages": [("user", question)]}
        for update in agent.stream(asked, thread, stream_mode="updates"):
            for message in next(iter(update.values()))["messages"]:
                print(message.content or message.tool_calls[0]["args"])

# $ python examples/create_agent.py
# > I look.
# > 48.3 km²
# > Lake Thun has 48.3 km².
# > {'lake': 'Brienz'}
# > 29.8 km²
# > Lake Brienz has 29.8 km².
