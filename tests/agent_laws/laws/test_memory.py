"""A stream keeps little more of a text than its characters, however small its chunks are."""

import tracemalloc
from typing import Any, Literal

import pytest

from agent_parsers import get_dialect, list_dialects
from agent_parsers.authoring import Written
from agent_parsers.engine.markers import patterns
from agent_parsers.engine.stream_parser import StreamParser

TEXT = "oldest bridge " * 600
MOST = 10
"""Bytes for a character: an action and its text are kept, each in blocks of many chunks."""


def bytes_kept(name: str, mode: Literal["strict", "lenient"], text: str) -> float:
    """Return how many bytes a stream keeps for a character of *text*, in chunks of 4."""
    kept = 0
    for _ in range(2):  # the first time, patterns are compiled, and they stay
        parser = StreamParser(get_dialect(name), mode=mode)
        tracemalloc.start()
        for at in range(0, len(text), 4):
            parser.feed(text[at : at + 4])
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return kept / len(text)


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("tool_input", [{"content": TEXT}, TEXT], ids=["object", "text"])
@pytest.mark.parametrize("name", list_dialects())
def test_chunks_of_a_long_input_are_joined(
    name: str,
    tool_input: Any,
    mode: Literal["strict", "lenient"],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """A string takes 50 bytes besides its characters, so chunks may not be kept as they are."""
    try:
        text = get_dialect(name).write(Written(tool="write", tool_input=tool_input))
    except ValueError:
        pytest.skip("the dialect writes no text as an input")
    monkeypatch.setattr(patterns, "_LONG", -1)  # so that patterns are compiled at once
    kept = bytes_kept(name, mode, text[: text.rindex("oldest")])
    assert kept < MOST
