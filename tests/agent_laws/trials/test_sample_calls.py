"""Where the raw input of a turn is."""

from __future__ import annotations

import pytest

from agent_laws.trials.sample_calls import raw_input, written_turn
from agent_parsers import get_dialect


@pytest.mark.parametrize("value", ["a word", "before <tool> after"])
def test_an_input_may_end_anywhere_even_if_it_is_written_with_escapes(value: str) -> None:
    turn = written_turn(get_dialect("xml"), value)
    assert turn is not None
    raw = raw_input(get_dialect("xml"), turn.text)
    assert raw is not None
    assert raw.text == value
    begin = "<tool>transfer</tool><tool_input>"
    assert raw.may_end(f"{begin}{value[:4]}", "unknown")
    assert not raw.may_end(begin, "unknown")
    assert not raw.may_end(f"{begin}{value[:4]}", "length")
