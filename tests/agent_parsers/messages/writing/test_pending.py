"""Calls that have no results yet, for LangGraph's `ToolNode`, and the way back to our parsers."""

from typing import Any
from uuid import uuid4

import pytest
from langchain_core.messages import AIMessage, AnyMessage, HumanMessage, ToolMessage
from langchain_core.tools import StructuredTool, Tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from agent_parsers import (
    AgentAction,
    AgentFinish,
    ToolAgentAction,
    get_parser,
    list_dialects,
    to_langchain,
)
from outputs import AIMessage as OurAIMessage

AREAS = {"Thun": "48.3 km²", "Brienz": "29.8 km²"}


def look_up(lake: str) -> str:
    """Looks up how large a lake is."""
    return AREAS[lake]


area = StructuredTool.from_function(look_up, name="area")


def called(number: int, lake: str) -> dict[str, Any]:
    return {"name": "area", "args": {"lake": lake}, "id": f"call_{number}", "type": "tool_call"}


def run(messages: list[Any], tools: Any = (area,)) -> list[Any]:
    """Return the messages that `ToolNode` adds to these."""
    graph: Any = StateGraph(MessagesState)
    graph.add_node("tools", ToolNode([*tools], handle_tool_errors=True))
    graph.add_edge(START, "tools")
    found: list[AnyMessage] = graph.compile().invoke({"messages": messages})["messages"]
    return found[len(messages) :]


NATIVE: dict[str, Any] = {
    "tools": OurAIMessage("Both.", tool_calls=[called(1, "Thun"), called(2, "Brienz")]),
    "openai_functions": OurAIMessage(
        "", additional_kwargs={"function_call": {"name": "area", "arguments": '{"lake": "Thun"}'}}
    ),
}
TEXTS: dict[str, str] = {
    "react": "Thought: look\nAction: area\nAction Input: Thun",
    "hermes": "".join(
        f'<tool_call>\n{{"name": "area", "arguments": {{"lake": "{lake}"}}}}\n</tool_call>\n'
        for lake in AREAS
    ),
}
OWN_NAMES = {"self_ask": "Intermediate Answer", "smolagents_code": "python_interpreter"}


@pytest.mark.parametrize("door", [*NATIVE, *TEXTS])
@pytest.mark.parametrize("wrap", [False, True], ids=["ours", "as_langchain"])
def test_a_turn_runs_in_tool_node_and_its_results_go_back(door: str, wrap: bool) -> None:
    parser = get_parser(door, tools=[area])
    wrote = NATIVE.get(door) or TEXTS[door]
    turn: Any = parser.invoke(wrote)
    pending = to_langchain(
        parser.as_langchain().parse(wrote) if wrap and door in TEXTS else turn,
        new_id="call_{}".format,
    )
    [message] = pending
    assert type(message) is AIMessage
    actions = turn if isinstance(turn, list) else [turn]
    expected = [called(n, lake) for n, lake in enumerate([*AREAS][: len(actions)], 1)]
    assert message.tool_calls == expected
    assert message.content == (wrote if door in TEXTS else wrote.content)
    assert message.additional_kwargs == {}
    results = run(pending)
    assert [(result.tool_call_id, result.content) for result in results] == [
        (call["id"], AREAS[call["args"]["lake"]]) for call in expected
    ]
    taken = [*zip(actions, results, strict=True)]
    texts = [(action, result.content) for action, result in taken]
    assert parser.render_prompt("?", taken) == parser.render_prompt("?", texts)
    assert parser.format_scratchpad(taken) == parser.format_scratchpad(texts)
    assert to_langchain(taken) == to_langchain(texts)


def test_calls_of_one_text_stay_one_turn_as_langchains_actions() -> None:
    parser = get_parser("hermes")
    mine: Any = parser.parse(TEXTS["hermes"])
    theirs: Any = parser.as_langchain().parse(TEXTS["hermes"])
    assert to_langchain([(action, 7) for action in theirs]) == to_langchain(
        [(action, 7) for action in mine]
    )


@pytest.mark.parametrize("name", list_dialects())
def test_calls_of_every_dialect_run(name: str) -> None:
    own = OWN_NAMES.get(name, "area")
    tool = StructuredTool.from_function(look_up, name=own)
    if name in OWN_NAMES:
        tool = Tool(own, lambda text: f"{text}!", "Takes a text.")  # type: ignore[assignment]
    parser = get_parser(name, tools=None if name in OWN_NAMES else [tool])
    text = parser.render(AgentAction(own, "Thun", ""))
    turn = parser.parse(text)
    messages = to_langchain(turn, new_id="call_{}".format)
    assert messages[0].content == text
    [result] = run(messages, [tool])
    assert result.status == "success"
    actions: Any = turn if isinstance(turn, list) else [turn]
    again = [(actions[0], result)]
    assert result.content in str(parser.render_prompt("?", again, as_messages=True)[-1].content)


def test_an_input_that_is_text_has_langchains_name_for_it() -> None:
    action = AgentAction("plain", "Thun", "…")
    [message] = to_langchain(action, new_id="call_{}".format)
    assert message.tool_calls[0]["args"] == {"__arg1": "Thun"}
    [result] = run([message], [Tool("plain", look_up, "Looks up.")])
    assert result.content == "48.3 km²"


def test_what_a_tool_raised_is_an_error_for_the_model() -> None:
    parser = get_parser("tools")
    turn: Any = parser.invoke(OurAIMessage("", tool_calls=[called(1, "Zug")]))
    [result] = run(to_langchain(turn))
    assert result.status == "error"
    [_, seen] = to_langchain([(turn[0], result)])
    assert (seen.status, seen.content) == ("error", result.content)


def test_a_call_keeps_its_id_or_gets_one() -> None:
    action = AgentAction("area", {"lake": "Thun"}, "…")
    with pytest.raises(ValueError, match="call 1 of the run, of 'area', has no id"):
        to_langchain(action)
    given = ToolAgentAction(
        tool="area",
        tool_input={"lake": "Thun"},
        log="…",
        message_log=[OurAIMessage("…")],
        tool_call_id="functions.area:0",
    )
    assert to_langchain([given])[0].tool_calls[0]["id"] == "functions.area:0"
    ids = {
        to_langchain(action, new_id=lambda _: f"call_{uuid4()}")[0].tool_calls[0]["id"]
        for _ in range(3)
    }
    assert len(ids) == 3


def test_the_turn_may_follow_a_run() -> None:
    parser = get_parser("react", tools=[area])
    first: Any = parser.parse(TEXTS["react"])
    second: Any = parser.parse(TEXTS["react"].replace("Thun", "Brienz"))
    prompt = parser.render_prompt("?", [(first, "48.3")], as_messages=True)
    for turn in ([second], [[second]]):
        *before, message = to_langchain([*prompt, *turn], new_id="call_{}".format)
        assert before == to_langchain(prompt)
        assert message.tool_calls == [called(1, "Brienz")]
    tools = get_parser("tools")
    turn_of_two: Any = tools.invoke(NATIVE["tools"])
    steps: Any = [(action, "1") for action in tools.invoke(NATIVE["tools"])]
    assert to_langchain([*steps, *turn_of_two]) == [
        *to_langchain(steps),
        *to_langchain(turn_of_two),
    ]
    assert len(run(to_langchain([*steps, turn_of_two]))) == 2


def test_an_answer_is_a_message() -> None:
    for parser in (get_parser("react"), get_parser("react").as_langchain()):
        answer: Any = parser.parse("Final Answer: 48.3")
        assert to_langchain(answer) == [AIMessage("48.3")]
        assert to_langchain([{"role": "user", "content": "?"}, answer]) == [
            HumanMessage("?"),
            AIMessage("48.3"),
        ]
    assert to_langchain(AgentFinish({}, "said")) == [AIMessage("said")]
    assert to_langchain(AgentFinish({"output": {"a": 1}}, "said")) == [AIMessage('{"a": 1}')]


def test_calls_in_the_middle_of_a_run_need_results() -> None:
    turn: Any = get_parser("tools").invoke(NATIVE["tools"])
    with pytest.raises(TypeError):
        to_langchain([turn, {"role": "user", "content": "?"}])
    with pytest.raises(ValueError, match="has no result"):
        to_langchain([turn[0]])


def test_a_tool_message_is_an_observation() -> None:
    parser = get_parser("react")
    action = AgentAction("area", "Thun", "Action: area\nAction Input: Thun")
    for seen in (
        ToolMessage("48.3", tool_call_id="1"),
        ToolMessage([{"type": "text", "text": "48.3"}], tool_call_id="1"),
        ToolMessage(["48", ".3"], tool_call_id="1"),
    ):
        assert parser.format_scratchpad([(action, seen)]).endswith("Observation: 48.3\nThought:")
