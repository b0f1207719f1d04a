"""What single forms of data have besides: limits, errors, submissions, commands in text."""

import io
import json
import zipfile
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import detect_log, read_runs

from .data_logs import ANSWER, LOGS, QUESTION, actions, only


def test_an_executor_that_ran_out_of_steps_has_no_answer() -> None:
    result = {"input": "q", "intermediate_steps": [], "output":
              "Agent stopped due to iteration limit or time limit."}  # fmt: skip
    run = only(result)
    assert run.finish is None
    assert [notice.kind for notice in run.notices] == ["unowned_text", "no_answer"]


def test_what_the_executor_could_not_read_is_a_failed_step() -> None:
    action = {"tool": "_Exception", "tool_input": "Invalid Format", "log": "hm"}
    run = only({"input": "q", "output": "x", "intermediate_steps": [[action, "Invalid Format"]]})
    (failed,) = run.failed
    assert failed.error is not None
    assert (failed.error.llm_output, failed.observation) == ("hm", "Invalid Format")


def test_a_graph_that_ran_out_of_steps_has_no_answer() -> None:
    said = "Sorry, need more steps to process this request."
    run = only([{"type": "human", "content": "q"}, {"type": "ai", "content": said}])
    assert run.finish is None


@pytest.mark.parametrize(
    "step",
    [{"error": {"type": "AgentMaxStepsError", "message": "Reached max steps."},
      "action_output": "Something."},
     {"error": {"type": "AgentParsingError", "message": "No code."}, "model_output": "hm"}],
)  # fmt: skip
def test_a_step_with_an_error_is_no_answer(step: dict[str, Any]) -> None:
    run = only([{"task": "q"}, {"step_number": 1, "observations": None, **step}])
    assert run.finish is None
    assert actions(run) == []


def test_the_results_of_several_calls_in_one_text_are_unclear() -> None:
    calls = [{"id": name, "function": {"name": name, "arguments": {}}} for name in "ab"]
    run = only([{"task": "q"}, {"step_number": 1, "tool_calls": calls, "observations": "1\n2"}])
    assert actions(run) == [("a", {}, None), ("b", {}, None)]
    assert ("unclear_end", "1\n2") in [(notice.kind, notice.text) for notice in run.notices]


def test_code_and_its_answer_are_read_from_a_memory() -> None:
    steps = [
        {"step_number": number, "code_action": code, "observations": "Execution logs:\n1",
         "model_output": f"Thought: hm\n<code>\n{code}\n</code>", "is_final_answer": number == 2,
         "tool_calls": [{"id": "1", "function": {"name": "python_interpreter", "arguments": code}}],
         "action_output": "30"}
        for number, code in ((1, "print(1)"), (2, "final_answer('30')"))
    ]  # fmt: skip
    run = only([{"task": "q"}, *steps])
    assert actions(run) == [("python_interpreter", "print(1)", "Execution logs:\n1")]
    assert [step.thought for step in run.steps] == ["hm", "hm"]
    assert run.finish is not None
    assert run.finish.return_values == {"output": "30"}


def test_the_call_of_an_output_tool_is_the_answer() -> None:
    log = [
        {"kind": "request", "parts": [{"part_kind": "user-prompt", "content": "q"}]},
        {"kind": "response", "parts": [
            {"part_kind": "tool-call", "tool_name": "final_result", "args": {"n": 1},
             "tool_call_id": "1"}]},
        {"kind": "request", "parts": [
            {"part_kind": "tool-return", "tool_name": "final_result", "tool_call_id": "1",
             "content": "Final result processed."}]},
    ]  # fmt: skip
    run = only(log)
    assert actions(run) == []
    assert run.finish is not None
    assert run.finish.return_values == {"output": '{"n": 1}'}


def test_runs_of_events_without_a_question_are_told_apart_by_their_answers() -> None:
    events = LOGS["llamaindex_events"][0][1:]
    again = json.loads(json.dumps(events).replace('"c1"', '"c2"'))
    assert len([*read_runs([*events, *again])]) == 2


@pytest.mark.parametrize("repeats", [False, True])
def test_the_labels_of_an_answer_among_events_are_no_part_of_it(repeats: bool) -> None:
    *events, last = LOGS["llamaindex_events"][0]
    spoken = "Thought: I know.\nAnswer: No\nfog."
    last = {**last, "response": {"role": "assistant", "blocks": [{"text": spoken}]}}
    final = {**last, "response": {"role": "assistant", "blocks": [{"text": "No\nfog."}]}}
    run = only([*events, last, *([final] if repeats else [])])
    assert run.finish is not None
    assert run.finish.return_values == {"output": "No\nfog."}
    assert run.steps[-1].thought == "I know."


def test_an_empty_result_of_a_step_is_that_of_its_call() -> None:
    task, first, *_ = LOGS["smolagents_memory"][0]
    steps = [{**first, "step_number": at, "observations": seen} for at, seen in [(1, ""), (2, "9")]]
    assert [step.observation for step in only([task, *steps]).steps] == ["", "9"]


def test_the_models_below_a_root_without_tools_had_a_conversation() -> None:
    said = {"role": "assistant", "content": "a"}
    asked = {"messages": [{"role": "user", "content": "q"}]}
    tree = {"run_type": "llm", "inputs": asked, "outputs": {"choices": [{"message": said}]}}
    run = only(tree)
    assert run.question == "q"
    assert run.finish is not None


def test_subagents_have_runs_of_their_own() -> None:
    (log,) = LOGS["atif"]
    inner = {**log, "trajectory_id": "inner"}
    runs = [*read_runs({**log, "session_id": "outer", "subagent_trajectories": [inner]})]
    assert [run.id for run in runs] == ["outer", "inner"]


# -- commands ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("form", "output", "command"),
    [
        ("swe_agent_fence", "Look.\n\n```\nls -l\n```", "ls -l"),
        ("swe_agent_fence", "Like\n```\na\n```\nor\n```bash\nb\n```\n", "b"),
        ("swe_agent_fence", "Nested\n```md\n```py\nx\n```\ny\n```", "```py\nx\n```\ny"),
        ("swe_agent_xml", "Look.\n<command>\nls\n</command>", "ls"),
        ("swe_agent_fence", "Look.\n```\nls", None),
        ("swe_agent_xml", "Look.", None),
    ],
)
def test_a_command_is_read_from_text(form: str, output: str, command: str | None) -> None:
    run = only({"format": form, "steps": [{"output": output, "observation": "x"}]})
    expected = [] if command is None else [("bash", command, "x")]
    assert actions(run) == expected
    assert len(run.failed) == (command is None)


def test_a_reply_without_one_command_fails() -> None:
    messages = [
        {"role": "user", "content": "q"},
        {"role": "assistant", "content": "```bash\na\n```\n```bash\nb\n```"},
        {"role": "user", "content": "Write exactly one command."},
    ]
    run = only({"trajectory_format": "mini-swe-agent-1", "info": {}, "messages": messages})
    (failed,) = run.failed
    assert failed.observation == "Write exactly one command."


FENCE, RAN = "I look.\n\n```{}\n{}\n```", "<returncode>0</returncode>\n<output>\nx\n</output>"


@pytest.mark.parametrize("name", ["mswea_bash_command", "bash"])
@pytest.mark.parametrize("is_done", [True, False])
def test_the_messages_of_a_trajectory_alone_are_one_run(name: str, is_done: bool) -> None:
    texts = ["q", FENCE.format(name, "ls"), RAN]
    if is_done:
        texts += [FENCE.format(name, "echo COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"), "done"]
    messages = [
        {"role": "assistant" if at % 2 else "user", "content": text}
        for at, text in enumerate(texts)
    ]
    run = only([{"role": "system", "content": "s"}, *messages])
    assert (run.question, run.preamble) == ("q", "s")
    assert actions(run)[0] == ("bash", {"command": "ls"}, RAN)
    assert (run.finish is not None) is is_done


@pytest.mark.parametrize(
    "seen", [RAN, "<tool_response>x</tool_response>", "<observation>\nx\n</observation>"]
)
def test_a_result_behind_a_text_without_a_known_call_is_no_question(seen: str) -> None:
    texts = ["q", "I run ls.", seen, "Done."]
    run = only([
        {"role": "assistant" if at % 2 else "user", "content": text}
        for at, text in enumerate(texts)
    ])  # fmt: skip
    (failed,) = run.failed
    assert failed.observation == seen
    assert run.finish is not None


def test_a_record_in_an_unknown_dialect_is_refused() -> None:
    log = '{"format": "react", "steps": [{"output": "Final Answer: x"}]}\n'
    unknown = '{"format": "reakt", "steps": [{"output": "x"}]}\n'
    errors: list[OutputParserException] = []
    assert len([*read_runs(log + unknown, on_error=errors.append)]) == 1
    assert "reakt" in str(errors[0])
    assert "(line 2 of the file)" in str(errors[0])


def test_a_file_of_the_caller_stays_open(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(json.dumps(LOGS["openai_chat"][0]), encoding="utf-8")
    with path.open("rb") as file, path.open("rb", buffering=0) as raw, path.open() as text:
        for source in (file, raw, text):
            assert only(source).question == QUESTION
            assert not source.closed


# -- .eval ---------------------------------------------------------------------------------------


def zipped(files: dict[str, str]) -> bytes:
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, text in files.items():
            archive.writestr(name, text)
    return made.getvalue()


def test_samples_are_read_from_a_zip_file() -> None:
    (sample,) = LOGS["inspect_ai"][0]["samples"]
    log = zipped({"header.json": "{}", "samples/1_epoch_1.json": json.dumps(sample)})
    assert detect_log(log).reader == "inspect_ai"
    run = only(log)
    assert (run.question, run.id) == (QUESTION, "1_epoch_1")
    assert run.finish is not None
    assert run.finish.return_values == {"output": ANSWER}


@pytest.mark.parametrize(
    "log", [zipped({"a.txt": "x"}), zipped({"samples/1.json": "{"}), b"PK\x03\x04 and no more"]
)
def test_another_zip_file_is_refused(log: bytes) -> None:
    with pytest.raises(OutputParserException, match="zip file"):
        list(read_runs(log))


def test_loggers_without_names_are_told_apart_by_level_and_keys() -> None:
    said = ["Question: q", "Thought: t\nAction: f\nAction Input: x", "Observation: y",
            "Final Answer: z"]  # fmt: skip
    log = []
    for text in said:
        log.append({"event": text, "level": "info", "timestamp": "t"})
        log.append({"event": "llm.request", "level": "debug", "timestamp": "t", "model": "m"})
    run = only(log)
    assert (run.question, actions(run)) == ("q", [("f", "x", "y")])
    assert run.finish is not None
    assert run.finish.return_values == {"output": "z"}


def test_spans_of_tools_below_an_agent_have_its_question_and_answer() -> None:
    def span(at: int, **attributes: Any) -> dict[str, Any]:
        own = {f"gen_ai.{key.replace('_', '.')}": value for key, value in attributes.items()}
        return {"name": "x", "context": {"trace_id": "t"}, "start_time": str(at), "attributes": own}

    def message(role: str, text: str) -> str:
        return json.dumps([{"role": role, "parts": [{"type": "text", "content": text}]}])

    spans = [
        span(1, operation_name="invoke_agent", input_messages=message("user", "q"),
             output_messages=message("assistant", "a")),
        span(2, operation_name="execute_tool", tool_name="f", tool_call_result="r",
             tool_call_arguments='{"x": 1}'),
    ]  # fmt: skip
    run = only(spans)
    assert (run.question, actions(run)) == ("q", [("f", {"x": 1}, "r")])
    assert run.finish is not None
    assert run.finish.return_values == {"output": "a"}


def test_a_request_goes_on_though_it_has_the_answer_before_in_other_words() -> None:
    def span(at: int, asked: list[Any], said: Any) -> dict[str, Any]:
        return {"op_name": "chat", "trace_id": "t", "started_at": str(at),
                "inputs": {"messages": asked},
                "output": {"choices": [{"message": said}]}}  # fmt: skip

    call = {"id": "1", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    asked = {"role": "user", "content": "q"}
    first = {"role": "assistant", "content": "hm", "reasoning": "why", "tool_calls": [call]}
    again = [asked, {"role": "assistant", "content": None, "tool_calls": [call]},
             {"role": "tool", "tool_call_id": "1", "content": "r"}]  # fmt: skip
    run = only([span(1, [asked], first), span(2, again, {"role": "assistant", "content": "a"})])
    assert (run.all_steps[0].thought, run.all_steps[0].content) == ("why", "hm")
    assert actions(run) == [("f", {}, "r")]
