"""Results that name no call: the order counts, and the time grows with the log."""

import time
from collections.abc import Callable
from typing import Any

import pytest

from agent_runs import read_runs

from .data_logs import actions, only


def call(name: str = "look", call_id: str | None = None) -> dict[str, Any]:
    made = {"type": "function", "function": {"name": name, "arguments": "{}"}}
    return {**made, "id": call_id} if call_id else made


def chat(calls: list[dict[str, Any]], *results: dict[str, Any]) -> list[dict[str, Any]]:
    said = {"role": "assistant", "content": None, "tool_calls": calls}
    return [{"role": "user", "content": "q"}, said, *({"role": "tool", **each} for each in results)]


def without_ids(many: int) -> Any:
    return chat([call()] * many, *({"content": f"{at}"} for at in range(many)))


def by_name_backwards(many: int) -> Any:
    results = ({"content": f"{at}", "name": f"t{at}"} for at in reversed(range(many)))
    return chat([call(f"t{at}") for at in range(many)], *results)


def with_unknown_ids(many: int) -> Any:
    results = ({"content": f"{at}", "tool_call_id": f"z{at}"} for at in range(many))
    return chat([call(call_id=f"c{at}") for at in range(many)], *results)


def with_one_id(many: int) -> Any:
    results = ({"content": f"{at}", "tool_call_id": "c"} for at in range(many))
    return chat([call(call_id="c")] * many, *results)


def of_claude_ai(many: int) -> Any:
    pair = [
        {"type": "tool_use", "name": "look", "input": {}},
        {"type": "tool_result", "name": "look", "content": [{"type": "text", "text": "r"}]},
    ]
    said = {"uuid": "b", "sender": "assistant", "text": "", "content": pair * many}
    return [{"uuid": "u", "name": "n", "chat_messages": [
        {"uuid": "a", "sender": "human", "text": "q", "content": []}, said]}]  # fmt: skip


@pytest.mark.parametrize(
    "made", [without_ids, by_name_backwards, with_unknown_ids, with_one_id, of_claude_ai]
)
def test_results_are_read_in_linear_time(made: Callable[[int], Any]) -> None:
    def seconds(many: int) -> float:
        log = made(many)
        start = time.process_time()
        list(read_runs(log))
        return time.process_time() - start

    seconds(10)
    # In quadratic time, eight times the log would take 64 times as long.
    assert min(seconds(4000) for _ in range(2)) < 24 * min(seconds(500) for _ in range(3))


def test_the_first_call_that_waits_gets_the_result() -> None:
    run = only(chat([call("a"), call("b"), call("a")], {"content": "1", "name": "a"},
                    {"content": "2"}, {"content": "3", "name": "a"}))  # fmt: skip
    assert [(tool, seen) for tool, _, seen in actions(run)] == [("a", "1"), ("b", "2"), ("a", "3")]


def test_a_result_of_one_of_several_calls_is_left_out() -> None:
    for result in ({"content": "1"}, {"content": "1", "name": "c"}):
        run = only(chat([call("a"), call("b")], result))
        assert [seen for *_, seen in actions(run)] == [None, None]
        assert [notice.text for notice in run.notices if notice.kind == "unowned_text"] == ["1"]
    run = only(chat([call("a"), call("b")], {"content": "1", "name": "b"}))
    assert [seen for *_, seen in actions(run)] == [None, "1"]
    run = only(chat([call("b"), call("b")], {"content": "1", "name": "b"}))
    assert [seen for *_, seen in actions(run)] == [None, None]


def test_a_result_with_an_id_never_takes_the_call_of_another() -> None:
    run = only(chat([call("a", "c1"), call("b")], {"content": "2", "tool_call_id": "x"},
                    {"content": "1", "tool_call_id": "c1"}))  # fmt: skip
    assert [seen for *_, seen in actions(run)] == ["1", "2"]
    run = only(chat([call("a", "c1"), call("b", "c1")], {"content": "2", "tool_call_id": "c1"},
                    {"content": "1", "tool_call_id": "c1"}))  # fmt: skip
    assert [seen for *_, seen in actions(run)] == ["1", "2"]
