"""Reasoning, refusals, text instead of a message, and pieces without an index."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import langchain_core.messages as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Finish,
    MessageParser,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    ThoughtDelta,
    ToolsAgentOutputParser,
    get_parser,
)
from output_parsers import ModelRefusalError
from outputs import (
    AIMessage,
    AIMessageChunk,
    Generation,
    from_any,
    message_chunk_to_message,
    tool_call,
    tool_call_chunk,
)

from ....helpers.messages import (
    PARSERS,
    Said,
    cut,
    delta,
    last_chunk,
    name_of,
    outcome_of,
    places,
    said,
    shown_end,
    story_of,
)

every_parser = pytest.mark.parametrize("parser", PARSERS, ids=name_of)
CALL = tool_call(name="search", args={"q": "rain"}, id="1")
THINKING = {"type": "thinking", "thinking": "A."}
USE = {"type": "tool_use", "name": "search", "input": {"q": "rain"}, "id": "1"}


# -- reasoning -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "message",
    [
        AIMessage([{"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}, "So."]),
        AIMessage([{"type": "reasoning", "reasoning": "Hm."}, {"type": "text", "text": "So."}]),
        AIMessage([
            {"type": "reasoning", "summary": [], "content": [
                {"type": "reasoning_text", "text": "Hm."}, {"text": None}, "x"]},
            {"text": "So."},
        ]),
        AIMessage("So.", additional_kwargs={"reasoning_content": "Hm."}),
        AIMessage("So.", additional_kwargs={"reasoning": "Hm.", "reasoning_content": ""}),
        lc.AIMessage(content=[{"type": "thinking", "thinking": "Hm."}, "So."]),
        {"role": "assistant", "content": "So.", "reasoning_content": "Hm."},
        {"message": {"role": "assistant", "content": "So.", "thinking": "Hm."}, "done": True},
    ],
)  # fmt: skip
def test_reasoning_is_a_thought(message: Any) -> None:
    for parser in (get_parser("tools"), get_parser("openai_functions")):
        turn = parser.read(message)
        assert turn.thought == "Hm."
        kinds = [type(event) for event in turn.events]
        assert kinds == [ThoughtDelta, AnswerDelta, Finish]
        assert isinstance(turn.result, AgentFinish)
        assert turn.result.return_values == {"output": "So."}
        assert turn.result.log == "So."


def test_reasoning_and_the_words_beside_a_call_are_two_fields() -> None:
    beside = {"reasoning_content": "Hm."}
    turn = get_parser("tools").read(AIMessage("So.", tool_calls=[CALL], additional_kwargs=beside))
    assert (turn.thought, turn.content) == ("Hm.", "So.")
    assert str(turn) == 'Hm.\ncontent: So.\nsearch: {"q": "rain"}'
    assert isinstance(turn.result, list)
    assert turn.result[0].log.endswith("responded: So.\n\n")


@pytest.mark.parametrize(
    ("content", "fields"),
    [
        ([THINKING, {"type": "text", "text": "B."}, USE], ("A.", "B.")),
        (["B.", USE, "C."], ("", "B.\nC.")),
        (["B", "C.", USE], ("", "BC.")),
        ([THINKING, "B.", THINKING, USE], ("A.\nA.", "B.")),
        ([{"type": "reasoning", "summary": [
            {"type": "summary_text", "text": "A."}, {"type": "summary_text", "text": "C."}]}, USE],
         ("A.\nC.", "")),
        ([{"type": "text", "text": "B.", "phase": "commentary"}, "C.", USE], ("", "B.\nC.")),
        ("<think>\nA.\n</think>\n\nB.", ("A.", "B.")),
        ("A.</think>\n\nB.", ("A.", "B.")),
    ],
)  # fmt: skip
def test_what_stands_between_two_texts_of_a_field_divides_them(
    content: Any, fields: tuple[str, str]
) -> None:
    message = AIMessage(content, tool_calls=[CALL])
    turn = get_parser("tools").read(message)
    assert (turn.thought, turn.content) == fields
    assert isinstance(turn.result, list)


def test_commentary_is_content_and_no_answer() -> None:
    blocks: list[Any] = [{"type": "text", "text": "I look.", "phase": "commentary"}, "At noon."]
    turn = get_parser("tools").read(AIMessage(blocks))
    assert turn.result == AgentFinish({"output": "At noon."}, "I look.At noon.")
    assert (turn.thought, turn.content) == ("", "I look.\nAt noon.")


@every_parser
@given(what=said(), thought=st.text(max_size=9), where=places)
def test_reasoning_in_pieces_yields_the_events_of_the_whole(
    parser: MessageParser, what: Said, thought: str, where: list[int]
) -> None:
    whole = {**what.whole(), "reasoning_content": thought}
    chunks = [delta(reasoning_content=text) for text in cut(thought, where)]
    chunks += [delta(**what.whole()), *last_chunk(shown_end(what))]
    story = story_of(parser, [whole])
    assert story_of(parser, chunks) == story
    assert story.text.startswith(thought)
    assert outcome_of(lambda: ToolsAgentOutputParser.invoke(parser, whole)) == story.outcome


def test_reasoning_counts_for_the_length_of_a_message() -> None:
    message = AIMessage("So.", additional_kwargs={"reasoning": "Hm."})
    assert ToolsAgentOutputParser(max_chars=6).invoke(message)
    for parser in (ToolsAgentOutputParser(max_chars=5), ToolsAgentOutputParser(max_chars=2)):
        with pytest.raises(OutputParserException, match="longer than max_chars"):
            parser.invoke(message)


def test_reasoning_after_content_that_fills_the_limit_is_not_emitted() -> None:
    message = AIMessage(["So.", {"type": "thinking", "thinking": "Hm."}])
    reader = ToolsAgentOutputParser(max_chars=3).stream_parser()
    assert reader.feed(message) == [AnswerDelta("So.", (0, 3))]
    with pytest.raises(OutputParserException, match="longer than max_chars"):
        reader.close()


# -- refusals ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("message", "refusal"),
    [
        (AIMessage("", additional_kwargs={"refusal": "No."}), "No."),
        (AIMessage([{"type": "refusal", "refusal": "N"}, {"type": "refusal", "refusal": "o."}]),
         "No."),
        (AIMessage("First,", response_metadata={"stop_reason": "refusal"}), "First,"),
        (AIMessage([], response_metadata={"stop_reason": "refusal", "stop_details": {
            "explanation": "No."}}), "No."),
        (AIMessage("", response_metadata={"stop_reason": "refusal"}), ""),
        (AIMessage("First,", additional_kwargs={"refusal": "No."}), "No."),
        (AIMessage(["First,", {"type": "refusal", "refusal": "No."}]), "No."),
        (AIMessage("", tool_calls=[CALL], additional_kwargs={"refusal": "No."}), "No."),
        (AIMessage("", tool_calls=[CALL], response_metadata={"stop_reason": "refusal"}), ""),
        (AIMessage("", additional_kwargs={"refusal": ""}), ""),
        (AIMessage([{"type": "refusal"}]), ""),
    ],
)  # fmt: skip
def test_a_refusal_is_an_error_with_its_words(message: AIMessage, refusal: str) -> None:
    for parser in (
        get_parser("tools"),
        ToolsAgentOutputParser(),
        OpenAIFunctionsAgentOutputParser(),
    ):
        with pytest.raises(ModelRefusalError, match="the model refused") as caught:
            parser.invoke(message)
        assert caught.value.refusal == refusal
        assert (caught.value.span, caught.value.send_to_llm) == ((0, len(refusal)), False)
        with pytest.raises(ModelRefusalError):
            parser.read(message)
        with pytest.raises(ModelRefusalError):
            [*parser.transform(iter([message]))]


def test_an_empty_field_for_refusals_says_nothing_beside_a_call_or_an_answer() -> None:
    beside = {"refusal": ""}
    message = AIMessage("", tool_calls=[CALL], additional_kwargs=beside)
    assert isinstance(get_parser("tools").invoke(message), list)
    answer = get_parser("tools").invoke(AIMessage("So.", additional_kwargs=beside))
    assert answer == AgentFinish({"output": "So."}, "So.")


@pytest.mark.parametrize(
    "metadata",
    [
        {"finish_reason": "content_filter"},
        {"incomplete_details": {"reason": "content_filter"}, "status": "incomplete"},
        {"finish_reason": "SAFETY"},
        {"stopReason": "guardrail_intervened"},
    ],
)
def test_what_a_filter_leaves_is_a_cut_answer_and_nothing_is_a_refusal(metadata: Any) -> None:
    for parser in (get_parser("tools"), ToolsAgentOutputParser()):
        turn = parser.read(AIMessage("It", response_metadata=metadata))
        assert turn.result == AgentFinish({"output": "It"}, "It")
        assert [repair.kind for repair in turn.repairs] == ["cut"]
        nothing: Any
        for nothing in ("", [], " \n"):
            with pytest.raises(ModelRefusalError, match="the provider's filter") as caught:
                parser.invoke(AIMessage(nothing, response_metadata=metadata))
            assert not caught.value.send_to_llm


# -- text ----------------------------------------------------------------------------------------


def test_text_is_a_message_when_read_leniently() -> None:
    parser = ToolsAgentOutputParser(lenient=True)
    finish = AgentFinish({"output": "So."}, "So.")
    for given_text in ("So.", Generation(text="So.")):
        assert parser.invoke(given_text) == finish
        assert parser.read(given_text).result == finish
    assert parser.parse("So.") == finish
    assert parser.batch(["So."]) == [finish]
    assert [*parser.transform(iter(["S", "o."]))] == [finish]
    assert [*parser.events(["S", AIMessageChunk("o.")])][-1] == Finish(finish, (0, 3))
    call = '<tool_call>{"name": "search", "arguments": {"q": "rain"}}</tool_call>'
    result = parser.parse(call)
    assert isinstance(result, list)
    assert (result[0].tool, result[0].tool_input) == ("search", {"q": "rain"})
    action = OpenAIFunctionsAgentOutputParser(lenient=True).parse(call)
    assert isinstance(action, AgentAction)
    assert action.tool == "search"


def test_text_is_refused_when_read_strictly() -> None:
    for parser in (ToolsAgentOutputParser(), OpenAIFunctionsAgentOutputParser()):
        with pytest.raises(ValueError, match="only works on ChatGeneration output"):
            [*parser.events(["So."])]
        with pytest.raises(ValueError, match="only works on ChatGeneration output"):
            [*parser.transform(iter(["So."]))]
        with pytest.raises(ValueError, match="Can only parse messages"):
            parser.parse("So.")


# -- streams as wholes ---------------------------------------------------------------------------


class Counting(ToolsAgentOutputParser):
    """A parser with a result of its own."""

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        return len(getattr(result[0], "message").tool_calls)  # noqa: B009


class CountingFunctions(OpenAIFunctionsAgentOutputParser):
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        return result[0].text


def chunks() -> list[Any]:
    call = {"index": 0, "id": "1", "function": {"name": "search", "arguments": '{"q": '}}
    rest = {"index": 0, "function": {"arguments": '"rain"}'}}
    return [delta(content="See."), delta(tool_calls=[call]), delta(tool_calls=[rest])]


async def each(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


def test_a_stream_has_one_result() -> None:
    async def results(parser: Any, items: list[Any]) -> list[Any]:
        return [result async for result in parser.atransform(each(items))]

    parser = ToolsAgentOutputParser()
    ((action,),) = parser.transform(iter(chunks()))
    assert (action.tool, action.tool_input) == ("search", {"q": "rain"})
    assert asyncio.run(results(parser, chunks())) == [[action]]
    functions = OpenAIFunctionsAgentOutputParser()
    assert [*functions.transform(iter(chunks()))] == [AgentFinish({"output": "See."}, "See.")]
    for each_parser in (parser, functions):
        assert [*each_parser.transform(iter([]))] == []
        assert asyncio.run(results(each_parser, [])) == []
    assert [*Counting().transform(iter(chunks()))] == [1]
    assert asyncio.run(results(Counting(), chunks())) == [1]
    assert [*CountingFunctions().transform(iter(chunks()))] == ["See."]
    assert asyncio.run(results(CountingFunctions(), chunks())) == ["See."]
    assert asyncio.run(results(functions, chunks())) == [AgentFinish({"output": "See."}, "See.")]


# -- pieces without an index ---------------------------------------------------------------------


@every_parser
@given(what=said(), data=st.data())
def test_pieces_without_an_index_continue_the_last_call(
    parser: MessageParser, what: Said, data: st.DataObject
) -> None:
    pieces = [delta(content=what.content)]
    for name, text, call_id in what.calls:
        first, *rest = cut(text, data.draw(places))
        function = {"name": name, "arguments": first}
        repeats = {"id": call_id} if call_id and data.draw(st.booleans()) else {}
        pieces.append(delta(tool_calls=[{"id": call_id, "function": function}]))
        pieces += (
            delta(tool_calls=[{**repeats, "function": {"arguments": part}}]) for part in rest
        )
    pieces += last_chunk(shown_end(what))
    assert story_of(parser, pieces) == story_of(parser, [what.whole()])


@pytest.mark.parametrize("said", [5, [5, {"index": "a", "custom": 5, "function": 5}]])
def test_what_others_have_under_our_names_is_theirs(said: Any) -> None:
    beside = {"streamed_tool_calls": said, "reasoning": 5, "refusal": 5}
    for make in (AIMessage, AIMessageChunk):
        message = make("So.", tool_calls=[CALL], additional_kwargs=beside)
        result = get_parser("tools").invoke(message)
        assert isinstance(result, list)
        assert result[0].tool == "search"
        assert message_chunk_to_message(message).text == "So."


def test_a_message_keeps_calls_that_came_without_an_index() -> None:
    pieces = [
        AIMessageChunk("", tool_call_chunks=[tool_call_chunk(args="{}")]),
        *(delta(tool_calls=[{"function": f}]) for f in (
            {"name": "search", "arguments": '{"q":'}, {"arguments": ' "rain"}'})),
    ]  # fmt: skip
    parser = ToolsAgentOutputParser()
    with pytest.raises(OutputParserException, match="the name of a tool"):
        [*parser.transform(iter(pieces))]
    ((action,),) = parser.transform(iter(pieces[1:]))
    assert action.messages == [
        from_any(
            {
                "role": "assistant",
                "tool_calls": [{"function": {"name": "search", "arguments": '{"q": "rain"}'}}],
            }
        )
    ]
