"""Reasoning that a server has separated from the text that a dialect is read in."""

from itertools import pairwise
from typing import Any

import langchain_core.messages as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AgentFinish,
    OutputParserException,
    ThoughtDelta,
    Turn,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
)
from agent_parsers.engine.reading.turn import thought_of
from agent_parsers.events import MarkerSeen
from outputs import AIMessage, AIMessageChunk, ChatGeneration

from ...helpers.messages import delta, last_chunk

CALL = '<tool_call>\n{"name": "search", "arguments": {"q": "fog"}}\n</tool_call>'
REASONED = "I need it."
BESIDE = (ThoughtDelta(REASONED, (0, 0)), MarkerSeen("end of reasoning", (0, 0)))

MESSAGES: list[Any] = [
    {"role": "assistant", "reasoning_content": REASONED, "content": CALL},
    {"role": "assistant", "reasoning": REASONED, "content": CALL},
    {"choices": [{"index": 0, "message": {
        "role": "assistant", "reasoning_content": REASONED, "content": CALL}}]},
    {"role": "assistant", "content": [
        {"type": "thinking", "thinking": REASONED, "signature": "c2ln"},
        {"type": "text", "text": CALL}]},
    {"type": "message", "role": "assistant", "model": "m", "id": "msg_1", "content": [
        {"type": "thinking", "thinking": REASONED, "signature": "c2ln"},
        {"type": "text", "text": CALL}]},
    {"object": "response", "id": "resp_1", "status": "completed", "output": [
        {"type": "reasoning", "id": "rs_1", "summary": [
            {"type": "summary_text", "text": REASONED}]},
        {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": [
            {"type": "output_text", "text": CALL, "annotations": []}]}]},
    {"message": {"role": "assistant", "content": CALL, "thinking": REASONED}, "done": True},
    AIMessage(CALL, additional_kwargs={"reasoning_content": REASONED}),
    ChatGeneration(message=AIMessage(CALL, additional_kwargs={"reasoning_content": REASONED})),
    lc.AIMessage(content=CALL, additional_kwargs={"reasoning_content": REASONED}),
    lc.AIMessage(content=[{"type": "reasoning", "reasoning": REASONED},
                          {"type": "text", "text": CALL}]),
]  # fmt: skip
"""One turn, as every client has it."""
every_message = pytest.mark.parametrize("message", MESSAGES, ids=range(len(MESSAGES)))


def streamed(parser: Any, chunks: list[Any]) -> tuple[Any, list[Any]]:
    stream = parser.stream_parser()
    events = [event for chunk in chunks for event in stream.feed(chunk)]
    return stream, merge_events([*events, *stream.close()])


@every_message
@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_reasoning_beside_the_text_is_thought(message: Any, name: str) -> None:
    parser = get_parser(name)
    turn, alone = parser.read(message), parser.read(CALL)
    assert isinstance(turn, Turn)
    assert (turn.thought, turn.content, turn.repairs) == (REASONED, "", ())
    assert repr(turn.result) == repr(alone.result)
    assert turn.events == (*BESIDE, *alone.events)
    stream, events = streamed(parser, [message])
    assert events == list(turn.events)
    if name == "hermes":
        assert (stream.thought, stream.content) == (REASONED, "")
    assert REASONED in turn.to_html()
    assert str(turn).startswith(REASONED)
    assert Turn.from_json(turn.to_json()) == turn


@given(st.data())
def test_chunks_tell_the_same_as_the_message(data: st.DataObject) -> None:
    parser = get_parser("hermes")
    text = f"<think>\nSo I look.\n</think>\n{CALL}"
    whole = {"role": "assistant", "reasoning_content": REASONED, "content": text}
    chunks = []
    for name, value in (("reasoning_content", REASONED), ("content", text)):
        ends = sorted({0, len(value), *data.draw(st.lists(st.integers(0, len(value)), max_size=5))})
        chunks += [delta(**{name: value[start:end]}) for start, end in pairwise(ends)]
    chunks += last_chunk({"finish_reason": "stop"})
    turn = parser.read(whole)
    stream, events = streamed(parser, chunks)
    assert turn.thought == stream.thought == f"{REASONED}\nSo I look."
    assert events == list(turn.events)
    assert stream.content == turn.content == ""


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect_has_the_reasoning_before_its_own_thought(name: str) -> None:
    parser, sample = get_parser(name), get_dialect(name).sample
    try:
        alone = parser.read(sample)
    except OutputParserException:  # a run
        sample = get_parser(name).render(AgentFinish({"output": "Done."}, ""))
        alone = parser.read(sample)
    turn = parser.read({"role": "assistant", "reasoning_content": REASONED, "content": sample})
    assert turn.thought == "\n".join(filter(None, (REASONED, alone.thought)))
    assert (turn.content, repr(turn.result)) == (alone.content, repr(alone.result))
    assert thought_of(turn.events) == "\n".join(filter(None, (REASONED, thought_of(alone.events))))


@pytest.mark.parametrize("message", [
    {"role": "assistant", "reasoning_content": REASONED, "content": ""},
    AIMessageChunk("", additional_kwargs={"reasoning_content": REASONED}),
])  # fmt: skip
def test_reasoning_without_a_text_is_no_turn(message: Any) -> None:
    stream = get_parser("hermes").stream_parser()
    assert stream.feed(message) == [ThoughtDelta(REASONED, (0, 0))]
    with pytest.raises(OutputParserException):
        stream.close()
    with pytest.raises(RuntimeError):
        stream.feed(message)


def test_text_beside_messages_of_tools_is_not_told_twice() -> None:
    call = {"id": "1", "type": "function", "function": {"name": "a", "arguments": "{}"}}
    message = {
        "role": "assistant",
        "reasoning_content": "A.",
        "content": "B.",
        "tool_calls": [call],
    }
    turn = get_parser("auto").read(message)
    assert (turn.thought, turn.content, turn.dialect) == ("A.", "B.", "tools")
    stream, events = streamed(get_parser("auto"), [message])
    assert events == list(turn.events)
    assert stream.dialect == "tools"
