"""Spans of traces: in which forms their messages are, and what only the spans of tools show."""

import json
from typing import Any

import pytest

from agent_parsers import Transcript
from agent_runs import read_runs

from .data_logs import LOGS, actions, only

USER = {"role": "user", "content": "How deep is the lake?"}


def span(at: int, kind: str, given: Any, said: Any, **more: Any) -> dict[str, Any]:
    """Return an observation of Langfuse that began at some time."""
    own = {"traceId": "t", "id": f"s{at}", "type": kind, "name": "model", "startTime": f"1{at}"}
    return {**own, "input": given, "output": said, **more}


def tool(at: int, name: str, given: Any, seen: Any, **more: Any) -> dict[str, Any]:
    return span(at, "TOOL", given, seen, name=name, **more)


def said(text: str | None, *calls: tuple[str, str, str]) -> dict[str, Any]:
    made = [
        {"id": call_id, "type": "function", "function": {"name": name, "arguments": given}}
        for call_id, name, given in calls
    ]
    return {"role": "assistant", "content": text, **({"tool_calls": made} if made else {})}


def trace(*spans: dict[str, Any]) -> dict[str, Any]:
    return {"trace": {"id": "t"}, "observations": [*spans]}


def shown(run: Transcript) -> Any:
    return run.question, actions(run), run.output, len(run.failed)


# -- forms of messages -----------------------------------------------------------------------------

_MESSAGES = {
    "openai_chat": "messages",
    "anthropic": "messages",
    "gemini": "contents",
    "otel_messages": "messages",
    "vercel_ai": "messages",
    "langchain_messages": "messages",
    "openai_responses": "input",
}
"""Forms of APIs, and where a request has the messages."""
FORMS = {
    name: next(
        log if isinstance(log, list) else log[key]
        for log in LOGS[name]
        if isinstance(log, list) or key in log
    )
    for name, key in _MESSAGES.items()
}


def as_it_is(value: Any) -> Any:
    return value


@pytest.mark.parametrize("written", [as_it_is, json.dumps], ids=["data", "text"])
@pytest.mark.parametrize("form", FORMS)
def test_messages_are_read_from_a_span_as_from_their_own_log(form: str, written: Any) -> None:
    messages = FORMS[form]
    own = only(messages, format=form)
    assert own.failed == ()
    for given in (messages[:-1], {_MESSAGES[form]: messages[:-1], "model": "m", "tools": []}):
        if form == "openai_responses" and isinstance(given, dict):
            continue  # its input is told from a request by its type
        run = only(trace(span(1, "GENERATION", written(given), written(messages[-1]))))
        assert (run.failed, shown(run)) == ((), shown(own))


GEMINI = {"role": "model", "parts": [{"text": "61 m"}]}
RESPONSES: dict[str, Any] = {
    "of chat completions": {"id": "r", "choices": [{"index": 0, "message": said("61 m")}]},
    "a choice": {"index": 0, "message": said("61 m"), "finish_reason": "stop"},
    "of Gemini's API": {"candidates": [{"content": GEMINI}]},
    "of Google's ADK": {"content": GEMINI, "partial": False},
    "of the Responses API": {"object": "response", "output": [
        {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "61 m"}]}]},
    "of Anthropic's API": {"type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "61 m"}]},
    "of text": "61 m",
}  # fmt: skip
REQUESTS: dict[str, Any] = {
    "of messages": {"messages": [USER]},
    "of one text": {"prompt": USER["content"]},
    "of contents that are text": {"contents": USER["content"], "model": "m"},
    "with a system prompt": {"contents": USER["content"], "config": {"system_instruction": "Hm."}},
    "with a system prompt in parts": {
        "messages": [USER],
        "system": [{"type": "text", "text": "Hm."}],
    },
    "of text": USER["content"],
    "of a message": USER,
}


@pytest.mark.parametrize("written", [as_it_is, json.dumps], ids=["data", "text"])
@pytest.mark.parametrize("request_", REQUESTS)
@pytest.mark.parametrize("response", RESPONSES)
def test_requests_and_responses_of_apis_are_read(
    request_: str, response: str, written: Any
) -> None:
    bodies = (REQUESTS[request_], RESPONSES[response])
    given, told = (body if isinstance(body, str) else written(body) for body in bodies)
    run = only(trace(span(1, "GENERATION", given, told)))
    assert shown(run) == (USER["content"], [], "61 m", 0)
    assert ("Hm." in str(run.preamble)) == ("system" in request_)


def test_deep_objects_around_messages_are_refused() -> None:
    deep: Any = [USER]
    for _ in range(400):
        deep = {"messages": deep}
    errors: list[Any] = []
    run = only(trace(span(1, "GENERATION", deep, "61 m")), on_error=errors.append)
    assert (run.question, len(run.failed), len(errors)) == ("", 1, 1)


def test_calls_of_the_ai_sdk_are_read_without_a_message() -> None:
    calls = [{"toolCallId": each, "toolName": "depth", "input": json.dumps({"of": each})}
             for each in ("c1", "c2")]  # fmt: skip
    asked = span(1, "GENERATION", json.dumps({"prompt": "q"}), json.dumps(calls))
    used = (tool(2, "depth", {"of": "c2"}, "9"), tool(3, "depth", {"of": "c1"}, "8"))
    run = only(trace(asked, *used))
    assert actions(run) == [("depth", {"of": "c1"}, "8"), ("depth", {"of": "c2"}, "9")]


def test_a_message_that_no_form_knows_is_refused_and_the_others_are_read() -> None:
    errors: list[Any] = []
    given = [USER, {"content": "role"}]
    call = {"type": "tool_use", "id": "c1", "name": "depth", "input": {}}
    told = {"role": "assistant", "content": [call]}
    spans = (span(1, "GENERATION", given, told), tool(2, "depth", {}, "61 m"))
    run = only(trace(*spans), on_error=errors.append)
    assert (actions(run), len(run.failed), len(errors)) == ([("depth", {}, "61 m")], 1, 1)
    texts = {"messages": ["role='system' content='a'", "role='user' content='b'"]}
    run = only(trace(span(1, "GENERATION", texts, "hi")), on_error=errors.append)
    assert (run.question, len(run.failed)) == ("", 1)


@pytest.mark.parametrize("system", ["system", "developer"])
def test_the_roles_in_the_lines_of_a_text_begin_messages(system: str) -> None:
    given = f"{system}: Be brief.\nIn one line.\nuser: How deep?\nNow."
    run = only(trace(span(1, "GENERATION", given, "61 m")))
    assert (run.question, run.output) == ("How deep?\nNow.", "61 m")
    assert str(run.preamble).strip() == "Be brief.\nIn one line."
    assert [notice.kind for notice in run.notices] == ["unclear_end"]


def test_roles_behind_the_beginning_of_a_text_are_words() -> None:
    for given, told in (("Play.\nuser: a", "user: b"), ("users: two", "None of them")):
        run = only(trace(span(1, "GENERATION", given, told)))
        assert (run.question, run.output, run.notices) == (given, told, ())


def test_none_is_no_answer_and_no_message() -> None:
    given = "user: How deep?\nassistant: None\ntool: 61"
    (run,) = read_runs(trace(span(1, "GENERATION", "user: How deep?", "None")))
    assert (run.question, run.output) == ("How deep?", None)
    (run,) = read_runs(trace(span(1, "GENERATION", given, "61 m")))
    assert (run.question, run.output) == ("How deep?", "61 m")
    assert [step.observation for step in run.failed] == ["61"]


# -- spans of tools --------------------------------------------------------------------------------

CALL = said(None, ("c1", "depth", '{"of": "lake"}'))
OTHER = {"role": "user", "content": "Write."}


@pytest.mark.parametrize("name", ["depth", "execute_tool depth", "mcp__sea__depth", "sea/depth"])
def test_a_tool_has_its_result_though_another_model_was_asked_later(name: str) -> None:
    spans = (
        span(1, "GENERATION", [USER], CALL, parentObservationId="a"),
        tool(2, name, {"of": "lake"}, "61 m", parentObservationId="a"),
        span(3, "GENERATION", [OTHER], said("Done."), parentObservationId="b"),
    )
    first, second = read_runs(trace(*spans))
    assert actions(first) == [("depth", {"of": "lake"}, "61 m")]
    assert (second.question, second.output) == ("Write.", "Done.")
    told = [USER, CALL, {"role": "tool", "tool_call_id": "c1", "content": "in other words"}]
    last = span(4, "GENERATION", told, said("61 m."), parentObservationId="a")
    first, _ = read_runs(trace(*spans, last))
    assert shown(first) == (
        USER["content"],
        [("depth", {"of": "lake"}, "in other words")],
        "61 m.",
        0,
    )


def test_a_tool_belongs_to_the_call_next_to_it_with_its_input() -> None:
    two = said(None, ("c1", "depth", '{"of": "a"}'), ("c2", "depth", '{"of": "b"}'))
    three = said(None, ("c3", "depth", '{"of": "b"}'))
    first, second = read_runs(trace(
        span(1, "GENERATION", [USER], two, parentObservationId="x"),
        span(2, "GENERATION", [OTHER], three, parentObservationId="y"),
        tool(3, "depth", {"of": "b"}, "3", parentObservationId="y"),
        tool(4, "depth", {"of": "b"}, "2", parentObservationId="x"),
        tool(5, "depth", {"of": "a"}, "1", parentObservationId="x"),
    ))  # fmt: skip
    assert [seen for *_, seen in actions(first)] == ["1", "2"]
    assert [seen for *_, seen in actions(second)] == ["3"]


@pytest.mark.parametrize("at", [0, 2, 4])
def test_the_span_of_a_tool_that_no_message_calls_is_a_step(at: int) -> None:
    spans = [
        span(1, "GENERATION", [USER], said("I look.")),
        span(3, "GENERATION", [USER, said("I look."), OTHER], said("61 m.")),
        tool(at, "depth", {"of": "lake"}, "61"), tool(at, "depth", {"of": "sea"}, "99"),
    ]  # fmt: skip
    runs = [*read_runs(trace(*spans))]
    made = [[(given["of"], seen) for _, given, seen in actions(run)] for run in runs]
    both = [("lake", "61"), ("sea", "99")]
    assert made == ([[], both] if at == 4 else [both, []])
    assert [run.question for run in runs] == [USER["content"], "Write."]


def test_spans_of_otel_and_openinference_are_placed_too() -> None:
    def message(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    chat = {"gen_ai.operation.name": "chat", "gen_ai.input.messages": message("user", "q"),
            "gen_ai.output.messages": message("assistant", "hm")}  # fmt: skip
    ran = {"gen_ai.operation.name": "execute_tool", "gen_ai.tool.name": "depth",
           "gen_ai.tool.call.result": "61"}  # fmt: skip
    react = "Thought: hm\nAction: depth\nAction Input: lake"
    model = {"llm.input_messages.0.message.role": "user",
             "llm.input_messages.0.message.content": "q",
             "llm.output_messages.0.message.role": "assistant",
             "llm.output_messages.0.message.content": react}  # fmt: skip
    used = {"openinference.span.kind": "TOOL", "tool.name": "depth", "input.value": "lake",
            "output.value": "61"}  # fmt: skip
    for given, *spans in (({}, chat, ran), ("lake", model, used)):
        run = only([
            {"name": "x", "context": {"trace_id": "t"}, "start_time": str(at), "attributes": each}
            for at, each in enumerate(spans)])  # fmt: skip
        assert actions(run) == [("depth", given, "61")]


def test_a_tool_with_another_name_than_the_calls_that_wait_is_a_notice() -> None:
    run = only(trace(span(1, "GENERATION", [USER], CALL), tool(2, "sonar", {"at": 3}, "61")))
    assert actions(run) == [("depth", {"of": "lake"}, None)]
    assert [n.text for n in run.notices if n.kind == "unowned_text"] == ["61"]
    run = only(trace(span(1, "GENERATION", [USER], CALL), tool(2, "sonar", {"of": "lake"}, "61")))
    assert actions(run) == [("depth", {"of": "lake"}, "61")]
