"""Past steps as messages, and calls that have no results yet."""

import datetime as dt
from typing import Any
from uuid import uuid4

import langchain_core.agents as lc_agents
import langchain_core.messages as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.agents.format_scratchpad import (
    format_to_openai_function_messages as lc_function_messages,
)
from langchain_classic.agents.format_scratchpad import (
    format_to_openai_functions as lc_functions,
)
from langchain_classic.agents.format_scratchpad.tools import (
    format_to_tool_messages as lc_tool_messages,
)
from langchain_classic.agents.output_parsers.tools import ToolAgentAction as LcToolAgentAction
from langchain_core.messages import AIMessage as LangChainAIMessage
from langchain_core.messages import AnyMessage, HumanMessage
from langchain_core.messages import ToolMessage as LangChainToolMessage
from langchain_core.tools import StructuredTool, Tool
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode

from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentStep,
    OpenAIFunctionsAgentOutputParser,
    ToolAgentAction,
    ToolsAgentOutputParser,
    get_parser,
    list_dialects,
    to_langchain,
)
from agent_parsers.messages.writing.scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
    format_to_openai_tool_messages,
    format_to_tool_messages,
)
from outputs import AIMessage, FunctionMessage, ToolMessage
from outputs import AIMessage as OurAIMessage

from ....helpers.messages import letters, values

# Writing past steps as messages, compared with LangChain's formatters.

observations = values | st.sampled_from([dt.date(2026, 1, 2), {1, 2}, {(1, 2): 3}, "été"])
tools = st.sampled_from(["search", "look_up"])


@st.composite
def steps(draw: st.DrawFn) -> list[tuple[str, str, str, list[str], Any]]:
    """Draw steps: kind of action, tool, log, ids of all calls of the message, observation."""
    drawn = []
    for turn in range(draw(st.integers(0, 3))):
        kind = draw(st.sampled_from(["tool", "tool", "log", "plain"]))
        log, ids = draw(letters), [f"call_{turn}_{n}" for n in range(draw(st.integers(1, 3)))]
        drawn += [
            (kind, draw(tools), log, [*ids[n:], *ids[:n]], draw(observations))
            for n in range(len(ids))
        ]
    return drawn


def ours(step: tuple[Any, ...]) -> tuple[AgentAction, Any]:
    kind, tool, log, ids, observation = step
    message = AIMessage(log, tool_calls=[{"name": "f", "args": {}, "id": i} for i in sorted(ids)])
    fields = {"tool": tool, "tool_input": {}, "log": log}
    if kind == "tool":
        return ToolAgentAction(**fields, message_log=[message], tool_call_id=ids[0]), observation
    if kind == "log":
        return AgentActionMessageLog(**fields, message_log=[message]), observation
    return AgentAction(**fields), observation


def theirs(step: tuple[Any, ...]) -> tuple[lc_agents.AgentAction, Any]:
    kind, tool, log, ids, observation = step
    calls: Any = [{"name": "f", "args": {}, "id": call_id} for call_id in sorted(ids)]
    message = lc.AIMessage(log, tool_calls=calls)
    fields = {"tool": tool, "tool_input": {}, "log": log}
    if kind == "tool":
        action: Any = LcToolAgentAction(**fields, message_log=[message], tool_call_id=ids[0])
    elif kind == "log":
        action = lc_agents.AgentActionMessageLog(**fields, message_log=[message])
    else:
        action = lc_agents.AgentAction(**fields)
    return action, observation


def described(messages: Any) -> list[dict[str, Any]]:
    known = ("type", "content", "additional_kwargs", "tool_call_id", "name", "tool_calls", "status")
    return [{k: getattr(m, k) for k in known if hasattr(m, k)} for m in messages]


@given(steps())
def test_tool_messages_are_langchains(taken: list[Any]) -> None:
    written = format_to_tool_messages([ours(step) for step in taken])
    assert described(written) == described(lc_tool_messages([theirs(step) for step in taken]))
    assert written == format_to_tool_messages(
        [AgentStep(action=a, observation=o) for a, o in map(ours, taken)]
    )


@given(steps())
def test_function_messages_are_langchains(taken: list[Any]) -> None:
    written = format_to_openai_function_messages([ours(step) for step in taken])
    expected = lc_function_messages([theirs(step) for step in taken])
    assert described(written) == described(expected)


def test_the_other_names_are_there() -> None:
    assert format_to_openai_functions is format_to_openai_function_messages
    assert lc_functions is lc_function_messages
    assert format_to_openai_tool_messages is format_to_tool_messages


CALLS = [
    {"name": "search", "args": {"q": "rain"}, "id": "1"},
    {"name": "look_up", "args": {}, "id": "2"},
]


def test_parallel_calls_repeat_the_message_once() -> None:
    message = AIMessage("Let me see.", tool_calls=CALLS)
    actions = ToolsAgentOutputParser().invoke(message)
    assert isinstance(actions, list)
    messages = ToolsAgentOutputParser().format_scratchpad([(actions[0], "é"), (actions[1], ["é"])])
    assert messages == [
        message,
        ToolMessage("é", tool_call_id="1", additional_kwargs={"name": "search"}),
        ToolMessage('["é"]', tool_call_id="2", additional_kwargs={"name": "look_up"}),
    ]


def test_calls_that_were_saved_and_read_back_still_belong_together() -> None:
    actions = [
        ToolAgentAction(
            "f", {}, "", message_log=[AIMessage("", tool_calls=CALLS)], tool_call_id=call_id
        )
        for call_id in ("1", "2")
    ]
    messages = format_to_tool_messages([(action, "x") for action in actions])
    assert [m.type for m in messages] == ["ai", "tool", "tool"]


@pytest.mark.parametrize("call_id", ["1", None])
def test_the_same_turn_twice_is_written_twice(call_id: str | None) -> None:
    call = {"name": "search", "args": {}, "id": call_id}
    taken = []
    for _ in range(2):
        actions = ToolsAgentOutputParser().invoke(AIMessage("", tool_calls=[call]))
        assert isinstance(actions, list)
        taken.append((actions[0], "nothing"))
    assert [m.type for m in format_to_tool_messages(taken)] == ["ai", "tool", "ai", "tool"]


def test_a_call_without_an_id_is_answered_without_one() -> None:
    calls = [
        {"name": "search", "args": {}, "id": None},
        {"name": "look_up", "args": {}, "id": None},
    ]
    actions = ToolsAgentOutputParser().invoke(AIMessage("", tool_calls=calls))
    assert isinstance(actions, list)
    message, *results = format_to_tool_messages([(action, "x") for action in actions])
    assert isinstance(message, AIMessage)
    assert [getattr(result, "tool_call_id", None) for result in results] == ["", ""]


def test_a_function_call_is_followed_by_its_result() -> None:
    call = {"name": "f", "arguments": "{}"}
    message = AIMessage("", additional_kwargs={"function_call": call})
    parser = OpenAIFunctionsAgentOutputParser()
    action = parser.invoke(message)
    assert isinstance(action, AgentAction)
    assert parser.format_scratchpad([(action, 5)]) == [
        message,
        FunctionMessage(name="f", content="5"),
    ]


def test_a_scratchpad_of_many_steps_takes_time_in_proportion() -> None:
    taken = []
    for number in range(3000):
        calls = [{"name": "f", "args": {}, "id": str(number)}]
        actions = ToolsAgentOutputParser().invoke(AIMessage("", tool_calls=calls))
        assert isinstance(actions, list)
        taken.append((actions[0], "x"))
    assert len(format_to_tool_messages(taken)) == 6000


# Calls that have no results yet, for LangGraph's `ToolNode`, and the way back to our parsers.

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
    assert type(message) is LangChainAIMessage
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
    parser = get_parser(name, tools=[own] if name in OWN_NAMES else [tool])
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
    with pytest.raises(ValueError, match="call 1 of the run, to 'area', has no id"):
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
        assert to_langchain(answer) == [LangChainAIMessage("48.3")]
        assert to_langchain([{"role": "user", "content": "?"}, answer]) == [
            HumanMessage("?"),
            LangChainAIMessage("48.3"),
        ]
    assert to_langchain(AgentFinish({}, "said")) == [LangChainAIMessage("said")]
    assert to_langchain(AgentFinish({"output": {"a": 1}}, "said")) == [
        LangChainAIMessage('{"a": 1}')
    ]


def test_calls_in_the_middle_of_a_run_get_results() -> None:
    turn: Any = get_parser("tools").invoke(NATIVE["tools"])
    _, *results, _ = to_langchain([turn, {"role": "user", "content": "?"}])
    assert [each.content for each in results] == ["(there is no result)"] * len(turn)
    (alone,) = to_langchain([turn[0]])
    assert len(alone.tool_calls) == len(turn)


def test_a_tool_message_is_an_observation() -> None:
    parser = get_parser("react")
    action = AgentAction("area", "Thun", "Action: area\nAction Input: Thun")
    for seen in (
        LangChainToolMessage("48.3", tool_call_id="1"),
        LangChainToolMessage([{"type": "text", "text": "48.3"}], tool_call_id="1"),
        LangChainToolMessage(["48", ".3"], tool_call_id="1"),
    ):
        assert parser.format_scratchpad([(action, seen)]).endswith("Observation: 48.3\nThought:")
