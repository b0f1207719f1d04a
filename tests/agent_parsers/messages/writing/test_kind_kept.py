"""Steps whose actions came from LangChain are written as its messages, and others as ours."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
from langchain_classic.agents import AgentExecutor
from langchain_classic.agents import format_scratchpad as lc_pads
from langchain_classic.agents.output_parsers.tools import ToolAgentAction as LcToolAgentAction
from langchain_core import agents as lc
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder
from langchain_core.tools import tool

import agent_parsers as ours
from agent_parsers import format_scratchpad as pads
from agent_parsers import get_parser
from agent_parsers.json_form import from_json
from outputs import BaseMessage as OurMessage
from outputs import from_any

from ....helpers.scripted_chat import chat

if TYPE_CHECKING:
    from collections.abc import Callable

FUNCTION = AIMessage(
    "", additional_kwargs={"function_call": {"name": "depth", "arguments": '{"of": "Zug"}'}}
)
CALLS = AIMessage(
    "Two.",
    tool_calls=[
        {"name": "depth", "args": {"of": "Zug"}, "id": "1", "type": "tool_call"},
        {"name": "depth", "args": {"of": "Ägeri"}, "id": "2", "type": "tool_call"},
    ],
)
TEXT = 'Action: depth\nAction Input: {"of": "Zug"}'


@tool
def depth(of: str) -> str:
    """How deep a lake is, in metres."""
    return {"Zug": "198", "Ägeri": "83"}[of]


def logged(kind: Any) -> Any:
    return kind(tool="depth", tool_input={"of": "Zug"}, log="log", message_log=[FUNCTION])


def called(kind: Any, number: int = 0) -> Any:
    call = CALLS.tool_calls[number]
    return kind(
        tool="depth", tool_input=call["args"], log="log", message_log=[CALLS],
        tool_call_id=call["id"],
    )  # fmt: skip


FORMATS: dict[str, tuple[Callable[..., Any], Callable[..., Any], list[Any]]] = {
    "functions": (
        pads.format_to_openai_function_messages,
        lc_pads.format_to_openai_function_messages,
        [(logged(lc.AgentActionMessageLog), 198), (lc.AgentAction("_Exception", "", "hm"), "no")],
    ),
    "tools": (
        pads.format_to_openai_tool_messages,
        lc_pads.format_to_tool_messages,
        [
            (called(LcToolAgentAction), {"m": 198}),
            (called(LcToolAgentAction, 1), "83"),
            (lc.AgentAction("_Exception", "", "hm"), "no"),
        ],
    ),
    "log": (
        pads.format_log_to_messages,
        lc_pads.format_log_to_messages,
        [(lc.AgentAction("depth", "Zug", TEXT), "198")],
    ),
}


@pytest.mark.parametrize("name", FORMATS)
def test_steps_of_langchain_are_its_messages_as_it_writes_them(name: str) -> None:
    write, theirs, steps = FORMATS[name]
    found = write(steps)
    assert found == theirs(steps)
    assert [type(each) for each in found] == [type(each) for each in theirs(steps)]
    given = [m for action, _ in steps for m in getattr(action, "message_log", ())]
    for message in given:
        assert any(each is message for each in found), "the message itself, not a copy"


@pytest.mark.parametrize("name", FORMATS)
def test_our_own_steps_are_our_messages(name: str) -> None:
    write, _, steps = FORMATS[name]
    own = [(ours.AgentAction(a.tool, a.tool_input, a.log), seen) for a, seen in steps]
    assert all(isinstance(each, OurMessage) for each in write(own))
    mixed = [*own, *steps]
    assert all(isinstance(each, BaseMessage) for each in write(mixed))


@pytest.mark.parametrize("name", FORMATS)
def test_actions_of_ours_with_its_messages_are_its_too(name: str) -> None:
    write, theirs, steps = FORMATS[name]
    if name == "log":
        return
    kind = {"functions": ours.AgentActionMessageLog, "tools": ours.ToolAgentAction}[name]
    make: Any = {"functions": logged, "tools": called}[name]
    action = make(kind)
    assert action.message_log[0] is steps[0][0].message_log[0]
    assert action.messages == action.message_log
    assert write([(action, 198)]) == theirs([(steps[0][0], 198)])


def test_a_step_has_the_messages_of_its_action() -> None:
    for action in (logged(lc.AgentActionMessageLog), lc.AgentAction("depth", "Zug", TEXT)):
        step = ours.AgentStep(action, "198")
        assert step.action is action
        assert step.messages == lc.AgentStep(action=action, observation="198").messages
    own = ours.AgentStep(ours.AgentAction("depth", "Zug"), "198")
    assert isinstance(own.messages[0], OurMessage)


def test_actions_with_its_messages_are_stored_and_written_as_ours_are() -> None:
    theirs = called(ours.ToolAgentAction)
    own = ours.ToolAgentAction(**{**dict(theirs), "message_log": [from_any(CALLS)]})
    assert from_json(theirs.to_json()) == own
    for name in ("tools", "hermes"):
        parser: Any = get_parser(name, tools=[depth])
        expected = parser.render_prompt("?", [(own, "198")], as_messages=True)
        assert parser.render_prompt("?", [(theirs, "198")], as_messages=True) == expected


PROMPT = ChatPromptTemplate.from_messages(
    [("user", "{input}"), MessagesPlaceholder("agent_scratchpad")]
)


@pytest.mark.parametrize("streamed", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize(
    ("name", "write", "said"),
    [
        ("openai_functions", pads.format_to_openai_functions, FUNCTION),
        ("openai_tools", pads.format_to_openai_tool_messages, CALLS),
        ("tools", pads.format_to_tool_messages, CALLS),
        ("tools", get_parser("tools").format_scratchpad, CALLS),
        ("react", pads.format_log_to_messages, TEXT),
    ],
)
def test_a_pair_of_ours_runs_in_langchains_executor(
    name: str, write: Any, said: Any, streamed: bool
) -> None:
    parser: Any = get_parser(name, tools=[depth])
    answer = "Final Answer: 198 m" if name == "react" else "198 m"
    steps = {
        "input": lambda given: given["input"],
        "agent_scratchpad": lambda given: write(given["intermediate_steps"]),
    }
    streamed = streamed and name != "openai_functions"  # which the scripted model does not stream
    model: Any = chat(said, answer)
    agent = steps | PROMPT | model | parser
    executor = AgentExecutor(agent=agent, tools=[depth], stream_runnable=streamed)
    assert executor.invoke({"input": "How deep is Lake Zug?"})["output"] == "198 m"
    seen = model.prompts[1]
    assert all(isinstance(each, BaseMessage) for each in seen)
    assert "198" in str(seen[-1].content) + str(seen[-2].content)
