"""Whatever the text, there is a result or an `OutputParserException` that can be acted on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    Dialect,
    Event,
    Finish,
    OutputParserException,
    StreamParser,
    get_parser,
    parse_record,
    parse_transcript,
    parse_transcripts,
)
from agent_parsers.engine import Mode
from outputs import AIMessage, AIMessageChunk

from .stories import (
    Refusal,
    ToldFailure,
    comparable,
    cut,
    every_dialect,
    every_mode,
    every_run_mode,
    every_turn_mode,
    outcome_of,
    parsed,
    parser_of,
    refusal,
    told,
)
from .strategies import anything, cuts, texts, tool_lists


def assert_can_be_acted_on(refused: Refusal, text: str) -> None:
    error = refused.error
    assert type(error) is OutputParserException
    assert refused.message
    assert refused.observation
    assert refused.observation.strip()
    assert refused.llm_output == text
    assert refused.span is not None
    start, end = refused.span
    assert 0 <= start <= end <= len(text)
    assert error.line == text.count("\n", 0, start) + 1
    assert error.column == start - text.rfind("\n", 0, start)
    assert f"line {error.line}, column {error.column}" in error.pointer()
    assert "^" in error.pointer()


@every_turn_mode
@given(data=st.data())
def test_any_text_is_a_turn_or_refused(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    outcome = parsed(dialect, mode, text, tools=data.draw(tool_lists(dialect)))
    if isinstance(outcome, Refusal):
        assert_can_be_acted_on(outcome, text)
    elif isinstance(outcome, AgentAction):
        assert outcome.tool == outcome.tool.strip() != ""
        assert isinstance(outcome.tool_input, str | dict)
    else:
        assert isinstance(outcome, AgentFinish)
        assert isinstance(outcome.return_values["output"], str)


@every_run_mode
@given(data=st.data())
def test_any_text_is_a_transcript_or_refused(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    runs = outcome_of(lambda: parse_transcripts(text, dialect=dialect))
    if isinstance(runs, Refusal):
        assert_can_be_acted_on(runs, text)
        return
    assert runs[0].all_steps
    for step in (step for run in runs for step in run.failed):
        assert step.error
        assert step.error.llm_output is not None
        assert step.error.llm_output in text
        assert_can_be_acted_on(refusal(step.error), step.error.llm_output)
        assert step.action_span
        assert step.error.span
        at_fault = text[slice(*step.action_span)]
        assert step.error.llm_output[slice(*step.error.span)] == at_fault
    for failed in told(dialect, mode, [text]).of(ToldFailure):
        assert failed.span in [step.action_span for run in runs for step in run.failed]


@every_run_mode
def test_a_file_of_several_runs_is_not_one_transcript(dialect: Dialect, mode: Mode) -> None:
    text = f"{dialect.sample}\n{dialect.sample}"
    assert len(parse_transcripts(text, dialect=dialect)) == 2
    with pytest.raises(OutputParserException, match="found 2; use parse_transcripts") as caught:
        parse_transcript(text, dialect=dialect)
    assert caught.value.llm_output == text
    assert caught.value.observation


@every_mode
@given(data=st.data())
def test_the_limit_is_named_in_any_cut(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode).filter(bool), "text")
    max_chars = data.draw(st.integers(0, len(text)), "max_chars")
    story = told(dialect, mode, [text], max_chars=max_chars)
    sizes = data.draw(cuts(), "sizes")
    assert told(dialect, mode, cut(text, sizes), max_chars=max_chars) == story
    if mode != "transcript":
        assert parsed(dialect, mode, text, max_chars=max_chars) == story.outcome
    if max_chars == len(text):
        assert story == told(dialect, mode, [text])
    else:
        # A turn that ended before the limit, at an invented observation, may have been told of.
        assert mode != "strict" or not story.of(ActionComplete, Finish)
        assert isinstance(story.outcome, Refusal)
        assert f"max_chars={max_chars:,}" in story.outcome.message
        assert_can_be_acted_on(story.outcome, text[:max_chars])


@every_mode
@given(data=st.data())
def test_a_parser_reads_one_text(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    max_chars = data.draw(st.sampled_from([None, len(text) // 2]), "max_chars")
    parser = StreamParser(dialect, mode=mode, max_chars=max_chars)
    with suppress(OutputParserException):
        for chunk in cut(text, [3]):
            parser.feed(chunk)
        parser.close()
    for use in (parser.close, lambda: parser.feed("more"), lambda: parser.feed("")):
        with pytest.raises(RuntimeError, match="new StreamParser"):
            use()


async def collected(stream: AsyncIterator[Any], into: list[Any]) -> list[Any]:
    async for item in stream:
        into.append(item)  # kept, should the stream end in an error
    return into


async def waited_for(chunks: list[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


@every_turn_mode
@given(data=st.data())
def test_every_door_leads_to_the_same_result(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    parser = get_parser(
        dialect.name, lenient=mode == "lenient", max_chars=data.draw(st.sampled_from([9, 10**6]))
    )
    expected = outcome_of(lambda: parser.parse(text))
    message = AIMessage(content=text)
    doors: list[Callable[[], Any]] = [
        lambda: parser.read(text).result,
        lambda: parser.invoke(text),
        lambda: parser.invoke(message),
        lambda: parser.batch([text])[0],
        lambda: list(parser.stream(text))[-1],
        lambda: asyncio.run(collected(parser.astream(text), []))[-1],
        lambda: asyncio.run(parser.ainvoke(message)),
        lambda: asyncio.run(parser.aparse(text)),
    ]
    for door in doors:
        assert outcome_of(door) == expected
    (kept,) = parser.batch([text], return_exceptions=True)
    assert (refusal(kept) if isinstance(kept, OutputParserException) else kept) == expected


@every_turn_mode
@given(data=st.data())
def test_events_are_what_feed_and_close_return(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    tools = data.draw(tool_lists(dialect), "tools")
    max_chars = data.draw(st.sampled_from([9, 10**6]))
    chunks = list(cut(text, data.draw(cuts(), "sizes")))
    story = told(dialect, mode, chunks, tools=tools, max_chars=max_chars)
    expected = (story.events, story.outcome if isinstance(story.outcome, Refusal) else None)
    parser = parser_of(dialect, mode, max_chars=max_chars, tools=tools)

    def listed(chunks: list[Any]) -> tuple[Any, Any]:
        events: list[Event] = []
        error = outcome_of(lambda: events.extend(parser.events(chunks)))
        return comparable(events), error

    def awaited(chunks: list[Any]) -> tuple[Any, Any]:
        events: list[Event] = []
        stream = parser.aevents(waited_for(chunks))
        error = outcome_of(lambda: asyncio.run(collected(stream, events)))
        return comparable(events), error if isinstance(error, Refusal) else None

    assert listed(chunks) == expected
    assert awaited(chunks) == expected
    assert listed([AIMessageChunk(content=chunk) for chunk in chunks]) == expected


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | anything(),
    lambda values: st.lists(values) | st.dictionaries(st.text(), values),
    max_leaves=5,
)
NO_DIALECT = JSON.filter(lambda value: not isinstance(value, str))


@st.composite
def spoilt_records(draw: st.DrawFn, dialect: Dialect) -> Any:
    """A record of a run, of which one part or another may be anything, or missing."""
    step = st.fixed_dictionaries({"output": texts(dialect, "lenient"), "observation": JSON})
    steps = draw(st.lists(step, min_size=1, max_size=3))
    record = {"format": dialect.name, "task": "who", "id": "1", "steps": steps}
    part: Any = draw(st.sampled_from([record, steps, steps[0]]))
    key = draw(st.sampled_from(list(part) if isinstance(part, dict) else range(len(part))))
    if draw(st.booleans()):
        part[key] = draw(NO_DIALECT if key == "format" else JSON)
    else:
        del part[key]
    return record


@every_dialect
@given(data=st.data())
def test_any_record_is_read_or_refused(dialect: Dialect, data: st.DataObject) -> None:
    record: Any = data.draw(spoilt_records(dialect) | JSON, "record")
    run = outcome_of(lambda: parse_record(record))
    if isinstance(run, Refusal):
        assert run.message
        assert run.observation
    else:
        assert len(run.steps) + len(run.failed) == len(record["steps"])
