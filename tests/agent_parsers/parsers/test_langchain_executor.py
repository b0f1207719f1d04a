"""Our parsers in LangChain's executor and in LangGraph."""

import asyncio
from typing import Any, TypedDict

import pytest
from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.format_scratchpad import format_to_tool_messages
from langchain_classic.agents.output_parsers.tools import ToolAgentAction
from langchain_core.agents import AgentAction, AgentFinish
from langchain_core.language_models import FakeListLLM
from langchain_core.messages import (
    AIMessage,
    AIMessageChunk,
    BaseMessage,
    HumanMessage,
    InvalidToolCall,
    ToolMessage,
)
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import RunnableLambda, RunnablePassthrough
from langchain_core.tools import StructuredTool
from langgraph.graph import END, START, StateGraph

import agent_parsers
from agent_parsers import get_parser, list_dialects

from ...helpers.scripted_chat import ACT, ANSWER, CALL, OTHER, chat

BROKEN = InvalidToolCall(
    name="area", args='{"lake": "Th', id="1", error="", type="invalid_tool_call"
)
OWN_TOOLS = {"self_ask": "Intermediate Answer", "smolagents_code": "python_interpreter"}
"""The name of the only tool of a dialect."""


def look_up(lake: str) -> str:
    """Looks up how large a lake is."""
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


area = StructuredTool.from_function(look_up, name="area")


def executor(parser: Any, model: Any, tools: Any = (), **options: Any) -> AgentExecutor:
    """LangChain's own loop, with the prompt of the dialect."""

    def prompt(given: dict[str, Any]) -> list[BaseMessage]:
        messages: list[BaseMessage] = parser.render_prompt(
            given["input"], given["intermediate_steps"]
        )
        return messages

    agent = RunnableLambda(prompt) | model.bind(stop=parser.stop) | parser
    return AgentExecutor(
        agent=agent,
        tools=tools or [area],
        return_intermediate_steps=True,
        max_iterations=5,
        **options,
    )


def run(executor: AgentExecutor, how: str) -> dict[str, Any]:
    if how == "async":
        return asyncio.run(executor.ainvoke({"input": "How large is Lake Thun?"}))
    return executor.invoke({"input": "How large is Lake Thun?"})


both = pytest.mark.parametrize("how", ["sync", "async"])
streaming = pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])


@pytest.mark.parametrize("name", list_dialects())
def test_its_executor_runs_every_dialect(name: str) -> None:
    own = OWN_TOOLS.get(name, "area")
    tools = [StructuredTool.from_function(look_up, name=own)]
    ours = get_parser(name, tools=[own] if name in OWN_TOOLS else tools)
    call = agent_parsers.AgentAction(own, "Thun", "")
    finish = agent_parsers.AgentFinish({"output": "48.3"}, "")
    model = chat(ours.render(call), ours.render(finish))
    done = run(executor(ours.as_langchain(), model, tools), "sync")
    assert done["output"] == "48.3"
    [(action, observation)] = done["intermediate_steps"]
    assert isinstance(action, AgentAction)
    assert (action.tool, observation) == (own, "48.3 km²")
    assert "48.3 km²" in str(model.prompts[1][-1].content)
    assert model.stops == [ours.stop] * 2


@both
@streaming
def test_text_in_its_executor(how: str, stream: bool) -> None:
    parser = get_parser("react", tools=[area]).as_langchain()
    model = chat(ACT, ANSWER)
    done = run(executor(parser, model, stream_runnable=stream), how)
    assert done["output"] == "48.3"
    [(action, observation)] = done["intermediate_steps"]
    assert action == AgentAction("area", {"lake": "Thun"}, ACT)
    assert observation == "48.3 km²"
    assert model.prompts[1][-2:] == [AIMessage(ACT), HumanMessage("Observation: 48.3 km²")]
    assert model.stops == [["\nObservation:"]] * 2


@both
@streaming
@pytest.mark.parametrize("name", ["tools", "openai_tools"])
def test_calls_in_its_executor(how: str, stream: bool, name: str) -> None:
    parser = get_parser(name, tools=[area]).as_langchain()
    model = chat(AIMessage("Both.", tool_calls=[CALL, OTHER]), "Thun.")
    done = run(executor(parser, model, stream_runnable=stream), how)
    assert done["output"] == "Thun."
    steps = done["intermediate_steps"]
    assert [type(action) for action, _ in steps] == [ToolAgentAction] * 2
    assert [action.tool_call_id for action, _ in steps] == ["1", "2"]
    _, said, *results = model.prompts[1]
    assert isinstance(said, AIMessage)
    assert said.tool_calls == [CALL, OTHER]
    assert [(m.tool_call_id, m.content) for m in results if isinstance(m, ToolMessage)] == [
        ("1", "48.3 km²"),
        ("2", "29.8 km²"),
    ]


@both
@streaming
@pytest.mark.parametrize(
    ("name", "bad", "expected"),
    [
        ("react", "I had better look.", "Write an Action with its Action Input"),
        ("react", ACT.replace("area", "aria"), "Did you mean 'area'?"),
        ("react", ACT.replace("Thun", '{"place": "Thun"}'), "lake"),
        ("hermes", '<tool_call>\n{"name": "area"', "call is cut off"),
        ("tools", AIMessage("", invalid_tool_calls=[BROKEN]), "The arguments of area are cut off"),
    ],
)
def test_what_was_wrong_is_sent_to_the_model(
    how: str, stream: bool, name: str, bad: Any, expected: str
) -> None:
    parser = get_parser(name, tools=[area]).as_langchain()
    model = chat(bad, "Final Answer: 48.3" if name == "react" else "48.3")
    options = {"stream_runnable": stream, "handle_parsing_errors": True}
    done = run(executor(parser, model, **options), how)
    assert done["output"] == "48.3"
    [(action, observation)] = done["intermediate_steps"]
    assert action.tool == "_Exception"
    assert expected in observation
    wrote, was_sent = model.prompts[1][-2:]
    assert isinstance(wrote, AIMessage)
    assert wrote.content == action.log
    assert observation in str(was_sent.content)


@pytest.mark.parametrize("name", ["react", "glm45", "self_ask"])
def test_a_turn_of_nothing_is_not_a_call(name: str) -> None:
    parser = get_parser(name, tools=[OWN_TOOLS.get(name, "area")])
    answer = parser.render(agent_parsers.AgentFinish({"output": "48.3"}, ""))
    model = chat("", answer)
    done = run(executor(parser.as_langchain(), model, handle_parsing_errors=True), "sync")
    assert done["output"] == "48.3"
    wrote, _ = model.prompts[1][-2:]
    assert wrote.content in ("", "Thought:")


def test_its_executor_raises_where_it_is_not_to_handle_errors() -> None:
    parser = get_parser("react", tools=[area]).as_langchain()
    with pytest.raises(ValueError, match="expected an Action or a Final Answer"):
        run(executor(parser, chat("hm")), "sync")


def test_its_react_agent_takes_our_parser() -> None:
    prompt = PromptTemplate.from_template("{tools} {tool_names}\n{input}\n{agent_scratchpad}")
    parser: Any = get_parser("react").as_langchain()
    agent = create_react_agent(FakeListLLM(responses=[ACT, ANSWER]), [area], prompt, parser)
    done = AgentExecutor(agent=agent, tools=[area]).invoke({"input": "?"})
    assert done["output"] == "48.3"


def test_its_scratchpads_of_messages_take_our_actions() -> None:
    parser = get_parser("tools").as_langchain()
    prompt = ChatPromptTemplate.from_messages(
        [("human", "{input}"), MessagesPlaceholder("agent_scratchpad")]
    )
    model = chat(AIMessage("Both.", tool_calls=[CALL, OTHER]), "Thun.")
    agent: Any = (
        RunnablePassthrough.assign(
            agent_scratchpad=lambda given: format_to_tool_messages(given["intermediate_steps"])
        )
        | prompt
        | model
        | parser
    )
    assert AgentExecutor(agent=agent, tools=[area]).invoke({"input": "?"})["output"] == "Thun."
    kinds = [type(message) for message in model.prompts[1]]
    assert kinds == [HumanMessage, AIMessageChunk, ToolMessage, ToolMessage]


class State(TypedDict, total=False):
    """The state of the graph."""

    question: str
    steps: list[tuple[AgentAction, Any]]
    turn: Any


@pytest.mark.parametrize("name", ["react", "hermes", "tools"])
@both
def test_a_node_of_langgraph(name: str, how: str) -> None:
    parser = get_parser(name, tools=[area]).as_langchain()
    model = {
        "react": chat(ACT, ANSWER),
        "hermes": chat(
            '<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>', "48.3"
        ),
        "tools": chat(AIMessage("", tool_calls=[CALL]), "48.3"),
    }[name]
    chain: Any = (
        RunnableLambda(lambda state: parser.render_prompt(state["question"], state["steps"]))
        | model.bind(stop=parser.stop)
        | parser
    )

    def use(state: State) -> State:
        turn = state["turn"]
        actions = turn if isinstance(turn, list) else [turn]
        seen = [(action, area.invoke(action.tool_input)) for action in actions]
        return {"steps": state["steps"] + seen}

    graph: Any = StateGraph(State)
    graph.add_node("think", RunnablePassthrough.assign(turn=chain))
    graph.add_node("use", use)
    graph.add_edge(START, "think")
    graph.add_conditional_edges(
        "think", lambda state: END if isinstance(state["turn"], AgentFinish) else "use"
    )
    graph.add_edge("use", "think")
    app = graph.compile()
    given: State = {"question": "How large is Lake Thun?", "steps": []}
    done = app.invoke(given) if how == "sync" else asyncio.run(app.ainvoke(given))
    assert done["turn"].return_values == {"output": "48.3"}
    assert [seen for _, seen in done["steps"]] == ["48.3 km²"]
