"""What a log of data says wrongly, or says in a place of its own, is refused or told."""

from copy import deepcopy
from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import read_runs

from .agent_logs import CHATGPT, LOGS, QUESTION, REQUEST, goose, text
from .data_logs import actions, only


def told(run: Any) -> list[str]:
    return [notice.message for notice in run.notices]


@pytest.mark.parametrize("name", ["undefined", "utf-9", "a\0b"])
def test_an_encoding_that_cannot_be_used_is_named(name: str) -> None:
    with pytest.raises(ValueError, match=r"there is no encoding .*; Python knows utf-8"):
        list(read_runs(b"Thought: x", encoding=name))


@pytest.mark.parametrize("printed", [5, {"a": "b"}, ["a", 5]])
def test_the_text_of_an_output_is_text(printed: Any) -> None:
    output = {"output_type": "stream", "name": "stdout", "text": printed}
    cell = {"cell_type": "code", "source": "x", "outputs": [output]}
    with pytest.raises(
        OutputParserException, match=r"an output is .*, not a string or a list of strings"
    ):
        list(read_runs({"nbformat": 4, "cells": [cell]}))


def test_a_stream_of_goose_without_tools_is_recognised() -> None:
    said = {"type": "message", "message": {"id": "m", **goose("assistant", text("May."))}}
    for log in ([said, {"type": "complete", "total_tokens": 4}], [said]):
        run = only(log)
        assert run.source is not None
        assert (run.source.reader, run.output) == ("goose", "May.")


@pytest.mark.parametrize(
    ("out", "err", "seen"),
    [
        ("a", "b", "a\nb"),
        ("a\n", "b", "a\nb"),
        ("a", "", "a"),
        ("x", "x", "x\nx"),
        (None, "b", "b"),
    ],
)
def test_what_a_command_printed_begins_a_line_on_each_stream(
    out: str | None, err: str, seen: str
) -> None:
    begin = {"type": "exec_command_begin", "call_id": "c", "command": ["ls"], "cwd": "/"}
    end = {"type": "exec_command_end", "call_id": "c", "stdout": out, "stderr": err, "exit_code": 0}
    run = only([{"id": "0", "msg": begin}, {"id": "0", "msg": end}])
    assert [each for *_, each in actions(run)] == [seen]


# -- exports of chats ------------------------------------------------------------------------------

CHAT: dict[str, Any] = {"requesterUsername": "me", "responderUsername": "c", "requests": []}


def unowned(run: Any) -> list[tuple[str, str]]:
    return [(notice.message, notice.text) for notice in run.notices]


@pytest.mark.parametrize(("node", "parent"), [("a", "e"), ("a", "c"), ("a", "a")])
def test_messages_that_follow_one_another_in_a_circle_are_told(node: str, parent: str) -> None:
    chat = deepcopy(CHATGPT)
    chat["mapping"][node]["parent"] = parent
    run = only([chat])
    assert run.question == QUESTION
    assert told(run) == ["dropped everything before a message whose parents form a loop"]


def test_files_of_a_message_are_told() -> None:
    export = deepcopy(LOGS["claude_ai"][0])
    asked = export[0]["chat_messages"][0]
    asked["attachments"] = [{"file_name": "b.bin"}]
    asked["files"] = [{"file_name": "a.png", "file_uuid": "x"}]
    assert told(only(export)) == [
        "dropped a part with 'file_name'", "dropped a part with 'file_name', 'file_uuid'"
    ]  # fmt: skip
    asked["attachments"], asked["files"] = [{"extracted_content": "See here."}], []
    assert told(only(export)) == []


def test_an_error_of_a_request_is_told() -> None:
    failed = {"message": {"text": QUESTION}, "response": [],
              "result": {"errorDetails": {"message": "no network"}}}  # fmt: skip
    run, other = read_runs({**CHAT, "requests": [failed, REQUEST]})
    assert (run.question, other.question, told(other)) == (QUESTION, QUESTION, [])
    assert unowned(run)[0] == ("the program reported an error", "no network")
    assert run.finish is None


def test_a_result_that_no_call_waits_for_is_told() -> None:
    request = deepcopy(REQUEST)
    request["result"]["metadata"]["toolCallResults"]["other"] = {"content": [{"value": "stray"}]}
    run = only({**CHAT, "requests": [request]})
    assert unowned(run) == [("dropped a result that belongs to no call of the request", "stray")]


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (
            {"kind": 2, "k": ["requests"], "i": 0, "v": [REQUEST]},
            "2, with the keys 'kind', 'k', 'i'",
        ),
        ({"kind": 2, "k": ["requests"]}, "2, with the keys 'kind', 'k'"),
        ({"kind": 3, "k": ["requests", 0]}, "3, with the keys 'kind', 'k'"),
    ],
)
def test_a_change_that_is_not_known_is_named(change: dict[str, Any], words: str) -> None:
    log = [{"kind": 0, "v": CHAT}, {"kind": 2, "k": ["requests"], "v": [REQUEST]}]
    assert only(log).question == QUESTION
    with pytest.raises(OutputParserException, match=f"unknown kind of change, {words}"):
        list(read_runs([*log, change]))


# -- results by id ---------------------------------------------------------------------------------


@pytest.mark.parametrize("other", [None, 5, "timeout", [1]])
def test_what_differs_among_results_by_id_is_named(other: Any) -> None:
    turns = {"query": QUESTION, "turn_history": {"actions": ["ls"], "observations": ["a"]}}
    results = {"r1": turns, "r2": other, "r3": turns}
    with pytest.raises(OutputParserException, match="under 'r2': expected"):
        list(read_runs(results))
    errors: list[OutputParserException] = []
    runs = [*read_runs(results, on_error=errors.append)]
    assert [(run.id, len(errors)) for run in runs] == [("r1", 1), ("r3", 1)]
    if other is None:
        with pytest.raises(OutputParserException, match="under 'r2': expected"):
            list(read_runs({"r1": turns, "r2": None}))
