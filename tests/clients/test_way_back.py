"""Steps are sent back to the APIs in a format that the client libraries' types accept."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import langchain_core.messages as lc
import pytest
from anthropic.types import MessageParam
from langchain_core.messages import convert_to_openai_messages
from langgraph.graph import END, START, MessagesState, StateGraph
from openai.types.chat import ChatCompletionMessageParam
from openai.types.responses import ResponseInputItemParam
from pydantic import TypeAdapter

from agent_parsers import (
    AgentAction,
    AgentFinish,
    ToolAgentAction,
    ToolsAgentOutputParser,
    get_parser,
    to_anthropic,
    to_langchain,
    to_openai,
    to_openai_responses,
)
from outputs import AIMessage, BaseMessage, from_any
from tests.helpers.native_corpus import Case, all_cases, cases
from tests.helpers.wire import anthropic_message, completion, events_in, response, response_events

ADAPTERS: dict[str, TypeAdapter[Any]] = {
    "openai": TypeAdapter(ChatCompletionMessageParam),
    "responses": TypeAdapter(ResponseInputItemParam),
    "anthropic": TypeAdapter(MessageParam),
}
WRITERS: dict[str, Any] = {
    "openai": to_openai,
    "responses": to_openai_responses,
    "anthropic": to_anthropic,
}
PARSER = ToolsAgentOutputParser(lenient=True)


def written(api: str, history: Any, **options: Any) -> list[dict[str, Any]]:
    """Return the messages written for an API, after checking them against its types."""
    messages = WRITERS[api](history, **options)
    for message in messages:
        assert _drained(ADAPTERS[api].validate_python(message)) == message, message
    return messages


def _drained(value: Any) -> Any:
    """Return a validated value after reading the iterators in it, which validates them."""
    if isinstance(value, dict):
        return {name: _drained(part) for name, part in value.items()}
    if isinstance(value, Iterable) and not isinstance(value, str):
        return [_drained(part) for part in value]
    return value


def calls_of(messages: Iterable[BaseMessage]) -> list[Any]:
    return [
        (call["name"], call["args"], call["id"])
        for message in messages
        if isinstance(message, AIMessage)
        for call in message.tool_calls
    ]


def taken(cases: Iterable[Case], form: Any) -> list[Any]:
    """Return the steps of messages in the *form* of an API that make a valid call."""
    steps: list[Any] = []
    for case in cases:
        body = form(case.message)
        result = None if body is None else PARSER.invoke(body)
        if isinstance(result, list):
            steps += ((action, {"seen": number}) for number, action in enumerate(result))
    return steps


@cache
def runs() -> dict[str, list[Case]]:
    found: dict[str, list[Case]] = {}
    for case in all_cases():
        if not case.id.startswith("tm-") and not case.is_function:
            found.setdefault(case.id.rpartition("-")[0], []).append(case)
    assert len(found) > 100
    return found


FORMS = {"openai": completion, "responses": response, "anthropic": anthropic_message}


@pytest.mark.parametrize("source", FORMS)
@pytest.mark.parametrize("api", WRITERS)
def test_every_run_goes_to_every_api_and_is_read_back(source: str, api: str) -> None:
    for run in [*runs().values()][:: 1 if source == api else 5]:
        steps = taken(run, FORMS[source])
        made = [(action.tool, action.tool_input, action.tool_call_id) for action, _ in steps]
        if api == "anthropic" and (renewed := _with_each_id_once(made)) != made:
            with pytest.raises(ValueError, match="which Anthropic does not accept here"):
                to_anthropic(steps)
            messages, made = written(api, steps, new_id="toolu_{}".format), renewed
        else:
            messages = written(api, steps)
        assert calls_of(map(from_any, messages)) == made
        assert _results(api, messages) == [f'{{"seen": {seen["seen"]}}}' for _, seen in steps]


def _with_each_id_once(calls: list[Any]) -> list[Any]:
    """Return *calls* with new ids in place of repeated ones, which some runs have."""
    ids = [call[2] for call in calls]
    return [
        (*call[:2], f"toolu_{number}" if call[2] in ids[: number - 1] else call[2])
        for number, call in enumerate(calls, 1)
    ]


def _results(api: str, messages: list[dict[str, Any]]) -> list[str]:
    if api == "openai":
        return [message["content"] for message in messages if message["role"] == "tool"]
    if api == "responses":
        return [item["output"] for item in messages if "output" in item]
    return [
        block["content"]
        for message in messages
        if message["role"] == "user"
        for block in message["content"]
    ]


@pytest.mark.parametrize("source", FORMS)
def test_every_run_goes_to_langchain_and_is_read_back(source: str) -> None:
    for run in [*runs().values()][::3]:
        steps = taken(run, FORMS[source])
        made = [(action.tool, action.tool_input, action.tool_call_id) for action, _ in steps]
        messages = to_langchain(steps)
        assert calls_of(map(from_any, messages)) == made
        answered = [each.tool_call_id for each in messages if isinstance(each, lc.ToolMessage)]
        assert answered == [call_id for _, _, call_id in made]
        convert_to_openai_messages(messages)  # LangChain itself can go on with them


def test_repaired_calls_go_back_repaired() -> None:
    """APIs reject arguments that are not JSON, and unknown tool names."""
    read = 0
    for case in cases():
        if not case.id.startswith("tm-") or case.is_function:
            continue
        try:
            result = ToolsAgentOutputParser(lenient=True, tools=case.tools).invoke(case.message)
        except ValueError:
            continue
        if not isinstance(result, list) or result[0].tool_call_id is None:
            continue
        read += 1
        for api in WRITERS:
            messages = written(api, [(action, "seen") for action in result])
            given = calls_of(map(from_any, messages))
            assert given == [(each.tool, each.tool_input, each.tool_call_id) for each in result]
    assert read == 6


def test_a_call_that_was_left_in_the_content_goes_back_as_text() -> None:
    (case,) = [c for c in cases() if c.id.startswith("tm-call-printed-as-content-tags")]
    (action,) = PARSER.invoke(case.message)
    assert written("openai", [(action, "3 lines")]) == [
        {"role": "assistant", "content": case.message["content"]},
        {"role": "user", "content": "3 lines"},
    ]


def test_functions_go_back_as_functions_or_with_new_ids_as_calls() -> None:
    steps = []
    parser = get_parser("openai_functions")
    for case in cases():
        if case.id.startswith("toolbench"):
            result = parser.invoke(case.message)
            if isinstance(result, AgentAction):
                steps.append((result, "seen"))
    messages = written("openai", steps)
    assert [message["role"] for message in messages] == ["assistant", "function"] * len(steps)
    assert [m["function_call"]["name"] for m in messages[::2]] == [a.tool for a, _ in steps]
    with pytest.raises(ValueError, match=r"^call 1 of the run, to '.*', has no id: pass"):
        to_anthropic(steps)
    messages = written("anthropic", steps, new_id="toolu_{}".format)
    made = calls_of(map(from_any, messages))
    assert made == [(a.tool, a.tool_input, f"toolu_{n}") for n, (a, _) in enumerate(steps, 1)]
    items = written("responses", steps, new_id="call_{}".format)
    assert len([item for item in items if "call_id" in item]) == 2 * len(steps)
    assert [m.type for m in to_langchain(steps)] == ["ai", "function"] * len(steps)


# -- fields that APIs require --------------------------------------------------------------------


def steps_of(name: str) -> list[tuple[ToolAgentAction, str]]:
    text = (Path(__file__).parent / "recorded" / f"{name}.sse").read_text(encoding="utf-8")
    (actions,) = PARSER.transform(iter(events_in(text)))
    assert isinstance(actions, list)
    return [(action, f"seen {n}") for n, action in enumerate(actions) if hasattr(action, "tool")]


def test_anthropic_gets_its_thinking_back() -> None:
    (said, seen) = written("anthropic", steps_of("anthropic_thinking"))
    assert [block["type"] for block in said["content"]] == [
        "thinking", "redacted_thinking", "text", "tool_use", "tool_use",
    ]  # fmt: skip
    assert said["content"][0]["signature"] == "RXFyb0NrZ0lDaEFDR0FJaVFI"
    assert seen == {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "toolu_01", "content": "seen 0"},
            {"type": "tool_result", "tool_use_id": "toolu_02", "content": "seen 1"},
        ],
    }
    assert written("openai", steps_of("anthropic_thinking"))[0]["content"] == "Let me look at both."


def test_responses_get_their_items_back() -> None:
    items = written("responses", steps_of("responses_reasoning"))
    text = (Path(__file__).parent / "recorded" / "responses_reasoning.sse").read_text("utf-8")
    output = events_in(text)[-1]["response"]["output"]
    for item in output:
        if item["type"] != "message":
            item.pop("status", None)
        for part in item.get("content", ()):
            del part["logprobs"]
    assert items == [
        *output,
        {"type": "function_call_output", "call_id": "call_01", "output": "seen 0"},
        {"type": "custom_tool_call_output", "call_id": "call_02", "output": "seen 1"},
    ]


def test_a_custom_tool_gets_its_text_back() -> None:
    said, *_ = written("openai", steps_of("chat_custom_tool"))
    assert said["tool_calls"][1] == {
        "id": "call_02",
        "type": "custom",
        "custom": {"name": "shell", "input": 'echo "a\\tb"\nls'},
    }


def test_a_graph_goes_on_with_the_messages() -> None:
    """An agent in LangGraph: a node parses the stream of a model, and takes the step."""
    turns = iter([
        response_events(next(c for c in cases() if c.id.startswith("tm-content")).message),
        response_events({"role": "assistant", "content": "A light wind."}),
    ])  # fmt: skip

    def act(state: MessagesState) -> dict[str, Any]:
        (result,) = PARSER.transform(iter(next(turns)))
        if isinstance(result, AgentFinish):
            return {"messages": to_langchain([AIMessage(result.return_values["output"])])}
        return {"messages": to_langchain([(action, "SW 3") for action in result])}

    def is_over(state: MessagesState) -> str:
        return END if isinstance(state["messages"][-1], lc.AIMessage) else "act"

    graph = StateGraph(MessagesState)
    graph.add_node("act", act)
    graph.add_edge(START, "act")
    graph.add_conditional_edges("act", is_over)
    state = graph.compile().invoke({"messages": [("user", "How is the wind at Ryde?")]})
    assert [message.type for message in state["messages"]] == ["human", "ai", "tool", "ai"]
    assert [m["role"] for m in written("openai", state["messages"])] == [
        "user", "assistant", "tool", "assistant",
    ]  # fmt: skip


def test_anthropic_takes_no_blank_text() -> None:
    use = {"type": "tool_use", "id": "toolu_1", "name": "f", "input": {}}
    blank = {"type": "text", "text": "\n\n"}
    (action,) = PARSER.invoke({"type": "message", "role": "assistant", "content": [blank, use]})
    invalid = AgentAction("", "", "\n")
    assert written("anthropic", [(action, "seen"), (invalid, "What?")]) == [
        {"role": "assistant", "content": [use]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "toolu_1", "content": "seen"}]},
        {"role": "user", "content": "What?"},
    ]  # fmt: skip
