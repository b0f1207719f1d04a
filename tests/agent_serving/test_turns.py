"""What the plugins share: turns as servers report them."""

import json
import logging
from dataclasses import replace
from itertools import cycle
from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.sample_calls import sample_turns
from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, list_dialects
from agent_parsers.forms.form import Written, WrittenCall
from agent_parsers.toolset import ToolSet
from agent_serving.requests import served_names, tools_of
from agent_serving.turns import (
    ServedCall,
    ServedPart,
    ServedTurn,
    read_turn,
)

from ..helpers.fake_servers import tool

CALL = '<tool_call>{"name": "ping", "arguments": {"n": 1}}</tool_call>'
PING = ServedCall("ping", '{"n": 1}', None)


def streamed(
    dialect: str, text: str, size: int = 1, *, behind_thought: bool
) -> tuple[ServedPart, bool]:
    """Read *text* in chunks of *size* characters."""
    turn = ServedTurn(dialect, behind_thought=behind_thought)
    parts = [turn.feed(text[at : at + size]) for at in range(0, len(text), size)]
    parts.append(turn.close())
    content = "".join(part.content for part in parts)
    return ServedPart(content, [call for part in parts for call in part.calls]), turn.is_broken


def json_in(text: str) -> object:
    try:
        return json.loads(text)
    except ValueError:
        return None


@pytest.mark.one_in(27)
@pytest.mark.parametrize("dialect", list_dialects())
@pytest.mark.parametrize("behind_thought", [False, True])
def test_what_is_streamed_is_what_is_read_as_a_whole(dialect: str, behind_thought: bool) -> None:
    for turn in sample_turns(get_dialect(dialect)):
        whole = read_turn(dialect, turn.text, behind_thought=behind_thought)
        assert len(whole.calls) == len(turn.calls)
        for size in (1, 9):
            part, is_broken = streamed(dialect, turn.text, size, behind_thought=behind_thought)
            assert not is_broken
            assert part.calls == whole.calls
            assert part.content.split() == whole.content.split()


TOOLS = ToolSet(
    [
        {
            "name": "save",
            "parameters": {
                "type": "object",
                "properties": {
                    "path": {"type": "string"},
                    "count": {"type": "integer"},
                    "force": {"type": "boolean"},
                    "body": {"type": "string"},
                    "tags": {"type": "array"},
                },
            },
        }
    ],
    unknown_keys="keep",
    missing_keys="keep",
)
HARD = [
    "a",
    " ",
    "\n",
    '"',
    "'",
    "\\",
    "é",
    "😀",
    "<",
    "</",
    "{",
    "}]",
    "[",
    ",",
    ":",
    "&amp;",
    "\t",
    ".",
]
TEXT = st.lists(st.sampled_from(HARD), max_size=12).map("".join)
INPUTS = st.fixed_dictionaries(
    {},
    optional={
        "path": TEXT,
        "count": st.integers(-9, 10**7),
        "force": st.booleans(),
        "tags": st.just(["x"]),
        "body": TEXT,
    },
)
STEPS = st.builds(
    Written,
    thought=st.sampled_from(["", 'Hm "x".']),
    tool=st.just("save"),
    tool_input=INPUTS,
    content=st.sampled_from(["", "I look.", "I'll save `it` now:"]),
    others=st.lists(st.builds(WrittenCall, st.just("save"), INPUTS), max_size=2).map(tuple),
)


@pytest.mark.one_in(9)
@pytest.mark.parametrize("dialect", list_dialects())
@pytest.mark.parametrize("splits", [False, True])
@given(step=STEPS, sizes=st.lists(st.integers(1, 12), min_size=1, max_size=9), marks=st.randoms())
def test_the_sum_of_all_deltas_is_what_is_read_as_a_whole(
    dialect: str, splits: bool, step: Written, sizes: list[int], marks: Random
) -> None:
    """However a text is cut, and whatever was changed in it: if it can be read, it is the same."""
    try:
        text = get_dialect(dialect).write(step)
    except ValueError:
        return  # the dialect cannot write it
    if marks.random() < 0.5:
        at, size = marks.randrange(len(text) + 1), marks.randrange(9)
        text = text[:at] + marks.choice(HARD) + text[at + size :]
    turn = ServedTurn(dialect, TOOLS, prompt="assistant\n", splits=splits, grows=True)
    whole = read_turn(dialect, text, TOOLS, prompt="assistant\n", splits=splits)
    summed, at = ServedPart(), 0
    for size in cycle(sizes):
        summed.add(turn.feed(text[at : at + size]))
        if (at := at + size) >= len(text):
            break
    summed.add(turn.close())
    if turn.is_broken:  # no call of it is whole but those that were complete before
        assert whole.calls == []
        assert sum(json_in(call.arguments) is not None for call in summed.calls) <= turn.count
    elif turn.other_content is None:
        assert summed == whole


def test_arguments_grow_in_the_dialects_that_write_them_so() -> None:
    step = Written(tool="save", tool_input={"path": "/a/b", "count": 3, "body": "two words"})
    grow = set()
    for dialect in list_dialects():
        turn = ServedTurn(dialect, TOOLS, prompt="assistant\n", grows=True)
        try:
            parts = [turn.feed(char) for char in get_dialect(dialect).write(step)]
        except ValueError:
            continue
        if sum(len(part.calls) for part in parts) > 5:
            grow.add(dialect)
    assert {"hermes", "kimi_k2", "deepseek_v31", "qwen3_coder", "glm45", "minimax_m2"} < grow
    assert not grow & {"react", "pythonic", "mistral_v3", "gemma4", "harmony", "kimi_k3"}
    assert len(grow) >= 45


GROWN = {
    # the arguments of a call, and what is certain of them before the call ends
    '{"path": "a\\u00e9\\nb", "count": 4': '{"path": "aé\\nb", "count": ',
    '{"path": "a", "count": 4, "body": "c': '{"path": "a", "count": 4, "body": "c',
    '{"path": "a \\': '{"path": "a ',
    '{"path": "a \\ud83d': '{"path": "a ',
    '{"path": "a" b"': '{"path": "a',
    '{"path": 1, "body": "c"': "",
    '{"count": "1"': '{"count": ',
    '{"count": 1.5, "body': '{"count": ',
    '{"force": true, "unknown": "': '{"force": true',
    '{"path": "a", "path": "b': '{"path": "a"',
    "{'path': 'a'": "",
    '["path"': "",
    '{"tags": ["x"], "path": "a': "",
}


@pytest.mark.parametrize(("written", "certain"), GROWN.items())
def test_what_is_certain_of_arguments(written: str, certain: str) -> None:
    for size in (1, 99):
        turn = ServedTurn("hermes", TOOLS, behind_thought=True, grows=True)
        text = f'<tool_call>\n{{"name": "save", "arguments": {written}'
        part = ServedPart()
        for at in range(0, len(text), size):
            part.add(turn.feed(text[at : at + size]))
        assert "".join(call.arguments for call in part.calls) == certain


@pytest.mark.parametrize("before", ["Write `", "<tool_response>\n", "```\n", "Do not write: "])
def test_arguments_wait_if_the_call_may_be_quoted(before: str) -> None:
    turn = ServedTurn("hermes", TOOLS, behind_thought=True, grows=True)
    part = turn.feed(f'{before}<tool_call>\n{{"name": "save", "arguments": {{"path": "a')
    assert part.calls == []


@pytest.mark.one_in(27)
@pytest.mark.parametrize("dialect", list_dialects())
def test_nothing_of_a_half_turn_is_lost_and_it_makes_no_other_calls(dialect: str) -> None:
    turn = sample_turns(get_dialect(dialect))[-1]
    for end in range(1, len(turn.text), 1 + len(turn.text) // 9):
        text = turn.text[:end]
        part, is_broken = streamed(dialect, text, 7, behind_thought=True)
        assert len(part.calls) <= len(turn.calls)
        if is_broken and not part.calls:
            assert "".join(part.content.split()) == "".join(text.split())
        assert not is_broken or read_turn(dialect, text, behind_thought=True) == ServedPart(text)


@pytest.mark.one_in(27)
@pytest.mark.parametrize("dialect", list_dialects())
def test_arguments_are_an_object_in_json(dialect: str) -> None:
    parser = get_parser(dialect)
    for turn in sample_turns(get_dialect(dialect)):
        result = parser.parse(turn.text)
        actions = result if isinstance(result, list) else [result]
        for call, action in zip(read_turn(dialect, turn.text).calls, actions, strict=True):
            assert isinstance(action, AgentAction)
            given = json.loads(call.arguments)
            if isinstance(action.tool_input, dict):
                assert given == action.tool_input
            else:
                assert given in ({"input": action.tool_input}, json_in(action.tool_input))


def test_a_call_is_reported_when_its_block_closes() -> None:
    turn = ServedTurn("hermes", behind_thought=True)
    assert turn.feed(f"I ask. {CALL[:-1]}") == ServedPart("I ask.")
    assert turn.feed(">") == ServedPart("", [PING])
    assert turn.feed(" And ") == ServedPart("\nAnd")
    assert turn.feed(f"again. {CALL}") == ServedPart(" again.", [replace(PING, index=1)])
    assert turn.close() == ServedPart()


def test_without_knowing_where_the_thought_ends_calls_wait_for_the_end() -> None:
    turn = ServedTurn("hermes")
    assert turn.feed(CALL) == ServedPart()
    assert turn.close() == ServedPart("", [PING])


def test_a_quoted_call_is_content() -> None:
    text = f"Write `{CALL}` so."
    assert read_turn("hermes", text, behind_thought=True) == ServedPart(text)
    assert streamed("hermes", text, behind_thought=True) == (ServedPart(text), False)


def test_a_broken_call_is_content_behind_those_that_were_reported(
    caplog: pytest.LogCaptureFixture,
) -> None:
    text = f'I ask. {CALL} Again: <tool_call>{{"name": "ping", "arguments": {{</tool_call> Done.'
    with caplog.at_level(logging.WARNING):
        part, is_broken = streamed("hermes", text, behind_thought=True)
    assert is_broken
    assert part.calls == [PING]
    assert part.content.startswith("I ask.\nAgain:")
    assert part.content.endswith('<tool_call>{"name": "ping", "arguments": {</tool_call> Done.')
    assert (
        "hermes: the text cannot be read as a call, so it is returned as content: " in caplog.text
    )
    assert read_turn("hermes", text) == ServedPart(text)


def test_types_are_those_of_the_tools_and_what_a_schema_refuses_is_content() -> None:
    tools = tools_of([tool("dim", level="number", room="string")])
    text = (
        "<tool_call>\n<function=dim>\n<parameter={}>\n{}\n</parameter>\n</function>\n</tool_call>"
    )
    for key, value, arguments in (("level", "3", '{"level": 3}'), ("room", "3", '{"room": "3"}')):
        part = read_turn("qwen3_coder", text.format(key, value), tools)
        assert part.calls == [ServedCall("dim", arguments, None)]
    wrong = text.format("level", "low")
    assert read_turn("qwen3_coder", wrong, tools) == ServedPart(wrong)
    unknown = wrong.replace("dim", "burn")
    assert read_turn("qwen3_coder", unknown, tools) == ServedPart(unknown)
    assert read_turn("qwen3_coder", unknown).calls


def test_tools_that_cannot_be_read_are_left_out(caplog: pytest.LogCaptureFixture) -> None:
    assert tools_of([]) is tools_of(None) is None
    assert tools_of([tool("a"), tool("a")]) is None
    assert (
        "arguments are not converted, since the schemas of the tools cannot be read" in caplog.text
    )


def test_a_thought_is_content_with_its_marks() -> None:
    text = f"<think>\nHm.\n</think>\n\nI ask.{CALL}"
    assert read_turn("hermes", text) == ServedPart("<think>\nHm.\n</think>\n\nI ask.", [PING])


def test_react_has_the_thought_beside_a_call_and_not_before_an_answer() -> None:
    acts = 'Thought: Hm.\nAction: ping\nAction Input: {"n": 1}\nObservation: made up'
    assert read_turn("react", acts) == ServedPart("Hm.", [PING])
    for size in (1, 5, 99):
        ends = streamed("react", "Thought: Hm.\nFinal Answer: 42", size, behind_thought=True)
        assert ends == (ServedPart("42"), False)
    assert read_turn("react", "Final Answer: 41\nFinal Answer: 42") == ServedPart("42")


def test_ids_are_those_that_the_model_wrote() -> None:
    (turn, *_) = sample_turns(get_dialect("kimi_k2"))
    (call,) = read_turn("kimi_k2", turn.text).calls
    assert call.id is not None
    assert call.id.startswith("functions.")


def test_a_text_of_nothing_is_nothing(caplog: pytest.LogCaptureFixture) -> None:
    assert read_turn("hermes", "") == ServedPart("")
    assert not caplog.records


def test_text_behind_the_end_of_a_broken_turn_is_content() -> None:
    turn = ServedTurn("react", behind_thought=True)
    with pytest.raises(OutputParserException):
        get_parser("react").parse("no action")
    parts = turn.feed("no action"), turn.close(), turn.feed(" at all"), turn.close()
    assert [part.content for part in parts] == ["", "no action", " at all", ""]


def test_all_dialects_have_a_name() -> None:
    assert served_names()["ap_hermes"] == "hermes"
    assert sorted(served_names().values()) == list_dialects()
