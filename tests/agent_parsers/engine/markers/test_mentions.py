"""Whether text mentions a marker or uses it, from the characters around it."""

import pytest

from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("`", "", "` to close it"),
        ("“", "", "”"),
        ("e", " ", " to close it"),
        ("e", " ", ", then the answer"),
        ("e", " ", " " * WINDOW),
    ],
)
def test_a_marker_in_quotes_or_among_words_is_mentioned(last: str, blank: str, after: str) -> None:
    assert is_spoken_of(last, blank, after[:WINDOW])


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("", "", " to close it"),
        ("", "", ""),
        ("e", "\n", " to close it"),
        ("e", "", " to close it"),
        (".", " ", " to close it"),
        ("`", "", "' to close it"),
        ("e", " ", "To close it"),
        ("e", " ", ""),
        ("e", " ", " " * (WINDOW - 1)),
        ("e", " ", "\nAnd what is on the next line"),
        ("e", " ", " \nAnd what is on the next line"),
        ("e", " ", " \r\nAnd what is on the next line"),
    ],
)
def test_a_marker_anywhere_else_is_used(last: str, blank: str, after: str) -> None:
    assert not is_spoken_of(last, blank, after[:WINDOW])
