"""An agent of two turns in each framework, with its model of ours before the live server.

A grammar makes the small model call the tool in the first turn and answer in the second, so what is
tried is the way of a real reply through the framework, and back into the next prompt.
"""

import asyncio  # no `annotations` of the future: LlamaIndex does not find those of a tool
from collections.abc import Callable
from functools import cache
from typing import Any, Literal, TypeAlias

from agent_parsers import get_parser
from tools.benchmarks.live.server import Server

City: TypeAlias = Literal["Oslo", "Turku"]
"""What the tool takes, so that the grammar leaves the model no other word."""
QUESTION = "Is it raining in Oslo?"
SEEN = "It is raining, 12 °C."
DIALECTS = ("hermes", "react", "qwen3_coder")


def weather(city: City) -> str:
    """Tell the weather in a city now.

    Args:
        city: The name of the city.
    """
    asked.append(city)
    return SEEN


asked: list[str] = []
"""The cities that the tool was asked about."""


def table(server: Server) -> str:
    """Return what each framework did with each dialect."""
    rows = ["| framework | dialect | the tool was asked | the answer |", "|---|---|---|---|"]
    for agent in (create_agent, langgraph, llama_index, openai_agents, pydantic_ai, smolagents):
        for dialect in DIALECTS:
            asked.clear()
            try:
                strict = get_parser(dialect, lenient=False)
                answer = repr(str(agent(_model(server, dialect), strict)))
            except ImportError as error:
                answer = f"not installed: {error.name}"
            except Exception as error:  # noqa: BLE001 - whatever a framework raises is shown
                answer = f"{type(error).__name__}: {error}"
            line = " ".join(answer.split()).replace("|", "\\|")
            rows.append(f"| {agent.__name__} | {dialect} | {', '.join(asked)} | {line:.120} |")
    return "\n".join(rows)


@cache
def _fields(dialect: str, turn: str) -> dict[str, Any]:
    parser = get_parser(dialect, tools=[weather], lenient=False)
    limits: Any = {"max_thought": 80, "max_content": 80 if turn == "answer" else 0, "max_calls": 1}
    return parser.structured_outputs("llama_cpp", turn=turn, **limits)


def _model(server: Server, dialect: str) -> Callable[..., Any]:
    def model(messages: list[dict[str, Any]], stop: Any = ()) -> Any:
        turn = "answer" if SEEN in str(messages) else "call"
        return server.post(
            "/v1/chat/completions", messages=messages, stop=[*stop], max_tokens=160, seed=1,
            **_fields(dialect, turn),
        )  # fmt: skip

    return model


# -- the frameworks --------------------------------------------------------------------------------


def create_agent(model: Any, parser: Any) -> Any:
    """Run an agent of LangChain."""
    from langchain.agents import create_agent

    from agent_serving.langchain import DialectChatModel

    agent: Any = create_agent(DialectChatModel(llm=model, dialect=parser), tools=[weather])
    return agent.invoke({"messages": [("user", QUESTION)]})["messages"][-1].text


def langgraph(model: Any, parser: Any) -> Any:
    """Run a graph of LangGraph with a node for the model and one for the tools."""
    from langgraph.graph import START, MessagesState, StateGraph
    from langgraph.prebuilt import ToolNode, tools_condition

    from agent_serving.langchain import DialectChatModel

    bound = DialectChatModel(llm=model, dialect=parser).bind_tools([weather])
    graph: Any = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [bound.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([weather]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    return graph.compile().invoke({"messages": [("user", QUESTION)]})["messages"][-1].text


def llama_index(model: Any, parser: Any) -> Any:
    """Run an agent of LlamaIndex."""
    from llama_index.core.agent.workflow import FunctionAgent

    from agent_serving.llama_index import DialectLLM

    async def run() -> Any:
        llm = DialectLLM(model=model, dialect=parser)
        return await FunctionAgent(tools=[weather], llm=llm).run(QUESTION)

    return asyncio.run(run())


def openai_agents(model: Any, parser: Any) -> Any:
    """Run an agent of the OpenAI Agents SDK."""
    from agents import Agent, Runner, function_tool, set_tracing_disabled

    from agent_serving.openai_agents import AgentsDialectModel

    set_tracing_disabled(disabled=True)
    tools: list[Any] = [function_tool(weather)]
    agent = Agent("Weather", model=AgentsDialectModel(model, parser), tools=tools)
    return asyncio.run(Runner.run(agent, QUESTION)).final_output


def pydantic_ai(model: Any, parser: Any) -> Any:
    """Run an agent of Pydantic AI."""
    from pydantic_ai import Agent

    from agent_serving.pydantic_ai import DialectModel

    return Agent(DialectModel(model, parser), tools=[weather]).run_sync(QUESTION).output


def smolagents(model: Any, parser: Any) -> Any:
    """Run an agent of smolagents."""
    from smolagents import ToolCallingAgent, tool

    from agent_serving.smolagents import SmolDialectModel

    tools = [tool(weather)]
    agent = ToolCallingAgent(
        tools=tools, model=SmolDialectModel(model, parser), verbosity_level=0, max_steps=3
    )
    return agent.run(QUESTION)
