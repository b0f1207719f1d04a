"""Which call a piece belongs to."""

from hypothesis import example, given
from hypothesis import strategies as st

from outputs import AIMessageChunk, merge_lists, tool_call_chunk
from outputs.messages.growing_calls import GrowingCall, GrowingCalls

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
