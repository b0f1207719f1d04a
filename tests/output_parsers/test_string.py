import asyncio
from collections.abc import AsyncIterator
from typing import Any

import langchain_core.messages as theirs
import langchain_core.output_parsers as lc
import langchain_core.outputs as lc_outputs
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outputs as ours
from output_parsers import StrOutputParser

MESSAGES = ["AIMessage", "HumanMessage", "SystemMessage", "AIMessageChunk", "HumanMessageChunk"]

blocks = st.one_of(
    st.text(max_size=5),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["text", "image", "reasoning"]),
            "text": st.text(max_size=5),
            "index": st.integers(0, 3),
        },
    ),
)
contents = st.one_of(st.text(), st.lists(blocks, max_size=5))


@given(st.sampled_from(MESSAGES), contents)
def test_the_text_of_any_message_is_that_of_langchain(name: str, content: Any) -> None:
    message, twin = getattr(ours, name)(content=content), getattr(theirs, name)(content=content)
    expected = lc.StrOutputParser().invoke(twin)
    assert StrOutputParser().invoke(message) == expected
    assert StrOutputParser().invoke(twin) == expected
    assert asyncio.run(StrOutputParser().ainvoke(message)) == expected
    assert StrOutputParser().batch([message, twin]) == [expected, expected]
    assert StrOutputParser().parse_result([ours.ChatGeneration(message=message)]) == expected
    assert StrOutputParser().parse_result([lc_outputs.ChatGeneration(message=twin)]) == expected


@given(st.lists(contents))
def test_the_chunks_of_any_stream_are_those_of_langchain(stream: list[Any]) -> None:
    async def arrive(chunks: list[Any]) -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def run(chunks: list[Any]) -> list[str]:
        return [text async for text in StrOutputParser().atransform(arrive(chunks))]

    twins = [theirs.AIMessageChunk(content=content) for content in stream]
    chunks = [ours.AIMessageChunk(content=content) for content in stream]
    expected = list(lc.StrOutputParser().transform(iter(twins)))
    for given_chunks in (chunks, twins):
        assert list(StrOutputParser().transform(iter(given_chunks))) == expected
        assert asyncio.run(run(given_chunks)) == expected


@given(st.text())
def test_text_is_left_as_it_is(text: str) -> None:
    assert StrOutputParser().invoke(text) == StrOutputParser().parse(text) == text
    assert list(StrOutputParser().transform(iter(text))) == list(text)


def test_it_describes_itself_as_langchains_does() -> None:
    assert StrOutputParser().asdict() == lc.StrOutputParser().asdict()
    assert StrOutputParser().OutputType is lc.StrOutputParser().OutputType is str
    assert repr(StrOutputParser()) == repr(lc.StrOutputParser())
    for parser in (StrOutputParser(), lc.StrOutputParser()):
        with pytest.raises(NotImplementedError):
            parser.get_format_instructions()
