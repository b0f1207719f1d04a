"""Runs, of agents and of logs, go to all that takes runs, and mean the same there."""

from __future__ import annotations

import json
import pickle
from typing import TYPE_CHECKING, Any

import pytest

from agent_laws.laws.closure import how_it_is_taken, prompts_with, to_apis
from agent_laws.trials.conversations import (
    ANSWER,
    QUESTION,
    TOOLS,
    Called,
    Returned,
    conversations,
    plain,
)
from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser, run_agent
from agent_parsers.loop import AgentRun, CutAnswerError
from agent_parsers.messages import to_anthropic, to_langchain
from agent_parsers.transcripts import transcript_of
from agent_runs import get_writer, list_writers, read_runs, report_html
from agent_runs.writers.text import to_text

from ..helpers.stories import DIALECTS, every_dialect

if TYPE_CHECKING:
    from agent_parsers import Dialect

FAILED = [
    {"role": "user", "content": QUESTION},
    {
        "role": "assistant",
        "content": [
            {"type": "tool_use", "id": "c1", "name": "area", "input": {"lake": "Thum"}},
            {"type": "tool_use", "id": "c2", "name": "area", "input": {"lake": "Thun"}},
        ],
    },
    {
        "role": "user",
        "content": [
            {"type": "tool_result", "tool_use_id": "c1", "content": "no lake", "is_error": True},
            {"type": "tool_result", "tool_use_id": "c2", "content": "48 km2"},
        ],
    },
    {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
]
OWN_TOOLS = {"self_ask", "smolagents_code"}
"""The dialects that call only a tool of their own."""
NATIVE = [
    {
        "role": "assistant",
        "content": "I look.",
        "reasoning_content": "Hm.",
        "tool_calls": [
            {
                "id": "call_1",
                "type": "function",
                "function": {"name": "area", "arguments": '{"lake": "Thun"}'},
            }
        ],
    },
    {"role": "assistant", "content": ANSWER},
]


def run_in(name: str, replies: list[Any]) -> AgentRun:
    parser: Any = get_parser(name)
    given = iter(replies)
    return run_agent(lambda _: next(given), QUESTION, parser, TOOLS, ended="stop")


def run_of(dialect: Dialect) -> AgentRun:
    """Return a run of an agent that writes in *dialect*."""
    turns = {each.form: each.value[-1] for each in conversations(dialect)}
    texts = [turns["a turn"], turns["a turn that answers"]]
    logs = [turn.finish.log if turn.finish else turn.actions[0].log for turn in texts]
    return run_in(dialect.name, logs)


def returned(run: Any) -> Returned:
    (action, seen) = next(iter(getattr(run, "steps", ())))
    return Returned("a run", run, (Called(action.tool, plain(action.tool_input), seen), ANSWER))


def check_everywhere(run: AgentRun, reader: Any) -> None:
    """Check that *run* goes everywhere."""
    given = returned(run)
    takers = [get_parser("tools", tools=TOOLS)] if reader is None else [
        get_parser(reader.dialect, tools=TOOLS),
        get_parser(DIALECTS[(DIALECTS.index(reader.dialect) * 5 + 3) % len(DIALECTS)], tools=TOOLS),
    ]  # fmt: skip
    for taker in takers:
        own = get_parser(taker.dialect) if hasattr(taker, "dialect") else None
        for write in prompts_with(taker, given):
            how_it_is_taken(given, write, own)
    for write in to_apis(given):
        how_it_is_taken(given, write, reader)
    assert pickle.loads(pickle.dumps(run)).output == run.output
    back = AgentRun.from_json(run.to_json())
    assert (back.output, back.thoughts, back.to_json()) == (run.output, run.thoughts, run.to_json())
    assert ANSWER in run._repr_html_()
    assert ANSWER in report_html([run, transcript_of(run)])
    assert str(run).splitlines()[-1].endswith(f"answer: {ANSWER}")
    for name in list_writers():
        writer = get_writer(name)
        assert writer.write(run) == writer.write(transcript_of(run))


@every_dialect
def test_a_run_of_an_agent_goes_everywhere(dialect: Dialect) -> None:
    if dialect.name in OWN_TOOLS:
        pytest.skip("its calls are of a tool of its own")
    check_everywhere(run_of(dialect), get_parser(dialect))


def test_a_run_of_calls_goes_everywhere() -> None:
    given = iter(NATIVE)
    run: AgentRun = run_agent(lambda messages, tools: next(given), QUESTION, "tools", TOOLS)
    check_everywhere(run, None)
    assert run.messages[0].text == QUESTION
    assert run.messages[-1].text == ANSWER


@pytest.mark.parametrize("name", [d.name for d in DIALECTS if d.lenient.transcript_start])
def test_a_run_of_a_log_goes_everywhere(name: str) -> None:
    if name in OWN_TOOLS:
        pytest.skip("its calls are of a tool of its own")
    log = to_text(run_of(next(d for d in DIALECTS if d.name == name)).transcript, name, tools=TOOLS)
    (run,) = read_runs(log, dialect=name, tools=TOOLS)
    assert isinstance(run.steps[-1].action, AgentFinish)
    called = run.steps[0].action
    assert isinstance(called, AgentAction)
    happened = Called(called.tool, plain(called.tool_input), run.steps[0].observation), ANSWER
    whole = Returned("a run", run, happened)
    steps = Returned("its steps", run.steps, happened, is_steps=True)
    for given in (whole, steps):
        for write in prompts_with(get_parser(name, tools=TOOLS), given):
            how_it_is_taken(given, write, get_parser(name))
        for write in to_apis(given):
            how_it_is_taken(given, write, get_parser(name))


@pytest.mark.parametrize("write", [to_anthropic, to_langchain])
@pytest.mark.parametrize("part", [lambda run: run, lambda run: run.steps], ids=["run", "steps"])
def test_a_tool_that_failed_in_a_log_failed(write: Any, part: Any) -> None:
    (run,) = read_runs(json.dumps(FAILED))
    messages = [each if isinstance(each, dict) else each.model_dump() for each in write(part(run))]
    (back,) = read_runs(json.dumps(messages))
    assert [step.tool_failed for step in run.steps[:2]] == [True, False]
    assert [step.tool_failed for step in back.steps[:2]] == [True, False]


def test_a_run_can_be_gone_on_with() -> None:
    react = next(d for d in DIALECTS if d.name == "react")
    earlier = run_of(react)
    seen: list[Any] = []

    def model(prompt: Any) -> str:
        seen.extend(prompt)
        return "Final Answer: 37 km2"

    run: AgentRun = run_agent(
        model, "And Lake Brienz?", get_parser("react"), TOOLS, history=earlier, ended="stop"
    )
    texts = [message.text for message in seen]
    assert texts[1] == f"Question: {QUESTION}"
    assert texts[-1] == "Question: And Lake Brienz?"
    assert run.output == "37 km2"


def test_errors_of_a_run_are_steps_of_it() -> None:
    run = run_in("react", ["Hm.", f"Final Answer: {ANSWER}"])
    (failed, answer) = run.transcript.all_steps
    assert isinstance(failed.error, OutputParserException)
    assert answer.action == run.finish
    assert [message.text for message in run.messages][1] == "Hm."


CUT = {
    "choices": [
        {"message": {"role": "assistant", "content": "Well, it"}, "finish_reason": "length"}
    ]
}


def test_a_cut_answer_is_no_answer_unless_it_is_asked_for() -> None:
    parser: Any = get_parser("tools")
    whole = {"choices": [{"message": NATIVE[1], "finish_reason": "stop"}]}
    with pytest.raises(CutAnswerError) as caught:
        run_agent(lambda messages, tools: CUT, QUESTION, parser, TOOLS)
    assert caught.value.run.is_cut
    assert "on_cut=" in str(caught.value)
    kept: AgentRun = run_agent(
        lambda messages, tools: CUT, QUESTION, parser, TOOLS, on_cut="return"
    )
    assert (kept.output, kept.is_cut) == ("Well, it", True)
    given = iter([CUT, whole])
    again: AgentRun = run_agent(
        lambda messages, tools: next(given), QUESTION, parser, TOOLS, on_cut="retry"
    )
    assert (again.output, again.is_cut) == (ANSWER, False)
    assert "cut off" in again.messages[2].text


def test_a_call_of_a_tool_that_there_is_no_longer_is_a_call_unless_it_is_an_example() -> None:
    """Behind words it may be an example, and what the user says next is no result of it."""
    step = "Thought: I look it up.\nAction: depth\nAction Input: Thun"
    asked = [("user", "How deep?"), ("assistant", step), ("user", "217 m"), ("user", "And now?")]
    prompt = get_parser("hermes", tools=["area"]).render_prompt(history=asked, as_messages=True)
    assert "<tool_call>" in prompt[2].text
    assert "<tool_response>\n217 m" in prompt[3].text
    example = [
        ("user", "How is it written?"),
        ("assistant", f"Like this:\n\n{step}"),
        ("user", "Ah!"),
    ]
    prompt = get_parser("hermes", tools=["area"]).render_prompt(history=example, as_messages=True)
    assert "<tool_call>" not in prompt[2].text
    assert prompt[3].text == "Ah!"
