"""What a model may reply beside a text: how that ended, and chunks; and what is no reply."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from enum import Enum
from typing import Any

import pytest
from langchain_core.messages import AIMessage as TheirMessage

from agent_parsers import AgentAction, arun_agent, get_parser, list_dialects, run_agent
from agent_parsers.loop import CutAnswerError
from agent_parsers.loop.asking import Asking
from agent_parsers.loop.replies import atake_turn, end_of, take_turn
from output_parsers import ModelRefusalError, OutputParserException
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Generation, HumanMessage

ANSWER = "Final Answer: to the harbour"
CALL = "Action: mark\nAction Input: the buo"
MARKED: list[str] = []


def mark(name: str) -> str:
    """Marks a place."""
    MARKED.append(name)
    return "done"


def answered(reply: Any, parser: str = "react", **options: Any) -> Any:
    """Return the answer of a model that replies so, by each of the loops."""
    MARKED.clear()
    found = [run_agent(lambda _prompt: reply, "Where?", parser, [mark], **options).output]

    async def model(_prompt: Any) -> Any:
        return reply

    found.append(asyncio.run(arun_agent(model, "Where?", parser, [mark], **options)).output)
    for turn in (False, True):
        asking = Asking(parser, "Where?", tools=[mark])
        if turn:
            asyncio.run(_all_of(atake_turn(model, asking)))
        else:
            list(take_turn(lambda _prompt: reply, asking))
        assert asking.finish is not None
        found.append(asking.finish.output)
    assert len(set(found)) == 1, found
    return found[0]


async def _all_of(parts: Any) -> None:
    async for _ in parts:
        pass


class Reason(Enum):
    """Why a client says that a reply ended."""

    STOP = 1


@pytest.mark.parametrize("word", [
    "stop", "unknown", "end_turn", "STOP", "eos", "stop_sequence", "complete",
    "FinishReason.STOP", Reason.STOP, None, "",
])  # fmt: skip
def test_a_pair_may_have_the_word_of_any_provider(word: Any) -> None:
    assert answered((ANSWER, word)) == "to the harbour"
    assert answered(([ANSWER[:9], ANSWER[9:]], word)) == "to the harbour"


@pytest.mark.parametrize("word", ["tool_calls", "TOOL_USE", "function_call", "tool-calls"])
def test_a_word_for_a_call_needs_one(word: str) -> None:
    replies = iter([
        (ANSWER, word), ([ANSWER], word), (iter([ANSWER]), word), (CALL, word), (ANSWER, "stop"),
    ])  # fmt: skip
    MARKED.clear()
    run = run_agent(lambda _prompt: next(replies), "Where?", "react", [mark], max_retries=5)
    *lost, (action, _) = run.steps
    assert [error.problem for error in lost] == ["lost_call"] * 3  # type: ignore[union-attr]
    assert action.tool == "mark"
    assert len(MARKED) == 1


@pytest.mark.parametrize("kind", [str, list, iter, "async"])
@pytest.mark.parametrize("word", ["refusal", "tool_calls"])
def test_so_it_is_for_every_kind_of_reply(word: str, kind: Any) -> None:
    async def each() -> AsyncIterator[str]:
        yield ANSWER

    async def model(_prompt: str) -> Any:
        return each() if kind == "async" else kind([ANSWER]) if kind is not str else ANSWER, word

    with pytest.raises((ModelRefusalError, OutputParserException)) as raised:
        asyncio.run(arun_agent(model, "Where?", "react", [mark], max_retries=0, on_cut="return"))
    assert isinstance(raised.value, ModelRefusalError) is (word == "refusal")
    assert getattr(raised.value, "problem", "lost_call") in ("lost_call", "refusal", "")


@pytest.mark.parametrize("word", [
    "length", "LENGTH", "max_tokens", "MAX_TOKENS", "max_output_tokens", "model_length",
    "incomplete", "content_filter", "SAFETY",
])  # fmt: skip
def test_a_word_for_a_cut_makes_no_call_and_no_answer(word: str) -> None:
    MARKED.clear()
    with pytest.raises(CutAnswerError):
        run_agent(lambda _prompt: (ANSWER, word), "Where?", "react", [mark])
    replies = iter([(CALL, word), (ANSWER, "stop")])
    run_agent(lambda _prompt: next(replies), "Where?", "react", [mark])
    assert MARKED == []


WHOLES: list[Any] = [
    {"role": "assistant", "content": CALL},
    {"choices": [{"message": {"content": CALL}, "finish_reason": "stop"}]},
    AIMessage(CALL),
    AIMessage(CALL, response_metadata={"finish_reason": "stop", "stop_reason": "x"}),
    TheirMessage(CALL),
    Generation(text=CALL),
    Generation(text=CALL, generation_info={"finish_reason": "stop"}),
    ChatGeneration(message=AIMessage(CALL)),
]


@pytest.mark.parametrize("whole", WHOLES, ids=range(len(WHOLES)))
@pytest.mark.parametrize("word", ["length", "MAX_TOKENS", "SAFETY"])
def test_a_message_that_was_cut_by_its_pair_makes_no_call(whole: Any, word: str) -> None:
    MARKED.clear()
    replies = iter([(whole, word), (ANSWER, "stop")])
    run = run_agent(lambda _prompt: next(replies), "Where?", "react", [mark])
    assert MARKED == []
    assert run.output == "to the harbour"


@pytest.mark.parametrize("reply", [("", "content_filter"), ("I won't.", "refusal")])
def test_a_filter_and_a_refusal_are_as_for_messages(reply: Any) -> None:
    with pytest.raises(ModelRefusalError):
        answered(reply)


@pytest.mark.parametrize("word", ["finished", " now", "stop it", "max tokens", "."])
def test_a_pair_with_another_text_is_an_error(word: str) -> None:
    for reply in ((ANSWER, word), (AIMessage(ANSWER), word)):
        with pytest.raises(TypeError, match="as the second item; to return several chunks"):
            answered(reply)


@pytest.mark.parametrize("word", ["stop", "end_turn", "MAX_TOKENS"])
def test_chunks_that_may_say_how_a_text_ended_are_an_error(word: str) -> None:
    for reply in ([ANSWER, word], [AIMessage(ANSWER), word], (ANSWER, word, "gpt-5")):
        with pytest.raises(TypeError, match=r"return a tuple \(text, ended\)"):
            answered(reply)


def test_a_pair_that_does_not_say_it_leaves_what_is_known() -> None:
    reply: Any
    for reply, ended in (
        ((CALL, None), "length"), ((CALL, ""), "length"), ((CALL, "stop"), "stop"),
    ):  # fmt: skip
        asking = Asking("react", "?", tools=[mark])
        said, end = end_of(reply, "length")
        asking.request()
        asking.feed(said)
        asking.close(end)
        assert asking.ended == ended


def test_chunks_are_still_chunks() -> None:
    assert answered(["Final Answer: full ", "stop"[:2], "op"]) == "full stop"
    assert answered([ANSWER, "!"]) == "to the harbour!"
    assert answered(("Final ", "Answer: ", "harbour")) == "harbour"
    assert answered(["Final ", "Answer: ", "stop"]) == "stop"
    assert answered([AIMessageChunk(ANSWER), AIMessageChunk("!")]) == "to the harbour!"


def test_the_end_of_all_replies_is_no_word_of_a_provider() -> None:
    with pytest.raises(ValueError, match=r"outputs\.ended_of converts a provider's finish reason"):
        answered(ANSWER, ended="max_tokens")


# -- a list of messages ----------------------------------------------------------------------------

ASKED: list[Any] = [
    {"role": "user", "content": "Where?"},
    HumanMessage("Where?"),
    {"role": "system", "content": "Where?"},
    {"role": "tool", "tool_call_id": "1", "content": "Where?"},
]


@pytest.mark.parametrize("asked", ASKED, ids=["user", "ours", "system", "tool"])
@pytest.mark.parametrize("parser", ["react", "hermes"])
def test_a_conversation_is_no_reply(asked: Any, parser: str) -> None:
    with pytest.raises(
        TypeError, match=r"expected only messages that the model wrote.*messages\[-1\]"
    ):
        answered([asked, {"role": "assistant", "content": ANSWER}], parser)


@pytest.mark.parametrize("name", [n for n in list_dialects() if n != "smolagents_code"])
def test_a_call_that_the_user_quotes_is_not_made(name: str) -> None:
    MARKED.clear()
    try:
        parser: Any = get_parser(name, tools=[mark])
        said = parser.render(AgentAction("mark", {"name": "pier"}, ""))
    except ValueError:
        pytest.skip("the tool has another name there")
    chat = [{"role": "user", "content": f"Do not:\n{said}"}, {"role": "assistant", "content": "No"}]
    for reply in (chat, iter(chat)):
        with pytest.raises(TypeError, match=r"(that|from) the model"):
            run_agent(lambda _prompt, reply=reply: reply, "?", name, [mark], max_turns=1)
    assert MARKED == []


def test_nor_of_a_model_with_native_calls() -> None:
    chat = [{"role": "user", "content": "Where?"}, {"role": "assistant", "content": "There."}]
    with pytest.raises(TypeError, match="expected only messages that the model wrote"):
        run_agent(lambda _prompt, tools: chat, "?", "tools", [mark])
