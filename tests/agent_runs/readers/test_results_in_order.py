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


SAME: dict[str, Callable[[str], tuple[dict[str, Any], dict[str, Any]]]] = {
    "chat": lambda name: (
        {"role": "assistant", "content": None, "tool_calls": [call(name, "c1")]},
        {"role": "tool", "tool_call_id": "c1", "content": f"of {name}"},
    ),
    "chat, with the name of the tool": lambda name: (
        {"role": "assistant", "content": None, "tool_calls": [call(name, "c1")]},
        {"role": "tool", "tool_call_id": "c1", "name": name, "content": f"of {name}"},
    ),
    "anthropic": lambda name: (
        {"role": "assistant", "content": [
            {"type": "tool_use", "id": "c1", "name": name, "input": {}}]},
        {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": f"of {name}"}]},
    ),
    "responses": lambda name: (
        {"type": "function_call", "call_id": "c1", "name": name, "arguments": "{}"},
        {"type": "function_call_output", "call_id": "c1", "output": f"of {name}"},
    ),
}  # fmt: skip
"""A call and its result in forms of messages; all calls have one id."""


def in_one_message(messages: list[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return *messages* as one, if they have lists of calls or of parts."""
    for key in ("tool_calls", "content"):
        if isinstance(messages[0].get(key), list):
            return [{**messages[0], key: [part for each in messages for part in each[key]]}]
    return messages


@pytest.mark.parametrize("form", SAME)
@pytest.mark.parametrize("names", ["ab", "abc", "aaab"])
def test_calls_that_share_an_id_get_their_results_in_order(form: str, names: str) -> None:
    calls, results = zip(*map(SAME[form], names), strict=True)
    for said in ([*calls], in_one_message([*calls])):
        run = only([{"role": "user", "content": "q"}, *said, *results])
        assert [(tool, seen) for tool, _, seen in actions(run)] == [(n, f"of {n}") for n in names]


@pytest.mark.parametrize("form", ["chat", "anthropic", "responses"])
def test_a_result_with_an_id_that_several_calls_share_is_left_out(form: str) -> None:
    calls, results = zip(*map(SAME[form], "ab"), strict=True)
    run = only([{"role": "user", "content": "q"}, *calls, results[0]])
    assert [seen for *_, seen in actions(run)] == [None, None]
    assert [each.text for each in run.notices if each.kind == "unowned_text"] == ["of a"]
    calls, results = zip(*map(SAME["chat, with the name of the tool"], "ab"), strict=True)
    run = only([{"role": "user", "content": "q"}, *calls, results[1]])
    assert [seen for *_, seen in actions(run)] == [None, "of b"]


def test_an_id_that_is_used_again_is_that_of_the_last_turn_first() -> None:
    (first, result), (second, other) = SAME["chat"]("a"), SAME["chat"]("b")
    log = [{"role": "user", "content": "q"}, first, {**second, "content": "hm"}, other, result]
    assert [seen for *_, seen in actions(only(log))] == ["of a", "of b"]


def test_a_late_result_with_an_id_is_not_that_of_a_call_that_waits() -> None:
    said = {"role": "assistant", "content": "hm", "tool_calls": [call("b", "c2")]}
    (first, result), asked = SAME["chat"]("a"), {"role": "user", "content": "q"}
    done = {"role": "assistant", "content": "done"}
    run = only([asked, first, said, result, done])
    assert [seen for *_, seen in actions(run)] == ["of a", None]
