"""What a model reasoned, and what it said to the user, in logs and in what is written of them."""

import json
from collections.abc import Iterator
from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    ToolAgentAction,
    Transcript,
    get_dialect,
    list_dialects,
    parse_transcript,
)
from agent_parsers.transcripts import RunSource
from agent_runs import get_writer, list_writers, read_runs
from agent_runs.reading.reader import Reading
from agent_runs.reading.said import Said, SaidCall, runs_of_messages
from agent_runs.writers.writer import IN_MESSAGES, Writer, turns_of
from outputs import AIMessage

REASONED = ["Weigh the pears.", "Count them again."]
SAID = ["Let me look.", "One moment."]
DIALECTS = [name for name in list_dialects() if get_dialect(name).lenient.transcript_start]

PLACES = ("reasoning_content", "thinking")
"""The keys under which forms have reasoning."""


def call(number: int) -> dict[str, Any]:
    function = {"name": "scale", "arguments": '{"of": "pears"}'}
    return {"id": f"c{number}", "type": "function", "function": function}


def result(number: int) -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": f"c{number}", "content": "7 kg"}


def said(reasoned: str, content: str | None, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "reasoning_content": reasoned, "content": content, **more}


CHAT = [
    {"role": "user", "content": "How heavy?"},
    said(REASONED[0], SAID[0], tool_calls=[call(1)]), result(1),
    {"role": "assistant", "content": SAID[1]},
    said(REASONED[1], None, tool_calls=[call(2)]), result(2),
    said("So it is.", "7 kg."),
]  # fmt: skip
"""A chat as servers of open models have it."""

SIGNED = [
    {"role": "user", "content": "How heavy?"},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": REASONED[0], "signature": "c2ln"},
        {"type": "redacted_thinking", "data": "eHl6"},
        {"type": "text", "text": SAID[0]},
        {"type": "tool_use", "id": "c1", "name": "scale", "input": {"of": "pears"}},
    ]},
    {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c1", "content": "7 kg"}]},
    {"role": "assistant", "content": [{"type": "text", "text": "7 kg."}]},
]  # fmt: skip
"""Messages of Anthropic, whose API takes back the reasoning that it has signed."""


def only(log: Any) -> Transcript:
    (run,) = read_runs(log)
    return run


def fields_of(run: Transcript) -> list[tuple[str, str]]:
    return [(step.thought, step.content) for step in run.steps]


def texts_in(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in *value*, each with the place for reasoning in which it stands."""
    if isinstance(value, str):
        yield place, value
    for key, each in value.items() if isinstance(value, dict) else ():
        yield from texts_in(each, key if key in PLACES else place)
    for each in value if isinstance(value, list | tuple) else ():
        yield from texts_in(each, place)


def check_two_fields(writer: Writer, run: Transcript) -> None:
    """Check that *writer* writes reasoning only in its place, and names what it does not write.

    Raises:
        AssertionError: Reasoning is visible text, or something is neither written nor named.
    """
    written = [*texts_in(json.loads(json.dumps(writer.write(run))))]
    visible = "\n".join(text for place, text in written if not place)
    reasoning = "\n".join(text for place, text in written if place)
    losses = writer.losses(run)
    for turn in turns_of(run):
        if turn.thought and turn.thought in visible:
            raise AssertionError(f"{writer.name} shows the reasoning {turn.thought!r}")
        if turn.content and turn.content in reasoning:
            raise AssertionError(f"{writer.name} hides {turn.content!r} in the reasoning")
    lost = sum(bool(turn.thought) and turn.thought not in reasoning for turn in turns_of(run))
    if lost != losses.get("reasoning", 0):
        raise AssertionError(f"{writer.name} loses {lost} thoughts, and names {losses}")
    lost = sum(bool(turn.content) and turn.content not in visible for turn in turns_of(run))
    if bool(lost) is not bool(losses.get("content", 0)):
        raise AssertionError(f"{writer.name} loses {lost} contents, and names {losses}")


RUNS = {"chat": CHAT, "signed": SIGNED}
every_run = pytest.mark.parametrize("log", RUNS.values(), ids=[*RUNS])


def test_reasoning_and_words_are_two_fields_of_a_step() -> None:
    run = only(CHAT)
    assert fields_of(run) == [
        (REASONED[0], SAID[0]), (REASONED[1], SAID[1]), ("So it is.", "")
    ]  # fmt: skip
    assert run.output == "7 kg."
    assert str(run).splitlines()[1:3] == [f"1. {REASONED[0]}", f"   content: {SAID[0]}"]
    html = run.to_html()
    assert all(text in html for text in (*REASONED, *SAID, ">content<"))


@every_run
@pytest.mark.parametrize("name", list_writers())
def test_reasoning_is_written_in_its_place_or_named_as_lost(name: str, log: Any) -> None:
    check_two_fields(get_writer(name), only(log))


def test_a_dialect_has_both_in_its_thought() -> None:
    run = only(CHAT)
    for name in DIALECTS:
        writer = get_writer(name, tools=[{"name": "scale", "parameters": SCALE}])
        assert not {"reasoning", "content"} & writer.losses(run).keys()
        if name == "smolagents_code":  # its calls are code, and name no tools
            continue
        read = parse_transcript(writer.write(run), dialect=name)
        thoughts = ["\n".join(filter(None, fields)) for fields in fields_of(run)]
        assert [step.thought for step in read.steps][:-1] == thoughts[:-1]


SCALE = {"type": "object", "properties": {"of": {"type": "string"}}}


@every_run
def test_a_writer_that_shows_the_reasoning_is_caught(log: Any) -> None:
    def write(run: Transcript) -> Any:  # as the writers of messages once did
        texts = ("\n".join(filter(None, (turn.thought, turn.content))) for turn in turns_of(run))
        return [{"role": "assistant", "content": text} for text in texts]

    for holds in (IN_MESSAGES, IN_MESSAGES | {"reasoning"}):
        wrong = Writer(name="wrong", summary="", write=write, holds=holds)
        with pytest.raises(AssertionError, match="wrong shows the reasoning 'Weigh"):
            check_two_fields(wrong, only(log))


def test_a_writer_that_does_not_name_its_losses_is_caught() -> None:
    def write(run: Transcript) -> Any:
        return [turn.content for turn in turns_of(run)]

    wrong = Writer(name="wrong", summary="", write=write, holds=IN_MESSAGES | {"reasoning"})
    with pytest.raises(AssertionError, match="wrong loses 3 thoughts"):
        check_two_fields(wrong, only(CHAT))
    wrong = Writer(name="wrong", summary="", write=lambda _run: [], holds=IN_MESSAGES)
    with pytest.raises(AssertionError, match="wrong loses 2 contents"):
        check_two_fields(wrong, only(CHAT))


def test_a_writer_that_hides_what_was_said_is_caught() -> None:
    def write(run: Transcript) -> Any:  # as the writer of trajectories once did
        texts = ("\n".join(filter(None, (turn.thought, turn.content))) for turn in turns_of(run))
        return [{"message": "", "reasoning_content": text} for text in texts]

    wrong = Writer(name="wrong", summary="", write=write, holds=IN_MESSAGES | {"reasoning"})
    with pytest.raises(AssertionError, match="wrong hides 'Let me look"):
        check_two_fields(wrong, only(CHAT))


def test_what_each_form_loses() -> None:
    chat, signed = only(CHAT), only(SIGNED)
    lost = {name: get_writer(name).losses(chat) for name in list_writers()}
    assert lost == {
        "anthropic": {"reasoning": 3},
        "atif": {},
        "langchain": {},
        "openai": {"reasoning": 3},
        "sharegpt": {"content": 2, "reasoning": 3},
    }
    assert get_writer("anthropic").losses(signed) == {}
    assert get_writer("openai").losses(signed) == {"reasoning": 1}


def test_signed_reasoning_is_written_as_it_came() -> None:
    run = only(SIGNED)
    assert fields_of(run) == [(REASONED[0], SAID[0]), ("", "")]
    written = get_writer("anthropic").write(run)["messages"]
    assert written[1] == SIGNED[1]
    assert fields_of(only({"messages": written})) == fields_of(run)
    assert Transcript.from_json(json.loads(json.dumps(run.to_json()))) == run


def test_lines_of_claude_code_are_one_message() -> None:
    blocks: Any = SIGNED[1]["content"]
    run = only([SIGNED[0], *({"role": "assistant", "content": [block]} for block in blocks),
                *SIGNED[2:]])  # fmt: skip
    assert fields_of(run) == fields_of(only(SIGNED))
    assert get_writer("anthropic").losses(run) == {}
    action = run.steps[0].action
    assert isinstance(action, ToolAgentAction)
    (message,) = action.message_log
    assert isinstance(message, AIMessage)
    assert [block["type"] for block in message.content if isinstance(block, dict)] == [
        "thinking", "redacted_thinking"
    ]  # fmt: skip


@pytest.mark.parametrize("name", ["atif", "langchain"])
def test_what_holds_both_reads_back_the_same(name: str) -> None:
    run = only(CHAT)
    assert fields_of(only(json.loads(json.dumps(get_writer(name).write(run))))) == fields_of(run)


def test_what_has_no_place_for_reasoning_reads_back_the_words() -> None:
    for name in ("openai", "anthropic"):
        read = only(get_writer(name).write(only(CHAT)))
        assert fields_of(read) == [("", SAID[0]), ("", SAID[1]), ("", "")]


@pytest.mark.parametrize("text", ["<think>\n{}\n</think>\n\n{}", "{}\n</think>\n\n{}"])
def test_a_thought_that_a_text_begins_with_is_reasoning(text: str) -> None:
    first = text.format(REASONED[0], SAID[0])
    log = [
        CHAT[0], {"role": "assistant", "content": first, "tool_calls": [call(1)]}, result(1),
        {"role": "assistant", "content": text.format(REASONED[1], "7 kg.")},
    ]  # fmt: skip
    run = only(log)
    assert fields_of(run) == [(REASONED[0], SAID[0]), (REASONED[1], "")]
    assert run.output == "7 kg."
    for name in list_writers():
        check_two_fields(get_writer(name), run)
    strict = Reading(RunSource("drawn"), lenient=False)
    messages = [Said("user", "q"), Said("assistant", first, calls=[SaidCall("scale", {})])]
    (strictly,) = runs_of_messages(messages, strict)
    assert fields_of(strictly) == [("", first)]


def test_a_text_before_the_answer_is_a_message_of_its_own() -> None:
    run = only([*CHAT[:3], {"role": "assistant", "content": "Done."}, CHAT[-1]])
    assert fields_of(run)[-1] == ("So it is.", "Done.")
    for name in ("openai", "anthropic", "langchain", "atif"):
        read = only(get_writer(name).write(run))
        assert (read.steps[-1].content, read.output) == ("Done.", "7 kg.")


def test_words_that_nothing_follows_are_a_notice() -> None:
    run = only([*CHAT[:3], {"role": "assistant", "content": SAID[1]}, said("Hm.", None)])
    assert [(each.kind, each.text) for each in run.notices] == [
        ("unowned_text", "Hm."), ("unowned_text", SAID[1]), ("no_answer", "")
    ]  # fmt: skip


def test_a_log_of_a_step_is_what_the_user_saw() -> None:
    action = only(CHAT).steps[0].action
    assert isinstance(action, AgentAction)
    assert action.log == SAID[0]


# -- readers of other forms ------------------------------------------------------------------------


def step_of(**action: Any) -> dict[str, Any]:
    action = {"tool": "scale", "tool_input": {"of": "pears"}, "log": "", **action}
    return {"input": "q", "output": "7 kg.", "intermediate_steps": [[action, "7 kg"]]}


BLOCKS = [{"type": "thinking", "thinking": REASONED[0]}, {"type": "text", "text": SAID[0]}]
PRETTY = f"""\
{" Human Message ":=^80}

q
{" Ai Message ":=^80}

{BLOCKS!r}
Tool Calls:
  scale (c1)
 Call ID: c1
  Args:
    of: pears
{" Tool Message ":=^80}
Name: scale

7 kg
"""
INVOKED = "\nInvoking: `scale` with `{'of': 'pears'}`\n"


@pytest.mark.parametrize(
    "log",
    [
        step_of(message_log=[{"type": "ai", "content": BLOCKS}]),
        step_of(message_log=[{"type": "ai", "content": SAID[0], "additional_kwargs": {
            "reasoning_content": REASONED[0]}}]),
        step_of(log=f"{INVOKED}responded: {BLOCKS!r}\n\n"),
        [
            {"role": "user", "content": "<task>\nq\n</task>"},
            {"role": "assistant", "content": f"<thinking>{REASONED[0]}</thinking>\n\n{SAID[0]}\n"
             "<weigh_fruit>\n<of>pears</of>\n</weigh_fruit>"},
            {"role": "user", "content": "[weigh_fruit for 'pears'] Result:\n\n7 kg"},
        ],
        PRETTY,
        [CHAT[0], {"role": "assistant", "content": SAID[0], "thinking": REASONED[0],
                   "tool_calls": [call(1)]}],
    ],
    ids=["blocks", "beside", "responded", "cline", "pretty", "ollama"],
)  # fmt: skip
def test_reasoning_in_other_forms_is_no_text(log: Any) -> None:
    is_cline = isinstance(log, list) and "<task>" in log[0]["content"]
    (run,) = read_runs(log, format="cline" if is_cline else "auto")
    assert fields_of(run)[0] == (REASONED[0], SAID[0])
    for name in list_writers():
        check_two_fields(get_writer(name), run)


def test_a_text_before_an_answer_that_is_a_call_is_its_content() -> None:
    said = f"<thinking>{REASONED[0]}</thinking>\n{SAID[0]}\n"
    log = [
        {"role": "user", "content": "<task>\nq\n</task>"},
        {"role": "assistant", "content": f"{said}<attempt_completion>\n<result>\n7 kg.\n</result>\n"
         "</attempt_completion>"},
    ]  # fmt: skip
    (run,) = read_runs(log, format="cline")
    assert fields_of(run) == [(REASONED[0], SAID[0])]
    assert run.output == "7 kg."


def test_an_answer_that_a_console_shows_as_blocks_is_its_text() -> None:
    blocks = [{"type": "thinking", "thinking": REASONED[0]}, {"type": "text", "text": "7 kg."}]
    green, end = "\x1b[32;1m\x1b[1;3m", "\x1b[0m"
    log = (
        f"\n\n\x1b[1m> Entering new AgentExecutor chain...{end}\n"
        f"{green}{INVOKED}responded: {SAID[0]}\n\n{end}\x1b[36;1m\x1b[1;3m7 kg{end}"
        f"{green}{blocks!r}{end}\n\n\x1b[1m> Finished chain.{end}\n"
    )
    run = only(log)
    assert fields_of(run) == [("", SAID[0]), (REASONED[0], "")]
    assert run.output == "7 kg."
