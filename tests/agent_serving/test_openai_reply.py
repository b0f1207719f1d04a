"""Turns of text as replies of OpenAI's API: nothing is lost, and nothing is taken back."""

import json
from typing import Any

import pytest

from agent_laws.trials.sample_calls import sample_turns
from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, list_dialects
from agent_serving.openai_reply import OpenAIReply
from output_parsers import ModelRefusalError
from outputs import AIMessageChunk, ProviderError

CALL = '<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>'
BAD = '<tool_call>\n{"name": "depth", "arguments": {}}\n</tool_call>'
AREA = {"name": "area", "arguments": '{"lake": "Thun"}'}


def hermes(**options: Any) -> OpenAIReply:
    return OpenAIReply(get_parser("hermes", prompt="assistant\n", **options), model="m")


def chunk(delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
    choice = {"index": 0, "delta": delta, "finish_reason": finish_reason}
    return {"object": "chat.completion.chunk", "choices": [choice]}


def deltas(chunks: list[dict[str, Any]]) -> list[dict[str, Any]]:
    return [each["choices"][0]["delta"] for each in chunks]


def joined(chunks: list[dict[str, Any]]) -> dict[str, Any]:
    """Return the message that a client makes of a stream."""
    message: dict[str, Any] = {"content": "", "reasoning_content": "", "tool_calls": []}
    roles = []
    for delta in deltas(chunks):
        for name, value in delta.items():
            if name == "role":
                roles.append(value)
                continue
            said = value
            if name == "tool_calls":
                said = [dict(call) for call in value]
                assert said[0].pop("index") == len(message["tool_calls"])
            message[name] += said
    assert roles == ["assistant"]
    reasons = [each["choices"][0]["finish_reason"] for each in chunks]
    assert reasons[:-1] == [None] * (len(chunks) - 1)
    return {"finish_reason": reasons[-1], **message}


def streamed(reply: OpenAIReply, text: str, size: int) -> list[dict[str, Any]]:
    pieces = [text[at : at + size] for at in range(0, len(text), size)]
    return [each for piece in pieces for each in reply.feed(piece)] + reply.close()


@pytest.mark.one_in(9)
@pytest.mark.parametrize("name", list_dialects())
def test_a_client_gets_the_turn_of_every_dialect(name: str) -> None:
    for prompt in ("", "assistant\n"):
        parser: Any = get_parser(name, prompt=prompt)
        for sample in sample_turns(get_dialect(name)):
            turn = parser.read(sample.text)
            actions = turn.result if isinstance(turn.result, list) else [turn.result]
            for size in (1, 9, 10_000):
                reply = OpenAIReply(parser)
                said = joined(streamed(reply, sample.text, size))
                assert said["finish_reason"] == reply.finish_reason == "tool_calls"
                assert said["content"] == reply.content == turn.content
                assert said["reasoning_content"] == reply.reasoning_content == turn.thought
                assert said["tool_calls"] == reply.tool_calls
                for call, action in zip(reply.tool_calls, actions, strict=True):
                    assert isinstance(action, AgentAction)
                    given: Any = action.tool_input
                    given = given if isinstance(given, dict) else {"__arg1": given}
                    assert call["function"]["name"] == action.tool
                    assert json.loads(call["function"]["arguments"]) == given
                    assert call["id"] == (getattr(action, "tool_call_id", None) or call["id"])


def test_the_whole_reply() -> None:
    reply = hermes()
    chunks = streamed(reply, f"<think>Hm.</think>I look.{CALL}So.", 7)
    whole = reply.completion
    (call,) = reply.tool_calls
    assert whole == {
        "id": whole["id"],
        "created": whole["created"],
        "object": "chat.completion",
        "model": "m",
        "choices": [{
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "role": "assistant",
                "content": "I look.\nSo.",
                "reasoning_content": "Hm.",
                "tool_calls": [{"id": call["id"], "type": "function", "function": AREA}],
            },
        }],
        "usage": None,
    }  # fmt: skip
    about = {name: whole[name] for name in ("id", "created", "model")}
    for each in chunks:
        assert {name: each[name] for name in about} == about
        assert each["object"] == "chat.completion.chunk"


def test_an_answer_has_no_calls() -> None:
    reply = hermes()
    assert deltas([*reply.feed("Yes."), *reply.close()]) == [
        {"role": "assistant", "content": "Yes."},
        {},
    ]
    assert reply.message == {"role": "assistant", "content": "Yes."}
    assert reply.finish_reason == "stop"


def test_a_call_is_returned_when_its_block_closes() -> None:
    reply = hermes()
    assert reply.feed(CALL[:-1]) == []
    assert [list(delta) for delta in deltas(reply.feed(">"))] == [["role", "tool_calls"]]
    late = OpenAIReply(get_parser("hermes"))  # it may be part of a thought
    assert late.feed(CALL) == []
    assert joined(late.close())["tool_calls"] == late.tool_calls


@pytest.mark.parametrize(
    "text",
    [
        f"Write `{CALL}` so.",
        f"Write `{CALL}` so. {CALL} Done.",
        f"{CALL} `{CALL}` is the second.",
        f"<think>I could write `{CALL}` so.</think>Yes.",
    ],
)
def test_a_call_that_is_quoted_is_text(text: str) -> None:
    parser = get_parser("hermes", prompt="assistant\n")
    turn = parser.read(text)
    for size in (1, 9, 1_000):
        reply = OpenAIReply(parser)
        said = joined(streamed(reply, text, size))
        assert (said["content"], said["reasoning_content"]) == (turn.content, turn.thought)
        assert CALL in turn.content + turn.thought


def test_messages_of_a_server_are_read_with_their_reasoning_and_end() -> None:
    reply = hermes()
    chunks = [
        *reply.feed(chunk({"reasoning_content": "Ea", "content": ""})),
        *reply.feed(chunk({"reasoning_content": "sy.", "content": "It has"})),
        *reply.feed(AIMessageChunk(" 4")),
        *reply.feed({"choices": [{"index": 0, "text": "8", "finish_reason": "length"}]}),
        *reply.close(),
    ]
    said = joined(chunks)
    assert (said["reasoning_content"], said["content"]) == ("Easy.", "It has 48")
    assert said["finish_reason"] == "length"
    assert reply.message["reasoning_content"] == "Easy."


def test_a_thought_may_be_in_both_places() -> None:
    reply = hermes()
    chunks = reply.feed(chunk({"reasoning_content": "Easy."}))
    said = joined([*chunks, *reply.feed("<think>Hm.</think>Yes."), *reply.close()])
    assert (said["reasoning_content"], said["content"]) == ("Easy.\nHm.", "Yes.")


def test_a_turn_is_over_before_its_server_is() -> None:
    reply = OpenAIReply(get_parser("react"))
    reply.feed("Action: area\nAction Input: Thun")
    assert not reply.is_over
    reply.feed("\nObservation: 7 km²")
    assert reply.is_over
    reply.close()
    assert json.loads(reply.tool_calls[0]["function"]["arguments"]) == {"__arg1": "Thun"}


def test_usage_is_in_the_reply_if_it_is_set() -> None:
    reply = hermes()
    reply.feed("Yes.")
    reply.usage = {"total_tokens": 7}
    *_, last, usage = reply.close(include_usage=True)
    assert last["choices"][0]["finish_reason"] == "stop"
    assert usage == {**last, "choices": [], "usage": {"total_tokens": 7}}
    assert reply.completion["usage"] == {"total_tokens": 7}


def test_content_that_turns_out_not_to_be_the_answer_is_an_error() -> None:
    reply = OpenAIReply(get_parser("chat"))
    assert reply.feed("Final Answer: 41")
    reply.feed("\nFinal Answer: 42")
    with pytest.raises(OutputParserException, match="already returned"):
        reply.close()


def test_an_answer_that_is_data_is_json() -> None:
    reply = OpenAIReply(get_parser("json"))
    reply.feed('{"action": "Final Answer", "action_input": {"km²": 48}}')
    reply.close()
    assert json.loads(reply.content) == {"km²": 48}


def test_the_model_tries_again() -> None:
    reply = hermes(tools=["area"])
    first = reply.feed(chunk({"reasoning_content": "Hm. "}))
    reply.feed(BAD)
    with pytest.raises(OutputParserException) as caught:
        reply.close()
    action, observation = reply.retry(caught.value)
    assert (action.log, observation) == (BAD, caught.value.observation)
    said = joined([*first, *reply.feed(CALL), *reply.close()])
    assert said["reasoning_content"] == reply.reasoning_content == "Hm. "
    assert [call["function"] for call in said["tool_calls"]] == [AREA]


@pytest.mark.parametrize("before", ["I look. ", CALL])
def test_it_does_not_try_again_after_something_was_returned(before: str) -> None:
    reply = hermes(tools=["area"])
    reply.feed(before + BAD)
    with pytest.raises(OutputParserException) as caught:
        reply.close()
    with pytest.raises(OutputParserException) as again:
        reply.retry(caught.value)
    assert again.value is caught.value


def test_a_refusal_is_not_asked_again() -> None:
    reply = hermes()
    reply.feed(chunk({"refusal": "No."}, "stop"))
    with pytest.raises(ModelRefusalError) as caught:
        reply.close()
    with pytest.raises(ModelRefusalError):
        reply.retry(caught.value)


def test_a_provider_that_failed_is_reported() -> None:
    with pytest.raises(ProviderError):
        hermes().feed({"error": {"message": "out of memory"}})
