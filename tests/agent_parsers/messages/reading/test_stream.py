"""A message in chunks yields the same events as the whole one."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import langchain_core.messages as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.stories import Refusal
from agent_parsers import (
    ActionComplete,
    AgentFinish,
    AnswerDelta,
    Finish,
    InputDelta,
    MessageParser,
    OutputParserException,
    ToolAgentAction,
    ToolNamed,
    ToolsAgentOutputParser,
    merge_events,
)
from agent_parsers.events import SkippedDelta
from outputs import AIMessage, AIMessageChunk, ChatGenerationChunk, from_any

from ....helpers.growth import assert_linear
from ....helpers.messages import (
    DELTAS,
    FUNCTION_PARSERS,
    PARSERS,
    TILES,
    Said,
    Story,
    chunks_of,
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
every_function_parser = pytest.mark.parametrize("parser", FUNCTION_PARSERS, ids=name_of)


@every_parser
@given(data=st.data())
def test_any_cut_yields_the_events_of_the_whole_message(
    parser: MessageParser, data: st.DataObject
) -> None:
    what = data.draw(said(), "said")
    end = shown_end(what)
    story = story_of(parser, [what.whole() | end])
    chunks = [*data.draw(chunks_of(what), "chunks"), *last_chunk(end)]
    assert story_of(parser, chunks) == story
    assert story_of(parser, map(from_any, chunks)) == story
    if what.content is not None:
        assert story_of(parser, map(as_langchain, chunks)) == story


@every_parser
@given(data=st.data())
def test_a_whole_message_parses_to_the_result_of_its_stream(
    parser: Any, data: st.DataObject
) -> None:
    what = data.draw(said(), "said")
    story = story_of(parser, [what.whole()])
    assert outcome_of(lambda: parser.invoke(what.whole())) == story.outcome
    assert outcome_of(lambda: parser.read(what.whole()).result) == story.outcome
    assert_tiled(story)


@every_function_parser
@given(data=st.data())
def test_any_cut_of_a_function_call_yields_the_events_of_the_whole(
    parser: Any, data: st.DataObject
) -> None:
    what = data.draw(said(), "said")
    end = shown_end(what)
    whole = what.whole_function() | end
    story = story_of(parser, [whole])
    chunks = [delta(content=text) for text in cut(what.content, data.draw(places))]
    for name, text, _ in what.calls[:1]:
        parts = cut(text, data.draw(places))
        chunks.append(delta(function_call={"name": name, "arguments": parts[0]}))
        chunks += (delta(function_call={"arguments": part}) for part in parts[1:])
    assert story_of(parser, [*chunks, *last_chunk(end)]) == story
    assert outcome_of(lambda: parser.invoke(whole)) == story.outcome
    assert_tiled(story)


def as_langchain(chunk: dict[str, Any]) -> lc.AIMessageChunk:
    ours = from_any(chunk)
    assert isinstance(ours, AIMessageChunk)
    return lc.AIMessageChunk(
        content=ours.content,
        additional_kwargs=ours.additional_kwargs,
        tool_call_chunks=ours.tool_call_chunks,
        response_metadata=ours.response_metadata,
    )


def assert_tiled(story: Story) -> None:
    """No character is lost or emitted twice, and the results come last."""
    at = 0
    for event in sorted(story.of(*TILES), key=lambda event: event.span):
        assert event.span[0] == at < event.span[1]
        at = event.span[1]
    assert at == len(story.text)
    for event in story.of(*DELTAS):
        assert event.text == story.text[slice(*event.span)]
    for event in story.events:
        start, end = event[1] if isinstance(event, tuple) else event.span
        assert 0 <= start <= end <= at
    if isinstance(story.outcome, Refusal):
        assert story.results == []
        assert story.outcome.llm_output == story.text
        assert story.outcome.observation
    elif isinstance(story.outcome, AgentFinish):
        assert story.results == [story.outcome]
    else:
        outcome = story.outcome
        assert story.results == (outcome if isinstance(outcome, list) else [outcome])


@given(said())
def test_the_text_is_content_then_names_and_arguments(what: Said) -> None:
    parts = [what.content or ""]
    parts += (part or "" for name, text, _ in what.calls for part in (name, text))
    assert story_of(ToolsAgentOutputParser(), [what.whole()]).text == "".join(parts)


CALL = {"id": "1", "index": 0, "function": {"name": "search", "arguments": '{"q": '}}
REST = {"index": 0, "function": {"arguments": '"rain"}'}}
OTHER = {"id": "2", "index": 1, "function": {"name": "look_up", "arguments": "{}"}}


def test_everything_is_emitted_as_it_arrives() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    assert parser.feed(delta(content="Let me ")) == [AnswerDelta("Let me ", (0, 7))]
    assert parser.feed(delta(content="see.")) == [AnswerDelta("see.", (7, 11))]
    assert parser.feed(delta(tool_calls=[CALL])) == [
        ToolNamed("search", (11, 17)),
        InputDelta('{"q": ', (17, 23)),
    ]
    assert parser.feed(delta(tool_calls=[REST])) == [InputDelta('"rain"}', (23, 30))]
    assert parser.feed(delta(tool_calls=[OTHER])) == [
        ToolNamed("look_up", (30, 37)),
        InputDelta("{}", (37, 39)),
    ]
    assert parser.result is None
    events = parser.close()
    assert [(type(e), e.span) for e in events] == [
        (ActionComplete, (11, 30)),
        (ActionComplete, (30, 39)),
    ]
    assert parser.text == 'Let me see.search{"q": "rain"}look_up{}'
    assert [event.action for event in events if isinstance(event, ActionComplete)] == parser.result


def test_a_call_is_emitted_once_the_one_before_is_complete() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    assert len(parser.feed(delta(tool_calls=[CALL]))) == 2
    assert parser.feed(delta(tool_calls=[OTHER])) == []
    assert parser.feed(delta(tool_calls=[REST])) == [
        InputDelta('"rain"}', (12, 19)),
        ToolNamed("look_up", (19, 26)),
        InputDelta("{}", (26, 28)),
    ]


def test_content_after_a_call_is_content() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    parser.feed(delta(tool_calls=[CALL, REST]))
    assert parser.feed(delta(content="So.")) == [AnswerDelta("So.", (19, 22))]
    parser.close()
    assert (parser.thought, parser.content) == ("", "So.")
    assert isinstance(parser.result, list)
    assert parser.result[0].log.endswith("\nresponded: So.\n\n")


def test_arguments_after_the_next_call_was_emitted_are_skipped_or_an_error() -> None:
    more = {"index": 0, "function": {"arguments": "\n"}}
    parser = ToolsAgentOutputParser().stream_parser()
    parser.feed(delta(tool_calls=[CALL, REST, OTHER]))
    assert parser.feed(delta(tool_calls=[more])) == [SkippedDelta("\n", (28, 29))]
    parser.close()
    assert isinstance(parser.result, list)
    parser = ToolsAgentOutputParser().stream_parser()
    parser.feed(delta(tool_calls=[CALL, REST, OTHER]))
    parser.feed(delta(tool_calls=[{"index": 0, "function": {"arguments": "x"}}]))
    with pytest.raises(OutputParserException):
        parser.close()


def test_more_of_a_name_is_emitted_again() -> None:
    more = {"index": 0, "function": {"name": "es", "arguments": '"rain"}'}}
    parser = ToolsAgentOutputParser().stream_parser()
    parser.feed(delta(tool_calls=[CALL]))
    assert parser.feed(delta(tool_calls=[more]))[0] == ToolNamed("searches", (12, 14))
    parser.close()
    assert isinstance(parser.result, list)
    assert parser.result[0].tool == "searches"


def test_calls_of_one_index_with_other_ids_are_others() -> None:
    entries = [
        {"index": 0, "id": "a", "function": {"name": "search", "arguments": "{}"}},
        {"index": 0, "id": "b", "function": {"name": "look_up", "arguments": ""}},
        {"index": 0, "id": "b", "function": {"arguments": "{}"}},
    ]
    parser = ToolsAgentOutputParser().stream_parser()
    for entry in entries:
        parser.feed(delta(tool_calls=[entry]))
    parser.close()
    assert isinstance(parser.result, list)
    assert [action.tool for action in parser.result] == ["search", "look_up"]
    last = parser.result[1]
    assert isinstance(last, ToolAgentAction)
    assert last.tool_call_id == "b"
    assert [call["name"] for call in message_of(last).tool_calls] == ["search", "look_up"]


def message_of(action: ToolAgentAction) -> AIMessage:
    (message,) = action.message_log
    assert type(message) is AIMessage
    return message


def test_the_message_that_actions_keep_is_the_sum_of_the_chunks() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    for chunk in (delta(content="See."), delta(tool_calls=[CALL]), delta(tool_calls=[REST])):
        parser.feed(ChatGenerationChunk(message=from_any(chunk)))
    parser.close()
    assert isinstance(parser.result, list)
    (action,) = parser.result
    assert isinstance(action, ToolAgentAction)
    call = {"id": "1", "function": {"name": "search", "arguments": '{"q": "rain"}'}}
    assert message_of(action) == from_any(
        {"role": "assistant", "content": "See.", "tool_calls": [call]}
    )


def test_a_message_that_comes_whole_is_kept_itself() -> None:
    message = AIMessage("", tool_calls=[{"name": "f", "args": {}, "id": "1"}])
    parser = ToolsAgentOutputParser().stream_parser()
    parser.feed(message)
    parser.close()
    assert isinstance(parser.result, list)
    assert message_of(parser.result[0]) is message


def test_an_empty_stream_is_an_empty_answer() -> None:
    events = list(ToolsAgentOutputParser().events([]))
    assert events == [Finish(AgentFinish({"output": ""}, ""), (0, 0))]


def test_a_closed_parser_takes_nothing_more() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    parser.close()
    with pytest.raises(RuntimeError, match="new parser"):
        parser.feed(delta(content="x"))
    with pytest.raises(RuntimeError, match="new parser"):
        parser.close()


def test_a_stream_of_text_is_refused() -> None:
    with pytest.raises(ValueError, match="only works on ChatGeneration"):
        list(ToolsAgentOutputParser().events(["x"]))
    with pytest.raises(TypeError, match="expected a message from the model"):
        list(ToolsAgentOutputParser().events([lc.HumanMessageChunk("x")]))


@given(said(), st.integers(0, 20), st.data())
def test_a_message_that_is_too_long_is_read_so_far_and_refused(
    what: Said, max_chars: int, data: st.DataObject
) -> None:
    parser = ToolsAgentOutputParser(max_chars=max_chars)
    story = story_of(parser, [what.whole()])
    size = len(story_of(ToolsAgentOutputParser(), [what.whole()]).text)
    is_refused = isinstance(story.outcome, Refusal) and "max_chars" in story.outcome.message
    assert is_refused == (size > max_chars)
    assert outcome_of(lambda: parser.invoke(what.whole())) == story.outcome
    pieces: list[Any] = [delta(content=text) for text in cut(what.content, data.draw(places))]
    if not what.calls:
        assert story_of(parser, pieces) == story


def test_events_of_an_error_come_before_it() -> None:
    events = ToolsAgentOutputParser().events([delta(tool_calls=[CALL])])
    seen = [next(events), next(events)]
    with pytest.raises(OutputParserException, match="Could not parse tool input"):
        next(events)
    assert seen == [ToolNamed("search", (0, 6)), InputDelta('{"q": ', (6, 12))]


def test_asynchronous_chunks_give_the_same_events() -> None:
    chunks = [delta(content="See."), delta(tool_calls=[CALL, REST])]

    async def arriving() -> AsyncIterator[Any]:
        for chunk in chunks:
            await asyncio.sleep(0)
            yield chunk

    async def collect() -> list[Any]:
        return [event async for event in ToolsAgentOutputParser().aevents(arriving())]

    assert merge_events(asyncio.run(collect())) == merge_events(
        ToolsAgentOutputParser().events(chunks)
    )


@pytest.mark.parametrize("lenient", [False, True])
def test_the_work_for_a_chunk_does_not_grow(lenient: bool) -> None:
    def read(count: int) -> None:
        parser = ToolsAgentOutputParser(lenient=lenient, tools=["f"]).stream_parser()
        first = AIMessageChunk("", tool_call_chunks=[piece("f", '{"q": "', 0)])
        chunks = [AIMessageChunk("", tool_call_chunks=[piece(None, "abcd", 0)])] * count
        other = AIMessageChunk("", tool_call_chunks=[piece("f", "{}", 1)])
        for chunk in (first, other, *chunks):
            parser.feed(chunk)

    assert_linear(read, int, 250)


@pytest.mark.parametrize("before", [" ", "<think></think>"])
def test_what_stands_before_the_content_takes_linear_time(before: str) -> None:
    def read(count: int) -> None:
        parser = ToolsAgentOutputParser(lenient=True)
        parser.read(AIMessage(before * count + "Rain."))
        assert [*parser.events([AIMessageChunk(before)] * count + [AIMessageChunk("Rain.")])]

    assert_linear(read, int, 500)


def test_calls_in_blocks_take_linear_time() -> None:
    def message(count: int) -> AIMessage:
        call = {"type": "tool_use", "name": "f", "input": {"q": "rain"}}
        blocks = [{**call, "id": f"call_{number}"} for number in range(count)]
        read = from_any({"role": "assistant", "type": "message", "content": blocks})
        assert isinstance(read, AIMessage)
        return read

    assert_linear(ToolsAgentOutputParser(lenient=True).read, message, 50)


def piece(name: str | None, args: str, index: int) -> Any:
    return {"name": name, "args": args, "id": None, "index": index}


def chunk_of(*pieces: tuple[str | None, str | None, str | None, int | None]) -> AIMessageChunk:
    """A chunk with pieces of calls: name, arguments, id, index."""
    keys = ("name", "args", "id", "index")
    return AIMessageChunk(
        "", tool_call_chunks=[dict(zip(keys, each, strict=True)) for each in pieces]
    )


SERVED = AIMessageChunk([{"type": "server_tool_use", "id": "s", "name": "w", "index": "lc_at_1"}])
ODD_STREAMS = {
    "a repeated name": (chunk_of(("f", "", "a", 0), ("f", "{}", "a", 0)), ["f"], ["a"]),
    "no index": (chunk_of(("f", "{", "", None), (None, "}", None, None)), ["f"], [""]),
    "an empty id, then none": (chunk_of(("f", "{", "", 0), (None, "}", None, 0)), ["f"], [""]),
    "negative": (chunk_of(("f", "{}", "a", None), ("g", "{}", None, -1)), ["f", "g"], ["a", None]),
    "served": (
        SERVED + chunk_of(("f", "{}", "a", 0), ("g", "", "b", 1), ("h", "{}", "c", 1)), ["f"], ["a"]
    ),
}  # fmt: skip


@pytest.mark.parametrize(("chunk", "tools", "ids"), ODD_STREAMS.values(), ids=ODD_STREAMS)
def test_a_chunk_alone_and_its_pieces_in_a_stream_have_the_same_calls(
    chunk: AIMessageChunk, tools: list[str], ids: list[str]
) -> None:
    whole = ToolsAgentOutputParser().invoke(chunk)
    stream = ToolsAgentOutputParser().stream_parser()
    stream.feed(AIMessageChunk(chunk.content))
    for piece_of_call in chunk.tool_call_chunks:
        stream.feed(AIMessageChunk("", tool_call_chunks=[piece_of_call]))
    stream.close()
    for result in (whole, stream.result):
        assert isinstance(result, list)
        assert [action.tool for action in result] == tools
        assert [getattr(action, "tool_call_id", None) for action in result] == ids


def test_the_text_of_a_custom_call_that_may_be_cut_stays_open() -> None:
    parser = ToolsAgentOutputParser().stream_parser()
    for call_id in ("a", "b"):
        custom = {"index": 0, "id": call_id, "custom": {"name": "sh", "input": "ls"}}
        parser.feed(delta(tool_calls=[custom]))
    with pytest.raises(OutputParserException):
        parser.close(ended="length")
    assert parser.text.endswith('"ls')
