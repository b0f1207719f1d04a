import asyncio
import gc
from collections.abc import AsyncIterator, Iterable, Iterator
from itertools import accumulate
from types import SimpleNamespace
from typing import Any

import langchain_core.messages as theirs
import langchain_core.output_parsers as lc
import langchain_core.outputs as lc_outputs
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel
from typing_extensions import override

import outputs
from output_parsers import (
    BaseCumulativeTransformOutputParser,
    BaseOutputParser,
    BaseTransformOutputParser,
    CommaSeparatedListOutputParser,
    JsonOutputParser,
    MarkdownListOutputParser,
    NumberedListOutputParser,
    OutputParserException,
    PydanticOutputParser,
    StrOutputParser,
    XMLOutputParser,
)
from output_parsers.streams.accumulator import Accumulator
from output_parsers.streams.readers import aread, read

AI, Chunk = outputs.AIMessage, outputs.AIMessageChunk
LcAI, LcChunk = theirs.AIMessage, theirs.AIMessageChunk


async def stream_of(chunks: Iterable[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


def atransform(parser: Any, chunks: Iterable[Any]) -> list[Any]:
    async def run() -> list[Any]:
        return [output async for output in parser.atransform(stream_of(chunks))]

    return asyncio.run(run())


def transform(parser: Any, chunks: Iterable[Any]) -> list[Any]:
    """Return the synchronous result, after checking that the asynchronous one is the same."""
    chunks = list(chunks)
    results = list(parser.transform(iter(chunks)))
    assert atransform(parser, chunks) == results
    return results


def comma_list(base: Any) -> Any:
    """Return a parser of comma lists that waits for commas, for either library."""

    class CommaList(base):
        def parse(self, text: str) -> list[str] | None:
            return text.split(",")[:-1] or None

        def _diff(self, prev: list[str] | None, next: list[str]) -> list[str]:  # noqa: A002
            return next[len(prev or []) :]

    return CommaList


def generations(base: Any) -> Any:
    """Return a parser that describes the generations it receives, for either library."""

    class Generations(base):
        def parse(self, text: str) -> Any:
            raise NotImplementedError

        def parse_result(self, result: list[Any], *, partial: bool = False) -> Any:
            (generation,) = result
            message = getattr(generation, "message", None)
            calls = [(c["name"], c["args"]) for c in getattr(message, "tool_calls", [])]
            return type(generation).__name__, generation.text, calls, partial

    return Generations


OursCommaList = comma_list(BaseCumulativeTransformOutputParser[Any])
TheirsCommaList = comma_list(lc.BaseCumulativeTransformOutputParser[Any])

texts = st.lists(st.text(alphabet="ab,", max_size=4), max_size=12)


def pieces(text: str, index: int) -> dict[str, Any]:
    return {
        "content": "",
        "tool_call_chunks": [{"name": None, "args": text, "id": None, "index": index}],
    }


STREAMS: dict[str, list[dict[str, Any]]] = {
    "text": [{"content": "a,"}, {"content": "b"}, {"content": ""}, {"content": ","}],
    "blocks": [
        {"content": [{"type": "text", "text": "a,", "index": 0}]},
        {"content": [{"type": "text", "text": "b,", "index": 1}]},
        {"content": [{"type": "text", "text": "c,", "index": 0}]},
    ],
    "untyped blocks": [{"content": [{"text": "a,"}]}, {"content": ["b,"]}],
    "text, then blocks": [{"content": "a,"}, {"content": ["b,"]}, {"content": "c,"}],
    "a call": [
        {"content": "a,"},
        {
            "content": "",
            "tool_call_chunks": [{"name": "f", "args": '{"x', "id": "1", "index": 0}],
        },
        pieces('": 1', 0),
        pieces(', "y": [2', 0),
        pieces("]}", 0),
    ],
}


# each chunk separately


def test_each_chunk_is_parsed_on_its_own() -> None:
    class Length(BaseTransformOutputParser[int]):
        def parse(self, text: str) -> int:
            return len(text)

    assert transform(Length(), ["abc", "", Chunk("de"), LcChunk("f")]) == [3, 0, 2, 1]
    assert transform(Length(), []) == []
    assert list(Length().stream("abc")) == [3]


def test_each_chunk_becomes_a_generation_where_parse_result_is_written() -> None:
    ours, theirs_ = (
        generations(base[Any]) for base in (BaseTransformOutputParser, lc.BaseTransformOutputParser)
    )
    chunks = ["a", {"content": "b"}, {"content": [{"text": "c"}]}]
    assert transform(ours(), [c if isinstance(c, str) else Chunk(**c) for c in chunks]) == list(
        theirs_().transform(c if isinstance(c, str) else LcChunk(**c) for c in chunks)
    )


def test_what_is_no_chunk_is_the_callers_mistake() -> None:
    for parser in (StrOutputParser(), OursCommaList()):
        with pytest.raises(TypeError, match="expected a str, a message or a generation"):
            list(parser.transform(iter([3])))


def test_a_subclass_may_write_the_loops_itself() -> None:
    class Reversed(BaseTransformOutputParser[str]):
        def parse(self, text: str) -> str:
            return text

        @override
        def _transform(self, input: Iterator[Any]) -> Iterator[str]:
            return reversed(list(input))

    assert list(Reversed().transform(iter(["a", "b"]))) == ["b", "a"]


# all chunks so far


@given(texts, st.booleans())
def test_cumulative_results_are_those_of_langchain(chunks: list[str], diff: bool) -> None:
    ours, theirs_ = OursCommaList(diff=diff), TheirsCommaList(diff=diff)
    expected = list(theirs_.transform(iter(chunks)))
    assert transform(ours, chunks) == expected
    assert transform(ours, map(Chunk, chunks)) == expected
    assert transform(ours, map(LcChunk, chunks)) == expected
    assert transform(ours, map(AI, chunks)) == expected


@pytest.mark.parametrize("name", STREAMS)
def test_cumulative_text_of_messages_is_that_of_langchain(name: str) -> None:
    chunks = STREAMS[name]
    expected = list(TheirsCommaList().transform(LcChunk(**chunk) for chunk in chunks))
    assert transform(OursCommaList(), [Chunk(**chunk) for chunk in chunks]) == expected
    assert transform(OursCommaList(), [LcChunk(**chunk) for chunk in chunks]) == expected


@pytest.mark.parametrize("name", STREAMS)
def test_cumulative_generations_are_those_of_langchain(name: str) -> None:
    chunks = STREAMS[name]
    ours = generations(BaseCumulativeTransformOutputParser[Any])()
    theirs_ = generations(lc.BaseCumulativeTransformOutputParser[Any])()
    expected = list(theirs_.transform(LcChunk(**chunk) for chunk in chunks))
    assert len(expected) > 1
    assert transform(ours, [Chunk(**chunk) for chunk in chunks]) == expected
    assert transform(ours, [LcChunk(**chunk) for chunk in chunks]) == expected


@given(texts)
def test_cumulative_generations_of_text_are_those_of_langchain(chunks: list[str]) -> None:
    ours = generations(BaseCumulativeTransformOutputParser[Any])()
    theirs_ = generations(lc.BaseCumulativeTransformOutputParser[Any])()
    assert transform(ours, chunks) == list(theirs_.transform(iter(chunks)))


def test_results_come_only_on_change_and_never_none() -> None:
    chunks = ["a", ",", "b", "", ",", "c"]
    assert transform(OursCommaList(), chunks) == [["a"], ["a", "b"]]
    assert transform(OursCommaList(diff=True), chunks) == [["a"], ["b"]]
    assert transform(OursCommaList(), ["a"]) == transform(OursCommaList(), []) == []


def test_a_whole_message_in_a_stream_says_its_calls_too() -> None:
    parser = generations(BaseCumulativeTransformOutputParser[Any])()
    for message_class in (AI, LcAI):
        message = message_class("a", tool_calls=[{"name": "f", "args": {"x": 1}, "id": "1"}])
        assert transform(parser, [message]) == [
            ("ChatGenerationChunk", "a", [("f", {"x": 1})], True)
        ]


def test_a_difference_has_to_be_written() -> None:
    class Plain(BaseCumulativeTransformOutputParser[str]):
        def parse(self, text: str) -> str:
            return text

    with pytest.raises(NotImplementedError):
        list(Plain(diff=True).transform(iter(["a"])))
    assert transform(Plain(), ["a", "b"]) == ["a", "ab"]


def test_one_parser_reads_many_streams() -> None:
    parser = OursCommaList()
    first, second = parser.transform(iter(["a,", "b,"])), parser.transform(iter(["c,", "d,"]))
    assert [next(first), next(second), next(first), next(second)] == [
        ["a"],
        ["c"],
        ["a", "b"],
        ["c", "d"],
    ]


# the sum of chunks


@given(
    st.lists(
        st.one_of(
            st.text(max_size=3),
            st.text(max_size=3).map(Chunk),
            st.text(max_size=3).map(LcChunk),
            st.text(max_size=3).map(lambda text: SimpleNamespace(content=text)),
            st.text(max_size=3).map(lambda text: outputs.GenerationChunk(text=text)),
            st.text(max_size=3).map(lambda t: outputs.ChatGenerationChunk(message=Chunk(t))),
            st.text(max_size=3).map(lambda t: lc_outputs.ChatGenerationChunk(message=LcChunk(t))),
            st.text(max_size=3).map(lambda text: Chunk([{"type": "text", "text": text}])),
            st.just(SimpleNamespace(content=None)),
        ),
        max_size=8,
    ),
    st.booleans(),
)
def test_chunks_of_any_kind_add_up(chunks: list[Any], always: bool) -> None:
    total = Accumulator()
    texts = [StrOutputParser().invoke(chunk) for chunk in chunks]
    for chunk, text in zip(chunks, accumulate(texts), strict=True):
        total.add(chunk)
        if always:
            assert total.generation().text == text
        assert total.text() == text
    assert total.text() == total.generation().text == "".join(texts)


def test_chunks_are_never_changed() -> None:
    chunks = [Chunk([{"type": "text", "text": "a", "index": 0}]) for _ in range(3)]
    before = [chunk.model_copy(deep=True) for chunk in chunks]
    transform(OursCommaList(), chunks)
    assert chunks == before


@pytest.mark.parametrize("kind", [str, Chunk, LcChunk])
def test_messages_are_not_added_up_for_a_parser_of_text(kind: Any) -> None:
    total = Accumulator()
    for _ in range(100):
        total.add(kind("a"))
        assert total.text() == "a" * (total.text().count("a"))
    assert total._message is None


# streams end


class Doubler:
    """Returns each chunk twice, and reports the end of the stream."""

    def feed(self, chunk: Any, /) -> Iterable[Any]:
        if chunk == "bad":
            raise OutputParserException("bad")
        return [chunk, chunk] if chunk else []

    def close(self) -> Iterable[Any]:
        return ["end"]


def test_a_reader_is_driven_alike_by_both_loops() -> None:
    async def run() -> list[Any]:
        return [item async for item in aread(Doubler(), stream_of(["a", "", "b"]))]

    expected = ["a", "a", "b", "b", "end"]
    assert list(read(Doubler(), iter(["a", "", "b"]))) == expected
    assert asyncio.run(run()) == expected


@pytest.mark.parametrize("chunks", [["a", "b"], ["bad", "b"]])
def test_a_stream_is_closed_when_its_reader_stops(chunks: list[str]) -> None:
    closed: list[str] = []

    async def source() -> AsyncIterator[str]:
        try:
            for chunk in chunks:
                yield chunk
        finally:
            closed.append("source")

    async def run() -> None:
        chunks = source()  # a reference, so that garbage collection closes nothing
        results = aread(Doubler(), chunks)
        try:
            async for _ in results:
                break
        except OutputParserException:
            pass
        await results.aclose()  # type: ignore[attr-defined]
        assert closed == ["source"]
        del chunks

    asyncio.run(run())
    gc.collect()


def test_a_stream_without_an_end_to_close_is_fine() -> None:
    class Source:
        def __init__(self) -> None:
            self.left = ["a", "b"]

        def __aiter__(self) -> "Source":
            return self

        async def __anext__(self) -> str:
            if not self.left:
                raise StopAsyncIteration
            return self.left.pop(0)

    async def run() -> list[str]:
        return [text async for text in StrOutputParser().atransform(Source())]

    assert asyncio.run(run()) == ["a", "b"]


def test_a_parser_that_does_not_stream_waits_for_the_end() -> None:
    class Length(BaseOutputParser[int]):
        def parse(self, text: str) -> int:
            return len(text)

    assert transform(Length(), ["ab", "c"]) == transform(Length(), [Chunk("ab"), Chunk("c")]) == [3]
    assert transform(Length(), [LcChunk("ab"), LcChunk("c")]) == [3]
    assert transform(Length(), []) == []


def test_changes_that_cannot_be_told_are_said_to_be_so() -> None:
    class Letters(BaseCumulativeTransformOutputParser[str]):
        def parse(self, text: str) -> str:
            return text

    with pytest.raises(
        NotImplementedError, match="Letters cannot report changes: remove the argument diff"
    ):
        list(Letters(diff=True).transform(iter(["a"])))


class Awaited(JsonOutputParser):
    """A parser with asynchronous results of its own."""

    @override
    async def aparse_result(self, result: Any, *, partial: bool = False) -> Any:
        return ["own", await super().aparse_result(result, partial=partial)]


def test_asynchronous_results_of_a_subclass_are_streamed() -> None:
    assert atransform(Awaited(), ["[1", ", 2]"]) == [["own", [1]], ["own", [1, 2]]]
    assert [*Awaited().transform(iter(["[1", ", 2]"]))] == [[1], [1, 2]]


def test_a_refusal_in_such_a_stream_is_an_error() -> None:
    chunks = [Chunk("[1]"), Chunk("", additional_kwargs={"refusal": "No."})]
    with pytest.raises(OutputParserException, match="refused"):
        atransform(Awaited(), chunks)


class PassedOn(JsonOutputParser):
    """A parser that passes asynchronous results on."""

    @override
    async def aparse_result(self, result: Any, *, partial: bool = False) -> Any:
        return await super().aparse_result(result, partial=partial)


def test_a_stream_without_a_result_ends_in_the_error_of_the_whole() -> None:
    with pytest.raises(OutputParserException, match="hello"):
        atransform(PassedOn(), ["hel", "lo"])
    assert atransform(PassedOn(), []) == []


class Overridden(JsonOutputParser):
    """A parser with results of its own."""

    @override
    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return super().parse_result(result, partial=partial)


def test_so_does_a_stream_of_overridden_results() -> None:
    with pytest.raises(OutputParserException, match="hello"):
        transform(Overridden(), ["hel", "lo"])
    assert transform(Overridden(), ["[1", "]"]) == [[1]]


def test_a_source_is_closed_when_its_reader_stops_early() -> None:
    closed: list[str] = []

    async def source() -> AsyncIterator[str]:
        try:
            for text in ("[1", ", 2", "]"):
                yield text
        finally:
            closed.append("source")

    async def run() -> None:
        results: Any = Awaited().atransform(source())
        assert await anext(results) == ["own", [1]]
        await results.aclose()

    asyncio.run(run())
    assert closed == ["source"]


# A whole message behind its own chunks.

WORDS = ("1. red, gr", "een\n", "- 2. blue, n", "o")


class OneField(BaseModel):
    a: int


@pytest.mark.parametrize(
    "parser",
    [
        StrOutputParser(),
        CommaSeparatedListOutputParser(),
        NumberedListOutputParser(),
        MarkdownListOutputParser(),
        comma_list(BaseCumulativeTransformOutputParser)(),
        comma_list(BaseCumulativeTransformOutputParser)(diff=True),
        XMLOutputParser(),
        JsonOutputParser(),
        JsonOutputParser(diff=True),
        PydanticOutputParser(pydantic_object=OneField),
    ],
    ids=lambda parser: type(parser).__name__,
)
@pytest.mark.parametrize(("chunk", "whole"), [(Chunk, AI), (LcChunk, LcAI), (str, AI)])
def test_a_whole_message_behind_its_chunks_counts_once(parser: Any, chunk: Any, whole: Any) -> None:
    words = WORDS
    if isinstance(parser, JsonOutputParser):
        words = ('{"a"', ": 1", "}", "\n")
    elif isinstance(parser, XMLOutputParser):
        words = ("<a>", "<b>x</b>", "</a>", "\n")
    pieces, message = [*map(chunk, words)], whole("".join(words))
    expected = transform(parser, pieces)
    for wholes in (1, 2):
        assert transform(parser, [*pieces, *[message] * wholes]) == expected
    blocks = whole([{"type": "text", "text": "".join(words)}])
    assert transform(parser, [*pieces, blocks]) == expected
    if chunk is not str:  # it may add to them
        assert transform(parser, [*pieces[:-1], message]) == expected


def test_other_messages_are_pieces() -> None:
    parser = StrOutputParser()
    assert transform(parser, [AI("a"), AI("a"), AI("aa")]) == ["a", "a", "aa"]
    assert transform(parser, [Chunk("ab"), AI("ac")]) == ["ab", "ac"]
    assert transform(parser, ["a", AI("ab")]) == ["a", "ab"]
    assert transform(parser, [Chunk("a"), AI("")]) == ["a", ""]
    assert transform(parser, [Chunk("a"), Chunk("a")]) == ["a", "a"]
