"""What looks like a call or a result and is not understood is never read as nothing."""

import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import OutputParserException
from agent_runs import list_readers, read_runs
from agent_runs.readers import known
from agent_runs.reading import messages, said
from agent_runs.reading.building import RunBuilder

from .readers.consoles import GREEN, chain, coloured
from .readers.data_logs import LOGS as DATA_LOGS
from .readers.text_logs import LOGS as TEXT_LOGS

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
    "calls beside the content": [
        USER, {**DONE, "todo": [{"name": "f", "args": {}}], "tool": {"f": {}}}],
    "call of a message without content": [USER, {"role": "user", "tool": {"f": {}}}, DONE],
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


def test_the_law_finds_a_reader_that_drops_what_stands_beside(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(messages, "take_unread", never)
    assert is_silent(SHAPES["calls beside the content"])
    assert is_silent(SHAPES["call of a message without content"])


# -- every word ----------------------------------------------------------------------------------


def model(content: Any, **beside: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **beside}


def called(word: str) -> dict[str, Any]:
    return {
        "id": "1",
        "type": "function",
        "function": {"name": "f", "arguments": f'{{"a": "{word}"}}'},
    }


def item(kind: str, word: str) -> dict[str, Any]:
    part = {"type": kind, kind.removeprefix("output_"): word}
    return {"type": "message", **model([part])}


SAID: dict[str, dict[str, Callable[[str], Any]]] = {
    "openai_chat": {
        "system": lambda word: {"role": "system", "content": word},
        "question": lambda word: {"role": "user", "content": word},
        "text": model,
        "thought": lambda word: model(None, reasoning_content=word),
        "call": lambda word: model(None, tool_calls=[called(word)]),
        "result": lambda word: {"role": "tool", "tool_call_id": "1", "content": word},
        "refusal": lambda word: model("no", refusal=word),
        "text beside a refusal": lambda word: model(word, refusal="no"),
        "call in ReAct": lambda word: model(f"Thought: hm\nAction: f\nAction Input: {word}"),
        "result in ReAct": lambda word: {"role": "user", "content": f"Observation: {word}"},
        "answer in ReAct": lambda word: model(f"Thought: hm\nFinal Answer: {word}"),
    },
    "anthropic": {
        "question": lambda word: {"role": "user", "content": word},
        "text": lambda word: model([{"type": "text", "text": word}]),
        "thought": lambda word: model([{"type": "thinking", "thinking": word}]),
        "call": lambda word: model([
            {"type": "tool_use", "id": "1", "name": "f", "input": {"a": word}}]),
        "result": lambda word: {"role": "user", "content": [
            {"type": "tool_result", "tool_use_id": "1", "content": word}]},
    },
    "openai_responses": {
        "question": lambda word: {"role": "user", "content": word},
        "text": lambda word: item("output_text", word),
        "thought": lambda word: {"type": "reasoning", "summary": [
            {"type": "summary_text", "text": word}]},
        "call": lambda word: {"type": "function_call", "call_id": "1", "name": "f",
                              "arguments": json.dumps({"a": word})},
        "result": lambda word: {"type": "function_call_output", "call_id": "1", "output": word},
        "refusal": lambda word: item("refusal", word),
    },
}  # fmt: skip
"""What messages may say, one word each, in some forms."""


def unowned(form: str, kinds: list[str]) -> list[str]:
    """Return the kinds of messages whose words are lost when a log of such messages is read."""
    words = {f"word{number}.": kind for number, kind in enumerate(kinds)}
    log = [SAID[form][kind](word) for word, kind in words.items()]
    try:
        runs = [*read_runs(log, format=form)]
    except OutputParserException:
        return []  # there is no run
    found = [(run.question, run.all_steps, run.notices) for run in runs]
    errors = [step.error.llm_output for run in runs for step in run.failed if step.error]
    before = [run.preamble for run in runs]
    told = {True: repr((found, errors, before)), False: repr((found, errors))}
    return [kind for word, kind in words.items() if word not in told[kind == "system"]]


@pytest.mark.parametrize("form", SAID)
@given(data=st.data())
def test_no_word_of_a_conversation_is_lost(form: str, data: st.DataObject) -> None:
    kinds = data.draw(st.lists(st.sampled_from([*SAID[form]]), max_size=7))
    assert unowned(form, kinds) == []


@pytest.mark.parametrize(
    "kinds",
    [["question", "question", "text"],
     ["question", "text", "text"],
     ["question", "refusal"],
     ["question", "text beside a refusal", "text"],
     ["question", "call in ReAct", "answer in ReAct", "result in ReAct", "text"],
     ["question", "call in ReAct", "answer in ReAct", "result in ReAct", "result in ReAct"]],
    ids=" ".join,
)  # fmt: skip
def test_what_the_law_found_is_not_lost(kinds: list[str]) -> None:
    assert unowned("openai_chat", kinds) == []


def test_the_law_finds_a_reader_that_loses_a_word(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(RunBuilder, "notice", lambda *_, **_words: None)
    assert unowned("openai_chat", ["question", "question", "text"]) == ["question"]


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


# -- what follows a log --------------------------------------------------------------------------

OTHERS = (
    "process 7 exited with code 1\n", '{"a": 1}\n', "[1, 2]\n", TEXT_LOGS["langchain_console"],
)  # fmt: skip
"""What may stand in a file behind a log of another form."""
FOLLOWED = {
    **{name: [log] for name, log in TEXT_LOGS.items()},
    **{name: ["\n".join(map(json.dumps, log)) for log in logs if isinstance(log, list)]
       for name, logs in DATA_LOGS.items()},
}  # fmt: skip


def owned(log: str) -> tuple[str, set[str]]:
    """Return all that the runs of *log* say, and what is complained of."""
    errors: list[object] = []
    runs = [*read_runs(log, on_error=errors.append)]
    notices = [notice for run in runs for notice in run.notices]
    failed = [step for run in runs for step in run.all_steps if step.error is not None]
    return repr([run.steps for run in runs]), {*map(repr, [*errors, *notices, *failed])}


@pytest.mark.parametrize("name", FOLLOWED)
def test_what_follows_a_log_is_said_or_complained_of(name: str) -> None:
    for log in FOLLOWED[name]:
        for other in OTHERS:
            with suppress(OutputParserException):  # no reader knows all of it
                before, complaints = owned(log)
                both, more = owned(f"{log.rstrip()}\n{other}")
                assert more - complaints or len(both) > len(before)


@pytest.mark.parametrize("name", ["AgentExecutor", "LLMChain"])
def test_a_chain_that_is_no_run_is_not_lost(name: str) -> None:
    log = TEXT_LOGS["crewai_console_old"]
    other = chain(coloured("Something else is said.", GREEN), name)
    complaints: list[OutputParserException] = []
    runs = [*read_runs(log.rstrip() + "\n" + other, on_error=complaints.append)]
    left = [*(error.llm_output for error in complaints), *(n.text for n in runs[-1].notices)]
    assert any("Something else is said." in str(text) for text in left)


def test_text_behind_a_frame_is_not_lost() -> None:
    frame = f"{'=' * 50}\n🤖 Agent: B\n{'=' * 50}\n"
    log = TEXT_LOGS["llamaindex_workflow"] + frame
    (run,) = read_runs(log)
    assert "unowned_text" not in [notice.kind for notice in run.notices]
    (run,) = read_runs(log + "Something else is said.\n")
    assert "unowned_text" in [notice.kind for notice in run.notices]
