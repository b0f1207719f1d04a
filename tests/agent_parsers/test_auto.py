"""`get_parser("auto")` reads each turn in the dialect it finds, and says which."""

import asyncio
import pickle
from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

import pytest

from agent_laws import laws
from agent_laws.trials.foreign_turns import told_answers
from agent_laws.trials.stories import Refusal, every_cut, outcome_of, parsed
from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
    register,
)
from agent_parsers.authoring import Written
from agent_parsers.parsers.auto_parser import AutoTurn
from agent_parsers.registry.dialects_by_name import KNOWN
from agent_runs import detect
from output_parsers import ModelRefusalError
from outputs import AIMessage, AIMessageChunk

from ..helpers.own_dialect import MEMO

HERMES = '<tool_call>\n{"name": "clock", "arguments": {"city": "Bern"}}\n</tool_call>'
REACT = "Thought: hm\nAction: clock\nAction Input: Bern"
OPEN = "Action: clock\nAction Input:"
CALL = {"name": "clock", "args": {"city": "Bern"}, "id": "1"}
MESSAGE = AIMessage("", tool_calls=[CALL])


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", list_dialects())
def test_a_sample_is_read_as_the_dialect_that_is_found_reads_it(name: str) -> None:
    text = get_dialect(name).sample
    found = detect(text).candidates[0]
    if found.form == "transcript":  # many turns
        return
    wanted = parsed(get_dialect(found.dialect), "lenient", text)
    read = outcome_of(lambda: get_parser("auto").parse(text))
    assert read == ([wanted] if isinstance(wanted, AgentAction) else wanted)
    if not isinstance(wanted, Refusal):
        turn = get_parser("auto").read(text)
        assert turn.dialect == found.dialect
        assert turn.events == get_parser(found.dialect).read(text).events


@pytest.mark.one_in(8)
@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("thought", ["", "I know this now."])
def test_an_answer_is_read_as_its_dialect_reads_it(name: str, thought: str) -> None:
    for answer in ("Lupins like sand.", "It opens at nine.\n\nCome early."):
        text = get_dialect(name).write(Written(thought, answer=answer))
        read = outcome_of(partial(get_parser("auto").parse, text))
        assert read == parsed(get_dialect(name), "lenient", text)


@pytest.mark.parametrize(
    "text",
    [
        "<response> is the tag of such answers.",
        "<response>yes</response> is how they answer.",
        "It was <answer>no</answer>.",
        "<think>Hm.</think>It was <response>no</response>",
        "all\nof them",
        "`<|channel|>` opens a header.",
    ],
)
def test_marks_of_answers_in_a_text_are_text(text: str) -> None:
    turn = get_parser("auto").read(text)
    assert turn.dialect == ""
    assert turn.result.return_values["output"] == text.removeprefix("<think>Hm.</think>")


@pytest.mark.parametrize(
    ("text", "dialect"),
    [
        ("```python\nprint(1)\n```", "smolagents_code"),
        ("Run this:\n```py\nprint(1)\n```\nThen stop.", "smolagents_code"),
        ("# Lamps\n\n**Answer:** yes\n\n1. the hall", "react_llamaindex"),
        ("The chat was\nHuman: hello\nAI: hello", "conversational"),
    ],
)
def test_what_plain_text_has_too_is_refused(text: str, dialect: str) -> None:
    with pytest.raises(OutputParserException) as caught:
        get_parser("auto").parse(text)
    assert caught.value.reason.endswith(
        f"unless it is plain text: name the dialect, as in get_parser({dialect!r})"
    )
    assert caught.value.send_to_llm
    assert caught.value.observation.startswith("Your reply can be read in two ways")


def test_a_fence_is_text_if_no_tool_takes_code() -> None:
    text = "Run this:\n```py\nprint(1)\n```\nThen stop."
    assert get_parser("auto", tools=["clock"]).read(text).dialect == ""
    with pytest.raises(OutputParserException, match="unless it is plain text: name the dialect"):
        get_parser("auto", tools=["python_interpreter"]).parse(text)


def test_words_before_a_label_are_the_thought_that_the_prompt_began() -> None:
    turn = get_parser("auto").read("I know this now.\nFinal Answer: It opens at nine.")
    assert (turn.dialect, turn.thought) == ("react", "I know this now.")


def test_the_answers_of_a_registered_dialect_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(KNOWN, "memo", MEMO)
    for text in told_answers(MEMO):
        laws.auto_reads_what_a_dialect_writes(MEMO, text, tools=None)


def test_servers_remove_the_token_behind_an_answer() -> None:
    turn = get_parser("auto").read("<|channel|>final<|message|>It opens at nine.")
    assert turn.dialect == "harmony"
    assert turn.result.return_values["output"] == "It opens at nine."


def test_it_says_what_it_took() -> None:
    parser = get_parser("auto", tools=["clock"])
    replies = (HERMES, REACT, MESSAGE, AIMessage(REACT), "It is noon.", "<think>Hm</think>Noon.")
    assert [parser.read(each).dialect for each in replies] == [
        "hermes", "react", "tools", "react", "", "",
    ]  # fmt: skip
    turn = parser.read(REACT)
    assert AutoTurn.from_json(turn.to_json()) == turn
    assert turn.thought == "hm"
    assert isinstance(turn.result, list)


def test_a_text_without_a_sign_is_the_answer() -> None:
    assert get_parser("auto").parse("<think>Hm</think>Noon.") == AgentFinish(
        {"output": "Noon."}, "<think>Hm</think>Noon."
    )


@pytest.mark.parametrize("text", ["Thought: hm", "Observation: 12", "<think>and then"])
def test_a_turn_that_is_no_answer_is_an_error(text: str) -> None:
    with pytest.raises(OutputParserException, match=r"^(expected|found an Observation)"):
        get_parser("auto").parse(text)


def test_an_ambiguous_text_is_an_error_that_names_both() -> None:
    with pytest.raises(OutputParserException) as caught:
        get_parser("auto").parse(OPEN)
    assert "this may be 'react' (read 1 error" in caught.value.reason
    assert "or 'react_crewai' (read 1 error" in caught.value.reason
    assert caught.value.reason.endswith("name the dialect, as in get_parser('react')")
    assert caught.value.send_to_llm
    assert caught.value.llm_output == OPEN


def test_tools_are_checked_whatever_the_dialect() -> None:
    for reply in (HERMES, REACT, MESSAGE):
        with pytest.raises(OutputParserException, match="'clock' is not one of the tools"):
            get_parser("auto", tools=["lamp"]).invoke(reply)


@pytest.mark.parametrize("text", [HERMES, REACT, OPEN, "Noon.", "Thought: hm", HERMES[:-20]])
def test_any_cut_tells_the_same_story_and_no_half_call(text: str) -> None:
    parser = get_parser("auto")
    stories = set()
    for chunks in [*every_cut(text)][:12]:
        stream = parser.stream_parser()
        assert not any(map(stream.feed, chunks))
        try:
            events = stream.close()
        except OutputParserException as error:
            stories.add((str(error), str(stream.last_events)))
        else:
            assert merge_events(events) == [*parser.read(text).events]
            assert stream.result == parser.parse(text)
            stories.add((stream.dialect, str(events)))
    assert len(stories) == 1


def test_a_message_may_stream_in() -> None:
    chunk = {"name": "clock", "args": '{"city":', "id": "1", "index": 0}
    more = {"name": None, "args": ' "Bern"}', "id": None, "index": 0}
    chunks: list[Any] = [AIMessageChunk("", tool_call_chunks=[each]) for each in (chunk, more)]
    stream = get_parser("auto").stream_parser()
    assert [stream.feed(each) for each in chunks] == [[], []]
    stream.close()
    assert stream.dialect == "tools"
    assert isinstance(stream.result, list)
    assert stream.result[0].tool_input == {"city": "Bern"}
    with pytest.raises(RuntimeError):
        stream.feed("more")
    with pytest.raises(RuntimeError):
        stream.close()


def test_events_and_transform_and_async() -> None:
    parser = get_parser("auto")
    wanted = parser.parse(REACT)
    assert [*parser.transform(iter(REACT))] == [wanted]
    assert [*parser.events(REACT)] == [*parser.read(REACT).events]

    async def chunks() -> AsyncIterator[str]:
        for char in REACT:
            yield char

    async def events() -> list[Any]:
        return [event async for event in parser.aevents(chunks())]

    assert asyncio.run(events()) == [*parser.read(REACT).events]
    assert asyncio.run(parser.ainvoke(HERMES)) == parser.parse(HERMES)
    assert pickle.loads(pickle.dumps(parser)).parse(REACT) == wanted


def test_how_a_text_ended_counts() -> None:
    cut = HERMES.removesuffix("}\n</tool_call>")
    assert get_parser("auto").parse(cut, ended="stop") == get_parser("hermes").parse(
        cut, ended="stop"
    )
    with pytest.raises(OutputParserException):
        get_parser("auto").invoke(AIMessage(cut, response_metadata={"finish_reason": "length"}))


def test_a_refusal_is_no_answer() -> None:
    refused = AIMessage("", additional_kwargs={"refusal": "No."})
    with pytest.raises(ModelRefusalError):
        get_parser("auto").invoke(refused)
    stream = get_parser("auto").stream_parser()
    stream.feed(refused)
    with pytest.raises(ModelRefusalError):
        stream.close()


def test_a_text_that_is_too_long_is_refused_before_it_is_read() -> None:
    parser = get_parser("auto", max_chars=20)
    with pytest.raises(OutputParserException, match="20"):
        parser.parse(HERMES)
    stream = parser.stream_parser()
    for _ in range(3):
        stream.feed(HERMES)
    with pytest.raises(OutputParserException, match="20"):
        stream.close()


@pytest.mark.parametrize(
    "what",
    ["get_format_instructions", "render", "format_scratchpad", "render_prompt", "grammar"],
)
def test_what_a_model_is_told_takes_the_name_of_a_dialect(what: str) -> None:
    parser = get_parser("auto")
    with pytest.raises(ValueError, match=r'"auto" has no .*: name a dialect, as in get_parser'):
        getattr(parser, what)()
    with pytest.raises(ValueError, match='"auto" has no stop sequences'):
        _ = parser.stop
    with pytest.raises(ValueError, match='"auto" has no grammar'):
        parser.structured_outputs("vllm")


def test_auto_is_no_dialect() -> None:
    with pytest.raises(ValueError, match="is not a dialect, since it finds one for each turn"):
        get_dialect("auto")
    with pytest.raises(ValueError, match="takes no start, prompt or on_conflict"):
        get_parser("auto", start="thought")
    with pytest.raises(ValueError, match="certain only at its end"):
        get_parser("auto").stream_parser(calls="each")
    with pytest.raises(ValueError, match="name of a parser"):
        register(replace(get_dialect("react"), name="auto", aliases=()))


@pytest.mark.parametrize(("text", "name"), [(HERMES, "hermes"), (REACT, "react")])
def test_a_turn_is_explained_in_the_dialect_that_is_found(text: str, name: str) -> None:
    assert get_parser("auto").explain(text) == get_parser(name).explain(text)


def test_what_may_be_in_two_dialects_is_explained_with_the_error() -> None:
    parser = get_parser("auto")
    with pytest.raises(OutputParserException) as raised:
        parser.parse(OPEN)
    explained = parser.explain(OPEN)
    assert (explained.dialect, explained.result) == ("react", None)
    assert str(explained.error) == str(raised.value)
    assert "".join(span.text for span in explained.spans) == OPEN


def test_plain_text_is_explained_as_the_answer() -> None:
    (span,) = get_parser("auto").explain("It is noon.").spans
    assert (span.part, span.text) == ("answer", "It is noon.")


def test_chunks_are_not_explained() -> None:
    with pytest.raises(ValueError, match='"auto" has no way to explain chunks'):
        get_parser("auto").explain_chunks(["x"])
