"""Messages: malformed parts, several calls, and text that the agent spoke in a dialect."""

import json
from dataclasses import replace
from typing import Any

import pytest

from agent_parsers import OutputParserException, Transcript, parse_record
from agent_runs import MessagePart, Messages, read_runs
from output_parsers import ModelRefusalError

from .data_logs import actions, only

CALL = '<tool_call>\n{"name": "%s", "arguments": {}}\n</tool_call>'


def user(text: Any) -> dict[str, Any]:
    return {"role": "user", "content": text}


def assistant(text: Any = None, *calls: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": text, **({"tool_calls": [*calls]} if calls else {})}


def call(call_id: str, arguments: Any, name: str = "search") -> dict[str, Any]:
    return {"id": call_id, "function": {"name": name, "arguments": arguments}}


def tool(call_id: str, text: Any) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": call_id, "content": text}


def answer(run: Transcript) -> Any:
    return run.finish and run.finish.return_values["output"]


@pytest.mark.parametrize(
    "kind", ["bash_code_execution", "code_execution", "web_fetch", "web_search", "tool_search"]
)
def test_the_results_of_tools_that_the_api_runs_are_read(kind: str) -> None:
    parts = [
        {"type": "server_tool_use", "id": "s1", "name": kind, "input": {"command": "x"}},
        {"type": f"{kind}_tool_result", "tool_use_id": "s1", "content": {"stdout": "12"}},
        {"type": "text", "text": "It is 12."},
    ]
    run = only([user("3 * 4?"), assistant(parts)])
    assert actions(run) == [(kind, {"command": "x"}, '{"stdout": "12"}')]
    assert answer(run) == "It is 12."


REFUSALS = {
    "beside no text": assistant() | {"refusal": "no"},
    "beside text": assistant("x") | {"refusal": "no"},
    "in a part": assistant([{"type": "refusal", "refusal": "no"}]),
    "in a part beside text": assistant(
        [{"type": "text", "text": "x"}, {"type": "refusal", "refusal": "no"}]
    ),
    "in an item": {"type": "message", **assistant(
        [{"type": "output_text", "text": "x"}, {"type": "refusal", "refusal": "no"}])},
    "of LangChain": {"type": "ai", "data": {
        "content": "x", "additional_kwargs": {"refusal": "no"}}},
}  # fmt: skip


@pytest.mark.parametrize("where", REFUSALS)
def test_a_refusal_is_a_failed_step_and_no_answer(where: str) -> None:
    said = REFUSALS[where]
    asked = {"type": "human", "data": {"content": "q"}} if "data" in said else user("q")
    first, second = read_runs([asked, said, asked, said])
    for run in (first, second):
        (failed,) = run.failed
        assert isinstance(failed.error, ModelRefusalError)
        assert (failed.error.refusal, run.output) == ("no", None)
        assert failed.content == ("x" if "'x'" in repr(said) else "")


def test_calls_beside_a_refusal_were_made_all_the_same() -> None:
    both = assistant("x", call("1", "{}")) | {"refusal": "no"}
    run = only([user("q"), both, tool("1", "r")])
    assert (actions(run), len(run.failed)) == ([("search", {}, "r")], 1)


# -- calls ---------------------------------------------------------------------------------------


def test_arguments_that_are_not_quite_json_are_repaired() -> None:
    run = only([user("q"), assistant(None, call("1", "{'a': 1,}")), tool("1", "x")])
    assert actions(run) == [("search", {"a": 1}, "x")]
    assert {repair.kind for repair in run.repairs} == {"quotes", "trailing_comma"}


@pytest.mark.parametrize("arguments", ['{"a": ', "[1]", '"x"', "so what", '{"a": 1, "a": 2}'])
def test_arguments_that_cannot_be_read_fail_the_step_alone(arguments: str) -> None:
    calls = [call("1", arguments), call("2", "{}")]
    results = [tool("2", "second"), tool("1", "first")]
    run = only([user("q"), assistant("hm", *calls), *results, assistant("done")])
    (failed,) = run.failed
    assert failed.observation == "first"
    assert actions(run) == [("search", {}, "second")]
    assert answer(run) == "done"


def test_the_call_of_a_custom_tool_is_text() -> None:
    log = [
        user("q"),
        assistant(None, {"id": "1", "custom": {"name": "sh", "input": "ls"}, "type": "custom"}),
        tool("1", [{"type": "text", "text": "a"}, {"type": "text", "text": "b"}]),
    ]
    assert actions(only(log)) == [("sh", "ls", "a\nb")]


def test_the_deprecated_call_of_a_function_is_read() -> None:
    log = [
        user("q"),
        {**assistant(), "function_call": {"name": "search", "arguments": "{}"}},
        {"role": "function", "name": "search", "content": "x"},
    ]
    assert actions(only(log)) == [("search", {}, "x")]


def test_parts_that_are_no_text_are_named() -> None:
    image = {"type": "image_url", "image_url": {"url": "data:…"}}
    run = only([user([{"type": "text", "text": "What is it?"}, image]), assistant("A bird.")])
    assert (run.question, answer(run)) == ("What is it?", "A bird.")
    assert [notice.message for notice in run.notices] == ["dropped a part of type 'image_url'"]


@pytest.mark.parametrize(
    "message",
    [{"role": "assistant", "content": 7}, {"role": "bot", "content": "x"}, None,
     assistant(None, {"id": "1"}), assistant(None, {"function": {"name": ["f"]}})],
)  # fmt: skip
def test_a_malformed_message_is_an_error_with_its_line(message: Any) -> None:
    log = "\n".join(map(json.dumps, [user("q"), assistant(None, call("1", "{}")), message]))
    with pytest.raises(OutputParserException, match=r"\(line 3 of the file\)"):
        list(read_runs(log, format="openai_chat"))
    errors: list[OutputParserException] = []
    run = only(log, format="openai_chat", on_error=errors.append)
    assert [step.error for step in run.failed] == errors


def test_a_log_of_requests_that_go_on_is_one_run() -> None:
    messages = [user("q"), assistant(None, call("1", "{}")), tool("1", "x"), assistant("done")]
    log = [
        {
            "request": {"messages": messages[:at]},
            "response": {"choices": [{"message": messages[at]}]},
        }
        for at in (1, 3)
    ]
    assert actions(only(log)) == [("search", {}, "x")]


def test_the_answer_of_a_request_may_be_in_other_words_in_the_next() -> None:
    use = {"type": "tool_use", "id": "1", "name": "a", "input": {}}
    result = {"type": "tool_result", "tool_use_id": "1", "content": "x"}
    said = {"type": "message", "role": "assistant", "stop_reason": "tool_use", "content": [use]}
    done = {**said, "stop_reason": "end_turn", "content": [{"type": "text", "text": "done"}]}
    asked = [user("q")]
    log = [
        {"request": {"system": "Be brief.", "messages": asked}, "response": said},
        {
            "request": {
                "system": "Be brief.",
                "messages": [*asked, {"role": "assistant", "content": [use]}, user([result])],
            },
            "response": done,
        },
    ]
    run = only(log)
    assert actions(run) == [("a", {}, "x")]
    assert (run.preamble, answer(run)) == ("Be brief.", "done")


def test_mixed_conversations_are_told_apart_by_their_ids() -> None:
    one = [user("1"), assistant(None, call("1", "{}")), tool("1", "x"), assistant("one")]
    two = [user("2"), assistant("two")]
    mixed = [
        {**message, "thread_id": name}
        for pair in zip(one, [*two, *two], strict=True)
        for message, name in zip(pair, "ab", strict=True)
    ]
    runs = [*read_runs(mixed)]
    assert [(run.id, run.question, answer(run)) for run in runs] == [
        ("a", "1", "one"), ("b", "2", "two"), ("b", "2", "two")
    ]  # fmt: skip


# -- text in a dialect ---------------------------------------------------------------------------

REACT = "I look.\nAction: search\nAction Input: fog"


def test_text_in_a_dialect_is_read_as_it_would_have_been_then() -> None:
    result = "Observation: November\nThought: none of mine\nFinal Answer: 12"
    log = [user("q"), assistant(REACT), user(result), assistant("So.\nFinal Answer: Fog.")]
    run = only(log)
    assert actions(run) == [("search", "fog", result.removeprefix("Observation: "))]
    assert answer(run) == "Fog."
    assert run.source is not None
    assert run.source.dialect == "react"
    assert "read as react" in run.source.evidence[-1]


def test_several_calls_in_a_text_get_their_results_in_order() -> None:
    results = "<tool_response>\n1\n</tool_response>\n<tool_response>\n2\n</tool_response>"
    log = [user("q"), assistant(f"look\n{CALL % 'a'}\n{CALL % 'b'}"), user(results)]
    run = only([*log, assistant("done")])
    assert actions(run) == [("a", {}, "1"), ("b", {}, "2")]
    assert (run.steps[0].thought, run.steps[0].content) == ("", "look")
    assert answer(run) == "done"


def test_an_agent_that_calls_tools_does_not_speak_a_dialect() -> None:
    log = [user("q"), assistant(None, call("1", "{}")), tool("1", "x"), assistant(REACT)]
    run = only(log)
    assert actions(run) == [("search", {}, "x")]
    assert [step.error and step.error.llm_output for step in run.failed] == [REACT]
    assert answer(run) is None


@pytest.mark.parametrize(
    "text",
    [
        "I look.\n<read_file>\n<path>a.txt</path>\n</read_file>",
        "I look.\n<function=search>\n<arg=q>fog</arg>\n</function>",
        '<tool_call>\n{"name": "search", "arguments": {\n</tool_call>',
        '{"name": "search", "arguments": {"q": "fog"}}',
        "<|tool_call_begin|>search<|tool_call_end|>",
    ],
)
def test_a_text_that_ends_in_a_call_that_is_not_read_is_no_answer(text: str) -> None:
    run = only([user("q"), assistant(text), user("November"), assistant("Done.")])
    assert [(step.error and step.error.llm_output, step.observation) for step in run.failed] == [
        (text, "November")
    ]
    assert answer(run) == "Done."


@pytest.mark.parametrize("text", ["Use <b>bold</b>", "a <tool_call> is a mark, no more", "1 < 2"])
def test_a_text_that_speaks_of_marks_is_an_answer(text: str) -> None:
    assert answer(only([user("q"), assistant(text)])) == text


@pytest.mark.parametrize("kind", ["tool-call", "toolUse2", "function-invocation", "call"])
def test_a_message_with_a_part_whose_name_speaks_of_a_call_is_refused(kind: str) -> None:
    parts = [{"type": kind, "x": 1}, {"type": "text", "text": "a"}]
    log = [user("q"), assistant(parts), assistant("a")]
    for form in ("openai_chat", "anthropic", "vercel_ai"):
        with pytest.raises(OutputParserException):
            only(log, format=form)
        run = only(log, format=form, on_error=lambda _error: None)
        assert [step.error is None for step in run.all_steps] == [False, True]


def test_the_named_dialect_reads_text_that_shows_none() -> None:
    log = [user("q"), assistant('{"action": "search", "action_input": "fog"}'), user("November")]
    run = only(log, dialect="json_chat")
    assert actions(run) == [("search", "fog", "November")]


def test_a_turn_that_cannot_be_read_gets_what_the_loop_said() -> None:
    log = [user("q"), assistant(REACT), user("Observation: x"), assistant("Action: search"),
           user("Invalid Format: no input"), assistant("Final Answer: Fog.")]  # fmt: skip
    run = only(log)
    (failed,) = run.failed
    assert failed.observation == "Invalid Format: no input"
    assert answer(run) == "Fog."


# -- runs ----------------------------------------------------------------------------------------


def test_a_text_before_calls_is_their_content() -> None:
    log = [user("q"), assistant("First."), assistant("Now.", call("1", "{}")), tool("1", "x")]
    run = only(log)
    assert (run.steps[0].thought, run.steps[0].content) == ("", "First.\nNow.")
    assert [notice.kind for notice in run.notices] == ["no_answer"]


def test_a_result_that_no_call_waits_for_is_a_failed_step() -> None:
    run = only([user("q"), assistant(None, call("1", "{}")), tool("1", "x"), tool("9", "y")])
    assert actions(run) == [("search", {}, "x")]
    assert [step.observation for step in run.failed] == ["y"]


def test_what_the_user_says_beside_results_is_a_notice() -> None:
    log = [
        user("q"),
        assistant([{"type": "tool_use", "id": "1", "name": "a", "input": {}}]),
        user([{"type": "tool_result", "tool_use_id": "1", "content": "x"},
              {"type": "text", "text": "Hurry."}]),
        assistant("done"),
    ]  # fmt: skip
    run = only(log)
    assert actions(run) == [("a", {}, "x")]
    assert [(notice.kind, notice.text) for notice in run.notices] == [("unowned_text", "Hurry.")]


def test_a_record_has_all_calls_of_an_output() -> None:
    steps = [{"output": f"look\n{CALL % 'a'}\n{CALL % 'b'}", "observation": "x"}, {"output": "so"}]
    run = parse_record({"format": "hermes", "steps": steps})
    assert actions(run) == [("a", {}, None), ("b", {}, "x")]
    assert [step.number for step in run.steps] == [1, 2, 3]
    assert (run.steps[0].thought, run.steps[0].content) == ("", "look")


# What stands under other keys than those of the form.
MAIL = {"to": "ann"}
CALLED: dict[str, Any] = {
    "actions": [{"name": "mail", "args": MAIL}],
    "action": {"tool": "mail", "tool_input": MAIL},
    "tool": {"tool": "mail", "args": MAIL},
    "pendingToolCalls": [{"id": "c1", "what": "mail"}],
    "calls": ["mail(to='ann')"],
    "tool_call": '{"name": "mail"}',
    "function": {"mail": MAIL},
    "results": [{"id": "c1", "text": "ok"}],
    "todo": [{"function": {"name": "mail", "arguments": "{}"}}],
    "additional_kwargs": {"later": [{"name": "mail", "args": MAIL}]},
    "metadata": {"next": {"toolName": "mail", "args": MAIL}},
}
"""Members beside a content that may be calls or results."""
ABOUT: dict[str, Any] = {
    "usage": {"input_tokens": 3, "tool_calls": 1},
    "timings": {"first_ms": 3.5},
    "tokens": {"input": 3, "tool": 0},
    "annotations": [{"type": "url_citation", "url": "a"}],
    "logprobs": {"content": [{"token": "a", "logprob": 0}]},
    "audio": {"id": "a", "data": ""},
    "tools": [{"type": "function", "function": {"name": "mail", "parameters": {}}}],
    "tool_choice": {"type": "auto"},
    "tool_call_ids": ["c1", "c2"],
    "actions": ["like", "share"],
    "createdAt": "2026-01-01 10:00",
    "toolInvocations": [],
    "function": None,
}
"""Members that say something about a message."""
MODELS: dict[str, Any] = {
    "openai_chat": lambda more: [user("q"), {**assistant("Sent."), **more}],
    "langchain_messages": lambda more: [
        {"type": "human", "data": {"content": "q"}},
        {"type": "ai", "data": {"content": "Sent.", **more}}],
    "sharegpt": lambda more: {"conversations": [
        {"from": "human", "value": "q"}, {"from": "gpt", "value": "Sent.", **more}]},
}  # fmt: skip


@pytest.mark.parametrize("form", MODELS)
@pytest.mark.parametrize("key", CALLED)
def test_what_may_be_a_call_beside_the_content_is_a_failed_step(form: str, key: str) -> None:
    run = only(MODELS[form]({key: CALLED[key]}))
    (failed,) = run.failed
    assert repr(key) in str(failed.error)
    assert key == "results" or "mail" in str(failed.error and failed.error.llm_output)
    assert answer(run) == "Sent."


@pytest.mark.parametrize("form", MODELS)
@pytest.mark.parametrize("key", ABOUT)
def test_what_is_said_about_a_message_is_no_call(form: str, key: str) -> None:
    run = only(MODELS[form]({key: ABOUT[key]}))
    assert (run.failed, run.notices) == ((), ())
    for said in ({"role": "assistant"}, {"role": "user"}):
        log = [user("q"), assistant("a"), {**said, key: ABOUT[key]}, assistant("b")]
        assert not any(run.failed or run.notices for run in read_runs(log))


@pytest.mark.parametrize("key", CALLED)
@pytest.mark.parametrize("role", ["user", "assistant"])
def test_a_message_that_only_calls_asks_nothing(role: str, key: str) -> None:
    log = [user("q"), assistant("I send it."), {"role": role, key: CALLED[key]}, assistant("Sent.")]
    run = only(log)
    assert [run.question, answer(run), len(run.failed)] == ["q", "Sent.", 1]
    assert run.all_steps[0].content == "I send it."


def test_a_call_that_is_said_twice_is_made_once() -> None:
    again = {"actions": [{"name": "search", "args": {"a": 1}}]}
    log = [user("q"), {**assistant("x", call("c1", '{"a": 1}')), **again}, tool("c1", "r")]
    run = only([*log, assistant("b")])
    assert (actions(run), run.failed) == ([("search", {"a": 1}, "r")], ())
    again["actions"][0]["name"] = "remove"
    log[1] |= again
    assert len(only([*log, assistant("b")]).failed) == 1


@pytest.mark.parametrize("role", ["user", "assistant", "tool"])
@pytest.mark.parametrize("key", ["text", "response", "blocks", "narration"])
def test_the_words_of_a_message_without_content_are_a_notice(role: str, key: str) -> None:
    said = ["It is late."] if key == "blocks" else "It is late."
    log = [user("q"), assistant(None, call("c1", "{}")), {"role": role, key: said}, assistant("b")]
    runs = [*read_runs(log)]
    told = [notice for run in runs for notice in run.notices if "without content" in notice.message]
    assert [repr(key) in notice.message for notice in told] == [True]
    assert "It is late." in str(told[0].text)


def test_calls_of_a_chat_of_the_ai_sdk_came_before_its_text() -> None:
    def said(text: str, *calls: Any) -> Any:
        return {"role": "assistant", "content": text, "toolInvocations": [*calls]}

    made = {"toolCallId": "c1", "toolName": "mail", "args": MAIL}
    run = only([user("q"), said("Sent.", {**made, "state": "result", "result": {"ok": True}})])
    assert actions(run) == [("mail", MAIL, '{"ok": true}')]
    assert answer(run) == "Sent."
    run = only([user("q"), said("I wait.", {**made, "state": "call"})])
    assert (actions(run), answer(run)) == ([("mail", MAIL, None)], None)
    assert run.steps[0].content == "I wait."


def test_a_table_says_which_members_are_no_calls() -> None:
    text = MessagePart("text", type="text", of="text")
    desk = Messages(
        name="desk", summary="x", roles={"me": "user", "bot": "assistant"}, parts=[text]
    )
    hint = {"hints": [{"name": "mail", "args": MAIL}]}
    log = [
        {"role": role, "content": [{"type": "text", "text": "a"}], **more}
        for role, more in (("me", {}), ("bot", hint))
    ]
    assert len(only(log, format=desk).failed) == 1
    known = MessagePart("nothing", at="hints", is_sign=False)
    assert only(log, format=replace(desk, parts=[text, known])).failed == ()


@pytest.mark.parametrize(
    "stopped",
    [{"finish_reason": "tool_calls"}, {"meta": {"finish_reason": "tool_calls"}},
     {"response_metadata": {"stop_reason": "tool_use"}}],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("several", [False, True])
def test_the_calls_for_which_a_model_stopped_may_be_its_text(stopped: Any, several: bool) -> None:
    calls = [call("c1", '{"a": 1}'), {"name": "mail", "arguments": MAIL, "id": "c2"}]
    written = json.dumps(calls if several else calls[0])
    log = [user("q"), {**assistant(written), **stopped}, tool("c1", "r"), assistant("b")]
    run = only(log)
    made = [("search", {"a": 1}, "r"), ("mail", MAIL, None)]
    assert (actions(run), answer(run)) == (made if several else made[:1], "b")
    assert answer(only(log[:2])) is None


@pytest.mark.parametrize("text", ["I look it up.", "[see below]", "{a}"])
def test_words_of_a_model_that_stopped_to_call_are_words(text: str) -> None:
    stopped = {"finish_reason": "tool_calls"}
    log = [user("q"), {**assistant(text), **stopped}, assistant(None, call("c1", "{}"))]
    run = only([*log, tool("c1", "r"), assistant("b")])
    assert (actions(run), run.failed) == ([("search", {}, "r")], ())
    assert run.steps[0].content == text


def test_json_of_a_model_that_stopped_to_call_is_no_answer() -> None:
    for text in ('{"to": "ann"}', '[{"mail": {"to": "ann"}}]', "[]"):
        run = only([user("q"), {**assistant(text), "finish_reason": "tool_calls"}])
        assert (answer(run), len(run.failed)) == (None, 1)
        assert answer(only([user("q"), {**assistant(text), "finish_reason": "stop"}])) == text


def test_a_call_that_a_tool_is_said_to_have_returned_is_no_result() -> None:
    made = [{**call(call_id, "{}", name), "type": "function"}
            for call_id, name in (("c1", "a"), ("c2", "b"))]  # fmt: skip
    told = [{"role": "tool", "content": text}
            for text in (json.dumps(made[:1]), "1", json.dumps(made[1:]), "2")]  # fmt: skip
    run = only([user("q"), assistant(None, *made), *told, assistant("b")])
    assert ([seen for *_, seen in actions(run)], len(run.failed)) == ([None, None], 2)
    assert [notice.text for notice in run.notices if notice.text] == ["1", "2"]
    listed = json.dumps([{"type": "function", "function": {"name": "a", "arguments": "{}"}}])
    for text in (listed, "[]", "[1]"):
        run = only([user("q"), assistant(None, *made[:1]), {"role": "tool", "content": text}])
        assert ([seen for *_, seen in actions(run)], run.failed) == ([text], ())
