"""Cuts texts into chunks, and collects the output of a parser for them."""

import asyncio
from collections.abc import AsyncIterator, Iterable, Iterator, Sequence
from typing import Any

from hypothesis import strategies as st

from output_parsers import OutputParserException


def every_cut(text: str) -> Iterator[list[str]]:
    """Yield *text* whole, character by character, and in two at each position."""
    yield [text]
    yield list(text)
    for place in range(len(text) + 1):
        yield [text[:place], text[place:]]


@st.composite
def pieces_of(draw: st.DrawFn, texts: st.SearchStrategy[str]) -> list[str]:
    """Draw a text, cut at random places."""
    text = draw(texts)
    places = sorted(draw(st.sets(st.integers(0, len(text)), max_size=8)))
    return [text[a:b] for a, b in zip([0, *places], [*places, len(text)], strict=True)]


def fours(text: str) -> Iterator[str]:
    """Yield *text* in pieces of four characters."""
    return (text[place : place + 4] for place in range(0, len(text), 4))


def story(parser: Any, chunks: Iterable[Any]) -> tuple[list[Any], Any]:
    """Return the output of *parser* for a stream, asynchronous or not, and its error.

    The error is returned as its message, its text and its span.
    """
    chunks = list(chunks)
    found = sync_story(parser, chunks)
    assert asyncio.run(_astory(parser, chunks)) == found
    return found


def one_shot(parser: Any, text: str) -> tuple[Any, Any]:
    """Return the result of *parser* for *text*, and its error."""
    try:
        return parser.parse(text), None
    except OutputParserException as error:
        return None, _failure(error)


def sync_story(parser: Any, chunks: Iterable[Any]) -> tuple[list[Any], Any]:
    """Return the output and error for a synchronous stream."""
    outputs: list[Any] = []
    try:
        outputs.extend(parser.transform(iter(chunks)))
    except OutputParserException as error:
        return outputs, _failure(error)
    return outputs, None


async def _astory(parser: Any, chunks: Sequence[Any]) -> tuple[list[Any], Any]:
    async def arrive() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    outputs: list[Any] = []
    try:
        async for output in parser.atransform(arrive()):
            outputs.append(output)
    except OutputParserException as error:
        return outputs, _failure(error)
    return outputs, None


def _failure(error: OutputParserException) -> tuple[str, str | None, tuple[int, int] | None]:
    assert error.observation
    assert error.llm_output is not None
    return str(error), error.llm_output, error.span
