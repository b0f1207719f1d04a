# pip install "agent-parsers[langchain]" && python examples/langchain_agent.py
"""LangChain's executor with any dialect, using `as_langchain`.

A model with scripted replies stands in for yours.
"""

from __future__ import annotations

from textwrap import indent
from typing import TYPE_CHECKING, Any

from langchain_classic.agents import AgentExecutor
from langchain_core.language_models import FakeMessagesListChatModel
from langchain_core.messages import AIMessage, ToolCall
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool

from agent_parsers import get_parser

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage


@tool
def area(lake: str) -> str:
    """Look up how large a lake is."""
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


CALLS = [
    ToolCall(name="area", args={"lake": "Thun"}, id="1", type="tool_call"),
    ToolCall(name="area", args={"lake": "Brienz"}, id="2", type="tool_call"),
]
SCRIPTS: dict[str, list[BaseMessage]] = {
    "react": [
        AIMessage("I have to look.\nAction: aera\nAction Input: Thun"),  # there is no such tool
        AIMessage("I have to look.\nAction: area\nAction Input: Thun"),
        AIMessage("I know now.\nFinal Answer: Lake Thun has 48.3 km²."),
    ],
    "tools": [
        AIMessage("Let me see.", tool_calls=CALLS),
        AIMessage("Lake Thun is larger."),
    ],
}


def executor(name: str) -> AgentExecutor:
    """Return LangChain's executor with the dialect called *name*."""
    parser = get_parser(name, tools=[area]).as_langchain()

    def prompt(given: dict[str, Any]) -> list[BaseMessage]:
        return parser.render_prompt(given["input"], given["intermediate_steps"])

    # With a model that calls tools: model.bind_tools([area])
    model = FakeMessagesListChatModel(responses=SCRIPTS[name]).bind(stop=parser.stop)
    agent = RunnableLambda(prompt) | model | parser
    return AgentExecutor(
        agent=agent, tools=[area], handle_parsing_errors=True, return_intermediate_steps=True
    )


if __name__ == "__main__":
    for name in SCRIPTS:
        done = executor(name).invoke({"input": "How large is Lake Thun?"})
        print(f"{name}: {done['output']}")
        for action, observation in done["intermediate_steps"]:
            print(f"  {action.tool}:")
            print(indent(observation, "    "))

# $ python examples/langchain_agent.py
# > react: Lake Thun has 48.3 km².
# >   _Exception:
# >     There is no tool 'aera'. Did you mean 'area'? The tools are: area.
# >     For example: Action: area
# >     Action Input: Thun
# >   area:
# >     48.3 km²
# > tools: Lake Thun is larger.
# >   area:
# >     48.3 km²
# >   area:
# >     29.8 km²
