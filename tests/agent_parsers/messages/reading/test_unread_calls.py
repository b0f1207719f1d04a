"""A call that stands in a block of the content, and that no parser reads, is never left out."""

from __future__ import annotations

from typing import Any

import pytest

from agent_parsers import AgentFinish, OutputParserException, get_parser
from outputs import AIMessage
from outputs.clients.unread_calls import unread_call

SAID = "Final Answer: I will."
TASKS: dict[str, dict[str, Any]] = {
    "shell_call": {"action": {"commands": ["ls"]}},
    "local_shell_call": {"action": {"type": "exec", "command": ["ls"]}},
    "computer_call": {"action": {"type": "screenshot"}},
    "apply_patch_call": {"operation": {"type": "delete_file", "path": "a"}},
    "mcp_approval_request": {"name": "f", "arguments": "{}", "server_label": "s"},
    "tool_search_call": {"execution": "client", "arguments": {"q": "rain"}},
}
FORMS: list[dict[str, Any]] = [
    {"toolUse": {"toolUseId": "1", "name": "f", "input": {"a": 1}}},
    {"functionCall": {"name": "f", "args": {"a": 1}}},
    {"type": "tool_call", "name": "f", "args": {"a": 1}, "id": "1"},
    {"type": "tool-call", "toolName": "f", "args": {"a": 1}, "toolCallId": "1"},
    {"type": "toolCall", "name": "f", "arguments": {"a": 1}, "id": "1"},
    {"type": "function", "function": {"name": "f", "arguments": "{}"}},
    {"type": "tool_call_chunk", "name": "f", "args": '{"a": 1}', "id": "1", "index": 0},
]
SERVED: list[dict[str, Any]] = [
    {"type": "web_search_call", "id": "1", "status": "completed"},
    {"type": "mcp_call", "id": "1", "name": "f", "arguments": "{}", "output": "x"},
    {"type": "tool_search_call", "call_id": "1", "execution": "server", "arguments": {}},
]
CALL = {"type": "function_call", "call_id": "c", "id": "fc", "name": "f", "arguments": "{}"}


def response(*items: dict[str, Any]) -> dict[str, Any]:
    text = {"type": "message", "content": [{"type": "output_text", "text": SAID}]}
    return {"object": "response", "status": "completed", "output": [text, *items]}


def stream(*items: dict[str, Any]) -> list[dict[str, Any]]:
    text = {"type": "response.output_text.delta", "output_index": 0, "content_index": 0}
    done = [
        {"type": "response.output_item.done", "output_index": number, "item": item}
        for number, item in enumerate(items, 1)
    ]
    return [{**text, "item_id": "m", "delta": SAID}, *done]


def is_answer(given: Any, name: str, *, streamed: bool = False) -> bool:
    parser: Any = get_parser(name)
    result = [*parser.transform(iter(given))][-1] if streamed else parser.invoke(given)
    return isinstance(result, AgentFinish)


def task(kind: str) -> dict[str, Any]:
    return {"type": kind, "call_id": "1", **TASKS[kind]}


@pytest.mark.parametrize("name", ["tools", "openai_functions", "react"])
@pytest.mark.parametrize("kind", TASKS)
def test_a_task_for_the_program_is_no_answer(kind: str, name: str) -> None:
    with pytest.raises(OutputParserException, match=kind):
        is_answer(response(task(kind)), name)
    with pytest.raises(OutputParserException, match=kind):
        is_answer(stream(task(kind)), name, streamed=True)


@pytest.mark.parametrize("name", ["tools", "openai_functions", "react"])
def test_a_task_whose_result_is_there_is_done(name: str) -> None:
    result = {"type": "shell_call_output", "call_id": "1", "output": []}
    assert is_answer(response(task("shell_call"), result), name)
    assert is_answer(stream(task("shell_call"), result), name, streamed=True)


@pytest.mark.parametrize("name", ["tools", "openai_functions", "react"])
@pytest.mark.parametrize("item", SERVED, ids=lambda item: item["type"])
def test_what_the_server_runs_is_no_call(item: dict[str, Any], name: str) -> None:
    assert is_answer(response(item), name)
    assert is_answer(stream(item), name, streamed=True)


@pytest.mark.parametrize("name", ["tools", "openai_functions", "react"])
@pytest.mark.parametrize("block", FORMS, ids=str)
def test_a_call_in_the_form_of_another_client_is_no_answer(
    block: dict[str, Any], name: str
) -> None:
    content = [{"type": "text", "text": SAID}, block]
    for message in ({"role": "assistant", "content": content}, AIMessage(content)):
        with pytest.raises(OutputParserException, match="found a call") as raised:
            is_answer(message, name)
        assert raised.value.observation
        assert "nothing was done" in raised.value.observation


def test_a_call_that_is_read_is_not_made_beside_one_that_is_not() -> None:
    parser = get_parser("tools")
    assert isinstance(parser.invoke(response(CALL)), list)
    for given in (response(CALL, task("shell_call")), response(task("shell_call"), CALL)):
        with pytest.raises(OutputParserException, match="shell_call"):
            parser.invoke(given)


@pytest.mark.parametrize(
    ("block", "ids", "names", "is_read"),
    [
        ({"type": "tool_use", "id": "1", "name": "f"}, ["1"], ["f"], True),
        ({"type": "tool_use", "id": "2", "name": "f"}, ["1"], ["f"], False),
        ({"type": "tool_use", "id": "2", "name": "f"}, [None], ["f"], True),
        ({"type": "tool_use", "name": "g"}, ["1"], ["f"], False),
        ({"type": "tool_use", "id": "2"}, [], [], True),
        ({"type": "tool_use", "input": '{"a'}, [], [], True),
        ({"type": 5, "toolUse": {"name": "f"}}, [], [], False),
    ],
)
def test_a_block_is_read_if_the_message_has_its_call(
    block: dict[str, Any], ids: list[str | None], names: list[str], is_read: bool
) -> None:
    assert (unread_call([block], ids=ids, names=names) == "") is is_read
    assert unread_call("tool_use") == ""
