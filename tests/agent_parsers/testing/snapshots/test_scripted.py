"""`ScriptedModel`: a model that says what a script says."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.runnables import RunnableLambda

from agent_parsers import AgentFinish, get_parser
from agent_parsers.testing import ModelCall, ScriptedModel, assert_same_events
from outputs import AIMessage, AIMessageChunk, HumanMessage, message_chunk_to_message, tool_call

TURN = "Thought: look\nAction: search\nAction Input: Bern\nObservation: 42"
CALL = tool_call(name="search", args={"query": "ä b", "page": 3}, id="call_1")
OPENAI = {
    "role": "assistant",
    "content": None,
    "tool_calls": [
        {"id": "1", "type": "function", "function": {"name": "search", "arguments": '{"q": 1 }'}}
    ],
}
ANTHROPIC = {
    "type": "message",
    "role": "assistant",
    "content": [
        {"type": "text", "text": "Let me see."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"q": "rain"}},
    ],
    "stop_reason": "tool_use",
}
MESSAGES = [AIMessage("Let me see.", tool_calls=[CALL, CALL | {"id": "call_2"}]), OPENAI, ANTHROPIC]
CUTS: list[Any] = [1, 7, [1, 2, 3], "tokens", "whole"]


def total(pieces: list[AIMessageChunk]) -> Any:
    return message_chunk_to_message(pieces[0] + pieces[1:])


def actions(message: AIMessage) -> list[tuple[str, Any, str]]:
    return [(a.tool, a.tool_input, a.tool_call_id) for a in get_parser("tools").invoke(message)]


async def collected(pieces: AsyncIterator[Any]) -> list[Any]:
    return [piece async for piece in pieces]


# -- what it gives ---------------------------------------------------------------------------------


def test_a_text_comes_back_as_text_and_a_message_as_a_message() -> None:
    model = ScriptedModel(["noon", {"role": "assistant", "content": "late"}, AIMessage("x")])
    assert model("a") == "noon"
    assert model.invoke("b") == AIMessage("late")
    assert asyncio.run(model.ainvoke("c")) == AIMessage("x")
    model.assert_done()


@pytest.mark.parametrize("message", MESSAGES[1:], ids=["openai", "anthropic"])
def test_a_message_may_have_the_form_of_a_provider(message: Any) -> None:
    (action,) = get_parser("tools").invoke(ScriptedModel([message])("a"))
    assert action.tool == "search"


def test_a_message_may_be_another_librarys_or_a_sum_of_chunks() -> None:
    model = ScriptedModel([LangChainMessage("noon"), AIMessageChunk("no") + AIMessageChunk("on")])
    assert [type(model("")), type(model(""))] == [AIMessage, AIMessage]


@pytest.mark.parametrize("error", [TimeoutError("no answer"), TimeoutError])
def test_an_exception_is_raised_by_its_call_and_the_script_goes_on(error: Any) -> None:
    model = ScriptedModel([error, error, error, error, "noon"])
    with pytest.raises(TimeoutError):
        model("")
    with pytest.raises(TimeoutError):
        asyncio.run(model.ainvoke(""))
    pieces = model.stream("")
    with pytest.raises(TimeoutError):
        next(pieces)
    with pytest.raises(TimeoutError):
        asyncio.run(collected(model.astream("")))
    assert model("") == "noon"


# -- streams ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("cut", "pieces"),
    [
        (1, list("Action: x")),
        (4, ["Acti", "on: ", "x"]),
        ([1, 3], ["A", "cti", "o", "n: ", "x"]),
        ("tokens", ["Action", ":", " x"]),
        ("whole", ["Action: x"]),
    ],
)
def test_a_text_is_cut_as_asked(cut: Any, pieces: list[str]) -> None:
    assert list(ScriptedModel(["Action: x"]).stream("", cut=cut)) == pieces
    assert list(ScriptedModel(["Action: x"], cut=cut).stream("")) == pieces
    assert asyncio.run(collected(ScriptedModel(["Action: x"], cut=cut).astream(""))) == pieces


@given(st.text(), st.sampled_from(CUTS))
def test_the_pieces_of_a_text_add_up(text: str, cut: Any) -> None:
    pieces = list(ScriptedModel([text]).stream("", cut=cut))
    assert "".join(pieces) == text
    assert pieces == [""] or all(pieces)


@pytest.mark.parametrize("cut", CUTS, ids=str)
@pytest.mark.parametrize("message", MESSAGES, ids=["ours", "openai", "anthropic"])
def test_the_pieces_of_a_message_add_up(message: Any, cut: Any) -> None:
    model = ScriptedModel([message] * 3)
    whole = model("")
    pieces = list(model.stream("", cut=cut))
    added = total(pieces)
    assert str(added.text) == str(whole.text)
    assert added.tool_calls == whole.tool_calls
    assert added.id == whole.id
    assert actions(added) == actions(whole)
    assert asyncio.run(collected(model.astream("", cut=cut))) == pieces


@pytest.mark.parametrize("cut", CUTS, ids=str)
def test_a_function_call_and_a_broken_call_come_in_pieces_too(cut: Any) -> None:
    function = {"function_call": {"name": "search", "arguments": '{"q": "rain"}'}}
    broken = {"name": "search", "args": '{"q": ', "id": "1", "error": None}
    messages: list[tuple[Any, AIMessage]] = [
        ("openai_functions", AIMessage("", additional_kwargs=function)),
        ("tools", AIMessage("", invalid_tool_calls=[broken])),
    ]
    for name, message in messages:
        parser = get_parser(name)
        model = ScriptedModel([message] * 2)
        assert_same_events(parser.events(model.stream("", cut=cut)), parser.events([model("")]))


def test_pieces_add_up_to_the_message() -> None:
    model = ScriptedModel([MESSAGES[0]] * 2)
    parser = get_parser("tools")
    assert_same_events(parser.events(model.stream("", cut=1)), parser.events([model("")]))


def test_a_call_without_arguments_has_no_pieces_of_them() -> None:
    broken = {"name": "search", "args": None, "id": "1", "error": None}
    first, second, _ = ScriptedModel([AIMessage("", invalid_tool_calls=[broken])]).stream("")
    assert first.tool_call_chunks[0]["name"] == "search"
    assert second.tool_call_chunks[0]["args"] == ""


def test_usage_and_other_facts_come_with_the_last_piece() -> None:
    usage = {"input_tokens": 1, "output_tokens": 2, "total_tokens": 3}
    message = AIMessage(
        "noon", usage_metadata=usage, response_metadata={"model": "m"}, additional_kwargs={"k": "v"}
    )
    *_, last = pieces = list(ScriptedModel([message]).stream(""))
    assert last.chunk_position == "last"
    added = total(pieces)
    assert added == message


# -- stop sequences --------------------------------------------------------------------------------


@pytest.mark.parametrize("stop", [["\nObservation:"], "\nObservation:", ["none", "\nObservation:"]])
def test_a_reply_ends_before_a_stop_sequence(stop: Any) -> None:
    whole = TURN.partition("\nObservation:")[0]
    model = ScriptedModel([TURN] * 4)
    assert model("", stop=stop) == whole
    assert "".join(model.stream("", stop=stop)) == whole
    assert asyncio.run(model.ainvoke("", stop=stop)) == whole
    assert "".join(asyncio.run(collected(model.astream("", stop=stop)))) == whole


def test_the_first_stop_sequence_in_the_reply_counts() -> None:
    assert ScriptedModel(["a b c d"])("", stop=["d", "b", ""]) == "a "


def test_without_a_stop_sequence_in_it_a_reply_is_whole() -> None:
    assert ScriptedModel([TURN] * 2)("", stop=["</tool>"]) == TURN


@pytest.mark.parametrize(("half_stop", "end"), [(0, ""), (4, "\nObs"), (99, "\nObservation")])
def test_a_server_may_leave_a_part_of_the_stop_sequence(half_stop: int, end: str) -> None:
    model = ScriptedModel([TURN], half_stop=half_stop)
    reply = model("", stop=["\nObservation:"])
    assert reply == TURN.partition("\nObservation:")[0] + end
    assert get_parser("react").parse(reply).tool_input == "Bern"  # type: ignore[union-attr]


def test_a_message_that_is_stopped_calls_nothing() -> None:
    message = AIMessage("one stop two", tool_calls=[CALL], additional_kwargs={"k": 1})
    blocks = AIMessage(["zero", {"type": "text", "text": "one stop"}, {"type": "x"}])
    model = ScriptedModel([message, blocks, message, blocks, AIMessage(["a stop b", "c"])])
    stopped = model("", stop="stop")
    assert stopped == AIMessage("one ", additional_kwargs={"k": 1})
    assert model("", stop="stop").content == ["zero", {"type": "text", "text": "one "}]
    assert model("", stop="halt").tool_calls == [CALL]
    assert len(model("", stop="halt").content) == 3
    assert model("", stop="stop").content == ["a "]


# -- what it was given -----------------------------------------------------------------------------


def test_the_calls_are_kept() -> None:
    model = ScriptedModel(["a", "b", "c"])
    model("one", stop=["x"], temperature=0)
    model.stream("two", {"tags": ["t"]}, stop="y")
    asyncio.run(model.ainvoke("three"))
    assert model.calls == [
        ModelCall("one", ("x",), {"temperature": 0}),
        ModelCall("two", ("y",)),
        ModelCall("three"),
    ]


def test_a_list_of_messages_is_kept_as_it_was() -> None:
    messages = [HumanMessage("hello")]
    model = ScriptedModel(["a"])
    model(messages)
    messages.append(HumanMessage("later"))
    assert model.calls[0].prompt == [HumanMessage("hello")]


# -- the end of the script -------------------------------------------------------------------------


def test_a_call_too_many_says_what_it_asked() -> None:
    model = ScriptedModel(["noon"])
    model("first")
    with pytest.raises(
        AssertionError,
        match=r"^the script has 1 reply, but this is call 2; the prompt ends in .*Thought: '$",
    ):
        model.stream("x" * 500 + "Thought: ")
    with pytest.raises(
        AssertionError, match=r"^the model was called 2 times, but the script has 1 reply$"
    ):
        model.assert_done()


def test_a_call_too_many_is_reported() -> None:
    model = ScriptedModel(["noon", "late", "later"])
    model("")
    with pytest.raises(AssertionError, match=r"^2 of 3 replies were not used; the next is 'late'$"):
        model.assert_done()


def test_a_stream_that_nobody_reads_is_a_call() -> None:
    model = ScriptedModel(["noon"])
    model.stream("")
    model.assert_done()


# -- mistakes in the script ------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("replies", "reason"),
    [
        ("noon", "expected a list of replies, not one str"),
        ({"role": "assistant", "content": "x"}, "expected a list of replies, not one dict"),
        (["a", 5], "reply 2: expected a message, not int"),
        ([HumanMessage("a")], "reply 1 is a HumanMessage, which a model does not write"),
    ],
)
def test_anything_else_is_refused_as_a_reply(replies: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        ScriptedModel(replies)


def test_a_malformed_message_is_refused() -> None:
    with pytest.raises(ValueError, match=r"^reply 2: the message cannot be read: content"):
        ScriptedModel(["a", {"type": "ai"}])


@pytest.mark.parametrize("cut", [0, -1, [], [2, 0], "letters"])
def test_anything_else_is_refused_as_a_cut(cut: Any) -> None:
    with pytest.raises(ValueError, match="not"):
        ScriptedModel([], cut=cut)
    with pytest.raises(ValueError, match="not"):
        ScriptedModel(["x"]).stream("", cut=cut)


def test_a_negative_half_stop_is_refused() -> None:
    with pytest.raises(ValueError, match="half_stop must be 0 or a number of characters, not -1"):
        ScriptedModel([], half_stop=-1)


# -- with other libraries --------------------------------------------------------------------------


def test_it_goes_before_a_parser() -> None:
    chain = ScriptedModel(["Final Answer: 42"] * 3) | get_parser("react")
    assert chain.invoke("") == AgentFinish({"output": "42"}, "Final Answer: 42")
    theirs = RunnableLambda(ScriptedModel(["Final Answer: 42"])) | get_parser("react")
    assert theirs.invoke("").return_values == {"output": "42"}
