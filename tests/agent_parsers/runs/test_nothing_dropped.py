"""What looks like a call or a result and is not understood is never read as nothing."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from agent_parsers import OutputParserException, read_runs
from agent_parsers.runs import list_readers
from agent_parsers.runs.readers import known
from agent_parsers.runs.reading import said

USER, DONE = {"role": "user", "content": "q"}, {"role": "assistant", "content": "done"}


def turn(text: str) -> list[Any]:
    return [USER, {"role": "assistant", "content": text}, {"role": "user", "content": "r"}, DONE]


SHAPES: dict[str, Any] = {
    "part of an unknown type": [USER, {"role": "assistant", "content": [
        {"type": "text", "text": "hm"}, {"type": "tool-use-2", "name": "f"}]}, DONE],
    "item of a server's tool": [USER, {"type": "shop_search_call", "id": "1"},
                                {"type": "message", "role": "assistant", "content": [
                                    {"type": "output_text", "text": "done"}]}],
    "result without a call": [USER, {"role": "tool", "tool_call_id": "1", "content": "r"}, DONE],
    "call of the user": [USER, {"role": "user", "content": None, "tool_calls": [
        {"id": "1", "function": {"name": "f", "arguments": "{}"}}]}, DONE],
    "element": turn("hm\n<read_file>\n<path>a</path>\n</read_file>"),
    "object": turn('{"name": "f", "arguments": {"a": 1}}'),
    "mark of a model": turn("<|tool_call_begin|>f<|tool_call_end|>"),
    "action behind a thought": turn("THOUGHT: hm\nACTION: go to desk 1"),
    "text before a result": [USER, {"role": "assistant", "content": "hm\n```\nls\n```"},
                             {"role": "user", "content": "OBSERVATION:\na.txt"}, DONE],
}  # fmt: skip
"""Conversations with a call or a result that no reader knows; each ends in "done"."""


def is_silent(log: Any) -> bool:
    """Return whether *log* is read as if nothing in it were unknown."""
    try:
        return not any(run.failed for run in read_runs(log))
    except OutputParserException:
        return False


@pytest.mark.parametrize("name", SHAPES)
def test_what_may_be_a_call_fails_a_step_or_the_log(name: str) -> None:
    assert not is_silent(SHAPES[name])
    assert not is_silent("\n".join(map(json.dumps, SHAPES[name])))


def never(*_: object) -> Any:
    return ""


@pytest.mark.parametrize(
    ("name", "silent"),
    [
        ("_MAY_CALL", "item of a server's tool"),
        ("unread_call", "element"),
        ("unread_call", "action behind a thought"),
        ("is_result", "text before a result"),
    ],
)
def test_the_law_finds_a_reader_that_drops(
    name: str, silent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(said, name, never)
    assert is_silent(SHAPES[silent])


# -- only our errors -----------------------------------------------------------------------------


def escaping(logs: Callable[[], Iterator[str]]) -> Iterator[str]:
    """Yield what escapes from any reader on any of *logs* that is no error of ours."""
    for reader in list_readers():
        for log in logs():
            try:
                for _run in read_runs(log, format=reader):
                    pass
            except OutputParserException:
                continue
            except Exception as error:  # noqa: BLE001 - that is what is looked for
                yield f"{reader}: {type(error).__name__}"


def odd() -> Iterator[str]:
    yield from ("Tool Calls:\n", "===== Ai Message =====\n\nTool Calls:\n", "[[ ## a ## ]]\n", "{}")
    yield from ('[{"role": "assistant", "content": [{}]}]', '[{"role": 7}]', "[null, 1]\n", "\x1b[")
    yield from ('{"resourceSpans": [{"scopeSpans": [{"spans": [{"traceId": "t"}]}]}]}', '[["x"]]')
    yield from ("<chat_history><message", "<chat_history><message/></chat_history>", "### User\n")
    yield "u\u017fer: hi\nassistant: <tool_call>"  # a letter that is an "s" but for its case


def test_no_reader_lets_another_error_escape() -> None:
    assert [*escaping(odd)] == []


def test_the_law_finds_a_reader_that_lets_one_escape(monkeypatch: pytest.MonkeyPatch) -> None:
    def read(*_: object) -> Any:
        raise KeyError("x")

    broken = replace(known.get_reader("atif"), read=read)  # type: ignore[arg-type]
    monkeypatch.setitem(known._own, "atif", broken)
    assert "atif: KeyError" in [*escaping(odd)]
