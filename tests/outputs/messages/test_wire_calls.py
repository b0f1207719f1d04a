"""Tool calls in a growing sum of chunks: which call a piece belongs to, read once."""

import copy
import pickle
from collections.abc import Callable
from functools import reduce
from operator import add
from typing import Any
from unittest.mock import patch

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from outputs import AIMessageChunk, merge_lists, tool_call, tool_call_chunk
from outputs.messages.growing_calls import GrowingCall, GrowingCalls

from ...helpers.growth import assert_linear

# Which call a piece belongs to.

INDEXES = st.sampled_from([None, 0, 1])
IDS = st.sampled_from([None, "", "a", "b"])


@given(st.lists(st.tuples(INDEXES, IDS), max_size=8))
@example([(0, None), (0, "a"), (0, "b"), (0, None), (0, "a")])
def test_pieces_are_collected_as_a_sum_of_other_messages_collects_them(
    pieces: list[tuple[int | None, str | None]],
) -> None:
    calls = GrowingCalls(GrowingCall, as_list=True)
    wire = []
    for place, (index, call_id) in enumerate(pieces):
        call, name = calls.call_for(index, call_id, "f")
        call.add(name, f"{place} ")
        wire.append([{"index": index, "id": call_id, "name": "f", "text": f"{place} "}])
    merged = merge_lists([], *wire) or []
    assert [(call.name, call.written) for call in calls.calls] == [
        (item["name"], item["text"]) for item in merged
    ]


def test_a_server_may_count_from_below_zero() -> None:
    """Such an index belongs to its own call, not to one without an index."""
    pieces = [("f", "a", None), ("g", None, -1), ("f", "c", None)]
    total = AIMessageChunk("")
    for name, call_id, index in pieces:
        piece = tool_call_chunk(name=name, args="{}", id=call_id, index=index)
        total += AIMessageChunk("", tool_call_chunks=[piece])
    assert [(call["name"], call["id"]) for call in total.tool_calls] == [
        ("f", "a"), ("g", None), ("f", "c"),
    ]  # fmt: skip


def test_a_call_beyond_a_limit_has_no_value_and_reads_nothing_more() -> None:
    call = GrowingCall()
    call.add("f", "[" * 150)
    assert call.has_value
    for _ in range(2):
        call.add(None, "[" * 60)
        assert not call.has_value
        assert call.value is None
        assert call.as_object() is None
        assert call.changes() == []


# Tool calls in a growing sum of chunks: correct, read once, in time linear in the text.


def one_by_one(chunks: list[AIMessageChunk]) -> AIMessageChunk:
    return reduce(add, chunks)


def read_anew(dump: dict[str, Any]) -> dict[str, Any]:
    """Return the dump of a chunk with the fields of *dump*, its calls read in one piece."""
    return AIMessageChunk(**dump).model_dump()


JSON_TEXT = st.text(alphabet='{}[]",:\\u0de81n \n', max_size=40) | st.sampled_from(
    [
        '{"a": [1, {"b": "x\\"y"}], "c": null, "d": "\\ud83d\\ude00"}',
        '{"a": 1} {"b": 2}',
        '{"a": 1}}',
        "{}  \n",
    ]
)


@given(JSON_TEXT, st.data())
def test_arguments_are_read_the_same_however_they_are_cut(text: str, data: st.DataObject) -> None:
    cuts = sorted(data.draw(st.sets(st.integers(0, len(text)), max_size=12)))
    pieces = [text[start:end] for start, end in zip([0, *cuts], [*cuts, len(text)], strict=True)]
    total = AIMessageChunk("")
    for piece in pieces:
        total += AIMessageChunk("", tool_call_chunks=[tool_call_chunk(args=piece, index=0)])
        assert total.model_dump() == read_anew(total.model_dump())


def pieces_of(text: str, size: int = 4) -> list[AIMessageChunk]:
    """Chunks of an AI message with *text* as the arguments of a tool call."""
    return [
        AIMessageChunk("", tool_call_chunks=[tool_call_chunk(args=text[at : at + size], index=0)])
        for at in range(0, len(text), size)
    ]


def test_a_sum_reads_on_where_its_first_chunk_stopped() -> None:
    chunks = pieces_of('{"query": "' + "rain " * 50 + '"}')
    total = chunks[0] + chunks[1]
    fed: list[str] = []

    def count(reader: Any, text: str) -> int:
        fed.append(text)
        return feed(reader, text)

    from outputs.growing_json.reader import JsonReader

    feed = JsonReader.feed
    with patch.object(JsonReader, "feed", count):
        for chunk in chunks[2:]:
            total += chunk
    assert [len(text) for text in fed[:-1]] == [4] * (len(chunks) - 3)
    assert total.tool_calls == [tool_call(name="", args={"query": "rain " * 50}, id=None)]


def test_two_sums_may_begin_with_the_same_chunk() -> None:
    start = pieces_of('{"a": "')[0] + pieces_of('x"')[0]
    left, right = start + pieces_of("yz")[0], start + pieces_of('w"')[0]
    again = start + pieces_of("yz")[0]
    assert [total.tool_call_chunks[0]["args"] for total in (left, right)] == [
        '{"a"x"yz',
        '{"a"x"w"',
    ]
    for total in (left, right, again):
        assert total.model_dump() == read_anew(total.model_dump())


@pytest.mark.parametrize(
    "copied",
    [
        copy.copy,
        copy.deepcopy,
        AIMessageChunk.model_copy,
        lambda chunk: pickle.loads(pickle.dumps(chunk)),
    ],
)
def test_a_copy_of_a_sum_goes_on_by_itself(copied: Callable[[Any], AIMessageChunk]) -> None:
    total = one_by_one(pieces_of('{"a": [1, 2, '))
    twin = copied(total)
    assert (twin + pieces_of("3]}")[0]).tool_calls[0]["args"] == {"a": [1, 2, 3]}
    assert (total + pieces_of("4]}")[0]).tool_calls[0]["args"] == {"a": [1, 2, 4]}


def test_a_sum_may_be_changed_before_it_goes_on() -> None:
    total = one_by_one(pieces_of('{"a": 1, '))
    total.tool_calls[0]["args"]["b"] = 5
    assert (total + pieces_of('"c": 2}')).tool_calls[0]["args"] == {"a": 1, "c": 2}
    total = one_by_one(pieces_of('{"a": 1, '))
    total.tool_call_chunks[0]["args"] = '{"z": '
    assert (total + pieces_of("3}")[0]).tool_calls[0]["args"] == {"z": 3}


def test_arguments_nested_too_deep_are_an_invalid_call() -> None:
    total = one_by_one(pieces_of('{"a":' * 300, 30))
    assert total.tool_calls == []
    assert total.invalid_tool_calls[0]["args"] == '{"a":' * 300


SHAPES: dict[str, Callable[[int], AIMessageChunk]] = {
    "text": lambda n: AIMessageChunk("word", id="1"),
    "blocks": lambda n: AIMessageChunk([{"type": "text", "text": "word", "index": 0}]),
    "blocks of many indices": lambda n: AIMessageChunk([{"type": "text", "index": n}]),
    "text and blocks": lambda n: AIMessageChunk("word" if n % 2 else [{"type": "text"}]),
    "arguments": lambda n: AIMessageChunk(
        "", tool_call_chunks=[tool_call_chunk(args="1234", index=0)]
    ),
    "names": lambda n: AIMessageChunk("", tool_call_chunks=[tool_call_chunk(name="n", index=0)]),
    "repeated names": lambda n: AIMessageChunk(
        "", tool_call_chunks=[tool_call_chunk(name="f", args="", id="1", index=0)]
    ),
    "calls of one index": lambda n: AIMessageChunk(
        "", tool_call_chunks=[tool_call_chunk(args="1", id=str(n), index=0)]
    ),
    "additional arguments": lambda n: AIMessageChunk(
        "", additional_kwargs={"function_call": {"arguments": "word"}}
    ),
    "ids": lambda n: AIMessageChunk("", response_metadata={"id": str(n)}),
    "usage": lambda n: AIMessageChunk(
        "", usage_metadata={"input_tokens": 0, "output_tokens": 1, "total_tokens": 1}
    ),
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_sum_in_one_go_takes_linear_time(shape: Callable[[int], AIMessageChunk]) -> None:
    assert_linear(
        lambda chunks: chunks[0] + chunks, lambda size: [shape(n) for n in range(size)], 125
    )


def test_a_sum_in_one_go_reads_the_arguments_once() -> None:
    chunks = pieces_of('{"query": "' + "rain " * 200 + '"}')
    with patch("outputs.growing_json.reader.parse_partial_json", return_value={}) as read:
        chunks[0] + chunks[1:]
    assert read.call_count == 1


def test_calls_of_a_sum_one_by_one_are_read_in_time_flat_per_chunk() -> None:
    def rain(size: int) -> list[AIMessageChunk]:
        return pieces_of('{"query": "' + "rain " * size + '"}')

    assert_linear(one_by_one, rain, 50)
