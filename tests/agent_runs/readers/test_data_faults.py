"""What a log of data says wrongly, or says in a place of its own, is refused or told."""

from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import read_runs

from .agent_logs import goose, text
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
    with pytest.raises(OutputParserException, match=r"an output is .*, not text or its"):
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
