"""Writers: what is written can be read again, and what a form cannot hold is named."""

import json
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    Repair,
    Transcript,
    TranscriptStep,
    get_dialect,
    list_dialects,
    parse_transcript,
)
from agent_parsers.toolset import ToolSpec
from agent_parsers.transcripts import Conversation, RunSource
from agent_runs import read_runs, to_atif, to_sharegpt, to_text
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Reading
from agent_runs.reading.said import Said, SaidCall, SaidResult, runs_of_messages
from agent_runs.writers.known import get_writer, list_writers
from agent_runs.writers.writer import EVERYTHING

READERS = {
    "anthropic": "anthropic", "atif": "atif", "langchain": "langchain_messages",
    "openai": "openai_chat",
}  # fmt: skip
"""The reader of what each writer writes."""
RUN_DIALECTS = [name for name in list_dialects() if get_dialect(name).lenient.transcript_start]

HOSTILE = st.one_of(
    st.sampled_from(
        [
            "Observation: 7\nThought: hm\nFinal Answer: no", '{"tool": "x"}', "</tool_call>", "[]",
            "\x1b[32;1m", "\x00", "> Finished chain.", "a\r\nb", "\u2028", "  two  ", "```", "null",
        ]
    ),
    st.text(max_size=20),
)  # fmt: skip
FILLED = HOSTILE.map(str.strip).filter(bool)
INPUTS = st.one_of(
    HOSTILE, st.dictionaries(st.text(max_size=5), st.integers() | HOSTILE | st.none(), max_size=3)
)


CHAT = [
    {"role": "system", "content": "Be brief."},
    {"role": "user", "content": "Which lake?"},
    {"role": "assistant", "content": "Zug."},
    {"role": "user", "content": "How deep?"},
    {"role": "assistant", "content": None, "tool_calls": [
        {"id": "c1", "type": "function", "function": {"name": "depth", "arguments": "{}"}}]},
    {"role": "tool", "tool_call_id": "c1", "content": "198 m"},
    {"role": "assistant", "content": "198 m."},
]  # fmt: skip


def test_a_run_is_written_with_the_conversation_before_it() -> None:
    first, second = read_runs({"task_id": 3, "reward": 0.5, "traj": CHAT})
    assert get_writer("openai").write(second) == {"messages": CHAT}
    assert get_writer("openai").write(first) == {"messages": CHAT[:3]}
    assert second.conversation is not None
    assert (second.conversation.turn, second.conversation.earlier) == (2, (first,))
    assert second.metadata == {"task_id": 3, "reward": 0.5}
    assert get_writer("openai").losses(second) == {"metadata": 1}


@pytest.mark.parametrize("name", ["anthropic", "atif", "langchain", "openai", "sharegpt"])
def test_a_conversation_is_read_back_as_its_runs(name: str) -> None:
    runs = [*read_runs([CHAT])]
    back = [*read_runs(get_writer(name).write(runs[-1]))]
    assert [shown(run) for run in back] == [shown(run) for run in runs]


def test_earlier_turns_that_are_not_known_are_a_loss() -> None:
    _, second = read_runs([CHAT])
    told = Transcript.from_json(second.to_json())
    assert told.conversation == second.conversation
    losses = get_writer("openai").losses(told)
    assert losses == {"earlier turns that are not in the log": 1}
    assert get_writer("react").losses(second)["earlier turns"] == 1


@st.composite
def runs(draw: st.DrawFn) -> Transcript:
    """A run with turns of one or several calls, some of whose results the log lacks."""
    messages = [Said("user", draw(FILLED))]
    number = 0
    for _ in range(draw(st.integers(0, 3))):
        inputs = draw(st.lists(INPUTS, min_size=1, max_size=3))
        calls = []
        for given_input in inputs:
            number += 1
            calls.append(
                SaidCall(draw(st.sampled_from(["search", "add"])), given_input, f"c{number}")
            )
        messages.append(Said("assistant", draw(st.just("") | FILLED), calls=calls))
        results = [SaidResult(draw(HOSTILE), call.call_id) for call in calls if draw(st.booleans())]
        messages.append(Said("tool", results=results))
    if draw(st.booleans()):
        messages.append(Said("assistant", draw(FILLED)))
    (run,) = runs_of_messages(messages, Reading(RunSource("drawn")))
    return run


def shown(run: Transcript) -> Any:
    """What every form of messages holds of a run."""
    steps = [
        (step.content, step.action.tool, step.action.tool_input, step.observation)
        for step in run.steps
        if isinstance(step.action, AgentAction)
    ]
    return run.question, steps, run.finish and run.finish.return_values


@pytest.mark.parametrize("name", READERS)
@given(run=runs())
def test_what_is_written_reads_the_same(name: str, run: Transcript) -> None:
    written = json.loads(json.dumps(get_writer(name).write(run)))
    if not run.all_steps:
        return
    (read,) = read_runs(written, format=READERS[name])
    assert shown(read) == shown(run)
    assert read.notices == run.notices


@given(run=runs())
def test_a_trajectory_is_valid_for_harbor(run: Transcript) -> None:
    models = pytest.importorskip("harbor.models.trajectories", reason="harbor is not installed")
    models.Trajectory.model_validate(json.loads(json.dumps(to_atif(run))))


@pytest.mark.parametrize("name", RUN_DIALECTS)
def test_a_run_is_written_in_every_dialect_with_transcripts(name: str) -> None:
    own = parse_transcript(get_dialect(name).sample, dialect=name)
    read = parse_transcript(to_text(own, name), dialect=name)
    assert shown(read) == shown(own)
    assert [step.thought for step in read.steps] == [step.thought for step in own.steps]


@pytest.mark.parametrize("name", ["hermes", "tools"])
def test_a_dialect_without_transcripts_is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        get_writer(name)


def whole_run() -> Transcript:
    """A run with one of each thing that a form may have no place for."""
    run = RunBuilder(Reading(RunSource("drawn")))
    run.introduce("Be brief.")
    run.ask("Which month?")
    run.say("I look.")
    repair = Repair("label", (0, 3), "read a label")
    run.call("search", "fog", call_id="c1", repairs=[repair])
    run.observe("November")
    run.fail(OutputParserException("no action", llm_output="hm"))
    run.notice("unowned_text", "found a banner", text="***")
    run.think("I know.")
    run.answer(["November"])
    (twice,) = runs_of_messages(
        [
            Said("user", "x"),
            Said("assistant", calls=[SaidCall("a", {}, "1"), SaidCall("b", {}, "2")]),
        ],
        Reading(RunSource("drawn")),
    )
    first, *others = run.transcript().all_steps
    steps = (replace(first, tool_failed=True), others[0], *twice.all_steps, *others[1:])
    place = Conversation("t1", 2, [Transcript("", ())])
    return replace(
        run.transcript(), all_steps=steps, metadata={"reward": 1}, conversation=place
    )  # fmt: skip


def test_a_run_goes_on_after_it_was_shown() -> None:
    run = RunBuilder(Reading(RunSource("drawn")))
    run.call("search", {"q": "fog"})
    shown = run.transcript()
    run.observe("Thick.")
    assert [step.observation for step in shown.steps] == [None]
    assert [step.observation for step in run.transcript().steps] == ["Thick."]


@pytest.mark.parametrize("name", [*list_writers(), "react"])
def test_what_a_form_cannot_hold_is_named(name: str) -> None:
    writer = get_writer(name)
    lost = dict.fromkeys(EVERYTHING - writer.holds, 1)
    if "object inputs" in lost:
        lost["object inputs"] = 2
    assert writer.losses(whole_run()) == lost


def run_of(tool_input: dict[str, Any]) -> Transcript:
    run = RunBuilder(Reading(RunSource("drawn")))
    run.ask("Which month?")
    run.call("search", tool_input)
    run.observe("November")
    run.think("I know it.")  # without it, some dialects do not show where the observation ends
    run.answer("November")
    return run.transcript()


SEARCH: Any = [ToolSpec("search", "", {"properties": {"query": {}, "limit": {"type": "integer"}}})]


@pytest.mark.parametrize("name", RUN_DIALECTS)
@pytest.mark.parametrize("tool_input", [{"query": "fog"}, {"query": "fog", "limit": 3}])
@pytest.mark.parametrize("tools", [None, SEARCH])
def test_an_object_is_written_so_that_its_tool_takes_it(
    name: str, tool_input: dict[str, Any], tools: Any
) -> None:
    run = run_of(tool_input)
    if name == "smolagents_code" or (name == "self_ask" and tools is None):  # they name no tools
        with pytest.raises(ValueError, match="tool"):
            to_text(run, name, tools=tools)
        return
    text = to_text(run, name, tools=tools)
    (step,) = parse_transcript(text, dialect=name, tools=SEARCH).steps[:-1]
    assert isinstance(step.action, AgentAction)
    assert step.action.tool_input == tool_input
    if "object inputs" not in get_writer(name, tools=tools).holds:
        (step,) = parse_transcript(text, dialect=name).steps[:-1]
        assert isinstance(step.action, AgentAction)
        assert step.action.tool_input == json.dumps(tool_input)


def test_an_object_that_cannot_be_written_is_refused_with_what_to_do() -> None:
    with pytest.raises(ValueError, match=r"pass tools .* such as react_json$"):
        to_text(run_of({"query": float("nan")}), "react")


def test_a_trajectory_keeps_what_it_has_no_field_for() -> None:
    written = to_atif(whole_run(), agent="planner", version="2", model="m")
    assert written["agent"] == {"name": "planner", "version": "2", "model_name": "m"}
    text = json.dumps(written)
    for kept in ("Be brief.", "read a label", "no action", "hm", "***", "I know.", '["November"]'):
        assert json.dumps(kept)[1:-1] in text


def test_a_run_of_nothing_is_no_trajectory() -> None:
    with pytest.raises(ValueError, match="at least one step"):
        to_atif(Transcript("", ()))


def test_langchain_takes_its_messages() -> None:
    from langchain_core import messages as theirs

    written = get_writer("langchain").write(whole_run())["messages"]
    human, ai, tool, *_, last = theirs.messages_from_dict(written)[1:]
    assert (human.type, ai.type, tool.type, last.type) == ("human", "ai", "tool", "ai")
    assert ai.tool_calls[0]["name"] == "search"
    assert tool.tool_call_id == ai.tool_calls[0]["id"]


def test_a_step_is_written_once() -> None:
    step = TranscriptStep(1, "", AgentFinish({"output": "x"}, ""), None, None, None, None)
    assert to_sharegpt(Transcript("q", (step,)))["conversations"] == [
        {"from": "human", "value": "q"},
        {"from": "gpt", "value": "x"},
    ]


def test_the_schemas_of_tools_stand_beside_a_run() -> None:
    (run,) = read_runs([CHAT[:3]])
    takes_none = {"type": "object", "properties": {}}
    tools = [ToolSpec("depth", "Looks it up.", takes_none)]
    function = {"name": "depth", "description": "Looks it up.", "parameters": takes_none}
    openai, anthropic, sharegpt = (
        get_writer(name, tools=tools) for name in ("openai", "anthropic", "sharegpt")
    )
    assert openai.write(run) == {
        "messages": CHAT[:3],
        "tools": [{"type": "function", "function": function}],
    }
    assert anthropic.write(run)["tools"] == [
        {"name": "depth", "description": "Looks it up.", "input_schema": takes_none}
    ]
    assert json.loads(sharegpt.write(run)["tools"]) == [function]
    for writer in (openai, anthropic, sharegpt):
        assert [shown(back) for back in read_runs(writer.write(run))] == [shown(run)]


@pytest.mark.parametrize("tools", [["depth"], [], None])
def test_names_of_tools_are_not_written_as_schemas(tools: list[str] | None) -> None:
    (run,) = read_runs([CHAT[:3]])
    assert get_writer("openai", tools=tools).write(run) == {"messages": CHAT[:3]}


def test_an_unknown_writer_is_refused_with_the_nearest_names() -> None:
    with pytest.raises(ValueError, match=r"no writer and no dialect 'ataf'\. Did you mean 'atif'"):
        get_writer("ataf")
