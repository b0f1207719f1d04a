"""A call in JSON where a dialect writes tags."""

import pytest

from agent_parsers import get_parser, merge_events
from agent_parsers.events import Event
from output_parsers import OutputParserException


def events_of(text: str, size: int) -> list[Event]:
    """Return the merged events of a text in chunks."""
    stream = get_parser("seed_oss").stream_parser()
    events: list[Event] = []
    try:
        for at in range(0, len(text), size):
            events += stream.feed(text[at : at + size])
        events += stream.close()
    except OutputParserException:
        events += stream.last_events
    return merge_events(events)


@pytest.mark.parametrize("rest", ["</function>", "</parameter>x", '"name": "f"}</seed:tool_call>'])
def test_a_tag_behind_json_belongs_to_the_json_in_any_cut(rest: str) -> None:
    text = "<seed:tool_call>{" + rest
    assert events_of(text, len(text)) == events_of(text, 1)
