"""Streamed tool calls: the same results as LangChain's, and as for the whole message."""

import asyncio
import copy
import json
from collections.abc import AsyncIterator, Iterable
from functools import reduce
from itertools import pairwise
from operator import add
from typing import Any

import jsonpatch
import langchain_core.messages as lc_messages
import langchain_core.output_parsers.openai_tools as lc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ConfigDict
from typing_extensions import override

from output_parsers import OutputParserException
from output_parsers.exceptions import ModelRefusalError
from output_parsers.openai_tools import (
    JsonOutputKeyToolsParser,
    JsonOutputToolsParser,
    PydanticToolsParser,
)
from output_parsers.types.models import dump
from outputs import AIMessage, AIMessageChunk, BaseMessageChunk, Generation, HumanMessageChunk

from ...helpers.growth import assert_linear

LcChunk = lc_messages.AIMessageChunk


class Search(BaseModel):
    query: str
    tags: list[str] = []


class Ping(BaseModel):
    model_config = ConfigDict(title="ping")

    host: str | None = None


OURS = {
    "json": JsonOutputToolsParser,
    "key": JsonOutputKeyToolsParser,
    "pydantic": PydanticToolsParser,
}
THEIRS = {
    "json": lc.JsonOutputToolsParser,
    "key": lc.JsonOutputKeyToolsParser,
    "pydantic": lc.PydanticToolsParser,
}
PARSERS: list[tuple[str, dict[str, Any]]] = [
    ("json", {}),
    ("json", {"return_id": True}),
    ("json", {"first_tool_only": True}),
    ("key", {"key_name": "Search"}),
    ("key", {"key_name": "Search", "first_tool_only": True}),
    ("key", {"key_name": "ping", "return_id": True}),
    ("pydantic", {"tools": [Search, Ping]}),
    ("pydantic", {"tools": [Search, Ping], "first_tool_only": True}),
]


def run(outputs: Iterable[Any]) -> tuple[list[Any], BaseException | None]:
    """Return what a stream yields, and the error it ends with."""
    results: list[Any] = []
    try:
        results.extend(outputs)  # keeps what came before an error
    except Exception as error:  # noqa: BLE001 - whatever it is
        return results, error
    return results, None


def cut(text: str, places: Iterable[int]) -> list[str]:
    ends = sorted({min(place, len(text)) for place in places} | {0, len(text)})
    return [text[start:end] for start, end in pairwise(ends)]


# Well-formed streams, compared with LangChain

Strings = st.text(st.characters(codec="utf-8"), max_size=8)
ARGUMENTS = st.fixed_dictionaries(
    {}, optional={"query": Strings, "tags": st.lists(Strings, max_size=3), "host": Strings}
)
CALLS = st.lists(
    st.tuples(
        st.sampled_from(["Search", "ping"]),
        st.builds(json.dumps, ARGUMENTS, ensure_ascii=st.booleans()) | st.just(""),
        st.lists(st.integers(0, 60), max_size=12),
    ),
    max_size=3,
)


def native(chunk: type[Any], index: int, name: str | None, args: str) -> Any:
    piece = {"name": name, "args": args, "id": name and f"call_{index}", "index": index}
    return chunk(content="", tool_call_chunks=[piece])


def old(chunk: type[Any], index: int, name: str | None, args: str) -> Any:
    entry = {
        "index": index,
        "id": name and f"call_{index}",
        "function": {"name": name, "arguments": args},
        "type": name and "function",
    }
    return chunk(content="", additional_kwargs={"tool_calls": [entry]})


def stream_of(calls: Any, make: Any, chunk: type[Any]) -> list[Any]:
    chunks = [chunk(content=""), chunk(content="Let me see.")]
    for index, (name, text, places) in enumerate(calls):
        chunks.append(make(chunk, index, name, ""))
        chunks += [make(chunk, index, None, piece) for piece in cut(text, places)]
    return chunks


@pytest.mark.parametrize(("kind", "fields"), PARSERS)
@given(CALLS, st.sampled_from([native, old]))
def test_streams_give_what_langchain_gives(kind: str, fields: Any, calls: Any, make: Any) -> None:
    reference: Any = THEIRS[kind](**fields)
    expected, _ = run(reference.transform(iter(stream_of(calls, make, LcChunk))))
    parser = OURS[kind](**fields)
    results, _ = run(parser.transform(iter(stream_of(calls, make, AIMessageChunk))))
    assert results == expected
    theirs, _ = run(parser.transform(iter(stream_of(calls, make, LcChunk))))
    assert theirs == expected


def test_a_stream_begins_with_no_calls_and_then_no_arguments() -> None:
    chunks = stream_of([("Search", '{"query": "rain"}', [4, 12])], native, AIMessageChunk)
    assert list(JsonOutputToolsParser().transform(iter(chunks))) == [
        [],
        [{"type": "Search", "args": {}}],
        [{"type": "Search", "args": {"query": "r"}}],
        [{"type": "Search", "args": {"query": "rain"}}],
    ]


# Arbitrary streams, compared with the whole message

NAMES = st.sampled_from(["Search", "ping", "Sea", "rch", "other", "", None])
TEXTS = (
    st.sampled_from(
        ["", "{", "}", '{"query": "r', 'ain"}', "[1", "]", "null", " ", "x", '"\n', None]
    )
    | Strings
)
PIECES = st.fixed_dictionaries(
    {
        "name": NAMES,
        "args": TEXTS,
        "id": st.sampled_from([None, "", "a", "b"]),
        "index": st.sampled_from([0, 1, None]),
    }
)
ENTRIES = st.builds(
    lambda piece: {
        "index": piece["index"],
        "id": piece["id"],
        "function": {"name": piece["name"], "arguments": piece["args"]},
    },
    PIECES,
)
CHUNKS = st.one_of(
    st.builds(lambda piece: AIMessageChunk("", tool_call_chunks=[piece]), PIECES),
    st.builds(lambda e: AIMessageChunk("", additional_kwargs={"tool_calls": [e]}), ENTRIES),
    Strings.map(AIMessageChunk),
    st.just(AIMessageChunk([{"type": "refusal", "refusal": "No.", "index": 0}])),
)
HUMAN = st.builds(lambda e: HumanMessageChunk("", additional_kwargs={"tool_calls": [e]}), ENTRIES)


@pytest.mark.parametrize(("kind", "fields"), PARSERS)
@given(st.lists(CHUNKS, min_size=1, max_size=6) | st.lists(HUMAN, min_size=1, max_size=4))
def test_a_stream_ends_as_the_whole_message(
    kind: str, fields: Any, chunks: list[BaseMessageChunk]
) -> None:
    parser = OURS[kind](**fields)
    # A single chunk does not merge its pieces, but these have one piece each.
    whole = reduce(add, chunks)
    kept: list[Any] = []
    results, error = run(
        kept.append(copy.deepcopy(result)) or result for result in parser.transform(iter(chunks))
    )
    assert results == kept, "an earlier result changed"
    assert all(before != after for before, after in pairwise(results))
    expected, reason = run(parser.invoke(whole) for _ in range(1))
    assert (type(error), str(error)) == (type(reason), str(reason))
    if expected not in ([], [None]):
        assert repr(results[-1:]) == repr(expected)  # NaN is not equal to itself


@given(st.lists(CHUNKS, min_size=1, max_size=6), st.sampled_from(PARSERS))
def test_asynchronous_streams_are_the_same(chunks: list[Any], made: Any) -> None:
    kind, fields = made
    parser = OURS[kind](**fields)

    async def arrive() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def collect(results: list[Any]) -> None:
        async for result in parser.atransform(arrive()):
            results.append(result)

    results: list[Any] = []
    error = None
    try:
        asyncio.run(collect(results))
    except ValueError as reason:
        error = str(reason)
    expected, reason = run(parser.transform(iter(chunks)))
    assert repr((results, error)) == repr((expected, reason and str(reason)))


def test_whole_messages_in_a_stream_are_chunks_too() -> None:
    message = AIMessage("", tool_calls=[{"name": "ping", "args": {"host": "a"}, "id": "1"}])
    chunks = ["text", message, LcChunk(content="b"), message]
    expected = [{"type": "ping", "args": {"host": "a"}}] * 2
    assert list(JsonOutputToolsParser().transform(iter(chunks)))[-1] == expected


def test_pieces_on_the_wire_may_be_anything() -> None:
    entries = [
        {"index": [0], "id": {}, "function": {"name": "ping", "arguments": {"host": "a"}}},
        {"index": 0, "id": 5, "function": {"name": ["ping"], "arguments": None}},
        {"function": None},
        7,
    ]
    chunks = [HumanMessageChunk("", additional_kwargs={"tool_calls": [e]}) for e in entries]
    for chunk in chunks:
        _, error = run(JsonOutputToolsParser().transform(iter([chunk])))
        assert error is None or isinstance(error, OutputParserException)


def test_a_stream_without_messages_is_an_error_and_without_chunks_nothing() -> None:
    for chunks in (["a", "b"], [Generation(text="ab")]):
        with pytest.raises(OutputParserException, match="chat generation"):
            list(JsonOutputToolsParser().transform(iter(chunks)))
    assert list(JsonOutputToolsParser().transform(iter([]))) == []


def test_a_stream_that_ends_too_early_is_no_silence() -> None:
    chunks = stream_of([("Search", '{"tags": ["a"', [9])], native, AIMessageChunk)
    results, error = run(PydanticToolsParser(tools=[Search]).transform(iter(chunks)))
    assert results == [[]]
    assert isinstance(error, OutputParserException)
    assert "not valid JSON" in str(error)


def test_a_refusal_is_told_when_the_stream_ends() -> None:
    blocks = [{"type": "refusal", "refusal": text, "index": 0} for text in ("I ", "won't.")]
    chunks = [AIMessageChunk([block]) for block in blocks]
    results, error = run(JsonOutputToolsParser().transform(iter(chunks)))
    assert results == [[]]
    assert isinstance(error, ModelRefusalError)
    assert error.refusal == "I won't."


def test_an_unknown_tool_is_told_when_the_stream_ends() -> None:
    names = ["Sea", "gull", None, "Search"]
    chunks = [native(AIMessageChunk, int(name == "Search"), name, "") for name in names]
    chunks.append(native(AIMessageChunk, 1, None, '{"query": "a"}'))
    results, error = run(PydanticToolsParser(tools=[Search]).transform(iter(chunks)))
    assert results == [[], [Search(query="a")]]
    assert str(error) == "Unknown tool type: 'Seagull'. Available tools: Search"


def test_a_name_may_be_cut() -> None:
    chunks = [native(AIMessageChunk, 0, part, "") for part in ("Sea", "rch")]
    chunks.append(native(AIMessageChunk, 0, None, '{"query": "a"}'))
    parser = PydanticToolsParser(tools=[Search])
    assert list(parser.transform(iter(chunks))) == [[], [Search(query="a")]]


def test_an_object_that_is_complete_is_not_built_again() -> None:
    calls = [("Search", '{"query": "a"}', []), ("Search", '{"query": "bcd"}', [12, 13])]
    results = list(
        PydanticToolsParser(tools=[Search]).transform(
            iter(stream_of(calls, native, AIMessageChunk))
        )
    )
    assert len(results) == 5
    assert len({id(result[0]) for result in results[1:]}) == 1


def test_a_parser_with_a_way_of_its_own_gets_the_sum() -> None:
    class Count(JsonOutputToolsParser):
        @override
        def parse_result(self, result: Any, *, partial: bool = False) -> Any:
            return len(super().parse_result(result, partial=partial))

    calls = [("Search", "{}", []), ("ping", "{}", [])]
    assert list(Count().transform(iter(stream_of(calls, native, AIMessageChunk)))) == [0, 1, 2]


def test_differences_are_the_parsers_own() -> None:
    class Added(JsonOutputToolsParser):
        @override
        def _diff(self, prev: Any, next: Any) -> Any:
            return next[len(prev or []) :]

    calls = [("Search", "", []), ("ping", "", [])]
    chunks = stream_of(calls, native, AIMessageChunk)
    found = list(Added(diff=True).transform(iter(chunks)))
    assert [[call["type"] for call in new] for new in found] == [[], ["Search"], ["ping"]]


def applied(patches: Iterable[list[Any]]) -> list[Any]:
    """Return the document after each patch."""
    document: Any = None
    documents = []
    for patch in patches:
        document = jsonpatch.apply_patch(copy.deepcopy(document), copy.deepcopy(patch))
        documents.append(document)
    return documents


@pytest.mark.parametrize(("kind", "fields"), PARSERS)
@given(st.lists(CHUNKS, min_size=1, max_size=6) | st.lists(HUMAN, min_size=1, max_size=4))
def test_patches_lead_to_the_results(kind: str, fields: Any, chunks: list[Any]) -> None:
    results, error = run(OURS[kind](**fields).transform(iter(chunks)))
    patches, same = run(OURS[kind](**fields, diff=True).transform(iter(chunks)))
    assert str(error) == str(same)
    documents = json.dumps(applied(patches), sort_keys=True)  # NaN differs from itself
    assert documents == json.dumps([*map(dumped, results)], sort_keys=True)


def test_an_equal_call_after_one_that_cannot_be_read_changes_nothing() -> None:
    search = {"name": "Search", "args": "", "id": None}
    wrong = {"index": 0, "id": None, "function": {"name": None, "arguments": "no"}}
    chunks = [
        AIMessageChunk("", tool_call_chunks=[{**search, "index": 0}]),
        AIMessageChunk("", additional_kwargs={"tool_calls": [wrong]}),
        AIMessageChunk("", tool_call_chunks=[{**search, "index": 1}]),
    ]
    parser = JsonOutputToolsParser(first_tool_only=True, diff=True)
    [patch], error = run(parser.transform(iter(chunks)))
    assert patch[0]["value"] == {"args": {}, "type": "Search"}
    assert "not valid JSON" in str(error)


@pytest.mark.parametrize(("kind", "fields"), PARSERS)
@given(CALLS, st.sampled_from([native, old]))
def test_so_they_do_for_whole_calls(kind: str, fields: Any, calls: Any, make: Any) -> None:
    chunks = stream_of(calls, make, AIMessageChunk)
    results, _ = run(OURS[kind](**fields).transform(iter(chunks)))
    patches, _ = run(OURS[kind](**fields, diff=True).transform(iter(chunks)))
    assert applied(patches) == [dumped(result) for result in results]
    assert all(patches)


def dumped(result: Any) -> Any:
    return [*map(dump, result)] if isinstance(result, list) else dump(result)


def test_a_patch_is_as_long_as_its_chunk() -> None:
    text = json.dumps({"query": "rain", "tags": ["a", "b"]})
    chunks = [
        native(AIMessageChunk, 0, "Search", text[:13]),
        native(AIMessageChunk, 0, None, text[13:]),
    ]
    assert list(JsonOutputToolsParser(diff=True).transform(iter(chunks))) == [
        [{"op": "replace", "path": "", "value": [{"args": {"query": "ra"}, "type": "Search"}]}],
        [
            {"op": "replace", "path": "/0/args/query", "value": "rain"},
            {"op": "add", "path": "/0/args/tags", "value": ["a", "b"]},
        ],
    ]


@pytest.mark.parametrize("diff", [False, True])
def test_the_work_for_a_chunk_does_not_grow(diff: bool) -> None:
    def chunks(size: int) -> list[AIMessageChunk]:
        text = json.dumps({"query": "x" * size})
        return [native(AIMessageChunk, 0, None, text[i : i + 16]) for i in range(0, len(text), 16)]

    def read(chunks: list[AIMessageChunk]) -> None:
        reader = JsonOutputToolsParser(diff=diff)._reader()
        for chunk in chunks:
            reader.feed(chunk)

    # Only the copy of an open string grows, which the consumer may keep; its cost is negligible.
    assert_linear(read, chunks, 1_000)


def test_a_whole_message_in_a_stream_continues_its_calls_as_in_the_sum() -> None:
    begun = AIMessageChunk(
        "", tool_call_chunks=[{"name": "f", "args": '{"a"', "id": None, "index": None}]
    )
    rest = AIMessage("", invalid_tool_calls=[{"name": None, "args": ": 1}", "id": None}])
    reader = JsonOutputToolsParser()._reader()
    assert list(reader.feed(begun)) == [[{"args": {}, "type": "f"}]]
    assert list(reader.feed(rest)) == [[{"args": {"a": 1}, "type": "f"}]]
    assert list(reader.close()) == []
