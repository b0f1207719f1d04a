"""Which call a piece belongs to."""

from hypothesis import example, given
from hypothesis import strategies as st

from outputs import merge_lists
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
