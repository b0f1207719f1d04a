"""Where the turn of a program ends, its run ends, though the log does not show what was asked."""

from typing import Any

import pytest

from agent_runs import read_runs

from .agent_logs import INIT, goose, item, stream, text
from .data_logs import only

THREAD = {"type": "thread.started", "thread_id": "t1"}
BEGUN = {"type": "turn.started"}
ENDED = {"type": "turn.completed", "usage": {"input_tokens": 7, "output_tokens": 2}}


def gemini(session: str, said: str, **more: Any) -> list[dict[str, Any]]:
    return [
        {"type": "init", "session_id": session, "model": f"m-{session}"},
        {"type": "message", "role": "assistant", "content": said, "delta": True},
        {"type": "result", "status": "success", **more},
    ]


def claude(session: str, said: str) -> list[dict[str, Any]]:
    end = {"type": "result", "subtype": "success", "is_error": False, "result": said,
           "session_id": session, "total_cost_usd": 0.5, "num_turns": 1}  # fmt: skip
    said_by = {**stream("assistant", text(said)), "session_id": session}
    return [{**INIT, "session_id": session}, said_by, end]


def opencode(session: str, said: str, reason: str = "stop") -> list[dict[str, Any]]:
    parts = [{"type": "step-start"}, {"type": "text", "text": said},
             {"type": "step-finish", "reason": reason}]  # fmt: skip
    kinds = ("step_start", "text", "step_finish")
    return [
        {"type": kind, "timestamp": 1, "sessionID": session, "part": part}
        for kind, part in zip(kinds, parts, strict=True)
    ]


def codex(session: str, said: str) -> list[dict[str, Any]]:
    thread = {**THREAD, "thread_id": session}
    return [thread, BEGUN, item("agent_message", id="item_0", text=said), ENDED]


@pytest.mark.parametrize("made", [gemini, claude, opencode, codex])
def test_each_turn_is_a_run(made: Any) -> None:
    first, second = read_runs([*made("s1", "Rain."), *made("s1", "Snow.")])
    assert [first.output, second.output] == ["Rain.", "Snow."]
    assert (first.id, second.id, second.notices) == ("s1", "s1", ())
    assert second.conversation is not None
    assert [run.output for run in second.conversation.earlier] == ["Rain."]
    one, other = read_runs([*made("s1", "Rain."), *made("s2", "Snow.")])
    assert (one.id, one.output, other.id, other.output) == ("s1", "Rain.", "s2", "Snow.")
    assert (one.conversation, other.conversation) == (None, None)
    assert [run.metadata for run in (first, one)] == [only(made("s1", "Rain.")).metadata] * 2
    assert other.metadata == only(made("s2", "Snow.")).metadata


def test_turns_of_one_thread_keep_what_its_beginning_says() -> None:
    rest = [BEGUN, item("agent_message", id="item_1", text="Snow."), ENDED]
    first, second = read_runs([*codex("t1", "Rain."), *rest])
    assert [first.output, second.output] == ["Rain.", "Snow."]
    about = {"thread_id": "t1", "input_tokens": 7, "output_tokens": 2}
    assert first.metadata == second.metadata == about


def test_a_turn_that_was_cut_ends_where_the_next_begins() -> None:
    rest = [BEGUN, item("agent_message", id="item_1", text="Snow."), ENDED]
    first, second = read_runs([*codex("t1", "Rain.")[:-1], *rest])
    assert [first.output, second.output] == ["Rain.", "Snow."]
    question = {**stream("user", text("Which?")), "isReplay": True}
    log = claude("s", "Fog.")
    run = only([question, *log])
    assert (run.question, run.output) == ("Which?", "Fog.")


def test_a_step_that_calls_tools_is_no_end() -> None:
    log = [*opencode("s", "I look.", "tool-calls"), *opencode("s", "May.")]
    assert only(log).output == "May."


def test_an_error_of_a_turn_is_told_in_its_run() -> None:
    failed = {"type": "turn.failed", "error": {"message": "overloaded"}}
    log = [THREAD, BEGUN, failed, BEGUN, item("agent_message", id="item_0", text="Snow."), ENDED]
    first, second = read_runs(log)
    assert [notice.text for notice in first.notices] == ["overloaded", ""]
    assert (second.output, second.notices) == ("Snow.", ())


def test_a_prompt_behind_an_end_begins_one_run() -> None:
    said = {"type": "message", "role": "user", "content": "Which?"}
    head, *rest = gemini("s1", "Snow.")
    first, second = read_runs([*gemini("s1", "Rain."), head, said, *rest])
    assert (first.output, second.question, second.output) == ("Rain.", "Which?", "Snow.")
    both = [said, *gemini("s1", "Rain."), {**said, "content": "When?"}, *gemini("s2", "May.")]
    assert [(run.id, run.question, run.output) for run in read_runs(both)] == [
        ("s1", "Which?", "Rain."), ("s2", "When?", "May.")]  # fmt: skip
    done = {"type": "complete", "total_tokens": 5}
    log = [{"type": "message", "message": goose(role, {"type": "text", "text": words})}
           for role, words in (("assistant", "Rain."), ("assistant", "Snow."))]  # fmt: skip
    runs = [*read_runs([log[0], done, log[1], done], format="goose")]
    assert [(run.output, run.metadata["total_tokens"]) for run in runs] == [
        ("Rain.", 5), ("Snow.", 5)]  # fmt: skip
