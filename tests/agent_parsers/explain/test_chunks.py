"""What a stream emits after each chunk, what it holds back, and why."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import Dialect, OutputParserException, get_parser
from agent_parsers.testing import cuts, texts
from agent_parsers.testing.trials.stories import cut

from ...helpers.stories import every_turn_mode

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.modes import Mode


@every_turn_mode
@given(data=st.data())
def test_it_tells_what_the_stream_does(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode))
    chunks = list(cut(text, data.draw(cuts())))
    parser = get_parser(dialect, lenient=mode == "lenient")
    stream = parser.stream_parser()
    expected = [event for chunk in chunks for event in stream.feed(chunk)]
    error = None
    try:
        expected += stream.close()
    except OutputParserException as caught:
        expected += stream.last_events
        error = caught
    told = list(parser.explain_chunks(chunks))
    assert [event for row in told for event in row.events] == expected
    assert [row.text for row in told] == [*chunks, ""]
    assert str(told[-1].error) == str(error)


@every_turn_mode
@given(data=st.data())
def test_what_is_held_back_is_told_later_and_has_a_reason(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    *told, _ = get_parser(dialect, lenient=mode == "lenient").explain_chunks(text)
    at = 0
    for row in told:
        start, end = row.held
        assert at <= start <= end == row.span[1]
        assert bool(row.reason) == (start < end)
        at = start


@pytest.mark.parametrize(
    ("dialect", "text", "reason"),
    [
        ("react", "Thought: hm\nAct", "it may become 'Action:' or 'Action Input:'"),
        ("xml", "<tool>find</tool><tool_input>a ", "white space is text only if more text follows"),
        ("react", "Action: find", "the name of the tool may go on"),
        ("react", "Final Answer: ", "white space after a marker belongs to it"),
        ("hermes", "Hm. <tool_", "it may become '<tool_call>'"),
        ("hermes", '<tool_call>{"na', "what it means is known only when more of it has arrived"),
    ],
)
def test_the_reasons(dialect: str, text: str, reason: str) -> None:
    first, _ = get_parser(dialect).explain_chunks([text])
    assert reason in first.reason


def test_a_text_that_is_too_long_ends_in_its_error() -> None:
    *_, last = get_parser("react", max_chars=12).explain_chunks(["Thought: ", "x" * 20, "y"])
    assert last.text == "y"
    assert last.error is not None
    assert "12" in str(last.error)
