"""Sessions that change as they are written, metadata, sub-agents, and what a program says."""

import json
from typing import Any

import pytest

from agent_parsers import OutputParserException, Transcript
from agent_runs import get_writer, list_writers, read_runs, report_html

from .agent_logs import (
    CHATGPT,
    DONE,
    INIT,
    LOGS,
    USE,
    USED,
    exported,
    item,
    node,
    parts,
    stream,
    text,
)
from .data_logs import actions, only
from .table_logs import ANSWER, GIVEN, QUESTION, RESULT, STAMP


def kinds(run: Transcript) -> list[str]:
    return [notice.kind for notice in run.notices]


def told(run: Transcript) -> list[str]:
    return [notice.message for notice in run.notices]


# -- results -------------------------------------------------------------------------------------


def test_nothing_is_what_a_tool_returned_too() -> None:
    pair = {"tool_name_0": "find", "tool_args_0": {}, "observation_0": None,
            "tool_name_1": "file", "tool_args_1": {"text": "x"}, "observation_1": "T-4",
            "tool_name_2": "finish", "tool_args_2": {}, "observation_2": "Completed."}  # fmt: skip
    run = only({"trajectory": pair, "answer": "T-4"})
    assert actions(run) == [("find", {}, "None"), ("file", {"text": "x"}, "T-4")]
    assert run.notices == ()


def test_the_result_of_a_step_is_never_that_of_another() -> None:
    step = {"tool": "a", "tool_input": "x", "log": ""}
    run = only({"input": "q", "output": "o", "intermediate_steps": [[step, None], [step, "2"]]})
    assert [seen for *_, seen in actions(run)] == ["None", "2"]
    steps: list[Any] = [{"output": "```\nls\n```", "observation": seen} for seen in (None, "2")]
    record = {"format": "swe_agent_fence", "task": "q", "steps": steps}
    assert [seen for *_, seen in actions(only(record))] == [None, "2"]


def test_a_result_with_the_id_of_no_call_belongs_to_none() -> None:
    log = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "tool_calls": [
            {"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{}"}}]},
        {"role": "tool", "tool_call_id": "c9", "content": "of another"},
    ]  # fmt: skip
    run = only(log)
    assert actions(run) == [("a", {}, None)]
    assert [step.observation for step in run.failed] == ["of another"]


@pytest.mark.parametrize("key", ["toolUseID", ""])
def test_a_result_that_names_no_call_is_not_anthropics(key: str) -> None:
    result = {"type": "tool_result", "run": {"result": "x"}, **({key: "c1"} if key else {})}
    log = [{"role": "user", "content": "q"}, {"role": "assistant", "content": [USE]},
           {"role": "user", "content": [result]}]  # fmt: skip
    with pytest.raises(OutputParserException):
        list(read_runs(log))
    with pytest.raises(OutputParserException, match="parts of type 'tool_result' do not have the"):
        list(read_runs(log, format="anthropic"))
    empty = {"type": "tool_result", "tool_use_id": "c1", "is_error": True}
    run = only([*log[:2], {"role": "user", "content": [empty]}])
    assert [(step.observation, step.tool_failed) for step in run.steps] == [("", True)]


def test_an_error_of_a_tool_is_kept_as_one() -> None:
    failed: dict[str, list[Any]] = {
        "claude_stream": [stream("assistant", USE), stream("user", {**USED, "is_error": True})],
        "gemini_stream": [
            {"type": "tool_use", "tool_name": "search", "tool_id": "c1", "parameters": {}},
            {"type": "tool_result", "tool_id": "c1", "status": "error",
             "error": {"type": "x", "message": RESULT}}],
        "codex_exec": [item("command_execution", id="i", command="ls", aggregated_output=RESULT,
                            exit_code=2, status="failed")],
        "copilot_cli": [
            {"type": "assistant.message", "data": {"content": "", "toolRequests": [
                {"toolCallId": "c1", "name": "search", "arguments": {}}]}},
            {"type": "tool.execution_complete", "data": {
                "toolCallId": "c1", "success": False, "error": {"message": RESULT}}}],
        "opencode": [exported("m", "assistant", {
            "type": "tool", "callID": "c1", "tool": "search",
            "state": {"status": "error", "input": {}, "error": RESULT}})],
        "codex_old": [
            {"record_type": "state"},
            {"type": "function_call", "name": "search", "arguments": "{}", "call_id": "c1"},
            {"type": "function_call_output", "call_id": "c1", "output": json.dumps(
                {"output": RESULT, "metadata": {"exit_code": 1}})}],
    }  # fmt: skip
    for name, log in failed.items():
        run = only(log)
        assert run.source is not None
        (step,) = run.steps
        assert (run.source.reader, step.observation, step.tool_failed) == (name, RESULT, True)


@pytest.mark.parametrize(
    "result",
    [
        {"type": "tool", "content": "no", "tool_call_id": "c1", "status": "error"},
        {"role": "user", "content": [{"toolResult": {
            "toolUseId": "c1", "content": [{"text": "no"}], "status": "error"}}]},
        {"role": "tool", "content": [{"tool_call_result": {
            "result": "no", "origin": {"tool_name": "a", "arguments": {}, "id": "c1"},
            "error": True}}]},
        {"kind": "request", "parts": [{"part_kind": "retry-prompt", "content": "no",
                                       "tool_name": "a", "tool_call_id": "c1"}]},
        {"type": "ToolCallExecutionEvent", "source": "x", "content": [
            {"content": "no", "call_id": "c1", "name": "a", "is_error": True}]},
        {"id": 3, "source": "agent", "observation": "error", "content": "no", "cause": 2},
    ],
)  # fmt: skip
def test_frameworks_say_that_a_tool_failed(result: dict[str, Any]) -> None:
    call: dict[str, Any] = {"name": "a", "args": {}, "id": "c1"}
    calls: dict[str, dict[str, Any]] = {
        "type": {"type": "ai", "content": "", "tool_calls": [call]},
        "toolResult": {"role": "assistant", "content": [{"toolUse": {
            "name": "a", "input": {}, "toolUseId": "c1"}}]},
        "tool_call_result": {"role": "assistant", "content": [{"tool_call": {
            "tool_name": "a", "arguments": {}, "id": "c1"}}]},
        "retry-prompt": {"kind": "response", "parts": [{
            "part_kind": "tool-call", "tool_name": "a", "args": {}, "tool_call_id": "c1"}]},
        "ToolCallExecutionEvent": {"type": "ToolCallRequestEvent", "source": "x", "content": [
            {"name": "a", "arguments": "{}", "id": "c1"}]},
        "observation": {"id": 2, "source": "agent", "action": "a", "args": {}},
    }  # fmt: skip
    made = next(calls[key] for key in reversed(calls) if f'"{key}"' in json.dumps(result))
    run = only([made, result])
    assert [(step.observation, step.tool_failed) for step in run.steps] == [("no", True)]


# -- what a program says ---------------------------------------------------------------------------


def event(role: str, content: Any, **more: Any) -> dict[str, Any]:
    said = {"role": role, "content": content}
    return {
        "type": role,
        "uuid": "u",
        "sessionId": "s",
        "timestamp": STAMP,
        "message": said,
        **more,
    }


@pytest.mark.parametrize(
    "said",
    [
        event("user", "<task-notification>\n<task-id>b</task-id>\n</task-notification>"),
        event("user", "This session is being continued from a previous conversation that ran out."),
        event("user", "Check it once more.", isMeta=True),
        event("user", [text("Look at it.")], isCompactSummary=True),
    ],
)
def test_what_the_program_says_is_no_question(said: dict[str, Any]) -> None:
    log = [event("user", QUESTION), event("assistant", [text("So far.")]), said,
           event("assistant", [text(ANSWER)])]  # fmt: skip
    run = only(log)
    assert (run.question, run.output) == (QUESTION, ANSWER)
    assert run.preamble
    first, second = read_runs([*log[:3], event("user", "And now?"), log[3]])
    assert (first.output, second.question, second.output) == ("So far.", "And now?", ANSWER)
    assert (bool(first.preamble), bool(second.preamble)) == (False, True)


def test_an_error_of_the_service_is_no_answer() -> None:
    down = event("assistant", [text("API Error: 529")], isApiErrorMessage=True)
    run = only([event("user", QUESTION), down])
    assert run.finish is None
    assert [(notice.kind, notice.text) for notice in run.notices] == [
        ("unowned_text", "API Error: 529"), ("no_answer", "")]  # fmt: skip
    ended = {**DONE, "subtype": "error_max_turns", "result": None}
    run = only([INIT, stream("assistant", USE), stream("user", USED), ended])
    assert run.finish is None
    assert run.notices[0].text == "error_max_turns"


def test_an_error_behind_an_answer_takes_nothing_from_it() -> None:
    log = [*LOGS["codex_exec"][0][:-1], item("error", id="item_9", message="retrying")]
    run = only(log)
    assert run.output == ANSWER
    assert [notice.text for notice in run.notices] == ["retrying"]


def test_a_text_that_begins_like_one_of_the_program_is_the_assistants() -> None:
    run = only([event("user", QUESTION), event("assistant", [text("Caveat: it rains.")])])
    assert run.output == "Caveat: it rains."


def test_a_reminder_beside_a_question_stands_before_it() -> None:
    both = [text("<system-reminder>Be brief.</system-reminder>"), text(QUESTION)]
    run = only([event("user", both), event("assistant", [text(ANSWER)])])
    assert (run.question, run.output) == (QUESTION, ANSWER)
    assert run.preamble == "<system-reminder>Be brief.</system-reminder>"


def test_the_system_prompt_of_openhands_is_no_answer() -> None:
    log = [{"id": 0, "source": "agent", "action": "system", "args": {"content": "Be brief."}},
           {"id": 1, "source": "user", "action": "message", "args": {"content": QUESTION}},
           {"id": 2, "source": "agent", "action": "finish",
            "args": {"final_thought": ANSWER}}]  # fmt: skip
    run = only(log)
    assert (run.preamble, run.question, run.output) == ("Be brief.", QUESTION, ANSWER)


# -- metadata, stated answers, sub-agents ----------------------------------------------------------


def test_a_stream_says_the_model_the_cost_and_the_tokens() -> None:
    run = only(LOGS["claude_stream"][0])
    assert run.metadata == {
        "model": "m1", "folder": "/desk", "version": "2.1", "cost": 0.25,
        "input_tokens": 30, "output_tokens": 4,
    }  # fmt: skip
    assert run.notices == ()


def test_the_result_alone_is_an_answer() -> None:
    run = only(DONE)
    assert (run.question, run.output, run.metadata["cost"]) == ("", ANSWER, 0.25)
    assert run.source is not None
    assert run.source.reader == "claude_stream"


def test_another_answer_than_the_stated_one_is_told() -> None:
    log = [INIT, stream("assistant", text("Rain.")), DONE]
    run = only(log)
    assert run.output == "Rain."
    assert [(notice.message, notice.text) for notice in run.notices] == [
        ("the log also contains a different answer", ANSWER)]  # fmt: skip
    run = only([INIT, stream("assistant", USE), stream("user", USED), DONE])
    assert run.output == ANSWER


def test_a_sub_agent_belongs_to_its_call() -> None:
    call = {**USE, "name": "Task", "input": {"prompt": "Which?"}}
    inner = {"type": "tool_use", "id": "c2", "name": "search", "input": GIVEN}
    log = [
        INIT,
        stream("assistant", call),
        stream("assistant", inner, caller="c1"),
        stream("user", {**USED, "tool_use_id": "c2"}, caller="c1"),
        stream("user", {**USED, "content": "November"}),
        stream("assistant", text(ANSWER)),
    ]
    outer, child = read_runs(log)
    assert (outer.called_by, child.called_by) == ("", "c1")
    assert actions(outer) == [("Task", {"prompt": "Which?"}, "November")]
    assert actions(child) == [("search", GIVEN, RESULT)]


def span(number: int, parent: str | None, **attributes: Any) -> dict[str, Any]:
    own = {key.replace("__", "."): value for key, value in attributes.items()}
    return {"name": "x", "context": {"trace_id": "t", "span_id": f"s{number}"},
            "parent_id": parent, "start_time": f"2026-02-01T09:00:0{number}Z",
            "attributes": own}  # fmt: skip


def asked(*messages: dict[str, Any], said: dict[str, Any]) -> dict[str, Any]:
    told: dict[str, Any] = {}
    for name, each in (("input", messages), ("output", (said,))):
        for at, message in enumerate(each):
            start = f"llm.{name}_messages.{at}.message"
            for key, value in message.items():
                told[f"{start}.{key}"] = value
    return told


def calling(call_id: str, tool: str) -> dict[str, Any]:
    start = "tool_calls.0.tool_call"
    return {"role": "assistant", f"{start}.id": call_id, f"{start}.function.name": tool,
            f"{start}.function.arguments": "{}"}  # fmt: skip


def test_a_conversation_goes_on_behind_a_sub_agent() -> None:
    question, task = ({"role": "user", "content": said} for said in ("Delegate.", "Count."))
    seen = [{"role": "tool", "content": "12", "tool_call_id": each} for each in ("c1", "c2")]
    twelve = {"role": "assistant", "content": "12"}
    spans = [
        span(1, None, **asked(question, said=calling("c1", "ask_helper"))),
        span(2, None, openinference__span__kind="TOOL", tool__name="ask_helper"),
        span(3, "s2", **asked(task, said=calling("c2", "count"))),
        span(4, "s2", **asked(task, calling("c2", "count"), seen[1], said=twelve)),
        span(5, None, **asked(question, calling("c1", "ask_helper"), seen[0], said={
            "role": "assistant", "content": "It is 12."})),
    ]  # fmt: skip
    outer, child = read_runs(spans)
    assert (outer.question, outer.output, child.question, child.output) == (
        "Delegate.", "It is 12.", "Count.", "12")  # fmt: skip
    assert actions(outer) == [("ask_helper", {}, "12")]
    assert (outer.called_by, child.called_by) == ("", "c1")


def test_what_a_sub_agent_did_inside_a_tool_is_told() -> None:
    def ran(kind: str, number: int, inputs: Any, outputs: Any, *inner: Any) -> dict[str, Any]:
        return {"run_type": kind, "name": f"n{number}", "id": f"i{number}", "inputs": inputs,
                "outputs": outputs, "start_time": str(number), "child_runs": [*inner]}  # fmt: skip

    call = {"id": "c1", "type": "function", "function": {"name": "n3", "arguments": "{}"}}
    said = {"choices": [{"message": {"role": "assistant", "tool_calls": [call]}}]}
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    inner = ran("chain", 4, {}, {}, ran("llm", 5, asked, said), ran("tool", 6, {}, {"output": "1"}))
    tree = ran("chain", 1, {"input": QUESTION}, {"output": ANSWER}, ran("llm", 2, asked, said),
               ran("tool", 3, {}, {"output": RESULT}, inner))  # fmt: skip
    run = only(tree)
    assert actions(run) == [("n3", {}, RESULT)]
    assert told(run) == ["dropped the steps of an agent that the tool 'n3' ran"]


# -- messages that come again ----------------------------------------------------------------------

HEAD = {"sessionId": "s", "projectHash": "0f", "startTime": STAMP, "kind": "main"}


def gemini(name: str, kind: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": name, "timestamp": STAMP, "type": kind, "content": content, **more}


def tool_call(**more: Any) -> dict[str, Any]:
    return {"id": "c1", "name": "search", "args": GIVEN, "status": "success", **more}


def test_a_message_that_is_appended_again_counts_once() -> None:
    response = [{"functionResponse": {"id": "c1", "response": {"output": RESULT}}}]
    log = [
        HEAD,
        gemini("1", "user", QUESTION),
        gemini("2", "gemini", "I look."),
        gemini("2", "gemini", "I look.", toolCalls=[tool_call()]),
        gemini("2", "gemini", "I look.", toolCalls=[tool_call(result=response)]),
        gemini("3", "gemini", ANSWER),
        {"$set": {"lastUpdated": STAMP}},
    ]
    run = only("\n".join(map(json.dumps, log)))
    assert actions(run) == [("search", GIVEN, RESULT)]
    assert (run.id, run.output, run.notices) == ("s", ANSWER, ())
    assert run.metadata["kind"] == "main"


def test_messages_that_are_taken_back_are_told() -> None:
    log = [HEAD, gemini("1", "user", QUESTION), gemini("2", "gemini", "Wrong."),
           {"$rewindTo": "2"}, gemini("3", "gemini", ANSWER)]  # fmt: skip
    run = only(log)
    assert (run.question, run.output) == (QUESTION, ANSWER)
    assert told(run) == ["dropped 1 message that was taken back later"]
    anew = {"$set": {"messages": [gemini("1", "user", "Other?"), gemini("4", "gemini", ANSWER)]}}
    run = only([*log[:3], anew])
    assert (run.question, run.output) == ("Other?", ANSWER)
    assert told(run) == ["dropped 1 message that was taken back later"]


def test_a_branch_that_was_left_counts_no_more() -> None:
    events = [dict(each) for each in LOGS["qwen_code"][0]]
    wrong = {**events[-1], "uuid": "x", "message": {"role": "model", "parts": [{"text": "No."}]}}
    run = only([*events[:-1], wrong, events[-1]])
    assert (actions(run), run.output) == ([("search", GIVEN, RESULT)], ANSWER)
    assert told(run) == ["dropped 1 message that was taken back later"]


def test_a_command_that_has_not_ended_has_no_result() -> None:
    begun = {"command": "ls", "aggregated_output": "", "exit_code": None, "status": "in_progress"}
    log = [{"type": "thread.started", "thread_id": "t"},
           item("command_execution", "item.started", id="item_0", **begun)]  # fmt: skip
    run = only(log)
    assert actions(run) == [("command_execution", {"command": "ls"}, None)]
    assert kinds(run) == ["no_observation", "no_answer"]


def test_ids_begin_anew_with_each_call_of_the_program() -> None:
    log = LOGS["codex_exec"][0]
    first, second = read_runs([*log, *log])
    assert actions(first) == actions(second) == [("desk.search", GIVEN, RESULT)]
    assert second.metadata == {"thread_id": "t", "input_tokens": 30, "output_tokens": 4}


def test_the_first_events_of_codex_exec_are_read() -> None:
    said: list[dict[str, Any]] = [
        {"type": "agent_reasoning", "text": "I look."},
        {"type": "exec_command_begin", "call_id": "c1", "command": ["ls"], "cwd": "/"},
        {
            "type": "exec_command_end",
            "call_id": "c1",
            "stdout": "a\n",
            "stderr": "",
            "exit_code": 0,
        },
        {"type": "agent_message", "message": ANSWER},
        {"type": "task_complete", "last_agent_message": ANSWER},
    ]
    log = [{"model": "m1", "workdir": "/desk"}, {"prompt": QUESTION},
           *({"id": "0", "msg": each} for each in said)]  # fmt: skip
    run = only(log)
    assert (run.question, actions(run), run.output) == (
        QUESTION, [("exec_command", {"command": ["ls"]}, "a\n")], ANSWER)  # fmt: skip
    assert (run.notices, run.metadata) == ((), {"model": "m1", "folder": "/desk"})
    unknown = {"id": "0", "msg": {"type": "mcp_tool_call_begin", "call_id": "c2"}}
    run = only([*log[:3], unknown])
    (failed,) = run.failed
    assert failed.error is not None
    assert "type 'mcp_tool_call_begin', which is unknown and may be" in failed.error.reason


def test_the_second_events_of_codex_exec_are_read() -> None:
    def done(kind: str, **fields: Any) -> dict[str, Any]:
        return {"type": "item.completed", "item": {"item_type": kind, **fields}}

    run = only([{"type": "session.created", "session_id": "s"},
                done("reasoning", id="0", text="Hm"),
                done("command_execution", id="1", command="ls", aggregated_output="a", exit_code=0),
                done("assistant_message", id="2", text=ANSWER)])  # fmt: skip
    assert actions(run) == [("command_execution", {"command": "ls"}, "a")]
    assert (run.steps[0].thought, run.output) == ("Hm", ANSWER)


def test_objects_of_types_that_are_not_known_are_told() -> None:
    log = [*LOGS["gemini_stream"][0][:2], {"type": "weather", "x": 1}, {"type": "weather", "x": 2},
           {"type": "message", "role": "assistant", "content": ANSWER}]  # fmt: skip
    run = only(log)
    assert run.output == ANSWER
    assert told(run) == ["dropped an object of type 'weather'"]


def rollout(kind: str, **payload: Any) -> dict[str, Any]:
    return {"timestamp": STAMP, "type": kind, "payload": payload}


def happened_in_codex(kind: str, **more: Any) -> dict[str, Any]:
    return rollout("event_msg", type=kind, **more)


def said_in_codex(role: str, said: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": said}]
    return rollout("response_item", type="message", role=role, content=content)


@pytest.mark.parametrize(
    "order",
    [("event",), ("item",), ("item", "event"), ("event", "item"), ("event", "note", "item")],
)
def test_a_question_of_codex_may_stand_in_an_event(order: tuple[str, ...]) -> None:
    note = said_in_codex("user", "<environment_context>a desk</environment_context>")
    log = [rollout("session_meta", id="s"), note]
    for asked, answered in (("How deep is it?", "198 m."), ("How  wide?", "2 km."), ("So?", "So.")):
        forms = {
            "event": happened_in_codex("user_message", message=asked, images=[]),
            "item": said_in_codex("user", f"<image>\n{asked.replace('  ', ' ')}"),
            "note": note,
        }
        log += [*(forms[each] for each in order), said_in_codex("assistant", answered)]
    head = "<image>\n" if "item" in order else ""
    assert [(run.question, run.output, run.notices) for run in read_runs(log)] == [
        (f"{head}{asked}", answered, ())
        for asked, answered in (
            ("How deep is it?", "198 m."),
            ("How wide?" if head else "How  wide?", "2 km."),
            ("So?", "So."),
        )
    ]


def test_two_questions_in_events_are_both_kept() -> None:
    asked = [happened_in_codex("user_message", message=text) for text in ("Which lake?", "lake?")]
    own = happened_in_codex("user_message", message="<user_instructions>…</user_instructions>")
    run = only([own, *asked, said_in_codex("assistant", "Zug.")])
    assert (run.question, run.preamble, run.output) == ("lake?", "Which lake?", "Zug.")


def prompted(kind: str, **parts: Any) -> dict[str, Any]:
    return {"kind": "request", "parts": [{"part_kind": kind, **parts}]}


LOOKED: list[dict[str, Any]] = [
    prompted("user-prompt", content="What is on it?"),
    {"kind": "response", "parts": [{"part_kind": "tool-call", "tool_name": "look", "args": {},
                                    "tool_call_id": "c1"}]},
    prompted("tool-return", tool_name="look", content="seen", tool_call_id="c1"),
    {"kind": "response", "parts": [{"part_kind": "text", "content": "Hm."}]},
]  # fmt: skip
LAKE = {"kind": "response", "parts": [{"part_kind": "text", "content": "A lake."}]}


def test_a_file_that_a_tool_has_brought_is_no_question() -> None:
    image = {"kind": "binary", "data": "iVBO", "media_type": "image/png"}
    beside = {"part_kind": "user-prompt", "content": ["Here it is:", image]}
    seen = {**LOOKED[2], "parts": [*LOOKED[2]["parts"], beside]}
    run = only([*LOOKED[:2], seen, LAKE])
    assert (run.question, actions(run), run.output) == (
        "What is on it?", [("look", {}, "seen")], "A lake.")  # fmt: skip
    assert told(run)[0] == "found text from the user next to results"


@pytest.mark.parametrize("kind", ["retry-feedback", "retry-prompt", "instruction"])
def test_what_pydantic_ai_says_in_a_run_is_no_question(kind: str) -> None:
    errors = [{"type": "missing", "loc": ["depth"], "msg": "Field required"}]
    for content in ("Say more.", errors):
        delta = {"part_kind": "tool-availability-delta", "tools_added": ["depth"]}
        feedback = prompted(kind, content=content)
        feedback["parts"].append(delta)
        run = only([*LOOKED, feedback, LAKE])
        said = content if isinstance(content, str) else "Field required"
        assert (run.question, run.output) == ("What is on it?", "A lake.")
        assert said in run.preamble
        assert (run.steps[-1].content, run.notices) == ("Hm.", ())


def test_a_tool_of_pydantic_ai_that_is_tried_again_has_failed() -> None:
    for outcome, has_failed in (("success", False), ("retried", True), ("failed", True)):
        part = {**LOOKED[2]["parts"][0], "outcome": outcome}
        run = only([*LOOKED[:2], {"kind": "request", "parts": [part]}, LAKE])
        assert run.steps[0].tool_failed is has_failed


FRAME = '<pyai:tool_result tool_name="look" tool_call_id="c1" file_id="74d1d7">'
PICTURE = {"type": "image_url", "image_url": {"url": "data:image/png;base64,iVBO"}}


def cassette(*said: dict[str, Any]) -> dict[str, Any]:
    """Return a cassette of the messages *said*, of which each request has one more of the model."""
    ends = [at for at, message in enumerate(said) if message["role"] == "assistant"]
    return {"interactions": [
        {"request": {"uri": "/v1", "body": json.dumps({"messages": said[:at]})},
         "response": {"body": {"string": json.dumps({"choices": [{"message": said[at]}]})}}}
        for at in ends], "version": 1}  # fmt: skip


def looked(brings: list[dict[str, Any]], result: str = "See file 74d1d7.") -> list[dict[str, Any]]:
    call = {"id": "c1", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return [
        {"role": "user", "content": "What is on it?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": result},
        {"role": "user", "content": brings},
        {"role": "assistant", "content": "A lake."},
    ]


@pytest.mark.parametrize(
    ("words", "is_marked"),
    [([FRAME], True), (["This is file 74d1d7:"], True), (["Here it is:"], False), ([], False)],
)
def test_a_file_behind_a_result_is_the_tools_in_a_cassette(
    words: list[str], is_marked: bool
) -> None:
    log = looked([*map(text, words), PICTURE])
    run = only(cassette(*log))
    assert (run.question, run.output) == ("What is on it?", "A lake.")
    assert told(run) == [
        *["found text from the user next to results"] * len(words),
        "dropped a part of type 'image_url'",
    ]
    assert len([*read_runs(log)]) == (1 if is_marked else 2)  # elsewhere a user may have sent it


def test_a_question_behind_the_answer_of_a_tool_is_one() -> None:
    log = looked([text("And on this?"), PICTURE], result="Final result processed.")
    assert [run.question for run in read_runs(cassette(*log))] == ["What is on it?", "And on this?"]
    plain = looked([text("And then?")])
    assert [run.question for run in read_runs(cassette(*plain))] == ["What is on it?", "And then?"]


@pytest.mark.parametrize(("call_id", "by"), [(None, "server"), ("call_9", "client")])
def test_a_search_of_tools_is_a_call(call_id: str | None, by: str) -> None:
    tools = [{"type": "function", "name": "depth", "defer_loading": True}]
    own = {"execution": by, "status": "completed", "call_id": call_id}
    items: list[dict[str, Any]] = [
        {"type": "message", "role": "user", "content": [{"type": "input_text", "text": "q"}]},
        {"type": "tool_search_call", "id": "t1", "arguments": {"paths": ["lakes"]}, **own},
        {"type": "tool_search_output", "id": "t2", "tools": tools, **own},
        {"type": "function_call", "name": "depth", "arguments": "{}", "call_id": "c2"},
        {"type": "function_call_output", "call_id": "c2", "output": "198 m"},
        {"type": "message", "role": "assistant", "content": [
            {"type": "output_text", "text": "198 m."}]},
    ]  # fmt: skip
    rollouts = [rollout("response_item", **each) for each in items]
    for log in (items, {"input": items[:1], "output": items[1:]}, rollouts):
        run = only(log)
        assert actions(run) == [
            ("tool_search_call", {"paths": ["lakes"]}, json.dumps(tools)),
            ("depth", {}, "198 m"),
        ]
        assert (run.output, run.notices, run.failed) == ("198 m.", (), ())


def test_texts_in_pieces_are_one() -> None:
    def piece(said: str) -> dict[str, Any]:
        return {"type": "message", "role": "assistant", "content": said, "delta": True}

    start = LOGS["gemini_stream"][0][:2]
    run = only([*start, piece("It is "), piece("198"), piece(" m.")])
    assert run.output == "It is 198 m."
    run = only([*start, *map(piece, ("Thought: I ", "know.\nFinal Answer: 198", " m."))],
               dialect="react")  # fmt: skip
    assert run.output == "198 m."
    empty = {"type": "tool_result", "tool_id": "c1", "status": "success"}
    run = only([*LOGS["gemini_stream"][0][:5], empty])
    assert run.steps[0].observation == ""


# -- exports ---------------------------------------------------------------------------------------


def test_other_branches_of_an_export_are_told() -> None:
    nodes = {**CHATGPT["mapping"], "z": node("z", "a", "assistant", parts("No."))}
    run = only([{**CHATGPT, "mapping": nodes}])
    assert (actions(run), run.output) == ([("search", GIVEN, RESULT)], ANSWER)
    assert told(run) == ["dropped 1 message of another branch"]
    assert run.metadata["title"] == "Fog"


def test_several_results_of_one_call_are_one() -> None:
    more = node("d2", "d", "tool", {"content_type": "text", "parts": ["and more"]})
    last = {**CHATGPT["mapping"]["e"], "parent": "d2"}
    run = only([{**CHATGPT, "mapping": {**CHATGPT["mapping"], "d2": more, "e": last}}])
    assert actions(run) == [("search", GIVEN, f"{RESULT}\nand more")]


def test_code_of_an_export_is_the_input() -> None:
    code = node("c", "b", "assistant", {"content_type": "code", "text": "print(1)"},
                recipient="python")  # fmt: skip
    run = only([{**CHATGPT, "mapping": {**CHATGPT["mapping"], "c": code}}])
    assert actions(run) == [("python", "print(1)", RESULT)]


def test_a_chat_of_vs_code_shows_no_inputs_by_itself() -> None:
    shown = {"kind": "toolInvocationSerialized", "toolId": "run", "toolCallId": "c1"}
    terminal = {**shown, "toolCallId": "c2", "resultDetails": {"output": "no", "isError": True},
                "toolSpecificData": {"kind": "terminal", "command": "ls"}}  # fmt: skip
    request = {"message": {"text": QUESTION}, "modelId": "m1", "result": {}, "response": [
        shown, terminal, {"value": "It is "}, {"kind": "inlineReference", "name": "a.py"},
        {"value": "."}, {"kind": "undoStop"}]}  # fmt: skip
    chat = {"requesterUsername": "me", "responderUsername": "c", "requests": [request]}
    run = only(chat)
    assert actions(run) == [("run", {}, None), ("run", {"command": "ls"}, "no")]
    assert [step.tool_failed for step in run.steps] == [False, True, False]
    assert (run.output, run.metadata["model"]) == ("It is a.py.", "m1")
    assert kinds(run) == ["no_input", "no_observation"]
    lines = [
        {"kind": 0, "v": {**chat, "requests": []}},
        {"kind": 2, "k": ["requests"], "v": [{**request, "response": []}]},
        {"kind": 1, "k": ["requests", 0, "response"], "v": request["response"][2:]},
    ]
    assert only(lines).output == "It is a.py."


def test_results_are_read_by_their_ids() -> None:
    chat = [{"role": "user", "content": QUESTION}, {"role": "assistant", "content": ANSWER}]
    runs = [*read_runs({"a7": {"traj": chat, "reward": 1}, "a8": {"traj": chat, "reward": 0}})]
    assert [(run.id, run.metadata) for run in runs] == [
        ("a7", {"reward": 1}), ("a8", {"reward": 0})]  # fmt: skip
    assert [run.id for run in read_runs({"x": chat, "y": chat})] == ["x", "y"]


def test_what_the_environment_says_behind_an_answer_is_no_question() -> None:
    log = [{"role": "user", "content": QUESTION},
           {"role": "assistant", "content": "Thought: Easy.\nAction: search[fog]"},
           {"role": "user", "content": "Observation: November"},
           {"role": "assistant", "content": "Thought: Done.\nAction: finish[November]"},
           {"role": "user", "content": "Observation: The episode is over, reward = 1"}]  # fmt: skip
    run = only({"k": {"traj": log}})
    assert (run.output, run.steps[-1].observation) == (
        "November", "The episode is over, reward = 1")  # fmt: skip


def test_lists_that_do_not_fit_are_refused() -> None:
    turns = {"actions": ["submit"], "observations": ["1", "2"]}
    with pytest.raises(OutputParserException):
        list(read_runs({"query": "q", "turn_history": turns}))
    run = only({"query": "q", "turn_history": {"actions": ["run[ls]", "submit"],
                                               "observations": ["a"]}})  # fmt: skip
    assert actions(run) == [("run", "ls", "a"), ("submit", "", None)]


def test_actions_without_a_name_are_commands() -> None:
    logs = {"logs": {"4": {"query": "q", "turn_history": {
        "actions": ["ls | wc", "execute[ls -a]"], "observations": ["1", "2"]}}}}  # fmt: skip
    assert actions(only(logs)) == [("execute", "ls | wc", "1"), ("execute", "ls -a", "2")]


@pytest.mark.parametrize(
    ("steps", "thoughts"),
    [
        (["Look around.", "Count."], ["Look around.", "Count."]),
        (["Look around."], ["Look around.", ""]),
        (
            ["Look around.", "Count.", "Sort.", "Say it."],
            ["Look around.", "Count.\nSort.\nSay it."],
        ),
        ([], ["", ""]),
    ],
)
def test_the_steps_of_a_plan_are_the_thoughts_before_its_actions(
    steps: list[str], thoughts: list[str]
) -> None:
    turns = {"steps": steps, "actions": ["ls", "wc -l"], "observations": ["a", "1"]}
    run = only({"query": "q", "turn_history": turns})
    assert actions(run) == [("execute", "ls", "a"), ("execute", "wc -l", "1")]
    assert [step.thought for step in run.steps] == thoughts
    turns = {"thoughts": ["Hm.", "So."], **turns}
    run = only({"query": "q", "turn_history": turns})
    both = zip(["Hm.", "So."], thoughts, strict=True)
    assert [step.thought for step in run.steps] == ["\n".join(filter(None, each)) for each in both]


@pytest.mark.parametrize("skipped", ["info", "warning", "error"])
@pytest.mark.parametrize("role", ["model", "assistant"])
def test_the_first_message_at_fault_is_named_and_none_that_is_known(
    skipped: str, role: str
) -> None:
    stamp = "2026-01-01T00:00:00Z"
    log = {"projectHash": "0f", "messages": [
        {"id": str(number), "timestamp": stamp, "type": kind, "content": "x"}
        for number, kind in enumerate(["user", skipped, role, "gemini"])]}  # fmt: skip
    with pytest.raises(OutputParserException) as caught:
        list(read_runs(log))
    assert f"'{role}' is not one of its roles (message 3)" in str(caught.value)
    assert repr(skipped) not in str(caught.value)


@pytest.mark.parametrize("name", LOGS)
def test_a_run_is_reported_and_converted(name: str) -> None:
    runs = [*read_runs(LOGS[name][0])]
    page = report_html(runs)
    assert all(str(value) in page for run in runs for value in run.metadata.values())
    for form in list_writers():
        writer = get_writer(form)
        assert "search" in json.dumps(writer.write(runs[-1]))
        assert ("metadata" in writer.losses(runs[-1])) is (
            bool(runs[-1].metadata) and form != "atif"
        )


def test_a_report_shows_what_failed() -> None:
    run = only([INIT, stream("assistant", USE), stream("user", {**USED, "is_error": True})])
    page = report_html([run])
    assert "1 failed" in page
    assert "Failed tools" in page
    written = get_writer("anthropic").write(run)["messages"][-1]["content"]
    assert [each["is_error"] for each in written] == [True]
    assert get_writer("openai").losses(run)["failed results"] == 1
    (back,) = read_runs(get_writer("atif").write(run))
    assert [step.tool_failed for step in back.steps] == [True]
    assert back.metadata == run.metadata


def test_a_call_that_is_said_twice_is_one() -> None:
    part = {"type": "tool_call", "tool_call_id": "c1", "name": "a", "arguments": "{}"}
    beside = {"id": "c1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    seen = {"role": "tool", "tool_call_id": "c1", "content": [{"type": "tool_output", "text": "1"}]}
    asked = {"role": "user", "content": QUESTION}
    for said in ({"content": [part], "tool_calls": [beside]}, {"content": [part]}):
        run = only({"messages": [asked, {"role": "assistant", **said}, seen]})
        assert actions(run) == [("a", {}, "1")]
    other = {**part, "tool_call_id": "c2", "name": "b"}
    both = {"role": "assistant", "content": [part, other], "tool_calls": [beside]}
    assert actions(only({"messages": [asked, both, seen]})) == [("a", {}, "1"), ("b", {}, None)]


# -- errors ----------------------------------------------------------------------------------------


def test_one_error_is_about_all_messages_of_another_form() -> None:
    log: list[Any] = [{"role": "user", "content": "q"}, {"type": "init"}, {"type": "tick"},
                      {"role": "assistant", "content": "a"}, {"type": "tick"}]  # fmt: skip
    errors: list[OutputParserException] = []
    (run,) = read_runs(
        "\n".join(map(json.dumps, log)), format="openai_chat", on_error=errors.append
    )
    (error,) = errors
    assert error.reason == (
        "read as 'openai_chat', but 3 of 5 messages, from line 2 of the file on, are not in this"
        " form: type 'init', type 'tick'; if another reader knows them, pass its name as format="
    )
    assert len(run.failed) == 1
    with pytest.raises(OutputParserException, match="3 of 5 messages"):
        list(read_runs(log, format="openai_chat"))


def test_yaml_that_begins_like_a_cassette_is_named() -> None:
    with pytest.raises(OutputParserException, match="begins like a VCR cassette"):
        list(read_runs("interactions:\n- request: {\n"))


def test_an_answer_of_anthropic_that_is_only_text_is_read() -> None:
    said = {"type": "message", "role": "assistant", "stop_reason": "end_turn",
            "content": [text(ANSWER)]}  # fmt: skip
    asked = {"messages": [{"role": "user", "content": QUESTION}]}
    assert only({"request": asked, "response": said}).output == ANSWER


def sse(*events: dict[str, Any]) -> dict[str, Any]:
    lines = (f"event: x\ndata: {json.dumps(event)}\n" for event in events)
    return {"body": {"string": "\n".join([*lines, "data: [DONE]\n"])}}


def test_a_response_in_pieces_is_read() -> None:
    asked = {"uri": "/v1", "body": json.dumps({"messages": [{"role": "user", "content": "q"}]})}
    call = {"index": 0, "id": "c1", "type": "function", "function": {"name": "a", "arguments": "{"}}
    deltas = [{"role": "assistant", "content": "Hm"}, {"content": "."}, {"tool_calls": [call]},
              {"tool_calls": [{"index": 0, "function": {"arguments": '"x": 1}'}}]}]  # fmt: skip
    chunks = [{"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}
              for delta in deltas]  # fmt: skip
    run = only({"interactions": [{"request": asked, "response": sse(*chunks)}]})
    assert (actions(run), run.steps[0].content) == ([("a", {"x": 1}, None)], "Hm.")
    events: list[dict[str, Any]] = [
        {
            "type": "message_start",
            "message": {
                "id": "m",
                "type": "message",
                "role": "assistant",
                "model": "c",
                "content": [],
                "usage": {},
            },
        },
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "ping"},
        {
            "type": "content_block_delta",
            "index": 0,
            "delta": {"type": "text_delta", "text": "Yes."},
        },
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {}},
        {"type": "message_stop"},
    ]
    asked = {**asked, "body": json.dumps({"messages": [
        {"role": "user", "content": [{"type": "text", "text": "q"}]}]})}  # fmt: skip
    run = only({"interactions": [{"request": asked, "response": sse(*events)}]})
    assert (run.question, run.output) == ("q", "Yes.")
    run = only({"interactions": [{"request": asked, "response": sse({"candidates": []})}]})
    assert "dropped a response that is a stream of an unknown form: /v1" in told(run)


def test_a_cassette_is_read_as_yaml() -> None:
    import yaml  # type: ignore[import-untyped]

    (cassette,) = LOGS["vcr_cassette"]
    other = {"request": {"uri": "https://example.com/a", "body": None},
             "response": {"body": {"string": "hello"}}}  # fmt: skip
    written = yaml.safe_dump({"interactions": [*cassette["interactions"], other], "version": 1})
    run = only(written)
    assert actions(run) == [("search", GIVEN, RESULT)]
    assert told(run) == ["dropped a request that is not a conversation: https://example.com/a"]
