"""Writing past steps as messages, compared with LangChain's formatters."""

import datetime as dt
from typing import Any

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

from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentStep,
    OpenAIFunctionsAgentOutputParser,
    ToolAgentAction,
    ToolsAgentOutputParser,
)
from agent_parsers.messages.writing.scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
    format_to_openai_tool_messages,
    format_to_tool_messages,
)
from outputs import AIMessage, FunctionMessage, ToolMessage

from ....helpers.messages import letters, values

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
