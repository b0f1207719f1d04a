"""Agents of LangChain and LangGraph with models that write their calls as text."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain.agents import create_agent
from langchain.agents.middleware import AgentMiddleware, ModelResponse
from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import tool
from langgraph.graph import END, START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from agent_laws.trials.conversations import meaning_of
from agent_parsers import AgentAction, AgentFinish, get_parser, to_langchain

from ....helpers.stories import DIALECTS

if TYPE_CHECKING:
    from collections.abc import Callable

OWN_TOOLS = {"self_ask", "smolagents_code"}
NAMES = [each.name for each in DIALECTS if each.name not in OWN_TOOLS]
MEANT = (
    *(("area", "Thun", "48 km2 for Thun"), "It has 48."),
    *(("area", "Zug", "48 km2 for Zug"), "It has 48."),
)


@tool
def area(lake: str) -> str:
    """Tell how large a lake is."""
    return f"48 km2 for {lake}"


def replies(name: str) -> list[str]:
    """Return what a model writes in a dialect, asked for two lakes, one after the other."""
    parser: Any = get_parser(name, tools=[area])
    answer = parser.render(AgentFinish({"output": "It has 48."}, ""))
    calls = [parser.render(AgentAction("area", {"lake": lake})) for lake in ("Thun", "Zug")]
    return [calls[0], answer, calls[1], answer]


class AsText(AgentMiddleware):
    """Asks a model that writes text, in a dialect."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self.name_of_dialect = name

    def wrap_model_call(self, request: Any, handler: Callable[[Any], Any]) -> Any:
        parser: Any = get_parser(self.name_of_dialect, tools=request.tools)
        prompt = parser.render_prompt(history=request.messages, as_messages=True)
        asked = request.override(messages=to_langchain(prompt), tools=[])
        said = handler(asked).result[-1]
        turn = parser.read(said, ended="stop")
        return ModelResponse(
            result=to_langchain(turn, new_id=f"{len(request.messages)}_{{}}".format)
        )


def happened(messages: list[Any]) -> tuple[Any, ...]:
    return tuple(each if isinstance(each, str) else tuple(each) for each in meaning_of(messages)[0])


@pytest.mark.parametrize("name", NAMES)
def test_create_agent_of_langchain_in_two_turns(name: str) -> None:
    model = FakeListChatModel(responses=replies(name))
    agent: Any = create_agent(model, [area], middleware=[AsText(name)])
    state = agent.invoke({"messages": [("user", "How large is Lake Thun?")]})
    state = agent.invoke({"messages": [*state["messages"], ("user", "And Lake Zug?")]})
    assert happened(state["messages"]) == MEANT


@pytest.mark.parametrize("name", NAMES[::9])
def test_a_graph_with_tool_node_in_two_turns(name: str) -> None:
    parser: Any = get_parser(name, tools=[area])
    model = FakeListChatModel(responses=replies(name))

    def ask(state: MessagesState) -> dict[str, Any]:
        prompt = parser.render_prompt(history=state["messages"], as_messages=True)
        turn = parser.read(model.invoke(to_langchain(prompt)), ended="stop")
        new_id = f"{len(state['messages'])}_{{}}".format
        return {"messages": to_langchain(turn, new_id=new_id)}

    def is_calling(state: MessagesState) -> str:
        return "tools" if getattr(state["messages"][-1], "tool_calls", None) else END

    graph: Any = StateGraph(MessagesState)
    graph.add_node("ask", ask)
    graph.add_node("tools", ToolNode([area]))
    graph.add_edge(START, "ask")
    graph.add_conditional_edges("ask", is_calling)
    graph.add_edge("tools", "ask")
    app = graph.compile()
    state = app.invoke({"messages": [("user", "How large is Lake Thun?")]})
    state = app.invoke({"messages": [*state["messages"], ("user", "And Lake Zug?")]})
    assert happened(state["messages"]) == MEANT
