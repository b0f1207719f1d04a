"""Any text gives a result or an `OutputParserException` that a caller can act on."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import cuts, laws, texts
from agent_laws.laws.modes import is_clear
from agent_laws.trials.stories import (
    Refusal,
    comparable,
    outcome_of,
    parsed,
    parser_of,
    refusal,
    results_in,
    story_of,
)
from agent_laws.trials.strategies import anything, tool_lists
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    Event,
    OutputParserException,
    StreamParser,
    get_parser,
    parse_record,
    parse_transcript,
)
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.testing import cut
from outputs import AIMessage, AIMessageChunk

from ...helpers.stories import (
    assert_found,
    every_dialect,
    every_mode,
    every_run_mode,
    every_turn_mode,
)


@every_turn_mode
@given(data=st.data())
def test_any_text_is_a_turn_or_refused(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.a_turn_is_read_or_refused(dialect, mode, text, tools=data.draw(tool_lists(dialect)))


@every_run_mode
@given(data=st.data())
def test_any_text_is_a_transcript_or_refused(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    laws.a_transcript_is_read_or_refused(dialect, data.draw(texts(dialect, mode), "text"))


@every_run_mode
def test_a_file_of_several_runs_is_not_one_transcript(dialect: Dialect, mode: Mode) -> None:
    laws.two_samples_are_two_runs(dialect)
    text = f"{dialect.sample}\n{dialect.sample}"
    with pytest.raises(OutputParserException, match="found 2; use parse_transcripts") as caught:
        parse_transcript(text, dialect=dialect)
    assert caught.value.llm_output == text
    assert caught.value.observation


@every_mode
@given(data=st.data())
def test_the_limit_is_named_in_any_cut(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode).filter(bool), "text")
    max_chars = data.draw(st.integers(0, len(text)), "max_chars")
    sizes = data.draw(cuts(), "sizes")
    laws.the_limit_is_named_in_any_cut(dialect, mode, text, max_chars=max_chars, sizes=sizes)


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
        with pytest.raises(RuntimeError, match="new stream parser"):
            use()


async def collected(stream: AsyncIterator[Any], into: list[Any]) -> list[Any]:
    async for item in stream:
        into.append(item)  # kept in case the stream ends in an error
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
        lambda: parser.batch([text])[0],
        lambda: list(parser.stream(text))[-1],
        lambda: asyncio.run(collected(parser.astream(text), []))[-1],
        lambda: asyncio.run(parser.aparse(text)),
    ]
    for door in doors:
        assert outcome_of(door) == expected
    # a whole message has ended
    ended = outcome_of(lambda: parser.parse(text, ended="stop"))
    assert outcome_of(lambda: parser.invoke(message)) == ended
    assert outcome_of(lambda: asyncio.run(parser.ainvoke(message))) == ended
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
    story = story_of(dialect, mode, chunks, tools=tools, max_chars=max_chars)
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
        calls = len(run.steps) + len(run.failed)
        turns = len(record["steps"])
        assert calls >= turns if dialect.several else calls == turns


# -- strict mode repairs nothing; lenient mode reports every repair --------------------------------


@every_turn_mode
@given(data=st.data())
def test_strict_mode_repairs_nothing(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    laws.strict_reading_repairs_nothing(dialect, data.draw(texts(dialect, mode), "text"))


@every_mode
@given(data=st.data())
def test_a_repair_says_what_and_where(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    laws.a_repair_says_what_and_where(dialect, mode, data.draw(texts(dialect, mode), "text"))


@every_mode
@given(data=st.data())
def test_a_label_that_is_spelt_otherwise_is_a_repair(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode), "text")
    laws.a_label_that_is_spelt_otherwise_is_a_repair(dialect, mode, text)


@every_dialect
@given(data=st.data())
def test_without_a_repair_both_readings_are_the_same(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"), "text")
    laws.without_a_repair_both_readings_are_the_same(dialect, text)


@every_dialect
@given(data=st.data())
def test_lenient_reads_what_strict_reads(dialect: Dialect, data: st.DataObject) -> None:
    laws.lenient_reads_what_strict_reads(dialect, data.draw(texts(dialect, "strict"), "text"))


def only_lenient_takes(dialect: Dialect, kind: type, text: str) -> bool:
    strict, lenient = (parsed(dialect, mode, text) for mode in ("strict", "lenient"))
    is_kind = any(isinstance(result, kind) for result in results_in(lenient))
    return is_kind and isinstance(strict, Refusal) and is_clear(dialect, text)


SELDOM = {("xml", AgentAction): "<tool>search</tool><tool>search</tool>"}
"""Texts that a search rarely finds: two whole calls without an input."""


@every_dialect
@pytest.mark.parametrize("kind", [AgentAction, AgentFinish])
def test_there_are_texts_that_only_lenient_reading_takes(dialect: Dialect, kind: type) -> None:
    if dialect.several and not dialect.thinks and kind is AgentFinish:
        return  # any text without a call is an answer in strict mode, too
    if dialect.name == "glm4" and kind is AgentAction:
        return  # so is text with an invalid call, unless it is cut; then both modes refuse it
    condition = partial(only_lenient_takes, dialect, kind)
    if (dialect.name, kind) in SELDOM:
        assert condition(SELDOM[dialect.name, kind])
    else:
        assert_found(dialect, "lenient", condition)
